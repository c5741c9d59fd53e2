"""What came of it: replies with scores, failures as data, and whole runs.

`Result`, `Exchange` and `Score` have exactly the fields of the run document, in its order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal

from msgspec import field

from vivavoce.core.record import Record
from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.core.reply import Fault as Fault

if TYPE_CHECKING:
    from vivavoce.core.model import Case, Header

Status = Literal["pass", "fail", "skip", "error"]
State = Literal["running", "complete", "interrupted", "stopped"]
USAGE = "judge_usage"
"""The key of a score's details under which stands what the judge's calls for it took."""
BETTER = "better"
"""The key of a score's details under which stands `lower`, where a low value is the good one."""
Phase = Literal["target", "evaluator", "judge", "simulator", "dataset", "run"]


class Failure(Record, frozen=True, kw_only=True):
    """Something that went wrong in a trial."""

    code: str
    """Short and stable, such as `timeout`, `connection`, `http_500`, `bad_payload`, `not_sent`."""
    message: str
    phase: Phase = "target"
    retriable: bool = False
    """Whether trying the same again may help."""
    retry_after: float | None = None
    """Seconds the other side asked to wait."""
    sent: bool = True
    """Whether the call may already have reached the other side."""
    answered: bool = False
    """Whether the other side answered, and so is known to be done with it."""


class Verdict(Record, frozen=True, kw_only=True):
    """What an evaluator or judge says of one piece of evidence."""

    reason: str
    """What a person can act on."""
    value: float | None = None
    """On the evaluator's scale."""
    passed: bool | None = None
    """`None` when the evaluator's threshold decides."""
    unit_value: float | None = None
    """0-1, 1 best; `None` when it follows from the scale."""
    label: str | None = None
    details: Mapping[str, JSON] = field(default_factory=dict)
    usage: Object = field(default_factory=dict)
    """What a judge's calls took: `calls`, `input_tokens`, `output_tokens`, `cost_usd`, as far as they are known."""


class Score(Record, frozen=True, kw_only=True):
    """A verdict, stamped by the runner."""

    name: str
    evaluator: str
    status: Status
    value: float | None = None
    unit_value: float | None = None
    label: str | None = None
    threshold: float | None = None
    reason: str
    rubric: str | None = None
    judge: str | None = None
    call: int | None = None
    """Index of the tool call, where an evaluator scores calls."""
    details: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def lower_is_better(self) -> bool:
        """Whether the threshold is the highest value that passes."""
        return self.details.get(BETTER) == "lower"


class Exchange(Record, frozen=True, kw_only=True):
    """One turn as it went."""

    input: JSON
    expected: str | None = None
    error: Fault | None = None
    reply: Reply | None = None
    scores: tuple[Score, ...] = ()


class Simulation(Record, frozen=True, kw_only=True):
    """How a simulated user went about it."""

    simulator: str
    """Who played, such as `scripted` or `openai:gpt-5-mini`."""
    reasoning: str
    """Why the conversation ended, in a sentence."""
    usage: Object = field(default_factory=dict)
    """What the simulator's calls took: `calls`, `input_tokens`, `output_tokens`, `cost_usd`, as far as they are known."""
    warnings: tuple[str, ...] = ()
    """What the simulator did that a person should know of."""


Stop = Literal["goal_completed", "max_turns", "gave_up", "error"]
"""Why a simulated conversation ended."""


class Result(Record, frozen=True, kw_only=True):
    """One trial, done."""

    suite: str
    case: str
    name: str | None = None
    category: str | None = None
    metadata: Object = field(default_factory=dict)
    repeat: int = 0
    position: int = 0
    status: Status
    digest: str = ""
    turns: tuple[Exchange, ...] = ()
    scores: tuple[Score, ...] = ()
    stop: Stop | None = None
    """Of a simulated conversation; a scripted one has none."""
    simulation: Simulation | None = None
    error: Fault | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        """What identifies a result everywhere: suite, case, repeat."""
        return (self.suite, self.case, self.repeat)


class Usage(Record, frozen=True, kw_only=True):
    """What a run took."""

    agent_calls: int = 0
    judge_calls: int = 0
    simulator_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class EvaluatorSummary(Record, frozen=True, kw_only=True):
    """Scores of one name, over a run."""

    # `pass` is a word of Python's, so the document's names are given where it is written.
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    errored: int = 0
    pass_rate: float | None = None
    """passed / (passed + failed); `None` when nothing was scored."""
    mean: float | None = None
    """Over `value` of passed and failed."""
    ci95: tuple[float, float] | None = None
    """Of `mean`: Wilson for rates, Student's t for means, clustered by case."""


class GroupSummary(Record, frozen=True, kw_only=True):
    """Trials of one suite or category."""

    cases: int = 0
    """Distinct cases."""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    errored: int = 0
    pass_rate: float | None = None


class Stability(Record, frozen=True, kw_only=True):
    """Repeats of cases, when there is more than one."""

    repeat: int
    mean: float | None
    ci95: tuple[float, float] | None
    pass_at_k: float | None
    """Share of cases of which at least one repeat passed."""
    pass_pow_k: float | None
    """Share of cases of which every repeat passed."""
    unstable: tuple[tuple[str, str], ...]
    """(suite, case) of those that both passed and failed; the first hundred."""


class Summary(Record, frozen=True, kw_only=True):
    """A run in numbers; `passed` ... `errored` count trials."""

    cases: int = 0
    trials: int = 0
    not_run: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    errored: int = 0
    pass_rate: float | None = None
    scored: int = 0
    evaluated: bool = False
    """Whether anything was: some case got a reply, and not every check was skipped or failed for want of a judge."""
    evaluators: Mapping[str, EvaluatorSummary] = field(default_factory=dict)
    categories: Mapping[str, GroupSummary] = field(default_factory=dict)
    suites: Mapping[str, GroupSummary] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    stability: Stability | None = None


class Run(Record, frozen=True, kw_only=True):
    """A run as the store keeps it; results stream."""

    id: str
    started: str
    """ISO 8601, UTC, ending in `Z`."""
    finished: str | None
    state: State
    header: Header
    summary: Summary
    results: Iterable[Result]
    """Re-iterable, in dataset order, read one at a time."""
    cases: Iterable[Case] = ()
    """The case of each result, in the same order, as it was asked: what a vendor's scored document is written from."""

    def to_dict(self) -> dict[str, JSON]:
        """The run document, whole, as Python's own types; for a large run prefer `results`."""
        from vivavoce.core import codec

        return codec.document(self)
