"""`viva demo` and `viva init`: a first look, and a first suite of one's own."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.cli.command import Command
from vivavoce.cli.console import note, printing, say
from vivavoce.cli.flags import add_settings, named, settings
from vivavoce.core.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

TEMPLATES = ("basic", "knowledge", "tools")
CUBE = "saiku"
"""The template of a target of this name, whose questions are about a cube."""
AGENT = "viva_agent.py"
"""The starter agent, written unless another target is named."""


def _add_demo(parser: argparse.ArgumentParser) -> None:
    add_settings(parser, named("store", "no-color", "record", "replay"))


def _add_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--template",
        choices=TEMPLATES,
        help="What the starter suite shows: basic questions and answers (default), knowledge with citations, or tools; "
        "for a Saiku target it is by default a suite about a cube.",
    )
    parser.add_argument(
        "--target", metavar="SPEC", help=f"The agent to examine; without it, a starter agent is written to {AGENT}."
    )
    parser.add_argument(
        "--start", metavar="COMMAND", help="What the workflow starts the agent with, where that is a service of this project."
    )
    parser.add_argument(
        "--health", metavar="URL", help="What answers once that service is ready; without it, the address of --target."
    )
    parser.add_argument("--force", action="store_true", help="Write over files that exist.")


def _demo(arguments: argparse.Namespace) -> int:
    wanted = settings(arguments)
    from vivavoce.samples import demo

    exams = demo.examine(store=wanted.store, note=note, record=wanted.record, replay=wanted.replay)
    with printing():
        demo.report(exams, store=wanted.store, out=sys.stdout, color=sys.stdout.isatty() and not wanted.no_color)
    return demo.outcome(exams)


def _init(arguments: argparse.Namespace) -> int:
    template, target = arguments.template or TEMPLATES[0], arguments.target
    if target is not None:
        from vivavoce.core.specs import parse_spec

        about_cube = parse_spec(target).name == CUBE and arguments.template is None
        template = CUBE if about_cube else template
    service = _service(arguments.start, arguments.health, target)
    files = dict(_files(template, target, service))
    there = [path for path in files if Path(path).exists()]
    if there and not arguments.force:
        raise UsageError(f"nothing was written, for these exist already: {', '.join(there)}; --force writes over them")
    for path, text in files.items():
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error
        say(f"wrote {path}")
    note("")
    for step in _steps(target, _starter(template)):
        note(step)
    return EXIT_OK


def _files(template: str, target: str | None, service: str) -> Iterator[tuple[str, str]]:
    """Each file's path, with what stands in it."""
    folder = _templates()
    own = folder.joinpath(template)
    config = folder.joinpath("viva.toml").read_text(encoding="utf-8")
    spec = target if target is not None else f"python:{AGENT.removesuffix('.py')}:answer"
    yield "viva.toml", config.replace("@SPEC@", spec.replace("\\", "\\\\").replace('"', '\\"'))
    starter = _starter(template)
    yield starter, own.joinpath(starter.rpartition("/")[2]).read_text(encoding="utf-8")
    if target is None:
        yield AGENT, own.joinpath("agent.txt").read_text(encoding="utf-8")
    workflow = folder.joinpath("workflow.yml").read_text(encoding="utf-8")
    yield ".github/workflows/viva.yml", workflow.replace("@SERVICE@", service)


def _starter(template: str) -> str:
    return "evals/starter.eval.yaml" if template == CUBE else "evals/starter.json"


def _service(start: str | None, health: str | None, target: str | None) -> str:
    """The steps that start an agent and wait for it; empty where there is none to start.

    Raises:
        UsageError: it is not known what to wait for, or for what.
    """
    if start is None:
        if health is not None:
            raise UsageError("--health says when a service is ready that --start starts; give both")
        return ""
    address = health or _address(target or "")
    if address is None:
        raise UsageError("--start needs --health URL, or a --target that is an address: what answers once the agent is ready")
    if "\n" in start + address:
        raise UsageError("--start and --health are one line each")
    steps = _templates().joinpath("service.yml").read_text(encoding="utf-8")
    return steps.replace("@START@", shlex.quote(start)).replace("@HEALTH@", shlex.quote(address))


def _address(target: str) -> str | None:
    """The address in a target, as `http://...` or `saiku:http://...`."""
    for spec in (target, target.partition(":")[2]):
        if spec.startswith(("http://", "https://")):
            return spec
    return None


def _templates() -> Traversable:
    from importlib.resources import files

    return files("vivavoce.cli").joinpath("templates")


def _steps(target: str | None, starter: str) -> Iterator[str]:
    from vivavoce.samples import here

    viva = here.viva()
    steps = [(f"{viva} run", f"examine the agent with {starter}")]
    if target is None:
        steps.append((AGENT, "put a call of your own agent here, or name another [target] in viva.toml"))
    steps.append((starter, f"replace the questions by your own; `{viva} validate` finds what is wrong"))
    steps.append(("git add .", "the workflow then examines the agent on every push"))
    width = max(len(step) for step, _ in steps)
    yield "Next:"
    yield from (f"  {step:<{width}}   {meaning}" for step, meaning in steps)


COMMANDS = (
    Command(
        name="demo",
        help="Examine a sample agent with sample suites; nothing to set up.",
        examples=("viva demo",),
        add=_add_demo,
        run=_demo,
    ),
    Command(
        name="init",
        help="Write viva.toml, a starter suite and a CI workflow.",
        examples=(
            "viva init",
            "viva init --template knowledge --target https://agent.example/chat",
            "viva init --target http://127.0.0.1:8080/chat --start ./serve.sh",
            "viva init --target saiku:http://localhost:8080",
        ),
        add=_add_init,
        run=_init,
    ),
)
"""The commands of this file."""
