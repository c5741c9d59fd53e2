"""Whatever stands in a file, every format reads cases or says what is wrong, and does nothing worse.

Files are made from those in `tests/data/<format>/ok` - a value changed, a name misspelt, a piece of the text cut out or put
elsewhere - and from nothing but words and signs. A new format is tried without an edit here. `VIVA_FUZZ=25` tries 25 times as
much.
"""

from __future__ import annotations

import copy
import csv
import gzip
import io
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.core import codec, plugins
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Case, Selection, Use
from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.run.joining import recordings
from vivavoce.wire import yaml_text

DATA = Path(__file__).resolve().parents[1] / "data"
FORMATS = plugins.names("formats")
TIMES = int(os.environ.get("VIVA_FUZZ", "1"))
"""How many times more examples than usual."""
FEW = settings(max_examples=40 * TIMES)
SIGNS = "{}[]\",:;\\\n\t -#&*!|>%@`'?=<~./0179eE+uns\u00e9\u2028\x00\x1b"
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 7, 1.5, 1e300, 10**30, [], {}, [[]], [None], {"": None}, {"a": [{}]}),
    *("", " ", "x", "1.0.0", "null", "{", "[1]", "{{item.query}}", "${data.x}", "2024-01-01", "NO", ".nan"),
    *("../../x", "\x1b[2J", "\u202e", "\ud7ff\uffff", "x" * 300),
)


@cache
def good(name: str) -> tuple[tuple[str, bytes, Any], ...]:
    """The good files of a format: suffix, content, and what they hold."""
    found = []
    for path in sorted((DATA / name / "ok").iterdir()):
        source = Source(path)
        with source.open() as content:
            text = content.read()
        found.append((source.suffix, text, held(source.suffix, text.decode())))
    return tuple(found)


def held(suffix: str, text: str) -> Any:
    """What a file holds, as plain data."""
    if suffix == ".csv":
        return list(csv.reader(io.StringIO(text), csv.Sniffer().sniff(text)))
    if suffix in (".yaml", ".yml"):
        return yaml_text.parse(Source("f"), text, Problems())
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def written(suffix: str, value: Any) -> bytes:
    """Plain data as the content of a file; YAML holds all of JSON."""
    if suffix == ".csv" and isinstance(value, list):
        out = io.StringIO()
        csv.writer(out).writerows(
            [cell if isinstance(cell, str) else json.dumps(cell) for cell in row]
            if isinstance(row, list)
            else [json.dumps(row)]
            for row in value
        )
        return out.getvalue().encode(errors="surrogatepass")
    if suffix == ".jsonl" and isinstance(value, list):
        return "".join(json.dumps(row) + "\n" for row in value).encode()
    return json.dumps(value, indent=1).encode()


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in plain data: what holds it, and the key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


@cache
def words(name: str) -> tuple[str, ...]:
    """The names that stand in a format's files."""
    return tuple(sorted({key for _, _, value in good(name) for _, key in places(value) if isinstance(key, str)}))


def values(name: str) -> st.SearchStrategy[Any]:
    """Plain data of whatever shape, with the format's own names in it."""
    return st.recursive(
        st.sampled_from(ODD),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(words(name)), inner, max_size=4),
        max_leaves=8,
    )


@st.composite
def changed(draw: st.DrawFn, name: str) -> tuple[str, bytes]:
    """A good file with some of its values changed, moved, doubled, or left out, or names misspelt."""
    suffix, _, value = draw(st.sampled_from(good(name)))
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        every = list(places(value))
        if not every:
            break
        holder, key = draw(st.sampled_from(every))
        kind = draw(st.sampled_from(["set", "move", "drop", "name", "twice"]))
        if kind == "set":
            holder[key] = copy.deepcopy(draw(values(name)))  # what is changed next must not be what is drawn from
        elif kind == "move":
            other, at = draw(st.sampled_from(every))
            holder[key] = copy.deepcopy(other[at])
        elif kind == "drop":
            del holder[key]
        elif isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif kind == "name":
            slip = st.sampled_from([key[:-1], key + "s", key.upper(), key[::-1], f" {key}"])
            holder[draw(st.sampled_from(words(name)) | slip)] = holder.pop(key)
    return suffix, written(suffix, value)


@st.composite
def spoilt(draw: st.DrawFn, name: str) -> tuple[str, bytes]:
    """A good file's text with pieces of it cut out, doubled, put elsewhere, or overwritten."""
    suffix, content, _ = draw(st.sampled_from(good(name)))
    for _ in range(draw(st.integers(1, 3))):
        at, end = sorted(draw(st.lists(st.integers(0, len(content)), min_size=2, max_size=2)))
        piece = content[at:end]
        to = draw(st.integers(0, len(content)))
        more = draw(st.binary(max_size=4) | st.text(SIGNS, max_size=6).map(str.encode))
        content = draw(
            st.sampled_from(
                [
                    content[:at],
                    content[:at] + content[end:],
                    content[:to] + piece + content[to:],
                    content[:at] + more + content[at:],
                    content[:at] + more + content[at + len(more) :],
                ]
            )
        )
    return suffix, content


def any_text(name: str) -> st.SearchStrategy[bytes]:
    """Words of a format among signs, and bytes of whatever kind."""
    pieces = st.sampled_from([*words(name), *(f'"{word}": ' for word in words(name)), "\n- ", "\n  ", '{"', '"}\n'])
    return st.lists(pieces | st.text(SIGNS, max_size=4), max_size=20).map(lambda found: "".join(found).encode()) | st.binary(
        max_size=80
    )


SUFFIXES = st.sampled_from([".json", ".jsonl", ".yaml", ".csv", ".eval.yaml", ""])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def examine(folder: Path, name: str, suffix: str, content: bytes, *, lenient: bool, packed: bool = False) -> None:
    """Read a file as a run would, and use all that comes of it."""
    path = folder / f"a{suffix}"
    path.write_bytes(gzip.compress(content, mtime=0) if packed else content)
    source, problems = Source(path, path.name), Problems(lenient=lenient)
    form = plugins.build("formats", Use(name=name))
    try:
        form.matches(source)
        if hasattr(form, "holds_results"):
            form.holds_results(source)
        suite = form.read(source, problems)
        cases = list(suite.cases)
    except UsageError as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert path.name in refused
        refused.encode()
        return
    lines = content.count(b"\n") + content.count(b"\r") + 2
    total = problems.total
    for problem in (*problems.found(), *problems.warnings):
        assert problem.message
        assert problem.file == path.name
        assert problem.line is None or 1 <= problem.line <= lines
        str(problem).encode()
    assert list(suite.cases) == cases, "what is read again is the same"
    assert problems.total == total, "and nothing is told twice"
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        assert bool(case.turns) != (case.persona is not None)
        assert codec.decode(codec.encode(case), Case) == case
        codec.case_digest(case)
    if not total:
        for other in FORMATS:
            plugins.build("formats", Use(name=other)).write(suite, io.StringIO())


@pytest.mark.parametrize("name", FORMATS)
@FEW
@given(data=st.data(), lenient=st.booleans())
def test_a_good_file_of_which_something_is_changed(folder, name, data, lenient):
    examine(folder, name, *data.draw(changed(name)), lenient=lenient)


@pytest.mark.parametrize("name", FORMATS)
@FEW
@given(data=st.data(), lenient=st.booleans(), packed=st.booleans())
def test_a_good_file_whose_text_is_spoilt(folder, name, data, lenient, packed):
    examine(folder, name, *data.draw(spoilt(name)), lenient=lenient, packed=packed)


@pytest.mark.parametrize("name", FORMATS)
@FEW
@given(data=st.data(), suffix=SUFFIXES)
def test_values_of_whatever_shape(folder, name, data, suffix):
    value = data.draw(st.lists(values(name), max_size=3) | values(name))
    examine(folder, name, suffix, written(suffix, value), lenient=False)


@pytest.mark.parametrize("name", FORMATS)
@FEW
@given(data=st.data(), suffix=SUFFIXES)
def test_text_of_whatever_kind(folder, name, data, suffix):
    examine(folder, name, suffix, data.draw(any_text(name)), lenient=False)


@FEW
@given(data=st.data(), repeat=st.integers(1, 2))
def test_traces_of_whatever_kind_are_joined_or_refused(folder, data, repeat):
    """Their conversations, joined with the cases that good files of traces hold, and with one more."""
    path = folder / "spans.json"
    path.write_bytes(data.draw(changed("otel") | spoilt("otel"))[1])
    made = recordings(Selection(paths=(), traces=(str(path),), repeat=repeat), Problems(), folder)
    assert made is not None
    asked = {case.id: case for case in (*conversations(), replace(conversations()[0], id="other"))}
    made.claim(iter(asked))
    for case in asked.values():
        for number in range(repeat):
            joined = made.case(case, number)
            assert len(joined.turns) == len(case.turns)
            codec.encode(joined)
    assert all(made.warnings())


@cache
def conversations() -> tuple[Case, ...]:
    """What the good files of traces hold."""
    form = plugins.build("formats", Use(name="otel"))
    return tuple(
        case for path in sorted((DATA / "otel" / "ok").iterdir()) for case in form.read(Source(path), Problems()).cases
    )
