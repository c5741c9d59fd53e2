"""A file that is written to during a run is not examined as if it were the one that was planned."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from vivavoce.core import plugins
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Case, Selection, Suite, Turn, Use
from vivavoce.core.reply import Reply
from vivavoce.run.planner import plan
from vivavoce.run.runner import examine

ROWS = [{"id": f"c{number}", "input": "x", "expected": "x", "reply": "x"} for number in range(40)]


def text(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


EDITED = text([{**row, "expected": "y"} for row in ROWS])
CHANGES = {
    "edited": lambda path: path.write_text(EDITED),
    "appended": lambda path: path.write_text(text([*ROWS, {**ROWS[0], "id": "more"}])),
    "truncated": lambda path: path.write_text(text(ROWS[:10])),
    "replaced": lambda path: (path.with_name("new").write_text(EDITED), os.replace(path.with_name("new"), path)),
    "deleted": lambda path: path.unlink(),
}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(text(ROWS))
    return path


def planned(path):
    return plan(Selection(paths=(path.name,), judge=Use(name="none")), folder=path.parent)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_after_the_plan_is_told(path, change):
    made = planned(path)
    change(path)
    with pytest.raises(UsageError, match=r"a\.jsonl: (changed|cannot be read)"):
        list(made.trials)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_between_two_trials_is_told(path, change):
    trials = iter(planned(path).trials)
    assert next(trials).case.id == "c0"
    change(path)
    with pytest.raises(UsageError, match=r"a\.jsonl: changed"):
        list(trials)


@pytest.mark.parametrize("size", [1, 500])
def test_a_file_that_goes_before_it_is_opened_has_changed(path, size):
    path.with_name("b.jsonl").write_text(text(ROWS))
    made = plan(Selection(paths=("a.jsonl", "b.jsonl"), judge=Use(name="none")), folder=path.parent)
    path.with_name("b.jsonl").unlink()
    with pytest.raises(UsageError, match=r"b\.jsonl: changed while it was examined, .* viva resume"):
        list(made.trials.pieces(size))


def test_a_file_written_anew_as_it_was_is_the_same(path):
    made = planned(path)
    os.utime(path, ns=(1, 1))
    assert len(list(made.trials)) == 40


def test_a_document_was_read_whole_and_may_change(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"items": [{"prompt": "x", "response": "y"}]}')
    made = planned(path)
    path.write_text('{"items": [{"prompt": "z", "response": "y"}]}')
    assert [trial.case.turns[0].input for trial in made.trials] == ["x"]


class Shrinking:
    """Cases that are fewer each time they are asked for."""

    def __init__(self, *counts):
        self.counts = list(counts)

    def __iter__(self):
        count = self.counts.pop(0) if len(self.counts) > 1 else self.counts[0]
        return iter([Case(id=str(n), turns=(Turn(input="x", reply=Reply(text="x")),)) for n in range(count)])


@pytest.mark.parametrize(("later", "what"), [(2, "fewer"), (4, "more")])
def test_cases_made_in_python_are_counted_again(later, what):
    made = plan(Selection(target=Use(name="recorded")), suites=(Suite(name="s", cases=Shrinking(3, 3, later)),))
    with pytest.raises(UsageError, match=f"s: holds {what} cases than"):
        list(made.trials)


def test_the_run_is_stored_as_stopped_with_what_was_done(path, tmp_path):
    store = plugins.build("stores", Use(name="sqlite", options={"path": str(tmp_path / "runs.db")}))
    made = planned(path)

    class Changing:
        def began(self, plan, done): ...

        def result(self, result):
            path.write_text(text(ROWS[:20]))

        def finished(self, run): ...

    async def run():
        now = lambda: "2026-01-01T00:00:00Z"  # noqa: E731
        await examine(made, store, run_id="r", started=now(), now=now, nonce="n", listeners=(Changing(),))

    with pytest.raises(UsageError, match=r"a\.jsonl: changed"):
        asyncio.run(run())
    kept = store.run("r")
    assert kept.state == "stopped"
    assert 0 < len(list(kept.results)) < 40
    assert kept.summary.not_run == 40 - len(list(kept.results))
    store.close()
