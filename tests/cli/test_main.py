"""The door of the command: version, help, mistakes, and the last line."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

import vivavoce
from vivavoce.cli.parser import GROUPS, build
from vivavoce.run.outputs import choose

COMMANDS = [command for _, group in GROUPS for command in group]


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(viva, flag):
    assert viva(flag) == (0, f"viva {vivavoce.__version__}\n", "")


def test_version_loads_neither_parser_nor_anything_of_others():
    code = "import sys\nfrom vivavoce.cli.main import viva\nviva(['--version'])\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[1].split())
    assert {"argparse", "typing", "re", "msgspec", "rich", "vivavoce.cli.parser"} & loaded == set()


def test_a_command_without_anything_shows_help_as_a_mistake(viva):
    done = viva()
    assert (done.code, done.out) == (2, "")
    assert "viva COMMAND --help" in done.err


def test_help_names_every_command(viva):
    done = viva("--help")
    assert done.code == 0
    for command in COMMANDS:
        assert f"  {command.name:<10}{command.help}" in done.out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_each_command_has_help_with_examples_that_parse(viva, command):
    done = viva(command.name, "--help")
    assert done.code == 0
    assert command.help in done.out
    assert "Examples:" in done.out
    parser = build().commands[command.name]
    for example in command.examples:
        words = shlex.split(example.partition(" > ")[0])
        while "=" in words[0]:  # a variable of the environment
            words.pop(0)
        assert words[:2] == ["viva", command.name]
        arguments, unknown = parser.parse_known_intermixed_args(words[2:])
        assert unknown == []
        choose(getattr(arguments, "output", ()))


def test_help_is_a_command_too(viva):
    assert viva("help") == viva("--help")
    assert viva("help", "run") == viva("run", "--help")


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("name", [None, *(command.name for command in COMMANDS)])
def test_help_keeps_to_the_width_of_the_terminal(viva, monkeypatch, columns, name):
    monkeypatch.setenv("COLUMNS", str(columns))
    help_ = viva("help", *([name] if name else [])).out
    # The usage, one word, or a flag with its value, may be longer than a line.
    assert [line for line in help_.splitlines() if len(line) > columns and not re.match(r"Usage: | *\S+( \S+)?$", line)] == []


def test_a_long_example_is_one_command_to_a_shell(viva, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    text = viva("help", "run").out.partition("Examples:\n")[2]
    assert " \\\n" in text
    words = [shlex.split(line) for line in text.replace("\\\n", "").splitlines() if line]
    (run,) = [command for command in COMMANDS if command.name == "run"]
    assert words == [["$", *shlex.split(example)] for example in run.examples]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_argument_is_explained(command):
    for action in build().commands[command.name]._actions:
        assert action.help
        assert action.help[0].isupper()
        assert action.help.endswith(".")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["rum"], 'unknown command "rum"'),
        (["validat"], 'unknown command "validat" (did you mean "validate"?)'),
        (["run", "--concurency", "3"], "unknown option --concurency (did you mean --concurrency?)"),
        (["run", "--conc", "3"], "unknown option --conc"),
        (["run", "-q"], "unknown option -q (did you mean --quiet?)"),
        (["run", "-c", "3"], "unknown option -c (did you mean --case or --case-timeout or --category?)"),
        (["run", "-x"], "unknown option -x\n"),
        (["help", "rum"], 'unknown command "rum"'),
        (["runs", "x"], '"x" is one argument too many'),
        (["--verson"], "unknown option --verson (did you mean --version?)"),
        (["show"], "the following arguments are required: RUN"),
        (["run", "--evaluator"], "--evaluator: expected one argument"),
        (["resume", "last", "--target", "x"], "--target could change an answer"),
        (["resume", "last", "--repeat=2"], "--repeat could change an answer"),
        (["init", "--template", "large"], "invalid choice: 'large'"),
    ],
)
def test_a_mistake_is_told_with_a_way_out(viva, argv, message):
    done = viva(*argv)
    assert done.code == 2
    assert done.err.startswith("viva: ")
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_scripts_know_commands_and_flags(viva, shell):
    done = viva("--print-completion", shell)
    assert done.code == 0
    assert "min-pass-rate" in done.out
    assert "validate" in done.out


def test_a_completion_script_is_valid_bash(viva, folder):
    (folder / "script").write_text(viva("--print-completion", "bash").out)
    assert subprocess.run(["bash", "-n", "script"], cwd=folder).returncode == 0


def test_an_internal_error_is_one_line_unless_more_is_asked_for(process, folder):
    (folder / "sitecustomize.py").write_text(
        "import vivavoce.cli.runs as runs\ndef broken(*_):\n    raise ZeroDivisionError('by\\x1b[31m nought')\n"
        "runs.open_store = broken\n"
    )
    path = {"PYTHONPATH": str(folder)}
    done = process("runs", **path)
    assert done.code == 2
    assert done.err.startswith("viva: internal error: ZeroDivisionError: by")
    assert done.err.count("\n") == 1
    assert "\x1b" not in done.err
    assert "report" in done.err
    assert "Traceback" in process("runs", VIVA_DEBUG="1", **path).err


def test_a_terminal_that_cannot_show_a_letter_gets_the_rest(process, folder, cases):
    (folder / "cases.jsonl").write_text('{"input": "é", "expected": "ö", "reply": "ü", "evaluators": {"ExactMatch": {}}}\n')
    done = process("run", "cases.jsonl", PYTHONIOENCODING="ascii")
    assert done.code == 1
    assert "\\xfc" in done.out
