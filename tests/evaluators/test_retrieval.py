"""RetrievalQuery and RetrievalResult, over what an agent reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import Abstain, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Turn
from vivavoce.core.reply import Reply
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.evaluators.retrieval import RetrievalQuery, RetrievalResult


def told(*executions: Any) -> Evidence:
    return Evidence(case=Case(id="c"), turn=Turn(input="Why?"), reply=Reply(text="", retrievals=executions))


def search(*queries: str | None, capability: str | None = "Files", hits: Any = None, **more: Any) -> dict[str, Any]:
    listed = [{"queryString": query, "filterExpression": None} for query in queries]
    return {"capability": capability, "queries": listed, "retrievalHits": hits, **more}


def hit(*extracts: str, rank: int | None = None, url: str | None = "https://e/x") -> dict[str, Any]:
    return {"rank": rank, "webUrl": url, "extracts": [{"text": text} for text in extracts]}


async def nobody(rubric: Rubric, /, **fields: str) -> Verdict:
    raise Abstain(f"{rubric.name} needs a judge")


async def found(evidence: Evidence, *claims: str, ask: Any = nobody, **options: Any) -> Verdict:
    items = tuple({"retrievalExtract_contains": claim} for claim in claims) or None
    return await RetrievalResult(expected_items=items, **options).score(evidence, ask)


QUERY_CASES: list[tuple[list[Any], dict[str, Any], str]] = [
    ([search("zava deductible")], {"selector": "ZAVA"}, "pass"),
    ([search("zava deductible")], {"selector": "ZAVA", "capability": "Files"}, "pass"),
    ([search("zava", capability="Email")], {"selector": "zava", "capability": "Files"}, "no_matching_query"),
    (
        [{"capability": "Files", "queries": [{"queryString": "x", "filterExpression": "zava"}]}],
        {"selector": "zava"},
        "no_matching_query",
    ),
    ([search("zava A")], {"selector": "zava", "includes": ("a",), "excludes": ("b",)}, "pass"),
    ([search("zava")], {"selector": "zava", "includes": ("profit",)}, "required_terms_missing"),
    ([search("zava DRAFT")], {"selector": "zava", "excludes": ("draft",)}, "excluded_terms_found"),
    ([search("zava draft")], {"selector": "zava", "includes": ("q4",), "excludes": ("draft",)}, "mixed_term_failure"),
    ([search("zava q4"), search("zava profit")], {"selector": "zava", "includes": ("q4", "profit")}, "pass"),
    ([search(None)], {"selector": "zava"}, "no_matching_query"),
    ([search("other", status="Failed")], {"selector": "zava"}, "retrieval_failure"),
    ([search("other", status="failed"), search("x", status="Success")], {"selector": "zava"}, "no_matching_query"),
    ([search("zava", status="Failed")], {"selector": "zava"}, "pass"),
    ([search("zava", hits=[])], {"selector": "zava"}, "pass"),
    ([], {"selector": "zava"}, "no_matching_query"),
    ([{}], {"selector": "zava"}, "no_matching_query"),
    ([{"queries": "zava"}, {"queries": [None, 3, {"queryString": 4}]}, None], {"selector": "zava"}, "no_matching_query"),
    ([search("cafe\u0301 menu")], {"selector": "CAFÉ"}, "pass"),
]


@pytest.mark.parametrize(("executions", "options", "code"), QUERY_CASES)
def test_retrieval_query(executions: list[Any], options: dict[str, Any], code: str) -> None:
    verdict = RetrievalQuery(**options).score(told(*executions))
    assert verdict.details["diagnostic_code"] == code
    assert verdict.passed is (code == "pass")
    assert verdict.value == float(code == "pass")


def test_a_query_that_fails_names_terms_and_queries() -> None:
    evaluator = RetrievalQuery(selector="zava", includes=("Q4", "profit"), excludes=("draft",))
    verdict = evaluator.score(told(search("zava q4 draft", "something else")))
    assert verdict.details == {
        "diagnostic_code": "mixed_term_failure",
        "matched_queries": ["zava q4 draft"],
        "includes_missing": ["profit"],
        "excludes_found": ["draft"],
    }
    assert verdict.reason == 'the query lacks "profit"; the query contains "draft", which is excluded: "zava q4 draft"'


@pytest.mark.parametrize(
    ("executions", "options", "words"),
    [
        ([], {}, "the agent reports that it made no search"),
        (
            [search("x", capability="Email")],
            {"capability": "Files"},
            'no search of capability "Files" is reported; reported: "Email"',
        ),
        ([search("x")], {}, 'no query contains "zava"; searched for "x"'),
        ([search(None)], {}, 'no query contains "zava"; no query text is reported'),
        ([search("x", status="error")], {}, "(every search is reported as failed)"),
    ],
)
def test_no_matching_query_says_what_there_was(executions: list[Any], options: dict[str, Any], words: str) -> None:
    assert words in RetrievalQuery(selector="zava", **options).score(told(*executions)).reason


async def test_what_is_not_reported_is_missing_and_never_passes() -> None:
    silent = Evidence(case=Case(id="c"), turn=Turn(input="Why?"), reply=Reply(text="An answer."))
    with pytest.raises(Missing) as caught:
        RetrievalQuery(selector="x").score(silent)
    assert caught.value.names == ("retrievals",)
    with pytest.raises(Missing) as caught:
        await found(silent, min_expected_count=1)
    assert caught.value.names == ("retrievals",)


async def test_two_of_three_items() -> None:
    verdict = await found(
        told(search("q", hits=[hit("The Budget is fixed."), hit("An update", url=None)])), "budget", "UPDATE", "z"
    )
    assert verdict.value == pytest.approx(2 / 3)
    assert verdict.passed is False
    assert verdict.details == {
        "diagnostic_code": "not_retrieved",
        "results_evaluated": 2,
        "matched_items": [
            {
                "extractMatch": "budget",
                "matchedHitUrl": "https://e/x",
                "matchedHitRank": 1,
                "reason": "an extract contains it",
            },
            {"extractMatch": "UPDATE", "matchedHitUrl": None, "matchedHitRank": 2, "reason": "an extract contains it"},
        ],
        "missing_items": ["z"],
        "extract_failures": ["z"],
    }
    assert verdict.reason == '2 of 3 expected items found in 2 hits within rank 10; missing "z"'


RESULT_CASES: list[tuple[list[Any], dict[str, Any], str, float]] = [
    ([hit("a", rank=6)], {"max_rank": 5}, "not_retrieved", 0),
    ([hit("a", rank=5)], {"max_rank": 5}, "pass", 1),
    ([hit("x", rank=9), hit("a")], {"max_rank": 2}, "pass", 1),
    ([hit("x"), hit("y"), hit("a")], {"max_rank": 2}, "not_retrieved", 0),
    ([hit("a", rank=1)], {"min_expected_count": 2}, "count_below_minimum", 1),
    ([hit("a", rank=1), hit("x", rank=2)], {"min_expected_count": 2}, "pass", 1),
    ([hit("a", rank=1), hit("x", rank=11)], {"min_expected_count": 2}, "count_below_minimum", 1),
    ([], {}, "error", 0),
    ([], {"min_expected_count": 1}, "error", 0),
    ([hit()], {}, "not_retrieved", 0),
    ([None, "x", {"extracts": 3}, {"extracts": [None, {"text": 3}]}], {}, "not_retrieved", 0),
    ([{"rank": "1", "extracts": [{"text": "a"}]}], {}, "pass", 1),
]


@pytest.mark.parametrize(("hits", "options", "code", "value"), RESULT_CASES)
async def test_retrieval_result(hits: list[Any], options: dict[str, Any], code: str, value: float) -> None:
    verdict = await found(told(search("q", hits=hits)), "a", **options)
    assert verdict.details["diagnostic_code"] == code
    assert verdict.value == value
    assert verdict.passed is (code == "pass")


@pytest.mark.parametrize(("count", "passed"), [(1, True), (2, True), (3, False)])
async def test_a_count_alone(count: int, passed: bool) -> None:
    evidence = told(search("q", hits=[hit("a")]), search("r", hits=[hit("a")]))
    verdict = await found(evidence, min_expected_count=count)
    assert verdict.passed is passed
    assert verdict.value == float(passed)
    assert "of at least" in verdict.reason


async def test_only_the_capability_asked_for() -> None:
    evidence = told(search("q", capability="Email", hits=[hit("a")]), search("q", hits=[hit("b")]))
    assert (await found(evidence, "a", capability="Email")).passed
    elsewhere = await found(evidence, "a", capability="People")
    assert elsewhere.details["diagnostic_code"] == "error"
    assert elsewhere.reason == 'no search of capability "People" is reported; reported: "Email", "Files"'


async def test_nothing_reported_as_found_fails() -> None:
    verdict = await found(told(), "a")
    assert verdict.passed is False
    assert verdict.details["diagnostic_code"] == "error"
    assert (await found(told(search("q", hits=[])), "a")).reason == "1 search reported, without a hit"


async def test_a_judge_reads_every_extract_within_rank_once_an_item(reader: Callable[[Evidence], Any]) -> None:
    evidence = told(search("q", hits=[hit("The warranty is two years"), hit("unrelated"), hit("Holiday plans", rank=11)]))
    ask = reader(evidence)
    verdict = await found(evidence, "warranty of 24 months", "holiday", ask=ask, judge=True)
    assert [each["response"] for each in ask.asked] == ["warranty of 24 months", "holiday"]
    assert [each["context"] for each in ask.asked] == ["The warranty is two years\n\nunrelated"] * 2
    assert verdict.value == 0.5
    assert verdict.details["matched_items"] == [
        {
            "extractMatch": "warranty of 24 months",
            "matchedHitUrl": None,
            "matchedHitRank": None,
            "reason": "they share ['warranty']",
        }
    ]


async def test_no_judge_is_told_as_such_and_not_asked_in_vain() -> None:
    with pytest.raises(Abstain):
        await found(told(search("q", hits=[hit("a")])), "a", judge=True)
    assert not (await found(told(search("q", hits=[])), "a", judge=True)).passed


def test_the_rubric_is_known_where_a_judge_is_asked() -> None:
    rubric = RetrievalResult(min_expected_count=1, judge=True).rubric
    assert rubric is not None
    assert rubric.id == "Entailment@1"
    assert RetrievalResult(min_expected_count=1).rubric is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "give expected_items, min_expected_count or both"),
        ({"capability": "Files"}, "give expected_items"),
        ({"expected_items": ()}, "expected_items is empty"),
        ({"expected_items": ({"webUrl": "https://e"},)}, r"expected_items\[0\] has webUrl"),
        ({"expected_items": ({},)}, r"expected_items\[0\] has nothing"),
        ({"expected_items": ({"retrievalExtract_contains": " "},)}, "is blank"),
        ({"min_expected_count": 0}, "min_expected_count is 0"),
        ({"min_expected_count": 1, "max_rank": 0}, "max_rank is 0"),
        ({"min_expected_count": 1, "max_rank": 1.5}, "max_rank is 1.5"),
    ],
)
def test_options_of_retrieval_result_are_checked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RetrievalResult(**options)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"selector": " "}, "selector is blank"), ({"selector": "x", "includes": ("",)}, r"includes\[0\] is blank")],
)
def test_options_of_retrieval_query_are_checked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RetrievalQuery(**options)


terms = st.sampled_from(["alpha", "Beta", "gamma", "ALPHA beta", "delta"])
queries = st.lists(st.lists(terms, min_size=1, max_size=3).map(" ".join), max_size=4)


@given(queries, terms, st.lists(terms, max_size=2), st.lists(terms, max_size=2))
def test_retrieval_query_agrees_with_a_plain_reading(
    said: list[str], selector: str, includes: list[str], excludes: list[str]
) -> None:
    matched = [query.lower() for query in said if selector.lower() in query.lower()]
    right = (
        bool(matched)
        and all(any(term.lower() in query for query in matched) for term in includes)
        and not any(term.lower() in query for query in matched for term in excludes)
    )
    evaluator = RetrievalQuery(selector=selector, includes=tuple(includes), excludes=tuple(excludes))
    assert evaluator.score(told(search(*said))).passed is right


ranked = st.lists(st.tuples(terms, st.none() | st.integers(1, 6)), max_size=6)


@given(ranked, st.lists(terms, max_size=3), st.integers(1, 5), st.none() | st.integers(1, 4))
def test_retrieval_result_agrees_with_a_plain_reading(
    hits: list[tuple[str, int | None]], claims: list[str], last: int, least: int | None
) -> None:
    if not claims and least is None:
        return
    within = [text.lower() for place, (text, rank) in enumerate(hits, start=1) if (rank or place) <= last]
    matched = [claim for claim in claims if any(claim.lower() in text for text in within)]
    right = bool(hits) and len(matched) == len(claims) and len(within) >= (least or 0)
    evidence = told(search("q", hits=[hit(text, rank=rank) for text, rank in hits]))
    scored = found(evidence, *claims, max_rank=last, min_expected_count=least)
    with pytest.raises(StopIteration) as done:
        scored.send(None)
    verdict = done.value.value
    assert verdict.passed is right
    assert verdict.value == pytest.approx(len(matched) / len(claims) if claims else float(right))
    assert verdict.details["results_evaluated"] == len(within)
