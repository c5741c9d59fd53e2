"""What every report promises: one fixed run, one gold file; hostile text is safe; results pass one at a time."""

from __future__ import annotations

import io
import re
import unicodedata
import weakref
from dataclasses import replace

import pytest
from conftest_reports import check_gold, empty_run, fixed_run, hostile_run, interrupted_run

from vivavoce.core import plugins
from vivavoce.core.kinds import Streaming
from vivavoce.core.model import Use
from vivavoce.core.result import Result

NAMES = plugins.names("reports")
# What a terminal or a browser would obey, or what would hide or reorder the text around it, as it stands in JSON or not.
ACTING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def report(name):
    return plugins.build("reports", Use(name=name))


def rendered(name, run):
    out = io.StringIO(newline="")
    report(name).render(run, out)
    return out.getvalue()


@pytest.mark.parametrize("name", NAMES)
def test_the_fixed_run_is_its_gold_file(name):
    check_gold(f"fixed_run.{name}", rendered(name, fixed_run()))


@pytest.mark.parametrize("name", NAMES)
def test_rendering_again_gives_the_same(name):
    run = fixed_run()
    assert rendered(name, run) == rendered(name, run)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("make", [empty_run, interrupted_run])
def test_a_run_without_results_or_an_end_is_told_too(name, make):
    text = rendered(name, make())
    assert isinstance(text, str)
    if make is interrupted_run and "rice-water" in rendered(name, fixed_run()):
        assert "rice-water" in text


@pytest.mark.parametrize("name", NAMES)
def test_hostile_text_is_shown_and_does_nothing(name):
    text = rendered(name, hostile_run())
    assert ACTING.search(text) is None
    assert not any(unicodedata.category(character) == "Cs" for character in text), "half a character cannot be written"
    text.encode("utf-8")
    assert "sk-secret" not in text or name == "json"  # what the run document holds is redacted where the plan is made


@pytest.mark.parametrize("name", NAMES)
def test_results_are_read_one_at_a_time(name):
    peak = 0
    alive = 0

    class Watched(Result, weakref=True, frozen=True, kw_only=True):
        """A result whose end can be seen."""

    def died(_):
        nonlocal alive
        alive -= 1

    class Stream:
        def __init__(self):
            self.refs = []

        def __iter__(self):
            nonlocal alive, peak
            for position in range(200):
                model = fixed[position % len(fixed)]
                given = {field: getattr(model, field) for field in Result.__struct_fields__}
                result = Watched(**{**given, "case": f"c{position}", "position": position})
                self.refs.append(weakref.ref(result, died))
                alive += 1
                peak = max(peak, alive)
                yield result
                del result

    fixed = list(fixed_run().results)
    text = rendered(name, replace(fixed_run(), results=Stream()))
    assert text
    assert 0 < peak <= 3


@pytest.mark.parametrize("name", NAMES)
def test_a_streaming_report_writes_the_lines_it_streams(name):
    made = report(name)
    if not isinstance(made, Streaming):
        assert not hasattr(made, "line")
        return
    run = fixed_run()
    assert "".join(made.line(result) for result in run.results) == rendered(name, run)


def test_suffixes_choose_one_report_each():
    suffixes = [suffix for name in NAMES if (suffix := report(name).suffix) is not None]
    assert len(suffixes) == len(set(suffixes))
    assert {".json", ".jsonl", ".csv"} <= set(suffixes)
    assert all(suffix.startswith(".") for suffix in suffixes)
