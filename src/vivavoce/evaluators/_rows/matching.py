"""Which expected row belongs to which row of the answer, when order does not matter."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence


def pair(neighbours: Sequence[Sequence[int]]) -> dict[int, int]:
    """As many pairs as there can be, none sharing a member: a maximum matching, by the method of Hopcroft and Karp.

    `neighbours` holds what each of the numbers from 0 may be paired with.
    """
    pairs: dict[int, int] = {}
    taken: dict[int, int] = {}
    while layers := _layers(neighbours, pairs, taken):
        left = {one: iter(neighbours[one]) for one in layers}
        for one, layer in layers.items():
            if layer == 0:
                _lengthen(one, layers, left, pairs, taken)
    return pairs


def _layers(neighbours: Sequence[Sequence[int]], pairs: Mapping[int, int], taken: Mapping[int, int]) -> dict[int, int]:
    """How many steps each member is from one without a pair, as far as the nearest that is free; nothing where none is."""
    waiting = deque(one for one in range(len(neighbours)) if one not in pairs)
    layers = dict.fromkeys(waiting, 0)
    last: int | None = None
    while waiting:
        one = waiting.popleft()
        if last is not None and layers[one] > last:
            break
        for other in neighbours[one]:
            holder = taken.get(other)
            if holder is None:
                last = layers[one]
            elif holder not in layers:
                layers[holder] = layers[one] + 1
                waiting.append(holder)
    return {} if last is None else layers


def _lengthen(
    start: int, layers: Mapping[int, int], left: Mapping[int, Iterator[int]], pairs: dict[int, int], taken: dict[int, int]
) -> None:
    """Find a way from `start` to what is free, each step a layer on, and turn the pairs along it."""
    way, picked = [start], list[int]()
    while way:
        one = way[-1]
        for other in left[one]:
            holder = taken.get(other)
            if holder is None or layers.get(holder) == layers[one] + 1:
                picked.append(other)
                break
        else:
            way.pop()
            del picked[-1:]
            continue
        if holder is None:
            pairs.update(zip(way, picked, strict=True))
            taken.update(zip(picked, way, strict=True))
            return
        way.append(holder)


def place(spans: Sequence[tuple[int, int]], size: int) -> dict[int, int]:
    """Each span to a place of its own in it, for as many as there can be; a span is its first place and the end after its last.

    Where all that may be paired stands in a row, nothing has to be tried twice: what ends first takes the first that is free.
    """
    after = list(range(size + 1))
    pairs: dict[int, int] = {}
    for one in sorted(range(len(spans)), key=lambda each: spans[each][1]):
        free, end = spans[one]
        while after[free] != free:
            after[free] = after[after[free]]
            free = after[free]
        if free < end:
            pairs[one], after[free] = free, free + 1
    return pairs


def assign(costs: Sequence[Sequence[int]]) -> dict[int, int]:
    """Rows to columns with the least sum of costs, as many as there can be: the Hungarian method, in the cube of the size."""
    rows, columns = len(costs), len(costs[0]) if costs else 0
    if rows > columns:
        turned = assign([[costs[row][column] for row in range(rows)] for column in range(columns)])
        return {row: column for column, row in turned.items()}
    ours, theirs, holder = [0] * (rows + 1), [0] * (columns + 1), [0] * (columns + 1)
    for row in range(1, rows + 1):
        holder[0] = row
        _extend(costs, ours, theirs, holder)
    return {holder[column] - 1: column - 1 for column in range(1, columns + 1) if holder[column]}


def _extend(costs: Sequence[Sequence[int]], ours: list[int], theirs: list[int], holder: list[int]) -> None:
    """Find a column for the row in `holder[0]` along the cheapest path; `ours` and `theirs` are the dual prices."""
    columns = len(theirs)
    least: list[float] = [float("inf")] * columns
    way, seen, at = [0] * columns, [False] * columns, 0
    while holder[at]:
        seen[at] = True
        row, best, step = holder[at], float("inf"), 0
        for column in range(1, columns):
            if seen[column]:
                continue
            price = costs[row - 1][column - 1] - ours[row] - theirs[column]
            if price < least[column]:
                least[column], way[column] = price, at
            if least[column] < best:
                best, step = least[column], column
        for column in range(columns):
            if seen[column]:
                ours[holder[column]] += int(best)
                theirs[column] -= int(best)
            else:
                least[column] -= best
        at = step
    while at:
        holder[at] = holder[way[at]]
        at = way[at]
