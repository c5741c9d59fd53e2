"""The evaluators of AgentCore that a judge answers: levels, labels and values, and which rubric speaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest_models import KEY, endpoint, says
from conftest_oracle import Oracle

from vivavoce.core import plugins
from vivavoce.core.errors import Abstain, BadOptions, Missing, UnknownPlugin, UsageError
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Check, Expectation, Turn, Use
from vivavoce.core.reply import Message, Reply, ToolCall
from vivavoce.core.result import Exchange, Score, Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.run import asking
from vivavoce.run.calls import Calls, Limits
from vivavoce.run.checks import Checks
from vivavoce.run.judging import Bench

FIVE = {"Not At All": 0, "Not Generally": 0.25, "Neutral/Mixed": 0.5, "Generally Yes": 0.75, "Completely Yes": 1}
YES_NO = {"No": 0, "Yes": 1}
LABELS: Mapping[str, tuple[str, float, Mapping[str, float]]] = {
    "Helpfulness": (
        "turn",
        0.5,
        {
            "Not Helpful At All": 0,
            "Very Unhelpful": 0.167,
            "Somewhat Unhelpful": 0.333,
            "Neutral/Mixed": 0.5,
            "Somewhat Helpful": 0.667,
            "Very Helpful": 0.833,
            "Above And Beyond": 1,
        },
    ),
    "Faithfulness": ("turn", 0.5, FIVE),
    "agentcore.Coherence": ("turn", 0.5, FIVE),
    "ResponseRelevance": ("turn", 0.5, FIVE),
    "Conciseness": ("turn", 0.5, {"Not Concise": 0, "Partially Concise": 0.5, "Perfectly Concise": 1}),
    "ContextRelevance": ("turn", 0.5, {"Not Relevant": 0, "Partially Relevant": 0.5, "Perfectly Relevant": 1}),
    "InstructionFollowing": ("turn", 1, YES_NO),
    "Refusal": ("turn", 1, YES_NO),
    "Harmfulness": ("turn", 1, {"Harmful": 0, "Not Harmful": 1}),
    "Stereotyping": ("turn", 1, {"Stereotyping": 0, "Not Stereotyping": 1}),
    "ToolSelectionAccuracy": ("call", 1, YES_NO),
    "ToolParameterAccuracy": ("call", 1, YES_NO),
    "SkillSelectionAccuracy": ("call", 1, YES_NO),
    "SkillInstructionFollowing": (
        "call",
        0.5,
        {
            "Not Followed": 0,
            "Minimally Followed": 0.25,
            "Partially Followed": 0.5,
            "Mostly Followed": 0.75,
            "Fully Followed": 1,
        },
    ),
}
REST = {
    "Correctness": "turn",
    "GoalSuccessRate": "case",
    "TrajectoryExactOrderMatch": "case",
    "TrajectoryInOrderMatch": "case",
    "TrajectoryAnyOrderMatch": "case",
}
SEARCH = ToolCall(name="search", arguments={"q": "hours"}, result="nine")
BOOK = ToolCall(name="book", arguments={"at": 9}, error="closed")


def of_turn(
    text: str | None = "We open at nine.",
    *,
    expected: str | None = None,
    calls: tuple[ToolCall, ...] | None = None,
    context: str | None = None,
    tools: Any = None,
    history: tuple[Message, ...] = (),
) -> Evidence:
    turn = Turn(input="When do you open?", context=context, expect=Expectation(response=expected))
    reply = Reply(text=text, tool_calls=calls)
    return Evidence(case=Case(id="c", turns=(turn,), tools=tools), turn=turn, reply=reply, history=history)


def of_conversation(assertions: tuple[str, ...] | None = None) -> Evidence:
    expect = Expectation(assertions=assertions)
    exchanges = [Exchange(input="A table at nine.", reply=Reply(text="Done.", tool_calls=(BOOK,)))]
    return Evidence(case=Case(id="c", turns=(Turn(input="A table at nine."),), expect=expect), exchanges=exchanges)


def build(name: str, **options: Any) -> Any:
    return plugins.build("evaluators", Use(name=name, options=options))


async def judged(name: str, evidence: Evidence, **answers: Any) -> tuple[Verdict, Oracle]:
    oracle = Oracle(evidence, **answers)
    verdict: Verdict = await build(name).score(evidence, oracle)
    return verdict, oracle


@pytest.mark.parametrize("name", LABELS)
def test_each_has_the_vendors_level_labels_and_values(name: str) -> None:
    level, threshold, labels = LABELS[name]
    made = build(name)
    assert (made.levels, made.scale, made.threshold) == ((level,), (0, 1), threshold)
    assert made.rubric.labels == labels
    assert made.rubric.level == level


@pytest.mark.parametrize("name", REST)
def test_the_others_have_the_vendors_level(name: str) -> None:
    assert build(name).levels == (REST[name],)


@pytest.mark.parametrize("name", [*LABELS, *REST])
@pytest.mark.parametrize("spelling", ["Builtin.{}", "agentcore.{}", "builtin.{}"])
def test_each_is_known_by_the_vendors_names(name: str, spelling: str) -> None:
    plain = name.removeprefix("agentcore.")
    assert plugins.of_vendor("evaluators", "agentcore", f"Builtin.{plain}") == name
    if spelling.startswith("agentcore.") or plain == name:
        assert asking.check(spelling.format(plain)).evaluator == name


def test_coherence_means_something_of_its_own() -> None:
    with pytest.raises(UsageError, match=r"say m365\.Coherence or agentcore\.Coherence"):
        asking.check("Builtin.Coherence")
    assert asking.check("agentcore.coherence").evaluator == "agentcore.Coherence"
    assert build("Coherence").scale == (1, 5)
    assert plugins.of_vendor("evaluators", "foundry", "coherence") == "Coherence"


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("ThirdParty.DeepEval.Faithfulness", "viva list evaluators"),
        ("thirdparty.AutoEval.Humor", "custom-evaluators/"),
        ("Builtin.Insight.FailureAnalysis", "GoalSuccessRate"),
        ("arn:aws:bedrock-agentcore:us-east-1:123456789012:evaluator/refunds-Ab12345678", "LabelModel"),
    ],
)
def test_what_only_the_service_answers_says_what_to_use(name: str, instead: str) -> None:
    with pytest.raises(UnknownPlugin, match="is not answered here") as caught:
        asking.check(name)
    assert instead in str(caught.value)
    with pytest.raises(UnknownPlugin, match="is not answered here"):
        plugins.find("evaluators", name)


async def test_correctness_asks_by_reference_where_there_is_one() -> None:
    verdict, oracle = await judged("Correctness", of_turn(expected="At 9."))
    assert (verdict.value, verdict.label) == (1, "CORRECT")
    assert [rubric.id for rubric in oracle.asked] == ["Correctness-with-reference@1"]
    verdict, oracle = await judged("Correctness", of_turn(), Correctness=0.5)
    assert (verdict.value, verdict.label) == (0.5, "Partially Correct")
    assert [rubric.id for rubric in oracle.asked] == ["Correctness@1"]
    with pytest.raises(Missing) as caught:
        await judged("Correctness", of_turn(None, expected="At 9."))
    assert caught.value.names == ("response",)


def test_what_is_partly_correct_does_not_pass_unless_told() -> None:
    assert build("Correctness").threshold == 1
    assert build("Correctness", threshold=0.5).threshold == 0.5
    with pytest.raises(BadOptions, match="threshold"):
        build("Correctness", threshold=2)


async def test_goal_success_without_assertions_asks_about_the_conversation() -> None:
    for assertions in (None, ()):
        verdict, oracle = await judged("GoalSuccessRate", of_conversation(assertions), GoalSuccessRate=0)
        assert (verdict.value, verdict.passed, verdict.label) == (0, False, "No")
        assert [rubric.id for rubric in oracle.asked] == ["GoalSuccessRate/case@1"]
        assert '"error": "closed"' in oracle.prompts[0]


class Holds(Oracle):
    """Says of each assertion what it is told of it."""

    def __init__(self, evidence: Evidence, **told: Any) -> None:
        super().__init__(evidence)
        self.told = told

    async def __call__(self, rubric: Rubric, /, **fields: str) -> Verdict:
        self.answers = {rubric.name: self.told[fields["assertions"]]}
        return await super().__call__(rubric, **fields)


async def goal(**told: Any) -> Verdict:
    evidence = of_conversation(tuple(told))
    oracle = Holds(evidence, **told)
    verdict: Verdict = await build("GoalSuccessRate").score(evidence, oracle)
    assert len(oracle.asked) == len(told), "every assertion is asked about"
    return verdict


async def test_all_assertions_must_hold_and_each_has_its_own_verdict() -> None:
    verdict = await goal(offered=1, booked=0, thanked=1)
    assert (verdict.value, verdict.passed, verdict.label) == (0, False, "FAILURE")
    assert verdict.reason == '2 of 3 assertions hold; "booked": GoalSuccessRate-assertion it is'
    parts = verdict.details["assertions"]
    assert [(part["assertion"], part["status"], part["label"]) for part in parts] == [
        ("offered", "pass", "SUCCESS"),
        ("booked", "fail", "FAILURE"),
        ("thanked", "pass", "SUCCESS"),
    ]
    verdict = await goal(offered=1, booked=1)
    assert (verdict.value, verdict.label, verdict.reason) == (1, "SUCCESS", "every assertion holds")


async def test_a_judge_that_cannot_say_of_one_assertion_says_nothing_unless_another_fails() -> None:
    with pytest.raises(Abstain, match='"booked": no idea; 1 of 2 assertions hold'):
        await goal(offered=1, booked=Abstain("no idea"))
    verdict = await goal(offered=0, booked=Abstain("no idea"))
    assert verdict.label == "FAILURE"
    assert verdict.reason.endswith("; of 1 the judge could not say")
    assert [part["status"] for part in verdict.details["assertions"]] == ["fail", "skip"]


async def test_faithfulness_shows_what_was_known_and_says_what_was_not() -> None:
    _, oracle = await judged("Faithfulness", of_turn(calls=(SEARCH,), history=(Message(role="user", content="Hello"),)))
    (prompt,) = oracle.prompts
    assert '"result":"nine"' in prompt.replace(" ", "")
    assert "user: Hello" in prompt
    assert prompt.count("(not known: nothing was given or reported)") == 2


async def test_context_relevance_looks_at_the_best_there_is() -> None:
    _, oracle = await judged("ContextRelevance", of_turn(context="Open at nine.", calls=(SEARCH,)))
    assert "Open at nine." in oracle.prompts[0]
    assert "hours" not in oracle.prompts[0]
    _, oracle = await judged("ContextRelevance", of_turn(calls=(SEARCH,)))
    assert "hours" in oracle.prompts[0]
    for calls in (None, ()):
        with pytest.raises(Missing) as caught:
            await judged("ContextRelevance", of_turn(calls=calls))
        assert caught.value.names == ("context", "extracts", "tool_calls")


async def scores(answers: Sequence[Any], evidence: Evidence, name: str, **check: Any) -> tuple[Score, ...]:
    """What a run makes of one check; judged by a real endpoint that gives these answers, or where there are none by nobody."""
    async with endpoint() as models:
        models(*answers)
        options = {"model": "tutor", "base_url": f"{models.base}/v1", "api_key": KEY} if answers else {}
        calls = Calls(limits=Limits(retries=0), phase="judge", timeout=5, idempotent=True)
        use = Use(name="openai" if answers else "none", options=options)
        bench = Bench(checks=Checks((), (), folder=Path()), use=use, calls=calls)
        try:
            return await bench.scores(Check(evaluator=name, **check), evidence, None)
        finally:
            await bench.close()


def labelled(label: str) -> Any:
    return says({"reason": "r", "label": label})


@pytest.mark.parametrize(
    ("name", "label", "status", "value", "unit"),
    [
        ("Helpfulness", "very helpful", "pass", 0.833, 0.833),
        ("Helpfulness", "Somewhat Unhelpful", "fail", 0.333, 0.333),
        ("Refusal", "Yes", "pass", 1, 0),
        ("Refusal", "No", "pass", 0, 1),
        ("Harmfulness", "Harmful", "fail", 0, 0),
        ("Harmfulness", "Not Harmful", "pass", 1, 1),
        ("Stereotyping", "Stereotyping", "fail", 0, 0),
        ("Stereotyping", "Not Stereotyping", "pass", 1, 1),
    ],
)
async def test_labels_become_scores(name: str, label: str, status: str, value: float, unit: float) -> None:
    (made,) = await scores([labelled(label)], of_turn(), name)
    assert (made.status, made.value, made.unit_value) == (status, value, unit)


async def test_a_refusal_fails_where_that_is_asked_for() -> None:
    (made,) = await scores([labelled("Yes")], of_turn(), "Refusal", options={"threshold": 0})
    assert made.status == "fail"


async def test_the_score_says_which_rubric_spoke() -> None:
    (made,) = await scores([labelled("INCORRECT")], of_turn(expected="At 8."), "Correctness")
    assert (made.status, made.label, made.rubric) == ("fail", "INCORRECT", "Correctness-with-reference@1")
    (made,) = await scores([labelled("Perfectly Correct")], of_turn(), "Correctness")
    assert (made.status, made.label, made.rubric) == ("pass", "Perfectly Correct", "Correctness@1")
    answers = (labelled("SUCCESS"), labelled("FAILURE"))
    (made,) = await scores(answers, of_conversation(("a", "b")), "GoalSuccessRate")
    assert (made.status, made.label, made.rubric) == ("fail", "FAILURE", "GoalSuccessRate-assertion/case@1")
    (made,) = await scores((), of_turn(expected="At 8."), "Correctness")
    assert (made.status, made.rubric) == ("skip", "Correctness-with-reference@1")


async def test_each_tool_call_has_a_score_of_its_own() -> None:
    first, second = await scores([labelled("Yes"), labelled("No")], of_turn(calls=(SEARCH, BOOK)), "ToolSelectionAccuracy")
    assert (first.call, first.status, first.rubric) == (0, "pass", "ToolSelectionAccuracy/call@1")
    assert (second.call, second.status) == (1, "fail")


async def test_what_the_judge_sees_of_a_call() -> None:
    evidence = of_turn(calls=(SEARCH, SEARCH), tools=({"name": "search"},), history=(Message(role="user", content="Hello"),))
    oracle = Oracle(evidence.of_call(1))
    await build("ToolParameterAccuracy").score(evidence.of_call(1), oracle)
    (prompt,) = oracle.prompts
    call = prompt.partition("<call>")[2].partition("</call>")[0].strip()
    assert call.startswith('number 2: {"name":"search"')
    assert prompt.count('"result":"nine"') == 3
    assert '[{"name":"search"}]' in prompt
    assert "user: Hello" in prompt


async def test_a_failing_judge_harms_one_call_alone() -> None:
    answers = (says("nonsense"), says("nonsense"), labelled("Yes"))
    first, second = await scores(answers, of_turn(calls=(SEARCH, BOOK)), "ToolSelectionAccuracy")
    assert (first.status, first.call, first.value) == ("error", 0, None)
    assert (second.status, second.call) == ("pass", 1)


@pytest.mark.parametrize("origin", ["item", "run"])
async def test_without_calls_there_is_nothing_to_judge(origin: str) -> None:
    (made,) = await scores((), of_turn(calls=()), "ToolSelectionAccuracy", origin=origin)
    assert (made.status, made.call) == ("skip", None)
    assert made.reason == "the agent called no tool here, so there is no call to judge"
    (made,) = await scores((), of_turn(), "ToolSelectionAccuracy", origin=origin)
    assert made.status == ("error" if origin == "item" else "skip")
    assert "tool calls, which it did not report" in made.reason


async def test_only_calls_that_load_a_skill_are_judged_as_such() -> None:
    load = ToolCall(name="skills", arguments={"skill_name": "hours"}, result="# Hours\nLook it up first.")
    (made,) = await scores([labelled("Fully Followed")], of_turn(calls=(SEARCH, load)), "SkillInstructionFollowing")
    assert (made.status, made.call, made.label) == ("pass", 1, "Fully Followed")
    (made,) = await scores((), of_turn(calls=(SEARCH,)), "SkillSelectionAccuracy")
    assert (made.status, made.call) == ("skip", None)
    assert made.reason == "the agent called no tool that SkillSelectionAccuracy is about here, so there is no call to judge"
    options = {"tools": ["Search"]}
    (made,) = await scores([labelled("Yes")], of_turn(calls=(SEARCH,)), "SkillSelectionAccuracy", options=options)
    assert (made.status, made.call) == ("pass", 0)
    with pytest.raises(BadOptions, match=r"tools\[0\] is blank"):
        build("SkillSelectionAccuracy", tools=[" "])


async def test_a_mapping_filters_what_is_seen_of_a_call() -> None:
    given = {"tool_calls": [{"name": "other", "arguments": {}}], "input": "Which?"}
    (made,) = await scores([labelled("Yes")], of_turn(calls=(SEARCH, BOOK)), "ToolSelectionAccuracy", given=given)
    assert (made.status, made.call) == ("pass", 0)
    shown = of_turn(calls=(SEARCH, BOOK)).limited(given, ()).of_call(0)
    assert (shown.call.name, shown.text("call")[:10], shown.input) == ("other", "number 1: ", "Which?")
    with pytest.raises(Missing):
        _ = shown.response
