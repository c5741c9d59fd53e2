"""Whatever stands in rows, at each level and with any mapping: problems, or cases that are sound; and cells stay verbatim."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.core import codec
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Case
from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.formats._foundry.columns import STANDARD, WILD, meant
from vivavoce.formats.foundry import Foundry

NAMES = st.sampled_from(
    sorted({*STANDARD, *WILD, "evaluators", "data", "role", "content", "type", "text", "name", "arguments", "item"})
)
WORDS = st.sampled_from(
    ["user", "assistant", "tool", "tool_call", "tool_result", "text", "Open?", "", "{", '[{"a": 1}]', "{{item.query}}"]
)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS | st.text(max_size=5)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=15
)
ROWS = st.lists(st.dictionaries(NAMES, VALUES, max_size=5), min_size=1, max_size=3)
QUIET = settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])


def check(path, **options) -> None:
    problems = Problems()
    source = Source(path)
    try:
        Foundry().matches(source)
        suite = Foundry(**options).read(source, problems)
        cases = list(suite.cases)
    except UsageError:
        return
    for problem in problems.found():
        assert problem.message
    for case in cases:
        assert codec.decode(codec.encode(case), Case) == case
    if not problems.total:
        out = io.StringIO()
        assert Foundry().write(suite, out) == ()


@QUIET
@given(rows=ROWS, level=st.sampled_from([None, "turn", "conversation"]), mapped=st.none() | st.tuples(NAMES, NAMES))
def test_any_rows(tmp_path, rows, level, mapped):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    check(path, level=level, map={mapped[0]: mapped[1]} if mapped else {})


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=10)


@QUIET
@given(
    rows=st.lists(st.tuples(CELLS.filter(str.strip), CELLS, CELLS), min_size=1, max_size=4), delimiter=st.sampled_from(",;\t")
)
def test_any_cells_come_back_verbatim(tmp_path, rows, delimiter):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerows([("query", "response", "note"), *rows])
    path = tmp_path / "a.csv"
    path.write_bytes(out.getvalue().encode())
    problems = Problems()
    cases = list(Foundry().read(Source(path), problems).cases)
    assert problems.found() == ()
    found = [(case.turns[0].input, case.turns[0].reply.text, case.metadata["note"]) for case in cases]
    assert found == rows


@given(name=st.sampled_from(sorted(STANDARD)), at=st.integers(0, 20), letter=st.sampled_from("xq"))
def test_one_slip_of_a_long_name_is_seen_whatever_it_is(name, at, letter):
    at %= len(name)
    assert meant(name) == name
    if len(name) >= 5:
        for slip in (name[:at] + letter + name[at:], name[:at] + letter + name[at + 1 :], name[:at] + name[at + 1 :]):
            assert meant(slip) is not None


@pytest.mark.parametrize("name", sorted(WILD))
def test_a_name_met_in_the_wild_is_no_slip(name):
    assert meant(name) is None


@pytest.mark.parametrize("kind", [{"a": 1}, [1], [], 3, None, True])
@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
def test_content_of_a_kind_that_is_no_text_is_told_at_its_place(tmp_path, role, kind):
    path = tmp_path / "a.jsonl"
    messages = [{"role": role, "content": [{"type": kind, "text": "x"}]}, {"role": "user", "content": "Open?"}]
    path.write_text(json.dumps({"messages": messages}), encoding="utf-8")
    problems = Problems()
    list(Foundry().read(Source(path), problems).cases)
    assert role == "tool" or next(problem.path for problem in problems.found()).startswith("messages[0].content[0]")
