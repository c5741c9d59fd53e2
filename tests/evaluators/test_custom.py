"""A project's own evaluators: where they are found, what is refused, and what they are as parts of a run."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core import plugins
from vivavoce.core.errors import Abstain, BadOptions, CallError, Missing, PluginError, UnknownPlugin
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn, Use
from vivavoce.core.reply import Reply
from vivavoce.core.result import Failure, Verdict
from vivavoce.core.rubric import Rubric

TERMS = """
class Terms:
    '''Whether banned terms occur.'''

    def __init__(self, *, threshold, options=None):
        self.terms = (options or {}).get("terms", [])
        if not isinstance(self.terms, list):
            raise ValueError("terms is a list")

    def __call__(self, *, response="", **_):
        found = [term for term in self.terms if term in response]
        return {"score": 0 if found else 1, "reason": f"found {found}", "found": found}
"""
BRIEF = """
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vivavoce import Evidence, Verdict


@dataclass(frozen=True, kw_only=True)
class Brief:
    '''Whether the reply is short.'''

    needs: ClassVar[tuple[str, ...]] = ("response",)
    scale: ClassVar[tuple[float, float | None]] = (0, None)

    limit: int = 2

    def score(self, evidence: Evidence) -> Verdict:
        words = len(evidence.response.split())
        return Verdict(value=words, passed=words <= self.limit, reason=f"{words} words")
"""


def write(project: Path, name: str, code: str | None = None, prompty: str | None = None) -> Path:
    folder = project / "custom-evaluators" / name
    folder.mkdir(parents=True, exist_ok=True)
    if code is not None:
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    if prompty is not None:
        (folder / f"{name}.prompty").write_text(prompty, encoding="utf-8")
    return folder


def returning(value: str) -> str:
    return f"class Given:\n    def __call__(self, **texts):\n        return {value}\n"


def build(project: Path, name: str, **options: Any) -> Any:
    return plugins.build("evaluators", Use(name=name, options=options), project=project)


def evidence(response: str | None = "a lorem answer", expected: str | None = None, context: str | None = None) -> Evidence:
    turn = Turn(input="Why?", context=context, expect=Expectation(response=expected))
    return Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=Reply(text=response))


async def nobody(rubric: Rubric, /, **fields: str) -> Verdict:
    raise Abstain("there is no judge")


async def score(project: Path, name: str, given: Evidence | None = None, **options: Any) -> Verdict:
    verdict: Verdict = await build(project, name, **options).score(given or evidence(), nobody)
    return verdict


# Where they are found.


def test_they_are_listed_beside_the_others_and_found_in_any_spelling(tmp_path: Path) -> None:
    write(tmp_path, "my_terms", TERMS)
    write(tmp_path, "__pycache__")
    (tmp_path / "custom-evaluators/notes.txt").write_text("not a folder")
    mine = set(plugins.names("evaluators", project=tmp_path)) - set(plugins.names("evaluators"))
    assert mine == {"my_terms"}
    assert plugins.known_as("evaluators", "MyTerms", project=tmp_path) == "my_terms"
    assert plugins.manual("evaluators", "my_terms", project=tmp_path) == "Whether banned terms occur."


def test_only_that_project_has_them(tmp_path: Path) -> None:
    write(tmp_path / "one", "terms", TERMS)
    for project in (None, tmp_path, tmp_path / "other"):
        with pytest.raises(UnknownPlugin):
            plugins.find("evaluators", "terms", project=project)
    assert plugins.names("reports", project=tmp_path / "one") == plugins.names("reports")


def test_an_unknown_one_is_answered_with_the_nearest_of_the_projects(tmp_path: Path) -> None:
    write(tmp_path, "professional_tone", TERMS)
    with pytest.raises(UnknownPlugin, match=r'did you mean "professional_tone"\?'):
        plugins.find("evaluators", "profesional_tone", project=tmp_path)


@pytest.mark.parametrize(
    "name", ["relevance", "EXACTMATCH", "exact_match", "Citations", "toolCallAccuracy", "RelevanceEvaluator"]
)
def test_a_name_of_vivas_own_is_refused_in_any_case(tmp_path: Path, name: str) -> None:
    write(tmp_path, name, TERMS)
    with pytest.raises(PluginError, match=rf"custom-evaluators/{name}: Viva has \w+ itself.*rename yours"):
        plugins.find("evaluators", name, project=tmp_path)


def test_two_folders_of_one_name_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "my_tone", TERMS)
    write(tmp_path, "MyTone", TERMS)
    with pytest.raises(PluginError, match=r"custom-evaluators/MyTone and custom-evaluators/my_tone have one name"):
        plugins.known_as("evaluators", "mytone", project=tmp_path)


@pytest.mark.parametrize("name", ["my-eval", "1st", "tone é", "a.b"])
def test_a_name_must_be_one_of_an_evaluator(tmp_path: Path, name: str) -> None:
    write(tmp_path, name, TERMS)
    with pytest.raises(PluginError, match="cannot be the name of an evaluator"):
        plugins.find("evaluators", name, project=tmp_path)


@pytest.mark.parametrize("name", ["../outside", "../../outside", "custom-evaluators/../../outside", "/etc", "..", ".", ""])
def test_a_name_is_never_a_path(tmp_path: Path, name: str) -> None:
    project = tmp_path / "project"
    write(project, "inside", TERMS)
    write(tmp_path, "outside", TERMS)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/outside.py").write_text("raise SystemExit('executed')")
    with pytest.raises(UnknownPlugin):
        plugins.find("evaluators", name, project=project)


@pytest.mark.parametrize("what", ["file", "folder", "root"])
def test_links_that_leave_the_project_are_refused(tmp_path: Path, what: str) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    there = write(elsewhere, "terms", "raise SystemExit('executed')")
    here = project / "custom-evaluators"
    project.mkdir()
    if what == "root":
        here.symlink_to(there.parent, target_is_directory=True)
    else:
        here.mkdir()
        if what == "folder":
            (here / "terms").symlink_to(there, target_is_directory=True)
        else:
            (here / "terms").mkdir()
            (here / "terms/terms.py").symlink_to(there / "terms.py")
    with pytest.raises(PluginError, match=r"custom-evaluators/terms/terms\.py leads out of the project's folder"):
        plugins.find("evaluators", "terms", project=project)


async def test_links_within_the_project_are_followed(tmp_path: Path) -> None:
    write(tmp_path, "terms")
    (tmp_path / "shared.py").write_text(TERMS)
    (tmp_path / "custom-evaluators/terms/terms.py").symlink_to(tmp_path / "shared.py")
    assert (await score(tmp_path, "terms", options={"terms": ["lorem"]})).value == 0


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    write(tmp_path, "tone")
    with pytest.raises(PluginError, match=r"custom-evaluators/tone has neither tone\.py nor tone\.prompty"):
        plugins.find("evaluators", "tone", project=tmp_path)


# How they are loaded.


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("x = 1\nraise KeyError('boom')", r"KeyError: 'boom' \(tone\.py:2\)"),
        ("import sys\nsys.exit(0)", r"SystemExit: 0 \(tone\.py:2\)"),
        ("def broken(:\n", r"SyntaxError: .*\(tone\.py:1\)"),
        ("import no_such_package", r"ModuleNotFoundError: No module named 'no_such_package' \(tone\.py:1\)"),
        ("\x00", "cannot be loaded"),
    ],
)
def test_what_fails_while_it_is_loaded_is_told_with_its_line(tmp_path: Path, code: str, told: str) -> None:
    write(tmp_path, "tone", code)
    with pytest.raises(PluginError, match=told):
        plugins.find("evaluators", "tone", project=tmp_path)


@pytest.mark.parametrize("code", ["", "x = 1", "def tone(): ...", "from collections import Counter", "class Tone: ..."])
def test_a_file_without_an_evaluator_is_told_what_to_write(tmp_path: Path, code: str) -> None:
    write(tmp_path, "tone", code)
    with pytest.raises(PluginError, match=r"tone\.py has no evaluator: write a class with `__call__"):
        plugins.find("evaluators", "tone", project=tmp_path)


async def test_the_first_class_that_is_an_evaluator_is_taken(tmp_path: Path) -> None:
    helper = "from enum import Enum\nclass Level(Enum):\n    LOW = 1\nclass _Base:\n    def __call__(self, **_): return 1 / 0\n"
    write(tmp_path, "tone", f"{helper}{returning('dict(score=1)')}class Later:\n    def __call__(self): ...\n")
    assert (await score(tmp_path, "tone")).passed


async def test_what_it_prints_is_kept_from_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "loud", f"print('loaded')\n{returning('print(1, 2, sep=chr(45)) or dict(score=1)')}")
    await score(tmp_path, "loud")
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.split() == ["loaded", "1-2"]


async def test_a_changed_file_is_read_anew_and_leaves_no_bytecode(tmp_path: Path) -> None:
    folder = write(tmp_path, "tone", returning("dict(score=1)"))
    assert (await score(tmp_path, "tone")).value == 1
    before = (folder / "tone.py").stat()
    write(tmp_path, "tone", returning("dict(score=2)"))
    os.utime(folder / "tone.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (await score(tmp_path, "tone")).value == 2
    assert [path.name for path in folder.iterdir()] == ["tone.py"]


async def test_two_projects_do_not_mix(tmp_path: Path) -> None:
    write(tmp_path / "a", "tone", returning("dict(score=1)"))
    write(tmp_path / "b", "tone", returning("dict(score=0)"))
    assert [(await score(tmp_path / each, "tone")).value for each in "ab"] == [1, 0]


# Classes that are called.


async def test_code_alone_may_give_any_number_and_passes_from_one(tmp_path: Path) -> None:
    write(tmp_path, "terms", TERMS)
    verdict = await score(tmp_path, "terms", options={"terms": ["lorem"]})
    assert (verdict.value, verdict.passed, verdict.reason) == (0, False, "found ['lorem']")
    assert verdict.details == {"found": ["lorem"]}
    assert (await score(tmp_path, "terms", options={"terms": ["ipsum"]})).passed
    assert (build(tmp_path, "terms").threshold, build(tmp_path, "terms").scale) == (1, (0, None))


@pytest.mark.parametrize(
    ("value", "threshold", "passed", "unit"),
    [("-3", -5, True, 1.0), ("-9", -5, False, 0.0), ("30", 40, False, 0.75), ("99.5", 40, True, 1.0), ("0", 0, True, 1.0)],
)
async def test_the_result_follows_from_score_and_threshold(
    tmp_path: Path, value: str, threshold: float, passed: bool, unit: float
) -> None:
    write(tmp_path, "any", returning(f"dict(score={value}, result='pass', threshold=-100)"))
    verdict = await score(tmp_path, "any", threshold=threshold)
    assert (verdict.value, verdict.passed, verdict.unit_value) == (float(value), passed, unit)
    assert verdict.reason == f"any gave {float(value):g}, and it takes {threshold:g} to pass"


async def test_absent_fields_arrive_as_empty_texts(tmp_path: Path) -> None:
    write(tmp_path, "echo", returning("dict(score=1, reason='|'.join(map(str, sorted(texts.items()))))"))
    told = (await score(tmp_path, "echo", evidence("yes"))).reason
    assert told == "('context', '')|('expected_response', '')|('prompt', 'Why?')|('response', 'yes')"
    told = (await score(tmp_path, "echo", evidence("", expected="e", context="c"))).reason
    assert told == "('context', 'c')|('expected_response', 'e')|('prompt', 'Why?')|('response', '')"


async def test_an_answer_that_is_not_there_is_missing(tmp_path: Path) -> None:
    write(tmp_path, "echo", returning("dict(score=1)"))
    with pytest.raises(Missing):
        await score(tmp_path, "echo", evidence(None))


async def test_a_class_takes_of_it_what_it_names(tmp_path: Path) -> None:
    write(tmp_path, "few", "class Few:\n    def __call__(self, response, prompt):\n        return dict(score=len(prompt))\n")
    assert (await score(tmp_path, "few")).value == 4


async def test_an_async_class_is_awaited(tmp_path: Path) -> None:
    code = "import asyncio\nclass Later:\n    async def __call__(self, **_):\n"
    code += "        await asyncio.sleep(0)\n        return dict(score=7)\n"
    write(tmp_path, "later", code)
    assert (await score(tmp_path, "later")).value == 7


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("None", "it returned NoneType; it returns a dict"),
        ("4", "it returned int"),
        ("{}", "it returned no score"),
        ("dict(score=None)", "its score is None, which is not a number"),
        ("dict(score='4')", "its score is '4', which is not a number"),
        ("dict(score=True)", "its score is True, which is not a number"),
        ("dict(score=float('nan'))", "its score is nan, which is not a number"),
        ("dict(score=float('inf'))", "its score is inf, which is not a number"),
        ("dict(score=10**400)", "which is not a number"),
        ("dict(error='no data')", "it says: no data"),
        ("dict(score=1, error='no data')", "it says: no data"),
        ("dict(result='error', reason='odd')", "it says: odd"),
        ("1 / 0", r"ZeroDivisionError: division by zero \(bad\.py:3\)"),
        ("exit(3)", r"SystemExit: 3 \(bad\.py:3\)"),
        ("(_ for _ in ()).throw(KeyboardInterrupt())", "KeyboardInterrupt"),
    ],
)
async def test_what_is_no_verdict_is_a_failure_of_the_evaluator(tmp_path: Path, returned: str, told: str) -> None:
    write(tmp_path, "bad", returning(returned))
    with pytest.raises(CallError, match=told) as caught:
        await score(tmp_path, "bad")
    assert caught.value.failure.phase == "evaluator"


async def test_details_that_cannot_be_written_down_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "odd", returning("dict(score=1, a=(1, 2), b=object(), judge_usage={'calls': 9}, c={'d': float('nan')})"))
    assert (await score(tmp_path, "odd")).details == {"a": [1, 2], "c": {"d": None}}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"treshold": 2}, r'unknown option "treshold" \(did you mean "threshold"\?'),
        ({"terms": []}, "what the evaluator itself takes stands under options"),
        ({"threshold": "2"}, "threshold is '2', which is not a number"),
        ({"threshold": True}, "threshold is True"),
        ({"options": [1]}, "options is "),
        ({"options": {"terms": "x"}}, r"ValueError: terms is a list \(terms\.py:8\)"),
    ],
)
def test_wrong_options_are_known_before_anything_runs(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    write(tmp_path, "terms", TERMS)
    with pytest.raises(BadOptions, match=told):
        build(tmp_path, "terms", **options)


def test_options_that_a_class_cannot_take_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "plain", returning("dict(score=1)"))
    with pytest.raises(BadOptions, match="options are given, and its class takes none"):
        build(tmp_path, "plain", options={"a": 1})


def test_the_model_is_described_by_the_vendors_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "class Tone:\n    def __init__(self, model_config, threshold):\n"
    code += "        raise ValueError(sorted(model_config.items()))\n    def __call__(self): ...\n"
    write(tmp_path, "tone", code)
    monkeypatch.setenv("AZURE_AI_OPENAI_ENDPOINT", "https://model.example")
    monkeypatch.setenv("AZURE_AI_MODEL_NAME", "mini")
    monkeypatch.delenv("AZURE_AI_API_KEY", raising=False)
    monkeypatch.delenv("AZURE_AI_API_VERSION", raising=False)
    with pytest.raises(BadOptions, match=r"\('azure_deployment', 'mini'\), \('azure_endpoint', 'https://model\.example'\)"):
        build(tmp_path, "tone")


async def test_instances_examine_one_answer_at_a_time_and_several_at_once(tmp_path: Path) -> None:
    code = """
import threading

MEET = threading.Barrier(3, timeout=30)


class Meeting:
    def __init__(self):
        self.busy = False

    def __call__(self, response, **_):
        assert not self.busy
        self.busy = True
        MEET.wait()
        self.busy = False
        return dict(score=1)
"""
    write(tmp_path, "meeting", code)
    evaluator = build(tmp_path, "meeting")
    for _ in range(2):
        verdicts = await asyncio.gather(*(evaluator.score(evidence(), nobody) for _ in range(3)))
        assert all(verdict.passed for verdict in verdicts)


async def test_one_that_blocks_is_abandoned_when_its_time_is_over(tmp_path: Path) -> None:
    code = "import time, pathlib\nclass Slow:\n    def __call__(self, response, **_):\n"
    code += "        while not pathlib.Path(response).exists():\n            time.sleep(0.01)\n        return dict(score=1)\n"
    write(tmp_path, "slow", code)
    evaluator, flag = build(tmp_path, "slow"), tmp_path / "go"
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await evaluator.score(evidence(str(flag)), nobody)
    flag.touch()
    assert (await evaluator.score(evidence(str(flag)), nobody)).passed


# Classes like those that come with Viva.


async def test_a_class_with_score_is_an_evaluator_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, "brief", BRIEF)
    evaluator = build(tmp_path, "brief", limit=5)
    assert (evaluator.needs, evaluator.levels, evaluator.scale, evaluator.threshold) == (
        ("response",),
        ("turn",),
        (0, None),
        None,
    )
    verdict = await evaluator.score(evidence(), nobody)
    assert (verdict.value, verdict.passed, verdict.reason) == (3, True, "3 words")
    assert not (await score(tmp_path, "brief", options={"limit": 1})).passed
    with pytest.raises(Missing):
        await score(tmp_path, "brief", evidence(None))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"limits": 1}, r'evaluator brief: unknown option "limits" \(did you mean "limit"\?\)'),
        ({"limit": "x"}, "evaluator brief: .*limit"),
        ({"threshold": 1}, 'unknown option "threshold"'),
    ],
)
def test_its_options_are_checked_by_its_fields(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    write(tmp_path, "brief", BRIEF)
    with pytest.raises(BadOptions, match=told):
        build(tmp_path, "brief", **options)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return 1", "Bad.score returned int; it returns a Verdict"),
        ("return {}['x']", r"KeyError: 'x' \(bad\.py:3\)"),
        ("raise SystemExit(0)", r"SystemExit: 0 \(bad\.py:3\)"),
    ],
)
@pytest.mark.parametrize("form", ["def score(self, evidence)", "async def score(self, evidence, ask)"])
async def test_its_mistakes_are_told_with_their_place(tmp_path: Path, form: str, body: str, told: str) -> None:
    write(tmp_path, "bad", f"class Bad:\n    {form}:\n        {body}\n")
    with pytest.raises(CallError, match=told) as caught:
        await score(tmp_path, "bad")
    assert caught.value.failure.phase == "evaluator"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("levels = ('sentence',)\n    def score(self, evidence): ...", "levels is"),
        ("def __init__(self): raise OSError('no disk')\n    def score(self, evidence): ...", r"OSError: no disk \(odd\.py:2\)"),
    ],
)
def test_one_that_cannot_be_made_is_refused(tmp_path: Path, code: str, told: str) -> None:
    write(tmp_path, "odd", f"class Odd:\n    {code}\n")
    with pytest.raises(BadOptions, match=told):
        build(tmp_path, "odd")


async def test_it_may_ask_the_judge(tmp_path: Path) -> None:
    code = """
from vivavoce.core.rubric import Rubric

RUBRIC = Rubric(name="Kind", version=1, measures="Whether it is kind.", scale=(1, 5), threshold=3, prompt="{{response}}")


class Kind:
    threshold = 3

    async def score(self, evidence, ask):
        return await ask(RUBRIC)
"""
    write(tmp_path, "kind", code)
    with pytest.raises(Abstain):
        await score(tmp_path, "kind")

    async def five(rubric: Rubric, /, **fields: str) -> Verdict:
        return Verdict(value=5, reason=rubric.name)

    assert (await build(tmp_path, "kind").score(evidence(), five)).reason == "Kind"


async def test_a_failing_judge_is_not_the_evaluators_mistake(tmp_path: Path) -> None:
    write(tmp_path, "kind", "class Kind:\n    async def score(self, evidence, ask):\n        return await ask(None)\n")

    async def broken(rubric: Rubric, /, **fields: str) -> Verdict:
        raise CallError(Failure(code="timeout", message="late", phase="judge"))

    with pytest.raises(CallError) as caught:
        await build(tmp_path, "kind").score(evidence(), broken)
    assert caught.value.failure.phase == "judge"
