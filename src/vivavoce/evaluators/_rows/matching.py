"""Which expected row belongs to which row of the answer, when order does not matter."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence


def pair(count: int, candidates: Callable[[int], Iterable[int]]) -> dict[int, int]:
    """As many pairs as there can be, none sharing a member: a maximum matching, by augmenting paths.

    `candidates` gives what each of `count` numbers may be paired with, always the same.
    """
    pairs: dict[int, int] = {}
    taken: dict[int, int] = {}
    for one in range(count):
        free = next((other for other in candidates(one) if other not in taken), None)
        if free is not None:
            pairs[one], taken[free] = free, one
    dead: set[int] = set()  # what a search that failed has seen leads nowhere later either
    for one in range(count):
        if one not in pairs:
            came = _search(one, candidates, taken, dead)
            if came is None:
                continue
            end, steps = came
            while True:
                before = steps[end]
                pairs[before], taken[end], end = end, before, pairs.get(before, -1)
                if before == one:
                    break
    return pairs


def _search(
    start: int, candidates: Callable[[int], Iterable[int]], taken: Mapping[int, int], dead: set[int]
) -> tuple[int, dict[int, int]] | None:
    """A free member that can be reached, and from where each member on the way was."""
    steps: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        one = waiting.popleft()
        for other in candidates(one):
            if other in steps or other in dead:
                continue
            steps[other] = one
            if other not in taken:
                return other, steps
            waiting.append(taken[other])
    dead.update(steps)
    return None


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
