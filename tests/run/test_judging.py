"""Evidence to scores: who passes, what is stamped on, whom it cost what, and what a judge that fails makes of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy
import pytest
from conftest_models import KEY, hangs, refuses, says

from vivavoce.core import codec
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Check, Expectation, Turn, Use
from vivavoce.core.reply import Citation, Reply
from vivavoce.core.result import USAGE, Score, Verdict
from vivavoce.run.calls import Calls, Limits
from vivavoce.run.checks import Checks
from vivavoce.run.examiner import examiner
from vivavoce.run.judging import Bench, storable

GOOD = {"reason": "It says when.", "score": 4}


def evidence(text: str = "At nine.", expected: str | None = None, **more) -> Evidence:
    turn = Turn(input="When do you open?", expect=Expectation(response=expected))
    return Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=Reply(text=text, **more))


def bench(judge: str = "none", **options) -> Bench:
    calls = Calls(Limits(retries=1), phase="judge", timeout=None, idempotent=True)
    return Bench(checks=Checks((), (), folder=Path()), use=Use(name=judge, options=options), calls=calls)


async def score(name: str, of: Evidence, by: Bench | None = None, /, *, deadline=None, **check) -> Score:
    by = by or bench()
    try:
        (score,) = await by.scores(Check(evaluator=name, **check), of, deadline)
        return score
    finally:
        await by.close()


def judge(models, *answers) -> Bench:
    return bench("openai", model="tutor", base_url=models(*answers), api_key=KEY)


@pytest.mark.parametrize(
    ("name", "threshold", "of", "value"),
    [
        ("PartialMatch", 0.5, evidence("a b", "b c"), 0.5),
        ("Citations", 2, evidence("so [1] and [2]"), 2),
    ],
)
async def test_a_score_equal_to_the_threshold_passes(name, threshold, of, value):
    at = await score(name, of, options={"threshold": threshold})
    above = await score(name, of, options={"threshold": threshold + (0.01 if threshold < 1 else 1)})
    assert (at.status, at.value, at.threshold) == ("pass", value, threshold)
    assert (above.status, above.value) == ("fail", value)


async def test_what_takes_long_is_examined_beside_the_loop():
    rows = tuple({"n": n} for n in range(2000))
    turn = Turn(input="q", expect=Expectation(rows=rows))
    large = Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=Reply(rows=rows))
    by, ticks = bench(), 0
    examining = asyncio.ensure_future(by.scores(Check(evaluator="RowComparison"), large, None))
    while not examining.done():
        await asyncio.sleep(0)
        ticks += 1
    assert ticks > 2, "the loop went on meanwhile"
    (done,) = examining.result()
    assert done.status == "pass"
    (late,) = await by.scores(Check(evaluator="RowComparison"), large, 0.0)
    assert (late.status, late.judge, late.reason) == ("error", None, "not judged within the time limit of the case")
    await by.close()


@pytest.mark.parametrize(("grade", "status", "unit"), [(1, "fail", 0.0), (2, "fail", 0.25), (3, "pass", 0.5), (5, "pass", 1.0)])
async def test_a_grade_equal_to_the_threshold_passes_and_has_its_unit_value(models, grade, status, unit):
    made = await score("Relevance", evidence(), judge(models, says({"reason": "r", "score": grade})))
    assert (made.status, made.value, made.unit_value, made.threshold) == (status, grade, unit, 3)


@pytest.mark.parametrize(("count", "unit"), [(0, 0.0), (1, 0.5), (2, 1.0), (3, 1.0)])
async def test_a_count_without_upper_end_is_measured_by_its_threshold(count, unit):
    text = " ".join(f"[{n + 1}]" for n in range(count)) or "none"
    cited = tuple(Citation(index=n + 1, text="t", source="s") for n in range(count))
    made = await score("Citations", evidence(text, citations=cited), options={"threshold": 2})
    assert (made.value, made.unit_value) == (count, unit)


async def test_where_less_is_better_the_threshold_is_the_most_that_passes():
    from dataclasses import replace

    from vivavoce.run.judging import _scored

    examiner = replace(Checks((), (), folder=Path()).examiner(Check(evaluator="PartialMatch")), lower_is_better=True)
    made = [_scored(examiner, Verdict(value=value, reason="r"), None, None) for value in (0.25, 0.5, 0.75)]
    assert [(each.status, each.unit_value, each.details["better"]) for each in made] == [
        ("pass", 0.75, "lower"),
        ("pass", 0.5, "lower"),
        ("fail", 0.25, "lower"),
    ]


async def test_the_name_of_the_check_and_the_kind_of_the_evaluator_are_stamped_on():
    made = await score("exact_match", evidence("a", "a"), name="to the letter")
    assert (made.name, made.evaluator) == ("to the letter", "ExactMatch")
    assert (made.rubric, made.judge) == (None, None)
    assert (await score("exact_match", evidence("a", "a"))).name == "ExactMatch"


async def test_a_judged_score_says_by_whom_by_which_rubric_and_at_what_cost(models):
    made = await score("Relevance", evidence(), judge(models, says(GOOD)))
    assert made.judge == "openai:tutor"
    assert made.rubric.startswith("Relevance")
    assert made.details[USAGE]["calls"] == 1
    assert made.details[USAGE]["input_tokens"] == 100
    assert made.reason == "It says when."


async def test_an_answer_that_had_to_be_asked_for_again_costs_twice(models):
    made = await score("Relevance", evidence(), judge(models, says("perhaps"), says(GOOD)))
    assert made.status == "pass"
    assert made.details[USAGE] == {"calls": 2, "input_tokens": 200, "output_tokens": 40}


async def test_a_judge_that_stays_off_its_scale_is_an_error_and_never_a_number(models):
    made = await score("Relevance", evidence(), judge(models, says({"reason": "r", "score": 7})))
    assert (made.status, made.value, made.unit_value) == ("error", None, None)
    assert made.reason.startswith("the judge failed: ")
    assert made.judge == "openai:tutor"
    assert made.details[USAGE]["calls"] == 2, "what was paid for is counted all the same"


async def test_a_judge_that_refuses_is_an_error_that_says_so(models):
    made = await score("Relevance", evidence(), judge(models, refuses(401, "wrong key")))
    assert (made.status, made.value) == ("error", None)
    assert "wrong key" in made.reason


async def test_a_judge_that_never_answers_is_given_up_with_the_case(models):
    import asyncio

    made = await score("Relevance", evidence(), judge(models, hangs), deadline=asyncio.get_running_loop().time() + 0.2)
    assert (made.status, made.reason) == ("error", "not judged within the time limit of the case")


class Impatient:
    """Waits for something of its own, and gives it up."""

    scale = (0, 1)

    def score(self, evidence):
        raise TimeoutError("the dictionary did not answer")


class Waiting(Impatient):
    async def score(self, evidence, ask):
        async with asyncio.timeout(0):
            await asyncio.sleep(3600)


@pytest.mark.parametrize("limit", [None, 60])
@pytest.mark.parametrize("made_of", [Impatient, Waiting])
async def test_a_time_limit_of_an_evaluators_own_is_its_own_error(made_of, limit):
    check = Check(evaluator="ExactMatch")
    of = replace(examiner(check, Path()), evaluator=made_of(), asks=made_of is Waiting, at_once=False)
    deadline = None if limit is None else asyncio.get_running_loop().time() + limit
    made = await bench()._examine(of, check, evidence("a", "a"), deadline)
    assert made.status == "error"
    assert made.reason.startswith("the evaluator failed: TimeoutError: ")


async def test_no_judge_is_a_skip_with_the_way_out():
    made = await score("Relevance", evidence())
    assert (made.status, made.value) == ("skip", None)
    assert "--judge" in made.reason


@pytest.mark.parametrize(("origin", "status"), [("item", "error"), ("file", "skip"), ("run", "skip"), ("default", "skip")])
async def test_what_is_missing_is_named_and_weighs_by_who_asked(origin, status):
    made = await score("ExactMatch", evidence("a"), origin=origin)
    assert (made.status, made.value) == (status, None)
    assert "expected" in made.reason


async def test_an_evaluator_sees_what_it_is_given_and_no_more():
    seen = await score("ExactMatch", evidence("a", "a"), given={"expected": "b"}, sees=("response",))
    assert seen.status == "fail"
    hidden = await score("ExactMatch", evidence("a", "a"), given={}, sees=("response",), origin="item")
    assert hidden.status == "error"
    assert hidden.reason.endswith("`ground_truth`), and what is mapped to it holds none")
    lacking = await score("ExactMatch", evidence("a"), given={"input": "q"}, sees=("response", "expected"))
    assert lacking.reason.endswith("`ground_truth`), and there is none")


async def test_half_a_character_in_a_reason_costs_nothing_else(models):
    given = storable(await score("Relevance", evidence(), judge(models, says('{"score": 5, "reason": "\\ud800 it answers"}'))))
    assert (given.status, given.value, given.reason) == ("pass", 5, "? it answers")
    assert given.details[USAGE]["calls"] == 1
    assert codec.decode(codec.encode(given), Score) == given


class Odd:
    """An evaluator of other people."""

    def __init__(self, says):
        self.says = says

    def score(self, evidence: Evidence) -> Verdict:
        if isinstance(self.says, BaseException):
            raise self.says
        return self.says


async def said(says) -> Score:
    by, check = bench(), Check(evaluator="ExactMatch")
    odd = replace(examiner(check, Path()), evaluator=Odd(says), threshold=0.5)
    await by.close()
    return by.now(odd, check, evidence())


@pytest.mark.parametrize(
    ("value", "stored"),
    [(True, 1.0), (Decimal("0.75"), 0.75), (Fraction(1, 2), 0.5), (numpy.float32(1), 1.0), (1, 1), (0.5, 0.5)],
)
async def test_a_value_is_stored_as_a_number(value, stored):
    score = await said(Verdict(value=value, unit_value=value, reason="r"))
    assert (score.status, score.value, score.unit_value) == ("pass", stored, stored)
    assert codec.decode(codec.encode(score), Score) == score


@pytest.mark.parametrize("value", [1j, "1", [1], object(), Decimal("NaN"), Decimal("sNaN"), float("inf"), 10**400])
@pytest.mark.parametrize("part", ["value", "unit_value"])
async def test_what_is_no_number_is_an_error_of_its_score(value, part):
    score = await said(Verdict(**{"value": 1.0, "reason": "r", part: value}))
    assert (score.status, score.value) == ("error", None)
    assert "the evaluator" in score.reason


async def test_a_reason_and_a_label_are_stored_as_text():
    score = await said(Verdict(value=1, reason=None, label=7))
    assert (score.reason, score.label) == ("", "7")
    assert codec.decode(codec.encode(score), Score) == score


@pytest.mark.parametrize("mistake", [asyncio.CancelledError(), SystemExit(5), MemoryError(), KeyError("x")])
async def test_whatever_an_evaluator_lets_out_is_an_error_of_its_score(mistake):
    score = await said(mistake)
    assert score.status == "error"
    assert type(mistake).__name__ in score.reason


async def test_an_evaluator_that_waits_and_ends_the_program_is_an_error_of_its_score():
    class Ending:
        async def score(self, evidence, ask):
            raise SystemExit(5)

    by, check = bench(), Check(evaluator="ExactMatch")
    ending = replace(examiner(check, Path()), evaluator=Ending(), asks=True, at_once=False)
    score = await by._examine(ending, check, evidence(), None)
    assert score is not None
    assert (score.status, "SystemExit: 5" in score.reason) == ("error", True)
    await by.close()
