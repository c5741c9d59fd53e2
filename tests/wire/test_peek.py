"""Formats are told apart by what a file begins with, whole or cut."""

from __future__ import annotations

import json

import pytest

from vivavoce.core.source import HEAD, Source
from vivavoce.formats._native.shapes import Row
from vivavoce.wire.peek import NATIVE_ROW, block_names, holds_native_rows, names, names_in_list, opening


def test_the_native_keys_are_those_of_the_native_shape():
    assert frozenset(Row.__struct_fields__) == NATIVE_ROW


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": {"b": 1}, "c": [{"d": 2}]}', {"a", "c"}),
        ('{"a": 1}\n{"b": 2}', {"a"}),
        ('{"a": "cut', {"a"}),
        ('{"a": {"b": {', {"a"}),
        ("{a: 1, b: [c, {d: 2}]}", {"a", "b"}),
        ("{}", set()),
        ("[{}]", set()),
        ("text", set()),
        ("", set()),
    ],
)
def test_names_at_the_root(text, found):
    assert names(text) == found


def test_names_of_a_block():
    text = "# c: d\n---\nsuite: x\n'cases':\n  - input: y\n\"about\" : {}\nkey with space: 1\nurl:nospace\n- item: 1\n"
    assert block_names(text) == {"suite", "cases", "about", "key with space"}


@pytest.mark.parametrize(
    ("text", "native"),
    [
        ('{"input": "x"}', True),
        ('{"turns": [{"prompt": "x"}]}', True),
        ('{"persona": {}, "id": "a"}', True),
        ('{"input": "x", "expceted": "y"}', True),
        ('{"inptu": "x"}', True),
        ('{"inptu": "x", "expected": "y"}', True),
        ('{"inptu": "x", "colour": "red"}', False),
        ('{"input": "x\u2028y\x85z", "expected": "\x0b\x1c"}', True),
        ('{"input": "x", "colour": "red"}', False),
        ('{"expected": "x"}', False),
        ('{"query": "x", "response": "y"}', False),
        ('{"scenario_id": "x", "turns": []}', False),
        ('{"input": "x"}\n{"input": "y", "colour": 1}\n{"input": "z"}', True),
        ('{"input": "x"}\n{"input": "y", "colour": 1}', True),
        ('{"input": "x", "colour": 1}\n{"input": "y"}', False),
        ('broken\n{"input": "x"}', True),
        ('{"input": "cut off here', True),
        ("", False),
        ("{}", False),
    ],
)
def test_native_rows(text, native):
    assert holds_native_rows(text) is native


def test_more_is_looked_at_when_the_first_line_is_long(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"metadata": {"x": "' + "y" * 2 * HEAD + '"}, "input": "z"}\n')
    assert holds_native_rows(opening(Source(path)))


@pytest.mark.parametrize("indent", [None, 1])
def test_more_is_looked_at_when_the_first_entry_of_a_list_is_long(tmp_path, indent):
    path = tmp_path / "a.json"
    for first in (2 * HEAD, HEAD // 8):
        path.write_text(json.dumps([{"metadata": "y" * first, "input": "z"}] * 20, indent=indent))
        text = opening(Source(path))
        assert names_in_list(text) == ({"metadata", "input"}, True)
        assert (len(text) > HEAD) is (first > HEAD)


def test_names_in_a_list_are_those_of_its_first_entries():
    rows = [{"a": {"b": 1}}] * 49 + [{"c": 1}] + [{"d": 1}, 7]
    assert names_in_list(json.dumps(rows)) == ({"a", "c"}, True)
    assert names_in_list(json.dumps({"spans": [*rows[:2], [{"e": 1}], 5], "x": [{"f": 1}]}), "spans") == ({"a"}, False)
