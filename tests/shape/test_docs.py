"""What the docs say is so: every example runs, every name is explained once, every option is told."""

from __future__ import annotations

import ast
import json
import os
import re
import socket
import subprocess
import sys
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import yaml

from vivavoce.cli import flags, parser
from vivavoce.config.options import OPTIONS
from vivavoce.core import plugins

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*(ROOT / "docs").rglob("*.md"), *(ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING"))]
)
LANGUAGES = {"sh", "python", "json", "jsonl", "yaml", "toml", "csv", "text", "xml", "html", "md", "mermaid", "sql"}

BLOCK = re.compile(
    r"(?:^ *<!-- (?P<note>.+?) -->\n)?^(?P<indent> *)(?P<fence>```+)(?P<info>[^\n]*)\n(?P<code>.*?)^(?P=indent)(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)

RUN_PYTHON = """
import ast, asyncio, inspect, sys
sys.path.insert(0, "")
code = compile(sys.stdin.read(), "example", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
outcome = eval(code, {"__name__": "example"})
if inspect.iscoroutine(outcome):
    asyncio.run(outcome)
"""


@dataclass(frozen=True)
class Block:
    """A fenced piece of a page."""

    line: int
    language: str
    title: str
    """The file it is to be written to, if any."""
    note: str
    """The comment above it: `not run: why`, `exit N`, or `output`."""
    code: str


def blocks(page: str) -> list[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        language, _, rest = match["info"].strip().partition(" ")
        title = re.search(r'title="([^"]+)"', rest)
        found.append(
            Block(
                line=text.count("\n", 0, match.start("fence")) + 1,
                language=language,
                title=title[1] if title else "",
                note=match["note"] or "",
                code=textwrap.dedent(match["code"]),
            )
        )
    return found


@pytest.mark.parametrize("page", PAGES)
def test_blocks_are_well_formed(page):
    for block in blocks(page):
        place = f"{page}:{block.line}"
        assert block.language in LANGUAGES, f"{place}: a block says what it is, one of {sorted(LANGUAGES)}"
        known = not block.note or re.fullmatch(r"not run: .+|exit \d+|output", block.note)
        assert known or block.language == "text", f"{place}: <!-- {block.note} --> means nothing here"
        try:
            parse(block)
        except (ValueError, SyntaxError, yaml.YAMLError) as error:
            pytest.fail(f"{place}: is not {block.language}: {error}")


def parse(block: Block) -> None:
    """Raise what is wrong with the form of a block."""
    if block.language == "python":
        compile(block.code, "example", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    elif block.language == "json":
        json.loads(block.code)
    elif block.language == "jsonl":
        for line in filter(None, block.code.split("\n")):
            json.loads(line)
    elif block.language == "yaml":
        list(yaml.safe_load_all(block.code))
    elif block.language == "toml":
        import tomllib

        tomllib.loads(block.code)
    elif block.language == "sh":
        done = subprocess.run(["bash", "-n"], input=block.code, capture_output=True, text=True, timeout=20)
        if done.returncode:
            raise ValueError(done.stderr)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(each.language in ("sh", "python") and not each.title for each in blocks(page))]
)
def test_examples_run(page, tmp_path):
    told, ports = "", Ports()
    for block in blocks(page):
        place = f"{page}:{block.line}"
        if block.note.startswith("not run: "):
            continue
        block = replace(block, code=ports.moved(block.code))
        if block.title:
            path = tmp_path / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.code, encoding="utf-8")
        elif block.language in ("sh", "python"):
            done = run(block, tmp_path)
            told = done.stdout
            wanted = int(block.note.removeprefix("exit ")) if block.note else 0
            assert done.returncode == wanted, f"{place}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        elif block.note == "output":
            assert says(block.code, told), f"{place}: the output is now\n{told}"


class Ports:
    """A free port for each that a page listens on, 8700 to 8799, so that its examples meet no other's on one machine."""

    def __init__(self) -> None:
        self._free: dict[str, str] = {}

    def moved(self, code: str) -> str:
        """An example with its ports replaced; the same ones throughout a page."""
        return re.sub(r"\b87\d\d\b", lambda port: self._free.setdefault(port[0], _free_port()), code)


def _free_port() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


def test_ports_are_moved_alike_throughout_a_page():
    ports = Ports()
    first, again, other = ports.moved("at 8731, not 87310"), ports.moved(":8731"), ports.moved("8732")
    assert first == f"at {again[1:]}, not 87310"
    assert "8731" not in first.split(",")[0]
    assert other not in again


@pytest.mark.parametrize("page", PAGES)
def test_examples_listen_where_they_can_be_moved(page):
    listening = re.compile(r"--port (\d+)|127\.0\.0\.1[:\", ]+(\d+)")
    for block in blocks(page):
        if block.language in ("sh", "python") and not block.note.startswith("not run"):
            ports = {one or two for one, two in listening.findall(block.code)}
            assert {port for port in ports if port != "0" and not re.fullmatch(r"87\d\d", port)} == set(), block.line


def run(block: Block, folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-euo", "pipefail", "-c", block.code] if block.language == "sh" else [sys.executable, "-c", RUN_PYTHON]
    return subprocess.run(
        command,
        input=block.code if block.language == "python" else "",
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=180,
    )


def environment(folder: Path) -> dict[str, str]:
    """As on a machine where Viva is installed and nothing is set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VIVA_") and name != "CI"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', '')}"
    return {**kept, "PATH": path, "HOME": str(folder), "COLUMNS": "120", "NO_COLOR": "1"}


def says(sample: str, output: str) -> bool:
    """Whether an output is as the sample shows it; `...` stands for anything, and space at the ends of lines is nothing."""
    parts = [re.escape(part) for part in strip(sample).split("...")]
    return re.fullmatch(".*?".join(parts), strip(output), re.DOTALL) is not None


def strip(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def test_samples_of_output_are_compared():
    assert says("a ... c\n", "a b\nb c  \n")
    assert not says("a ... c\n", "a b\nb d\n")


def test_generated_pages_are_fresh(docs):
    assert list(docs.stale()) == []


def test_every_name_stands_once(docs):
    assert list(docs.doubled_names()) == []


def test_links_lead_somewhere(docs):
    assert list(docs.broken_links()) == []


def test_the_site_lists_every_page_once(docs):
    assert list(docs.unlisted()) == []


def test_the_glossary_is_in_order():
    words = re.findall(r"(?m)^\*\*(.+?)\*\*", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))
    assert len(words) > 40
    assert words == sorted(words)


@pytest.mark.parametrize("kind", [kind for kind in plugins.KINDS if plugins.names(kind)])
def test_every_plugin_is_in_the_docs(kind):
    page = (ROOT / "docs" / "reference" / f"{kind}.md").read_text(encoding="utf-8")
    assert [name for name in plugins.names(kind) if f"\n## {name}\n" not in page] == []


def test_every_setting_is_in_the_docs():
    settings = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    keys = [option.name for option in OPTIONS if "file" in option.places]
    assert len(keys) > 10
    assert [key for key in keys if not re.search(rf"`{key}\b", settings)] == []


def test_every_command_and_its_flags_are_in_the_docs():
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    tree = parser.build()
    named = {f"viva {name}": each for name, each in tree.commands.items()}
    assert len(named) > 5
    known = {(name, flag) for name, each in [("viva", tree.top), *named.items()] for flag in flags.flags(each)}
    assert [name for name in named if f"`{name}" not in page] == []
    assert [f"{name} {flag}" for name, flag in sorted(known) if not re.search(rf"`{flag}\b", page)] == []


@pytest.mark.parametrize("page", PAGES)
def test_scripts_named_in_the_docs_exist(page):
    named = set(re.findall(r"\bscripts/([a-z][a-z-]*)\b", (ROOT / page).read_text(encoding="utf-8")))
    assert {name for name in named if not (ROOT / "scripts" / name).is_file()} == set()


def test_the_tree_in_the_architecture_is_the_tree(modules):
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (tree,) = re.findall(r"(?ms)^```text\nsrc/vivavoce/\n(.*?)^```", text)
    lines, folder = [], ""
    for line in filter(str.strip, tree.split("\n")):
        name = line.split()[0]
        folder = name if not line.startswith(" ") and name.endswith("/") else folder if line.startswith(" ") else ""
        lines.append(folder + name if line.startswith(" ") else name)
    named = set(lines)
    assert sorted(lines) == sorted(named), "each stands there once"
    missing = {name for name in named if not (ROOT / "src" / "vivavoce" / name).exists()}
    assert missing == set()
    untold = {module.name for module in modules if not module.is_init} - named
    # Plugins, commands, the demo and what is private to a folder are told by their folder.
    untold = {name for name in untold if name.partition("/")[0] not in (*plugins.KINDS, "samples", "cli") and "/_" not in name}
    assert untold == set()


def test_the_layers_in_the_architecture_are_those_that_are_checked():
    import tomllib

    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (drawn,) = re.findall(r"(?ms)^## Who may import whom\n\n```text\n(.*?)^```", text)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    assert [re.split(r" {2,}", line)[0] for line in drawn.splitlines()] == layers


def test_the_glossary_knows_every_kind_of_plugin():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    (plugin,) = re.findall(r"(?m)^\*\*plugin\*\* - (.+)$", text)
    kinds = [kind.removesuffix("s") for kind in plugins.KINDS]
    assert [kind for kind in kinds if kind not in plugin.lower()] == []
    assert [kind for kind in kinds if f"**{kind}**" not in text] == []


def test_the_front_page_of_the_docs_links_every_page():
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([\w./-]+\.md)", text))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - linked == {"index.md"}


def test_the_readme_names_what_there_is():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = [name for kind in ("targets", "judges", "formats") for name in plugins.names(kind)]
    assert [name for name in named if f"`{name}`" not in text] == []
