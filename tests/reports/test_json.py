import io
import json

import pytest
from conftest_reports import HOSTILE, empty_run, fixed_run, hostile_run, interrupted_run, repeated_run

from vivavoce.core import codec
from vivavoce.reports.json import Json
from vivavoce.reports.jsonl import Jsonl


def written(run, report=None):
    out = io.StringIO()
    (report or Json()).render(run, out)
    return out.getvalue()


def strict(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("make", [fixed_run, repeated_run, empty_run, interrupted_run])
def test_it_is_exactly_the_run_document(make):
    run = make()
    document = strict(written(run))
    assert document == json.loads(codec.encode(run.to_dict()))
    assert list(document) == list(run.to_dict())


def test_each_result_stands_on_its_own_line():
    lines = written(fixed_run()).splitlines()
    assert [json.loads(each.strip().rstrip(","))["position"] for each in lines if each.startswith('    {"suite"')] == list(
        range(11)
    )


def test_a_hostile_run_is_still_valid_and_keeps_every_text():
    document = strict(written(hostile_run()))
    texts = [result["turns"][0]["input"] for result in document["results"] if result["suite"] != "errors"]
    whole = ["".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text) for text in HOSTILE]
    assert texts == whole
    scores = [result["scores"][0] for result in document["results"] if result["scores"]]
    assert all(score["value"] is None for score in scores)


def test_the_summary_can_be_read_back():
    document = strict(written(repeated_run()))
    assert codec.read_summary(document["summary"]) == repeated_run().summary
    assert document["summary"]["stability"]["pass_at_k"] == pytest.approx(2 / 3)


def test_lines_are_the_documents_results():
    run = fixed_run()
    lines = written(run, Jsonl()).split("\n")
    assert lines.pop() == ""
    assert [strict(each) for each in lines] == strict(written(run))["results"]


def test_hostile_lines_stay_one_a_result():
    run = hostile_run()
    lines = written(run, Jsonl()).splitlines()  # which also breaks at separators that JSON need not escape
    assert len(lines) == len(list(run.results))
    assert [strict(each)["position"] for each in lines] == list(range(len(lines)))
