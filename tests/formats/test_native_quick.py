"""The quick way to read a line of native JSON reads what the thorough one reads, or leaves it to that."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.formats._native.rows import quick
from vivavoce.wire import json_text
from vivavoce.wire.peek import NATIVE_ROW

KEYS = st.sampled_from([*sorted(NATIVE_ROW), "suite", "cases", "goal", "role", "content", "text", "tool_calls", "expcted"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 20)
    | st.sampled_from(["", " ", "x", "extend", "replace", "user", "ExactMatch"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


@given(VALUES, st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]))
def test_the_quick_way_reads_what_the_thorough_one_reads(value, ascii_only, separators):
    line = json.dumps(value, ensure_ascii=ascii_only, separators=separators)
    made = quick(line.encode())
    assert made == (value if isinstance(value, dict) else None)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", 'a":"', "é"]),
            st.sampled_from(['"x"', '"\\"a\\": 1"', "1", '{"a": 1}', '{"a": 1, "a": 2}']),
        )
    )
)
def test_the_quick_way_never_loses_a_name(members):
    text = "{" + ", ".join(f"{json.dumps(name)}: {value}" for name, value in members) + "}"
    problems = Problems()
    value = json_text.parse(Source("f"), text, problems, line=1)
    made = quick(text.encode())
    assert made is None or (made == value and problems.total == 0)


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": 1e999}',
        b'{"a": "\\ud800"}',
        b'{"a": "\xff"}',
        b'{"a": NaN}',
        b"[1]",
        b"null",
        b"",
        b'{"a": 1} {}',
        b'{"a":' * 250 + b"1" + b"}" * 250,
    ],
)
def test_the_quick_way_leaves_what_is_odd_to_the_thorough_one(line):
    assert quick(line) is None
