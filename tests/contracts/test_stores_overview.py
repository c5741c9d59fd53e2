"""What every store tells without reading transcripts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from conftest_contracts import HEADER, make_error, make_result, make_trial

from vivavoce.core.errors import StoreError
from vivavoce.core.kept import keep
from vivavoce.core.model import Revision
from vivavoce.core.overview import Wanted
from vivavoce.core.result import GroupSummary, Result, Score, Summary


def failed(number: int, **changes: Any) -> Result:
    score = Score(name="ExactMatch", evaluator="ExactMatch", status="fail", value=0.0, unit_value=0.0, reason="differs")
    result = make_result(make_trial(number))
    return replace(result, status="fail", turns=(replace(result.turns[0], scores=(score,)),), **changes)


async def fill(store: Any, run_id: str, results: list[Result], *, ends: bool = True, header: Any = HEADER) -> None:
    store.begin(run_id, "2026-01-31T12:00:00Z", header)
    for result in results:
        await store.append(run_id, [keep(result, make_trial(result.position).case)])
    if ends:
        group = GroupSummary(cases=len({result.case for result in results}))
        store.finish(run_id, "2026-01-31T12:00:01Z", "complete", Summary(suites={"a": group} if results else {}))


def passed(*numbers: int) -> list[Result]:
    return [make_result(make_trial(number)) for number in numbers]


async def test_a_suite_stands_as_in_its_last_run_that_ended(open_store: Any) -> None:
    store = open_store()
    assert list(store.suites()) == list(store.heads()) == list(store.history("a")) == []
    header = replace(HEADER, revision=Revision(commit="c0ffee", dirty=True))
    await fill(store, "r1", [*passed(0, 1, 2), failed(3)], header=header)
    await fill(store, "r2", [*passed(0), make_error(make_trial(1))])
    await fill(store, "r3", [failed(0)], ends=False)
    (state,) = open_store().suites()
    assert (state.suite, state.latest.run.id, state.change) == ("a", "r2", 0.25)
    assert state.latest.tally == GroupSummary(cases=2, passed=1, errored=1, pass_rate=1.0)
    history = store.history("a")
    assert [each.run.id for each in history] == ["r3", "r2", "r1"]
    assert [each.tally.pass_rate for each in history] == [0.0, 1.0, 0.75]
    assert [each.run.revision for each in history] == [None, None, Revision(commit="c0ffee", dirty=True)]
    assert [each.run.state for each in store.history("a", limit=1)] == ["running"]
    assert store.history("b") == []


async def test_a_run_that_its_process_left_without_a_word_is_interrupted(open_store: Any) -> None:
    writer, reader = open_store(), open_store()

    def states() -> set[str]:
        (state,), (head,), (point,) = reader.suites(), reader.heads(), reader.history("a")
        return {reader.run("r1").state, head.state, point.run.state, state.latest.run.state}

    await fill(writer, "r1", passed(0), ends=False)
    assert states() == {"running"}
    writer.close()
    assert states() == {"interrupted"}
    writer.begin("r1", "2026-01-31T12:00:00Z", HEADER)
    assert states() == {"running"}, "it is resumed"


async def test_a_run_under_way_is_told_of_as_far_as_it_came(open_store: Any) -> None:
    store = open_store()
    await fill(store, "r1", [], ends=False)
    (state,) = store.suites()
    assert (state.latest.run.state, state.latest.tally, state.before, state.change) == ("running", GroupSummary(), None, None)
    await fill(store, "r1", [*passed(0), make_error(make_trial(1))], ends=False)
    store.forget("r1", {("a", "case-1", 0)})
    (point,) = store.history("a")
    assert point.tally == GroupSummary(cases=1, passed=1, pass_rate=1.0)


async def test_a_suite_that_was_not_come_to_is_not_told_of(open_store: Any) -> None:
    await fill(open_store(), "r1", [])
    assert open_store().suites() == []
    assert [head.id for head in open_store().heads()] == ["r1"]


async def test_runs_are_told_of_with_whom_they_examined(open_store: Any) -> None:
    store = open_store()
    await fill(store, "r1", passed(0))
    await fill(store, "r2", passed(0))
    heads = store.heads()
    assert [head.id for head in heads] == ["r2", "r1"]
    assert (heads[0].target, heads[0].judge, heads[0].state, heads[0].finished) == (
        "python:a:b",
        "none",
        "complete",
        "2026-01-31T12:00:01Z",
    )
    assert [head.id for head in store.heads(limit=1)] == ["r2"]


async def test_runs_are_told_of_with_what_came_of_all_their_suites(open_store: Any) -> None:
    store = open_store()
    await fill(store, "r1", passed(0))
    await fill(store, "r2", [replace(each, suite=f"s{each.position}") for each in passed(0, 1)], ends=False)
    await fill(store, "r3", [])
    none, two, one = (head.tally for head in store.heads())
    assert none is None
    assert (two.cases, two.passed, two.failed, two.pass_rate) == (2, 2, 0, 1.0)
    assert (one.cases, one.passed) == (1, 1)
    assert store.heads(limit=2)[1].tally == two


async def test_repeats_are_trials_of_one_case(open_store: Any) -> None:
    results = [make_result(make_trial(0, repeat=repeat, position=repeat)) for repeat in range(3)]
    await fill(open_store(), "r1", results, ends=False)
    (point,) = open_store().history("a")
    assert (point.tally.cases, point.tally.passed) == (1, 3)


@pytest.mark.parametrize(
    ("wanted", "found", "count"),
    [
        (Wanted(), [0, 1, 2, 3, 4], 5),
        (Wanted(limit=2), [0, 1], 5),
        (Wanted(offset=3, limit=10), [3, 4], 5),
        (Wanted(offset=9), [], 5),
        (Wanted(status="fail"), [1, 3], 2),
        (Wanted(status="fail", limit=1, offset=1), [3], 2),
        (Wanted(evaluator="ExactMatch"), [0, 1, 2, 3], 4),
        (Wanted(evaluator="ExactMatch", status="fail"), [1, 3], 2),
        (Wanted(evaluator="Whole", status="skip"), [0, 1, 2, 3], 4),
        (Wanted(evaluator="Exact"), [], 0),
        (Wanted(evaluator="exactmatch"), [], 0),
        (Wanted(category="shop"), [2], 1),
        (Wanted(suite="b"), [], 0),
        (Wanted(suite="a", category="kb", status="error"), [4], 1),
        (Wanted(text="CASE-3"), [3], 1),
        (Wanted(text="äpfel"), [1], 1),
        (Wanted(text="100%"), [2], 1),
        (Wanted(text="_"), [], 0),
    ],
)
async def test_results_are_found_by_what_they_are(open_store: Any, wanted: Wanted, found: list[int], count: int) -> None:
    results = [
        *passed(0),
        failed(1, name="Wie viele ÄPFEL?"),
        replace(passed(2)[0], category="shop", name="100% sure"),
        failed(3),
        make_error(make_trial(4)),
    ]
    await fill(open_store(), "r1", results)
    page = open_store().page("last", wanted)
    assert ([row.position for row in page.rows], page.count) == (found, count)


async def test_a_row_tells_what_a_list_shows(open_store: Any) -> None:
    await fill(open_store(), "r1", [failed(0, name="Zero"), make_error(make_trial(1))])
    first, second = open_store().page("r1", Wanted()).rows
    assert (first.suite, first.case, first.repeat, first.name, first.category) == ("a", "case-0", 0, "Zero", "kb")
    assert (first.status, first.error, first.checks) == ("fail", None, {"ExactMatch": "fail", "Whole": "skip"})
    assert (second.name, second.status, second.error, second.checks) == (None, "error", "timeout", {})


async def test_the_worst_of_all_turns_is_told(open_store: Any) -> None:
    result = make_result(make_trial(0))
    (turn,) = result.turns
    scores = [replace(turn.scores[0], status=status) for status in ("pass", "error", "fail", "skip")]
    await fill(open_store(), "r1", [replace(result, turns=tuple(replace(turn, scores=(each,)) for each in scores))])
    (row,) = open_store().page("r1", Wanted()).rows
    assert row.checks == {"ExactMatch": "error", "Whole": "skip"}


async def test_one_trial_is_found_by_its_key(open_store: Any) -> None:
    store = open_store()
    await fill(store, "r1", passed(0, 1))
    await fill(store, "r2", passed(0, 1))
    sheet = store.sheet("r2", ("a", "case-1", 0))
    assert (sheet.result, sheet.case) == (make_result(make_trial(1)), make_trial(1).case)
    with pytest.raises(StoreError, match="no result of case case-7 in suite a, repeat 0"):
        store.sheet("r2", ("a", "case-7", 0))
    for ask in (lambda: store.sheet("r9", ("a", "case-1", 0)), lambda: store.page("r9", Wanted())):
        with pytest.raises(StoreError, match="no run r9"):
            ask()
