"""The command line as a tree of parsers, and what a command line asks for."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from vivavoce.cli import about, compare, datasets, eval, model, project, prune, run, runs, serve
from vivavoce.cli.console import note, printing, put
from vivavoce.cli.flags import flags
from vivavoce.config.options import OPTIONS
from vivavoce.core.errors import UsageError
from vivavoce.core.place import did_you_mean, nearest

GROUPS = (
    ("begin", project.COMMANDS),
    ("examine", run.COMMANDS),
    ("look back", (*runs.COMMANDS, *compare.COMMANDS, *prune.COMMANDS)),
    ("serve", (*serve.COMMANDS, *eval.COMMANDS)),
    ("datasets", datasets.COMMANDS),
    ("about", (*about.COMMANDS, *model.COMMANDS)),
)
"""Every command there is, in the order of help."""

SHELLS = ("bash", "zsh")


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are told like all others."""

    def error(self, message: str) -> NoReturn:
        """A usage error, told by the command's last line."""
        raise UsageError(f"{message}\nSee {self.prog} --help")

    def format_help(self) -> str:
        """Help as it looks; what lays it out is loaded only now, since argparse makes one for each argument it is told of."""
        self.formatter_class = formatter
        return super().format_help()

    def print_help(self, file: object = None) -> None:
        """Help, printed as everything else is: the usual way loses without a word what cannot be written."""
        with printing():  # laying it out already looks at where it goes
            put(self.format_help())


@dataclass(frozen=True, kw_only=True, slots=True)
class Tree:
    """The whole parser, and that of each command."""

    top: Parser
    commands: dict[str, Parser]


def build() -> Tree:
    """The parsers of all commands."""
    top = Parser(
        prog="viva",
        usage="%(prog)s COMMAND [OPTIONS]",
        description=_overview(),
        allow_abbrev=False,
        add_help=False,
    )
    top.add_argument("--help", "-h", action="help", help="Show this help; viva COMMAND --help shows that of a command.")
    top.add_argument("--version", "-V", action="store_true", help="Show the version.")
    top.add_argument("--print-completion", choices=SHELLS, help="Print a completion script for this shell.")
    # With `prog` given, argparse need not format the usage, which would load all that help needs.
    subparsers = top.add_subparsers(dest="command", metavar="COMMAND", prog="viva", help=argparse.SUPPRESS)
    commands: dict[str, Parser] = {}
    for _, group in GROUPS:
        for command in group:
            made = subparsers.add_parser(
                command.name,
                description=command.help + ("\n\n" + command.more if command.more else ""),
                usage=f"%(prog)s {command.takes}",
                epilog=examples(command.examples),
                allow_abbrev=False,
                add_help=False,
                help=command.help,
            )
            made._positionals.title = "arguments"
            command.add(made)
            made.add_argument_group("help").add_argument("--help", "-h", action="help", help="Show this help.")
            made.set_defaults(run=command.run)
            commands[command.name] = made
    return Tree(top=top, commands=commands)


def parse(words: Sequence[str]) -> int | Callable[[], int]:
    """What a command line asks for: a call that gives an exit code; or the code itself, when all is done.

    Raises:
        UsageError: it cannot be meant like this.
    """
    tree = build()
    if not words:
        with printing():
            note(tree.top.format_help().rstrip("\n"))
        return 2
    if words[0] == "help":
        words = [*words[1:], "--help"]
    name = words[0]
    try:
        if name.startswith("-"):
            return _top(tree, words)
        if name not in tree.commands:
            raise UsageError(f'unknown command "{name}" ({did_you_mean(name, tree.commands)})')
        parser = tree.commands[name]
        arguments, unknown = parser.parse_known_intermixed_args(words[1:])
    except SystemExit as left:  # help was shown
        return int(left.code or 0)
    if unknown:
        raise UsageError(unknown_option(unknown[0], parser) + f"\nSee {parser.prog} --help")
    command: Callable[[argparse.Namespace], int] = arguments.run
    return lambda: command(arguments)


def _top(tree: Tree, words: Sequence[str]) -> int:
    arguments, unknown = tree.top.parse_known_args(words)
    if unknown:
        raise UsageError(unknown_option(unknown[0], tree.top) + "\nSee viva --help")
    if arguments.version:
        from vivavoce import __version__

        put(f"viva {__version__}\n")
    elif arguments.print_completion:
        put(_completion(tree, arguments.print_completion))
    return 0


def unknown_option(word: str, parser: argparse.ArgumentParser) -> str:
    """What is wrong with a word that a parser does not know, and the flag that may be meant."""
    flag = word.partition("=")[0]
    if not flag.startswith("-"):
        return f'"{word}" is one argument too many'
    if parser.prog == "viva resume" and any(flag == f"--{each.name}" for each in OPTIONS):
        return f"{flag} could change an answer, and a resumed run keeps what it began with; start a new one with viva run"
    near = nearest(flag, flags(parser))
    # One letter is too little to be near anything, but people use the first one of the name.
    meant = [near] if near else sorted(each for each in flags(parser) if len(flag) == 2 and each.startswith(f"-{flag}"))
    return f"unknown option {flag}" + (f" (did you mean {' or '.join(meant[:3])}?)" if meant else "")


def _completion(tree: Tree, shell: str) -> str:
    import shtab

    for parser in (tree.top, *tree.commands.values()):
        for action in parser._actions:
            if action.help is argparse.SUPPRESS:  # help lists the commands itself, and shtab passes over what it hides
                action.help = "A command."
            if action.dest in ("paths", "file", "output"):
                action.complete = shtab.FILE  # type: ignore[attr-defined] # how shtab is told
    script: str = shtab.complete(tree.top, shell)
    return script


def _overview() -> str:
    lines = ["The oral exam for AI agents: read datasets, drive an agent through them, judge every answer."]
    for heading, commands in GROUPS:
        lines += ["", f"{heading.capitalize()}:", *(f"  {each.name:<10}{each.help}" for each in commands)]
    return "\n".join(lines)


def examples(commands: Iterable[str]) -> str:
    """Commands as the end of help shows them."""
    return "\n".join(["Examples:", *(f"  $ {each}" for each in commands)])


def formatter(prog: str) -> argparse.HelpFormatter:
    """How help looks."""
    from vivavoce.cli._help import Help

    return Help(prog)
