"""Pictures, as SVG inside the page: shares of statuses, and how values are spread."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.core.result import Status
from vivavoce.reports._html.blocks import ORDER, figure
from vivavoce.reports._html.markup import Markup, tag
from vivavoce.reports._html.spread import Bin, Spread

_WIDTH, _HEIGHT = 300.0, 84.0
_TOP, _FLOOR = 14.0, 104.0


def patterns() -> Markup:
    """The hatching of what failed, so that it can be told without colour; once a page."""
    line = tag("path", d="M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2", class_="hatch")
    pattern = tag(
        "pattern",
        tag("rect", width=6, height=6, class_="under"),
        line,
        id="hatch",
        width=6,
        height=6,
        patternUnits="userSpaceOnUse",
    )
    return tag("svg", tag("defs", pattern), width=0, height=0, aria_hidden="true", focusable="false", class_="defs")


def bar(counts: Mapping[Status, int], class_: str = "bar") -> Markup:
    """How a number of trials or scores is shared out."""
    total = sum(counts.values())
    told = ", ".join(
        f"{counts[status]:,} {word if counts[status] > 1 else word.removesuffix('s')}"
        for status, word in ORDER
        if counts[status]
    )
    parts, at = [], 0.0
    for status, _ in ORDER:
        width = 200 * counts[status] / total if total else 0
        if width:
            gap = min(0.8, width / 4) if at + width < 199.9 else 0
            parts.append(tag("rect", x=_r(at), y=0, width=_r(width - gap), height=8, class_=status))
        at += width
    return tag(
        "svg", *parts, class_=class_, viewBox="0 0 200 8", preserveAspectRatio="none", role="img", aria_label=told or "none"
    )


def histogram(name: str, spread: Spread) -> Markup:
    """How the values of a check are spread, and where its threshold is."""
    bins, (low, high) = spread.bins(), spread.scale
    most = max(each.total for each in bins)
    width = _WIDTH / len(bins)
    parts = [tag("path", d=f"M0,{_FLOOR:g} H{_WIDTH:g}", class_="axis")]
    for at, each in enumerate(bins):
        parts.append(_column(each, at * width, width, most, spread.is_stepped))
    parts += _thresholds(spread, low, high, width)
    if spread.is_stepped:
        every = max(1, len(bins) // 7)
        ticks = [(at * width + width / 2, each.low) for at, each in enumerate(bins) if at % every == 0]
    else:
        ticks = [(0.0, low), (_WIDTH / 2, (low + high) / 2), (_WIDTH, high)]
    for x, value in ticks:
        side = "start" if x == 0 else "end" if x == _WIDTH else "middle"
        parts.append(tag("text", figure(value), x=_r(x), y=_FLOOR + 14, text_anchor=side))
    return tag("svg", *parts, viewBox=f"0 0 {_WIDTH:g} {_FLOOR + 18:g}", role="img", aria_label=_told(name, spread, bins))


def _column(each: Bin, x: float, width: float, most: int, stepped: bool) -> Markup:
    if not each.total:
        return Markup()
    room = min(0.25 * width, 10 if stepped else 2)
    scale = _HEIGHT / most
    passed, failed = each.passed * scale, each.failed * scale
    parts = [tag("title", _bin(each))]
    for height, floor, status in ((passed, _FLOOR, "pass"), (failed, _FLOOR - passed, "fail")):
        if height:
            box = {"x": _r(x + room), "y": _r(floor - height), "width": _r(width - 2 * room), "height": _r(height)}
            parts.append(tag("rect", **box, class_=status))
    if stepped or each.total == most:
        top = _FLOOR - passed - failed - 4
        parts.append(tag("text", f"{each.total:,}", x=_r(x + width / 2), y=_r(top), text_anchor="middle", class_="count"))
    return tag("g", *parts)


def _thresholds(spread: Spread, low: float, high: float, width: float) -> list[Markup]:
    lines = []
    for threshold in spread.thresholds:
        if low <= threshold <= high:
            # On a scale of steps the line goes before the step that just suffices, or behind it where lower is better.
            x = (
                (threshold - low + spread.lower_is_better) * width
                if spread.is_stepped
                else _WIDTH * (threshold - low) / (high - low)
            )
            lines.append(tag("path", d=f"M{_r(x)},{_TOP:g} V{_FLOOR:g}", class_="threshold"))
    return lines


def _told(name: str, spread: Spread, bins: list[Bin]) -> str:
    said = "; ".join(_bin(each) for each in bins if each.total)
    needed = " or ".join(figure(each) for each in spread.thresholds)
    side = ", lower is better" if spread.lower_is_better else ""
    return f"{name}, scores by value: {said}" + (f"; threshold {needed}{side}" if needed else "")


def _bin(each: Bin) -> str:
    value = figure(each.low) if each.low == each.high else f"{figure(each.low)} to {figure(each.high)}"
    parts = [f"{count:,} {word}" for count, word in ((each.passed, "passed"), (each.failed, "failed")) if count]
    return f"{value}: {', '.join(parts)}"


def _r(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def legend() -> Markup:
    """What the pictures mean."""
    keys = [tag("span", tag("i", class_=f"key {status}", aria_hidden="true"), word) for status, word in ORDER[:2]]
    return tag("p", *keys, tag("span", tag("i", class_="key line", aria_hidden="true"), "threshold"), class_="legend")
