"""Evidence made of what a test gives, and a judge that answers by rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Reply
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric


def make_evidence(
    text: str | None = None, expected: str | None = None, *, context: str | None = None, retrievals: Any = None
) -> Evidence:
    turn = Turn(input="Why?", context=context, expect=Expectation(response=expected))
    reply = Reply(text=text, retrievals=None if retrievals is None else tuple(retrievals))
    return Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=reply)


class Reader:
    """A judge that reads what the rubric names, and says of a claim that the sources support it if they share a long word."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.asked: list[dict[str, str]] = []

    async def __call__(self, rubric: Rubric, /, **fields: str) -> Verdict:
        read = {}
        for names in rubric.fields:
            given = next((fields[name] for name in names if name in fields), None)
            read["|".join(names)] = self.evidence.first(*names) if given is None else given
        self.asked.append(read)
        assert all(text in rubric.fill(read) for text in read.values())
        words = [set(text.lower().split()) for text in read.values()]
        shared = {word for word in set.intersection(*words) if len(word) > 5}
        if rubric.labels:
            label = "Supported" if shared else "not supported"
            return rubric.check(Verdict(label=label, reason=f"they share {sorted(shared)}"))
        return rubric.check(Verdict(value=5 if shared else 1, reason=f"they share {sorted(shared)}"))


@pytest.fixture
def evidence() -> Callable[..., Evidence]:
    return make_evidence


@pytest.fixture
def reader() -> Callable[[Evidence], Reader]:
    return Reader
