"""One outgoing call: its turn, a time limit, and retries where repeating does no harm."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from vivavoce.core.errors import CallError, UsageError
from vivavoce.core.result import Failure, Phase
from vivavoce.run.pace import FIRST_WAIT, LONGEST_WAIT, Pace, share

if TYPE_CHECKING:
    from tenacity import RetryCallState

    from vivavoce.run.spending import Purse

T = TypeVar("T")

TIMEOUT = 120.0
"""Seconds a call may take, unless the person or the target says otherwise."""
PATIENCE = 600.0
"""Seconds a `Retry-After` may ask for; more, and the call fails at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """How much at once, for how long, and how often again; none of it can change an answer."""

    concurrency: int = 10
    """Conversations at once."""
    timeout: float | None = None
    """Seconds for a call; `None` is what the target asks for, or 120."""
    case_timeout: float | None = None
    """Seconds for a whole case, retries and waits included."""
    run_timeout: float | None = None
    """Seconds for the run; what is not done by then is left for a resume."""
    retries: int = 3
    rate: float | None = None
    """Calls a second to the target, at most; fewer where it refuses them."""
    token_budget: int | None = None
    """Tokens, read and written, for the whole run, with what the store has of it already; then nothing more is begun."""
    money_budget: float | None = None
    """The same in USD."""

    def __post_init__(self) -> None:
        """Refuse what would call nobody, or never end.

        Raises:
            UsageError: a limit is no number, or out of range.
        """
        for name, least in (("concurrency", 1), ("retries", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise UsageError(f"{name} must be a whole number of at least {least}, not {value!r}")
        tokens = self.token_budget
        if tokens is not None and (isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 1):
            raise UsageError(f"token_budget must be a whole number of at least 1, or None, not {tokens!r}")
        for name in ("timeout", "case_timeout", "run_timeout", "rate", "money_budget"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise UsageError(f"{name} must be a number above 0, or None, not {value!r}")


class Calls:
    """Makes the outgoing calls of one side - the target, or the judge - within its limits."""

    def __init__(
        self,
        limits: Limits,
        *,
        phase: Phase,
        timeout: float | None,
        idempotent: bool,
        abandons: bool = False,
        waits: bool = True,
        purse: Purse | None = None,
    ):
        self._timeout = limits.timeout or timeout or TIMEOUT
        self._retries = limits.retries
        self._phase = phase
        self._idempotent = idempotent
        self._abandons = abandons
        self.waits = waits
        """Whether there is anything to wait for: else a call needs no time limit, and has taken no time."""
        self._purse = purse if waits else None
        self._pace = Pace(limits.rate)

    async def make(self, call: Callable[[], Awaitable[T]]) -> T | Failure:
        """The outcome of a call, tried again by the contract; never raises but for cancellation.

        A call that may have reached the other side is repeated only if it was answered with a status that says it was not
        dealt with, or if repeating is safe.
        """
        if not self.waits:
            return await self._timed(call)
        outcome = await self._once(call)
        if self._again(outcome) and self._retries:
            outcome = await self._retried(call, outcome)
        return _told(outcome)

    async def sure(self, call: Callable[[], Awaitable[T]]) -> T:
        """The same, for callers that want a failure raised.

        Raises:
            CallError: the call failed for good.
        """
        outcome = await self.make(call)
        if isinstance(outcome, Failure):
            raise CallError(outcome)
        return outcome

    async def _retried(self, call: Callable[[], Awaitable[T]], first: T | Failure) -> T | Failure:
        from tenacity import AsyncRetrying, retry_if_result, stop_after_attempt

        known: list[T | Failure] = [first]  # the attempt already made counts as the first

        async def attempt() -> T | Failure:
            return known.pop() if known else await self._once(call, again=True)

        retrying = AsyncRetrying(
            retry=retry_if_result(self._again),
            stop=stop_after_attempt(self._retries + 1),
            wait=_wait,
            retry_error_callback=_last,
        )
        outcome: T | Failure = await retrying(attempt)
        return outcome

    async def _once(self, call: Callable[[], Awaitable[T]], *, again: bool = False) -> T | Failure:
        begun = await self._pace.turn(again=again)
        outcome = await (self._purse.call(partial(self._timed, call)) if self._purse is not None else self._timed(call))
        if not _beyond(outcome):
            self._pace.heard(begun, outcome)
        return outcome

    async def _timed(self, call: Callable[[], Awaitable[T]]) -> T | Failure:
        try:
            if not self.waits:
                return await call()
            async with asyncio.timeout(self._timeout) as limit:
                return await call()
        except TimeoutError:
            if not self.waits or not limit.expired():
                raise
            left = "; the call was abandoned and may still be running" if self._abandons else ""
            message = f"no answer within {self._timeout:g} s{left}"
            return Failure(code="timeout", message=message, phase=self._phase, retriable=True)
        except CallError as error:
            return error.failure
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return Failure(code="crashed", message="the call was cancelled by what was called", phase=self._phase)

    def _again(self, outcome: object) -> bool:
        """Whether a call is worth repeating, and safe to."""
        if not isinstance(outcome, Failure) or not outcome.retriable or _beyond(outcome):
            return False
        return not outcome.sent or outcome.answered or self._idempotent


def _told(outcome: T | Failure) -> T | Failure:
    """The same; a failure that asks for a longer wait than is waited says so."""
    if not isinstance(outcome, Failure) or outcome.retry_after is None or not _beyond(outcome):
        return outcome
    said = f"it asks to wait {outcome.retry_after:,.0f} s, and no more than {PATIENCE:,.0f} s are waited"
    return replace(outcome, message=f"{outcome.message}; {said}")


def _beyond(outcome: object) -> bool:
    """Whether it asks for a longer wait than anybody has patience for."""
    return isinstance(outcome, Failure) and outcome.retry_after is not None and outcome.retry_after > PATIENCE


def _wait(state: RetryCallState) -> float:
    from tenacity import wait_random_exponential

    outcome = state.outcome.result() if state.outcome is not None else None
    backoff = wait_random_exponential(multiplier=2 * FIRST_WAIT, max=LONGEST_WAIT)(state)
    if isinstance(outcome, Failure) and outcome.retry_after is not None:
        # A little later than asked, and not all at once.
        return outcome.retry_after + min(backoff, share(outcome.retry_after))
    return backoff


def _last(state: RetryCallState) -> object:
    return state.outcome.result() if state.outcome is not None else None
