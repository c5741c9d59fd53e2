"""Ask a chat model for an answer of a given form, and once more where the first cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from vivavoce.core import amounts
from vivavoce.core.errors import Abstain, CallError
from vivavoce.core.kinds import Guard, Provider
from vivavoce.core.reply import Completion, Message, Object
from vivavoce.core.result import Failure, Phase

T = TypeVar("T")


class Unusable(Exception):
    """An answer that is not what was asked for; the message says why, to the model as to a person."""

    def __init__(self, why: str, code: str = "bad_answer") -> None:
        self.code = code
        super().__init__(why)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What a model is asked."""

    prompt: str
    schema: Object
    """Of the answer."""
    form: str
    """The same in words, as they complete "answer with"."""
    again: str
    """What is said after an answer that cannot be used, such as "Judge the same again"."""
    failed: str
    """What a failure says when no answer could be used."""
    phase: Phase


async def ask(provider: Provider, guard: Guard, question: Question, read: Callable[[Completion], T]) -> tuple[T, Object]:
    """What `read` makes of the answer, with what the calls took; an answer that it calls unusable is given one more chance.

    Raises:
        Abstain: `read` raised it; carries what the answers took, as does the other.
        CallError: the model failed, or twice gave nothing that can be used.
    """
    asked = Message(role="user", content=f"{question.prompt}\n\nAnswer with {question.form}")
    spent: dict[str, float] = {}
    first = await _answer(provider, guard, [asked], question.schema, spent)
    try:
        return read(first), spent
    except Abstain as abstention:
        raise Abstain(str(abstention), spent) from None
    except Unusable as unusable:
        again = [asked, *_correction(first, unusable, question)]
    second = await _answer(provider, guard, again, question.schema, spent)
    try:
        return read(second), spent
    except Abstain as abstention:
        raise Abstain(str(abstention), spent) from None
    except Unusable as unusable:
        message = f"{question.failed}, asked twice: {unusable}"
        raise CallError(Failure(code=unusable.code, message=message, phase=question.phase), spent) from None


def unspoken(completion: Completion) -> None:
    """Refuse an answer that is none.

    Raises:
        Unusable: the model declined, said nothing, or was cut short.
    """
    if completion.refused:
        raise Unusable("the model declined to answer", "refused")
    if not completion.text.strip():
        raise Unusable("the answer was cut before it began" if completion.cut else "the answer was empty")
    if completion.cut:  # also where an object in it is whole: what was to follow is not known
        raise Unusable("the answer was cut before its end; be brief (the option max_tokens allows more)")


async def _answer(
    provider: Provider, guard: Guard, messages: list[Message], schema: Object, spent: dict[str, float]
) -> Completion:
    async def call() -> Completion:
        return await provider.complete(messages, schema)

    try:
        completion = await guard(call)
    except CallError as error:
        raise CallError(error.failure, spent) from None
    amounts.add(spent, {**completion.usage, "calls": 1})
    return completion


def _correction(completion: Completion, unusable: Unusable, question: Question) -> list[Message]:
    """What is said after an answer that cannot be used; one that was refused or is empty is not repeated to its author."""
    wrong = Message(role="user", content=f"That cannot be used: {unusable}. {question.again}, and answer with {question.form}")
    if completion.refused or not completion.text.strip():
        return [wrong]
    return [Message(role="assistant", content=completion.text), wrong]
