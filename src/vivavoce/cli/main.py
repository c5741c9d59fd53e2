"""The command `viva`: its door, and the last line it shares with `runevals`."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in the package's root: what is not loaded takes no time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def viva(argv: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    if words in (["--version"], ["-V"]):
        # Nothing is loaded for this: it is asked often, by scripts and by people who want to know that all is well.
        from vivavoce import __version__

        sys.stdout.write(f"viva {__version__}\n")
        return 0
    return guarded("viva", words, _asked)


def guarded(name: str, words: Sequence[str], run: Callable[[Sequence[str]], int]) -> int:
    """What the command `name` comes to, whatever becomes of it."""
    try:
        return _run(name, words, run)
    except Exception as error:  # the last line: a defect of ours is told in one line, unless more is asked for
        from vivavoce.cli.console import complain
        from vivavoce.core.errors import EXIT_USAGE

        way_out = f"this is a defect of {name}, please report it"
        if "--verbose" in words or os.environ.get("VIVA_DEBUG"):
            import traceback

            traceback.print_exc()
        else:
            way_out += f"; {'--verbose' if name == 'viva' else 'VIVA_DEBUG=1'} shows where it arose"
        complain(f"internal error: {type(error).__name__}: {error}; {way_out}", by=name)
        return EXIT_USAGE


def _asked(words: Sequence[str]) -> int:
    from vivavoce.cli.parser import parse

    asked = parse(words)
    return asked if isinstance(asked, int) else asked()


def _run(name: str, words: Sequence[str], run: Callable[[Sequence[str]], int]) -> int:
    from vivavoce.core.errors import EXIT_INTERRUPTED, DatasetError, VivaError

    try:
        for stream in (sys.stdout, sys.stderr):
            # A terminal without all of Unicode gets what it can show, rather than nothing.
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr] # a text file, whenever this is a command
        code = run(words)
        sys.stdout.flush()
        return code
    except VivaError as error:
        from vivavoce.cli.console import complain, note

        # Problems of datasets begin with their place, which editors and terminals make a link of.
        if isinstance(error, DatasetError):
            note(str(error))
        else:
            complain(str(error), by=name)
        return error.exit_code
    except BrokenPipeError:
        from vivavoce.cli.console import hush

        hush()
        return 0
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
