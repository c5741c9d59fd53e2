"""What a document cannot hold, gathered while it is written and told in sentences."""

from __future__ import annotations

from vivavoce.core.model import Case, Expectation
from vivavoce.core.reply import Reply

_EXPECTED = (
    ("assertions", "assertions"),
    ("trajectory", "expected trajectories"),
    ("arguments", "expected arguments of tools"),
    ("rows", "expected rows"),
    ("reference_query", "reference queries"),
    ("intent", "expected intents"),
    ("refusal", "expected refusals"),
    ("insights", "expected insights"),
)
_ANSWERED = ("tool_calls", "rows", "intent", "refusal", "insight", "raw")


class Losses:
    """Kinds of things that were left out, each with the cases it was left out of."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, None]] = {}

    def add(self, what: str, case_id: str) -> None:
        """Remember a loss; `what` is a clause about several cases."""
        self._found.setdefault(what, {})[case_id] = None

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each kind."""
        return tuple(f"{what} ({_listed(list(cases))})." for what, cases in self._found.items())

    def of_case(self, case: Case) -> None:
        """Everything of a case, its turns included, that has no field."""
        if case.history:
            self.add("Earlier messages have no place and are left out", case.id)
        if case.tools is not None:
            self.add("Definitions of tools have no place and are left out", case.id)
        if any(check.given is not None for check in (*case.checks, *(check for turn in case.turns for check in turn.checks))):
            self.add("What a mapping shows an evaluator has no place and is left out", case.id)
        if case.checks:
            self.add("Checks of a conversation as a whole have no place and are left out", case.id)
        self._of_expectation(case.expect, case.id)
        if case.expect.response is not None:
            self.add("An expected response to a conversation as a whole has no place and is left out", case.id)
        for turn in case.turns:
            self._of_expectation(turn.expect, case.id)
            if turn.reply is not None and has_more(turn.reply):
                self.add("Of recorded answers, all but text, citations and retrievals is left out", case.id)

    def _of_expectation(self, expect: Expectation, case_id: str) -> None:
        for name, words in _EXPECTED:
            if getattr(expect, name) is not None:
                self.add(f"{words.capitalize()} have no place and are left out", case_id)


def has_more(reply: Reply) -> bool:
    """Whether an answer has parts that a document has no field for."""
    return bool(reply.usage) or any(getattr(reply, name) is not None for name in _ANSWERED)


def _listed(cases: list[str]) -> str:
    shown = ", ".join(cases[:3])
    return f"{shown} and {len(cases) - 3} more" if len(cases) > 3 else shown
