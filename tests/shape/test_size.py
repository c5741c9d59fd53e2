"""Nothing grows past what one can read at a sitting."""

from __future__ import annotations

import ast

FILE_LINES = 300
FUNCTION_LINES = 50


def test_files_are_short(modules):
    lengths = {module.name: len(module.text.splitlines()) for module in modules}
    assert {name: length for name, length in lengths.items() if length > FILE_LINES} == {}


def test_functions_are_short(modules):
    lengths = {
        module.at(node.lineno): (node.name, node.end_lineno - node.lineno + 1)
        for module in modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {place: found for place, found in lengths.items() if found[1] > FUNCTION_LINES} == {}


def test_no_drawer_for_everything(modules):
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "lib"}
    assert [module.name for module in modules if module.name.rpartition("/")[2].removesuffix(".py").strip("_") in vague] == []


def test_every_module_says_what_it_is_for(modules):
    assert [module.name for module in modules if not (ast.get_docstring(module.tree) or "").split("\n")[0].endswith(".")] == []
