"""The fields of scenarios, what is probably meant by others, and what the evaluators are called that apply by default."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from functools import cache
from types import MappingProxyType

from vivavoce.core import plugins
from vivavoce.core.model import Check
from vivavoce.core.place import nearest
from vivavoce.wire.peek import is_slip

BESIDE = ("scenario_description", "description", "schema_type", "schemaType", "exampleId")
"""Fields of a scenario that change nothing, and are kept among its metadata; the service adds ids of its own."""
SIMULATED = ("actor_profile", "input", "max_turns")
SCENARIO = ("scenario_id", "turns", *SIMULATED, "expected_trajectory", "assertions", "metadata", *BESIDE)
TURN = ("input", "expected_response")
PROFILE = ("context", "goal", "traits")
TOP = frozenset(("schemaType", "schema_type", "version", "name", "description", "metadata"))
"""Fields of a document, beside its scenarios, that nobody needs to be told of."""
OF_SCENARIOS = frozenset((*SIMULATED, "scenario_id", "turns", "expected_trajectory", "expected_response", "assertions"))
"""Fields that have no place at the root of a document."""
MAX_TURNS = 10
"""Turns of a simulated conversation that does not say how many it may have."""
KEPT = "agentcore"
"""Under this name the metadata of a case hold what of a scenario the rest of the case cannot tell."""

_MEANT: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "scenario": MappingProxyType(
            {
                **dict.fromkeys(("id", "scenario", "case_id", "test_id", "testid"), "scenario_id"),
                **dict.fromkeys(("conversation", "messages", "steps"), "turns"),
                **dict.fromkeys(("actor", "persona", "profile", "user_profile"), "actor_profile"),
                **dict.fromkeys(("first_input", "initial_input", "first_message", "opening", "prompt", "query"), "input"),
                **dict.fromkeys(("max_num_turns", "turn_limit"), "max_turns"),
                **dict.fromkeys(("trajectory", "expected_tools", "expected_tool_calls", "toolnames"), "expected_trajectory"),
                **dict.fromkeys(("criteria", "success_criteria"), "assertions"),
            }
        ),
        "turn": MappingProxyType(
            {
                **dict.fromkeys(("prompt", "query", "question", "message", "user"), "input"),
                **dict.fromkeys(("expected", "expected_output", "expected_answer", "ground_truth"), "expected_response"),
                **dict.fromkeys(("reference", "reference_answer"), "expected_response"),
            }
        ),
        "profile": MappingProxyType({"background": "context", "actor_goal": "goal", "objective": "goal"}),
    }
)
"""Names met in place of a field, when that is not there."""


def meant(kind: str, name: str, known: Iterable[str], present: Container[str]) -> str | None:
    """The field of which an unknown one is a slip, or for which it stands; `None` when it is one of its own."""
    others = _MEANT[kind]
    other = nearest(name, others)
    stands_for = others[other] if other is not None and is_slip(name, other) else None
    if stands_for is not None and stands_for not in present:
        return stands_for
    near = nearest(name, known)
    return near if near is not None and is_slip(name, near) else None


@cache
def ours(name: str) -> str:
    """The evaluator that the vendor means by a name, spelt as it is here: `Builtin.Correctness`, or the ARN of one.

    Raises:
        PluginError: there is none.
    """
    return plugins.of_vendor("evaluators", "agentcore", name.rpartition("/")[2].removeprefix("Builtin."))


@cache
def default(name: str) -> Check:
    """An evaluator that applies when nobody names any."""
    own = f"agentcore.{name}"
    known = {plugins.fold(each) for each in plugins.names("evaluators", installed=False)}
    evaluator = name if plugins.fold(own) not in known and plugins.fold(name) in known else own
    return Check(evaluator=evaluator, name="" if evaluator == name else name, origin="default")


def of_turn(response: str | None) -> tuple[Check, ...]:
    """What examines a turn by default."""
    return () if response is None else (default("Correctness"),)


def of_case(*, assertions: bool, trajectory: bool, simulated: bool) -> tuple[Check, ...]:
    """What examines a whole conversation by default."""
    goal = (default("GoalSuccessRate"),) if assertions or simulated else ()
    return (*goal, default("TrajectoryInOrderMatch")) if trajectory else goal
