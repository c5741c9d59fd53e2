"""Search with a regular expression in a process apart, which can be stopped: some take longer than anyone would wait.

Nothing can interrupt `re` in a thread, and whether a pattern is one of those cannot be told from looking at it. The process
ends itself when a search takes too long, also when nobody is left who waits for it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import weakref

from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure

LIMIT = 2.0
"""Seconds of one search."""

_PROGRAM = """
import faulthandler, json, os, re, sys
nowhere = open(os.devnull, "w")
for line in sys.stdin.buffer:
    pattern, text = json.loads(line)
    faulthandler.dump_traceback_later(float(sys.argv[1]), exit=True, file=nowhere)
    found = re.search(pattern, text)
    faulthandler.cancel_dump_traceback_later()
    print(json.dumps(found and found.span()), flush=True)
"""


class Searcher:
    """One process apart, begun when it is first needed, and again after it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def search(self, pattern: str, text: str) -> tuple[int, int] | None:
        """Where the pattern first matches, from its first character to behind its last; `None` when it does not.

        Raises:
            CallError: that could not be found out in time, or at all.
        """
        try:
            answer = self._ask(json.dumps([pattern, text]).encode() + b"\n")
        except OSError as error:
            self._end()
            raise _failed(f"cannot search apart from this process: {error}") from None
        if not answer:
            self._end()
            message = f"took more than {LIMIT:g} s to search {len(text):,} characters, because it can match in too many ways"
            raise _failed(f"{message}; do not repeat what is itself repeated, as in (a+)+, and say what may stand between")
        found = json.loads(answer)
        return None if found is None else (found[0], found[1])

    def _ask(self, line: bytes) -> bytes:
        process = self._process = self._process or self._begin()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line)
        process.stdin.flush()
        return process.stdout.readline()

    def _begin(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-W", "ignore", "-c", _PROGRAM, str(LIMIT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        weakref.finalize(self, _stop, process)
        return process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:  # what was not sent yet goes nowhere
                continue
    process.wait()


def _failed(message: str) -> CallError:
    return CallError(Failure(code="pattern", message=f"the pattern {message}", phase="evaluator"))
