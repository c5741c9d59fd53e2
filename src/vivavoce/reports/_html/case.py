"""One case: a line that says how it went, and under it the whole conversation."""

from __future__ import annotations

from vivavoce.core.result import Exchange, Result, Status
from vivavoce.reports import _text
from vivavoce.reports._html import turn
from vivavoce.reports._html.blocks import View, data, folded, mark
from vivavoce.reports._html.markup import Child, Markup, tag
from vivavoce.reports._html.overview import Overview, headline, place_of, scores

TURNS = 200
"""Of a conversation, at most."""
_WORST: tuple[Status, ...] = ("error", "fail", "pass", "skip")


def article(view: View, overview: Overview, result: Result) -> Markup:
    """The case as it stands in the list, closed; with what the filters look for."""
    place = place_of(result)
    link = tag("a", "Link to this case", href=f"#{place}", class_="here")
    # The id is inside what is folded: a browser that is sent there unfolds it, without any script.
    inside = tag("div", *body(view, result), tag("p", link, class_="foot"), class_="body", id=place)
    return tag(
        "article",
        tag("details", _line(view, result), inside),
        class_=f"case {result.status}",
        data_s=result.status,
        data_u=overview.suites[result.suite],
        data_c="" if result.category is None else overview.categories[result.category],
        data_k=_checks(overview, result),
    )


def _line(view: View, result: Result) -> Markup:
    name = _text.line(result.name or "", 160)
    where = [_text.line(result.suite, 60), *([_text.line(result.category, 60)] if result.category else [])]
    if view.repeat > 1:
        where.append(f"repeat {result.repeat + 1} of {view.repeat}")
    why = headline(result) if result.status in ("fail", "error") else ""
    case = _text.line(result.case, 80)
    return tag(
        "summary",
        mark(result.status),
        tag("h4", case or "(no id)"),
        tag("span", name, class_="name", dir="auto") if name and name != case else None,
        tag("span", " · ".join(where), class_="where"),
        tag("span", why, class_="why", dir="auto") if why else None,
    )


def body(view: View, result: Result) -> list[Child]:
    """The whole conversation, with its scores."""
    several = len(result.turns) > 1
    parts: list[Child] = []
    if len(result.case) > 80:
        parts.append(tag("p", _text.line(result.case, 2_000), class_="mono"))
    if result.error is not None and all(each.error is None for each in result.turns):
        parts.append(turn.fault(result.error.code, result.error.message))
    shown = result.turns[:TURNS]
    for at, exchange in enumerate(shown):
        heading = tag("h5", f"Turn {at + 1} of {len(result.turns)}", " ", _turn_mark(exchange)) if several else None
        parts.append(tag("section", heading, turn.turn(view, exchange), class_="turn several" if several else "turn"))
    if len(result.turns) > TURNS:
        view.items += len(result.turns) - TURNS
        parts.append(tag("p", f"and {len(result.turns) - TURNS:,} more turns", class_="cut"))
    if result.scores:
        heading = tag("h5", "The conversation as a whole") if several else None
        parts.append(tag("section", heading, turn.scores(view, result.scores), class_="turn"))
    if result.stop is not None:
        parts.append(tag("p", f"Ended: {_text.cut(_text.ended(result), 1_000)}", class_="took", dir="auto"))
        warnings = result.simulation.warnings if result.simulation is not None else ()
        parts += [tag("p", _text.line(each, 500), class_="took") for each in warnings]
    if result.metadata:
        parts.append(folded("Metadata", data(view, result.metadata, "Metadata")))
    return parts or [tag("p", "Nothing is known of this case.", class_="nothing")]


def _turn_mark(exchange: Exchange) -> Markup | None:
    statuses = {score.status for score in exchange.scores}
    if exchange.error is not None:
        statuses.add("skip" if exchange.error.code == "not_sent" else "error")
    worst = next((status for status in _WORST if status in statuses), None)
    return None if worst is None else mark(worst)


def _checks(overview: Overview, result: Result) -> str:
    """The number of each check with the first letter of its worst status: `0p3f`."""
    worst: dict[int, Status] = {}
    for score in scores(result):
        number = overview.checks[score.name]
        if number not in worst or _WORST.index(score.status) < _WORST.index(worst[number]):
            worst[number] = score.status
    return "".join(f"{number}{status[0]}" for number, status in worst.items())
