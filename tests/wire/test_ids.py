"""Ids seen before are found again, in little memory."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.wire.ids import Ids


@given(st.lists(st.text("abc", max_size=3), max_size=60))
def test_it_tells_the_first_place_as_a_dict_would(names):
    ids, first = Ids(), {}
    for place, name in enumerate(names):
        assert ids.add(name, place) == first.get(name)
        first.setdefault(name, place)


@given(st.lists(st.none() | st.from_regex(r"#?[0-9]{1,2}", fullmatch=True), max_size=60), st.lists(st.booleans(), min_size=60))
def test_cases_without_an_id_are_called_by_their_position(names, blank):
    ids, first, line = Ids(), {}, 0
    for position, name in enumerate(names):
        line += 1 + blank[position]
        told = ids.add_unnamed(position, line) if name is None else ids.add(name, line)
        name = f"#{position}" if name is None else name
        assert told == first.get(name)
        first.setdefault(name, line)


def test_it_grows_and_forgets_nothing():
    ids = Ids()
    assert all(ids.add(f"case-{number}", number) is None for number in range(20_000))
    assert all(ids.add(f"case-{number}", 0) == number for number in range(20_000))


def test_many_stretches_without_an_id_forget_nothing():
    ids = Ids()
    for position in range(0, 20_000, 2):
        assert ids.add_unnamed(position, position) is None
        assert ids.add(f"case-{position + 1}", position + 1) is None
    assert all(ids.add(f"#{position}", 0) == position for position in range(0, 20_000, 2))


def test_a_million_cases_without_an_id_take_no_memory():
    ids = Ids()
    tracemalloc.start()
    try:
        for position in range(100_000):
            ids.add_unnamed(position, position + 1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000
    assert ids.add("#99999", 0) == 100_000


def test_a_hundred_thousand_ids_take_little_memory():
    tracemalloc.start()
    try:
        ids = Ids()
        for number in range(100_000):
            ids.add(f"case-{number}", number)
        size, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < 4_000_000
    assert peak < 8_000_000
    assert ids.add("case-99999", 0) == 99_999
