"""A run as a scored document."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import pytest

from vivavoce.core.model import Case, Check, Expectation, File, Header, Persona, Selection, Turn, Use
from vivavoce.core.reply import Citation, Reply, ToolCall
from vivavoce.core.result import Exchange, Fault, Result, Run, Score, Summary
from vivavoce.formats.m365 import M365

OURS = "dev.vivavoce"
NOT_SENT = Fault(code="not_sent", message="not sent: an earlier turn of this conversation failed")


def score(evaluator: str, status: str, value: float | None = None, **fields: object) -> Score:
    return Score(
        name=fields.pop("name", evaluator), evaluator=evaluator, status=status, value=value, reason="because", **fields
    )


PASS = score("Relevance", "pass", 5.0, threshold=3.0)
FAIL = score("Coherence", "fail", 2.0, threshold=3.0)
ERROR = score("Similarity", "error", threshold=3.0)
SKIP = score("Groundedness", "skip", threshold=3.0)


def answered(*scores: Score, **fields: object) -> Exchange:
    return Exchange(input="Is there a lift?", reply=Reply(text="Yes.", **fields), scores=scores)


def failed(*scores: Score) -> Exchange:
    return Exchange(input="Is there a lift?", error=Fault(code="http_403", message="403 Forbidden"), scores=scores)


SKIPPED = Exchange(input="Is there a lift?", error=NOT_SENT)


def result(*turns: Exchange, case: str = "#0", status: str = "pass", **fields: object) -> Result:
    return Result(suite="ferries", case=case, turns=turns, status=status, **fields)


def of(each: Result) -> Case:
    turns = tuple(Turn(input=exchange.input, checks=(Check(evaluator="Relevance", origin="file"),)) for exchange in each.turns)
    return Case(id=each.case, turns=turns)


@pytest.fixture
def report(read, strict):
    """The scored document of results, found good by the vendor's rules and read back."""

    def reporting(*results: Result, cases: Sequence[Case] | None = None, files: int = 1, repeat: int = 1) -> dict:
        named = tuple(
            File(path=f"ferries{n}.json", sha256="", format="m365", suite="ferries", metadata={"description": "Piers"})
            for n in range(files)
        )
        selection = Selection(target=Use(name="m365", options={"agent": "T_ferry"}), repeat=repeat)
        run = Run(
            id="r1",
            started="2026-03-01T08:00:00Z",
            finished="2026-03-01T08:01:00Z",
            state="complete",
            header=Header(digest="d", selection=selection, files=named, version="0.1.0"),
            summary=Summary(),
            results=results,
            cases=[of(each) for each in results] if cases is None else cases,
        )
        out = io.StringIO()
        M365().report(run, out)
        document = json.loads(out.getvalue())
        assert strict(document) == []
        again = read(document)
        assert again.errors == []
        assert len(again.cases) == len(results)
        return document

    return reporting


def test_it_says_what_was_run_when(report):
    document = report(result(answered(PASS)))
    assert document["schemaVersion"] == "1.8.0"
    assert document["metadata"] == {
        "name": "ferries",
        "description": "Piers",
        "agentName": "m365",
        "agentId": "T_ferry",
        "evaluatedAt": "2026-03-01T08:01:00Z",
        "cliVersion": "0.1.0",
        "extensions": {OURS: {"run": "r1", "state": "complete"}},
    }
    assert document["default_evaluators"] == {"Relevance": {}}


def test_an_item_has_answer_and_scores(report):
    reply = {
        "citations": (Citation(index=1, text="Lift"),),
        "retrievals": ({"capability": "Email", "queries": [], "retrievalHits": []},),
    }
    (item,) = report(result(answered(PASS, **reply)))["items"]
    assert item["response"] == "Yes."
    assert item["citations"] == [{"index": 1, "text": "Lift"}]
    assert item["diagnostics"] == {"retrieval_executions": [{"capability": "Email", "queries": [], "retrievalHits": []}]}
    assert item["scores"] == {"relevance": {"score": 5, "threshold": 3, "result": "pass", "reason": "because"}}
    assert item["status"] == "pass"
    assert item["extensions"] == {OURS: {"status": "pass"}}


@pytest.mark.parametrize(
    ("given", "key", "entry"),
    [
        (score("ExactMatch", "fail", 0.0), "exactMatch", {"match": False, "result": "fail", "reason": "because"}),
        (
            score("PartialMatch", "pass", 0.75, threshold=0.5),
            "partialMatch",
            {"score": 0.75, "threshold": 0.5, "result": "pass", "reason": "because"},
        ),
        (
            score("Citations", "fail", 1.0, threshold=2, details={"citation_format": "mixed", "citations": ["[1]"]}),
            "citations",
            {"count": 1, "result": "fail", "threshold": 2, "format": "mixed"},
        ),
        (
            score("RetrievalQuery", "fail", 0.0, details={"diagnostic_code": "no_matching_query", "matched_queries": []}),
            "retrievalQuery",
            {"score": 0, "result": "fail", "threshold": 1, "diagnostic_code": "no_matching_query", "matched_queries": []},
        ),
        (
            score("RetrievalResult", "fail", 2 / 3, details={"diagnostic_code": "not_retrieved", "missing_items": ["x"]}),
            "retrievalResult",
            {"score": 2 / 3, "result": "fail", "threshold": 1, "diagnostic_code": "not_retrieved", "missing_items": ["x"]},
        ),
        (score("Similarity", "error"), "similarity", {"result": "error", "error": "because"}),
        (
            score("F1Score", "pass", 0.5, threshold=0.5),
            "F1Score",
            {"score": 0.5, "threshold": 0.5, "result": "pass", "reason": "because"},
        ),
        (
            score("ExactMatch", "pass", 1.0, name="strictly so"),
            "strictly_so",
            {"score": 1, "result": "pass", "reason": "because"},
        ),
        (
            score("foundry.groundedness", "pass", 4.0),
            "foundry_groundedness",
            {"score": 4, "result": "pass", "reason": "because"},
        ),
        (score("ToolUse", "pass", 1.0, call=2), "ToolUse_2", {"score": 1, "result": "pass", "reason": "because"}),
    ],
)
def test_scores_have_the_vendors_shapes(given, key, entry, report):
    (item,) = report(result(answered(given)))["items"]
    assert item["scores"] == {key: entry}


def test_two_scores_of_one_name_are_both_there(report):
    (item,) = report(result(answered(PASS, PASS)))["items"]
    assert len(item["scores"]) == 2


def test_skips_and_reasons_without_a_place_are_kept_apart(report):
    (item,) = report(result(answered(SKIP, score("Citations", "pass", 1.0))))["items"]
    assert list(item["scores"]) == ["citations"]
    assert item["extensions"][OURS] == {
        "status": "pass",
        "skipped": {"Groundedness": "because"},
        "reasons": {"Citations": "because"},
    }


@pytest.mark.parametrize(
    ("scores", "status", "message"),
    [
        ([PASS], "pass", None),
        ([PASS, FAIL], "fail", None),
        ([FAIL, ERROR], "partial", "Agent response obtained. 1 of 2 evaluators failed to run."),
        ([ERROR, score("Relevance", "error")], "partial", "Agent response obtained. 2 of 2 evaluators failed to run."),
        ([SKIP], None, None),
        ([], None, None),
    ],
)
def test_the_status_of_an_answered_item(scores, status, message, report):
    (item,) = report(result(answered(*scores)))["items"]
    assert item.get("status") == status
    assert item.get("error") == (message and {"code": "evaluatorsFailed", "message": message})


def test_no_answer_is_an_error_without_scores(report):
    (item,) = report(result(failed(ERROR), status="error"))["items"]
    assert (item["status"], item["scores"]) == ("error", {})
    assert item["error"] == {"code": "agentRequestFailed", "message": "403 Forbidden"}
    assert "response" not in item


@pytest.mark.parametrize(
    ("turns", "overall", "counts"),
    [
        ([answered(PASS), answered(FAIL), answered(PASS)], "fail", (2, 1, 0, 0)),
        ([answered(PASS), answered(PASS, ERROR), answered(FAIL)], "partial", (1, 1, 1, 0)),
        ([answered(PASS), failed(ERROR), SKIPPED], "error", (1, 0, 0, 2)),
        ([answered(PASS), answered()], "pass", (2, 0, 0, 0)),
    ],
)
def test_the_summary_of_a_conversation(turns, overall, counts, report):
    (item,) = report(result(*turns))["items"]
    names = ("turns_passed", "turns_failed", "turns_partial", "turns_errored")
    summary = item["summary"]
    assert (summary["overall_status"], tuple(summary[name] for name in names)) == (overall, counts)
    assert summary["turns_total"] == sum(counts) == len(turns)
    if turns[-1] is SKIPPED:
        assert item["turns"][2]["error"] == {"code": "turnSkipped", "message": NOT_SENT.message}


def test_scores_of_the_whole_conversation_count(report):
    (item,) = report(result(answered(PASS), answered(PASS), scores=(score("GoalSuccessRate", "fail", 0.0),)))["items"]
    assert item["summary"]["overall_status"] == "fail"
    assert item["extensions"][OURS]["scores"]["GoalSuccessRate"]["result"] == "fail"
    (item,) = report(result(answered(PASS), scores=(score("GoalSuccessRate", "fail", 0.0),)))["items"]
    assert (item["status"], set(item["scores"])) == ("fail", {"relevance", "GoalSuccessRate"})


def test_each_repeat_is_an_item_with_an_id_of_its_own(report, read):
    results = [result(answered(PASS), case=case, repeat=repeat) for case in ("#0", "x") for repeat in range(3)]
    document = report(*results, repeat=3)
    assert [case.id for case in read(document).cases] == ["#0", "#0~1", "#0~2", "x", "x~1", "x~2"]
    assert document["items"][5]["extensions"][OURS]["case"] == "x"
    assert document["items"][5]["extensions"][OURS]["repeat"] == 2


def test_suites_are_told_apart(report, read):
    first = result(answered(PASS))
    second = Result(suite="trams", case="#0", turns=(answered(PASS),), status="pass")
    document = report(first, second, files=2)
    assert [case.id for case in read(document).cases] == ["ferries/#0", "trams/#0"]
    assert "name" not in document["metadata"]


def test_parts_of_an_answer_without_a_field_are_kept(report):
    (item,) = report(
        result(answered(PASS, tool_calls=(ToolCall(name="search"),), usage={"input_tokens": 3}, citations=(Citation(index=0),)))
    )["items"]
    kept = item["extensions"][OURS]["reply"]
    assert kept["tool_calls"][0]["name"] == "search"
    assert (kept["usage"], kept["citations"]) == ({"input_tokens": 3}, [{"index": 0}])
    assert "citations" not in item


def test_a_simulated_conversation_is_written_as_it_was_held(report):
    persona = Persona(context="a tourist", goal="find the pier")
    held = result(*[answered(PASS)] * 23, stop="max_turns")
    (item,) = report(held, cases=[Case(id="#0", persona=persona)])["items"]
    assert len(item["turns"]) == 20
    assert len(item["extensions"][OURS]["later_turns"]) == 3
    (item,) = report(result(status="error", error=Fault(code="x", message="no")), cases=[Case(id="#0", persona=persona)])[
        "items"
    ]
    assert (item["prompt"], item["error"]["message"]) == ("find the pier", "no")


def test_a_turn_the_result_does_not_know_was_not_sent(report):
    case = Case(id="#0", turns=(Turn(input="a"), Turn(input="b")))
    (item,) = report(result(answered(PASS)), cases=[case])["items"]
    assert item["turns"][1]["error"]["code"] == "turnSkipped"


def test_results_are_enough_without_their_cases(report):
    given = result(answered(PASS), name="Lift", category="access", metadata={"notes": "n"})
    (item,) = report(given, cases=())["items"]
    assert item["extensions"][OURS] == {"name": "Lift", "category": "access", "notes": "n", "status": "pass"}


def test_hostile_texts_survive(report):
    text = '<script>;"\u2028\x0b\ue200cite\ue202a\ue201 🙂\n1,2'
    case = Case(id="#0", turns=(Turn(input=text, expect=Expectation(response=text)),))
    (item,) = report(result(Exchange(input=text, reply=Reply(text=text))), cases=[case])["items"]
    assert item["prompt"] == item["response"] == item["expected_response"] == text


def test_what_was_scored_can_be_replayed(report, read):
    document = report(result(answered(PASS)), result(failed(), case="#1", status="error"))
    first, second = (case.turns[0].reply for case in read(document).cases)
    assert first == Reply(text="Yes.")
    assert second is None
