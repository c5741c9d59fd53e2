"""What an agent answered, in every part that can be examined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import field

from vivavoce.core.record import Record

JSON: TypeAlias = Any  # a JSON value of any shape, as another party wrote it
Object: TypeAlias = Mapping[str, JSON]
"""A JSON object."""


class Message(Record, frozen=True, kw_only=True):
    """Something said before or during a conversation: history, as the agent is given it."""

    role: str
    """`user`, `assistant`, `system`, `developer` or `tool`."""
    content: JSON


class ToolCall(Record, frozen=True, kw_only=True):
    """One call of a tool by the agent, as the agent reports it, in order of start."""

    name: str
    arguments: JSON = None
    result: JSON = None
    error: str | None = None
    id: str | None = None


class Citation(Record, frozen=True, kw_only=True):
    """A source the agent reports for its answer."""

    index: int
    """From 1."""
    text: str | None = None
    source: str | None = None


class Reply(Record, frozen=True, kw_only=True):
    """One answer. `None` anywhere is unknown, an empty list is reported-none."""

    text: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    citations: tuple[Citation, ...] | None = None
    retrievals: tuple[Object, ...] | None = None
    """Searches the agent made, each `{capability, status, totalResultCount, queries: [{queryString, filterExpression}],
    retrievalHits: [{rank, webUrl, extracts: [{text}]}]}`; any part may be null or absent."""
    rows: tuple[Object, ...] | None = None
    intent: str | None = None
    refusal: str | None = None
    insight: str | None = None
    usage: Object = field(default_factory=dict)
    """`input_tokens`, `output_tokens`, `cost_usd`, as far as the agent reports them."""
    seconds: float | None = None
    """Wall time of the call, retries left out."""
    raw: JSON = None
    """Whatever else the agent sent."""


class Fault(Record, frozen=True, kw_only=True):
    """The part of a failure that a run document shows."""

    code: str
    message: str


class Completion(Record, frozen=True, kw_only=True):
    """What a chat model answered."""

    text: str
    model: str
    """The model that answered, as it names itself."""
    usage: Object = field(default_factory=dict)
    """`input_tokens`, `output_tokens`, `cost_usd`, as far as they are known."""
    cut: bool = False
    """Whether the answer was ended by a limit on its length."""
    refused: bool = False
    """Whether the model, or a filter before it, declined to answer."""


class Request(Record, frozen=True, kw_only=True):
    """What an agent is told for one turn; nothing of what is expected."""

    input: JSON
    """Text, or the object a structured dataset holds."""
    session_id: str
    """One conversation; derived from seed, case and repeat."""
    case: str
    turn: int
    """From 0."""
    about: Object | None = None
    """What the suite is about, such as a cube."""
    history: tuple[Message, ...] = ()
    """What the case starts with, then earlier turns."""
