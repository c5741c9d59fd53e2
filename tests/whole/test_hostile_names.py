"""What a dataset calls things leads nowhere, and what it says is text: no path is left, and no template is filled in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Server, Viva, write_cases

PATHS = (
    "../../escaped",
    "/tmp/viva-escaped",
    "..",
    "a/../../b",
    "C:\\escaped",
    "\\\\host\\share",
    "~/escaped",
    "x\x00y",
    ".git/config",
)
ELSEWHERE = "fr0m-the-env1ronment"
TEMPLATES = (
    "${PLACE_OF_IT}",
    "$PLACE_OF_IT",
    "{{input}} {{response}} {{expected}}",
    "{{item.id}} {{sample.output_text}} ${data.id}",
    "{{ 7 * 7 }} {% for each in ().__class__.__base__.__subclasses__() %}{{ each }}{% endfor %}",
    "{0.__class__.__init__.__globals__} {self} %(id)s %s",
    "<%= 7 * 7 %> #{7 * 7} @{7 * 7} $(id) `id`",
    "{{#each this}}{{/each}} {{!-- x --}} {# x #}",
)


FOLDER = "outer/project"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / FOLDER
    made.mkdir(parents=True)
    return made


def files(project: Path) -> set[Path]:
    """All that lies in a project and about it, but for what SQLite makes and removes while it reads."""
    return {path for path in project.parents[1].rglob("*") if not path.name.endswith(("-wal", "-shm"))}


def around(project: Path) -> set[Path]:
    """What lies about a project, and not in it."""
    beside = {path for path in files(project) if not path.is_relative_to(project)}
    return beside | {path for path in (Path("/tmp/viva-escaped"), Path.home() / "escaped") if path.exists()}


def test_no_name_of_a_dataset_leads_out_of_the_project(viva: Viva, project: Path, server: Server) -> None:
    cases = [{"id": name, "input": f"say {at}", "category": name, "metadata": {"file": name}} for at, name in enumerate(PATHS)]
    suites = [{"suite": f"{name}{at}", "cases": cases} for at, name in enumerate(PATHS)]
    for at, suite in enumerate(suites):
        (project / f"suite{at}.json").write_text(json.dumps(suite), encoding="utf-8")
    before = around(project)
    outputs = [part for name in ("o.json", "o.jsonl", "o.csv", "o.html", "o.md", "junit:o.xml") for part in ("--output", name)]
    asked = ("--target", server.url, "--evaluator", "ExactMatch", "--record", "tape.jsonl", "--verbose")
    done = viva("run", ".", *asked, *outputs, folder=FOLDER)
    assert done.returncode == 2, done.stderr  # there is nothing to compare with
    assert len(json.loads((project / "o.json").read_text(encoding="utf-8"))["results"]) == len(PATHS) ** 2
    for words in (("show", "last", "--verbose"), ("resume", "last"), ("prune", "--keep", "0")):
        viva(*words, folder=FOLDER)
    assert around(project) == before
    assert {path.name for path in project.iterdir() if not path.name.startswith("suite")} == {
        ".viva", "tape.jsonl", "o.json", "o.jsonl", "o.csv", "o.html", "o.md", "o.xml",
    }  # fmt: skip


def test_what_is_no_run_is_none_and_leaves_nothing(viva: Viva, project: Path, server: Server) -> None:
    write_cases(project / "cases.jsonl", [{"input": "say 1", "expected": "1", "evaluators": {"ExactMatch": {}}}])
    assert viva("run", "cases.jsonl", "--target", server.url, folder=FOLDER).returncode == 0
    before = files(project)
    for command, name in (
        ("show", "../../escaped"),
        ("resume", "../../escaped"),
        ("show", "/etc/passwd"),
        ("show", "x' or 1=1 --"),
    ):
        done = viva(command, "--", name, folder=FOLDER)
        assert done.returncode == 2
        assert "holds no run" in done.stderr, done.stderr
    assert files(project) == before


@pytest.mark.parametrize(
    "options", [(), ("--target-option", 'request={"input": "{{input}}", "more": {"deep": ["{{input}}!"]}}')]
)
def test_no_template_of_a_dataset_is_filled_in(
    viva: Viva, project: Path, server: Server, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLACE_OF_IT", ELSEWHERE)
    rows = [
        {
            "id": f"{at} {text}",
            "input": f"say {text}",
            "context": text,
            "expected": text,
            "evaluators": {"ExactMatch": {}},
        }
        for at, text in enumerate(TEMPLATES)
    ]
    write_cases(project / "cases.jsonl", rows)
    viva("run", "cases.jsonl", "--target", server.url, *options, "--output", "o.json", "--output", "o.html", folder=FOLDER)
    assert set(server.asked) == {row["input"] for row in rows}
    kept = json.loads((project / "o.json").read_text(encoding="utf-8"))["results"]
    assert [each["turns"][0]["input"] for each in kept] == [row["input"] for row in rows]
    for path in project.rglob("*"):
        assert not path.is_file() or ELSEWHERE.encode() not in path.read_bytes(), path
