"""JSON read strictly, and everything wrong in it told at its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.wire.json_text import COMMA_LIMIT, DEPTH_LIMIT, OPEN_LIMIT, crowded, parse, too_deep

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


def read(text: str, line: int = 1):
    problems = Problems()
    value = parse(Source("f"), text, problems, line=line)
    return value, [str(problem) for problem in problems.found()]


@given(JSON, st.sampled_from([None, 2]), st.booleans())
def test_valid_json_is_read_as_json_reads_it(value, indent, ascii_only):
    assert read(json.dumps(value, indent=indent, ensure_ascii=ascii_only)) == (value, [])


@given(st.text('{}[]":,\\0e.-un\ntrd8 ', max_size=30))
def test_any_text_gives_a_value_or_a_problem(text):
    value, problems = read(text)
    assert value is not None or problems or text.strip() == "null"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "f:1: is not valid JSON: there is nothing where a value belongs (column 1)"),
        ('{\n "a": }', "f:2: is not valid JSON: a value belongs here, not } (column 7)"),
        ('{"a": 1}}', "f:1: is not valid JSON: } closes what is not open (column 9)"),
        ('{"a": 1,}', "f:1: is not valid JSON: a comma stands before }, and nothing follows it; leave it out (column 8)"),
        ("[1,\nNaN]", "f:2: [1]: NaN is not JSON (use null or a number)"),
        ('{"a":\n{"b": -Infinity}}', "f:2: a.b: -Infinity is not JSON (use null or a number)"),
        ('{"a": [0, 1e999]}', "f:1: a[1]: 1e999 is too large a number (use null or a number)"),
        ("[" + "9" * 5000 + "]", "f:1: [0]: a number of 5000 digits is too long (use null or a number)"),
        ('{"a": 1, "b": 2,\n"a": 3}', 'f:2: a: "a" is given twice in one object (keep one)'),
        ('{"": 1, "": 2}', 'f:1: "" is given twice in one object (keep one)'),
        ('{"a": "x",\n"b": "\\ud83d"}', "f:2: holds half a surrogate pair, \\ud83d, which is no character"),
        ('["\\udc4b\\ud83d"]', "f:1: holds half a surrogate pair, \\udc4b, which is no character"),
        ("[\n" * 300 + "]" * 300, f"f:{DEPTH_LIMIT + 1}: nested deeper than {DEPTH_LIMIT} levels (flatten it)"),
    ],
)
def test_what_is_wrong_is_told_at_its_line_and_path(text, problem):
    assert read(text)[1] == [problem]
    first = problem.partition(": ")[2]
    assert read(text.replace("\n", " "), line=77)[1][0].startswith("f:77: " + first[:10])


def test_a_doubled_name_is_told_where_it_is_doubled_not_where_it_recurs():
    text = '{"items": [\n{"p": 1, "q": {"p": 2}},\n{"p": 1},\n{"q": 1, "p": 2,\n "p": {"x": 1, "x": 2}}]}'
    assert read(text)[1] == ['f:5: items[2].p: "p" is given twice in one object (keep one)']


def test_a_name_with_a_dot_is_not_taken_for_a_path():
    assert read('{"a.b": 1, "a": {"b": 2}}') == ({"a.b": 1, "a": {"b": 2}}, [])


def test_all_that_can_be_read_on_after_is_reported():
    assert len(read('{"a": 1, "a": NaN, "b": {"c": 1e999, "d": "\\ud800"}}')[1]) == 4


@pytest.mark.parametrize("text", ['"\\ud83d\\udc4b"', '"\\\\ud800"', '"\\u00e9"'])
def test_whole_pairs_and_escaped_backslashes_are_fine(text):
    assert read(text) == (json.loads(text), [])


def test_depth_counts_brackets_outside_of_text():
    assert not too_deep('["' + "[" * 500 + '"]')
    assert not too_deep("[]" * 500)
    assert not too_deep("[" * DEPTH_LIMIT)
    assert too_deep("[" * (DEPTH_LIMIT + 1))
    assert too_deep('{"a\\"": ' * (DEPTH_LIMIT + 1))
    assert not too_deep('"' + '[\\"' * 200_000)


def test_more_values_than_memory_holds_are_told_without_building_them():
    for text in ("[" + "{}," * OPEN_LIMIT + "1]", "[" + "1," * (COMMA_LIMIT + 1) + "1]"):
        value, (problem,) = read(text, line=3)
        assert value is None
        assert problem.startswith("f:3: holds millions of values")


def test_marks_within_a_text_are_no_values():
    assert not crowded('["' + "[" * (OPEN_LIMIT + 1) + '"]')
    assert not crowded('["' + "," * (COMMA_LIMIT + 1) + '"]')
