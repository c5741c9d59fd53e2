"""Turns pair by what was said, in one way only, and never by shifting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.model import Turn
from vivavoce.run.pairing import Unpaired, pairs


def turns(*said):
    return [Turn(input=each) for each in said]


@pytest.mark.parametrize(
    ("case", "recorded", "places"),
    [
        (["a", "b"], ["a", "b"], (0, 1)),
        (["a", "b"], [None, None], (0, 1)),
        (["a", "b"], [None, "b"], (0, 1)),
        ([" A  b"], ["a B "], (0,)),
        (["Where is it?"], ["Answer the guest.\n\nGuest: Where is it?"], (0,)),
        ([{"prompt": "hi", "account": 1}], ["hi"], (0,)),
        ([{"prompt": "hi", "account": 1}], ['{"account": 1, "prompt": "hi"}'], (0,)),
        ([{"account": 1}], [{"account": 1}], (0,)),
        ([None], ["anything"], (0,)),
        (["a", "b"], ["ping", "a", "b"], (1, 2)),
        (["a", "b"], ["a", "ping", "b", "bye"], (0, 2)),
        (["a", "a"], ["a", "ping", "a"], (0, 2)),
        (["a"], ["ping", "a"], (1,)),
    ],
)
def test_turns_that_pair(case, recorded, places):
    assert pairs(turns(*case), turns(*recorded)) == places


@pytest.mark.parametrize(
    ("case", "recorded", "told"),
    [
        (
            ["a", "b", "c"],
            ["a", "b"],
            'the case has 3 turns, the recorded conversation 2, and what its turn 3 says, "c", was not said',
        ),
        (["a", "b"], ["b", "a"], "what they say stands in another order there"),
        (["a", "b"], ["a", "x"], 'what its turn 2 says, "b", was not said there; said was "a", "x"'),
        (["a", "b"], ["a", "a", "b"], "pairs with them in more than one way"),
        (["a"], ["a", "a"], "pairs with them in more than one way"),
        (["a", "b"], [None, None, None], "said was nothing that is known, nothing that is known"),
        (["a"], ["xa", "ya"], 'says, "a", was not said there'),
        (["a"], [], "the case has 1 turn, the recorded conversation 0"),
    ],
)
def test_turns_that_do_not_pair(case, recorded, told):
    with pytest.raises(Unpaired) as caught:
        pairs(turns(*case), turns(*recorded))
    assert told in str(caught.value)


@given(case=st.lists(st.sampled_from("abc"), max_size=4), recorded=st.lists(st.sampled_from("abcx"), max_size=7))
def test_whatever_pairs_was_said_and_pairs_in_one_way(case, recorded):
    def ways(left, at):
        if not left:
            return 1
        return sum(ways(left[1:], place + 1) for place in range(at, len(recorded)) if recorded[place] == left[0])

    try:
        places = pairs(turns(*case), turns(*recorded))
    except Unpaired:
        assert ways(case, 0) != 1
        return
    assert ways(case, 0) == 1
    assert [recorded[at] for at in places] == case
    assert list(places) == sorted(set(places))
