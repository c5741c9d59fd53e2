"""The options of `runevals`, by the names its users know."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from vivavoce.cli.parser import Parser, examples, unknown_option
from vivavoce.core.errors import UsageError

LEVELS = ("debug", "info", "warning", "error")
SUFFIXES = (".json", ".csv", ".html")
"""What `--output` can end with."""
COMMANDS = ("accept-eula", "cache-info", "cache-clear", "cache-dir")
"""Commands of the vendor's own that have nothing to do here."""
INERT = ("azure-ai-auth-mode", "judge-backend", "no-judge-auto-fallback", "init-only")
"""Options that are accepted and mean nothing here."""

_EXAMPLES = (
    "runevals",
    "runevals --prompts-file evals/regression.json --output results.json",
    'runevals --prompts "When do you open?" --expected "At nine."',
    "runevals --interactive --m365-agent-id T_help.declarativeAgent",
    "runevals --target http://localhost:8000/api/chat",
)


def build() -> Parser:
    """The parser."""
    parser = Parser(
        prog="runevals",
        usage="%(prog)s [OPTIONS]",
        description="Examine an agent with Microsoft 365 eval documents: options, files and discovery are those of the\n"
        "vendor's command. Without options it reads prompts.json, evals.json or tests.json, here or in evals/.\n\n"
        "Exit codes: 0 all passed; 1 something failed or errored; 2 usage or dataset error, or nothing was evaluated;\n"
        "130 or 143 interrupted.",
        epilog=examples(_EXAMPLES),
        allow_abbrev=False,
        add_help=False,
    )
    _add_what(parser)
    _add_who(parser)
    _add_how(parser)
    _add_inert(parser)
    more = parser.add_argument_group("help")
    more.add_argument("--version", "-V", action="store_true", help="Show the version.")
    more.add_argument("--help", "-h", action="help", help="Show this help.")
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace | None:
    """What a command line asks for; `None` when help was shown.

    Raises:
        UsageError: it cannot be meant like this.
    """
    parser = build()
    try:
        asked, unknown = parser.parse_known_intermixed_args(words)
    except SystemExit:  # help was shown
        return None
    stray = [*unknown, *([] if asked.command in (None, *COMMANDS) else [asked.command])]
    if stray:
        # Of an unknown option and what follows it, the option is what is wrong.
        first = next((word for word in stray if word.startswith("-")), stray[0])
        raise UsageError(_stray(first, parser) + f"\nSee {parser.prog} --help")
    _check(asked)
    return asked


def _add_what(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what is asked")
    what.add_argument("--prompts-file", metavar="FILE", help="The eval document, instead of one that is discovered.")
    what.add_argument("--prompts", nargs="+", action="extend", metavar="PROMPT", help="Ask these, instead of reading a file.")
    what.add_argument(
        "--expected", nargs="+", action="extend", metavar="ANSWER", help="The answers hoped for, one to each of --prompts."
    )
    what.add_argument("--interactive", "-i", action="store_true", help="Type prompts one by one; each is answered and scored.")


def _add_who(parser: argparse.ArgumentParser) -> None:
    who = parser.add_argument_group("who answers, who judges")
    who.add_argument(
        "--m365-agent-id", metavar="ID", help="The agent; default M365_AGENT_ID, M365_TITLE_ID or AGENT_ID of the environment."
    )
    who.add_argument("--account", metavar="UPN", help="Ask the agent as this person, where several are signed in.")
    who.add_argument("--signout", action="store_true", help="Forget who is signed in, and do nothing else.")
    who.add_argument(
        "--env", metavar="NAME", help="Read env/.env.NAME over .env.local; default .env.local, else .env.dev, here or in env/."
    )
    who.add_argument(
        "--target", metavar="SPEC", help="Any other agent: NAME[:ARGUMENT], such as http://...; `viva list targets` shows all."
    )
    who.add_argument(
        "--judge",
        metavar="SPEC",
        help="Who judges: NAME[:ARGUMENT], or none; default azure if AZURE_AI_OPENAI_ENDPOINT is set, else as for viva run. "
        "`viva list judges` shows all.",
    )


def _add_how(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("how it runs, what comes out")
    how.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the results here: .json (a scored document), .csv or .html; default an HTML page in .evals/.",
    )
    how.add_argument("--concurrency", metavar="N", help="Conversations at once, 1 to 5; default 5.")
    how.add_argument(
        "--log-level",
        nargs="?",
        const="info",
        choices=LEVELS,
        help="Write what happens to standard error, a JSON record a line; info without a level.",
    )


def _add_inert(parser: argparse.ArgumentParser) -> None:
    inert = parser.add_argument_group("accepted, and without meaning here")
    inert.add_argument("--azure-ai-auth-mode", choices=("key", "default-credential"), help="The judge needs a key.")
    inert.add_argument("--judge-backend", choices=("azure", "github-copilot", "copilot"), help="Say --judge.")
    inert.add_argument("--no-judge-auto-fallback", action="store_true", help="A judge is never exchanged for another.")
    inert.add_argument("--init-only", action="store_true", help="There is nothing to set up.")
    inert.add_argument("command", nargs="?", metavar="COMMAND", help=f"{', '.join(COMMANDS)}: nothing to accept, no cache.")


def _stray(word: str, parser: Parser) -> str:
    if word.startswith("-"):
        return unknown_option(word, parser)
    return f'"{word}" is one argument too many: a dataset is named with --prompts-file, a prompt with --prompts'


def _check(asked: argparse.Namespace) -> None:
    """Refuse what contradicts itself."""
    sources = [
        flag
        for flag, given in (
            ("--prompts-file", asked.prompts_file is not None),
            ("--prompts", asked.prompts is not None),
            ("--interactive", asked.interactive),
        )
        if given
    ]
    if len(sources) > 1:
        raise UsageError(f"{' and '.join(sources)} cannot go together: each says what is asked")
    if asked.expected is not None:
        prompts, expected = len(asked.prompts or ()), len(asked.expected)
        if prompts != expected:
            raise UsageError(f"--expected has {expected}, and --prompts has {prompts}: give each prompt one, in the same order")
    if asked.m365_agent_id is not None and asked.target is not None:
        raise UsageError("--m365-agent-id and --target cannot go together: each says who is examined")
    for flag, value in (("--m365-agent-id", asked.m365_agent_id), ("--prompts-file", asked.prompts_file)):
        if value is not None and not value.strip():
            raise UsageError(f"{flag} is empty")
    if asked.output is not None and not asked.output.lower().endswith(SUFFIXES):
        raise UsageError(f"--output {asked.output}: the suffix must be one of {' '.join(SUFFIXES)}; it says what is written")
