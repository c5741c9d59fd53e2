"""Expected rows beside those of an answer, with what differs marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vivavoce.core.reply import JSON, Object
from vivavoce.reports import _text
from vivavoce.reports._html.blocks import View
from vivavoce.reports._html.markup import Child, Markup, join, tag

COLUMNS = 12
"""Of one side."""
TOLD = 20
"""Differences that belong to no cell."""
NAME = 120
COMPARED = frozenset(("mismatches", "expected_rows", "actual_rows", "pairs"))
"""What the details of a score hold, if rows were compared."""

Pair = tuple[int | None, int | None]
"""The index of an expected row and of the answer's row beside it; `None` where there is no such row."""


def compared(view: View, details: Object) -> Markup | None:
    """The two side by side; `None` when they are not there."""
    if not all(isinstance(details.get(name), list | tuple) for name in COMPARED):
        return None
    table = _Table.of(details)
    lines, more = view.some(list(table.lines(details["pairs"])))
    sides = (("Expected", table.wanted, ""), ("Answered", table.given, "between"))
    over = (tag("th", name, scope="colgroup", colspan=max(1, len(names)), class_=edge or None) for name, names, edge in sides)
    heads = [cell for _, names, edge in sides for cell in _cells("th", [_text.line(name, NAME) for name in names], edge)]
    head = tag("thead", tag("tr", tag("td", None, rowspan=2), *over), tag("tr", *heads))
    body = tag("tbody", *(tag("tr", *table.line(pair)) for pair in lines))
    told = [each for each in _objects(details["mismatches"]) if each.get("key") is None][:TOLD]
    notes = (tag("p", f"{_words(each.get('path'))}: {_words(each.get('message'))}", class_="differs") for each in told)
    shown = tag("table", head, body, class_="rows compared")
    return join(*notes, tag("div", shown, class_="wide", tabindex="0", role="region", aria_label="Rows side by side"), more)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Table:
    expected: Sequence[Object]
    got: Sequence[Object]
    wanted: Sequence[str]
    """The expected columns."""
    given: Sequence[str]
    """The answer's columns, those that were expected first and in the same order."""
    wrong: dict[tuple[JSON, str], str]
    """By an expected row's index and the folded name of a column: what is wrong."""

    @classmethod
    def of(cls, details: Object) -> _Table:
        expected, got = _objects(details["expected_rows"]), _objects(details["actual_rows"])
        wanted = _names(expected)
        order = {_folded(name): at for at, name in enumerate(wanted)}
        given = sorted(_names(got), key=lambda name: order.get(_folded(name), len(order)))
        found = [each for each in _objects(details["mismatches"]) if each.get("key") is not None]
        wrong = {(each.get("row"), _folded(str(each["key"]))): _words(each.get("message")) for each in found}
        return cls(expected=expected, got=got, wanted=wanted[:COLUMNS], given=given[:COLUMNS], wrong=wrong)

    def lines(self, pairs: JSON) -> Iterator[Pair]:
        """Pairs in the expected order, then the answer's rows that are beside none."""
        partners: dict[int, int] = {}
        for each in pairs if isinstance(pairs, list | tuple) else ():
            if isinstance(each, list | tuple) and len(each) == 2 and isinstance(each[0], int) and isinstance(each[1], int):
                partners[each[0]] = each[1]
        for at in range(len(self.expected)):
            other = partners.get(at)
            yield at, other if other is not None and 0 <= other < len(self.got) else None
        taken = set(partners.values())
        for at in range(len(self.got)):
            if at not in taken:
                yield None, at

    def line(self, pair: Pair) -> Iterator[Child]:
        """One row of the table."""
        left, right = pair
        yield tag("td", str((left if left is not None else right or 0) + 1), class_="by")
        yield from self._expected(left, right)
        yield from self._answered(left, right)

    def _expected(self, left: int | None, right: int | None) -> Iterator[Child]:
        if left is None:
            yield tag("td", "not expected", colspan=max(1, len(self.wanted)), class_="absent")
            return
        for name in self.wanted or [""]:
            words, why = _cell(self.expected[left].get(name)), self.wrong.get((left, _folded(name)))
            if why is None or right is None:
                yield tag("td", words)
            else:
                yield tag("td", tag("mark", words or "(nothing)"), tag("span", why, class_="differs"), class_="wrong")

    def _answered(self, left: int | None, right: int | None) -> Iterator[Child]:
        if right is None:
            yield tag("td", "no such row", colspan=max(1, len(self.given)), class_="between absent")
            return
        for at, name in enumerate(self.given or [""]):
            words = _cell(self.got[right].get(name))
            differs = left is None or (left, _folded(name)) in self.wrong
            classes = ["between"] if at == 0 else []
            classes += ["wrong"] if differs else []
            yield tag("td", tag("mark", words or "(nothing)") if differs else words, class_=" ".join(classes) or None)


def _cells(kind: str, words: Sequence[str], edge: str) -> Iterator[Markup]:
    for at, each in enumerate(words or [""]):
        yield tag(kind, each, scope="col", class_=edge if at == 0 and edge else None)


def _names(rows: Sequence[Object]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _objects(value: JSON) -> list[Object]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list | tuple) else []


def _folded(name: str) -> str:
    """As the comparison takes names for the same."""
    return "".join(letter for letter in name.casefold() if not letter.isspace() and letter not in "_-")


def _cell(value: JSON) -> str:
    return "" if value is None else _text.line(value if isinstance(value, str) else _text.encoded(value), 200)


def _words(value: JSON) -> str:
    return _text.line(str(value), 300)
