"""What is kept from sight, and that it can be put back."""

from __future__ import annotations

import dataclasses
import html
import json
import typing
from collections.abc import Callable
from functools import partial
from typing import Literal
from urllib.parse import quote, quote_plus

import pytest

from vivavoce.core import plugins, secrets


@pytest.mark.parametrize(
    ("options", "redacted"),
    [
        ({"headers": {"Authorization": "Bearer abc123"}}, {"headers": {"Authorization": "Bearer ***"}}),
        ({"headers": {"Authorization": "Bearer ${TOKEN}"}}, {"headers": {"Authorization": "Bearer ${TOKEN}"}}),
        ({"headers": {"X-Api-Key": "abc123"}}, {"headers": {"X-Api-Key": "***"}}),
        ({"url": "https://me:pa55word@host/x?token=t0ken&a=1"}, {"url": "https://me:***@host/x?token=***&a=1"}),
        ({"argv": "agent --api-key abc123 --verbose"}, {"argv": "agent --api-key *** --verbose"}),
        ({"env": {"PASSWORD": "abc123", "HOME": "/x"}}, {"env": {"PASSWORD": "***", "HOME": "/x"}}),
        ({"argv": "curl -H 'Authorization: Bearer abc' -d @-"}, {"argv": "curl -H 'Authorization: Bearer ***' -d @-"}),
        ({"argv": "curl -u me:abc --data {}"}, {"argv": "curl -u me:*** --data {}"}),
        ({"argv": ["agent", "--token", "abc", "-v"]}, {"argv": ["agent", "--token", "***", "-v"]}),
        ({"headers": {"X-Team": "red", "Accept": "text/plain"}}, {"headers": {"X-Team": "***", "Accept": "text/plain"}}),
        ({"system": "The key question: which secret is meant?"}, {"system": "The key question: which secret is meant?"}),
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


@pytest.mark.parametrize(
    "name",
    ["X-Custom-Auth", "basicAuth", "auth", "pwd", "DB_PWD", "passphrase", "X-Pin", "pin", "jwt", "signature", "sig", "oauth"],
)
def test_names_of_secrets(name: str) -> None:
    assert secrets.is_secret(name)


@pytest.mark.parametrize("name", ["author", "spin", "pinned", "opinion", "session", "assign", "PWD", "OLDPWD"])
def test_names_of_no_secrets(name: str) -> None:
    assert not secrets.is_secret(name)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"argv": "curl -H 'Authorization: Bearer abcde' -d @-"}, {"abcde"}),
        ({"argv": ["agent", "--token", "abcde"]}, {"abcde"}),
        ({"headers": {"Authorization": "Basic bWU6YWJjZGU="}}, {"Basic bWU6YWJjZGU=", "bWU6YWJjZGU=", "me:abcde", "abcde"}),
        ({"headers": {"Authorization": "Basic ${BASIC}"}}, {"bWU6YWJjZGU=", "me:abcde", "abcde"}),
        ({"headers": {"Cookie": "lang=en; session=abcde"}}, {"lang=en; session=abcde", "abcde"}),
        ({"headers": {"X-Team": "production"}}, set()),
        ({"headers": {"X-Team": "a1b2c3d4e5f6"}}, {"a1b2c3d4e5f6"}),
        ({"system": "The key question: which secret is meant?"}, set()),
    ],
)
def test_values_that_may_come_back(options: dict[str, object], told: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASIC", "bWU6YWJjZGU=")
    assert set(secrets.values(options)) == told


@pytest.mark.parametrize("secret", ['geheim"\u00e999', "back\\slash", "status"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_value_is_blotted_out_however_json_writes_it(secret: str, *, ascii_only: bool) -> None:
    written = json.dumps({"said": f"it is {secret}."}, ensure_ascii=ascii_only)
    assert secrets.occur(written, [secret])
    assert secrets.occur(json.dumps(written, ensure_ascii=ascii_only), [secret])
    assert json.loads(secrets.blot(written, [secret])) == {"said": "it is ***."}


@pytest.mark.parametrize("write", [quote, quote_plus, partial(quote, safe=""), html.escape])
def test_a_value_is_blotted_out_however_an_address_or_a_page_writes_it(write: Callable[[str], str]) -> None:
    secret = 'p@ss/w"rd 1=\\\u00e9&<x>9'
    said = json.dumps({"error": f"<p>{write(secret)} is wrong</p>", secret: 1})
    assert secrets.occur(said, [secret])
    told = secrets.blot_all(json.loads(said), [secret])
    assert told == {"error": "<p>*** is wrong</p>", "***": 1}


def test_only_texts_are_blotted_out_and_names_that_can_be_no_plain_word() -> None:
    value = {"status": ["status", 1234, None, {"null": "1234"}], "a1b2c3d4e5f6": True}
    hidden = ["status", "null", "1234", "a1b2c3d4e5f6"]
    assert secrets.blot_all(value, hidden) == {"status": ["***", 1234, None, {"null": "***"}], "***": True}


@pytest.mark.parametrize("kind", plugins.KINDS)
def test_no_option_that_is_chosen_from_few_words_is_called_like_a_secret(kind: str) -> None:
    """What it is set to would be blotted out of every text, in which such words have another meaning."""
    for name in plugins.names(kind):
        maker = plugins.find(kind, name)
        if not isinstance(maker, type) or not dataclasses.is_dataclass(maker):
            continue
        hints = typing.get_type_hints(maker, localns={"Service": object})
        words = [
            field.name
            for field in dataclasses.fields(maker)
            if Literal in (typing.get_origin(hints[field.name]), *map(typing.get_origin, typing.get_args(hints[field.name])))
        ]
        assert not [word for word in words if secrets.is_secret(word)], name
