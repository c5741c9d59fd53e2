"""`viva eval`: have a server run its suites, and report what came of them."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from vivavoce.cli.command import Command
from vivavoce.cli.console import put, say
from vivavoce.core.errors import EXIT_FAILED, EXIT_OK, EXIT_USAGE, UsageError

if TYPE_CHECKING:
    from vivavoce.net.sweep import Sweep


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--server", metavar="URL", default="http://localhost:8080", help="The server; default http://localhost:8080."
    )
    parser.add_argument("--username", metavar="NAME", default="admin", help="Who asks; default admin.")
    parser.add_argument(
        "--password",
        metavar="TEXT",
        help="Their password; default VIVA_EVAL_PASSWORD of the environment, where nobody else can read it, else admin.",
    )
    parser.add_argument("--no-fail-on-regression", action="store_true", help="Exit 0 also when something failed.")
    parser.add_argument(
        "--timeout-minutes", metavar="N", default="15", help="How long the server may take for all suites; default 15."
    )
    parser.add_argument("--json", action="store_true", help="Print what the server answered as JSON.")


def _eval(arguments: argparse.Namespace) -> int:
    import asyncio

    from vivavoce.net.sweep import ask

    password = arguments.password or os.environ.get("VIVA_EVAL_PASSWORD") or "admin"
    seconds = _seconds(arguments.timeout_minutes)
    swept = asyncio.run(ask(arguments.server, arguments.username, password, seconds))
    if arguments.json:
        put(json.dumps(swept.answer, indent=2, ensure_ascii=False) + "\n")
    else:
        for line in _lines(swept):
            say(line)
    if _nothing_evaluated(swept):
        return EXIT_USAGE
    missed = swept.failed or bool(swept.skipped)
    return EXIT_FAILED if missed and not arguments.no_fail_on_regression else EXIT_OK


def _lines(swept: Sweep) -> Iterator[str]:
    """A line for each suite, and one for all."""
    yield "Suites run by the server"
    yield ""
    for each in swept.results:
        word = "FAIL" if each.failed else "PASS" if each.passed else "SKIP"
        yield f"{word} {each.suite} {each.passed}/{each.total}" + (f", {each.skipped} skipped" if each.skipped else "")
    for suite, reason in swept.skipped:
        yield f"SKIP {suite} {reason}"
    if swept.results or swept.skipped:
        yield ""
    passed, total = sum(each.passed for each in swept.results), sum(each.total for each in swept.results)
    skipped = f", {len(swept.skipped)} skipped" if swept.skipped else ""
    suites = len(swept.results)
    yield f"{passed} of {total} cases passed in {suites} suite{'s' * (suites != 1)}{skipped}" + (
        ": nothing was evaluated" if _nothing_evaluated(swept) else ""
    )


def _nothing_evaluated(swept: Sweep) -> bool:
    return all(each.skipped == each.total for each in swept.results)


def _seconds(minutes: str) -> float:
    try:
        found = float(minutes) * 60
    except ValueError:
        found = 0.0
    if not 0 < found <= 7 * 24 * 3600:
        raise UsageError(f"--timeout-minutes must be a number of minutes above 0, at most a week, not {minutes!r:.100}")
    return found


COMMANDS = (
    Command(
        name="eval",
        help="Ask a Saiku server, or viva serve, to run its suites; report them.",
        more="Exit codes: 0 all passed; 1 a case failed or had no answer, or a suite was skipped; 2 the server was not\n"
        "reached, let nobody in, answered something else, or evaluated nothing, also with --no-fail-on-regression.",
        examples=("viva eval --server http://localhost:8080", "viva eval --server http://localhost:8750 --json"),
        add=_add,
        run=_eval,
    ),
)
"""The commands of this file."""
