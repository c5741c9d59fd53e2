"""Pairs, against trying everything."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.evaluators._rows.matching import assign, pair, place

GRAPHS = st.lists(st.lists(st.integers(0, 4), max_size=5, unique=True), max_size=4)


@given(GRAPHS)
def test_as_many_pairs_as_there_can_be(graph):
    pairs = pair(graph)
    assert all(other in graph[one] for one, other in pairs.items())
    assert len(set(pairs.values())) == len(pairs)
    places = [*range(5), *([None] * len(graph))]
    ways = permutations(places, len(graph))
    assert len(pairs) == max(sum(other in graph[one] for one, other in enumerate(way)) for way in ways)


SPANS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda span: span[0] <= span[1]), max_size=6)


@given(SPANS)
def test_as_many_spans_find_a_place_as_there_can(spans):
    placed = place(spans, 5)
    assert all(spans[one][0] <= at < spans[one][1] for one, at in placed.items())
    assert len(set(placed.values())) == len(placed) == len(pair([range(*span) for span in spans]))


@st.composite
def tables(draw):
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    return [[draw(st.integers(0, 9)) for _ in range(columns)] for _ in range(rows)]


@given(tables())
def test_the_assignment_is_the_cheapest(costs):
    rows, columns = len(costs), len(costs[0])
    found = assign(costs)
    assert len(found) == len(set(found.values())) == min(rows, columns)
    if rows <= columns:
        cheapest = min(sum(costs[one][way[one]] for one in range(rows)) for way in permutations(range(columns), rows))
    else:
        cheapest = min(sum(costs[way[one]][one] for one in range(columns)) for way in permutations(range(rows), columns))
    assert sum(costs[one][other] for one, other in found.items()) == cheapest


def test_nothing_is_assigned_to_nothing():
    assert assign([]) == {}
    assert pair([]) == {}


def test_a_long_chain_is_turned_over_without_recursion():
    size = 3000
    neighbours = [[0], *([one - 1, one] for one in range(1, size))]
    assert len(pair(neighbours[::-1])) == size
