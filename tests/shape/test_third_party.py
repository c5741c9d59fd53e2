"""The evaluator of docs/how-to/write-an-evaluator.md, built and installed as its reader would, then used."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "write-an-evaluator.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The files of the page, and its package installed into `installed`."""
    folder = tmp_path_factory.mktemp("third-party")
    for title, code in re.findall(r'(?ms)^```\w+ title="([^"]+)"\n(.*?)^```$', PAGE.read_text(encoding="utf-8")):
        path = folder / title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    # Not from an index: what builds the package is here already, and what it depends on is this checkout.
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", "installed", "./brief"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return folder


def viva(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(folder / "installed"), "NO_COLOR": "1", "COLUMNS": "120"}
    program = Path(sys.executable).with_name("viva")
    return subprocess.run([program, *words], cwd=folder, env=environ, capture_output=True, text=True, timeout=60)


def test_it_is_listed(folder):
    done = viva(folder, "list", "evaluators")
    assert done.returncode == 0, done.stderr
    assert re.search(r"\bBrief\b.+short enough to read", done.stdout)


def test_it_scores(folder):
    done = viva(folder, "run", "evals/desk.jsonl", "--quiet", "--output", "run.json")
    assert done.returncode == 1, done.stderr
    results = json.loads((folder / "run.json").read_text(encoding="utf-8"))["results"]
    scores = {result["case"]: result["turns"][0]["scores"] for result in results}
    assert [(each["name"], each["status"], each["value"]) for each in scores["opening"]] == [("Brief", "pass", 4)]
    assert [(each["status"], each["reason"]) for each in scores["returns"]] == [("fail", "13 words; shorten it to 12")]


def test_its_options_are_checked(folder):
    done = viva(folder, "run", "evals/desk.jsonl", "--evaluator", 'long:Brief={"limits": 20}')
    assert done.returncode == 2
    assert 'unknown option "limits" (did you mean "limit"?)' in done.stderr


def test_without_the_package_it_is_unknown(folder):
    program = Path(sys.executable).with_name("viva")
    done = subprocess.run([program, "validate", "evals/desk.jsonl"], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert 'unknown evaluator "Brief"' in done.stdout + done.stderr
