"""What a command is to the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """One command: what it is called, what it takes, what it does."""

    name: str
    help: str
    """One sentence."""
    takes: str = "[OPTIONS]"
    """What follows its name, as its usage shows it."""
    more: str = ""
    """What else help says."""
    examples: tuple[str, ...]
    add: Callable[[argparse.ArgumentParser], None]
    """Gives a parser the command's arguments."""
    run: Callable[[argparse.Namespace], int]
    """Does it; returns the exit code. What is heavy is imported inside."""
