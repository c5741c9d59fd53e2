"""What the store says, as the API tells it."""

from __future__ import annotations

from vivavoce.core.overview import Head, SuiteRun, SuiteState
from vivavoce.core.reply import JSON
from vivavoce.web.suites import Known


def run(head: Head) -> dict[str, JSON]:
    """A run as a line of a list."""
    return {
        "id": head.id,
        "started": head.started,
        "finished": head.finished,
        "state": head.state,
        "target": head.target,
        "judge": head.judge,
        "version": head.version,
        "revision": None if head.revision is None else {"commit": head.revision.commit, "dirty": head.revision.dirty},
    }


def suite_run(each: SuiteRun) -> dict[str, JSON]:
    """A suite in one run."""
    tally = each.tally
    return {
        **run(each.run),
        "suite": each.suite,
        "cases": tally.cases,
        "pass": tally.passed,
        "fail": tally.failed,
        "skip": tally.skipped,
        "error": tally.errored,
        "pass_rate": tally.pass_rate,
    }


def point(each: SuiteRun) -> dict[str, JSON]:
    """A suite in one run, as a point of its trend."""
    whole = suite_run(each)
    return {name: whole[name] for name in ("id", "started", "state", "revision", "cases", "pass_rate")}


def suite(name: str, state: SuiteState | None, known: Known | None, under_way: str | None) -> dict[str, JSON]:
    """How a suite stands, and whether it may be run here."""
    return {
        "name": name,
        "runnable": known is not None and known.fault is None,
        "fault": known.fault if known is not None else None,
        "running": under_way,
        "change": state.change if state is not None else None,
        "latest": suite_run(state.latest) if state is not None else None,
    }
