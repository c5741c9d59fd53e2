"""Settings as they are printed: complete, each with its source, and without secrets."""

from __future__ import annotations

import pytest

from vivavoce.config.load import load
from vivavoce.config.options import OPTIONS
from vivavoce.config.show import show
from vivavoce.core.secrets import redact

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"Authorization": f"Bearer {SECRET}"}, "headers"),
        ({"X-Api-Key": SECRET}, "headers"),
        ({"cookie": SECRET}, "headers"),
        ([{"password": SECRET}], "x"),
        (SECRET, "client_secret"),
        (f"{SECRET}${{MORE}}", "token"),
        (f"postgresql://viva:{SECRET}@db.example/runs", "store"),
        (f"https://agent.example/chat?user=a&api_key={SECRET}&b=c", "target"),
        (f"command:./agent --token {SECRET} --fast", "target"),
        (f"command:./agent --api-key={SECRET}", "target"),
    ],
)
def test_secrets_are_hidden(value, name):
    assert SECRET not in str(redact(value, name))
    assert "***" in str(redact(value, name))


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("Bearer ${AGENT_TOKEN}", "Authorization"),
        ("${A}${B}", "key"),
        ("https://agent.example/chat?q=${KEY}&page=2", "target"),
        ("python:agent:answer", "target"),
        ({"text": "choices[0].message.content"}, "options"),
        (5, "max_tokens"),
        (True, "use_cookies"),
    ],
)
def test_what_holds_no_secret_is_shown_as_it_stands(value, name):
    assert redact(value, name) == value


def test_every_setting_is_printed_with_its_source(tmp_path):
    (tmp_path / "viva.toml").write_text('concurrency = 3\n[target]\nspec = "http://a"\nheaders = { Authorization = "x y" }\n')
    printed = show(load({"rate": "5/s"}, folder=tmp_path, environ={"VIVA_RETRIES": "1"}))
    lines = {line.split()[0]: line.split()[1:] for line in printed.splitlines()}
    assert lines["concurrency"] == ["3", "viva.toml:1"]
    assert lines["retries"] == ["1", "VIVA_RETRIES"]
    assert lines["rate"] == ["5/s", "flag"]
    assert lines["repeat"] == ["1", "default"]
    assert lines["target-option.headers"] == ['{"Authorization":', '"***"}', "viva.toml:4"]
    assert {each.name for each in OPTIONS if each.kind not in ("pairs", "texts", "table")} <= set(lines)
