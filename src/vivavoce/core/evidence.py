"""All an evaluator may see of one turn or one conversation; what is not there raises `Missing`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from vivavoce.core.errors import Missing
from vivavoce.core.model import NOTHING, Case, Expectation, Turn
from vivavoce.core.reply import Citation, Message, Object, Reply, ToolCall
from vivavoce.core.result import Exchange

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "input": "an input (`prompt`, `input`, `query`)",
        "response": "a text answer from the agent",
        "expected": "an expected response (`expected_response`, `expected`, `ground_truth`)",
        "context": "a `context`",
        "history": "earlier messages",
        "retrievals": "the agent's retrievals (`retrieval_executions`), which it did not report",
        "extracts": "extracts the agent retrieved, which it did not report",
        "citations": "the agent's citations, which it did not report",
        "tool_calls": "the agent's tool calls, which it did not report",
    }
)
"""What each name of `Evidence` is called in a message to a person."""


def asked_for(names: Sequence[str]) -> str:
    """The names of a `Missing`, in words."""
    return " or ".join(WORDS.get(name, f"`{name}`") for name in names)


class Evidence:
    """What is known of a turn (or, with `turn` None, of the conversation): the question, the answer, the truth.

    Every property either gives a value or raises `Missing` with its own name, so an evaluator never tests for absence.
    """

    __slots__ = ("_case", "_exchanges", "_history", "_reply", "_turn")

    def __init__(
        self,
        *,
        case: Case,
        turn: Turn | None = None,
        reply: Reply | None = None,
        history: tuple[Message, ...] = (),
        exchanges: Sequence[Exchange] = (),
    ) -> None:
        self._case = case
        self._turn = turn
        self._reply = reply
        self._history = history
        self._exchanges = exchanges

    @property
    def input(self) -> str:
        """What was said to the agent; a structured input as JSON."""
        if self._turn is None:
            raise Missing("input")
        value = self._turn.input
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    @property
    def response(self) -> str:
        """The text of the answer; `""` is an answer."""
        if self._reply is None or self._reply.text is None:
            raise Missing("response")
        return self._reply.text

    @property
    def expected(self) -> str:
        """The expected response."""
        value = self._expect.response
        if value is None:
            raise Missing("expected")
        return value

    @property
    def context(self) -> str:
        """Grounding text the dataset gives with the question."""
        value = self._turn.context if self._turn is not None else None
        if value is None:
            raise Missing("context")
        return value

    @property
    def history(self) -> tuple[Message, ...]:
        """What was said before this turn; `()` at the beginning."""
        return self._history

    @property
    def retrievals(self) -> tuple[Object, ...]:
        """Searches the agent reports, in the shape of `Reply.retrievals`."""
        if self._reply is None or self._reply.retrievals is None:
            raise Missing("retrievals")
        return self._reply.retrievals

    @property
    def extracts(self) -> str:
        """The text of everything retrieved, one extract a paragraph."""
        try:
            executions = self.retrievals
        except Missing:
            raise Missing("extracts") from None
        texts = list(_extract_texts(executions))
        if not texts:
            raise Missing("extracts")
        return "\n\n".join(texts)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Sources the agent reports beside its text."""
        if self._reply is None or self._reply.citations is None:
            raise Missing("citations")
        return self._reply.citations

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Tools the agent reports to have called for this answer."""
        if self._reply is None or self._reply.tool_calls is None:
            raise Missing("tool_calls")
        return self._reply.tool_calls

    def first(self, *names: str) -> str:
        """The text of the first of these that is there: the one way to choose.

        Raises:
            Missing: none is; carries all the names.
        """
        for name in names:
            try:
                return self.text(name)
            except Missing:
                continue
        raise Missing(*names)

    def text(self, name: str) -> str:
        """A property by name, as text: what a rubric's placeholder becomes.

        Raises:
            Missing: it is not there.
        """
        value = getattr(self, name)
        if isinstance(value, str):
            return value
        if name == "history":
            return "\n".join(f"{message.role}: {_plain(message.content)}" for message in self.history)
        from vivavoce.core import codec

        return codec.encode(value).decode()

    @property
    def _expect(self) -> Expectation:
        if self._turn is not None:
            return self._turn.expect
        return self._case.expect or NOTHING


def _plain(content: object) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _extract_texts(executions: Sequence[Object]) -> Iterator[str]:
    """Every extract's text; parts of another shape than they should be have none."""
    for execution in _objects(executions):
        for hit in _objects(execution.get("retrievalHits")):
            for extract in _objects(hit.get("extracts")):
                if isinstance(text := extract.get("text"), str) and text:
                    yield text


def _objects(value: object) -> Iterator[Object]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        yield from (each for each in value if isinstance(each, Mapping))
