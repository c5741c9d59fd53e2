"""The reference pages of plugins, made from their own manuals; and what must hold of all pages.

Run by `scripts/docs`. With `--check` nothing is written: every page that is stale and every wrong name, link or changelog
fragment is printed, and the exit code is 1 if there is any.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vivavoce.core import plugins

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

INTRODUCTIONS = {
    "evaluators": """What an answer is examined by. Name one with `--evaluator`, in a dataset, or from Python; options follow as
JSON, as in `--evaluator 'PartialMatch={"threshold": 0.8}'`. In a name, case, `_`, `-`, `builtin.` before it and `Evaluator` at
its end do not count: `f1_score`, `builtin.f1_score` and `F1ScoreEvaluator` are F1Score. One that is named twice with the same
options is one; to examine by it twice with different options, give one a name of its own, as in
`--evaluator 'exactly:PartialMatch={"threshold": 1}'`.

An evaluator of the command line is added to those that a dataset names. Where the dataset names the same one, it is applied
once, and each option holds as the dataset says it; what the dataset leaves open holds as the command line says it.""",
    "targets": """How an agent under test is spoken to: `--target SPEC`, where the part before the first colon is one of these
names; options are given by `--target-option KEY=VALUE` or in the `[target]` table of `viva.toml`.""",
    "formats": "What dataset files Viva reads. The format is told from a file's content; `--format NAME` overrides it.",
    "judges": """Who answers what no rule can decide: `--judge SPEC`, where the part before the first colon is one of these
names; options are given by `--judge-option KEY=VALUE` or in the `[judge]` table of `viva.toml`.""",
    "simulators": """Who plays the users of cases that have a persona: `--simulator SPEC`, where the part before the first colon
is one of these names; options are given by `--simulator-option KEY=VALUE` or in the `[simulator]` table of `viva.toml`.""",
    "providers": "The chat models that judges and simulated users may ask; each is named in the spec of whoever asks it.",
    "reports": "How a run is written: `--output NAME:PATH`, or `--output PATH` where the suffix tells the report.",
    "stores": "Where runs are kept: `--store URL`; by default a SQLite file, `.viva/runs.db` in the current folder.",
    "engines": "Where the conversations of a run are held: `--engine NAME`. The engine never changes an answer.",
}

ELSEWHERE = """These are known by name, so that a plan which asks for one is refused before anything is called, and says what to
use instead."""

FRAGMENT = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.(added|changed|fixed|removed)\.md")


class Option(NamedTuple):
    """A field of a plugin, as its source says it."""

    name: str
    type: str
    default: str
    meaning: str


def page(kind: str) -> str:
    """The reference page of a kind of plugin."""
    names = plugins.names(kind)
    parts = [f"# {kind.capitalize()}", INTRODUCTIONS[kind]]
    parts.append(
        "This page is made from the manuals in the code by `scripts/docs`; `viva list " + kind + "` shows its first lines."
    )
    rows = [f"| [{name}](#{anchor(name)}) | {first_line(kind, name)} |" for name in names]
    parts.append("\n".join(["| name | what it is for |", "| --- | --- |", *rows]))
    parts += [entry(kind, name) for name in names]
    if told := plugins.elsewhere(kind):
        rows = [f"| `{name}` | {cell(why, code=False)} |" for name, why in sorted(told.items())]
        parts += [
            "## Not answered here",
            ELSEWHERE,
            "\n".join(["| vendor's name | why, and what to use |", "| --- | --- |", *rows]),
        ]
    return "\n\n".join(parts) + "\n"


def first_line(kind: str, name: str) -> str:
    return plugins.manual(kind, name).split("\n")[0]


def entry(kind: str, name: str) -> str:
    """One plugin: its manual, what it reads, its options."""
    maker = plugins.find(kind, name)
    told = "\n".join([manual(plugins.manual(kind, name)), *facts_of(maker)])
    parts = [f"## {name}", told]
    if (DOCS / "reference" / kind / f"{name}.md").is_file():
        parts.append(f"The whole of it: [{kind}/{name}]({kind}/{name}.md).")
    options = list(options_of(maker))
    if options:
        rows = [
            f"| `{each.name}` | {cell(each.type)} | {cell(each.default)} | {cell(each.meaning, code=False)} |"
            for each in options
        ]
        parts.append("\n".join(["| option | type | default | meaning |", "| --- | --- | --- | --- |", *rows]))
    return "\n\n".join(parts)


def manual(text: str) -> str:
    """A docstring as Markdown: paragraphs that begin with a capitalised word and a colon become points."""
    lines: list[str] = []
    in_points = False
    for line in text.split("\n"):
        if match := re.match(r"([A-Z][a-z]+(?: [a-z]+)?):(?: (.*))?$", line):
            if not in_points and lines and lines[-1].strip():
                lines.append("")
            in_points = True
            lines.append(f"- **{match[1]}:** {match[2] or ''}".rstrip())
        elif not line.strip():
            in_points = False
            lines.append("")
        else:
            lines.append("  " + line.strip() if in_points else line)
    return "\n".join(lines).strip()


def facts_of(maker: object) -> Iterator[str]:
    """What a plugin's class states of itself, as points."""
    needs, uses = getattr(maker, "needs", None), getattr(maker, "uses", None)
    if needs is not None and uses is not None:
        yield f"- **Reads:** needs {listed(needs)}; uses {listed(uses)}."
        yield from reads_at_other_levels(maker)
    if levels := getattr(maker, "levels", None):
        yield f"- **Levels:** {listed(levels)}{'; the first is the default' if len(levels) > 1 else ''}."
    if scale := getattr(maker, "scale", None):
        low, high = scale
        side = (
            "; lower is better, so the threshold is the highest value that passes"
            if getattr(maker, "lower_is_better", False)
            else ""
        )
        yield f"- **Scale:** from {low:g}{', without upper end' if high is None else f' to {high:g}'}{side}."
    if suffix := getattr(maker, "suffix", None):
        yield f"- **Suffix:** `{suffix}`."


def reads_at_other_levels(maker: object) -> Iterator[str]:
    """What an evaluator reads where it stands for itself differently."""
    if not (isinstance(maker, type) and hasattr(maker, "at_level")) or any(not each.default for each in options_of(maker)):
        return  # one that cannot be made without options says it in its manual
    made = maker()
    for level in made.levels[1:]:
        there = made.at_level(level)
        if (there.needs, there.uses) != (made.needs, made.uses):
            yield f"- **At level {level}:** needs {listed(there.needs)}; uses {listed(there.uses)}."


def listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names) if names else "nothing"


def cell(text: str, *, code: bool = True) -> str:
    """Text as it may stand in a cell of a table."""
    text = " ".join(text.split()).replace("|", "\\|")
    return f"`{text}`" if code and text else text


def options_of(maker: object) -> Iterator[Option]:
    """The options of a plugin: the fields of its class, its own first, with the text below each in its source."""
    if not (isinstance(maker, type) and dataclasses.is_dataclass(maker)):
        return
    told = {name: said for each in reversed(maker.__mro__) for name, said in fields_in_source(each)}
    own = inspect.get_annotations(maker)
    for field in sorted(dataclasses.fields(maker), key=lambda each: each.name not in own):
        if field.init:
            kind, text = told.get(field.name, (str(field.type), ""))
            yield Option(field.name, kind, default_of(field), text)


def fields_in_source(kind: type) -> Iterator[tuple[str, tuple[str, str]]]:
    """Name, type and text of each annotated field in a class's source; nothing for a class made at run time."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    except (OSError, TypeError):
        return
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for node, after in zip(body, [*body[1:], None], strict=False):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            yield node.target.id, (ast.unparse(node.annotation), str(text))


def default_of(field: dataclasses.Field[object]) -> str:
    """As one would write it; empty when the option must be given."""
    if field.default_factory is not dataclasses.MISSING:
        return repr(field.default_factory())
    return "" if field.default is dataclasses.MISSING else repr(field.default)


def anchor(heading: str) -> str:
    """The fragment by which a heading is linked, as both GitHub and mkdocs make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def pages() -> dict[Path, str]:
    """Every generated page with its content."""
    return {DOCS / "reference" / f"{kind}.md": page(kind) for kind in plugins.KINDS if plugins.names(kind)}


def prose(text: str) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"(?ms)^( *)(```+).*?^\1\2 *$", "", text))


def headings(text: str) -> list[str]:
    return re.findall(r"(?m)^#{1,6} (.+?) *$", re.sub(r"(?ms)^( *)(```+).*?^\1\2 *$", "", text).replace("`", ""))


def doc_files() -> list[Path]:
    return [*sorted(DOCS.rglob("*.md")), *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"))]


def doubled_names() -> Iterator[str]:
    """Headings that a page has twice, and words the glossary explains twice."""
    for path in doc_files():
        for heading, count in Counter(map(anchor, headings(path.read_text(encoding="utf-8")))).items():
            if count > 1:
                yield f"{path.relative_to(ROOT)}: the heading {heading} stands there {count} times"
    words = re.findall(r"(?m)^\*\*(.+?)\*\*", (DOCS / "glossary.md").read_text(encoding="utf-8"))
    for word, count in Counter(word.lower() for word in words).items():
        if count > 1:
            yield f"docs/glossary.md: {word} is explained {count} times"


def broken_links() -> Iterator[str]:
    """Relative links to a file or heading that is not there."""
    for path in doc_files():
        for target in re.findall(r"\]\(([^)\s]+)\)", prose(path.read_text(encoding="utf-8"))):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, fragment = target.partition("#")
            linked = (path.parent / file).resolve() if file else path
            if not linked.exists():
                yield f"{path.relative_to(ROOT)}: {target} leads nowhere"
            elif fragment and fragment not in map(anchor, headings(linked.read_text(encoding="utf-8"))):
                yield f"{path.relative_to(ROOT)}: {target} names a heading that is not there"


def unlisted() -> Iterator[str]:
    """Pages that the site's navigation lacks, has twice, or has though they are gone."""
    listed_pages = Counter(re.findall(r"(?m)([\w./-]+\.md)\s*$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    for name in sorted(there | set(listed_pages)):
        if name not in there:
            yield f"mkdocs.yml: {name} is listed and does not exist"
        elif listed_pages[name] != 1:
            yield f"mkdocs.yml: {name} is listed {listed_pages[name]} times"


def fragment_problem(name: str, text: str) -> str | None:
    """What is wrong with a changelog fragment, if anything."""
    if not FRAGMENT.fullmatch(name):
        return "is not called <topic>.(added|changed|fixed|removed).md"
    sentence = text.strip()
    if not sentence.endswith(".") or "\n\n" in sentence or sentence.startswith(("#", "-", "*")):
        return "is not one plain sentence with a full stop"
    if re.search(r"[.!?]\s+[A-Z]", sentence):
        return "is more than one sentence"
    return None


def wrong_fragments() -> Iterator[str]:
    for path in sorted((ROOT / "changelog.d").iterdir()):
        if path.name != "README.md" and (problem := fragment_problem(path.name, path.read_text(encoding="utf-8"))):
            yield f"changelog.d/{path.name}: {problem}"


def stale() -> Iterator[str]:
    for path, text in pages().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            yield f"{path.relative_to(ROOT)}: is not what the manuals say; run scripts/docs"


def main() -> int:
    if "--check" not in sys.argv[1:]:
        for path, text in pages().items():
            path.write_text(text, encoding="utf-8")
    problems = [*stale(), *doubled_names(), *broken_links(), *unlisted(), *wrong_fragments()]
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
