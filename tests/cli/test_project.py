"""`viva init` and `viva demo`: the first minutes."""

from __future__ import annotations

import itertools
import json
import tomllib

import pytest
import yaml

from vivavoce.cli.project import TEMPLATES
from vivavoce.run.outputs import choose

WRITTEN = {"viva.toml", "evals/starter.json", "viva_agent.py", ".github/workflows/viva.yml"}


def written(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_valid_and_passes_as_it_stands(process, folder, template):
    done = process("init", "--template", template)
    assert done.code == 0
    assert written(folder) == WRITTEN
    assert all(f"wrote {name}" in done.out for name in WRITTEN)
    assert process("validate").err == ""
    done = process("run")
    assert done.code == 0, done.out + done.err
    assert "warning" not in done.err


def test_a_template_shows_what_it_is_called_for(viva, folder):
    found = {}
    for template in TEMPLATES:
        viva("init", "--template", template, "--force")
        found[template] = viva("validate").out
    assert "ExactMatch" in found["basic"]
    assert "Citations" in found["knowledge"]
    assert "RetrievalQuery" in found["tools"]


def test_the_workflow_is_yaml_and_what_it_runs_exists(viva, folder):
    viva("init")
    workflow = yaml.safe_load((folder / ".github/workflows/viva.yml").read_text())
    steps = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert "vars.VIVAVOCE || 'vivavoce'" in steps[0]
    validate, run = (step.split() for step in steps if step.startswith("viva "))
    assert viva(*validate[1:]).code == 0
    outputs = [after for word, after in itertools.pairwise(run) if word == "--output"]
    assert len(choose(outputs)) == 2
    assert viva(*run[1:], "--print-config").code == 0


def test_nothing_is_written_over(viva, folder):
    (folder / "viva.toml").write_text("retries = 1\n")
    done = viva("init")
    assert done.code == 2
    assert "viva.toml" in done.err
    assert written(folder) == {"viva.toml"}
    assert (folder / "viva.toml").read_text() == "retries = 1\n"
    assert viva("init", "--force").code == 0
    assert written(folder) == WRITTEN


def test_a_target_of_ones_own_needs_no_starter_agent(viva, folder):
    assert viva("init", "--target", 'command:./agent "a b"').code == 0
    assert written(folder) == WRITTEN - {"viva_agent.py"}
    assert tomllib.loads((folder / "viva.toml").read_text())["target"]["spec"] == 'command:./agent "a b"'


def test_a_wrong_target_writes_nothing(viva, folder):
    assert viva("init", "--target", "pyton:a:b").code == 2
    assert written(folder) == set()


def test_the_demo_runs_and_is_stored(process):
    done = process("demo")
    assert done.code == 0, done.err
    assert "\x1b" not in done.out
    assert len(json.loads(process("runs", "--json").out)) == 2
