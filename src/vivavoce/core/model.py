"""What is asked: suites of cases of turns, what is expected of them, and the plan of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from msgspec import field

from vivavoce.core.record import Record
from vivavoce.core.reply import JSON, Fault, Message, Object, Reply

Origin = Literal["item", "file", "run", "default"]
"""Who asked for a check: this very item or turn, the whole file, the command line or config, or nobody (a default)."""


class Use(Record, frozen=True, kw_only=True):
    """A plugin by name, with its options; never an object, so that a plan stays plain data."""

    name: str
    options: Mapping[str, JSON] = field(default_factory=dict)


class Check(Record, frozen=True, kw_only=True, omit_defaults=True):
    """An evaluator to be applied, with its options."""

    evaluator: str
    """As the vendor's format maps it to ours; compared folded."""
    name: str = ""
    """How the score is called; the evaluator's name when empty."""
    options: Mapping[str, JSON] = field(default_factory=dict)
    """Fields of the evaluator, `threshold` among them."""
    origin: Origin = "item"
    path: str = ""
    """Where the file asks for it, as a JSON path such as `items[3].evaluators.ExactMatch`; empty for `run` and `default`."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Where the file says each option, as a JSON path, where that is not right below `path`."""
    level: Literal["turn", "case"] | None = None
    """Where it is applied; the evaluator's own first level when `None`."""
    given: Mapping[str, JSON] | None = None
    """Evidence by name as the file maps it for this check; with it, the check sees nothing else but `sees`."""
    sees: tuple[str, ...] = ()
    """Names of evidence that are passed on as they are, where `given` filters."""


class Expectation(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What the right answer looks like; every part is optional, and absent is not empty."""

    response: str | None = None
    assertions: tuple[str, ...] | None = None
    trajectory: tuple[str, ...] | None = None
    """Names of tools, in order; `()` means no tool at all."""
    arguments: Mapping[str, Object] | None = None
    """What each tool of the trajectory is to be called with, by the tool's name."""
    rows: tuple[Object, ...] | None = None
    reference_query: JSON = None
    intent: str | None = None
    refusal: str | None = None
    insights: tuple[str, ...] | None = None


NOTHING = Expectation()


class Turn(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One thing said to the agent, and what is expected of the answer."""

    input: JSON
    context: str | None = None
    expect: Expectation = NOTHING
    checks: tuple[Check, ...] = ()
    reply: Reply | None = None
    """An answer the dataset itself holds."""
    fault: Fault | None = None
    """Why there is no such answer, where the dataset tells that: the agent failed."""
    metadata: Object = field(default_factory=dict)
    path: str = ""
    """JSON path in the file, such as `items[3].turns[0]`."""


class Persona(Record, frozen=True, kw_only=True):
    """A simulated user, who speaks instead of scripted turns."""

    context: str
    goal: str
    traits: Object = field(default_factory=dict)
    input: JSON = None
    """The first thing said; made up from the goal when `None`."""
    max_turns: int = 10
    desired_turns: int | None = None


class Case(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One conversation of the exam: scripted turns, or a persona."""

    id: str
    """Unique in its suite."""
    name: str | None = None
    category: str | None = None
    turns: tuple[Turn, ...] = ()
    persona: Persona | None = None
    history: tuple[Message, ...] = ()
    expect: Expectation = NOTHING
    """What is expected of the conversation as a whole."""
    checks: tuple[Check, ...] = ()
    """Checks of the conversation as a whole."""
    tools: tuple[Object, ...] | None = None
    """Definitions of the tools the agent has: `{name, description, parameters}`."""
    metadata: Object = field(default_factory=dict)
    """Everything else the file says of this case; a vendor's format keeps its own words here, so that writing loses nothing."""
    line: int | None = None
    """Line in the file where it begins, from 1, when the format knows it without a second look."""
    path: str = ""

    @property
    def is_simulated(self) -> bool:
        """Whether a simulated user speaks: there is a persona, and no turn was held or written before."""
        return self.persona is not None and not self.turns


class Suite(Record, frozen=True, kw_only=True):
    """A dataset file as one exam."""

    name: str
    cases: Iterable[Case]
    """Re-iterable: each pass reads the file again, in bounded memory where the format streams."""
    about: Object | None = None
    metadata: Object = field(default_factory=dict)
    format: str = ""
    source: str = ""
    """The file, as it was named."""


class Trial(Record, frozen=True, kw_only=True):
    """One case, once."""

    suite: str
    case: Case
    repeat: int
    """From 0."""
    position: int
    """Place in the dataset's order, over all files and repeats, from 0."""
    digest: str
    """Of the case's inputs and expectations."""
    about: Object | None = None
    seed: int = 0

    @property
    def key(self) -> tuple[str, str, int]:
        """What identifies a result everywhere: suite, case, repeat."""
        return (self.suite, self.case.id, self.repeat)


class File(Record, frozen=True, kw_only=True):
    """A dataset file of a plan, by content."""

    path: str
    sha256: str
    """Of the bytes on disk, hexadecimal."""
    format: str = ""
    suite: str = ""
    metadata: Object = field(default_factory=dict)
    """What the file says of itself as a whole."""


class Selection(Record, frozen=True, kw_only=True):
    """What is examined and by whom: all that can change an answer or a verdict, and nothing else."""

    paths: tuple[str, ...] = ()
    format: str | None = None
    lenient: bool = False
    traces: tuple[str, ...] = ()
    """Files of recorded conversations that are joined with the cases."""
    target: Use | None = None
    """`None` lets the planner choose `recorded` when the files hold answers."""
    judge: Use | None = None
    """`None` lets the planner choose."""
    simulator: Use | None = None
    """Who plays the users of cases that have a persona; `None` lets the planner choose, and is kept where no case has one."""
    evaluators: tuple[Check, ...] = ()
    only: tuple[str, ...] = ()
    map: Mapping[str, str] = field(default_factory=dict)
    """Where a format whose rows have columns of any name finds what it looks for."""
    level: str | None = None
    """`turn` or `conversation`: what is examined, where a format leaves that open; as the file says when `None`."""
    cases: tuple[str, ...] = ()
    """Globs of case ids."""
    categories: tuple[str, ...] = ()
    limit: int | None = None
    repeat: int = 1
    seed: int = 0


class Revision(Record, frozen=True, kw_only=True):
    """What git says of a project's folder."""

    commit: str
    """The hash of the last commit, whole."""
    dirty: bool = False
    """Whether a file that git knows was changed since."""

    def __str__(self) -> str:
        return f"{self.commit}{_DIRTY if self.dirty else ''}"

    @classmethod
    def of(cls, text: str) -> Revision:
        """The reverse of `str`."""
        return cls(commit=text.removesuffix(_DIRTY), dirty=text.endswith(_DIRTY))

    @property
    def short(self) -> str:
        """As a person reads it."""
        return f"{self.commit[:7]}{'*' * self.dirty}"


_DIRTY = "-dirty"


class Header(Record, frozen=True, kw_only=True):
    """A plan without its trials: what is stored, printed, and compared to know whether a run is the same."""

    digest: str
    selection: Selection
    files: tuple[File, ...]
    version: str
    """Of Viva."""
    trials: int = 0
    """How many there are in all; follows from the rest."""
    own: tuple[File, ...] = ()
    """What the project's own evaluators consist of, as far as they are applied."""
    traces: tuple[File, ...] = ()
    """Files of recorded conversations that are joined with the cases."""
    revision: Revision | None = None
    """Of the project, where git knows it; changes no answer, and so is no part of the digest."""


class Plan(Record, frozen=True, kw_only=True):
    """Everything a run needs: a header, and trials that stream."""

    header: Header
    trials: Iterable[Trial]
    """Re-iterable, in dataset order."""
    count: int
    """How many trials there are."""
    warnings: tuple[str, ...] = ()
    folder: Path = Path()
    """The project's, where its own evaluators stand."""
    waits: bool = True
    """Whether anybody is waited for while it is carried out: an agent, a judge, an evaluator's own process."""
    examines: bool = True
    """Whether there is any check."""
