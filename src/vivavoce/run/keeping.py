"""A result as it is kept: as JSON, without secrets, and whatever an evaluator or a target gave that is no data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from vivavoce.core import codec, secrets
from vivavoce.core.reply import JSON, Reply
from vivavoce.core.result import Fault, Result, Score, Simulation
from vivavoce.run.judging import storable


def as_kept(result: Result, hidden: Sequence[str]) -> tuple[Result, str]:
    """A result as it is kept, and as JSON; what cannot be, since an evaluator or target gave no data, is that case's error."""
    try:
        text = codec.encode(result).decode()
    except (TypeError, ValueError, RecursionError):
        result = _mended(result, hidden)
        text = codec.encode(result).decode()
    if not hidden or not secrets.occur(text, hidden):
        return result, text
    result = _blotted(result, hidden)
    return result, codec.encode(result).decode()


def _mended(result: Result, hidden: Sequence[str]) -> Result:
    """A result without those parts of its scores that are no data; its case's error, where that is not all."""
    turns = tuple(replace(turn, scores=tuple(map(storable, turn.scores))) for turn in result.turns)
    result = replace(result, turns=turns, scores=tuple(map(storable, result.scores)))
    try:
        codec.encode(result)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"what came of it cannot be stored: {error}"
        return Result(
            suite=result.suite,
            case=result.case,
            name=result.name,
            category=result.category,
            repeat=result.repeat,
            position=result.position,
            status="error",
            digest=result.digest,
            error=Fault(code="not_storable", message=secrets.blot(message, hidden)),
        )
    return result


def _blotted(result: Result, hidden: Sequence[str]) -> Result:
    """A result without the values of secrets, should an agent or a server have sent one back.

    What Viva itself says stays, such as a status or a code: a secret may be as plain a word.
    """
    told = partial(secrets.blot_all, secrets=hidden)
    return replace(
        result,
        name=told(result.name),
        metadata=told(result.metadata),
        turns=tuple(
            replace(
                turn,
                input=told(turn.input),
                expected=told(turn.expected),
                error=_fault(turn.error, told),
                reply=codec.convert(told(codec.plain(turn.reply)), Reply) if turn.reply is not None else None,
                scores=_scores(turn.scores, told),
            )
            for turn in result.turns
        ),
        scores=_scores(result.scores, told),
        simulation=_simulation(result.simulation, told),
        error=_fault(result.error, told),
    )


def _simulation(simulation: Simulation | None, told: Callable[[JSON], JSON]) -> Simulation | None:
    return replace(simulation, reasoning=told(simulation.reasoning)) if simulation is not None else None


def _fault(fault: Fault | None, told: Callable[[JSON], JSON]) -> Fault | None:
    return replace(fault, message=told(fault.message)) if fault is not None else None


def _scores(scores: Iterable[Score], told: Callable[[JSON], JSON]) -> tuple[Score, ...]:
    return tuple(replace(each, label=told(each.label), reason=told(each.reason), details=told(each.details)) for each in scores)
