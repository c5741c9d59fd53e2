"""Scenarios as Python objects; dumping and loading them loses nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    SerializeAsAny,
    Tag,
    model_validator,
)

from vivavoce.core.reply import JSON

PREDEFINED = "AGENTCORE_EVALUATION_PREDEFINED_V1"
SIMULATED = "AGENTCORE_EVALUATION_SIMULATED_V1"


def _says(value: JSON) -> JSON:
    if isinstance(value, BaseModel) or (value.strip() if isinstance(value, str) else value):
        return value
    raise ValueError("must not be empty")


def _not_blank(value: str) -> str:
    if value.strip():
        return value
    raise ValueError("must not be blank")


def _tools(value: JSON) -> JSON:
    """Names of tools, out of the object that the service wraps them in."""
    return value["toolNames"] if isinstance(value, Mapping) and value.keys() == {"toolNames"} else value


def _statement(value: JSON) -> JSON:
    """A statement, out of the object that the service wraps it in."""
    return value["text"] if isinstance(value, Mapping) and value.keys() == {"text"} else value


Input = Annotated[str | dict[str, JSON], AfterValidator(_says)]
"""What is said to the agent: text or an object, not empty."""
Name = Annotated[str, AfterValidator(_not_blank)]
Assertion = Annotated[str, BeforeValidator(_statement)]


class ActorProfile(BaseModel):
    """Who a simulated user is."""

    model_config = ConfigDict(extra="allow")

    traits: dict[str, JSON] = Field(default_factory=dict)
    context: str
    """What is known of the user."""
    goal: Name
    """What the user wants."""


class Turn(BaseModel):
    """One thing said to the agent."""

    model_config = ConfigDict(extra="allow")

    input: Input
    expected_response: str | None = None
    """What the right answer says."""


class Scenario(BaseModel):
    """What all scenarios have."""

    model_config = ConfigDict(extra="allow")

    scenario_id: Name
    """Unique in the dataset."""
    scenario_description: str = ""
    assertions: list[Assertion] | None = None
    """Statements that must hold of the conversation."""
    metadata: dict[str, JSON] | None = None
    """Anything; it reaches the results."""


class PredefinedScenario(Scenario):
    """A conversation with fixed turns."""

    schema_type: str = PREDEFINED
    turns: list[Turn] = Field(min_length=1)
    expected_trajectory: Annotated[list[str], BeforeValidator(_tools)] | None = None
    """Names of the tools to be called, in order; `[]` means none."""


class SimulatedScenario(Scenario):
    """A conversation with a user who is played."""

    schema_type: str = SIMULATED
    actor_profile: ActorProfile
    input: Annotated[str | dict[str, JSON] | SerializeAsAny[BaseModel], AfterValidator(_says)]
    """What the user says first; also an instance of a pydantic model."""
    max_turns: Annotated[int, Field(ge=1, strict=True)] = 10


def _kind(value: object) -> str | None:
    """Which of the two a scenario is; `turns` decide."""
    if isinstance(value, Mapping):
        played = value.get("turns") is None and "actor_profile" in value
        return "predefined" if value.get("turns") is not None else "simulated" if played else None
    if isinstance(value, PredefinedScenario):
        return "predefined"
    return "simulated" if isinstance(value, SimulatedScenario) else None


Either = Annotated[
    Annotated[PredefinedScenario, Tag("predefined")] | Annotated[SimulatedScenario, Tag("simulated")],
    Discriminator(
        _kind,
        custom_error_type="neither",
        custom_error_message='a scenario has "turns", or the "actor_profile" of a simulated user',
    ),
]
"""A scenario of either kind."""


class Dataset(BaseModel):
    """Scenarios to be examined together."""

    model_config = ConfigDict(extra="allow")

    scenarios: list[SerializeAsAny[Either]] = Field(min_length=1)

    @model_validator(mode="after")
    def _unique(self) -> Dataset:
        often = Counter(each.scenario_id for each in self.scenarios)
        twice = sorted(name for name, count in often.items() if count > 1)
        if twice:
            raise ValueError(f"several scenarios have the same scenario_id: {', '.join(twice)}")
        return self
