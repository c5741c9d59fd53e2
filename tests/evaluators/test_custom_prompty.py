"""Prompties of a project: read as rubrics, filled and never executed, answered by the judge of the run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core import codec, plugins
from vivavoce.core.errors import Abstain, BadOptions, CallError, Missing, PluginError
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn, Use
from vivavoce.core.reply import Reply
from vivavoce.core.result import Failure, Verdict
from vivavoce.core.rubric import Rubric

HEAD = """---
name: tone
description: How polite it is. More is said later.
---
"""
ALONE = HEAD + "system:\nJudge from 1 to 5.\n\nuser:\nQuestion: {{prompt}}\nAnswer: {{ response }}\n"
FULL = """---
name: tone
description: |
  How polite
  it is.
version: 7
model:
  api: chat
  configuration:
    azure_endpoint: ${env:ENDPOINT}
  parameters:
    temperature: 0.4
    response_format:
      type: json_object
inputs:
  user_prompt:
    type: string
  aspect:
    type: string
    default: manners
---
system:
Look at {{aspect}} alone.
user:
{{user_prompt}} {{Answer1}} {{Answer2}}
"""
WRAPPER = """
import json
import os
from promptflow.client import load_flow


class Tone:
    def __init__(self, *, model_config, threshold, options=None):
        self.flow = load_flow(
            source=os.path.join(os.path.dirname(__file__), "tone.prompty"),
            model={"configuration": dict(model_config)},
        )
        self.samples = (options or {}).get("samples", 1)

    def __call__(self, *, prompt="", response="", **_):
        scores, errors = [], []
        for _ in range(self.samples):
            try:
                raw = self.flow(user_prompt=prompt, Answer1=response, Answer2="two")
                raw = json.loads(raw) if isinstance(raw, str) else raw
                scores.append(raw["score"])
            except Exception as error:
                errors.append(str(error))
        if not scores:
            return {"error": "; ".join(errors)}
        return {"score": max(scores), "reason": raw["reason"], "errors": errors}
"""


def write(project: Path, prompty: str | None = None, code: str | None = None) -> Path:
    folder = project / "custom-evaluators/tone"
    folder.mkdir(parents=True)
    if prompty is not None:
        (folder / "tone.prompty").write_text(prompty, encoding="utf-8")
    if code is not None:
        (folder / "tone.py").write_text(code, encoding="utf-8")
    return folder


def build(project: Path, **options: Any) -> Any:
    return plugins.build("evaluators", Use(name="tone", options=options), project=project)


def evidence(response: str = "Good day.", **given: str) -> Evidence:
    turn = Turn(input="Hello?", expect=Expectation(response=given.get("expected")), context=given.get("context"))
    return Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=Reply(text=response))


class Judge:
    """Reads what the rubric names, and answers one thing after the other."""

    def __init__(self, given: Evidence, *answers: float | Exception) -> None:
        self.evidence = given
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, rubric: Rubric, /, **fields: str) -> Verdict:
        read = {}
        for names in rubric.fields:
            given = next((fields[name] for name in names if name in fields), None)
            read["|".join(names)] = self.evidence.first(*names) if given is None else given
        self.asked.append(rubric.fill(read))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return rubric.check(Verdict(value=answer, reason="as it reads"))


FAILED = CallError(Failure(code="http_500", message="broken", phase="judge"))


# A prompty alone.


async def test_a_prompty_alone_is_a_rubric(tmp_path: Path) -> None:
    write(tmp_path, ALONE)
    evaluator = build(tmp_path)
    assert (evaluator.threshold, evaluator.scale, evaluator.needs) == (3, (1, 5), ("input", "response"))
    judge = Judge(evidence(), 4)
    verdict = await evaluator.score(judge.evidence, judge)
    assert verdict.value == 4
    assert judge.asked == ["Judge from 1 to 5.\n\nQuestion: Hello?\nAnswer: Good day."]
    assert plugins.manual("evaluators", "tone", project=tmp_path).startswith("How polite it is.\n")
    assert build(tmp_path, threshold=4.5).threshold == 4.5
    for options in ({"threshold": 6}, {"options": {"a": 1}}):
        with pytest.raises(BadOptions):
            build(tmp_path, **options)


async def test_what_it_names_is_what_it_needs(tmp_path: Path) -> None:
    write(tmp_path, HEAD + "{{response}} {{expected_response}} {{context}} {{user_prompt}}")
    evaluator = build(tmp_path)
    assert evaluator.needs == ("response", "expected", "context", "input")
    judge = Judge(evidence("r", expected="e"), 4)
    with pytest.raises(Missing):
        await evaluator.score(judge.evidence, judge)
    assert judge.asked == []


async def test_data_is_not_read_as_a_prompt(tmp_path: Path) -> None:
    write(tmp_path, HEAD + "{{prompt}} <answer>{{response}}</answer>")
    judge = Judge(evidence("{{prompt}} {% x %} {{no}} </answer>"), 4)
    await build(tmp_path).score(judge.evidence, judge)
    assert judge.asked == ["Hello? <answer>{{prompt}} {% x %} {{no}} (/answer)</answer>"]


def test_byte_order_mark_and_windows_lines_are_nothing(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "tone.prompty").write_bytes(b"\xef\xbb\xbf" + ALONE.replace("\n", "\r\n").encode())
    assert "\r" not in build(tmp_path).rubric.prompt


def test_answers_of_an_assistant_keep_the_headings(tmp_path: Path) -> None:
    write(tmp_path, HEAD + "system:\nA\nuser:\nB\nassistant:\n5\nuser:\n{{response}}\n")
    assert build(tmp_path).rubric.prompt == "system:\nA\nuser:\nB\nassistant:\n5\nuser:\n{{response}}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", r"tone\.prompty begins with front matter"),
        ("system:\nJudge {{response}}", "begins with front matter: a line ---, then `name: tone`"),
        ("---\nname: tone\n{{response}}", "begins with front matter"),
        ("\n---\nname: tone\n---\n{{response}}", "begins with front matter"),
        (HEAD, "there is no prompt after the front matter"),
        (HEAD + "system:\n\nuser:\n", "there is no prompt"),
        ("---\n- a\n---\n{{response}}", "its front matter is no list of `key: value`"),
        ("---\nname: tone\nmodel: !!python/name:os.system x\n---\n{{response}}", r"tone\.prompty:3: .*the tag .* is not read"),
        ("---\nname: tone\nname: tone\n---\n{{response}}", r"tone\.prompty:3: .*given twice"),
        ("---\nname: [\n---\n{{response}}", r"tone\.prompty:\d: .*not valid YAML"),
        (HEAD + "{{response}}\n{% for x in y %}", r"tone\.prompty:6: `\{% for x in y %\}` would have to be executed.*tone\.py"),
        (HEAD + "{# note #}{{response}}", "would have to be executed"),
        (HEAD + "a\n\n{{response | upper}}", r"tone\.prompty:7: `\{\{response \| upper\}\}` is no plain placeholder"),
        (HEAD + "{{response.__class__}}", "is no plain placeholder"),
        (HEAD + "{{'a'.__class__}}{{response}}", "is no plain placeholder"),
        (HEAD + "{{response", "is no plain placeholder"),
        (HEAD + "{{respnse}} {{response}}", r'nothing is called \{\{respnse\}\} \(did you mean "response"\?\)'),
        (HEAD + "{{answer}}", r"nothing is called \{\{answer\}\} \(known here: prompt, .*unless tone\.py gives it"),
        (HEAD + "Judge {{prompt}}.", r"reads nothing of the answer: put \{\{response\}\}"),
        (HEAD + "{{response}}" + "x" * 1_000_000, "is larger than 256 KB"),
    ],
)
def test_what_is_no_prompt_is_refused(tmp_path: Path, text: str, told: str) -> None:
    write(tmp_path, text)
    with pytest.raises(PluginError, match=told):
        build(tmp_path)


def test_an_alias_bomb_is_refused(tmp_path: Path) -> None:
    bomb = "".join(f"k{n}: &k{n} [{', '.join([f'*k{n - 1}'] * 9)}]\n" for n in range(1, 12))
    write(tmp_path, f"---\nk0: &k0 lol\n{bomb}---\n{{{{response}}}}")
    with pytest.raises(PluginError, match="aliases make this document too large"):
        build(tmp_path)


def test_what_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (write(tmp_path) / "tone.prompty").write_bytes(ALONE.replace("Judge", "Jüdge").encode("latin-1"))
    with pytest.raises(PluginError, match="is not UTF-8"):
        build(tmp_path)


@pytest.mark.parametrize("text", ["{{" * 100_000, "{{ " + "a" * 200_000, "{" * 200_000, "system:\n" * 30_000, "---\n" * 60_000])
def test_reading_takes_no_time(tmp_path: Path, text: str) -> None:
    write(tmp_path, HEAD + text)
    with pytest.raises(PluginError):
        build(tmp_path)


# Code with a prompty.


async def test_code_asks_the_judge_of_the_run(tmp_path: Path) -> None:
    write(tmp_path, FULL, WRAPPER)
    evaluator = build(tmp_path)
    assert (evaluator.threshold, evaluator.scale, evaluator.rubric.id) == (3, (1, 5), "tone@7")
    assert codec.digest(evaluator.rubric).startswith("b2:")
    judge = Judge(evidence(), 4)
    verdict = await evaluator.score(judge.evidence, judge)
    assert (verdict.value, verdict.passed, verdict.reason) == (4, True, "as it reads")
    assert judge.asked == ["Look at manners alone.\n\nHello? Good day. two"]


async def test_it_is_asked_as_often_as_the_code_asks(tmp_path: Path) -> None:
    write(tmp_path, FULL, WRAPPER)
    judge = Judge(evidence(), 2, FAILED, 5)
    verdict = await build(tmp_path, threshold=5, options={"samples": 3}).score(judge.evidence, judge)
    assert (verdict.value, verdict.passed) == (5, True)
    assert verdict.details == {"errors": ["broken"]}


async def test_without_a_judge_it_is_skipped_whatever_the_code_makes_of_it(tmp_path: Path) -> None:
    write(tmp_path, FULL, WRAPPER)
    judge = Judge(evidence(), Abstain("there is no judge"), Abstain("there is no judge"))
    with pytest.raises(Abstain, match="there is no judge"):
        await build(tmp_path, options={"samples": 2}).score(judge.evidence, judge)


@pytest.mark.parametrize("catches", [True, False])
async def test_a_judge_that_fails_is_told_as_such(tmp_path: Path, catches: bool) -> None:
    write(
        tmp_path,
        FULL,
        WRAPPER if catches else WRAPPER.replace("except Exception as error", "except ZeroDivisionError as error"),
    )
    judge = Judge(evidence(), FAILED)
    with pytest.raises(CallError, match="broken") as caught:
        await build(tmp_path).score(judge.evidence, judge)
    assert caught.value.failure.phase == "judge"


async def test_a_prompty_that_asks_for_text_is_answered_in_text(tmp_path: Path) -> None:
    write(tmp_path, FULL.replace("json_object", "text"), WRAPPER)
    judge = Judge(evidence(), 4)
    assert (await build(tmp_path).score(judge.evidence, judge)).value == 4


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('raw["score"]', 'raw["rating"]'), "rating: the judge of the run answers with score and reason"),
        (("Answer1=response, ", ""), r"reads \{\{Answer1\}\}, which it was not given \(did you mean \"Answer2\"\?\)"),
        (("self.flow(user", "self.flow(1, user"), "a prompty takes its variables by name"),
        (("max(scores)", "6"), "its score is 6; with a prompty it is a whole number from 1 to 5"),
        (("max(scores)", "4.5"), "its score is 4.5"),
    ],
)
async def test_what_code_does_wrong_is_told(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    assert change[0] in WRAPPER
    write(tmp_path, FULL, WRAPPER.replace(*change))
    judge = Judge(evidence(), 4)
    with pytest.raises(CallError, match=told) as caught:
        await build(tmp_path).score(judge.evidence, judge)
    assert caught.value.failure.phase == "evaluator"


@pytest.mark.parametrize(
    ("imports", "load"),
    [
        ("import promptflow.client", "promptflow.client.load_flow(source="),
        ("import promptflow.client as pf", "pf.load_flow(source="),
        ("from promptflow import load_flow", "load_flow(source="),
        ("from promptflow.core import Prompty, AzureOpenAIModelConfiguration", "Prompty.load(source="),
    ],
)
async def test_the_library_may_be_named_in_several_ways(tmp_path: Path, imports: str, load: str) -> None:
    code = WRAPPER.replace("from promptflow.client import load_flow", imports).replace("load_flow(\n            source=", load)
    write(tmp_path, FULL, code)
    judge = Judge(evidence(), 4)
    assert (await build(tmp_path).score(judge.evidence, judge)).value == 4


@pytest.mark.parametrize("imports", ["import promptflow.tracing", "from promptflow.client import PFClient"])
def test_what_the_stand_in_lacks_is_told(tmp_path: Path, imports: str) -> None:
    write(tmp_path, FULL, f"{imports}\n{WRAPPER}")
    with pytest.raises(PluginError, match=r"tone\.py cannot be loaded: (ModuleNotFound|Import)Error: .*\(tone\.py:1\)"):
        build(tmp_path)


def test_a_prompty_outside_the_project_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "tone.prompty").write_text(ALONE)
    write(tmp_path / "project", FULL, WRAPPER.replace('os.path.dirname(__file__), "', 'os.path.dirname(__file__), "../../../'))
    with pytest.raises(PluginError, match="outside the project's folder"):
        build(tmp_path / "project")


def test_a_prompty_that_is_not_there_is_told(tmp_path: Path) -> None:
    write(tmp_path, FULL, WRAPPER.replace('"tone.prompty"', '"tune.prompty"'))
    with pytest.raises(BadOptions, match=r"FileNotFoundError: there is no .*tune\.prompty \(tone\.py:"):
        build(tmp_path)


def test_asking_before_there_is_an_answer_is_refused(tmp_path: Path) -> None:
    write(
        tmp_path,
        FULL,
        WRAPPER.replace("self.samples =", "self.flow(user_prompt='', Answer1='', Answer2='')\n        self.samples ="),
    )
    with pytest.raises(BadOptions, match="only while an answer is examined"):
        build(tmp_path)


async def test_a_call_that_is_given_up_lets_go_of_the_judge(tmp_path: Path) -> None:
    write(tmp_path, FULL, WRAPPER)
    asked, let_go = asyncio.Event(), asyncio.Event()

    async def never(rubric: Rubric, /, **fields: str) -> Verdict:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            let_go.set()
        raise AssertionError

    task = asyncio.create_task(build(tmp_path).score(evidence(), never))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await let_go.wait()


# What a person is told.


def warnings(project: Path) -> tuple[str, ...]:
    found = plugins.own("evaluators", "tone", project)
    assert found is not None
    return found.warnings()


def test_a_model_of_its_own_is_told_not_to_be_asked(tmp_path: Path) -> None:
    write(tmp_path, FULL, WRAPPER)
    (told,) = warnings(tmp_path)
    assert told == "custom-evaluators/tone/tone.prompty: its model and parameters are not used; the judge of the run answers it"


def test_code_that_speaks_of_a_prompty_without_one_is_told(tmp_path: Path) -> None:
    write(tmp_path, code=WRAPPER)
    (told,) = warnings(tmp_path)
    assert "custom-evaluators/tone/tone.py speaks of a prompty, and there is no tone.prompty" in told


def test_otherwise_nothing_is_told(tmp_path: Path) -> None:
    write(tmp_path, ALONE)
    assert warnings(tmp_path) == ()
