"""The demo holds an exam over HTTP, fails what should fail, and names commands that work."""

from __future__ import annotations

import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

import vivavoce as viva
from vivavoce.config.serving import Serving
from vivavoce.core import plugins
from vivavoce.core.errors import StoreError
from vivavoce.core.model import Use
from vivavoce.samples import demo, here


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """The demo, run once: its folder, exit code, and what it printed."""
    folder = tmp_path_factory.mktemp("demo")
    before = Path.cwd()
    os.chdir(folder)
    try:
        told = []
        exams = demo.examine(store=demo.DEFAULT_STORE, note=told.append)
        out = report(exams, demo.DEFAULT_STORE)
    finally:
        os.chdir(before)
    return folder, demo.outcome(exams), out, "\n".join(told)


def report(exams, store):
    out = io.StringIO()
    demo.report(exams, store=store, out=out, color=False)
    return out.getvalue()


@pytest.fixture
def store(held):
    """What was kept."""
    store = plugins.build("stores", Use(name="sqlite", options={"path": str(held[0] / demo.DEFAULT_STORE)}))
    try:
        yield store
    finally:
        store.close()


@pytest.fixture
def run(store):
    """The exam of the agent, as the store has it."""
    return store.run("last~2")


@pytest.fixture
def sales(store):
    """The exam of the agent that counts sales, likewise."""
    return store.run("last~1")


@pytest.fixture
def recorded(store):
    """The exam of recorded conversations, likewise."""
    return store.run("last")


def test_the_exam_is_held_and_kept(held, run):
    assert held[1] == 0
    assert run.state == "complete"
    assert run.header.selection.target.name == "http"
    assert run.summary.cases >= 25
    assert run.summary.errored == 0
    assert run.summary.passed > run.summary.failed > 0


def test_what_fails_is_what_the_notes_call_a_weakness(run, document):
    known = {
        item["testId"] for item in document["items"] if "known weakness" in item.get("notes", "") + item.get("description", "")
    }
    assert {result.case for result in run.results if result.status == "fail"} == known | {"returns-lantern"}


def test_the_second_agent_is_examined_as_a_saiku_server(sales, held):
    assert sales.state == "complete"
    assert sales.header.selection.target.name == "saiku"
    assert {file.format for file in sales.header.files} == {"saiku"}
    assert sales.summary.errored == 0
    failed = {result.case for result in sales.results if result.status == "fail"}
    assert failed == {"without-norway", "worst-region", "refuse-the-weather", "weekly-trend"}
    for case in failed:
        assert f"  {case} failed " in held[2]
    assert 'rows[0].region: expected "Southland", got "Munster"' in held[2]


def test_recorded_conversations_are_examined_without_asking_anybody(recorded, held):
    assert recorded.state == "complete"
    assert recorded.header.selection.target.name == "recorded"
    assert {file.format for file in recorded.header.files} == {"foundry"}
    assert recorded.summary.usage.agent_calls == recorded.summary.errored == 0
    assert "nobody is asked" in held[3]


def test_of_recorded_conversations_those_fail_whose_notes_say_so(recorded, held):
    failed = {result.case for result in recorded.results if result.status == "fail"}
    noted = {case.id for case in recorded.cases if "fails" in case.metadata.get("note", "")}
    assert failed == noted
    assert len(failed) == 3
    for case in failed:
        assert f"  {case} failed " in held[2]


def test_of_each_check_of_recorded_conversations_it_says_over_how_many(recorded, held):
    for name, each in recorded.summary.evaluators.items():
        assert re.search(rf"(?m)^  {name} +{each.passed} of {each.passed + each.failed} passed, mean ", held[2]), name
    assert recorded.summary.evaluators["TaskNavigationEfficiency"].failed == 2


def test_every_check_is_scored_the_judged_ones_by_the_embedded_judge(run):
    assert run.header.selection.judge.name == "local"
    for name, each in run.summary.evaluators.items():
        # Whether assertions hold the embedded judge cannot say, and it says so rather than guess.
        assert (each.passed + each.failed > 0 and each.skipped == 0) is (name != "GoalSuccessRate"), name
    (unjudged,) = [score for result in run.results for score in result.scores if score.status == "skip"]
    assert "use a judge such as" in unjudged.reason


def test_suites_of_every_format_are_examined(run, sales, recorded):
    formats = {file.format for each in (run, sales, recorded) for file in each.header.files}
    assert formats == {"m365", "native", "agentcore", "saiku", "foundry"}
    assert {result.stop for result in run.results if result.suite == "scenarios"} == {None, "goal_completed"}


def test_it_leaves_the_report_as_a_page(held):
    folder, _, out, _ = held
    (page,) = folder.rglob("demo.html")
    assert page.name in out
    assert "products-mini" in page.read_text(encoding="utf-8")


def test_it_reports_and_says_what_comes_next(held):
    _, _, out, err = held
    assert "http://127.0.0.1:" in err
    assert "products-mini" in out
    assert "rightly so" in out
    assert "\x1b" not in out
    assert [line for line in out.splitlines() if re.match("  .*viva show", line)]


@pytest.mark.timeout(300)
def test_it_ends_with_where_the_dashboard_is(held):
    *_, command, address = held[2].rstrip().splitlines()
    assert command.endswith("viva serve")
    assert address == f"  http://{Serving().host}:{Serving().port}/"


def test_the_commands_it_names_work(held):
    folder, _, out, _ = held
    codes = {}
    for command in re.findall(r"(?m)^  (.*viva .+)$", out):
        words = shlex.split(command)
        if words[1:2] in (["init"], ["serve"]) or "localhost" in command:
            continue  # these are for an agent of one's own, or go on until they are stopped
        done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=300)
        codes[command] = done.returncode
        assert any(each in done.stdout for each in ("products-mini", "price-mini", "without-norway")) or "--output" in words
    assert [code for command, code in codes.items() if " show " in command] == [0, 0, 0, 0]
    assert [code for command, code in codes.items() if " run " in command] == [1, 1, 1]
    assert "products-mini" in (folder / "report.html").read_text(encoding="utf-8")


def test_a_store_of_ones_own_is_named_in_the_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = report(demo.examine(store="my runs.db", note=lambda text: None), "my runs.db")
    assert f"  {here.viva()} show last --store 'my runs.db'\n" in out
    assert f"  {here.viva()} show last~2 --store 'my runs.db'\n" in out
    assert (tmp_path / "my runs.db").is_file()


def test_a_store_that_cannot_be_is_told_and_leaves_no_agent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    told = []
    with pytest.raises(StoreError):
        demo.examine(store="file/runs.db", note=told.append)
    _refuses(re.search(r"http://\S+", told[0])[0])


def test_the_agent_ends_with_its_parent():
    program = (
        "import time; from vivavoce.samples.demo import serving\nwith serving() as url: print(url, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().strip()
        with urllib.request.urlopen(url + "health", timeout=30) as response:
            assert response.status == 200
        process.send_signal(signal.SIGKILL)
    _refuses(url)


def _refuses(url: str) -> None:
    """Wait until nobody listens there."""
    for _ in range(200):
        try:
            urllib.request.urlopen(url + "health", timeout=5).close()
        except (urllib.error.URLError, ConnectionError):
            return
        time.sleep(0.05)
    pytest.fail(f"{url} is still served")


def test_the_same_exam_by_other_ways_comes_to_the_same(run, tmp_path):
    suites = [file.path for file in run.header.files]
    wanted = [(result.key, result.status, [turn.reply.text for turn in result.turns]) for result in run.results]
    for target in ("python:vivavoce.samples.desk:Desk", "python:vivavoce.samples.desk:answer"):
        again = viva.evaluate([tmp_path / path for path in suites], target=target, store=str(tmp_path / "runs.db"))
        assert [(each.key, each.status, [turn.reply.text for turn in each.turns]) for each in again.results] == wanted


def test_the_demo_is_replayed_with_nobody_started(held, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = demo.examine(store="a/runs.db", note=lambda _: None, record="demo.jsonl")
    monkeypatch.setattr(demo, "serving", None)
    again = demo.examine(store="b/runs.db", note=lambda _: None, replay="demo.jsonl")
    for one, other in zip(first.all, again.all, strict=True):
        assert one.header.digest == other.header.digest
        assert replace(one.summary, seconds=0) == replace(other.summary, seconds=0)
        assert [result.status for result in one.results] == [result.status for result in other.results]
