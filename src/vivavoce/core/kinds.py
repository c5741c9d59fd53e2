"""The protocols of plugins. A kind is a folder of the package; a plugin is a class in one of its modules' `__all__`.

A plugin is a dataclass whose fields are its options, built by `plugins.build`. Its docstring is its manual.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from typing import IO, ClassVar, Protocol, TypeVar, runtime_checkable

from vivavoce.core.evidence import Evidence
from vivavoce.core.kept import Kept
from vivavoce.core.model import Header, Suite, Trial
from vivavoce.core.overview import Overview
from vivavoce.core.place import Problems
from vivavoce.core.reply import Completion, Message, Object, Reply, Request
from vivavoce.core.result import Result, Run, State, Summary, Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.core.scene import Move, Scene
from vivavoce.core.source import Source

T = TypeVar("T")
S = TypeVar("S", covariant=True)
P = TypeVar("P")
D = TypeVar("D")


class Format(Protocol):
    """A dataset format: files to suites, and back."""

    looks_for: ClassVar[str]
    """What tells this format from others, as a phrase for the message when no format is recognised."""
    suffixes: ClassVar[tuple[str, ...]]
    """Suffixes whose files in a folder are looked at; the longest names first, such as `.eval.yaml`."""

    def matches(self, source: Source) -> bool:
        """Whether the content is of this format; a damaged file of it still is."""

    def read(self, source: Source, problems: Problems) -> Suite:
        """The file as a suite whose `cases` can be iterated again and again.

        Every problem goes to `problems`, while this reads the top and while `cases` is iterated; a case that is wrong is left
        out. Nothing is raised for what a person wrote wrongly, but for a file that cannot be read at all (`UsageError`).
        """

    def write(self, suite: Suite, out: IO[str]) -> tuple[str, ...]:
        """Write a suite in this format; returns a sentence for everything the format cannot hold."""

    def schema(self) -> Object:
        """JSON Schema of the format, for editors."""


@runtime_checkable
class Scored(Protocol):
    """A format that can also hold results: `--output m365:scored.json`.

    May have `for_suffix(suffix)`, which gives the writer for files of a suffix, where it writes in more than one way.
    """

    def report(self, run: Run, out: IO[str]) -> None:
        """Write the run in the vendor's shape."""


class Session(Protocol):
    """One conversation with an agent. May have `asked: JSON`: what the last answer, if it was given before, had been asked.

    May also have `async rows(query) -> tuple[Object, ...]`: the rows that a reference query gives, run on the source the agent
    answers from and, unless the query names another, on what the suite is about. It raises `CallError` as `send` does.
    """

    async def send(self, request: Request) -> Reply:
        """Say one thing, and wait for the answer.

        Raises:
            CallError: with a typed `Failure` that says whether a retry may help and whether the agent may have been reached.
        """

    async def close(self) -> None:
        """End the conversation and free what it holds; called once, also after a failure."""


class Target(Protocol):
    """Agents under test. May have `idempotent: bool` (repeating a call is safe), `timeout: ClassVar[float]`, seconds,
    `waits: ClassVar[bool]` (false: an answer is there at once, with nothing to wait for or to measure), and `sign_in()`, which
    has a person sign in before a run."""

    def session(self, trial: Trial) -> Session:
        """A conversation of its own; two of one target never mix."""

    async def close(self) -> None:
        """Free what the target holds, after all its sessions."""


class Ask(Protocol):
    """The run's judge, as an evaluator that needs it is handed it."""

    async def __call__(self, rubric: Rubric, /, **fields: str) -> Verdict:
        """A verdict of the judge; `fields` replace evidence of these names.

        Raises:
            Abstain: there is no judge, or it cannot say.
            CallError: it failed, or answered outside its scale.
            Missing: the rubric reads what is not there.
        """


class Evaluator(Protocol):
    """Evidence to verdict. `score(evidence)` may also be `async score(evidence, ask)`.

    A field `threshold`, where there is one, decides when the verdict does not: the lowest value that passes, or with
    `lower_is_better: ClassVar[bool]` the highest. With `decides: ClassVar[bool]` it is applied before the others, and when it
    fails the other checks of its case skip. May have `rubric: Rubric | None`, which it asks, or `rubrics`, several; and
    `at_level(level)`, which gives the evaluator that stands for it there, when that needs or asks something else. One that
    examines tool calls may have `examines(call: ToolCall) -> bool`, which tells those it is about from others; one that works
    long on much evidence, `takes_long(evidence) -> bool`: then it is applied in a thread, and holds up no other case.
    """

    needs: ClassVar[tuple[str, ...]]
    """Names of `Evidence` without which there is no verdict; `a|b` means one of the two."""
    uses: ClassVar[tuple[str, ...]]
    """Names it also reads, when there."""
    levels: ClassVar[tuple[str, ...]]
    """Where it can be applied, of `turn`, `case`, `call`; the first is the default."""
    scale: ClassVar[tuple[float, float | None]]
    """Lowest and highest value; no upper end when `None`."""

    def score(self, evidence: Evidence) -> Verdict:
        """What the evidence is worth. Raises `Missing` by reading what is not there, and nothing else."""


class Provider(Protocol):
    """A chat model, for judges and simulated users."""

    model: str
    """As it is named in reports."""

    async def complete(self, messages: Sequence[Message], schema: Object | None = None) -> Completion:
        """What the model answers; with `schema`, as JSON that fits it where the endpoint can be held to that.

        Raises:
            CallError: with a typed `Failure`; a refusal to answer is no failure but a `Completion`.
        """

    async def close(self) -> None:
        """Free what the provider holds."""


class Guard(Protocol):
    """How the run makes an outgoing call: within time limits, rates and budgets, and again where that is safe."""

    async def __call__(self, call: Callable[[], Awaitable[T]]) -> T:
        """What the call gives. Raises `CallError` when it fails for good."""


@runtime_checkable
class Guarded(Protocol[S]):
    """A judge or a simulator that makes outgoing calls."""

    def through(self, guard: Guard) -> S:
        """The same, every call made through `guard`."""


class Judge(Protocol):
    """Who answers a rubric. May have `name: str`, by which reports say who spoke, `where: str`, the address that it asks, and
    `close()`, as a target has."""

    async def judge(self, rubric: Rubric, evidence: Evidence, fields: Object) -> Verdict:
        """A verdict with a value on the rubric's scale, or one of its labels. `fields` replace evidence of these names.

        Raises:
            Abstain: it cannot say; the message gives the way out.
            CallError: it failed.
        """


class Simulator(Protocol):
    """Who plays the users of personas. May have `name: str`, by which reports say who played, and `close()`, as a target has.

    It keeps nothing between calls: all that it knows of a conversation is in the scene.
    """

    async def move(self, scene: Scene) -> Move:
        """What the user says next, or that the conversation is over; nothing of what is expected is known here.

        Raises:
            CallError: it failed.
        """


class Report(Protocol):
    """A run as text."""

    suffix: ClassVar[str | None]
    """Suffix that chooses this report, such as `.csv`; `None` when it must be named."""

    def render(self, run: Run, out: IO[str]) -> None:
        """Write the whole run; results are read one at a time."""


@runtime_checkable
class Streaming(Protocol):
    """A report that can be written while results come."""

    def line(self, result: Result) -> str:
        """One result, with its line break."""

    def line_of(self, text: str) -> str:
        """The same of a result that is written as JSON already."""


class Store(Overview, Protocol):
    """Where runs are kept. Safe to use from one process's event loop; several processes may share one store."""

    def begin(self, run_id: str, started: str, header: Header) -> None:
        """Create a run in state `running`, or reopen one that was interrupted.

        Reopened with a plan of another digest, it has that plan from then on: so a run grows while a person types its cases.
        """

    def append(self, run_id: str, kept: Sequence[Kept]) -> Awaitable[None]:
        """Keep results, all or none of them; awaiting it returns once they are committed."""

    def finish(self, run_id: str, finished: str, state: State, summary: Summary) -> None:
        """Close a run."""

    def keys(self, run_id: str) -> set[tuple[str, str, int]]:
        """Keys of the results a run has."""

    def forget(self, run_id: str, keys: Iterable[tuple[str, str, int]]) -> None:
        """Drop results, to be made again."""

    def runs(self, limit: int | None = None) -> Sequence[Run]:
        """Runs, newest first, with their summaries; their results are read only when iterated."""

    def run(self, ref: str) -> Run:
        """A run by id, unique prefix, `last` or `last~N`.

        Raises:
            StoreError: there is none, or several; says which there are.
        """

    def under_way(self, run_id: str) -> bool:
        """Whether a process carries out the run, this one or another."""

    def drop(self, run_id: str) -> None:
        """Remove a run with all of it that no other run shares.

        Raises:
            StoreError: it is being carried out, or there is none.
        """

    def shrink(self) -> None:
        """Give back the room of runs that were dropped."""

    def close(self) -> None:
        """Commit what waits, and let go of the store."""


class Engine(Protocol):
    """Where trials run."""

    def map(
        self,
        work: Callable[[P], Awaitable[D]],
        keep: Callable[[P, D], Awaitable[None]],
        pieces: Iterator[P],
        concurrency: int,
    ) -> AsyncIterator[D]:
        """Run `work` on every piece of a run - a trial, or several - at most `concurrency` at once; yield what it gives.

        `keep` is awaited in the driver before a piece's place is given to the next. Closing the iterator early cancels
        and awaits what is under way.
        """


@runtime_checkable
class Sharing(Protocol):
    """An engine that can also have processes carry out a run between them."""

    def share(self, task: str, given: Sequence[bytes]) -> AsyncIterator[tuple[bytes, Callable[[], None]]]:
        """One process for each of `given`, in which the function `task`, as `module:name`, makes pieces of it.

        Pieces come in turn, one of each process, until the first has no more: each with what is to be called once it is kept,
        for a process is never more than some pieces ahead. Nothing comes where no processes can be started. Closing the
        iterator early ends them.

        Raises:
            WorkerError: a process ended before it was done.
        """
