"""No text whatever makes the native reader fail in another way than by saying what is wrong."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vivavoce.core.errors import UsageError
from vivavoce.core.model import Case
from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.formats._native.rows import quick
from vivavoce.formats.native import Native
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
ROWS = st.dictionaries(KEYS, VALUES, max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def read(folder, content: bytes, name: str, *, lenient: bool) -> tuple[list[Case], Problems]:
    path = folder / name
    path.write_bytes(content)
    problems = Problems(lenient=lenient)
    Native().matches(Source(path))
    suite = Native().read(Source(path, name), problems)
    cases = list(suite.cases)
    total = problems.total
    assert list(suite.cases) == cases
    assert problems.total == total
    problems.found()
    return cases, problems


@given(rows=st.lists(ROWS, min_size=1, max_size=4), lenient=st.booleans())
def test_any_rows(folder, rows, lenient):
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    cases, problems = read(folder, content, "a.jsonl", lenient=lenient)
    assert len(cases) == len(rows) or problems.total
    assert all(problem.line for problem in problems.found())


@given(top=ROWS, cases=st.lists(ROWS, max_size=3) | VALUES, name=st.sampled_from(["a.json", "a.yaml"]), lenient=st.booleans())
def test_any_document(folder, top, cases, name, lenient):
    document = {**top, "suite": "s", "cases": cases}
    found, problems = read(folder, json.dumps(document, indent=1).encode(), name, lenient=lenient)
    assert found or problems.total
    assert all(problem.line for problem in problems.found())


@given(
    content=st.binary(max_size=60) | st.text('{}[]":,\\ninputsuecaxy0-1 \n\t#&*!|', max_size=80).map(str.encode),
    name=st.sampled_from(["a.jsonl", "a.json", "a.yaml", "a"]),
)
@example(content=b'{"input": "x"}\n{\n', name="a.jsonl")
@example(content=b"suite: &a\n  - *a", name="a.yaml")
@example(content=b'{"suite": "s", "cases": [1, null, [], "x"]}', name="a.json")
def test_any_bytes(folder, content, name):
    try:
        read(folder, content, name, lenient=False)
    except UsageError as error:
        message = str(error)
    else:
        message = name
    assert name in message


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
