"""Judges that are chat models: every model provider is one, under its own name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import ClassVar, TypeVar, cast

from vivavoce.core import plugins as known
from vivavoce.core.errors import CallError
from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Guard, Judge, Provider
from vivavoce.core.reply import Completion, Message, Object
from vivavoce.core.result import Failure, Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.judges import _answers, _given
from vivavoce.judges._answers import Unusable

T = TypeVar("T")


class Chat:
    """What a provider's class is given to be a judge as well; its options, checks and manual stay as they are."""

    vendor: ClassVar[str]
    """The provider's name."""

    @property
    def name(self) -> str:
        """As reports say who spoke, such as `openai:gpt-5-mini`."""
        return f"{self.vendor}:{self._provider.model}"

    def through(self, guard: Guard) -> Judge:
        """The same judge, every call made through `guard`."""
        return Examiner(self._provider, self.name, guard)

    async def judge(self, rubric: Rubric, evidence: Evidence, fields: Object) -> Verdict:
        """The model's verdict on the rubric's scale, as `Examiner` gives it."""
        return await self.through(_straight).judge(rubric, evidence, fields)

    @property
    def _provider(self) -> Provider:
        return cast(Provider, self)  # `plugins` mixes this into the classes of providers, and nobody else does


class Examiner:
    """Puts rubrics to a chat model, and takes nothing but a reason with a grade on the scale."""

    def __init__(self, provider: Provider, name: str, guard: Guard) -> None:
        self._provider = provider
        self._guard = guard
        self.name = name

    async def judge(self, rubric: Rubric, evidence: Evidence, fields: Object) -> Verdict:
        """The model's verdict; an answer that cannot be used is given one more chance.

        Raises:
            CallError: the model failed, or twice gave no verdict; carries what its answers took.
            Missing: the rubric reads what is not there.
        """
        form = _answers.form(rubric)
        paper = rubric.fill({"|".join(names): _given.text(names, evidence, fields) for names in rubric.fields})
        asked = Message(role="user", content=f"{paper}\n\nAnswer with {form}")
        usage = _Usage()
        first = await self._ask([asked], rubric, usage)
        try:
            return usage.on(_answers.read(first, rubric, paper))
        except Unusable as unusable:
            again = [asked, *_correction(first, unusable, form)]
        second = await self._ask(again, rubric, usage)
        try:
            return usage.on(_answers.read(second, rubric, paper))
        except Unusable as unusable:
            message = f"{self.name} gave no verdict on {rubric.id}, asked twice: {unusable}"
            raise CallError(Failure(code=unusable.code, message=message, phase="judge"), usage.spent) from None

    async def close(self) -> None:
        """Free what the provider holds."""
        await self._provider.close()

    async def _ask(self, messages: list[Message], rubric: Rubric, usage: _Usage) -> Completion:
        async def call() -> Completion:
            return await self._provider.complete(messages, _answers.schema(rubric))

        try:
            completion = await self._guard(call)
        except CallError as error:
            raise CallError(error.failure, usage.spent) from None
        usage.add(completion)
        return completion


class _Usage:
    """What the calls for one verdict took."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def add(self, completion: Completion) -> None:
        for name, amount in {**completion.usage, "calls": 1}.items():
            self.spent[name] = self.spent.get(name, 0) + amount

    def on(self, verdict: Verdict) -> Verdict:
        return Verdict(reason=verdict.reason, value=verdict.value, label=verdict.label, usage=self.spent)


def plugins() -> Mapping[str, type[Chat]]:
    """A judge for each provider that comes with this package."""
    return MappingProxyType({name: _judge(name) for name in known.names("providers", installed=False)})


def _judge(name: str) -> type[Chat]:
    provider: type = known.find("providers", name)  # type: ignore[assignment] # those of this package are classes
    told = {"__doc__": provider.__doc__, "__module__": __name__, "vendor": name}
    made: type[Chat] = type(provider.__name__, (Chat, provider), told)
    return made


def _correction(completion: Completion, unusable: Unusable, form: str) -> list[Message]:
    """What is said after an answer that cannot be used; one that was refused or is empty is not repeated to its author."""
    wrong = Message(role="user", content=f"That cannot be used: {unusable}. Judge the same again, and answer with {form}")
    if completion.refused or not completion.text.strip():
        return [wrong]
    return [Message(role="assistant", content=completion.text), wrong]


async def _straight(call: Callable[[], Awaitable[T]]) -> T:
    return await call()
