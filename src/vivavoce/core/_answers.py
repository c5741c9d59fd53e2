"""What an answer tells beside its text - rows, an intent, a refusal, an insight - and what is expected of it or its case."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.core.errors import CallError, Missing
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Object, Reply
from vivavoce.core.result import Failure

QUERY, INSIGHT, VIEW_CHANGE, REFUSED = INTENTS = ("QUERY", "INSIGHT", "VIEW_CHANGE", "REFUSED")
"""What an answer can be; compared without regard to case."""


class Answers:
    """The part of `Evidence` that is of kinds of answers, and of what is expected.

    An answer of a known kind has nothing of the others: an insight has no rows, and a query no refusal. That is reported-none.
    """

    __slots__ = ()

    _case: Case
    _turn: Turn | None
    _reply: Reply | None
    _reference: tuple[Object, ...] | Failure | None

    @property
    def rows(self) -> tuple[Object, ...]:
        """The rows of the answer, in order; `()` of one that is reported to be no query."""
        if self._reply is not None and self._reply.rows is not None:
            return self._reply.rows
        if self._is_another(QUERY):
            return ()
        raise Missing("rows")

    @property
    def expected_rows(self) -> tuple[Object, ...]:
        """The rows the answer must have: those of the reference query, where there is one, else those of the file.

        Raises:
            CallError: the reference query failed.
        """
        expect = self._expect
        if expect.reference_query is None:
            if expect.rows is None:
                raise Missing("expected_rows")
            return expect.rows
        if isinstance(self._reference, Failure):
            raise CallError(self._reference)
        if self._reference is None:
            raise Missing("expected_rows", why="the reference query was not run")
        return self._reference

    @property
    def intent(self) -> str:
        """What kind of answer it is, as the agent reports it."""
        if self._reply is None or self._reply.intent is None:
            raise Missing("intent")
        return self._reply.intent

    @property
    def expected_intent(self) -> str:
        """The kind of answer that is expected."""
        if self._expect.intent is None:
            raise Missing("expected_intent")
        return self._expect.intent

    @property
    def refusal(self) -> str:
        """Why the agent declined; `""` of an answer that is reported to be no refusal."""
        if self._reply is not None and self._reply.refusal is not None:
            return self._reply.refusal
        if self._is_another(REFUSED):
            return ""
        raise Missing("refusal")

    @property
    def expected_refusal(self) -> str:
        """A text that the reason of a refusal must contain."""
        if self._expect.refusal is None:
            raise Missing("expected_refusal")
        return self._expect.refusal

    @property
    def insight(self) -> str:
        """The text of an insight; `""` of an answer that is reported to be none."""
        if self._reply is not None and self._reply.insight is not None:
            return self._reply.insight
        if self._is_another(INSIGHT):
            return ""
        raise Missing("insight")

    @property
    def expected_insights(self) -> tuple[str, ...]:
        """Texts that an insight must contain, each of them."""
        if self._expect.insights is None:
            raise Missing("expected_insights")
        return self._expect.insights

    @property
    def assertions(self) -> tuple[str, ...]:
        """Statements that should hold of the conversation; `()` means none."""
        expected = next((each.assertions for each in self._told if each.assertions is not None), None)
        if expected is None:
            raise Missing("assertions")
        return expected

    @property
    def trajectory(self) -> tuple[str, ...]:
        """Names of the tools that are expected to be called, in order; `()` means no tool at all."""
        expected = next((each.trajectory for each in self._told if each.trajectory is not None), None)
        if expected is None:
            raise Missing("trajectory")
        return expected

    @property
    def arguments(self) -> Mapping[str, Object]:
        """What each expected tool is to be called with, by its name; empty when the case does not say."""
        return next((each.arguments for each in self._told if each.arguments), {})

    @property
    def _expect(self) -> Expectation:
        """What is expected of the turn, or without one of the whole conversation."""
        return self._case.expect if self._turn is None else self._turn.expect

    @property
    def _told(self) -> tuple[Expectation, ...]:
        """Where it may stand what is expected of a conversation: with its only turn as well."""
        turns = self._case.turns if self._turn is None and len(self._case.turns) == 1 else ()
        return (self._expect, self._case.expect, *(turn.expect for turn in turns))

    def _is_another(self, kind: str) -> bool:
        """Whether the agent reports an answer of a known kind that is not this one."""
        told = self._reply.intent if self._reply is not None else None
        return told is not None and told.strip().upper() in INTENTS and told.strip().upper() != kind
