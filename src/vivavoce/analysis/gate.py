"""The verdict on a run: the exit code, and one sentence that says why."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.core.errors import EXIT_FAILED, EXIT_OK, EXIT_USAGE
from vivavoce.core.result import Run, Summary


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a run comes to."""

    code: int
    """The exit code: 0, 1 or 2. That of a run interrupted from outside is the command line's own."""
    sentence: str
    """The verdict in one line, with its counts."""
    ok: bool
    """Whether all passed or the gate was met; also when `no_fail` makes the code 0 anyway."""


def outcome(run: Run, *, min_pass_rate: float | None = None, no_fail: bool = False) -> Outcome:
    """The verdict on a run.

    Args:
        run: finished or not.
        min_pass_rate: the gate: the share, 0-1, of passed among passed, failed and errored trials that is enough.
        no_fail: outcomes do not change the code; that nothing was evaluated still does.
    """
    summary = run.summary
    if not summary.evaluated:
        return Outcome(code=EXIT_USAGE, sentence=f"NOTHING EVALUATED: {_nothing(run)}", ok=False)
    word, ok = _judge(run, min_pass_rate)
    if min_pass_rate is None:
        why = _unfinished(run) + _counts(summary)
    elif not _whole(run):
        why = f"{_unfinished(run)}{_counts(summary)}; a gate over an incomplete run is missed"
    else:
        why = _gated(summary, min_pass_rate, ok)
    return Outcome(code=EXIT_OK if ok or no_fail else EXIT_FAILED, sentence=f"{word}: {why}", ok=ok)


def percent(part: int, whole: int) -> str:
    """A share as a percentage with one decimal, which is 0 or 100 only when it is exactly that."""
    shown = 100 * part / whole
    if 0 < part < whole:
        shown = min(max(shown, 0.1), 99.9)
    return f"{shown:.1f} %" if 0 < part < whole else f"{shown:.0f} %"


def number(count: int, noun: str) -> str:
    """A count with its noun: `1 case`, `1,200 cases`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _judge(run: Run, min_pass_rate: float | None) -> tuple[str, bool]:
    summary = run.summary
    if not _whole(run):
        return ("FAILED" if run.state == "complete" else run.state.upper()), False
    if min_pass_rate is None:
        ok = not summary.failed and not summary.errored
    else:
        decided = summary.passed + summary.failed + summary.errored
        ok = decided > 0 and summary.passed / decided >= min_pass_rate
    return ("PASSED" if ok else "FAILED"), ok


def _whole(run: Run) -> bool:
    return run.state == "complete" and not run.summary.not_run


def _unfinished(run: Run) -> str:
    summary = run.summary
    missing = f"{summary.not_run:,} of {number(summary.trials, _noun(summary))} not run"
    if run.state == "stopped":
        return f"a limit or fault ended the run, {missing}; " if summary.not_run else "a limit or fault ended the run; "
    return f"{missing}; " if summary.not_run else ""


def _counts(summary: Summary) -> str:
    decided = summary.passed + summary.failed + summary.errored
    noun = _noun(summary)
    of = number(decided + summary.skipped, noun)
    skipped = f"; {summary.skipped:,} skipped" if summary.skipped else ""
    if summary.passed == decided and decided:
        everything = decided > 1 and not summary.skipped and not summary.not_run
        passed = f"all {of} passed" if everything else f"{summary.passed:,} of {of} passed"
        return passed + skipped
    parts = [f"{summary.failed:,} of {of} failed"] if summary.failed else []
    if summary.errored:
        parts.append(f"{summary.errored:,} errored" if parts else f"{summary.errored:,} of {of} errored")
    # An error enters no rate; a gate alone counts it.
    scored, what = summary.passed + summary.failed, " scored" if summary.errored else ""
    rate = f" ({percent(summary.passed, scored)} of {scored:,}{what})" if scored else ""
    return f"{', '.join(parts) or f'none of {of} was scored'}; {summary.passed:,} passed{rate}{skipped}"


def _gated(summary: Summary, asked: float, ok: bool) -> str:
    decided = summary.passed + summary.failed + summary.errored
    others = ((summary.failed, "failed"), (summary.errored, "errored"), (summary.skipped, "skipped"))
    rest = ", ".join(f"{count:,} {word}" for count, word in others if count)
    if not decided:
        return f"nothing passed, failed or errored; {100 * asked:.10g} % asked for"
    # As many decimals as it takes to see on which side of the gate the rate is.
    rate = 100 * summary.passed / decided
    digits = next((each for each in range(1, 9) if (round(rate, each) >= 100 * asked) == ok), 9)
    shown = f"{rate:.0f}" if rate in (0, 100) else f"{rate:.{digits}f}"
    side = "at least" if ok else "less than"
    passed = f"{summary.passed:,} of {number(decided, _noun(summary))} passed, {shown} %"
    return f"{passed}, {side} the {100 * asked:.10g} % asked for" + (f"; {rest}" if rest else "")


def _nothing(run: Run) -> str:
    summary = run.summary
    done = summary.passed + summary.failed + summary.skipped + summary.errored
    scored = summary.evaluators.values()
    noun = _noun(summary)
    if not summary.trials:
        return "no case was selected"
    if not done:
        of = number(summary.trials, noun)
        return (
            f"a limit or fault ended the run before any of {of} was finished"
            if run.state == "stopped"
            else f"none of {of} was run"
        )
    if not scored and not summary.errored:
        return f"none of {number(done, noun)} has a check; name an evaluator with --evaluator"
    if summary.skipped == done:
        return f"every check of {number(done, noun)} was skipped"
    if any(each.skipped for each in scored):
        return f"every check of {number(done, noun)} was skipped or could not be made ({summary.errored:,} errored)"
    return f"no check of {number(done, noun)} could be made; each error says why"


def _noun(summary: Summary) -> str:
    return "trial" if summary.stability is not None else "case"
