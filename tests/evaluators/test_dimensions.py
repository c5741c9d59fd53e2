"""Rubrics of a dataset's own: weighed dimensions, each put to the judge by itself."""

from __future__ import annotations

from typing import Any

import pytest

from vivavoce.core import plugins
from vivavoce.core.errors import Abstain, BadOptions, CallError, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Turn, Use
from vivavoce.core.reply import Reply
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric

PRICE = {"id": "price", "description": "Names the price.", "weight": 8}
TONE = {"id": "tone", "description": "Is polite.", "weight": 2, "always_applicable": True}


def evidence(text: str | None = "Forty crowns.") -> Evidence:
    turn = Turn(input="What is it?")
    return Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=Reply(text=text))


class Grades:
    """A judge that gives each criterion its grade, and keeps what it was asked."""

    def __init__(self, **grades: str) -> None:
        self.grades = grades
        self.prompts: dict[str, str] = {}

    async def __call__(self, rubric: Rubric, /, **fields: str) -> Verdict:
        name = "price" if "price" in fields["criterion"] else "tone"
        read = {"|".join(names): fields.get(names[0]) or evidence().text(names[0]) for names in rubric.fields}
        self.prompts[name] = rubric.fill(read)
        return rubric.check(Verdict(reason=f"so is the {name}", label=self.grades[name]))


def build(*dimensions: dict[str, Any], **more: Any) -> Any:
    return plugins.build("evaluators", Use(name="rubric", options={"dimensions": list(dimensions), **more}))


@pytest.mark.parametrize(
    ("price", "tone", "threshold", "value", "passed"),
    [
        ("4", "2", 0.5, 0.65, True),
        ("4", "2", 0.7, 0.65, False),
        ("5", "1", 0.5, 0.8, False),
        ("does not apply", "3", 0.5, 0.5, True),
        ("5", "5", 1, 1, True),
        ("1", "1", 0, 0, False),
    ],
)
async def test_the_mean_is_weighed_and_the_lowest_grade_fails(price, tone, threshold, value, passed) -> None:
    judge = Grades(price=price, tone=tone)
    verdict = await build(PRICE, TONE, threshold=threshold).score(evidence(), judge)
    assert verdict.value == pytest.approx(value)
    assert verdict.passed is passed
    assert [part["id"] for part in verdict.details["dimensions"]] == ["price", "tone"]


async def test_the_reason_names_the_weakest_and_what_does_not_apply() -> None:
    verdict = await build(PRICE, TONE).score(evidence(), Grades(price="4", tone="2"))
    assert verdict.reason == "price 4, tone 2; tone: so is the tone"
    verdict = await build(PRICE, TONE).score(evidence(), Grades(price="does not apply", tone="2"))
    assert verdict.reason == "tone 2; does not apply: price; tone: so is the tone"


async def test_what_always_applies_is_always_graded() -> None:
    judge = Grades(price="5", tone="does not apply")
    with pytest.raises(CallError, match="none of 1, 2, 3, 4, 5"):
        await build(PRICE, TONE).score(evidence(), judge)
    assert "does not apply" in judge.prompts["price"]
    assert "does not apply" not in judge.prompts["tone"]
    assert "<criterion>\nIs polite.\n</criterion>" in judge.prompts["tone"]
    assert "Forty crowns." in judge.prompts["tone"]


async def test_where_nothing_applies_there_is_no_verdict() -> None:
    with pytest.raises(Abstain, match="none of the dimensions applies"):
        await build(PRICE).score(evidence(), Grades(price="does not apply"))


async def test_without_an_answer_nobody_is_asked() -> None:
    judge = Grades(price="5")
    with pytest.raises(Missing):
        await build(PRICE).score(evidence(None), judge)
    assert judge.prompts == {}


def test_whole_conversations_are_put_as_such() -> None:
    whole = build(PRICE, threshold=0.9).at_level("case")
    assert (whole.needs, whole.threshold) == (("conversation",), 0.9)
    assert all("{{conversation}}" in each.prompt for each in whole.rubrics)
    assert whole.at_level("turn").needs == ("input", "response")


@pytest.mark.parametrize(
    ("dimensions", "message"),
    [
        ([], "dimensions is empty"),
        ([PRICE, PRICE], r'dimensions\[1\]: the id "price" is given twice'),
        ([{**PRICE, "description": " "}], "description"),
        ([{**PRICE, "weight": 0}], r"dimensions\[0\].weight is 0"),
        ([{"id": "x"}], "description"),
    ],
)
def test_dimensions_that_say_nothing_are_refused(dimensions, message) -> None:
    with pytest.raises(BadOptions, match=message):
        build(*dimensions)
