"""DocumentRetrieval."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import CallError, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Turn
from vivavoce.core.reply import Reply
from vivavoce.core.result import Verdict
from vivavoce.evaluators.documents import DocumentRetrieval

LABELS = {"1": 4, "2": 2, "3": 3, "4": 1, "5": 0}


def told(returned: Any, labels: Any) -> Evidence:
    columns = {"retrieved_documents": returned, "retrieval_ground_truth": labels}
    turn = Turn(input="find")
    case = Case(id="c", turns=(turn,), metadata={name: each for name, each in columns.items() if each is not None})
    return Evidence(case=case, turn=turn, reply=Reply(text="found"))


def score(returned: Any, labels: Any = None, **options: Any) -> Verdict:
    """Returned documents, best first or with their scores; labels by document."""
    pairs = list(returned.items()) if isinstance(returned, dict) else [(name, -place) for place, name in enumerate(returned)]
    documents = [{"document_id": name, "relevance_score": each} for name, each in pairs]
    known = LABELS if labels is None else labels
    truth = [{"document_id": name, "query_relevance_label": each} for name, each in known.items()]
    return DocumentRetrieval(**options).score(told(documents, truth))


def test_the_vendors_numbers() -> None:
    verdict = score("26357")
    assert verdict.passed is False
    assert {name: round(each, 6) for name, each in verdict.details.items()} == {
        "ndcg@3": 0.310759,
        "xdcg@3": 39.285714,
        "fidelity": 0.392857,
        "top1_relevance": 2,
        "top3_max_relevance": 3,
        "holes": 2,
        "holes_ratio": 0.4,
        "total_retrieved_documents": 5,
        "total_ground_truth_documents": 5,
    }
    assert verdict.value == verdict.details["ndcg@3"]
    assert verdict.reason == (
        "NDCG@3 0.31, 0.5 is needed: the first documents, with their labels, are "
        '"2" (2), "6" (no label), "3" (3); the best label is 4; 2 documents without a label'
    )


def test_the_best_order_is_the_best() -> None:
    verdict = score("13245")
    assert (verdict.value, verdict.details["fidelity"], verdict.passed) == (1, 1, True)
    assert score("1", {"1": 4, "2": 4, "3": 4}).details["xdcg@3"] == pytest.approx(100 / 1.96)


def test_scores_decide_the_order_and_of_equal_ones_the_place() -> None:
    assert score({"5": 0.1, "1": 0.9}).details["top1_relevance"] == 4
    assert score({"5": 0.5, "1": 0.5}).details["top1_relevance"] == 0


def test_of_a_document_that_is_returned_twice_the_last_score_counts() -> None:
    documents = [{"document_id": name, "relevance_score": each} for name, each in (("1", 9), ("3", 5), ("1", 1))]
    truth = [{"document_id": name, "query_relevance_label": each} for name, each in LABELS.items()]
    details = DocumentRetrieval().score(told(documents, truth)).details
    assert (details["top1_relevance"], details["total_retrieved_documents"]) == (3, 3)


def test_nothing_returned_is_all_zero_and_fails() -> None:
    verdict = score("", threshold=0)
    assert verdict.passed is False
    assert set(verdict.details.values()) == {0, 5}
    assert "no document was returned" in verdict.reason


def test_nothing_relevant_gains_nothing() -> None:
    verdict = score("1", {"1": 0})
    assert (verdict.value, verdict.details["fidelity"], verdict.passed) == (0, 0, False)
    assert "no document is labelled as relevant" in verdict.reason


def test_ids_are_compared_as_text() -> None:
    documents = [{"document_id": 1, "relevance_score": 1}]
    assert DocumentRetrieval().score(told(documents, [{"document_id": "1", "query_relevance_label": 4}])).value == 1


@pytest.mark.parametrize(
    ("options", "passed", "words"),
    [
        ({"threshold": 0.3}, True, "0.3 is needed"),
        ({"ndcg_threshold": 0.3}, True, "0.3 is needed"),
        ({"threshold": 0, "xdcg_threshold": 50}, False, "xdcg@3 is 39.2857, 50 is needed"),
        ({"threshold": 0, "fidelity_threshold": 0.3}, True, "0 is needed"),
        ({"threshold": 0, "top1_relevance_threshold": 3}, False, "top1_relevance is 2, 3 is needed"),
        ({"threshold": 0, "holes_threshold": 0}, False, "holes is 2, at most 0 is allowed"),
        ({"threshold": 0, "holes_ratio_threshold": 0.4}, True, "2 documents without a label"),
        ({"threshold": 0, "total_retrieved_documents_threshold": 50}, False, "50 is needed"),
    ],
)
def test_other_thresholds_count_when_they_are_given(options: dict[str, float], passed: bool, words: str) -> None:
    verdict = score("26357", **options)
    assert verdict.passed is passed
    assert words in verdict.reason


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"top1_relevance_threshold": 50}, "top1_relevance_threshold is 50; it lies between 0 and 4"),
        ({"threshold": 2}, "threshold is 2"),
        ({"ndcg_threshold": -1}, "threshold is -1"),
        ({"k": 0}, "k is 0"),
        ({"ground_truth_label_max": 0}, "ground_truth_label_max"),
        ({"ground_truth_label_min": 4}, "ground_truth_label_min"),
    ],
)
def test_a_threshold_that_can_never_be_met_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        DocumentRetrieval(**options)


@pytest.mark.parametrize(
    ("returned", "labels", "words"),
    [
        ([], [], "retrieval_ground_truth is empty"),
        ([], [{"document_id": "1", "query_relevance_label": 5}], "label is 5; it is a whole number from 0 to 4"),
        ([], [{"document_id": "1", "query_relevance_label": 1.0}], "label is 1.0;"),
        ([], [{"document_id": "1", "query_relevance_label": True}], "label is true;"),
        ([], [{"document_id": "1"}], "is no"),
        ([{"document_id": "1", "relevance_score": "high"}], None, 'relevance_score is "high"; it is a number'),
        ([{"document_id": None, "relevance_score": 1}], None, "document_id is"),
        (["1"], None, r"retrieved_documents\[0\] is no"),
    ],
)
def test_columns_of_no_use_are_errors(returned: Any, labels: Any, words: str) -> None:
    truth = [{"document_id": "1", "query_relevance_label": 4}] if labels is None else labels
    with pytest.raises(CallError, match=words):
        DocumentRetrieval().score(told(returned, truth))


def test_what_is_missing_is_named_and_json_text_is_read() -> None:
    truth = [{"document_id": "1", "query_relevance_label": 4}]
    with pytest.raises(Missing) as caught:
        DocumentRetrieval().score(told(None, truth))
    assert caught.value.names == ("retrieved_documents",)
    with pytest.raises(Missing):
        DocumentRetrieval().score(told("not a list", truth))
    assert DocumentRetrieval().score(told('[{"document_id": "1", "relevance_score": 1}]', truth)).value == 1


documents = st.lists(st.sampled_from("123456"), min_size=1, max_size=6, unique=True)
labelled = st.dictionaries(st.sampled_from("123456"), st.integers(0, 4), min_size=1)


def by_hand(order: Any, labels: dict[str, int]) -> float:
    """DCG@3."""
    return sum((2 ** labels.get(name, 0) - 1) / math.log(rank + 2, 2) for rank, name in enumerate(order[:3]))


@given(documents, labelled)
def test_ndcg_agrees_with_trying_every_order(returned: list[str], labels: dict[str, int]) -> None:
    best = max(by_hand(order, labels) for order in permutations(labels))
    value = score(returned, labels).value
    assert value == pytest.approx(by_hand(returned, labels) / best if best else 0)


@given(documents, labelled)
def test_every_measure_is_within_its_bounds(returned: list[str], labels: dict[str, int]) -> None:
    details = score(returned, labels).details
    assert 0 <= details["ndcg@3"] <= 1
    assert 0 <= details["xdcg@3"] <= 100
    assert 0 <= details["fidelity"] <= 1
    assert details["top1_relevance"] <= details["top3_max_relevance"] <= 4
    assert details["holes"] == len(set(returned) - set(labels))
