"""How fast one side is asked: as fast as the person allows, and as it bears, which it tells by refusing."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress

from vivavoce.core.result import Failure

FIRST_WAIT = 0.5
"""Seconds before the first retry, on average; doubled each time."""
LONGEST_WAIT = 30.0

_BUSY = frozenset({"http_429", "http_503", "http_529"})
"""Codes of failures that say: not so much at once."""
_WEIGHT = 3
"""Answers that make up for one refusal: where a quarter of all calls is refused, there is no need to slow down yet."""
_STRAIN = 18
"""Refusals, weighted and less the answers, at which calls are spaced out."""
_WINDOW = 10.0
"""Seconds over which answers are counted."""
_SHORTEST = 0.5
_SLOWER = 0.7
"""By what the rate is multiplied, at least, each time."""
_DOUBLED = 10.0
"""Seconds of answers in which it doubles."""
_FREE = 100.0
"""Calls a second at which they are no longer spaced out, unless the person asked for that."""


class Pace:
    """The pace of all calls to one side, whoever makes them.

    A refusal holds everybody back for as long as it asks to wait, unless a call that was begun later is answered: then not
    everybody is meant. Who was refused comes first after that. Where more than a quarter of all is refused, calls are begun
    only as often as answers came, and more often again while they are answered.
    """

    def __init__(self, most: float | None = None) -> None:
        """`most` is how many calls a second may be begun."""
        self._most = most
        self.rate = most
        """Calls a second that are begun now; `None` is as many as there are."""
        self._next = 0.0
        self._held = 0.0
        self._grace = 0.0
        """Seconds that those who were refused have before the others."""
        self._lifted = asyncio.Event()
        self._refused = 0.0
        """When the last call that was refused had been begun."""
        self._strain = 0
        self._slowed = 0.0
        self._sped = 0.0
        self._first: float | None = None
        self._answered: deque[float] = deque(maxlen=10_000)

    async def turn(self, *, again: bool = False) -> float:
        """Wait until a call may be begun, and return when that is; `again`: it was refused before."""
        loop = asyncio.get_running_loop()
        while True:
            left = self._left(loop.time(), again=again)
            if left > 0:
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await self._lifted.wait()
                continue
            now = loop.time()
            if self.rate is not None:
                at = max(now, self._next)
                self._next = at + 1 / self.rate
                if at > now:
                    await asyncio.sleep(at - now)
                    now = loop.time()
            if self._left(now, again=again) <= 0:
                self._first = now if self._first is None else self._first
                return now

    def heard(self, begun: float, outcome: object) -> None:
        """What came of a call that was begun then."""
        now = asyncio.get_running_loop().time()
        if not isinstance(outcome, Failure):
            self._answer(begun, now)
        elif outcome.answered and outcome.retriable and (outcome.code in _BUSY or outcome.retry_after is not None):
            self._refusal(begun, now, outcome.retry_after)
        elif outcome.answered:
            self._answer(begun, now)

    def _left(self, now: float, *, again: bool) -> float:
        """Seconds for which it is held back."""
        return self._held + (0.0 if again else self._grace) - now

    def _refusal(self, begun: float, now: float, asked: float | None) -> None:
        self._refused = max(self._refused, begun)
        pause = asked
        if pause is None:
            pause = FIRST_WAIT if now >= self._held else 0.0  # each call's own waits become longer
        if pause and now + pause > self._held:
            self._held, self._grace = now + pause, share(pause)
            self._lifted.clear()
        self._strain += _WEIGHT
        if self._strain >= _STRAIN and begun >= self._slowed:
            self._slow(now, pause)

    def _slow(self, now: float, pause: float) -> None:
        """As fast as answers came of late, the pause included; and slower than now.

        Where none came, nothing is known of what it bears: it may bear nothing any more, and the run is to come to its end.
        """
        self._slowed = self._sped = now
        self._strain = 0
        span = min(now - (self._first or now), _WINDOW)
        came = sum(at >= now - span for at in self._answered)
        if not came:
            self.rate = self._most
            return
        rate = came / max(span + pause, _SHORTEST)
        if self.rate is not None:
            rate = min(rate, _SLOWER * self.rate)
        self.rate = max(rate, 1 / LONGEST_WAIT)

    def _answer(self, begun: float, now: float) -> None:
        self._answered.append(now)
        self._strain = max(self._strain - 1, 0)
        if begun > self._refused and now < self._held + self._grace:
            self._held, self._grace = now, 0.0
            self._lifted.set()
        if self.rate is not None and self.rate != self._most:
            self.rate *= 2.0 ** (min(now - self._sped, 1.0) / _DOUBLED)
            self._sped = now
            if self._most is not None:
                self.rate = min(self.rate, self._most)
            elif self.rate > _FREE:
                self.rate = None


def share(pause: float) -> float:
    """Seconds over which those who were asked to wait so long are spread, lest they all come at once."""
    return 0.1 * pause + 0.1
