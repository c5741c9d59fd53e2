"""Addresses and headers are checked, and their variables filled in, before anything is sent."""

from __future__ import annotations

import pytest

from vivavoce.core import environment
from vivavoce.net import addressing


@pytest.fixture(autouse=True)
def variables():
    with environment.known({"HOST": "agent.example", "TOKEN": "t-123456789", "LINES": "a\nb"}):
        yield


def test_variables_are_filled_in():
    assert addressing.address("https://${HOST}:8443/chat?x=1") == "https://agent.example:8443/chat?x=1"
    assert addressing.headers({"Authorization": "Bearer ${TOKEN}"}) == {"Authorization": "Bearer t-123456789"}


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("agent.example/chat", "is no http:// or https:// address"),
        ("ftp://agent.example", "is no http:// or https:// address"),
        ("http:///chat", "is no http:// or https:// address"),
        ("http://agent.example:port", "is no address"),
        ("http://agent.example:99999", "is no address"),
        ("http://me:secret@agent.example", "a password does not belong into an address"),
        ("http://${NOBODY_SET_THIS}/", "NOBODY_SET_THIS"),
    ],
)
def test_what_is_no_address_is_told_by_the_name_of_its_option(url, message):
    with pytest.raises(ValueError, match="base") as raised:
        addressing.address(url, "base")
    assert message in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a b": "x"}, "'a b' is no name of a header"),
        ({"": "x"}, "is no name of a header"),
        ({"X": "a\r\nY: b"}, "has more than one line"),
        ({"X": "${LINES}"}, "has more than one line"),
    ],
)
def test_a_header_that_would_be_two_is_refused(given, message):
    with pytest.raises(ValueError, match="header") as raised:
        addressing.headers(given)
    assert message in str(raised.value)


def test_messages_show_no_query():
    assert addressing.shown("https://agent.example:8443/chat?key=secret#x") == "https://agent.example:8443/chat"
