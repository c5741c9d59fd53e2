"""Settings: which place goes before which, and what is wrong in them."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import pytest

from vivavoce.config.load import load
from vivavoce.config.options import GROUPS, OPTIONS
from vivavoce.config.settings import Settings
from vivavoce.core.errors import ConfigError, UsageError

WHOLE = """\
paths = ["evals/"]
concurrency = 20
min-pass-rate = 0.95

[target]
spec = "https://agent.example/api/chat"
headers = { Authorization = "Bearer ${AGENT_TOKEN}" }
request = { message = "{{input}}", session = "{{session_id}}" }
text = "choices[0].message.content"
idempotent = false

[judge]
spec = "azure:gpt-5-mini"
rate = "5/s"

[map]
query = "{{item.question}}"

[serve]
suites = ["evals/"]
"""


@pytest.fixture
def settings(tmp_path):
    """Loads settings in a folder of its own; files are given by name, as text."""

    def load_there(flags=None, environ=None, **files):
        for name, text in files.items():
            name = {"toml": "viva.toml", "pyproject": "pyproject.toml", "env": ".env.local", "user": ".env.local.user"}[name]
            (tmp_path / name).write_text(text, encoding="utf-8")
        return load(flags or {}, folder=tmp_path, environ=environ or {})

    return load_there


def test_every_option_is_a_field_and_every_field_an_option():
    own = {"sources", "environment", "warnings"}
    assert {each.name for each in fields(Settings)} - own == {each.field for each in OPTIONS}
    assert {each.group for each in OPTIONS} <= {"", *GROUPS}


def test_nothing_given_is_all_defaults(settings):
    made = settings()
    assert (made.concurrency, made.retries, made.store, made.paths, made.target) == (10, 3, ".viva/runs.db", (), None)
    assert {made.source(each.name) for each in OPTIONS} == {"default"}


def test_a_whole_file_is_read(settings):
    made = settings(toml=WHOLE)
    assert made.paths == ("evals/",)
    assert made.min_pass_rate == 0.95
    assert made.target == "https://agent.example/api/chat"
    assert made.target_option["request"] == {"message": "{{input}}", "session": "{{session_id}}"}
    assert made.target_option["idempotent"] is False
    assert (made.judge, made.judge_option) == ("azure:gpt-5-mini", {"rate": "5/s"})
    assert made.map == {"query": "{{item.question}}"}
    assert made.serve == {"suites": ["evals/"]}
    assert made.source("concurrency") == "viva.toml:2"
    assert made.source("target") == "viva.toml:6"
    assert made.source("target-option.headers") == "viva.toml:7"


def test_flags_over_environment_over_file_over_default(settings):
    toml = "concurrency = 2\nretries = 2\nlimit = 2"
    made = settings({"concurrency": "4"}, {"VIVA_CONCURRENCY": "3", "VIVA_RETRIES": "3"}, toml=toml)
    assert (made.concurrency, made.retries, made.limit, made.repeat) == (4, 3, 2, 1)
    sources = [made.source(name) for name in ("concurrency", "retries", "limit", "repeat")]
    assert sources == ["flag", "VIVA_RETRIES", "viva.toml:3", "default"]


def test_the_table_of_pyproject_counts_when_there_is_no_file_of_its_own(settings):
    pyproject = '[project]\nname = "x"\n\n[tool.viva]\nconcurrency = 7\n[tool.viva.target]\nspec = "python:a:b"\n'
    made = settings(pyproject=pyproject)
    assert (made.concurrency, made.source("concurrency")) == (7, "pyproject.toml:5")
    assert (made.target, made.source("target")) == ("python:a:b", "pyproject.toml:7")
    assert settings(toml="retries = 1", pyproject=pyproject).concurrency == 10


def test_env_files_are_read_and_the_process_is_left_alone(settings):
    before = dict(os.environ)
    made = settings(
        environ={"A": "real"},
        env='A=file\nB="of a file"  # a comment\nexport C=1\nVIVA_CONCURRENCY=3\n# D=4\n',
        user="C=2\n",
    )
    assert {name: made.environment[name] for name in "ABC"} == {"A": "real", "B": "of a file", "C": "2"}
    assert (made.concurrency, made.source("concurrency")) == (3, ".env.local VIVA_CONCURRENCY")
    assert "D" not in made.environment
    assert dict(os.environ) == before


def test_a_dollar_in_an_env_file_stays_as_it_is(settings):
    assert settings(env="PASSWORD=a${B}c$d\nB=1\n").environment["PASSWORD"] == "a${B}c$d"


def test_settings_do_not_show_the_environment_when_printed(settings):
    assert "hunter2" not in repr(settings(environ={"PASSWORD": "hunter2"}))


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("concurency = 3", 'viva.toml:1: unknown setting "concurency" (did you mean "concurrency"?)'),
        ("\n[targte]\nspec = 'a'", 'viva.toml:2: unknown setting "targte" (did you mean "target"?)'),
        ("min_pass_rate = 1", 'viva.toml:1: unknown setting "min_pass_rate" (did you mean "min-pass-rate"?)'),
        ("concurrency = 0", "viva.toml:1: concurrency must be a whole number of at least 1, not 0"),
        ("concurrency = true", "concurrency must be a whole number of at least 1, not true"),
        ("concurrency = 1.5", "concurrency must be a whole number of at least 1, not 1.5"),
        ('retries = "3"', 'retries must be a whole number of at least 0, not "3"'),
        ("timeout = 0", "timeout must be a number of seconds above 0, not 0"),
        ("timeout = inf", "timeout must be a number of seconds above 0"),
        ("min-pass-rate = 95", "min-pass-rate must be a number from 0 to 1, such as 0.95, not 95"),
        ('rate = "5/m"', 'rate must be a rate above 0, such as 5/s, not "5/m"'),
        ("lenient = 1", "lenient must be true or false, not 1"),
        ("paths = [1]", "paths must be a text or a list of texts, not [1]"),
        ('evaluator = ["F1Score", ""]', "evaluator must not be empty"),
        ('store = ""', "store must not be empty"),
        ("format = ''", "format must not be empty"),
        ("[target]\nurl = 'x'", 'viva.toml:1: [target] needs a text "spec"'),
        ("target-option = ['a=b']", "options of the target stand in the table [target]"),
        ("[map]\nquery = 1", "map must be a table of texts"),
        ("serve = 1", "serve must be a table, not 1"),
        ("a = = 1", "viva.toml: is not valid TOML"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_place(settings, toml, message):
    with pytest.raises(ConfigError) as raised:
        settings(toml=toml)
    assert message in str(raised.value)


def test_everything_wrong_is_told_at_once(settings):
    with pytest.raises(ConfigError) as raised:
        settings(environ={"VIVA_SEED": "x"}, toml="a = 1\nconcurrency = 0\n")
    lines = str(raised.value).splitlines()
    assert len(lines) == 3
    assert lines[2] == 'VIVA_SEED must be a whole number of at least 0, not "x"'


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"concurrency": "0"}, "--concurrency must be a whole number of at least 1, not 0"),
        ({"limit": "many"}, '--limit must be a whole number of at least 1, not "many"'),
        ({"min-pass-rate": "2"}, "--min-pass-rate must be a number from 0 to 1, such as 0.95, not 2"),
        ({"timeout": "nan"}, "--timeout must be a number of seconds above 0"),
        ({"rate": "fast"}, '--rate must be a rate above 0, such as 5/s, not "fast"'),
        ({"target-option": ["x"]}, '--target-option must be KEY=VALUE, not "x"'),
        (
            {"target-option": ["x={"]},
            "--target-option x: is not valid JSON: the { that opens here is never closed by } (column 1)",
        ),
    ],
)
def test_a_wrong_flag_is_a_usage_error(settings, flags, message):
    with pytest.raises(UsageError) as raised:
        settings(flags)
    assert message in str(raised.value)


@pytest.mark.parametrize(("text", "rate"), [("5/s", 5.0), ("0.5", 0.5), (" 2 /s", 2.0)])
def test_rates(settings, text, rate):
    assert settings({"rate": text}).rate == rate
    assert settings(toml=f'rate = "{text}"').rate == rate


def test_lists_in_the_environment_are_one_text_or_json(settings):
    environ = {"VIVA_CASE": "[a-c]*", "VIVA_ONLY": '["ExactMatch", "Citations"]', "VIVA_PATHS": "evals/"}
    made = settings(environ=environ)
    assert (made.case, made.only, made.paths) == (("[a-c]*",), ("ExactMatch", "Citations"), ("evals/",))


@pytest.mark.parametrize(("text", "truth"), [("1", True), ("yes", True), ("OFF", False), ("", False)])
def test_switches_in_the_environment(settings, text, truth):
    assert settings(environ={"VIVA_LENIENT": text}).lenient is truth


def test_options_of_a_plugin_add_up_over_places(settings):
    toml = '[target]\nspec = "http://a"\ntext = "x"\nmethod = "PUT"\n'
    made = settings({"target-option": ["text=z", 'headers={"A": "1"}']}, {"VIVA_TARGET_OPTION": "text=y"}, toml=toml)
    assert made.target_option == {"text": "z", "method": "PUT", "headers": {"A": "1"}}
    assert made.source("target-option.method") == "viva.toml:4"


def test_options_stay_with_another_address_and_go_with_another_kind_of_target(settings):
    toml = '[target]\nspec = "http://a"\ntext = "x"\n'
    assert settings({"target": "https://b"}, toml=toml).target_option == {"text": "x"}
    made = settings({"target-option": ["idempotent=true"], "target": "python:a:b"}, toml=toml)
    assert made.target_option == {"idempotent": "true"}
    assert "target-option.text" not in made.sources


def test_a_target_may_be_named_by_its_spec_alone(settings):
    assert settings(toml='target = "python:a:b"').target == "python:a:b"


def test_keys_of_options_may_be_written_with_dashes(settings):
    assert settings({"target-option": ["session-id=x"]}).target_option == {"session_id": "x"}


def test_a_variable_near_a_setting_is_warned_of_and_others_are_left_alone(settings):
    environ = {"VIVA_CONCURENCY": "3", "VIVA_TARGET_TOKEN": "t", "VIVA_DEBUG": "1", "VIVA_HOME_OF_OURS": "/x"}
    (warning,) = settings(environ=environ).warnings
    assert warning == "VIVA_CONCURENCY in the environment is no setting (did you mean VIVA_CONCURRENCY?)"


def test_a_line_of_an_env_file_that_says_nothing_is_an_error(settings):
    with pytest.raises(ConfigError, match=r"\.env\.local:2: is not NAME=VALUE"):
        settings(env="A=1\n='x\n")


def test_a_file_that_is_not_utf8_is_an_error(tmp_path):
    (tmp_path / "viva.toml").write_bytes(b"format = '\xe9'")
    with pytest.raises(ConfigError, match=r"viva\.toml: is not UTF-8"):
        load({}, folder=tmp_path, environ={})


def test_a_byte_order_mark_does_no_harm(tmp_path):
    (tmp_path / "viva.toml").write_bytes(b"\xef\xbb\xbfretries = 1")
    assert load({}, folder=tmp_path, environ={}).retries == 1


def test_mappings_are_texts_as_they_stand_and_add_up(tmp_path: Path) -> None:
    (tmp_path / "viva.toml").write_text('[map]\nquery = "{{item.question}}"\ncontext = "notes"\n', encoding="utf-8")
    flags = {"map": ["query={{item.asked}}", "ground_truth = ${data.a-b}"], "level": "conversation"}
    made = load(flags, folder=tmp_path, environ={})
    assert made.map == {"query": "{{item.asked}}", "context": "notes", "ground_truth": "${data.a-b}"}
    assert (made.level, made.source("map"), made.source("level")) == ("conversation", "flag", "flag")
    assert load({}, folder=tmp_path, environ={"VIVA_MAP": '["query=a", "response=b"]'}).map["response"] == "b"
    with pytest.raises(UsageError, match="--map must be KEY=TEXT"):
        load({"map": ["query"]}, folder=tmp_path, environ={})


def test_an_empty_variable_counts_as_unset(settings):
    made = settings(environ={"VIVA_TARGET": "", "VIVA_CONCURRENCY": ""}, env="VIVA_JUDGE=\n", toml='target = "command:x"')
    assert made.target == "command:x"
    assert "concurrency" not in made.sources
    assert "judge" not in made.sources
    assert settings(environ={"VIVA_TARGET": ""}, user="VIVA_TARGET=recorded\n").target == "recorded"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"pyproject": "[tool]\nviva = 5\n"}, r"pyproject\.toml: tool\.viva must be a table"),
        ({"toml": "concurrency = " + "9" * 5000}, r"viva\.toml: cannot be read: a number has too many digits"),
        ({"toml": "concurrency = 0x" + "f" * 5000}, "concurrency must be a whole number of at least 1, not one so large"),
        ({"toml": "timeout = 0x" + "f" * 5000}, "timeout must be a number of seconds above 0, not one so large"),
        ({"toml": 'concurrency = "' + "9" * 5000 + '"'}, 'not "9{99}…$'),
    ],
)
def test_what_no_setting_can_be_is_told(settings, files, said):
    with pytest.raises(ConfigError, match=said):
        settings(**files)


def test_numbers_of_the_environment_have_an_end_too(settings):
    with pytest.raises(ConfigError, match="VIVA_CONCURRENCY must be a whole number"):
        settings(environ={"VIVA_CONCURRENCY": "9" * 5000})


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.symlink_to("gone.toml")])
def test_a_config_file_that_is_none_is_told(settings, tmp_path, make):
    make(tmp_path / "viva.toml")
    with pytest.raises(ConfigError, match=r"viva\.toml: cannot be read"):
        settings()
