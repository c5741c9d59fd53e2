"""What can be read only once, and names that cannot be told, on the way to a plan."""

from __future__ import annotations

import io
import os
import threading

import pytest

from vivavoce.core.errors import DatasetError
from vivavoce.core.model import Selection
from vivavoce.run.planner import plan, readings, replan

ROW = '{"input": "2 + 2?", "expected": "4", "reply": "4"}\n'


@pytest.fixture
def stdin(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ROW.encode())))


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe.json"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=('{"items": [{"prompt": "x", "response": "y"}]}',))
    writer.start()
    yield path
    writer.join()


def test_a_pipe_is_kept_and_read_again(tmp_path, pipe):
    made = plan(Selection(paths=("pipe.json",)), folder=tmp_path)
    assert [trial.suite for trial in made.trials] == ["pipe"]
    assert len(list(made.trials)) == 1
    (file,) = made.header.files
    assert file.path.startswith(".viva/stdin/")
    assert replan(made.header, folder=tmp_path).count == 1
    assert (tmp_path / ".viva" / ".gitignore").read_text() == "*\n"


def test_a_pipe_is_validated_and_nothing_stays(tmp_path, pipe):
    (found,), _ = readings(Selection(paths=("pipe.json",)), folder=tmp_path)
    assert (found.source.name, found.suite.name, found.cases) == ("pipe.json", "pipe", 1)
    assert [each.name for each in tmp_path.iterdir()] == ["pipe.json"]


def test_a_descriptor_of_a_process_is_read(tmp_path):
    reading, writing = os.pipe()
    os.write(writing, ROW.encode())
    os.close(writing)
    try:
        made = plan(Selection(paths=(f"/dev/fd/{reading}",)), folder=tmp_path)
    finally:
        os.close(reading)
    assert [trial.suite for trial in made.trials] == ["stdin"]
    assert replan(made.header, folder=tmp_path).count == 1


def test_standard_input_is_validated_and_nothing_stays(tmp_path, stdin):
    (found,), _ = readings(Selection(paths=("-",)), folder=tmp_path)
    assert (found.source.name, found.suite.name) == ("standard input", "stdin")
    assert not list(tmp_path.iterdir())


def test_where_nothing_can_be_kept_the_way_out_is_told(tmp_path, stdin):
    (tmp_path / ".viva").write_text("in the way")
    with pytest.raises(DatasetError, match=r"standard input: cannot be kept in .*name a file instead"):
        plan(Selection(paths=("-",)), folder=tmp_path)


def test_names_that_are_not_utf8_are_refused(tmp_path):
    name = os.fsdecode(b"caf\xe9.jsonl")
    (tmp_path / name).write_text(ROW)
    for path in (".", name):
        for look in (plan, readings):
            with pytest.raises(DatasetError) as caught:
                look(Selection(paths=(path,)), folder=tmp_path)
            (problem,) = caught.value.problems
            assert str(problem).endswith("caf\\xe9.jsonl: has a name that is not UTF-8 (rename it)")


def test_names_of_other_files_may_be_anything(tmp_path):
    (tmp_path / "a.jsonl").write_text(ROW)
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    made = plan(Selection(paths=(".",)), folder=tmp_path)
    assert any("caf\\xe9.txt" in warning for warning in made.warnings)


def test_a_link_to_nothing_is_no_dataset_left_out_in_silence(tmp_path):
    (tmp_path / "a.jsonl").write_text(ROW)
    (tmp_path / "b.jsonl").symlink_to("gone.jsonl")
    with pytest.raises(DatasetError, match=r"b\.jsonl: cannot be read"):
        plan(Selection(paths=(".",)), folder=tmp_path)
