"""Which document is asked: the one named, one that is discovered, a starter, or prompts that were typed."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from vivavoce.cli._runevals.variables import in_ci
from vivavoce.cli.console import note, prompt
from vivavoce.core import folders
from vivavoce.core.errors import UsageError

NAMES = ("prompts.json", "evals.json", "tests.json")
FOLDERS = ("", "evals/")
STARTER = "evals/evals.json"
TYPED = Path(".viva") / "prompts"
"""Where typed prompts are kept, so that a run of them can be resumed."""
SUITE = "prompts"
"""What the suite of typed prompts is called."""

MISSING = f"there is no {', '.join(NAMES[:-1])} or {NAMES[-1]} here or in evals/"
NONE = f"""no eval document: {MISSING}; name one with --prompts-file, or write a first one with
  viva init
and examine it with
  runevals --prompts-file evals/starter.json"""


def discover(folder: Path, environ: Mapping[str, str]) -> str:
    """The document in this folder or its `evals/`; when there is none, a starter, if there is a person who wants one.

    Raises:
        UsageError: there is none, and none was wanted.
    """
    for place in FOLDERS:
        for name in NAMES:
            if (folder / place / name).is_file():
                return place + name
    if in_ci(environ) or not sys.stdin.isatty() or not sys.stderr.isatty():
        raise UsageError(NONE)
    note(f"{MISSING.capitalize()}.")
    if not _wanted():
        raise UsageError(NONE)
    write_starter(folder / STARTER)
    note(f"Wrote {STARTER}; replace its prompts by your own.")
    return STARTER


def write_starter(path: Path) -> None:
    """Write a document to begin with; never over another.

    Raises:
        UsageError: it cannot be written.
    """
    from vivavoce.formats import m365

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(m365.STARTER)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error


def _wanted() -> bool:
    while True:
        answer = prompt(f"Write a starter, {STARTER}, with sample prompts? (Y/n): ")
        if answer is None:
            return False
        if answer.strip().lower() in ("", "y", "yes", "n", "no"):
            return answer.strip().lower() in ("", "y", "yes")


def upgrade(name: str, check: Callable[[], object]) -> None:
    """Give a legacy document its version, in place and with a backup, and say so. Any other file is left alone.

    `check` is called before a file is touched, and raises when it is not to be.

    Raises:
        UsageError: it cannot be written, or is no file.
        DatasetError: it is no valid document.
    """
    from datetime import datetime

    from vivavoce.core.source import Source
    from vivavoce.formats import m365

    path = Path(name)
    if path.is_dir():
        raise UsageError(f"--prompts-file {name}: is a folder; name one document in it, or read them all with viva run {name}")
    if not path.is_file() or not m365.M365().matches(Source(path)) or not m365.is_legacy(path):
        return
    check()
    # Local time, as the vendor's own command names its backups.
    done = m365.upgrade(path, now=datetime.now().astimezone())
    if done.backup is not None:
        note(f"{done.path}: had no schemaVersion and now is of version {done.version}; as it was, it is kept in {done.backup}")


def typed(prompts: Sequence[str], expected: Sequence[str] | None) -> str:
    """Prompts of the command line as a document, named by its content.

    Raises:
        UsageError: one is empty, or cannot be kept.
    """
    answers: Sequence[str | None] = [None] * len(prompts) if expected is None else expected
    text = document(list(zip(prompts, answers, strict=True)))
    path = TYPED / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
    keep(path, text)
    return path.as_posix()


def document(pairs: Sequence[tuple[str, str | None]]) -> str:
    """Prompts, each with the answer hoped for, as a document.

    Raises:
        UsageError: one is empty or is not text.
    """
    from vivavoce.formats import m365

    for number, (asked, _) in enumerate(pairs, start=1):
        if not asked:
            raise UsageError(f"--prompts: prompt {number} is empty")
    text = m365.inline(SUITE, pairs)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("a prompt or an expected answer is not UTF-8") from None
    return text


def keep(path: Path, text: str) -> None:
    """Put a document of typed prompts where a resumed run finds it, whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        folders.make(path.parent)
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error
