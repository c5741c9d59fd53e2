"""Lists cut out of files of any size: the same values, the same places and the same faults as of the whole."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vivavoce.core.errors import UsageError
from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.wire import json_entries, passage
from vivavoce.wire.json_entries import Entries
from vivavoce.wire.json_lines import parsed, parsed_entry
from vivavoce.wire.json_text import parse

PLACES = (("data",), ("a", "b", "c"))
NAMES = st.sampled_from(["data", "a", "b", "c", "é", 'say "data"', "{"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('é"\\{}[]:,\n x', max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


class InBlocks(Source):
    """A text that is read so many bytes at a time."""

    def __init__(self, text: str | bytes, size: int) -> None:
        super().__init__("f")
        self.content = text.encode() if isinstance(text, str) else text
        self.size = size

    def blocks(self):
        return (self.content[at : at + self.size] for at in range(0, len(self.content), self.size))


def at(value, place):
    for name in place:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def without(value, here=()):
    if here in PLACES and isinstance(value, list):
        return []
    return {name: without(each, (*here, name)) for name, each in value.items()} if isinstance(value, dict) else value


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 0, 2]), st.booleans(), st.integers(1, 20))
def test_a_list_gives_its_entries(value, indent, ascii_only, size):
    text = "\n " + json.dumps(value, indent=indent, ensure_ascii=ascii_only) + "\r\n"
    lines = text.split("\n")
    entries = Entries(InBlocks(text, size))
    found = []
    for line, each in entries:
        assert lines[line - 1][entries.column - 1 :].startswith(each.decode().split("\n")[0])
        found.append(json.loads(each))
    assert found == value
    assert entries.found == {(): len(value)}


@given(st.dictionaries(NAMES, VALUES, max_size=5), st.sampled_from([None, 1]), st.integers(1, 20))
@example({"a": {"b": {"c": [1, [2]], "data": [3]}}, "data": [{"data": [4]}, 5]}, None, 1)
@example({"": {"data": [1]}, 'say "data"': [2], "a": [{"b": {"c": [3]}}]}, 1, 3)
def test_a_document_gives_its_lists_and_the_rest(value, indent, size):
    entries = Entries(InBlocks(json.dumps(value, indent=indent), size), PLACES)
    found = [(PLACES[entries.path.startswith("a.")], json.loads(each)) for _, each in entries]
    listed = [place for place in PLACES if isinstance(at(value, place), list)]
    assert entries.found == {place: len(at(value, place)) for place in listed}
    found.sort(key=lambda each: PLACES.index(each[0]))
    assert found == [(place, each) for place in listed for each in at(value, place)]
    assert json.loads(entries.rest) == without(value)


def told(text: str, size: int) -> list[str]:
    """What is wrong with a list that is cut."""
    source, problems = InBlocks(text, size), Problems()
    entries = Entries(source)
    for line, each in entries:
        parsed_entry(source, entries, line, each, problems)
    return [re.sub(r"^(f:\d+: )\[\d+\][^:]*: ", r"\1", str(each)) for each in problems.found()]


def told_of_whole(text: str) -> list[str]:
    problems = Problems()
    parse(Source("f"), text, problems)
    return [re.sub(r"^(f:\d+: )\[\d+\][^:]*: ", r"\1", str(each)) for each in problems.found()]


@given(
    st.lists(VALUES, min_size=1, max_size=4),
    st.sampled_from([None, 1]),
    st.sampled_from(["", '"', "'", "[", "]", "{", "}", ",", ":", "\n", "x", "NaN", "//", "\\", "1e999", "-", "\x0b", "\ufeff"]),
    st.floats(0, 1),
    st.integers(0, 2),
    st.integers(1, 40),
)
def test_damage_is_told_as_of_the_whole(value, indent, put, where, left_out, size):
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    cut = 1 + int(where * (len(text) - 1))
    text = text[:cut] + put + text[cut + left_out :]
    whole, found = told_of_whole(text), told(text, size)
    assert set(whole) <= set(found)  # a whole one is told of up to its first fault of syntax
    assert bool(whole) == bool(found)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[{"a": 1},\n {"a": 2\n]', "f:3: [1]: is not valid JSON: } is missing before ] (column 1)"),
        ('[{"a": 1},\n {"a": "2}\n]', "f:2: [1]: is not valid JSON: a text ends with its line"),
        ('[{"a": 1}\n {"a": 2}]', "f:2: [1]: is not valid JSON: a comma is missing before { (column 2)"),
        ('[{"a": 1},\n]', "f:1: [0]: is not valid JSON: a comma stands before ], and nothing follows it"),
        ('\n [{"a": 1},\n {"a": 2}', "f:2: is not valid JSON: the [ that opens here is never closed by ] (column 2)"),
        ('[{"a": 1}]\n{"a": 2}', "f:2: is not valid JSON: more follows after the end of the value"),
        ('[{"a": 1},\n {"a": 2}},\n {"a": 3}]', "f:2: [1]: is not valid JSON: ] is missing before } (column 10)"),
        ('[{"a": 1},\n "a": 2},\n {"a": 3}]', "f:2: [1]: is not valid JSON: a comma is missing before : (column 5)"),
        ('[{"a": 1},\n # two\n {"a": 2}]', "f:2: [1]: is not valid JSON: a comment; JSON has none (column 2)"),
        ('[{"a": 1},\n {"a": 2,\n "a": 3}]', 'f:3: [1].a: "a" is given twice in one object (keep one)'),
        ('[{"a": 1},\n {"a": [\nNaN]}]', "f:3: [1].a[0]: NaN is not JSON (use null or a number)"),
        ('[1, {"a":\n"\\ud83d"}]', "f:2: [1]: holds half a surrogate pair"),
        ("[1,\n" + "[" * 250 + "]" * 250 + "]", "f:2: [1]: nested deeper than 200 levels (flatten it)"),
    ],
)
def test_damage_is_told_at_its_line_and_path(text, problem):
    source, problems = InBlocks(text, 7), Problems()
    entries = Entries(source)
    for line, each in entries:
        parsed_entry(source, entries, line, each, problems)
    (found,) = problems.found()
    assert str(found).startswith(problem)


def test_what_is_no_text_is_told_where_it_stands():
    source, problems = InBlocks(b'[{"a": 1},\n {"a":\n "\xff"}, {"a": 2}]', 5), Problems()
    entries = Entries(source)
    assert [parsed(source, each, line, problems)[1] for line, each in entries] == [False, True, False]
    (found,) = problems.found()
    assert str(found).startswith("f:3: is not UTF-8")


@pytest.mark.parametrize(
    "text", ['[{"a": "' + "x" * 2000 + '"}]', '[{"a": "never closed' + ', "b": 1} ' * 300, '["' + "x" * 2000 + '"]']
)
def test_what_goes_on_too_long_is_refused(monkeypatch, text):
    for module in (json_entries, passage):
        monkeypatch.setattr(module, "LINE_LIMIT", 1024)
    goes_on = r"what begins here \(column 2\) goes on for more than 0 MB; close it, or split the row"
    told = rf"^f:1: \[0\]: (a row longer than 0 MB; split the row|{goes_on})$"
    with pytest.raises(UsageError, match=told):
        list(Entries(InBlocks(text, 50)))


def test_more_lists_and_objects_than_are_read_at_once_are_told_soon(monkeypatch):
    monkeypatch.setattr(json_entries, "OPEN_LIMIT", 1000)
    entries = Entries(InBlocks('[{"a": [' + "[]," * 5000, 64))
    ((_, text),) = entries
    assert len(text) < 4000  # the rest is not looked at


def test_what_is_beside_the_rows_is_bounded(monkeypatch):
    monkeypatch.setattr(json_entries, "DOCUMENT_LIMIT", 1000)
    with pytest.raises(UsageError, match=r"^f:2: what is beside the rows is larger than 0 MB; no document holds as much$"):
        list(Entries(InBlocks('{"data": [1],\n' + '"a": 1, ' * 5000, 64), PLACES))


@pytest.mark.parametrize("text", ["{}", "", "x", '{"data": 1}', '{"data": {"data": []}}', '"data": []', '[{"data": [1]}]'])
def test_where_there_is_no_list_all_is_the_rest(text):
    entries = Entries(InBlocks(text, 3), PLACES)
    assert (list(entries), entries.found, entries.rest) == ([], {}, text.encode())


@pytest.mark.parametrize(
    ("text", "rest", "is_damaged"),
    [
        ('{"x": [1, }, 2', '{"x": [1, }, 2', False),
        ('{"x": [1, }' + "2" * 500, '{"x": [1, }' + "2" * 100, False),
        ('{"data": [1], "x": ["y', '{"data": [], "x": ["y', False),
        ('{"data": [1]', '{"data": []', False),
        ('{"data": [1]}]', '{"data": []}]', False),
        ('{"data": [1', '{"data": []}', True),
        ('{"x": 1, "data": [1 2], "y": 2}', '{"x": 1, "data": []}', True),
        ('{"x": ?, "a": {"b": {"y": 3, "c": [1, ], "z": 1', '{"x": ?, "a": {"b": {"y": 3, "c": []}}}', True),
    ],
)
def test_the_rest_is_damaged_where_the_document_is_and_whole_before_a_damaged_list(text, rest, is_damaged):
    entries = Entries(InBlocks(text, 3), PLACES)
    list(entries)
    assert (entries.rest, entries.is_damaged) == (rest.encode(), is_damaged)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('[{"a": "b,"c":"d"}\n, {"e": 1}]', [1]),
        ('[{"a" 1}\n {"b": 1}]', [1]),
        ('[{"a" 1},\n {"b": 1}\n {"c": 2}]', [1, 3]),
        ('[{"a" 1},\n {"b" 1},\n {"c": 2}\n {"c": 2}]', [1, 2, 4]),
        ('[{"a": 1}\n {"b": 1}]', [2]),
    ],
)
def test_damage_that_may_come_of_an_entry_is_not_told_beside_that(text, lines):
    source, problems = InBlocks(text, 7), Problems()
    entries = Entries(source)
    for line, each in entries:
        parsed_entry(source, entries, line, each, problems)
    assert [problem.line for problem in problems.found()] == lines


def test_a_document_is_no_list_though_one_follows():
    entries = Entries(InBlocks("{} [1]", 3))
    assert (list(entries), entries.rest) == ([], b"{} [1]")
