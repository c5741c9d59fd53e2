"""The reference page of `runevals` says what its parser says, group by group, and no more."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from vivavoce.cli._runevals.options import build

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "runevals.md"


def row(action: argparse.Action) -> str:
    values = "{" + ",".join(action.choices) + "}" if action.choices else (action.metavar or action.dest.upper())
    what = ", ".join(action.option_strings)
    return f"| `{' '.join(filter(None, (what, '' if action.nargs == 0 else str(values))))}` | {action.help} |"


def test_every_option_stands_in_its_table():
    parts = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    tables = dict(zip(parts[1::2], parts[2::2], strict=True))
    groups = {group.title.capitalize(): group._group_actions for group in build()._action_groups if group._group_actions}
    assert groups.keys() == tables.keys()
    for title, actions in groups.items():
        rows = [row(action) for action in actions]
        assert re.search(r"\n\n\| \| \|\n\| --- \| --- \|\n" + re.escape("\n".join(rows)) + r"\n", tables[title] + "\n")
