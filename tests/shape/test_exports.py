"""The public surface is listed, sorted and real."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys

import pytest

import vivavoce
from vivavoce.core import plugins


def test_the_root_lists_its_names_sorted():
    assert vivavoce.__all__ == sorted(vivavoce.__all__)
    assert len(set(vivavoce.__all__)) == len(vivavoce.__all__)


@pytest.mark.parametrize("name", vivavoce.__all__)
def test_each_listed_name_is_there_and_documented(name):
    value = getattr(vivavoce, name)
    assert name in dir(vivavoce)
    assert name == "__version__" or (value.__doc__ or "").strip()


def test_the_lazy_names_are_those_a_type_checker_sees(modules):
    (root,) = (module for module in modules if module.name == "__init__.py")
    (block,) = (node for node in root.tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == vivavoce._HOMES
    assert {*seen, "__version__"} == set(vivavoce.__all__)


def test_the_docs_import_from_public_places_alone(texts):
    pages = [(name, text) for name, text in texts if name.startswith("docs/") or name == "README.md"]
    assert len(pages) > 20
    deeper = re.compile(r"(?m)^ *(?:from|import) +(vivavoce\.(?!(?:samples|agentcore)\b)[\w.]+)")
    assert [(name, found) for name, text in pages for found in deeper.findall(text)] == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        _ = vivavoce.evaluat


def test_star_import_works_in_a_bare_process():
    code = "from vivavoce import *; print(evaluate.__name__, Run.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split()) == (0, ["evaluate", "Run"]), done.stderr


def test_plugin_modules_list_their_plugins(modules):
    checked = [module for module in modules if module.is_plugin]
    assert len(checked) >= 10
    for module in checked:
        imported = importlib.import_module("vivavoce." + module.name.removesuffix(".py").replace("/", "."))
        if hasattr(imported, "plugins"):
            assert imported.plugins(), module.name
            continue
        assert imported.__all__ == sorted(imported.__all__), module.name
        defined = {node.name for node in module.tree.body if isinstance(node, ast.ClassDef)}
        assert set(imported.__all__) <= defined, f"{module.name} lists what it does not define"


@pytest.mark.parametrize("kind", [kind for kind in plugins.KINDS if plugins.names(kind)])
def test_every_kind_has_a_plugin_with_a_manual(kind):
    names = plugins.names(kind)
    assert names
    for name in names:
        first = plugins.manual(kind, name).split("\n")[0]
        assert first.endswith("."), f"{kind} {name}: the first line of the manual is no sentence: {first!r}"
