"""The same exam from Python: `evaluate`, and `evaluate_async` inside a running event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from vivavoce.core.model import Check, Selection, Suite, Use
from vivavoce.core.result import Run

if TYPE_CHECKING:
    from vivavoce.core.kinds import Target
    from vivavoce.run.calls import Limits
    from vivavoce.run.cassette import Taping

Data = str | PathLike[str] | Suite | Sequence[str | PathLike[str]]
"""What is examined: the path of a dataset, several, or a suite made in Python."""
Evaluators = str | Sequence[str] | Mapping[str, Mapping[str, Any]]  # options are whatever the evaluator takes
"""The name of an evaluator, several (`"ExactMatch"`, `'strict:ExactMatch={"case_sensitive": true}'`), or names with options."""


_TAPING: Mapping[str, Any] = MappingProxyType(  # of each option, what its kind is
    {"record": None, "replay": None, "record_missing": False, "cache": True}
)
"""What concerns cassettes, with its default."""


def evaluate(data: Data, **options: Any) -> Run:  # the same as evaluate_async's, and checked there
    """Examine an agent, and wait for the outcome; also inside a notebook, where an event loop is running.

    Takes what `evaluate_async` takes. Ctrl-C stops the run in good order; what is finished is kept.

    Raises:
        VivaError: datasets, options or the store are wrong; the message says how to mend it.
    """
    from vivavoce.run.stubborn import aside, complete

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return complete(evaluate_async(data, **options))
    return aside(evaluate_async(data, **options))


async def evaluate_async(
    data: Data,
    *,
    target: object = None,
    evaluators: Evaluators = (),
    judge: str | Use | None = None,
    simulator: str | Use | None = None,
    store: str | PathLike[str] = ".viva/runs.db",
    concurrency: int = 10,
    timeout: float | None = None,
    retries: int = 3,
    **more: Any,  # fields of Selection and of Taping
) -> Run:
    """Examine an agent, keep the run in the store, and return it.

    Args:
        data: The dataset: a path, several, or a `Suite`.
        target: A spec as on the command line (`"http://..."`), a `Use`, a function (sync or async), or a class whose
            instances hold one session; `None` replays the answers the dataset holds.
        evaluators: Applied to every case, as `--evaluator` is.
        judge: A spec as on the command line, or `None`.
        simulator: Who plays the users of cases that have a persona: a spec as on the command line, or `None` for `scripted`.
        store: A SQLite file, or `postgresql://USER@HOST/DATABASE`.
        concurrency: Conversations at once.
        timeout: Seconds a call may take.
        retries: How often a call is repeated where that is safe.
        **more: What chooses cases: `format`, `lenient`, `traces`, `only`, `map`, `level`, `cases`, `categories`, `limit`,
            `repeat`, `seed`. Cassettes: `record` or `replay`, a path; `record_missing`; `cache`, true unless told otherwise.
            Limits, as on the command line: `rate`, `case_timeout`, `run_timeout`, `token_budget`, `money_budget`.

    Raises:
        VivaError: datasets, options or the store are wrong; the message says how to mend it.
    """
    from vivavoce.core.errors import UsageError
    from vivavoce.run.calls import Limits

    limits = Limits(concurrency=concurrency, timeout=timeout, retries=retries, **_limits(more))
    if not isinstance(store, str | PathLike):
        raise UsageError(f"evaluate: store must be the path of a SQLite file, or an address of PostgreSQL, not {store!r:.100}")
    use, live = _target(target)
    chosen = replace(
        _selection(more),
        paths=() if isinstance(data, Suite) else _paths(data),
        target=use,
        judge=_use(judge, "judge", "none"),
        simulator=_use(simulator, "simulator", "scripted"),
        evaluators=_checks(evaluators),
    )
    suites = (data,) if isinstance(data, Suite) else ()
    return await _examine(chosen, suites, live, str(fspath(store)), limits, _taping(more))


async def _examine(
    selection: Selection, suites: Sequence[Suite], live: Target | None, store: str, limits: Limits, taping: Taping
) -> Run:
    from vivavoce.core import plugins
    from vivavoce.core.specs import parse_store
    from vivavoce.run import identity
    from vivavoce.run.cassette import Deck
    from vivavoce.run.planner import plan
    from vivavoce.run.runner import examine

    made = plan(selection, suites=suites, live=live is not None, asks=taping.asks)
    kept = plugins.build("stores", parse_store(store))
    try:
        deck = Deck(taping, made.header.selection)
    except BaseException:
        kept.close()
        raise
    try:
        return await examine(
            made,
            kept,
            run_id=identity.new_id(),
            started=identity.now(),
            now=identity.now,
            nonce=identity.new_nonce(),
            limits=limits,
            target=live,
            deck=deck,
        )
    finally:
        try:
            deck.close()
        finally:
            kept.close()


def _limits(given: dict[str, Any]) -> dict[str, Any]:  # checked by Limits
    from vivavoce.run.asking import rate

    names = ("rate", "case_timeout", "run_timeout", "token_budget", "money_budget")
    found = {name: given.pop(name) for name in names if name in given}
    if isinstance(found.get("rate"), str):
        found["rate"] = rate(found["rate"])
    return found


def _selection(given: Mapping[str, Any]) -> Selection:  # checked here
    from vivavoce.core import codec
    from vivavoce.core.errors import UsageError
    from vivavoce.core.place import did_you_mean

    known = ("format", "lenient", "traces", "only", "map", "level", "cases", "categories", "limit", "repeat", "seed", *_TAPING)
    for name in given:
        if name not in known:
            raise UsageError(f'evaluate: unknown option "{name}" ({did_you_mean(name, known)})')
    given = {name: value for name, value in given.items() if name not in _TAPING}
    several = {name: (given[name],) for name in ("only", "cases", "categories", "traces") if isinstance(given.get(name), str)}
    for name in ("repeat", "limit"):
        if isinstance(given.get(name), int) and given[name] < 1:
            raise UsageError(f"evaluate: {name} must be a whole number of at least 1, not {given[name]!r}")
    try:
        return codec.convert({**given, **several}, Selection)
    except ValueError as error:
        raise UsageError(f"evaluate: {str(error).replace('$.', '')}") from None


def _taping(given: Mapping[str, Any]) -> Taping:  # checked here
    from vivavoce.core.errors import UsageError
    from vivavoce.run.cassette import CACHE, Taping

    record, replay, missing, cache = (given.get(name, default) for name, default in _TAPING.items())
    for name, path in (("record", record), ("replay", replay)):
        if path is not None and not isinstance(path, str | PathLike):
            raise UsageError(f"evaluate: {name} must be a path, not {path!r:.100}")
    return Taping(
        record=None if record is None else str(fspath(record)),
        replay=None if replay is None else str(fspath(replay)),
        record_missing=bool(missing),
        cache=CACHE if cache else None,
    )


def _paths(data: object) -> tuple[str, ...]:
    from vivavoce.core.errors import UsageError

    several = [data] if isinstance(data, str | PathLike) else data
    if not isinstance(several, Sequence) or not all(isinstance(each, str | PathLike) for each in several):
        raise UsageError(f"evaluate: data must be a path, several, or a Suite, not {data!r:.100}")
    return tuple(str(fspath(each)) for each in several)


def _target(given: object) -> tuple[Use | None, Any]:  # a live target is of whatever kind the person gave
    """The target by name, and the object itself where one was given."""
    from vivavoce.core.specs import parse_spec
    from vivavoce.targets import python

    if given is None or isinstance(given, Use):
        return given, None
    if isinstance(given, str):
        return parse_spec(given), None
    name = getattr(given, "__qualname__", type(given).__qualname__)
    return Use(name="python", options={"spec": f"{getattr(given, '__module__', '')}:{name}"}), python.from_object(given)


def _use(given: object, kind: str, such_as: str) -> Use | None:
    from vivavoce.core.errors import UsageError
    from vivavoce.core.specs import parse_spec

    if given is None or isinstance(given, Use):
        return given
    if isinstance(given, str):
        return parse_spec(given, f"{kind}s")
    raise UsageError(f'evaluate: {kind} must be a text, such as "{such_as}", or a Use, not {given!r:.100}')


def _checks(given: object) -> tuple[Check, ...]:
    from vivavoce.core.errors import UsageError
    from vivavoce.run import asking

    if isinstance(given, Mapping):
        for name, options in given.items():
            if not isinstance(name, str) or not isinstance(options, Mapping):
                raise UsageError(f"evaluate: options of the evaluator {name} must be a dict, not {options!r:.100}")
        return tuple(replace(asking.check(name), options=options) for name, options in given.items())
    several = [given] if isinstance(given, str) else given
    if not isinstance(several, Sequence) or not all(isinstance(each, str) for each in several):
        raise UsageError(f"evaluate: evaluators must be names, or a dict of names with their options, not {given!r:.100}")
    return tuple(asking.check(name) for name in several)
