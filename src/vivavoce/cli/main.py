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

        _open()
        return _delivered("viva", 0, f"viva {__version__}\n")
    return guarded("viva", words, _asked, alone=argv is None)


def guarded(name: str, words: Sequence[str], run: Callable[[Sequence[str]], int], *, alone: bool = False) -> int:
    """What the command `name` comes to, whatever becomes of it; `alone`: it is all that this process is there for."""
    try:
        from vivavoce.cli.aside import aside

        _open()
        with aside(words if alone else ()):
            code = _outcome(name, words, run)
    except KeyboardInterrupt:  # before there was anything to end, or when all was done
        from vivavoce.core.errors import EXIT_INTERRUPTED as code
    if alone:
        _leave(code)
    return code


def _outcome(name: str, words: Sequence[str], run: Callable[[Sequence[str]], int]) -> int:
    try:
        code = run(words)
    except KeyboardInterrupt:
        from vivavoce.core.errors import EXIT_INTERRUPTED

        return _delivered(name, EXIT_INTERRUPTED)
    except SystemExit:
        raise
    except BaseException as error:  # the last line: a defect of ours is told in one line, unless more is asked for
        return _delivered(name, _told(name, words, error), told=True)
    return _delivered(name, code)


def _leave(code: int) -> None:
    """End the process at once, if an agent left behind what its end would wait for: threads, or processes.

    Otherwise Python takes it down, though without looking through all that is in memory for what refers to itself.
    """
    import gc
    import threading

    gc.freeze()
    processes = sys.modules.get("multiprocessing.process")
    if threading.active_count() > 1 or (processes is not None and processes.active_children()):
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                continue  # nobody reads it any more
        os._exit(code)


def _asked(words: Sequence[str]) -> int:
    from vivavoce.cli.parser import parse

    asked = parse(words)
    return asked if isinstance(asked, int) else asked()


def _open() -> None:
    """Make the standard streams such that all can be read and written: there, and able to show any text."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed before this began
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 # it is open as long as the process
    for stream in (sys.stdout, sys.stderr):
        # A terminal without all of Unicode gets what it can show, rather than nothing.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr] # a text file, whenever this is a command


def _told(name: str, words: Sequence[str], error: BaseException) -> int:
    """Say what went wrong; the exit code that follows."""
    from vivavoce.cli.console import complain, note
    from vivavoce.core.errors import EXIT_USAGE, DatasetError, VivaError

    if isinstance(error, DatasetError):
        note(str(error))  # its problems begin with their place, which editors and terminals make a link of
        return error.exit_code
    if isinstance(error, VivaError):
        complain(str(error), by=name)
        return error.exit_code
    way_out = f"this is a defect of {name}, please report it"
    if "--verbose" in words or os.environ.get("VIVA_DEBUG"):
        import traceback

        note("".join(traceback.format_exception(error)).rstrip())
    else:
        way_out += f"; {'--verbose' if name == 'viva' else 'VIVA_DEBUG=1'} shows where it arose"
    complain(f"internal error: {type(error).__name__}: {error}; {way_out}", by=name)
    return EXIT_USAGE


def _delivered(name: str, code: int, text: str = "", *, told: bool = False) -> int:
    """The exit code, once all that was printed, and `text`, has gone where it goes; `told`: an error was told already."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        from vivavoce.cli.console import complain, hush
        from vivavoce.core.errors import EXIT_USAGE

        hush(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            if not told:
                complain(f"standard output cannot be written: {error.strerror}", by=name)
            return max(code, EXIT_USAGE)
    return code
