"""Importing is free, layers hold, and plugins bring nothing heavy until they are built."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from vivavoce.core import plugins

HEAVY = {"aiohttp", "pydantic", "rich", "yaml", "jmespath", "tenacity", "scipy", "numpy", "argparse"}

STDLIB_BUDGET = 60
"""Modules of the standard library that `import vivavoce` may load; it is about the number that `typing` costs."""
STDLIB_BUDGET_VERSION = 120
"""The same for `viva --version`, which parses a command line."""


def loaded(code: str) -> set[str]:
    """Names of the modules that a fresh interpreter holds after some code, less those it starts with."""
    script = f"import sys\nbefore = set(sys.modules)\n{code}\nimport json\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(done.stdout.splitlines()[-1])) - {"json", "json.decoder", "json.encoder", "json.scanner", "_json"}


def third_party(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names) - {"vivavoce"}


def test_importing_the_package_loads_almost_nothing():
    names = loaded("import vivavoce")
    assert third_party(names) == set()
    assert {name for name in names if name.startswith("vivavoce.")} == set()
    assert len(names) <= STDLIB_BUDGET


def test_showing_the_version_loads_no_package():
    names = loaded(
        "from vivavoce.cli.main import viva\n"
        "sys.argv = ['viva', '--version']\n"
        "try:\n    code = viva()\nexcept SystemExit as end:\n    code = end.code\n"
        "assert not code, code"
    )
    assert third_party(names) == set()
    assert len(names - {each for each in names if each.startswith("vivavoce")}) <= STDLIB_BUDGET_VERSION


def test_reading_a_command_line_loads_no_package():
    names = loaded("from vivavoce.cli.parser import parse\nassert callable(parse(['run', 'cases.jsonl', '--judge', 'none']))")
    assert third_party(names) == set()


@pytest.mark.parametrize("kind", plugins.KINDS)
def test_finding_plugins_loads_no_heavy_package(kind):
    names = loaded(f"from vivavoce.core import plugins\nplugins.names({kind!r})")
    assert {name.partition(".")[0] for name in names} & HEAVY == set()


def test_layers_hold(root):
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_leaves_the_process_as_it_was(tmp_path):
    code = (
        "import logging, os, signal, sys, warnings, locale\n"
        "def state():\n"
        "    root = logging.getLogger()\n"
        "    return (dict(os.environ), os.getcwd(), root.level, list(root.handlers), list(warnings.filters),\n"
        "            signal.getsignal(signal.SIGINT), list(sys.path), sys.excepthook, locale.setlocale(locale.LC_ALL))\n"
        "import typing, dataclasses, msgspec\n"
        "before = state()\n"
        "import vivavoce\n"
        "for name in vivavoce.__all__:\n    getattr(vivavoce, name)\n"
        "assert state() == before\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []
