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


def test_it_grows_and_forgets_nothing():
    ids = Ids()
    assert all(ids.add(f"case-{number}", number) is None for number in range(20_000))
    assert all(ids.add(f"case-{number}", 0) == number for number in range(20_000))


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
