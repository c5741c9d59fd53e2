"""The native format as declared shapes: what is read, and what its JSON Schema is made of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Text = Annotated[str, Meta(pattern=r"\S")]
"""Text that is not blank."""
Anything = Any  # a JSON value of any shape, which only the agent or an evaluator knows
Fields = dict[str, Anything]
Input = Text | Annotated[Fields, Meta(min_length=1)]
Evaluators = Annotated[
    dict[str, Fields | None], Meta(description="Names of evaluators, each with its options.", examples=[{"ExactMatch": {}}])
]
Mode = Annotated[
    Literal["extend", "replace"],
    Meta(description="Whether `evaluators` are added to those of the level above, or replace them."),
]


class Message(Struct, forbid_unknown_fields=True, kw_only=True):
    """Something said before the case begins."""

    role: Literal["user", "assistant", "system", "developer", "tool"]
    content: Anything


class Call(Struct, forbid_unknown_fields=True, kw_only=True):
    """A tool the agent called."""

    name: Text
    arguments: Anything = None
    result: Anything = None
    error: str | None = None
    id: str | None = None


class Source(Struct, forbid_unknown_fields=True, kw_only=True):
    """A source the agent cited."""

    index: int | None = None
    text: str | None = None
    source: str | None = None


class Extract(Struct, kw_only=True):
    """A passage of something the agent found."""

    text: str | None = None


class Hit(Struct, kw_only=True):
    """Something the agent found."""

    extracts: list[Extract] | None = None


class Retrieval(Struct, kw_only=True):
    """A search the agent made."""

    queries: list[Fields] | None = None
    retrievalHits: list[Hit] | None = None


class Answer(Struct, kw_only=True):
    """A recorded answer, in the shape in which agents answer; keys it does not know are kept as `raw`."""

    text: str | None = None
    tool_calls: list[str | Call] | None = None
    citations: list[str | Source] | None = None
    retrievals: list[Retrieval] | None = None
    rows: list[Fields] | None = None
    intent: str | None = None
    refusal: str | None = None
    insight: str | None = None
    usage: Fields | None = None


class Spoken(Struct, forbid_unknown_fields=True, kw_only=True):
    """What a turn and a case have in common: something said, and what is expected of the answer."""

    expected: Annotated[str | None, Meta(description="What the right answer says.")] = None
    context: Annotated[str | None, Meta(description="Text that the answer must be grounded in.")] = None
    reply: Annotated[str | Answer | None, Meta(description="A recorded answer, text or object.")] = None
    evaluators: Evaluators | None = None
    evaluators_mode: Mode | None = None
    metadata: Annotated[Fields | None, Meta(description="Anything; it reaches the results.")] = None
    assertions: Annotated[list[Text] | None, Meta(description="Statements that must hold.")] = None
    trajectory: Annotated[list[Text] | None, Meta(description="Names of tools, in order; [] means none.")] = None
    rows: Annotated[list[Fields] | None, Meta(description="The table expected; [] means an empty one.")] = None
    intent: Text | None = None
    refusal: Annotated[Text | None, Meta(description="Text that the reason of a refusal holds.")] = None
    insights: Annotated[list[Text] | None, Meta(description="Texts that the insight holds.")] = None


class Said(Spoken, kw_only=True):
    """One turn of a conversation."""

    input: Annotated[Input, Meta(description="What is said to the agent, text or object.")]


class Simulated(Struct, forbid_unknown_fields=True, kw_only=True):
    """A user who is played."""

    goal: Annotated[Text, Meta(description="What the user wants.")]
    context: Annotated[str | None, Meta(description="What the user knows.")] = None
    traits: Fields | None = None
    input: Annotated[Input | None, Meta(description="The first thing said.")] = None
    max_turns: Annotated[int, Meta(ge=1)] | None = None
    desired_turns: Annotated[int, Meta(ge=1)] | None = None


class Row(Spoken, kw_only=True):
    """A case: one question (`input`), a conversation (`turns`), or a simulated user (`persona`)."""

    id: Annotated[Text | None, Meta(description="Unique in the suite; the position from 0, such as #3, when left out.")] = None
    name: str | None = None
    category: str | None = None
    input: Annotated[Input | None, Meta(description="What is said to the agent, text or object.")] = None
    history: Annotated[list[Message] | None, Meta(description="What was said before.")] = None
    turns: Annotated[list[Said], Meta(min_length=1)] | None = None
    persona: Simulated | None = None


class Top(Struct, forbid_unknown_fields=True, kw_only=True):
    """What a document says of the suite as a whole."""

    suite: Annotated[Text | None, Meta(description="The suite's name; the file's when left out.")] = None
    description: str | None = None
    about: Annotated[Fields | None, Meta(description="What the suite is about; the agent is told.")] = None
    evaluators: Evaluators | None = None


class Document(Top, kw_only=True):
    """A suite in one document."""

    cases: Annotated[list[Row], Meta(min_length=1)]
