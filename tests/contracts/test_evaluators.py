"""What every evaluator does with evidence: it reads what it says it reads, and stays within its scale."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
import types
import typing
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Literal

import pytest

from vivavoce.core import codec, plugins
from vivavoce.core.errors import BadOptions, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn, Use
from vivavoce.core.reply import Citation, Message, Reply, ToolCall
from vivavoce.core.result import Exchange, Verdict
from vivavoce.core.rubric import Rubric

NAMES = plugins.names("evaluators")
READABLE = tuple(name for name in dir(Evidence) if isinstance(getattr(Evidence, name), property) and not name.startswith("_"))

RETRIEVAL = {
    "capability": "Files",
    "queries": [{"queryString": "opening hours"}],
    "retrievalHits": [{"rank": 1, "webUrl": "https://example.com/a", "extracts": [{"text": "We open at nine."}]}],
}
REPLY = Reply(
    text="We open at nine [1].",
    tool_calls=(ToolCall(name="search", arguments={"q": "hours"}, result="nine"),),
    citations=(Citation(index=1, text="Hours", source="https://example.com/a"),),
    retrievals=(RETRIEVAL,),
    rows=({"hour": 9},),
    intent="QUERY",
    refusal="off topic",
    insight="Nine is early.",
)
EXPECTED = Expectation(
    response="We open at 9.",
    assertions=("The hours are told.",),
    trajectory=("search",),
    rows=({"hour": 9},),
    intent="QUERY",
    refusal="topic",
    insights=("early",),
)
TOOLS = ({"name": "search", "description": "Look something up.", "parameters": {"type": "object"}},)
COLUMNS = {
    "retrieved_documents": [{"document_id": "a", "relevance_score": 0.9}],
    "retrieval_ground_truth": [{"document_id": "a", "query_relevance_label": 3}],
    "instruction_id_list": ["punctuation:no_comma"],
    "instruction_kwargs": [{}],
}


class Probe(Evidence):
    """Evidence that remembers what was read, and hides what a test wants missing."""

    __slots__ = ("depth", "hidden", "read")

    def __init__(self, level: str, *, hidden: tuple[str, ...] = ()) -> None:
        self.read: list[str] = []
        self.hidden = hidden
        self.depth = 0
        turn = Turn(input="When do you open?", context="Open from nine to five.", expect=EXPECTED, reply=REPLY)
        case = Case(id="c", turns=(turn,), expect=EXPECTED, tools=TOOLS, metadata=COLUMNS)
        history = (Message(role="user", content="Hello"),)
        exchange = Exchange(input=turn.input, expected=EXPECTED.response, reply=REPLY)
        if level == "case":
            super().__init__(case=case, history=history, exchanges=(exchange,))
        else:
            call = 0 if level == "call" else None
            super().__init__(case=case, turn=turn, reply=REPLY, history=history, exchanges=(exchange,), call=call)

    def __getattribute__(self, name: str) -> Any:
        if name not in READABLE or self.depth:
            return super().__getattribute__(name)
        self.read.append(name)
        if name in self.hidden:
            raise Missing(name)
        self.depth += 1  # what one property reads of another is its own affair
        try:
            return super().__getattribute__(name)
        finally:
            self.depth -= 1


class Grader:
    """A judge that reads what the rubric names, and gives the best grade to a long answer, the worst to a short one."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    async def __call__(self, rubric: Rubric, /, **fields: str) -> Verdict:
        read = ["".join(fields.get(name, "") for name in names) or self.evidence.first(*names) for names in rubric.fields]
        value = rubric.span[sum(map(len, read)) > 20]
        label = next((label for label, each in (rubric.labels or {}).items() if each == value), None)
        return rubric.check(Verdict(value=value, label=label, reason="by its length"))


def sample(annotation: Any) -> Any:
    """A value of a type, as JSON."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return sample(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return sample(next(each for each in arguments if each is not type(None)))
    if origin is Literal:
        return arguments[0]
    if origin in (tuple, list):
        return [sample(arguments[0])]
    if origin in (dict, Mapping):
        return {"key": "value"}
    if dataclasses.is_dataclass(annotation):
        return {name: sample(each) for name, each in typing.get_type_hints(annotation).items()}
    return {str: "text", int: 1, float: 1.0, bool: True}.get(annotation, {})


def options_of(name: str) -> dict[str, Any]:
    """Options with which an evaluator can be made: what it requires, and if that is not enough, one of the others."""
    maker = plugins.find("evaluators", name)
    hints = typing.get_type_hints(maker)
    required, optional = {}, {}
    for field in dataclasses.fields(maker):
        has_default = (field.default, field.default_factory) != (dataclasses.MISSING, dataclasses.MISSING)
        (optional if has_default else required)[field.name] = sample(hints[field.name])
    for more in ({}, *({key: value} for key, value in optional.items())):
        try:
            plugins.build("evaluators", Use(name=name, options={**required, **more}))
        except BadOptions:
            continue
        return {**required, **more}
    raise AssertionError(f"{name} could not be made")


def at(name: str, level: str, **more: Any) -> Any:
    """An evaluator as it stands at a level."""
    evaluator = plugins.build("evaluators", Use(name=name, options={**options_of(name), **more}))
    return evaluator.at_level(level) if level and hasattr(evaluator, "at_level") else evaluator


async def examine(name: str, evidence: Evidence, level: str = "", **more: Any) -> Verdict:
    evaluator = at(name, level, **more)
    asks = len(inspect.signature(evaluator.score).parameters) > 1
    assert inspect.iscoroutinefunction(evaluator.score) is asks
    verdict: Verdict = await evaluator.score(evidence, Grader(evidence)) if asks else evaluator.score(evidence)
    return verdict


LEVELS = [(name, level) for name in NAMES for level in plugins.find("evaluators", name).levels]
NEEDS = [(*each, need) for each in LEVELS for need in at(*each).needs]
RUBRICS = [name for name in NAMES if isinstance(getattr(plugins.find("evaluators", name), "rubric", None), Rubric)]


@pytest.mark.parametrize("name", NAMES)
async def test_empty_evidence_raises_missing_and_nothing_else(name: str) -> None:
    with pytest.raises(Missing):
        await examine(name, Evidence(case=Case(id="c")))


@pytest.mark.parametrize("name", NAMES)
def test_what_it_states_can_be_read(name: str) -> None:
    maker = plugins.find("evaluators", name)
    assert maker.needs
    for each in (*maker.needs, *maker.uses):
        assert set(each.split("|")) <= set(READABLE)
    assert set(maker.levels) <= {"turn", "case", "call"}
    low, high = maker.scale
    assert high is None or low < high


@pytest.mark.parametrize(("name", "level"), LEVELS)
async def test_exactly_what_it_states_is_read(name: str, level: str) -> None:
    made = at(name, level)
    probe = Probe(level)
    await examine(name, probe, level)
    read = set(probe.read)
    stated = {part for each in (*made.needs, *made.uses) for part in each.split("|")}
    assert read <= stated
    for need in made.needs:
        assert read & set(need.split("|")), f"states a need of {need} that it does not read"
    assert set(made.uses) <= read


@pytest.mark.parametrize(("name", "level", "need"), NEEDS)
async def test_a_missing_need_is_named(name: str, level: str, need: str) -> None:
    alternatives = tuple(need.split("|"))
    with pytest.raises(Missing) as caught:
        await examine(name, Probe(level, hidden=alternatives), level)
    assert caught.value.names == alternatives


@pytest.mark.parametrize(("name", "level", "need"), [each for each in NEEDS if "|" in each[2]])
async def test_one_alternative_is_enough(name: str, level: str, need: str) -> None:
    alternatives = need.split("|")
    for kept in alternatives:
        verdict = await examine(name, Probe(level, hidden=tuple(each for each in alternatives if each != kept)), level)
        assert verdict.reason


@pytest.mark.parametrize(("name", "level"), LEVELS)
async def test_a_verdict_is_within_the_scale_and_gives_its_reason(name: str, level: str) -> None:
    maker = plugins.find("evaluators", name)
    verdict = await examine(name, Probe(level), level)
    low, high = maker.scale
    assert verdict.value is not None
    assert low <= verdict.value <= (high if high is not None else verdict.value)
    assert verdict.unit_value is None or 0 <= verdict.unit_value <= 1
    assert high is not None or verdict.unit_value is not None, "without an upper end, it maps its value itself"
    assert verdict.passed is not None or "threshold" in {field.name for field in dataclasses.fields(maker)}
    assert verdict.reason.strip()
    assert codec.decode(codec.encode(verdict), Verdict).reason == verdict.reason


@pytest.mark.parametrize("name", NAMES)
def test_options_come_back_as_they_were_given(name: str) -> None:
    maker = plugins.find("evaluators", name)
    given = options_of(name)
    made = plugins.build("evaluators", Use(name=name, options=given))
    assert codec.convert(codec.plain(made), maker) == made
    assert codec.decode(codec.encode(made), dict).items() >= given.items()
    every = {field.name: codec.plain(getattr(made, field.name)) for field in dataclasses.fields(maker)}
    assert plugins.build("evaluators", Use(name=name, options=every)) == made, "defaults, written out, change nothing"


@pytest.mark.parametrize("name", NAMES)
def test_options_are_frozen_and_by_keyword(name: str) -> None:
    maker = plugins.find("evaluators", name)
    parameters = maker.__dataclass_params__
    assert parameters.frozen
    assert parameters.kw_only if hasattr(parameters, "kw_only") else all(each.kw_only for each in dataclasses.fields(maker))


@pytest.mark.parametrize("name", NAMES)
def test_a_misspelt_option_is_refused(name: str) -> None:
    with pytest.raises(BadOptions, match="unknown option"):
        plugins.build("evaluators", Use(name=name, options={**options_of(name), "treshold": 1}))


@pytest.mark.parametrize("name", NAMES)
def test_a_threshold_outside_the_scale_is_refused(name: str) -> None:
    maker = plugins.find("evaluators", name)
    if "threshold" not in {field.name for field in dataclasses.fields(maker)}:
        told = getattr(plugins.build("evaluators", Use(name=name, options=options_of(name))), "threshold", None)
        assert told is None or maker.scale[0] <= told <= maker.scale[1], "what decides by another name is told all the same"
        assert isinstance(vars(maker).get("threshold"), property | None) or "threshold" in maker.__annotations__, "a slip"
        with pytest.raises(BadOptions, match='unknown option "threshold"'):
            plugins.build("evaluators", Use(name=name, options={**options_of(name), "threshold": 0.5}))
        return
    with pytest.raises(BadOptions, match="threshold"):
        plugins.build("evaluators", Use(name=name, options={**options_of(name), "threshold": maker.scale[0] - 1}))


@pytest.mark.parametrize("name", NAMES)
def test_the_manual_is_complete(name: str) -> None:
    manual = plugins.manual("evaluators", name)
    assert manual.split("\n")[0].endswith(".")
    for part in ("Measures:", "Needs:", "Example:", "Limits:", "Source:"):
        assert f"\n{part} " in manual, part
    documented = {option for each in plugins.find("evaluators", name).__mro__ for option in documented_options(each)}
    for field in dataclasses.fields(plugins.find("evaluators", name)):
        assert field.name in documented, f"{field.name} has no text below it"


def documented_options(kind: type) -> Iterator[str]:
    """Fields with a text below them, in the source of a class; none of a class made at run time."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, TypeError):
        return
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    for node, after in pairwise(body):
        is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and is_text:
            yield node.target.id


@pytest.mark.parametrize("name", RUBRICS)
def test_a_rubric_reads_evidence_and_has_one_scale(name: str) -> None:
    rubric = plugins.find("evaluators", name).rubric
    assert rubric.fields
    assert {each for names in rubric.fields for each in names} <= set(READABLE)
    assert (rubric.scale is None) is (rubric.labels is not None)
    assert rubric.version >= 1
    assert codec.digest(rubric).startswith("b2:")
    assert codec.decode(codec.encode(rubric), Rubric) == rubric
