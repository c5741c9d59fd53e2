"""What is said of a call that a cassette does not hold: which it is, and which recorded one is most like it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from vivavoce.core.place import did_you_mean
from vivavoce.core.reply import JSON
from vivavoce.run._cassette.call import Call
from vivavoce.run._cassette.reading import Line
from vivavoce.run._cassette.tape import Tape

_SHOWN = 60


def missing(call: Call, tape: Tape) -> str:
    """Names the call, and the nearest recorded one with what differs there."""
    told = f"{tape.path} does not hold {call.told()}"
    return f"{told}; {_nearest(call, tape)}. Record what is missing with --replay {tape.path} --record-missing"


def _nearest(call: Call, tape: Tape) -> str:
    best: tuple[int, Line] | None = None
    for line in tape.near(call):
        likeness = _likeness(call, line.call)
        if best is None or likeness > best[0]:
            best = likeness, line
    if best is not None:
        line = best[1]
        at = f" in line {line.number}" if line.number else ""
        differs = "; ".join(_differences(call, line.call)) or "its words"
        return f"the nearest recorded{at} is {line.call.told()}, which differs: {differs}"
    cases = list(dict.fromkeys(tape.cases(call.kind)))
    if not cases:
        return f"it holds no call of kind {call.kind} at all" if len(tape) else "it holds nothing"
    count = f"{len(cases)} case{'s' * (len(cases) != 1)}"
    return f"it holds no such call of this case, but of {count} ({did_you_mean(call.case, cases)})"


def _likeness(wanted: Call, there: Call) -> int:
    parts = wanted.request.keys() | there.request.keys()
    same: int = sum(wanted.request.get(name) == there.request.get(name) for name in parts)
    weighed = (
        wanted.request.get("rubric") == there.request.get("rubric"),
        wanted.turn == there.turn,
        wanted.repeat == there.repeat,
        wanted.asked == there.asked,
    )
    weight: int = sum(alike << place for place, alike in enumerate(reversed(weighed)))
    return 16 * weight + same


def _differences(wanted: Call, there: Call) -> Iterator[str]:
    for name in ("repeat", "turn", "nth"):
        if getattr(wanted, name) != getattr(there, name):
            yield f"{name} is {_number(getattr(there, name))} there, and {_number(getattr(wanted, name))} here"
    yield from _between("", wanted.request, there.request)
    if wanted.asked != there.asked:
        yield from _between("whom it asked: ", wanted.asked, there.asked)


def _between(where: str, here: JSON, there: JSON) -> Iterator[str]:
    for name in sorted(here.keys() | there.keys()):
        ours, theirs = here.get(name), there.get(name)
        if ours == theirs:
            continue
        if isinstance(ours, dict) and isinstance(theirs, dict):
            yield from _between(f"{where}{name}.", ours, theirs)
        elif isinstance(ours, str) and ours.startswith("b2:"):
            yield f"{where}{name} is another text"
        else:
            yield f"{where}{name} is {_short(theirs)} there, and {_short(ours)} here"


def _number(value: int | None) -> str:
    return "none" if value is None else str(value)


def _short(value: JSON) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
