"""Plain data to YAML text that `yaml_text` reads back as it was."""

from __future__ import annotations

from typing import IO

import yaml

from vivavoce.core.reply import JSON
from vivavoce.wire.yaml_events import NO_BREAKS
from vivavoce.wire.yaml_text import Unfit, scalar

_TEXT = "tag:yaml.org,2002:str"
_LONGEST = 1_000_000
"""Columns before a line is folded: in effect never, since folded text is hard to compare."""


def write(value: JSON, out: IO[str]) -> None:
    """Write one document, names in the order they have."""
    yaml.dump(value, out, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_LONGEST)


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc] # libyaml where PyYAML was built with it
    """Quotes what a reader of YAML 1.2 would take for a number, and writes text of several lines as such."""

    def represent_data(self, data: JSON) -> yaml.Node:
        if not isinstance(data, str):
            node: yaml.Node = super().represent_data(data)
            return node
        odd = NO_BREAKS.search(data) is not None or not _stays_text(data)
        style = '"' if odd else "|" if "\n" in data.rstrip("\n") else None
        text: yaml.Node = self.represent_scalar(_TEXT, data, style=style)
        return text

    def ignore_aliases(self, data: JSON) -> bool:
        return True


def _stays_text(text: str) -> bool:
    try:
        return isinstance(scalar(text), str)
    except Unfit:
        return False
