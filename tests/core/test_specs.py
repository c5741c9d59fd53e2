from __future__ import annotations

import pytest

from vivavoce.core import plugins, specs
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Use
from vivavoce.core.specs import parse_spec


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("python:my.agent:answer", "python", {"spec": "my.agent:answer"}),
        ("Python:agent:Desk.answer", "python", {"spec": "agent:Desk.answer"}),
        ("command:node agent.js --port 80", "command", {"argv": "node agent.js --port 80"}),
        ("command:sh -c 'echo \"a: b\"'", "command", {"argv": "sh -c 'echo \"a: b\"'"}),
        ("http://localhost:8000/chat", "http", {"url": "http://localhost:8000/chat"}),
        ("https://a.example/x?y=${KEY}", "http", {"url": "https://a.example/x?y=${KEY}"}),
        ("HTTPS://A.example", "http", {"url": "HTTPS://A.example"}),
        (" recorded ", "recorded", {}),
    ],
)
def test_a_target_is_named_in_one_text(text, name, options):
    assert parse_spec(text) == Use(name=name, options=options)


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (Use(name="python", options={"spec": "my.agent:answer"}), "python:my.agent:answer"),
        (Use(name="openai", options={"url": "http://localhost:1/v1", "model": "small"}), "openai:small"),
        (Use(name="http", options={"url": "https://me:secret@a.example/x"}), "https://me:***@a.example/x"),
        (Use(name="a2a", options={"url": "http://a.example"}), "a2a:http://a.example"),
        (Use(name="recorded"), "recorded"),
        (Use(name="unheard-of", options={"spec": "x"}), "unheard-of"),
        (None, ""),
    ],
)
def test_a_target_is_told_in_one_text(use, text):
    assert specs.spec(use) == text


def test_a_judge_is_told_with_its_model():
    assert specs.spec(Use(name="openai", options={"model": "small"}), "judges") == "openai:small"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a target is named as one of: "),
        ("pyton:agent:answer", 'did you mean "python"?'),
        ("agent:answer", 'did you mean "python:agent:answer"?'),
        ("my.agent:Desk.answer", 'did you mean "python:my.agent:Desk.answer"?'),
        ("localhost:8000/chat", 'did you mean "http://localhost:8000/chat"?'),
        ("nothing like it", 'unknown target "nothing like it"'),
        ("python", "python needs more: write python:MODULE:NAME"),
        ("command:", "command needs more: write command:ARGV"),
        ("http", "http needs more: write http(s)://HOST/PATH"),
        ("recorded:file.json", "recorded stands alone, nothing follows it"),
    ],
)
def test_what_names_no_target_says_how_to_name_one(text, says):
    with pytest.raises(UsageError) as raised:
        parse_spec(text)
    assert str(raised.value).startswith(f'target "{text}": ')
    assert says in str(raised.value)


def test_the_ways_to_name_a_target_are_all_listed():
    with pytest.raises(UsageError) as raised:
        parse_spec("?")
    ways = specs.ways("targets")
    assert len(ways) == len(plugins.names("targets"))
    assert {"python:MODULE:NAME", "command:ARGV", "http(s)://HOST/PATH", "recorded"} <= set(ways)
    assert str(raised.value).endswith(f"a target is named as one of: {', '.join(ways)}")


def test_other_kinds_are_named_in_the_same_way():
    for text in ("oracle:delphi", "https://judge.example/"):
        with pytest.raises(UsageError, match="a judge is named as one of: "):
            parse_spec(text, "judges")


def test_each_name_alone_is_known_or_told_what_is_missing():
    for name in plugins.names("targets"):
        main = getattr(plugins.find("targets", name), "main", None)
        try:
            assert parse_spec(name) == Use(name=name)
        except UsageError as error:
            assert main is not None  # either outcome is right for some target
            assert "needs more" in str(error)  # noqa: PT017 # as above
