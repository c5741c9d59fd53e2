"""Judges that are chat models: every model provider is one, under its own name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Guard, Judge, Provider
from vivavoce.core.reply import Completion, Object
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.judges import _answers, _given
from vivavoce.providers._asking import Question, ask
from vivavoce.providers._role import Role, players, straight


class Chat(Role):
    """What a provider's class is given to be a judge as well."""

    def through(self, guard: Guard) -> Judge:
        """The same judge, every call made through `guard`."""
        return Examiner(self._provider, self.name, guard)

    async def judge(self, rubric: Rubric, evidence: Evidence, fields: Object) -> Verdict:
        """The model's verdict on the rubric's scale, as `Examiner` gives it."""
        return await self.through(straight).judge(rubric, evidence, fields)


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
        paper = rubric.fill({"|".join(names): _given.text(names, evidence, fields) for names in rubric.fields})
        question = Question(
            prompt=paper,
            schema=_answers.schema(rubric),
            form=_answers.form(rubric),
            again="Judge the same again",
            failed=f"{self.name} gave no verdict on {rubric.id}",
            phase="judge",
        )

        def read(completion: Completion) -> Verdict:
            return _answers.read(completion, rubric, paper)

        verdict, usage = await ask(self._provider, self._guard, question, read)
        return replace(verdict, usage=usage)

    async def close(self) -> None:
        """Free what the provider holds."""
        await self._provider.close()


def plugins() -> Mapping[str, Callable[[], type[Chat]]]:
    """A judge for each provider that comes with this package."""
    return players(Chat, __name__)
