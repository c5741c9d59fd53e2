"""Settings as what a run takes: who is examined with what, and within which limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vivavoce.config.settings import Settings
    from vivavoce.core.model import Selection, Use
    from vivavoce.core.reply import JSON
    from vivavoce.run.calls import Limits
    from vivavoce.run.cassette import Taping


def selection(wanted: Settings) -> Selection:
    """All that can change an answer or a verdict.

    Raises:
        UsageError: target, judge, simulator or an evaluator cannot be meant like this.
    """
    from vivavoce.core.model import Selection
    from vivavoce.run import asking

    return Selection(
        paths=wanted.paths,
        format=wanted.format,
        lenient=wanted.lenient,
        traces=wanted.traces,
        target=_use("targets", wanted.target, wanted.target_option),
        judge=_use("judges", wanted.judge, wanted.judge_option),
        simulator=_use("simulators", wanted.simulator, wanted.simulator_option),
        evaluators=tuple(asking.check(each) for each in wanted.evaluator),
        only=wanted.only,
        map=wanted.map,
        level=wanted.level,
        cases=wanted.case,
        categories=wanted.category,
        limit=wanted.limit,
        repeat=wanted.repeat,
        seed=wanted.seed,
    )


def secret_uses(wanted: Settings) -> dict[str, Use]:
    """Options of target, judge and simulator as they are set now: where a resumed run finds secrets that were not stored."""
    from vivavoce.core.model import Use

    given = {"target": wanted.target_option, "judge": wanted.judge_option, "simulator": wanted.simulator_option}
    return {name: Use(name=name, options=options) for name, options in given.items()}


def limits(wanted: Settings) -> Limits:
    """How much at once, for how long, and how often again."""
    from vivavoce.run.calls import Limits

    return Limits(
        concurrency=wanted.concurrency,
        timeout=wanted.timeout,
        case_timeout=wanted.case_timeout,
        run_timeout=wanted.run_timeout,
        retries=wanted.retries,
        rate=wanted.rate,
        token_budget=wanted.token_budget,
        money_budget=wanted.money_budget,
    )


def _use(kind: str, spec: str | None, options: Mapping[str, JSON]) -> Use | None:
    from vivavoce.core.errors import UsageError
    from vivavoce.core.model import Use
    from vivavoce.core.specs import parse_spec

    if spec is None:
        if options:
            what = kind.removesuffix("s")
            raise UsageError(f"options for a {what} are given ({', '.join(options)}), but no {what}: name it with --{what}")
        return None
    use = parse_spec(spec, kind)
    return Use(name=use.name, options={**use.options, **options})


def taping(wanted: Settings) -> Taping:
    """What is recorded, replayed and spared.

    Raises:
        UsageError: two of these settings exclude each other.
    """
    from vivavoce.run.cassette import CACHE, Taping

    return Taping(
        record=wanted.record,
        replay=wanted.replay,
        record_missing=wanted.record_missing,
        cache=None if wanted.no_cache else CACHE,
    )
