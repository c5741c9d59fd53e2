"""Files a run is written to: whole or not at all, and no one of them at another's cost."""

from __future__ import annotations

import json
import os
import stat
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from vivavoce.core.errors import UsageError
from vivavoce.core.kept import keep
from vivavoce.core.model import Case, File, Header, Plan, Selection, Use
from vivavoce.core.result import Result, Run, Summary
from vivavoce.run.outputs import Outputs, choose

HEADER = Header(digest="", selection=Selection(), files=(File(path="evals.json", sha256="0"),), version="")
PLAN = Plan(header=HEADER, trials=(), count=2)
RESULTS = tuple(Result(suite="s", case=name, status="pass", position=position) for position, name in enumerate("ab"))


def run(results=RESULTS):
    return Run(id="1", started="", finished=None, state="running", header=HEADER, summary=Summary(), results=results)


class Broken:
    """Results that cannot be read to their end."""

    def __iter__(self):
        yield RESULTS[0]
        raise OSError(5, "disk on fire")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_output_that_fails_leaves_what_was_there_and_the_others_are_written(folder):
    (folder / "out.json").write_text("before")
    outputs = Outputs(choose(["out.json", "other.csv"]))
    with pytest.raises(UsageError, match=r"--output out\.json: cannot be written: disk on fire") as raised:
        outputs.write(run(Broken()))
    assert "viva show 1 --output" in str(raised.value)
    assert sorted(os.listdir()) == ["out.json"]
    assert (folder / "out.json").read_text() == "before"

    (folder / "full").mkdir()
    outputs = Outputs(choose(["full/out.json", "other.csv"]))
    (folder / "full").rmdir()
    with pytest.raises(UsageError, match=r"full/out\.json"):
        outputs.write(run())
    assert (folder / "other.csv").read_text().count("\n") >= 2


def test_a_link_is_followed_and_stays(folder):
    (folder / "real.json").write_text("before")
    (folder / "link.json").symlink_to("real.json")
    Outputs(choose(["link.json"])).write(run())
    assert (folder / "link.json").is_symlink()
    assert json.loads((folder / "real.json").read_text())["id"] == "1"


def test_two_names_of_one_file_are_one_place(folder):
    (folder / "real.json").write_text("before")
    (folder / "link.json").symlink_to("real.json")
    with pytest.raises(UsageError, match="both go to"):
        choose(["real.json", "link.json"])


def test_a_device_is_written_to_and_not_replaced():
    Outputs(choose(["json:/dev/null", "csv:/dev/null"])).write(run())
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_pipe_is_written_to(folder):
    os.mkfifo("pipe")
    reading = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    Outputs(choose(["json:pipe"])).write(run())
    assert json.loads(os.read(reading, 65536))["id"] == "1"
    os.close(reading)
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


def test_lines_come_while_results_do_and_are_put_in_order(folder):
    outputs = Outputs(choose(["out.jsonl"]))
    outputs.began(PLAN, 0)
    written = []
    for result in reversed(RESULTS):
        outputs.kept([keep(result, Case(id="any"))])
        written.append([json.loads(line)["case"] for line in (folder / "out.jsonl").read_text().splitlines()])
    assert written == [["b"], ["b", "a"]]
    outputs.finished(run())
    outputs.write(run())
    assert [json.loads(line)["case"] for line in (folder / "out.jsonl").read_text().splitlines()] == ["a", "b"]


def test_a_resumed_run_streams_what_it_has_first(folder):
    outputs = Outputs(choose(["out.jsonl"]), RESULTS[:1])
    outputs.began(PLAN, 1)
    outputs.kept([keep(RESULTS[1], Case(id="any"))])
    outputs.finished(run())
    assert [json.loads(line)["case"] for line in (folder / "out.jsonl").read_text().splitlines()] == ["a", "b"]


def test_a_stream_that_breaks_does_not_end_the_run(folder):
    if not os.path.exists("/dev/full"):
        pytest.fail("this test needs /dev/full")
    outputs = Outputs(choose(["jsonl:/dev/full", "out.jsonl"]))
    outputs.began(PLAN, 0)
    for result in RESULTS:
        outputs.kept([keep(result, Case(id="any"))])
    outputs.finished(run())
    assert len((folder / "out.jsonl").read_text().splitlines()) == 2
    with pytest.raises(UsageError, match="No space left"):
        outputs.write(run())


@pytest.mark.parametrize("spec", ["json:evals.json", "json:./evals.json"])
def test_a_dataset_is_not_written_over(spec):
    with pytest.raises(UsageError, match=r"would write over the dataset evals\.json"):
        Outputs(choose([spec])).spare(PLAN)


@pytest.mark.parametrize(
    "spec", ["json:agent.py", "json:linked.py", "json:hard.py", "json:v.db", "json:v.db-wal", "json:own.py"]
)
def test_nothing_that_a_run_is_made_of_is_written_over(folder, spec):
    (folder / "agent.py").write_text("")
    (folder / "linked.py").symlink_to("agent.py")
    os.link(folder / "agent.py", folder / "hard.py")
    (folder / "own.py").write_text("")
    module = ModuleType("own")
    module.__file__ = str(folder / "own.py")
    sys.modules["own"] = module
    made = replace(PLAN.header.selection, target=Use(name="command", options={"argv": "python agent.py -v"}))
    plan = replace(PLAN, header=replace(PLAN.header, selection=made))
    store = [(Path("v.db"), "the store"), (Path("v.db-wal"), "the store")]
    try:
        with pytest.raises(UsageError, match="would write over"):
            Outputs(choose([spec])).spare(plan, store)
        Outputs(choose(["json:other.json"])).spare(plan, store)
    finally:
        del sys.modules["own"]


def test_outputs_stay_where_they_were_though_the_folder_changes(folder, monkeypatch):
    outputs = Outputs(choose(["out.json", "out.jsonl"]))
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    outputs.began(PLAN, 0)
    outputs.kept([keep(RESULTS[0], Case(id="any"))])
    outputs.finished(run())
    outputs.write(run())
    assert {path.name for path in folder.iterdir()} >= {"out.json", "out.jsonl"}
    assert not list((folder / "elsewhere").iterdir())


def test_whatever_a_result_holds_can_be_written(folder):
    odd = (Result(suite="s", case="\ud800 é \u2028", status="pass"),)
    Outputs(choose(["out.json", "out.csv", "out.jsonl", "console:out.txt"])).write(run(odd))
    assert json.loads((folder / "out.json").read_text(encoding="utf-8"))["results"][0]["status"] == "pass"
