"""Recorded conversations are joined with the cases they are of, and what does not fit is said, never shifted."""

from __future__ import annotations

import json

import pytest
from conftest_spans import agent, tool

from vivavoce.core import codec
from vivavoce.core.errors import DatasetError, UsageError
from vivavoce.core.model import Selection, Suite, Use
from vivavoce.core.reply import Fault
from vivavoce.run import used
from vivavoce.run.planner import plan, readings, replan

FERRY = {"id": "ferry", "turns": [{"input": "When?", "expected": "At nine."}, {"input": "Sure?", "expected": "Yes."}]}
ASKED = (
    agent("b1", 10, "When?", "At nine.", trace="a1", session__id="ferry-77"),
    tool("c1", 15, "timetable", trace="a1", parent="b1"),
    agent("b2", 20, "Sure?", "Yes.", trace="a2", session__id="ferry-77"),
)


@pytest.fixture
def joined(tmp_path, monkeypatch):
    """A suite of cases and a file of spans, planned."""
    monkeypatch.chdir(tmp_path)

    def joined(asked, spans, **selection):
        (tmp_path / "suite.jsonl").write_text("".join(json.dumps(each) + "\n" for each in asked), encoding="utf-8")
        (tmp_path / "spans.jsonl").write_text("".join(json.dumps(each) + "\n" for each in spans), encoding="utf-8")
        return plan(Selection(paths=("suite.jsonl",), traces=("spans.jsonl",), judge=Use(name="none"), **selection))

    return joined


def replies(trial):
    return [turn.reply.text if turn.reply is not None else turn.fault for turn in trial.case.turns]


def test_a_case_has_the_answers_of_the_session_that_begins_with_its_id(joined):
    made = joined([FERRY], ASKED)
    (trial,) = made.trials
    assert replies(trial) == ["At nine.", "Yes."]
    assert [call.name for call in trial.case.turns[0].reply.tool_calls] == ["timetable"]
    assert trial.case.turns[0].reply.raw == {"conversation": "ferry-77", "traces": ["a1"]}
    assert trial.case.turns[0].expect.response == "At nine."
    assert (made.header.selection.target.name, made.warnings) == ("recorded", ())
    assert list(made.trials) == [trial]


def test_a_case_keeps_its_digest_so_that_runs_compare(joined, tmp_path):
    (trial,) = joined([FERRY], ASKED).trials
    (live,) = plan(Selection(paths=("suite.jsonl",), target=Use(name="http", options={"url": "http://x.example"}))).trials
    assert trial.digest == live.digest


@pytest.mark.parametrize(
    "tags",
    [
        {"session__id": "ferry"},
        {"gen_ai__conversation__id": "ferry-1-2"},
        {"session__id": "anything", "viva__case": "ferry"},
        {"session__id": "returns-1", "scenario_id": "ferry"},
    ],
)
def test_ways_to_be_of_a_case(joined, tags):
    spans = [agent("b1", 10, "When?", "At nine.", **tags)]
    first, second = joined([{"id": "ferry", "input": "When?"}, {"id": "returns", "input": "When?"}], spans).trials
    assert replies(first) == ["At nine."]
    assert replies(second)[0].code == "no_spans"


def test_the_longest_id_has_the_session(joined):
    spans = [agent("b1", 10, "q", "A", session__id="a-1-9"), agent("b2", 20, "q", "B", trace="a2", session__id="a-2")]
    trials = joined([{"id": "a", "input": "q"}, {"id": "a-1", "input": "q"}], spans).trials
    assert [replies(trial) for trial in trials] == [["B"], ["A"]]


def test_a_case_without_a_trace_is_an_error(joined):
    made = joined([FERRY, {"id": "gone", "input": "Hello?"}], ASKED)
    _, gone = made.trials
    (fault,) = replies(gone)
    assert fault == Fault(
        code="no_spans",
        message="no spans in the traces are of this case; a conversation is if its id is "
        '"gone" or begins with "gone-", or its attribute viva.case names it',
    )


def test_fewer_recorded_turns_are_an_error_and_never_shifted(joined):
    (trial,) = joined([FERRY], ASKED[:2]).trials
    fault, nothing = replies(trial)
    assert (fault.code, nothing) == ("turns_differ", None)
    assert fault.message.startswith("ferry-77: the case has 2 turns, the recorded conversation 1, and what its turn 2 says")


def test_a_turn_that_nobody_asked_for_is_left_out_and_told(joined):
    made = joined([FERRY], [agent("b0", 1, "ping", "pong", trace="a0", session__id="ferry-77"), *ASKED])
    (trial,) = made.trials
    assert replies(trial) == ["At nine.", "Yes."]
    assert made.warnings == ('1 recorded turn of ferry-77 pairs with none of case ferry, left out: "ping"',)


def test_traces_that_no_case_claims_are_warned_of(joined):
    others = [agent(f"e{n}", 50 + n, "x", "y", trace=f"e{n}", session__id=f"other-{n}") for n in range(5)]
    assert joined([FERRY], [*ASKED, *others]).warnings == (
        "5 recorded conversations are of no case: other-0, other-1, other-2 and 2 more",
    )
    assert joined([FERRY], [*ASKED, others[0]], cases=("ferry",)).warnings == (
        "1 recorded conversation is of no case: other-0",
    )


def test_several_sessions_of_a_case_are_its_repeats_or_an_error(joined):
    again = [
        {**each, "traceId": f"f{each['traceId']}", "attributes": {**each["attributes"], "session.id": "ferry-88"}}
        for each in ASKED
    ]
    (trial,) = joined([FERRY], [*ASKED, *again]).trials
    assert replies(trial)[0].code == "several_sessions"
    assert "--repeat 2" in replies(trial)[0].message
    trials = list(joined([FERRY], [*ASKED, *again], repeat=3).trials)
    assert [trial.case.turns[0].reply.raw["conversation"] for trial in trials[:2]] == ["ferry-77", "ferry-88"]
    assert replies(trials[2])[0].message.startswith("no spans in the traces are of this case for its repeat 2")


def test_a_simulated_case_has_the_turns_that_were_recorded(joined):
    persona = {"id": "ferry", "persona": {"context": "A guest.", "goal": "Know when."}, "assertions": ["A time is told."]}
    (trial,) = joined([persona], ASKED).trials
    assert (trial.case.is_simulated, [turn.input for turn in trial.case.turns]) == (False, ["When?", "Sure?"])
    assert trial.case.expect.assertions == ("A time is told.",)
    assert [check.evaluator for check in trial.case.turns[1].checks] == ["Relevance", "Coherence"]
    (trial,) = joined([persona], [agent("b9", 1, "x", "y", session__id="z")]).trials
    assert (trial.case.turns[0].input, replies(trial)[0].code) == ("Know when.", "no_spans")


def test_an_agent_that_failed_when_it_was_recorded_is_that_cases_error(joined):
    broken = agent("b1", 10, "Hello?", session__id="gone") | {"status": {"code": 2, "message": "no model"}}
    (trial,) = joined([{"id": "gone", "input": "Hello?"}], [broken]).trials
    assert replies(trial) == [Fault(code="agent_failed", message="the agent failed: no model")]


def test_the_traces_are_part_of_the_plan(joined, tmp_path):
    made = joined([FERRY], ASKED)
    (file,) = made.header.traces
    assert (file.path, file.format) == ("spans.jsonl", "otel")
    assert [each["path"] for each in codec.head(made.header)["files"]] == ["suite.jsonl", "spans.jsonl"]
    assert "the traces spans.jsonl" in [what for _, what in used.files(made)]
    again = replan(made.header)
    assert (again.header.digest, list(again.trials)) == (made.header.digest, list(made.trials))
    (tmp_path / "spans.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"spans.jsonl: changed since the run began"):
        replan(made.header)
    (tmp_path / "spans.jsonl").unlink()
    with pytest.raises(UsageError, match=r"spans.jsonl: is gone since the run began"):
        replan(made.header)


def test_a_folder_of_suites_may_hold_the_traces(joined):
    made = joined([FERRY], ASKED)
    whole = plan(Selection(paths=(".",), traces=("spans.jsonl",), judge=Use(name="none")))
    assert [trial.case for trial in whole.trials] == [trial.case for trial in made.trials]


def test_problems_in_traces_are_told_with_those_of_the_suite(joined):
    with pytest.raises(DatasetError) as caught:
        joined([{"id": "ferry", "inptu": "x"}], [{"traceId": "a1", "spanId": "b1"}, *ASKED])
    assert [(each.file, each.line) for each in caught.value.problems] == [("spans.jsonl", 1), ("suite.jsonl", 1)]


def test_a_conversation_in_two_files_is_refused(joined, tmp_path):
    joined([FERRY], ASKED)
    (tmp_path / "more.jsonl").write_text(json.dumps(ASKED[2]) + "\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="the conversation ferry-77 stands in another file too"):
        plan(Selection(paths=("suite.jsonl",), traces=("spans.jsonl", "more.jsonl")))


def test_an_agent_is_not_asked_as_well(joined):
    with pytest.raises(UsageError, match="--traces examines what was recorded"):
        joined([FERRY], ASKED, target=Use(name="http", options={"url": "http://x.example"}))
    assert joined([FERRY], ASKED, target=Use(name="recorded")).count == 1


def test_suites_made_in_python_are_joined_too(joined, tmp_path):
    (trial,) = joined([FERRY], ASKED).trials
    made = plan(Selection(traces=("spans.jsonl",), judge=Use(name="none")), suites=[Suite(name="made", cases=[trial.case])])
    assert [each.case for each in made.trials] == [trial.case]


def test_validate_joins_and_tells(joined):
    joined([FERRY, {"id": "gone", "input": "Hello?"}], ASKED)
    (reading,), warnings = readings(Selection(paths=("suite.jsonl",), traces=("spans.jsonl",)))
    assert (reading.cases, warnings) == (2, ())
