"""A project's own evaluators through the command, from Python, and in a plan."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from conftest_models import KEY, endpoint, says

import vivavoce
from vivavoce.core.errors import DatasetError, UnknownPlugin, UsageError
from vivavoce.core.model import Check, Selection, Use
from vivavoce.run import asking
from vivavoce.run.planner import plan, readings, replan

TERMS = """
print("loaded")


class Terms:
    '''Whether banned terms occur.'''

    def __init__(self, *, threshold=None, options=None):
        self.terms = options["terms"]

    def __call__(self, *, response="", **_):
        print("called")
        found = [term for term in self.terms if term in response]
        return {"score": 0 if found else 1, "reason": f"found {found}" if found else "nothing is found"}
"""
TONE = """---
name: tone
description: How polite it is.
model:
  parameters:
    temperature: 0
---
system:
Judge from 1 to 5.
user:
{{prompt}} {{response}}
"""


def write(project: Path, **files: str) -> None:
    for name, text in files.items():
        folder = project / "custom-evaluators" / name
        folder.mkdir(parents=True)
        (folder / (f"{name}.prompty" if text.startswith("---") else f"{name}.py")).write_text(text, encoding="utf-8")


def write_document(path: Path, **evaluators: dict[str, Any]) -> Path:
    items = [{"prompt": "Hello?", "response": f"A {word} answer", "evaluators": evaluators} for word in ("good", "bad")]
    path.parent.mkdir(exist_ok=True)
    document = {"schemaVersion": "1.8.0", "default_evaluators": {"ExactMatch": {}}, "items": items}
    for item in items:
        item["expected_response"] = "A good answer"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


BAD = {"options": {"terms": ["bad"]}}


def test_a_document_is_scored_with_them(viva, tmp_path):
    write(tmp_path, terms=TERMS, tone=TONE, boom="class Boom:\n    def __call__(self, **_):\n        return {}['x']\n")
    write_document(tmp_path / "evals.json", terms=BAD, tone={"threshold": 4}, boom={})
    done = viva("run", "evals.json", "--quiet", "--judge", "none", "--output", "run.json", "--output", "m365:-")
    assert done.returncode == 1
    good, bad = json.loads(done.stdout)["items"]
    assert good["scores"]["terms"] == {"score": 1, "threshold": 1, "result": "pass", "reason": "nothing is found"}
    assert bad["scores"]["terms"] == {"score": 0, "threshold": 1, "result": "fail", "reason": "found ['bad']"}
    assert good["scores"]["boom"] == {"result": "error", "error": "the evaluator failed: KeyError: 'x' (boom.py:3)"}
    assert good["status"] == "partial"
    assert "tone" not in good["scores"]
    # Both cases are examined at once, and what two threads print may share a line.
    assert (done.stderr.count("loaded"), done.stderr.count("called")) == (1, 2)
    assert done.stderr.count("tone.prompty: its model and parameters are not used") == 1

    scores = {
        each["name"]: each for each in json.loads((tmp_path / "run.json").read_text())["results"][1]["turns"][0]["scores"]
    }
    assert {name: each["status"] for name, each in scores.items()} == {
        "ExactMatch": "fail",
        "terms": "fail",
        "tone": "skip",
        "boom": "error",
    }
    assert scores["boom"]["judge"] is None
    assert "tone needs a judge" in scores["tone"]["reason"]
    assert scores["tone"]["rubric"] == "tone@1"


def test_a_scored_document_is_read_again(viva, tmp_path):
    write(tmp_path, terms=TERMS)
    write_document(tmp_path / "evals.json", terms=BAD)
    viva("run", "evals.json", "--quiet", "--output", "m365:scored.json")
    again = viva("run", "scored.json", "--quiet", "--output", "m365:-")
    first = json.loads((tmp_path / "scored.json").read_text())["items"]
    assert [item["scores"] for item in json.loads(again.stdout)["items"]] == [item["scores"] for item in first]


def test_they_are_known_everywhere_a_name_is(viva, tmp_path):
    write(tmp_path, terms=TERMS, broken="raise ValueError('no')")
    write_document(tmp_path / "evals.json", terms=BAD)
    assert "terms" in viva("list").stdout
    lines = {line.split()[0]: line for line in viva("list", "evaluators").stdout.splitlines()}
    assert lines["terms"].endswith("Whether banned terms occur.")
    assert lines["broken"].endswith("custom-evaluators/broken/broken.py cannot be loaded: ValueError: no (broken.py:1)")
    assert "ExactMatch" in lines
    assert viva("list", "evaluators", "terms").stdout == "terms\n\nWhether banned terms occur.\n"
    assert "ExactMatch, terms" in viva("validate", "evals.json").stdout
    only = viva("run", "evals.json", "--quiet", "--only", "terms", "--output", "json:-")
    assert list(json.loads(only.stdout)["summary"]["evaluators"]) == ["terms"]


def test_the_command_line_may_ask_for_one(viva, tmp_path):
    write(tmp_path, terms=TERMS)
    (tmp_path / "cases.jsonl").write_text('{"input": "Hello?", "reply": "A bad answer"}\n')
    asked = "banned:Terms=" + json.dumps(BAD)
    done = viva("run", "cases.jsonl", "--quiet", "--evaluator", asked, "--output", "json:-")
    (result,) = json.loads(done.stdout)["results"]
    assert [(each["name"], each["evaluator"], each["status"]) for each in result["turns"][0]["scores"]] == [
        ("banned", "terms", "fail")
    ]


def test_what_is_wrong_with_one_is_told_at_its_place_and_nothing_runs(viva, tmp_path):
    write(tmp_path, terms=TERMS, broken="1 / 0")
    write_document(tmp_path / "evals.json", terms={}, broken={}, relevnt={}, ToolCallAccuracy={})
    done = viva("validate", "evals.json")
    assert done.returncode == 2
    told = done.stdout.replace("\n", " ")
    assert "items[0].evaluators.ToolCallAccuracy: unknown evaluator" in told
    write_document(tmp_path / "evals.json", terms={}, broken={}, trems={})
    told = viva("validate", "evals.json").stdout
    assert "items[0].evaluators.terms: evaluator terms: KeyError: 'terms' (terms.py:9)" in told
    assert "items[1].evaluators.broken: custom-evaluators/broken/broken.py cannot be loaded: ZeroDivisionError" in told
    assert 'items[0].evaluators.trems: unknown evaluator "trems" (did you mean "terms"?)' in told


def test_a_dataset_brings_none_along(viva, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, terms=TERMS)
    write_document(elsewhere / "evals.json", terms=BAD)
    done = viva("validate", "elsewhere/evals.json")
    assert done.returncode == 2
    assert 'unknown evaluator "terms"' in done.stdout
    assert "loaded" not in done.stderr


def test_from_python_they_are_those_of_the_current_folder(tmp_path, monkeypatch):
    write(tmp_path, terms=TERMS)
    path = write_document(tmp_path / "evals.json", terms=BAD)
    with pytest.raises(DatasetError):
        vivavoce.evaluate(path)
    monkeypatch.chdir(tmp_path)
    run = vivavoce.evaluate("evals.json", evaluators={"tidy:terms": {"options": {"terms": ["A"]}}})
    told = [[(score.name, score.status) for score in result.turns[0].scores] for result in run.results]
    assert told == [
        [("tidy", "fail"), ("ExactMatch", "pass"), ("terms", "pass")],
        [("tidy", "fail"), ("ExactMatch", "fail"), ("terms", "fail")],
    ]
    with pytest.raises(UnknownPlugin):
        asking.check("terms", folder=tmp_path / "evals")


def test_a_plan_is_another_one_when_an_evaluator_changes(tmp_path):
    write(tmp_path, terms=TERMS, unused=TERMS)
    write_document(tmp_path / "evals.json", terms=BAD)
    selection = Selection(paths=("evals.json",))
    first = plan(selection, folder=tmp_path)
    assert [file.path for file in first.header.own] == ["custom-evaluators/terms/terms.py"]
    assert plan(selection, folder=tmp_path).header == first.header
    (tmp_path / "custom-evaluators/unused/unused.py").write_text(TERMS + "\n")
    assert plan(selection, folder=tmp_path).header == first.header
    (tmp_path / "custom-evaluators/terms/terms.py").write_text(TERMS + "\n")
    changed = plan(selection, folder=tmp_path).header
    assert changed.digest != first.header.digest
    with pytest.raises(UsageError, match=r"custom-evaluators/terms/terms\.py: changed since the run began"):
        replan(first.header, folder=tmp_path)
    (tmp_path / "custom-evaluators/terms/terms.py").unlink()
    with pytest.raises(UsageError, match=r"custom-evaluators/terms/terms\.py: is gone"):
        replan(first.header, folder=tmp_path)


def test_a_run_whose_evaluator_changed_is_not_resumed(viva, tmp_path):
    write(tmp_path, terms=TERMS, boom="class Boom:\n    def __call__(self, **_):\n        return {}['x']\n")
    write_document(tmp_path / "evals.json", terms=BAD, boom={})
    assert viva("run", "evals.json", "--quiet").returncode == 1
    path = tmp_path / "custom-evaluators/boom/boom.py"
    path.write_text(path.read_text().replace("{}['x']", "{'score': 1}"))
    done = viva("resume", "last", "--retry-errors")
    assert done.returncode == 2
    assert "custom-evaluators/boom/boom.py: changed since the run began" in done.stderr


def test_what_the_files_lack_is_told_for_them_too(tmp_path):
    code = "class Needy:\n    needs = ('context',)\n    def score(self, evidence): ...\n"
    write(tmp_path, needy=code)
    (tmp_path / "cases.jsonl").write_text('{"input": "Hello?", "reply": "A bad answer"}\n')
    asked = Selection(paths=("cases.jsonl",), evaluators=(Check(evaluator="needy", origin="run"),))
    _, warnings = readings(asked, folder=tmp_path)
    assert [warning for warning in warnings if warning.startswith("needy needs a `context`")]


def test_one_that_moves_the_process_is_still_found(tmp_path, monkeypatch):
    code = "import os\nclass Mover:\n    def __call__(self, **_):\n        os.chdir('/')\n        return dict(score=1)\n"
    write(tmp_path, mover=code)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.jsonl").write_text('{"input": "Hello?", "reply": "one"}\n{"input": "Hello?", "reply": "two"}\n')
    run = vivavoce.evaluate("cases.jsonl", evaluators=["mover"], concurrency=1, store=str(tmp_path / "runs.db"))
    os.chdir(tmp_path)
    assert run.summary.evaluators["mover"].passed == 2


MEDIAN = """
import statistics
from pathlib import Path

from promptflow.client import load_flow


class Median:
    def __init__(self, *, model_config, threshold, options=None):
        self.ask = load_flow(Path(__file__).with_suffix(".prompty"), model={"configuration": model_config})

    def __call__(self, *, prompt="", response="", **_):
        scores = [self.ask(user_prompt=prompt, Answer=response)["score"] for _ in range(3)]
        return {"score": statistics.median(scores), "reason": f"the middle of {scores}"}
"""
MEDIAN_PROMPT = """---
name: median
model:
  parameters:
    response_format: {type: json_object}
---
system:
Judge from 1 to 5.
user:
{{user_prompt}} {{Answer}}
"""


async def test_code_with_a_prompty_asks_the_judge_of_the_run(tmp_path, monkeypatch):
    write(tmp_path, median=MEDIAN)
    (tmp_path / "custom-evaluators/median/median.prompty").write_text(MEDIAN_PROMPT)
    (tmp_path / "cases.jsonl").write_text('{"input": "Hello?", "reply": "{{no}} answer"}\n')
    monkeypatch.chdir(tmp_path)
    async with endpoint() as models:
        url = models(*(says({"reason": "so it reads", "score": score}) for score in (2, 5, 4)))
        judge = Use(name="openai", options={"model": "tutor", "base_url": url, "api_key": KEY})
        run = await vivavoce.evaluate_async("cases.jsonl", evaluators=["median"], judge=judge)
    (result,) = run.results
    (score,) = result.turns[0].scores
    assert (score.status, score.value, score.unit_value, score.reason) == ("pass", 4, 0.75, "the middle of [2, 5, 4]")
    assert (score.judge, score.rubric) == ("openai:tutor", "median@1")
    assert (run.summary.usage.judge_calls, run.summary.usage.input_tokens) == (3, 300)
    said = models.asked[0].body["messages"][0]["content"]
    assert said.startswith("Judge from 1 to 5.\n\nHello? {{no}} answer\n")
