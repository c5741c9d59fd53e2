"""All an evaluator may see of one turn or one conversation; what is not there raises `Missing`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from vivavoce.core._answers import Answers
from vivavoce.core._texts import called, exchanged, extract_texts, plain
from vivavoce.core.errors import Missing
from vivavoce.core.model import Case, Turn
from vivavoce.core.reply import JSON, Citation, Message, Object, Reply, ToolCall
from vivavoce.core.result import Exchange, Failure

_NONE: Mapping[str, JSON] = MappingProxyType({"history": (), "arguments": {}})
"""Of what is known of every turn, that there is none."""

_KINDS: Mapping[str, Any] = MappingProxyType(  # types, as the codec takes them
    {
        "history": tuple[Message, ...],
        "citations": tuple[Citation, ...],
        "tool_calls": tuple[ToolCall, ...],
        "trajectory": tuple[str, ...],
        "call": ToolCall,
        "assertions": tuple[str, ...],
        "rows": tuple[Object, ...],
        "expected_rows": tuple[Object, ...],
        "expected_insights": tuple[str, ...],
    }
)
"""Evidence that a mapping gives as plain data, and is more than that."""


class Evidence(Answers):
    """What is known of a turn (or, with `turn` None, of the conversation; or of one tool call): question, answer, truth.

    Every property either gives a value or raises `Missing` with its own name, so an evaluator never tests for absence.
    """

    __slots__ = ("_call", "_case", "_exchanges", "_history", "_reference", "_reply", "_turn")

    def __init__(
        self,
        *,
        case: Case,
        turn: Turn | None = None,
        reply: Reply | None = None,
        history: tuple[Message, ...] = (),
        exchanges: Sequence[Exchange] = (),
        reference: tuple[Object, ...] | Failure | None = None,
        call: int | None = None,
    ) -> None:
        self._call = call
        self._case = case
        self._turn = turn
        self._reply = reply
        self._history = history
        self._exchanges = exchanges
        self._reference = reference

    @property
    def input(self) -> str:
        """What was said to the agent; a structured input as JSON."""
        if self._turn is None or self._turn.input is None:
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
        """Grounding text the dataset gives with the question; of a conversation, with all its questions."""
        turns = self._case.turns if self._turn is None else (self._turn,)
        given = dict.fromkeys(turn.context for turn in turns if turn.context is not None)
        if not given:
            raise Missing("context")
        return "\n\n".join(given)

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
        texts = list(extract_texts(executions))
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
        """Tools the agent reports to have called for this answer; of a conversation, for all, after those its history tells.

        They are unknown if any answer reports none.
        """
        replies = [self._reply] if self._turn is not None else [each.reply for each in self._exchanges]
        reported = [reply.tool_calls for reply in replies if reply is not None and reply.tool_calls is not None]
        if not reported or len(reported) < len(replies):
            raise Missing("tool_calls")
        before = called(self._case.history) if self._turn is None else ()
        return (*before, *(call for calls in reported for call in calls))

    @property
    def call(self) -> ToolCall:
        """The tool call that is looked at, one of `tool_calls`; a turn as a whole has none."""
        if self._call is None:
            raise Missing("call")
        return self.tool_calls[self._call]

    @property
    def tool_definitions(self) -> tuple[Object, ...]:
        """The tools the agent has: `{name, description, parameters}`."""
        if self._case.tools is None:
            raise Missing("tool_definitions")
        return self._case.tools

    @property
    def conversation(self) -> str:
        """What was said up to and with this answer, or in the whole conversation: one paragraph each, `role: text`."""
        said = [*self._history]
        if self._turn is not None:
            said += exchanged(self._turn.input, self._reply)
        else:
            said += self._case.history
            for each in self._exchanges:
                said += exchanged(each.input, each.reply)
        if not said:
            raise Missing("conversation")
        return "\n\n".join(f"{message.role}: {plain(message.content)}" for message in said)

    @property
    def retrieved_documents(self) -> tuple[Object, ...]:
        """Documents a search returned: `{document_id, relevance_score}`."""
        return self._column("retrieved_documents")

    @property
    def retrieval_ground_truth(self) -> tuple[Object, ...]:
        """How relevant documents are: `{document_id, query_relevance_label}`."""
        return self._column("retrieval_ground_truth")

    @property
    def instruction_id_list(self) -> tuple[JSON, ...]:
        """Names of the instructions that the answer is to follow, such as `punctuation:no_comma`."""
        return self._column("instruction_id_list")

    @property
    def instruction_kwargs(self) -> tuple[JSON, ...]:
        """What each of these instructions asks for, as an object, in the same order."""
        return self._column("instruction_kwargs")

    def limited(self, given: Mapping[str, JSON], sees: Sequence[str]) -> Evidence:
        """The same with these values in place of its own, and nothing else but what is named in `sees`."""
        return _Limited(self, given, sees)

    def of_call(self, index: int) -> Evidence:
        """The same of one of its tool calls, by its place among them."""
        return Evidence(
            case=self._case,
            turn=self._turn,
            reply=self._reply,
            history=self._history,
            exchanges=self._exchanges,
            call=index,
        )

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
            return "\n".join(f"{message.role}: {plain(message.content)}" for message in self.history)
        from vivavoce.core import codec

        text = codec.encode(value).decode()
        # Two calls may be the same, and then only their places tell which is meant.
        return f"number {self._call + 1}: {text}" if name == "call" and self._call is not None else text

    def column(self, path: str) -> JSON:
        """What the dataset gives beside, by the name of its column; with dots, a part of it.

        Raises:
            Missing: the case has no such column.
        """
        value: JSON = self._case.metadata
        for part in (path,) if path in value else path.split("."):
            if not isinstance(value, Mapping) or value.get(part) is None:
                raise Missing(path)
            value = value[part]
        return value

    def _column(self, name: str) -> tuple[JSON, ...]:
        """A list that the dataset gives beside the conversation, as it is or as JSON text."""
        value = self._case.metadata.get(name)
        if isinstance(value, str) and value.lstrip()[:1] == "[":
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        if not isinstance(value, list | tuple):
            raise Missing(name)
        return tuple(value)


class _Limited(Evidence):
    """Evidence as a mapping shows it to one check."""

    __slots__ = ("_given", "_sees", "_whole")

    def __init__(self, whole: Evidence, given: Mapping[str, JSON], sees: Sequence[str]) -> None:
        self._call = None
        self._whole = whole
        self._given = given
        self._sees = frozenset(sees)

    def __getattribute__(self, name: str) -> Any:  # of whatever type the property is
        if name.startswith("_") or name in ("first", "text", "limited", "of_call"):
            return super().__getattribute__(name)
        if name == "column":
            return self._whole.column  # whoever reads a column says which
        if name in self._given:
            return _typed(name, self._given[name])
        if name in self._sees:
            return getattr(self._whole, name)
        if name in _NONE:
            return _NONE[name]
        raise Missing(name)

    def of_call(self, index: int) -> Evidence:
        """The same of one of the tool calls that it shows."""
        from vivavoce.core import codec

        found = _Limited(self._whole, {**self._given, "call": codec.plain(self.tool_calls[index])}, tuple(self._sees))
        found._call = index
        return found


def _typed(name: str, value: JSON) -> Any:  # of the type that the property of this name has
    """Plain data as what the property of this name gives."""
    from vivavoce.core import codec

    return codec.convert(value, _KINDS[name]) if name in _KINDS else value
