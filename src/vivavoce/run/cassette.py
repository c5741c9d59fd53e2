"""Record, replay, and spare: one mechanism between the run and whom it asks, of which plugins know nothing.

A `Deck` is what a run has; each trial has a `Player` over it, through which the trial's calls pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from vivavoce.core import plugins
from vivavoce.core.errors import UsageError
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Selection, Trial, Use
from vivavoce.core.reply import Object
from vivavoce.core.rubric import Rubric
from vivavoce.core.scene import Scene
from vivavoce.run import secrecy
from vivavoce.run._cassette.cache import Cache
from vivavoce.run._cassette.call import Call, Kind, asked
from vivavoce.run._cassette.outcome import Clean
from vivavoce.run._cassette.reading import Told, read
from vivavoce.run._cassette.tape import Tape
from vivavoce.run.asking import judge_of, simulator_of

CACHE = ".viva/cache"
"""The folder of verdicts that are kept from run to run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Taping:
    """What a person wants recorded, replayed and spared; none of it is part of a plan."""

    record: str | None = None
    """The file that every call is recorded in."""
    replay: str | None = None
    """The file that answers every call."""
    record_missing: bool = False
    """Whether a call that `replay` does not hold is made, and recorded there."""
    cache: str | None = None
    """The folder of judges' verdicts; `None` keeps and takes none."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            UsageError: two of them exclude each other.
        """
        if self.record is not None and self.replay is not None:
            raise UsageError("--record and --replay exclude each other; --replay FILE --record-missing adds to a recording")
        if self.record_missing and self.replay is None:
            raise UsageError("--record-missing needs --replay FILE, the recording that is added to")

    @property
    def asks(self) -> bool:
        """Whether anybody may be called."""
        return self.replay is None or self.record_missing


NOTHING_TAPED = Taping()
NOTHING_SELECTED = Selection()


class Deck:
    """The recording of a run, and its cache."""

    def __init__(self, taping: Taping = NOTHING_TAPED, selection: Selection = NOTHING_SELECTED) -> None:
        """Open what is to be recorded or replayed.

        Raises:
            UsageError: the file cannot be read or written; nothing was called.
        """
        self.taping = taping
        self.clean = Clean(secrecy.values(selection))
        file = taping.record or taping.replay
        self.tape = None if file is None else Tape(Path(file), records=taping.record is not None or taping.record_missing)
        self.cache = None if taping.cache is None or not taping.asks else Cache(Path(taping.cache))
        target, judge = selection.target or Use(name="recorded"), judge_of(selection)[0]
        self.uses: dict[Kind, Object] = {
            "agent": asked(target),
            "rows": asked(target),
            "judge": asked(judge),
            "simulator": asked(simulator_of(selection)[0]),
        }
        held = plugins.fold(target.name) == "recorded"  # the dataset itself holds the answers, and they may be others tomorrow
        guarded = hasattr(plugins.find("judges", judge.name), "through")
        self.spares = self.cache is not None and guarded
        """Whether verdicts are kept from run to run: those of a judge that makes calls."""
        self.also_reads = () if guarded else ("history",)
        """What a judge that is no chat model may read beside its rubric."""
        self.takes: dict[Kind, bool] = {
            "agent": self.tape is not None and not (held and target.options.get("fetch") is None),
            "rows": self.tape is not None,
            "judge": self.tape is not None and plugins.fold(judge.name) != "none",
            "simulator": self.tape is not None,
        }

    @property
    def warning(self) -> str | None:
        """What a person should know of the file."""
        return None if self.tape is None else self.tape.warning

    def silent(self, kind: Kind) -> bool:
        """Whether nobody of this kind is called, and so need not be there."""
        return self.takes[kind] and not self.taping.asks

    def name(self, kind: Kind) -> str:
        """How reports call who answered the calls of this kind that are replayed."""
        found = None if self.tape is None else self.tape.known_as(kind, self.uses[kind])
        return found or str(self.uses[kind]["name"])

    def holds(self, call: Call) -> bool:
        """Whether a call is recorded."""
        return self.tape is not None and self.tape.find(call) is not None

    def close(self) -> None:
        """Put the recording in order.

        Raises:
            UsageError: it could not be written.
        """
        if self.tape is not None:
            self.tape.close()


class Nobody:
    """In place of whom a replay never asks, and who need not be there."""

    def session(self, trial: Trial) -> NoReturn:
        """There is none."""
        raise AssertionError("a replay holds no conversation")

    async def judge(self, rubric: Rubric, evidence: Evidence, fields: Object) -> NoReturn:
        """There is none."""
        raise AssertionError("a replay asks no judge")

    async def move(self, scene: Scene) -> NoReturn:
        """There is none."""
        raise AssertionError("a replay asks no simulator")

    async def close(self) -> None:
        """Nothing is held."""


def asked_in(path: str, kind: Kind) -> Iterator[Object]:
    """Whom the recorded calls of a kind asked: name and options, once for each call.

    Raises:
        UsageError: the file cannot be read.
    """
    return (line.call.asked for line in read(Path(path), Told()) if line.call.kind == kind)
