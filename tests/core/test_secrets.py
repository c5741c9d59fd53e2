"""What is kept from sight, and that it can be put back."""

from __future__ import annotations

import json

import pytest

from vivavoce.core import secrets


@pytest.mark.parametrize(
    ("options", "redacted"),
    [
        ({"headers": {"Authorization": "Bearer abc123"}}, {"headers": {"Authorization": "Bearer ***"}}),
        ({"headers": {"Authorization": "Bearer ${TOKEN}"}}, {"headers": {"Authorization": "Bearer ${TOKEN}"}}),
        ({"headers": {"X-Api-Key": "abc123"}}, {"headers": {"X-Api-Key": "***"}}),
        ({"url": "https://me:pa55word@host/x?token=t0ken&a=1"}, {"url": "https://me:***@host/x?token=***&a=1"}),
        ({"argv": "agent --api-key abc123 --verbose"}, {"argv": "agent --api-key *** --verbose"}),
        ({"env": {"PASSWORD": "abc123", "HOME": "/x"}}, {"env": {"PASSWORD": "***", "HOME": "/x"}}),
        ({"idempotent": True, "limit": 3, "text": "a.b"}, {"idempotent": True, "limit": 3, "text": "a.b"}),
    ],
)
def test_secrets_are_hidden_and_restored(options: dict[str, object], redacted: dict[str, object]) -> None:
    assert secrets.redact(options) == redacted
    assert secrets.restore(redacted, options) == options
    assert bool(list(secrets.hidden(redacted))) == (options != redacted)


def test_what_is_not_given_again_stays_hidden_and_is_named() -> None:
    stored = secrets.redact({"headers": {"Authorization": "Bearer abc", "X-Key": "def"}, "limit": 1})
    restored = secrets.restore(stored, {"headers": {"X-Key": "new"}, "limit": 99})
    assert restored == {"headers": {"Authorization": "Bearer ***", "X-Key": "new"}, "limit": 1}
    assert list(secrets.hidden(restored)) == ["headers.Authorization"]


def test_values_are_found_longest_first_and_blotted_out_also_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_TOKEN", 's3cret"quoted')
    options = {
        "headers": {"Authorization": "Bearer ${AGENT_TOKEN}", "Cookie": "longer-s3cret"},
        "url": "http://h/${NONE}",
        "text": "abc",
    }
    found = secrets.values(options)
    assert set(found) == {"longer-s3cret", 's3cret"quoted'}
    assert sorted(found, key=len, reverse=True) == list(found)
    told = json.dumps({"text": 'you sent s3cret"quoted and longer-s3cret'})
    assert json.loads(secrets.blot(told, found)) == {"text": "you sent *** and ***"}


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens", "input_tokens", "output_tokens", "MAX_TOKENS"])
def test_a_number_of_tokens_is_no_secret(name):
    assert secrets.redact({name: "1000"}) == {name: "1000"}
    assert secrets.values({name: "1000"}) == ()


@pytest.mark.parametrize("name", ["token", "tokens", "access_tokens", "max_token", "input_token", "tokens_max"])
def test_a_token_is_one(name):
    assert secrets.redact({name: "abcdef"}) == {name: "***"}


def test_keys_that_plugins_read_by_themselves_are_secrets_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "abc123def456ghi")
    monkeypatch.setenv("OTHER_KEY", "production")
    monkeypatch.setenv("TOKEN_FILE", "/run/secrets/token-1234567")
    assert "abc123def456ghi" in secrets.values({})
    assert not {"production", "/run/secrets/token-1234567"} & set(secrets.values({}))
