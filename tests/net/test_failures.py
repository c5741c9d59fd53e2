"""What a message shows of a foreign text is one line, short, and commands nothing."""

from __future__ import annotations

import pytest

from vivavoce.net.failures import bad_payload, excerpt, retry_after, too_large


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n b\t c", "a b c"),
        ("\x1b[31mred\x07", "[31mred"),
        (b"caf\xc3\xa9 \xff", "café \N{REPLACEMENT CHARACTER}"),
        ("", ""),
    ],
)
def test_an_excerpt_is_one_line(text, shown):
    assert excerpt(text) == shown


def test_an_excerpt_is_cut_at_the_end_that_says_less():
    text = "begin " + "x" * 500 + " end"
    assert excerpt(text, 10) == "begin xxxx..."
    assert excerpt(text, 10, tail=True) == "...xxxxxx end"
    assert excerpt("y" * 10_000_000, 10) == "y" * 10 + "..."


def test_an_answer_that_cannot_be_used_was_an_answer():
    for error in (bad_payload("half of it"), too_large("the answer", 1_000_000)):
        assert error.failure.answered
        assert not error.failure.retriable
    assert "1,000,000 bytes" in str(too_large("the answer", 1_000_000))


@pytest.mark.parametrize("said", ["Wed, 21 Oct 2015 07:27:50 GMT", None, "yesterday"])
@pytest.mark.parametrize("jump", [0, -86400, 86400])
def test_how_long_to_wait_is_told_by_the_clock_of_who_asks(said, jump):
    noon = 1445412470.0  # 07:27:50 on that day
    waits = retry_after("Wed, 21 Oct 2015 07:28:00 GMT", said, noon + jump)
    assert waits == (10 if said == "Wed, 21 Oct 2015 07:27:50 GMT" else max(10 - jump, 0))
