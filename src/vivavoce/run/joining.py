"""Recorded conversations joined with the cases they are of, so that what was held once is examined by what was expected."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from vivavoce.core import codec
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Case, File, Selection, Turn
from vivavoce.core.place import Problems
from vivavoce.core.plugins import fold
from vivavoce.core.reply import Fault, Reply
from vivavoce.run import files
from vivavoce.run.pairing import Unpaired, pairs, played, shown
from vivavoce.run.steady import stamp

FORMAT = "otel"
"""The format that files of traces have."""
NO_SPANS = "no_spans"
SEVERAL = "several_sessions"
UNPAIRED = "turns_differ"
_MOST_TOLD = 100


class Recordings:
    """Every conversation of some files of traces, kept in a temporary database on disk; its ids alone are in memory."""

    def __init__(self, repeat: int) -> None:
        self.files: list[File] = []
        self.paths: set[Path] = set()
        """Where they are, all links followed."""
        self._repeat = repeat
        self._told: dict[str, str] = {}
        self._names: dict[str, str | None] = {}
        self._sorted: list[str] = []
        self._claims: dict[str, tuple[int, int, str]] = {}
        self._of: dict[str, list[str]] = {}
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;")
        self._database.execute("CREATE TABLE held (id TEXT PRIMARY KEY, body BLOB) WITHOUT ROWID")

    def add(self, conversation: Case) -> bool:
        """Keep a conversation; `False` when there is one of its id."""
        if conversation.id in self._names:
            return False
        named = conversation.metadata.get("case")
        self._names[conversation.id] = named if isinstance(named, str) else None
        self._database.execute("INSERT INTO held VALUES (?, ?)", (conversation.id, codec.encode(conversation)))
        return True

    def claim(self, names: Iterator[str]) -> None:
        """Say which cases there are; each conversation is of the case that fits it best.

        That is the case it names by an attribute; else that of its own id; else the longest that its id begins with, and a `-`.
        """
        self._sorted = sorted(self._names)
        named: dict[str, list[str]] = {}
        for conversation, name in self._names.items():
            if name is not None:
                named.setdefault(name, []).append(conversation)
        for name in names:
            for conversation in named.get(name, ()):
                self._offer(conversation, (2, 0, name))
            if name in self._names:
                self._offer(name, (1, 0, name))
            at = bisect_left(self._sorted, f"{name}-")
            while at < len(self._sorted) and self._sorted[at].startswith(f"{name}-"):
                self._offer(self._sorted[at], (0, len(name), name))
                at += 1
        for conversation in self._names:  # in the order in which they began
            if conversation in self._claims:
                self._of.setdefault(self._claims[conversation][2], []).append(conversation)

    def case(self, case: Case, repeat: int) -> Case:
        """A case with the answers recorded for it, or with the fault that there are none."""
        sessions = self._of.get(case.id, [])
        if len(sessions) > self._repeat:
            some = ", ".join(sessions[:3])
            way_out = f"examine each with --repeat {len(sessions)}, or leave one in the file"
            return _failed(case, SEVERAL, f"{len(sessions)} recorded conversations are of this case, {some}: {way_out}")
        if repeat >= len(sessions):
            which = f" for its repeat {repeat}" if sessions else ""
            way_out = (
                f'a conversation is if its id is "{case.id}" or begins with "{case.id}-", or its attribute viva.case names it'
            )
            return _failed(case, NO_SPANS, f"no spans in the traces are of this case{which}; {way_out}")
        recorded = self._load(sessions[repeat])
        tools = case.tools if case.tools is not None else recorded.tools
        if case.persona is not None:
            said = tuple(_answered(replace(turn, checks=()), turn, recorded) for turn in recorded.turns)
            return replace(case, turns=said, tools=tools)
        try:
            places = pairs(case.turns, recorded.turns)
        except Unpaired as error:
            return _failed(case, UNPAIRED, f"{recorded.id}: {error}")
        self._tell_of_more(case, recorded, places)
        said = tuple(_answered(turn, recorded.turns[at], recorded) for turn, at in zip(case.turns, places, strict=True))
        return replace(case, turns=said, tools=tools)

    def warnings(self) -> Iterator[str]:
        """What a person should know of what was left over."""
        yield from self._told.values()
        left = [name for name in self._names if name not in self._claims]
        if left:
            some = ", ".join(left[:3]) + (f" and {len(left) - 3} more" if len(left) > 3 else "")
            count = "1 recorded conversation is" if len(left) == 1 else f"{len(left)} recorded conversations are"
            yield f"{count} of no case: {some}"

    def _offer(self, conversation: str, claim: tuple[int, int, str]) -> None:
        self._claims[conversation] = max(claim, self._claims.get(conversation, claim))

    def _load(self, name: str) -> Case:
        (body,) = self._database.execute("SELECT body FROM held WHERE id = ?", (name,)).fetchone()
        return codec.decode(body, Case)

    def _tell_of_more(self, case: Case, recorded: Case, places: Sequence[int]) -> None:
        more = [turn for at, turn in enumerate(recorded.turns) if at not in places]
        if more and len(self._told) < _MOST_TOLD:
            said = ", ".join(shown(turn.input) for turn in more[:3])
            what = f"{len(more)} recorded turn{'s' * (len(more) != 1)} of {recorded.id}"
            self._told[recorded.id] = f"{what} pair{'s' * (len(more) == 1)} with none of case {case.id}, left out: {said}"


def recordings(
    selection: Selection, problems: Problems, folder: Path, spool: Path | None = None, *, live: bool = False
) -> Recordings | None:
    """What the files of traces hold, each case's and nobody's; `None` when there are none to join. Problems go to `problems`.

    Raises:
        UsageError: an agent is to be asked as well.
    """
    if not selection.traces:
        return None
    if live or (selection.target is not None and fold(selection.target.name) != "recorded"):
        raise UsageError("--traces examines what was recorded and asks no agent, so leave out the target")
    made = Recordings(selection.repeat)
    for source, each in files.find(selection.traces, FORMAT, problems, folder=folder, spool=spool):
        before = stamp(source.path)
        try:
            for conversation in each.read(source, problems).cases:
                if not made.add(conversation):
                    fix = "put the spans of one conversation into one file"
                    problems.add(source, f"the conversation {conversation.id} stands in another file too", fix=fix)
        except UsageError as error:
            problems.add_raised(source, error)
            continue
        made.files.append(File(path=files.stored_path(source), sha256=source.sha256(), format=FORMAT))
        made.paths.add(source.path.resolve())
        if stamp(source.path) != before:
            raise UsageError(f"{source.name}: changed while it was read; start again when nothing writes to it")
    return made


def _answered(turn: Turn, recorded: Turn, conversation: Case) -> Turn:
    reply: Reply | None = recorded.reply
    if reply is not None:
        reply = replace(reply, raw={"conversation": conversation.id, **recorded.metadata})
    return replace(turn, reply=reply, fault=recorded.fault)


def _failed(case: Case, code: str, message: str) -> Case:
    """A case of which nothing was recorded that could be examined: an error, and never a run that went well."""
    first, *rest = played(case)
    fault = Fault(code=code, message=message)
    turns = (replace(first, reply=None, fault=fault), *(replace(turn, reply=None) for turn in rest))
    return replace(case, turns=turns)
