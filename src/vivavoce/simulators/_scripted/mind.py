"""What a scripted user has in mind during a conversation: what it still wants, and how much more it bears."""

from __future__ import annotations

import random

from vivavoce.core.model import Persona
from vivavoce.core.scene import Move
from vivavoce.simulators._scripted import person
from vivavoce.simulators._scripted.answers import Answer, hear
from vivavoce.simulators._scripted.goal import Goal, Part, read
from vivavoce.simulators._scripted.vocabulary import has, is_english, phrases, stems

_TRIES = 2
"""How often one thing is asked for."""


class Mind:
    """One user, from the first message on. The same persona and seed, given the same answers, says the same."""

    def __init__(self, persona: Persona, seed: int) -> None:
        self._persona = persona
        self._chance = random.Random(seed)  # a user, not a key
        self._goal: Goal = read(persona)
        self._facts = person.facts(persona, self._goal.beside)
        self._tone = person.tone(persona)
        self._english = is_english(persona.goal)
        self._left = person.patience(persona)
        self._open = list(self._goal.parts)
        self._lost: list[Part] = []
        self._tries: dict[Part, int] = {}
        self._had: dict[Part, int] = {}
        """Of how many it was told, where it wants several."""
        self._now: Part | None = None
        self._asked_for: set[Part] = set()
        """What was said that it wants, in words that tell."""
        self._said = ""
        self._last: Answer | None = None
        self._told: set[str] = set()
        self._why = ""
        self._turns = 0

    def begin(self, said: str) -> None:
        """The first message, where it is given: what it is after is what it shares most words with."""
        about = stems(said)
        self._now = max(self._open, key=lambda part: len(about & part.about))
        if about & self._now.about:
            self._aim(self._now)
            self._asked_for.add(self._now)
        self._said = said

    def hear(self, text: str) -> None:
        """What the agent answered."""
        answer = hear(text)
        self._turns += 1
        covered = [part for part in self._open if self._is_covered(part, answer)]
        for part in covered:
            self._had[part] = self._had.get(part, 0) + answer.counts()
            self._tries[part] = 0
        self._open = [part for part in self._open if self._had.get(part, 0) < part.several]
        if covered:
            self._left, self._why = person.patience(self._persona), ""
        elif self._now is not None:
            self._bear(answer)
        self._last = answer

    def move(self) -> Move:
        """What the user does now."""
        if self._last is None:
            return self._ask(self._open[0], self._phrase("greeting"), "begins with the first thing it wants")
        is_long_enough = self._turns >= (self._persona.desired_turns or 0) or not self._english
        if not self._open and not self._lost and is_long_enough:
            told = "; ".join(part.it for part in self._goal.parts)
            return Move(reasoning=f"the agent spoke to everything the goal asks for: {told}", stop="goal_completed")
        if self._left <= 0 or (not self._open and self._lost):
            return Move(reasoning=self._given_up(), stop="gave_up")
        if self._last.asked and self._open and (reply := self._reply(self._last.asked)) is not None:
            return reply
        return self._go_on()

    def _go_on(self) -> Move:
        """The next thing, or the same in other words."""
        while self._open:
            part = self._now if self._now in self._open else self._open[0]
            assert part is not None
            tries = self._tries.get(part, 0)
            if tries >= _TRIES:
                self._open.remove(part)
                self._lost.append(part)
                continue
            if self._had.get(part):
                self._aim(part)
                return self._say(self._phrase("another"), f"was told of one, and wants several: {part.it}")
            if part == self._now and part not in self._asked_for:
                return self._ask(part, "", "has not said yet what it wants, and says it")
            if tries:
                return self._ask(part, self._phrase("again"), f"was not told of {part.it}, and asks again")
            return self._ask(part, self._phrase("next"), f"goes on to the next thing it wants: {part.it}")
        if self._lost:
            return Move(reasoning=self._given_up(), stop="gave_up")
        self._now = None
        return self._say(self._phrase("more"), "has what it came for, and is to talk a little longer")

    def _ask(self, part: Part, before: str, why: str) -> Move:
        """Ask for one thing."""
        self._aim(part)
        self._asked_for.add(part)
        if part.kind == "plain" or not self._english:
            return self._say(part.it, why)
        asked = self._phrase(part.kind).format(it=part.it)
        return self._say(f"{before} {asked}".strip(), why)

    def _aim(self, part: Part) -> None:
        self._now = part
        self._tries[part] = self._tries.get(part, 0) + 1

    def _reply(self, asked: str) -> Move | None:
        """What is said to a question of the agent's; `None` when it is not worth a turn."""
        if not self._english:
            return self._tell(asked)
        if has(asked, "probes"):
            return self._say(self._phrase("aside"), "was asked who it is, and keeps to what it wants")
        if has(asked, "offers"):
            about = stems(asked)
            wanted = any(about & part.about for part in self._open)
            return self._say(self._phrase("yes" if wanted else "no"), "was offered something, and says whether it wants that")
        if (told := self._tell(asked)) is not None:
            return told
        if self._now is not None and self._now in self._open and self._now not in self._asked_for:
            return self._ask(self._now, "", "was asked what it wants, and has not said so yet")
        if self._now is not None and self._tries.get(self._now, 0) >= _TRIES:
            return None
        return self._say(self._phrase("unknown"), "was asked for something that its profile does not tell") if asked else None

    def _tell(self, asked: str) -> Move | None:
        """A fact that answers a question, each once."""
        about = stems(asked)
        known = [fact for fact in self._facts if fact.text not in self._told and fact.about & about]
        if not known:
            return None
        fact = max(known, key=lambda each: len(each.about & about))
        self._told.add(fact.text)
        return self._say(fact.text, "was asked for something, and its profile tells it")

    def _is_covered(self, part: Part, answer: Answer) -> bool:
        if self._had.get(part) and self._is_same(answer):
            return False  # it tells of no other
        return answer.covers(part, self._said) if part == self._now else answer.covers_beside(part)

    def _is_same(self, answer: Answer) -> bool:
        return self._last is not None and answer.key == self._last.key

    def _bear(self, answer: Answer) -> None:
        """An answer that did not help costs patience; the same once more, twice as much."""
        if self._is_same(answer):
            self._left -= 2
            self._why = "the agent said the same again"
        elif answer.declines:
            self._left -= 1
            self._why = "the agent declined"
        elif answer.is_empty:
            self._left -= 1
            self._why = "the agent said nothing"
        elif not answer.asked or not any(fact.about & stems(answer.asked) for fact in self._facts):
            self._left -= 1
            self._why = (
                "the agent asked for what the user does not know" if answer.asked else "the agent spoke of something else"
            )

    def _given_up(self) -> str:
        missing = "; ".join(part.it for part in (*self._lost, *self._open)[:3])
        return f"{self._why or 'the agent did not help'}, and what is still wanting is: {missing}"

    def _phrase(self, name: str) -> str:
        return self._chance.choice(phrases(name, self._tone)) if self._english else ""

    def _say(self, message: str, why: str) -> Move:
        self._said = message
        return Move(reasoning=why, message=f"{message[:1].upper()}{message[1:]}")
