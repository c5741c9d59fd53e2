"""How help looks; a module of its own, since it brings `rich`."""

from __future__ import annotations

from rich_argparse import RawDescriptionRichHelpFormatter


class Help(RawDescriptionRichHelpFormatter):
    """Help with room for long flags; lines of descriptions and examples stay as they are written."""

    help_markup = False
    text_markup = False
    group_name_formatter = str.capitalize
    highlights = (  # type: ignore[assignment] # the base class has a list, which could be changed by anyone
        *RawDescriptionRichHelpFormatter.highlights,
        r"(?m)^  (?P<args>[a-z]+)(?=  )",
        r"(?m)^  (?P<syntax>\$ .+)$",
    )

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)
