"""What every trial of a run shares."""

from __future__ import annotations

from dataclasses import dataclass, field

from vivavoce.core.kinds import Target
from vivavoce.run.calls import Calls
from vivavoce.run.cassette import Deck
from vivavoce.run.checks import Checks
from vivavoce.run.judging import Bench
from vivavoce.run.simulate import Stage


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """Whom trials ask, and how."""

    target: Target
    calls: Calls
    """To the target."""
    checks: Checks
    bench: Bench
    stage: Stage | None = None
    """Who plays the users; `None` where no case has a persona."""
    nonce: str
    """Tells this process's conversations from those of earlier ones, for agents that remember sessions."""
    case_timeout: float | None = None
    deck: Deck = field(default_factory=Deck)
    """What calls pass on their way: the recording, the replay, the cache."""
