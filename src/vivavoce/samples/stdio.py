"""The sample agent as a process: `python -m vivavoce.samples.stdio`, a request a line in, an answer a line out.

A line that is no request is answered with `{"error": {"code": ..., "message": ...}}`, and the next one is read. With `--plain`
each line is a message of one conversation, and each answer its text.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from vivavoce.core.reply import JSON
from vivavoce.samples.desk import BadRequest, Desk, Desks, parse

LARGEST = 1024 * 1024
"""Bytes of a line."""


def main(argv: Sequence[str] | None = None) -> int:
    """Answer until standard input ends."""
    parser = argparse.ArgumentParser(
        prog="python -m vivavoce.samples.stdio", description="The sample agent on standard input and output."
    )
    parser.add_argument("--plain", action="store_true", help="text in, text out, instead of JSON lines")
    parser.add_argument("--delay-ms", type=int, default=0, help="milliseconds to think before each answer (default: 0)")
    options = parser.parse_args(argv)
    try:
        converse(sys.stdin.buffer, sys.stdout.buffer, plain=options.plain, delay=options.delay_ms / 1000)
    except (KeyboardInterrupt, BrokenPipeError):
        # Whoever asked has gone; what would be flushed at exit has no reader.
        sys.stdout = None
    return 0


def converse(lines: BinaryIO, out: BinaryIO, *, plain: bool = False, delay: float = 0.0) -> None:
    """Answer every line; `delay` in seconds."""
    desk, desks = Desk(), Desks()
    for line in _lines(lines):
        time.sleep(delay)
        if plain:
            text = desk.reply(line.decode("utf-8", "replace").rstrip("\r\n")).text or ""
            told = text.encode()
        else:
            told = json.dumps(_answer(desks, line), ensure_ascii=False).encode()
        out.write(told + b"\n")
        out.flush()


def _lines(lines: BinaryIO) -> Iterator[bytes]:
    """Lines that are not blank, each cut at one byte more than is read."""
    while line := lines.readline(LARGEST + 1):
        while len(line) > LARGEST and not line.endswith(b"\n"):
            rest = lines.readline(LARGEST)
            if not rest or rest.endswith(b"\n"):
                break
        if line.strip():
            yield line


def _answer(desks: Desks, line: bytes) -> dict[str, JSON]:
    try:
        if len(line) > LARGEST:
            raise BadRequest(f"a line has at most {LARGEST} bytes")
        return desks.send(parse(line))
    except BadRequest as error:
        return {"error": {"code": "bad_request", "message": str(error)}}


if __name__ == "__main__":
    sys.exit(main())
