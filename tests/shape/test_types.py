"""A hole in the types, and a net for every error, is dug knowingly: with a reason, in a named place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

BROAD = {
    "core/plugins.py": "loading of foreign plugins",
    "run/conversing.py": "a target's phases of a trial",
    "run/simulate.py": "the simulated user's phase of a trial",
    "run/judging.py": "the judging phase of a trial",
    "cli/main.py": "the last line of the command",
}
"""Where every error may be caught, and why. The writer thread of a store is the fourth place, any file of stores/."""


def unreasoned(tree: ast.Module, comments: dict[int, str]) -> Iterator[tuple[int, str]]:
    """Uses of `Any` and `cast` whose statement carries no comment, and `type: ignore` without a reason behind it."""
    for line, comment in comments.items():
        if re.match(r"#\s*type:\s*ignore(?!\[[\w, -]+\]\s+#\s*\w)", comment):
            yield line, comment
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.stmt) or isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        first, last = _own_lines(statement)
        holes = [node for part in _own_parts(statement) for node in ast.walk(part) if _is_hole(node)]
        if holes and not any(line in comments for line in range(first, last + 1)):
            yield holes[0].lineno, ast.unparse(statement).split("\n")[0][:80]


def _is_hole(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in ("cast", "typing.cast")
    return isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in ("Any", "typing.Any")


def _own_parts(statement: ast.stmt) -> list[ast.AST]:
    """The statement without the statements inside it."""
    return [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt | ast.ExceptHandler)]


def _own_lines(statement: ast.stmt) -> tuple[int, int]:
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if isinstance(body, list) and body else statement.end_lineno or statement.lineno
    return statement.lineno, max(last, statement.lineno)


def broad(tree: ast.Module) -> list[int]:
    """Lines that catch every error and keep it; one that cleans up and raises it again does not."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and not (isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None)
        and (node.type is None or re.search(r"\b(Exception|BaseException)\b", ast.unparse(node.type)))
    ]


def test_holes_in_types_carry_a_reason(modules):
    found = [f"{module.at(line)}: {what}" for module in modules for line, what in unreasoned(module.tree, module.comments)]
    assert found == []


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("def f(a: Any) -> int:\n    return 1", {}),
        ("a: dict[str, Any] = b", {}),
        ("a = cast(int, b)", {}),
        ("a = b  # type: ignore", {1: "# type: ignore"}),
        ("a = b  # type: ignore[misc]", {1: "# type: ignore[misc]"}),
    ],
)
def test_holes_are_seen(text, comments):
    assert list(unreasoned(ast.parse(text), comments))


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("a: Any = b", {1: "# as another party wrote it"}),
        ("a = b", {1: "# type: ignore[misc] # why"}),
        ("def f(\n    a: Any,\n) -> int:\n    return 1", {2: "# why"}),
    ],
)
def test_reasons_are_seen(text, comments):
    assert not list(unreasoned(ast.parse(text), comments))


def test_every_error_is_caught_in_named_places_only(modules):
    found = {module.name: len(broad(module.tree)) for module in modules if broad(module.tree)}
    unnamed = {name: count for name, count in found.items() if name not in BROAD and not name.startswith("stores/")}
    assert unnamed == {}
    assert found.get("core/plugins.py") == 1
    assert found.get("cli/main.py", 0) <= 1
    assert 2 <= sum(found.get(f"run/{name}.py", 0) for name in ("conversing", "judging", "simulate")) <= 4
    assert sum(count for name, count in found.items() if name.startswith("stores/")) <= 1


def test_broad_excepts_are_seen():
    kept = ["except Exception: b", "except (OSError, BaseException): b", "except: b"]
    let_pass = ["except OSError: b", "except BaseException: raise"]
    text = "\n".join(f"try: a\n{handler}" for handler in [*kept, *let_pass])
    assert broad(ast.parse(text)) == [2, 4, 6]
