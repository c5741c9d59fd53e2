"""Rows that are counted without a case of each, or read in parts, are the same rows, with the same said of them."""

from __future__ import annotations

import json
from collections import Counter
from itertools import cycle, islice, repeat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.formats._foundry.plain import COLUMNS
from vivavoce.formats.foundry import Foundry

TEXTS = st.sampled_from(["When do you open?", "At nine.", 'a: "b": c', "x : y", "", "  ", "#1", "Ω é", "\\u0000\t"])
VALUES = TEXTS | st.none() | st.just(7) | st.just([{"role": "user", "content": "Hello?"}])
PLAIN = st.fixed_dictionaries({"query": TEXTS}, optional=dict.fromkeys(sorted(COLUMNS - {"query", "id"}), TEXTS))
ANY = st.dictionaries(st.sampled_from([*sorted(COLUMNS), "category", "truth"]), VALUES, max_size=6)
ROWS = st.lists(PLAIN | ANY, min_size=1, max_size=12)
SPACES = st.sampled_from([(", ", ": "), (",", ":"), (" , ", " : "), (", ", "\t:")])
LAYOUTS = st.sampled_from(
    [
        ("a.jsonl", "", "\n", "\n"),
        ("a.jsonl", "[", ",", "]"),
        ("a.json", '{"evaluators": ["f1_score", "coherence"], "evaluation_level": "turn", "data": [', ",\n", "]}"),
    ]
)
QUIET = settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])


def cases_of(path: Path, live: bool | None = None):
    problems = Problems()
    return Foundry(live=live).read(Source(path, path.name), problems).cases, problems


def written(folder: Path, rows, spaces, layout) -> Path:
    name, opens, between, closes = layout
    path = folder / name
    path.write_text(opens + between.join(json.dumps(row, separators=spaces) for row in rows) + closes, encoding="utf-8")
    return path


def told(problems: Problems) -> tuple[list[str], list[str]]:
    return [str(each) for each in problems.found()], [str(each) for each in problems.warnings]


def kind(case) -> tuple[object, ...]:
    """What cases of a kind have in common."""
    (turn,) = case.turns
    return (
        tuple(check.evaluator for check in turn.checks),
        turn.context is None,
        turn.expect.response is None,
        turn.reply is None,
    )


@QUIET
@given(rows=ROWS, spaces=SPACES, layout=LAYOUTS, live=st.sampled_from([None, True, False]))
def test_rows_counted_by_kinds_are_all_rows(tmp_path, rows, spaces, layout, live):
    path = written(tmp_path, rows, spaces, layout)
    cases, problems = cases_of(path, live)
    each = list(cases)
    again, found = cases_of(path, live)
    counted = list(again.kinds())
    assert told(found) == told(problems)
    assert sum(times for _, times in counted) == len(each)
    both = Counter(), Counter()
    for case in each:
        both[0][kind(case)] += 1
    for case, times in counted:
        both[1][kind(case)] += times
    assert both[0] == both[1]
    assert [case for case, _ in counted if case.turns[0].reply is None] == [
        case for case in each if case.turns[0].reply is None
    ]


@QUIET
@given(rows=ROWS, spaces=SPACES, layout=LAYOUTS, of=st.integers(1, 3), size=st.integers(1, 4))
def test_parts_are_the_whole(tmp_path, rows, spaces, layout, of, size):
    rows = [{**row, "id": f"row {number}"} for number, row in enumerate(rows)]  # each part knows only its own ids
    path = written(tmp_path, rows, spaces, layout)
    cases, problems = cases_of(path)
    whole = list(cases)
    if problems.total:
        return  # nothing is read in parts that was not found to be in order
    found = []
    for index in range(of):
        part, _ = cases_of(path)
        turns = (each for turn in cycle(range(of)) for each in repeat(turn == index, size))
        found.append(list(part.part(turns)))
    assert [len(part) for part in found] == [len(whole)] * of
    assert [next(case for case in row if case is not None) for row in zip(*found, strict=True)] == whole
    assert all(sum(case is not None for case in row) == 1 for row in zip(*found, strict=True))


def test_what_says_which_rows_are_wanted_goes_on_from_file_to_file(tmp_path):
    wanted = cycle([True, False])
    found = []
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text('{"query": "x", "response": "y"}\n' * 3)
        found += [case is not None for case in cases_of(tmp_path / name)[0].part(wanted)]
    assert found == list(islice(cycle([True, False]), 6))


@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("gap", ["", " ", "\t", "  "])
def test_a_name_given_twice_is_told_however_it_is_written(tmp_path, gap, first):
    path = tmp_path / "a.jsonl"
    plain = '{"query": "x", "response": "y"}\n'
    path.write_text(plain * (first - 1) + f'{{"query": "x", "response": "y", "response"{gap}: "z"}}\n' + plain)
    cases, problems = cases_of(path)
    list(cases.kinds())
    assert [each.line for each in problems.found()] == [first]
    assert "response" in str(problems.found()[0])
