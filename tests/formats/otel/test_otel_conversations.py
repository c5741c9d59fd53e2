"""Which spans are one conversation, and which are one turn of it."""

from __future__ import annotations

import random

from conftest_spans import agent, answers, calls, chat, span, text, tool


def names(case):
    return [[call.name for call in turn.reply.tool_calls] for turn in case.turns]


def test_tools_stand_by_start_then_by_span_id_in_whatever_order_they_are_written(held):
    spans = [
        tool("c3", 30, "third", parent="b1"),
        tool("c2", 20, "second", parent="b1"),
        tool("c5", 40, "fifth", parent="b1"),
        tool("c4", 40, "fourth", parent="b1"),
        agent("b1", 10, "hi", "hello"),
    ]
    (case,) = held(*spans)
    assert names(case) == [["second", "third", "fourth", "fifth"]]
    for seed in range(20):
        random.Random(seed).shuffle(spans)
        assert held(*spans) == [case]


def test_the_same_span_counts_once(held):
    spans = [agent("b1", 10, "hi", "hello"), tool("c1", 20, "look", parent="b1")]
    assert held(*spans, *reversed(spans)) == held(*spans)


def test_a_span_that_tells_something_else_the_second_time_is_warned_of(read):
    spans = [agent("b1", 10, "hi", "hello"), agent("b1", 10, "hi", "goodbye")]
    (case,), problems, (warning,) = read(spans)
    assert (case.turns[0].reply.text, problems) == ("hello", [])
    assert warning == (
        "t.jsonl:2: the span b1 of the trace a1 is given twice, and tells something else the second time (the first counts)"
    )


def test_a_span_written_before_it_ended_counts_as_it_ended(read):
    spans = [agent("b1", 10, "hi"), agent("b1", 10, "hi", "hello", end=20)]
    for each in (spans, spans[::-1]):
        (case,), problems, warnings = read(each)
        assert (case.turns[0].reply.text, problems, warnings) == ("hello", [], [])


def test_spans_of_one_id_in_two_traces_are_two(held):
    cases = held(agent("b1", 10, "hi", "one"), agent("b1", 20, "hi", "two", trace="a2"))
    assert [case.id for case in cases] == ["a1", "a2"]


def test_a_conversation_goes_before_a_session(held):
    tags = {"gen_ai__conversation__id": "talk", "session__id": "browser"}
    (case,) = held(agent("b1", 10, "hi", "hello", **tags), agent("b2", 20, "and?", "so", trace="a2", **tags))
    assert (case.id, [turn.input for turn in case.turns]) == ("talk", ["hi", "and?"])


def test_untagged_spans_inherit_and_spans_tagged_otherwise_are_left_out(held):
    first, second = held(
        agent("b1", 10, "hi", "hello", session__id="one"),
        tool("c1", 20, "untagged", parent="b1"),
        tool("c2", 30, "tagged", parent="b1", session__id="one"),
        tool("c3", 40, "foreign", parent="b1", session__id="two"),
        tool("c4", 50, "below-foreign", parent="c3"),
        tool("c5", 60, "lost", parent="nobody"),
    )
    assert (first.id, names(first)) == ("one", [["untagged", "tagged", "lost"]])
    assert (second.id, names(second)) == ("two", [["foreign", "below-foreign"]])


def test_without_any_tag_a_trace_is_a_conversation(held):
    cases = held(agent("b2", 30, "b", "B", trace="a2"), agent("b1", 10, "a", "A"), agent("b3", 20, "a2", "A2"))
    assert [(case.id, [turn.input for turn in case.turns]) for case in cases] == [("a1", ["a", "a2"]), ("a2", ["b"])]


def test_what_no_agent_did_is_left_out_and_told(read):
    web = [span(f"b{n}", n, trace=f"f{n}", http__route="/health") for n in range(1, 6)]
    cases, problems, (warning,) = read([*web, agent("b9", 90, "hi", "hello")])
    assert [case.id for case in cases] == ["a1"]
    assert problems == []
    assert warning == ("t.jsonl: left out are spans in which no agent, model or tool is at work: f1, f2, f3 and 2 more")


def test_an_outermost_agent_is_a_turn_and_agents_within_it_are_not(held):
    (case,) = held(
        agent("b1", 10, "plan", "planned"),
        agent("b2", 20, "inner", "inner answer", parent="b1"),
        tool("c1", 30, "look", parent="b2"),
        span("b3", 40, http__route="/"),
        agent("b4", 50, "next", "done", parent="b3"),
    )
    assert [(turn.input, turn.reply.text) for turn in case.turns] == [("plan", "planned"), ("next", "done")]
    assert names(case) == [["look"], []]


def test_parents_in_a_circle_are_no_end(held):
    (case,) = held(agent("b1", 10, "hi", "hello", parent="c1"), tool("c1", 20, "look", parent="b1"))
    assert names(case) == [["look"]]


def test_agents_whose_parents_go_round_in_a_circle_are_one_turn(held):
    (case,) = held(agent("b1", 10, "hi", "hello", parent="b2"), agent("b2", 20, "hi", "inner", parent="b1"))
    assert len(case.turns) == 1


def test_a_long_line_of_parents_is_followed_once(held):
    deep = [span(f"{at:x}", 10 + at, parent=f"{at - 1:x}") for at in range(2, 20_001)]
    leaves = [tool(f"{at:x}", at, f"t{at % 2}", parent=f"{20_000:x}") for at in range(20_001, 25_001)]
    (case,) = held(agent("1", 10, "hi", "hello"), *deep, *leaves)
    assert [len(each) for each in names(case)] == [5_000]


def test_a_session_of_many_traces_has_the_tools_of_each_where_they_were_called(held):
    tag = {"session__id": "s"}
    turns = [agent("b1", at * 10, f"ask {at}", "done", trace=f"{at:x}", **tag) for at in range(1, 5_001)]
    strays = [tool("c1", at * 10 + 5, f"t{at}", trace=f"{at:x}", **tag) for at in range(1, 5_001)]
    (case,) = held(*turns, *strays)
    assert names(case) == [[f"t{at}"] for at in range(1, 5_001)]


def test_a_trace_of_many_conversations_is_taken_apart_once(held):
    said = [agent(f"b{at:x}", at * 10, f"ask {at}", "done", session__id=f"s{at}") for at in range(1_000)]
    below = [tool(f"c{at:x}", at * 10 + 5, f"t{at}", parent=f"b{at:x}") for at in range(1_000)]
    cases = held(*said, *below, span("f", 5, http__route="/"))
    assert [case.id for case in cases] == [f"s{at}" for at in range(1_000)]
    assert [names(case) for case in cases] == [[[f"t{at}"]] for at in range(1_000)]


def test_calls_of_models_are_a_turn_until_the_user_says_something_new(held):
    asked = [text("user", "When?")]
    again = [*asked, calls("1", "clock", {}), answers("1", {"hour": 9})]
    more = [*again, text("assistant", "At nine."), text("user", "Really?")]
    (case,) = held(
        chat("c1", 10, asked, [calls("1", "clock", {})]),
        tool("d1", 15, "clock"),
        chat("c2", 20, again, [text("assistant", "At nine.")]),
        chat("c3", 30, more, [text("assistant", "Yes.")]),
        tool("d2", 35, "check"),
    )
    assert [(turn.input, turn.reply.text) for turn in case.turns] == [("When?", "At nine."), ("Really?", "Yes.")]
    assert names(case) == [["clock"], ["check"]]


def test_a_model_called_with_another_prompt_is_no_new_turn(held):
    (case,) = held(
        chat("c1", 10, [text("user", "Is this rude: hi")], [text("assistant", "no")]),
        chat("c2", 20, [text("user", "hi")], [text("assistant", "hello")]),
    )
    assert [turn.reply.text for turn in case.turns] == ["hello"]


def test_tools_of_another_trace_belong_to_the_turn_before_them(held):
    tag = {"session__id": "s"}
    (case,) = held(
        tool("c0", 5, "early", trace="a9", **tag),
        agent("b1", 10, "one", "1", **tag),
        tool("c1", 20, "gateway", trace="a8", **tag),
        agent("b2", 30, "two", "2", trace="a2", **tag),
        tool("c2", 40, "gateway", trace="a8", **tag),
    )
    assert names(case) == [["early", "gateway"], ["gateway"]]


def test_tools_alone_are_one_turn_of_which_no_more_is_known(held):
    (case,) = held(tool("c2", 20, "b"), tool("c1", 10, "a"))
    (turn,) = case.turns
    assert (turn.input, turn.reply.text, names(case)) == (None, None, [["a", "b"]])


def test_every_damaged_record_is_a_problem_at_its_line(read):
    good = agent("b1", 10, "hi", "hello")
    records = [good, {**good, "traceId": ""}, {"resourceSpans": [{"scopeSpans": [{"spans": [{**good, "spanId": 1}]}]}]}]
    cases, problems, _ = read(records)
    assert len(cases) == 1
    assert problems == [
        "t.jsonl:2: traceId: must be an id, and is none",
        "t.jsonl:3: resourceSpans[0].scopeSpans[0].spans[0].spanId: must be text",
    ]


def test_messages_that_are_no_json_are_wrong_unless_lenient(read):
    record = span("b1", 10, gen_ai__operation__name="invoke_agent", gen_ai__output__messages='[{"role": "assi')
    told = "t.jsonl:1: attributes: gen_ai.output.messages is no JSON list of messages"
    assert read([record])[1:] == ([told], [])
    cases, problems, warnings = read([record], lenient=True)
    assert (len(cases), problems, warnings) == (1, [], [told])
