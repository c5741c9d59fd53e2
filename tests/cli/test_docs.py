"""The reference pages of command line and settings say what there is, all of it, and nothing else."""

from __future__ import annotations

import argparse
import json
import re
import tomllib
from pathlib import Path

import pytest

from vivavoce.cli.parser import build
from vivavoce.config.load import load
from vivavoce.config.options import OPTIONS, Option
from vivavoce.config.settings import Settings

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def rows_of(parser: argparse.ArgumentParser) -> list[str]:
    """What a table of the page says of a parser's arguments."""
    return [_row(action) for action in parser._actions if action.help is not argparse.SUPPRESS]


def _row(action: argparse.Action) -> str:
    if action.option_strings:
        values = "{" + ",".join(action.choices) + "}" if action.choices else (action.metavar or action.dest.upper())
        names = ", ".join(action.option_strings)
        what = names if action.nargs == 0 else f"{names} {values}"
    else:
        what = str(action.metavar)
    return f"| `{what}` | {action.help} |"


def setting_row(option: Option) -> str:
    """What the table of settings says of one."""
    variable = f"`{option.variable}`" if "environment" in option.places else ""
    name = f"`{option.name}`" if "file" in option.places else f"`--{option.name}`"
    return f"| {name} | {variable} | {option.help} |"


def sections(page: str) -> dict[str, str]:
    """Text under each second heading."""
    parts = re.split(r"^## `?(.+?)`?$", (REFERENCE / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def table_rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if re.match(r"\| `", line)]


def test_every_command_has_a_section_and_every_section_a_command():
    found = {heading.removeprefix("viva ") for heading in sections("cli.md") if heading.startswith("viva ")}
    assert found == set(build().commands)


@pytest.mark.parametrize("name", build().commands)
def test_a_commands_arguments_are_those_of_its_parser(name):
    assert table_rows(sections("cli.md")[f"viva {name}"]) == rows_of(build().commands[name])


def test_the_options_without_a_command():
    assert table_rows(sections("cli.md")["Without a command"]) == rows_of(build().top)


def test_every_setting_is_in_its_table():
    expected = [setting_row(each) for each in OPTIONS if each.group or each.name == "paths"]
    assert table_rows(sections("configuration.md")["All settings"]) == expected


def test_help_tells_defaults():
    for option in OPTIONS:
        default = getattr(Settings(), option.field)
        if option.kind in ("whole", "seconds", "text", "rate") and (default is not None or "default" in option.help):
            told = "default " + ("" if default is None else f"{default}")
            assert told in option.help


def test_every_table_of_the_config_file_is_explained():
    text = (REFERENCE / "configuration.md").read_text(encoding="utf-8")
    for option in OPTIONS:
        if option.kind in ("plugin", "texts", "table"):
            assert f"`[{option.name}]`" in text


def test_the_example_file_holds(tmp_path):
    text = (REFERENCE / "configuration.md").read_text(encoding="utf-8")
    example = re.search(r"```toml title=\"viva.toml\"\n(.*?)```", text, re.DOTALL)[1]
    (tmp_path / "viva.toml").write_text(example, encoding="utf-8")
    made = load({}, folder=tmp_path, environ={})
    given = tomllib.loads(example)
    assert {name.partition(".")[0].removesuffix("-option") for name in made.sources} == set(given)
    assert json.dumps(made.target_option["request"])
