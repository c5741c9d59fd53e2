"""What a run has taken so far in tokens and money, and the budget at which nothing more is begun."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from vivavoce.analysis.summary import Tally
from vivavoce.analysis.taken import tokens_and_cost
from vivavoce.core import plugins
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Plan, Use
from vivavoce.core.result import Result, Usage
from vivavoce.run.asking import judge_of, simulator_of

if TYPE_CHECKING:
    from vivavoce.run.cassette import Deck

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class _Trial:
    """What a trial that is under way has taken."""

    tokens: float = 0.0
    money: float = 0.0
    waits: bool = False
    """Whether it asked for a call that was not begun."""


_HELD: ContextVar[_Trial | None] = ContextVar("viva_trial_held", default=None)


class Purse:
    """Counts what a run takes, call by call; once the budget is reached, whoever wants to begin anything waits forever.

    A trial that is through counts with what its result says, so that the sum is that of the run's summary.
    """

    def __init__(self, *, tokens: int | None, money: float | None, before: Usage) -> None:
        """`before` is what the run has taken already."""
        self._caps = (tokens, money)
        self._tokens = float(before.input_tokens + before.output_tokens)
        self._money = before.cost_usd
        self._trials: set[_Trial] = set()
        self._calls = 0
        self._wanted = False
        self.settled = asyncio.Event()
        """The budget is reached, something was not begun for it, and all that was under way has ended."""

    @property
    def is_spent(self) -> bool:
        """Whether the budget is reached."""
        tokens, money = self._caps
        if tokens is not None and self._tokens + sum(trial.tokens for trial in self._trials) >= tokens:
            return True
        return money is not None and round(self._money + sum(trial.money for trial in self._trials), 9) >= money

    async def trial(self, hold: Callable[[], Awaitable[Result]]) -> Result:
        """A trial, held within the budget; one that would need another call once that is reached never returns."""
        if self.is_spent:
            await self._forever()
        held = _Trial()
        self._trials.add(held)
        token = _HELD.set(held)
        try:
            result = await hold()
            if held.waits:  # it gave up waiting, as at the time limit of its case: that is no outcome
                await self._forever()
            took = _took(result)
            self._tokens += took.input_tokens + took.output_tokens
            self._money += took.cost_usd
            return result
        finally:
            _HELD.reset(token)
            self._trials.discard(held)
            self._look()

    async def call(self, make: Callable[[], Awaitable[T]]) -> T:
        """A call, unless the budget is reached."""
        held = _HELD.get()
        if self.is_spent:
            if held is not None:
                held.waits = True
            await self._forever()
        self._calls += 1
        try:
            outcome = await make()
            tokens, money = tokens_and_cost(getattr(outcome, "usage", None))
            if held is not None:
                held.tokens += tokens
                held.money += money
            return outcome
        finally:
            self._calls -= 1
            self._look()

    async def _forever(self) -> None:
        self._wanted = True
        self._look()
        await asyncio.get_running_loop().create_future()

    def _look(self) -> None:
        if self._wanted and not self._calls and all(trial.waits for trial in self._trials):
            self.settled.set()


def purse(tokens: int | None, money: float | None, before: Usage) -> Purse | None:
    """What keeps a run within its budget, where it has one."""
    return None if tokens is None and money is None else Purse(tokens=tokens, money=money, before=before)


def check(plan: Plan, money: float | None, deck: Deck | None) -> None:
    """Refuse a budget of money for a model whose price nobody knows: it would never be reached.

    Raises:
        UsageError: so it is; names the model.
    """
    if money is None:
        return
    selection = plan.header.selection
    if deck is None or not deck.silent("judge"):
        _check("judge", judge_of(selection)[0])
    if selection.simulator is not None and (deck is None or not deck.silent("simulator")):
        _check("simulator", simulator_of(selection)[0])


def _check(what: str, use: Use) -> None:
    made = plugins.build(f"{what}s", use, lax=True)
    if getattr(made, "is_priced", True):
        return
    model = getattr(made, "model", use.name)
    raise UsageError(
        f"what the {what} {getattr(made, 'name', use.name)} costs is not known, so a money budget would not hold: say it under "
        f'[prices] in viva.toml, as "{model}" = {{ input = 0.5, output = 2.0 }}, in USD per million tokens, '
        "or by its options input_price and output_price; or limit the run by --token-budget"
    )


def _took(result: Result) -> Usage:
    tally = Tally()
    tally.add(result)
    return tally.usage
