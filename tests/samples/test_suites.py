"""The sample suites use what they are meant to show, and speak of the agent as it is."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from vivavoce.samples._books import handbook

SUITES = files("vivavoce.samples").joinpath("suites")


def _turns(item: dict) -> list[dict]:
    return item.get("turns", [item])


def test_the_suite_shows_what_the_format_can(document):
    items = document["items"]
    turns = [turn for item in items for turn in _turns(item)]
    asked = {name for turn in turns for name in turn.get("evaluators", {})}
    assert document["schemaVersion"] == "1.8.0"
    assert len(items) >= 25
    assert sum("turns" in item for item in items) >= 3
    assert {"ExactMatch", "PartialMatch", "Citations", "RetrievalQuery", "RetrievalResult"} <= asked
    assert document["default_evaluators"]
    assert any(turn.get("evaluators_mode") == "replace" for turn in turns)
    options = [turn["evaluators"]["ExactMatch"] for turn in turns if "ExactMatch" in turn.get("evaluators", {})]
    assert {"case_sensitive": True} in options
    assert {"match": "contains"} in options


def test_ids_are_unique_and_every_case_has_a_category(document):
    ids = [item["testId"] for item in document["items"]]
    assert len(set(ids)) == len(ids)
    assert len({item["category"] for item in document["items"]}) >= 5


def test_some_items_are_judged_by_each_rubric_and_most_by_rule(document):
    rubrics = {"Relevance", "Coherence", "Groundedness", "Similarity"}
    asked = [rubrics & turn.get("evaluators", {}).keys() for item in document["items"] for turn in _turns(item)]
    assert set().union(*asked) == rubrics
    assert 5 <= sum(map(bool, asked)) <= len(asked) / 3
    assert not rubrics & document["default_evaluators"].keys()


def test_every_weakness_has_a_note(document):
    assert sum("weakness" in item.get("notes", "") + item.get("description", "") for item in document["items"]) >= 5


@pytest.mark.parametrize("line", SUITES.joinpath("desk.jsonl").read_text(encoding="utf-8").splitlines())
def test_each_native_line_is_a_case(line):
    case = json.loads(line)
    assert {"id", "category"} <= case.keys()
    assert ("input" in case) != ("turns" in case)


def test_the_handbook_is_small_and_whole():
    sections = handbook()
    assert 25 <= len(sections) <= 40
    assert len({each.title for each in sections}) == len(sections)
    for each in sections:
        assert each.title
        assert not each.title.startswith("#")
        assert all(sentence[-1] in ".!?" for sentence in each.sentences), each.slug
