"""What a turn is made of: question, answer, tools, searches, tokens and time, by each convention."""

from __future__ import annotations

import json

import pytest
from conftest_spans import agent, answers, calls, chat, span, text, tool

from vivavoce.core.reply import Fault


@pytest.fixture
def turn(held):
    """The one turn of spans."""

    def turn(*records):
        ((turn,),) = [case.turns for case in held(*records)]
        return turn

    return turn


def test_calls_in_messages_count_only_where_no_span_tells_of_tools(turn):
    asked = [text("user", "When?")]
    again = [*asked, calls("1", "clock", {"zone": "CET"}), answers("1", {"hour": 9})]
    chats = [
        chat("c1", 20, asked, [calls("1", "clock", {"zone": "CET"})], parent="b1"),
        chat("c2", 40, again, [text("assistant", "At nine.")], parent="b1"),
    ]
    (call,) = turn(agent("b1", 10, "When?"), *chats).reply.tool_calls
    assert (call.name, call.arguments, call.result, call.id) == ("clock", {"zone": "CET"}, {"hour": 9}, "1")
    spans = turn(agent("b1", 10, "When?"), *chats, tool("d1", 30, "clock", parent="b1"))
    assert [call.name for call in spans.reply.tool_calls] == ["clock"]
    assert spans.reply.text == "At nine."


def test_a_span_is_filled_in_from_the_message_of_the_same_call(turn):
    asked = [text("user", "When?")]
    (call,) = turn(
        chat("c1", 20, asked, [calls("1", "clock", {"zone": "CET"})]),
        tool("d1", 30, "clock", gen_ai__tool__call__id="1"),
        chat("c2", 40, [*asked, calls("1", "clock", {}), answers("1", "nine")], [text("assistant", "At nine.")]),
    ).reply.tool_calls
    assert (call.arguments, call.result) == ({"zone": "CET"}, "nine")


def test_calls_without_ids_are_counted_once(turn):
    asked = [text("user", "When?")]
    reply = turn(
        chat("c1", 10, asked, [calls(None, "clock", {}), calls(None, "clock", {})]),
        chat("c2", 20, [*asked, calls(None, "clock", {}), calls(None, "clock", {})], [text("assistant", "At nine.")]),
    ).reply
    assert [call.name for call in reply.tool_calls] == ["clock", "clock"]
    last_alone = turn(chat("c2", 20, [*asked, calls(None, "clock", {})], [text("assistant", "At nine.")])).reply
    assert [call.name for call in last_alone.tool_calls] == ["clock"]


def test_a_turn_without_tools_called_none_and_its_searches_are_unknown(turn):
    reply = turn(agent("b1", 10, "hi", "hello")).reply
    assert (reply.tool_calls, reply.retrievals, reply.citations) == ((), None, None)


@pytest.mark.parametrize(("told", "found"), [("retrievals", ()), (["Retrievals"], ()), ("tools", None), (3, None)])
def test_an_agent_may_say_that_every_search_has_a_span(turn, told, found):
    assert turn(agent("b1", 10, "hi", "hello", viva__reports=told)).reply.retrievals == found


@pytest.mark.parametrize(
    ("attributes", "status", "error"),
    [
        ({}, None, None),
        ({"gen_ai__tool__status": "success"}, {"code": "OK"}, None),
        ({"gen_ai__tool__status": "error"}, None, "error"),
        ({"error__type": "KeyError"}, None, "KeyError"),
        ({}, {"code": 2, "message": "no such key"}, "no such key"),
        ({}, {"code": 2}, "failed"),
    ],
)
def test_a_tool_that_failed_counts_and_says_so(turn, attributes, status, error):
    made = tool("c1", 20, "look", parent="b1", **attributes) | ({"status": status} if status else {})
    (call,) = turn(agent("b1", 10, "hi", "hello"), made).reply.tool_calls
    assert call.error == error


@pytest.mark.parametrize("kind", ["TOOL", "tool", "Tool"])
@pytest.mark.parametrize("name", ["openinference__span__kind", "traceloop__span__kind", "gen_ai__operation__name"])
def test_kinds_are_compared_in_any_case(turn, name, kind):
    kind = (
        "EXECUTE_TOOL"
        if name.startswith("gen_ai") and kind == "TOOL"
        else kind
        if not name.startswith("gen_ai")
        else "execute_tool"
    )
    made = span("c1", 20, parent="b1", tool__name="look", **{name: kind})
    assert [call.name for call in turn(agent("b1", 10, "hi", "hello"), made).reply.tool_calls] == ["look"]


def test_a_tool_without_a_name_is_called_by_its_span(turn):
    nameless = span("c1", 20, parent="b1", gen_ai__operation__name="execute_tool") | {"name": "execute_tool look"}
    assert turn(agent("b1", 10, "hi", "hello"), nameless).reply.tool_calls[0].name == "look"
    assert turn(agent("b1", 10, "hi", "hello"), nameless | {"name": ""}).reply.tool_calls[0].name == "unnamed tool"


def test_a_tool_within_itself_is_one_call_and_an_agents_own_tools_are_more(turn):
    reply = turn(
        agent("b1", 10, "hi", "hello"),
        tool("c1", 20, "look", parent="b1"),
        tool("c2", 30, "look", parent="c1"),
        tool("c3", 40, "helper", parent="b1"),
        agent("b2", 50, "q", "a", parent="c3"),
        tool("c4", 60, "helper", parent="b2"),
        tool("c5", 70, "look", parent="c3"),
    ).reply
    assert [call.name for call in reply.tool_calls] == ["look", "helper", "helper", "look"]


@pytest.mark.parametrize(
    ("given", "call"),
    [
        (
            {"gen_ai__tool__call__arguments": '{"a": 1}', "gen_ai__tool__call__result": "[1]"},
            ({"a": 1}, [1]),
        ),
        ({"gen_ai__tool__input": '{"a": 1}', "gen_ai__tool__output": "plain"}, ({"a": 1}, "plain")),
        ({"input__value": '{"a": 1}', "output__value": '{"output": "x"}'}, ({"a": 1}, "x")),
        ({"tool__parameters": '{"a": 1}'}, ({"a": 1}, None)),
        (
            {
                "traceloop__entity__input": '{"args": [], "kwargs": {"a": 1}}',
                "traceloop__entity__output": '[{"text": "{\\"b\\": 2}"}]',
            },
            ({"a": 1}, {"b": 2}),
        ),
        ({"traceloop__entity__input": '{"args": [3], "kwargs": {}}'}, ([3], None)),
        ({"traceloop__entity__input": '{"input_str": "x", "inputs": {"a": 1}, "tags": []}'}, ({"a": 1}, None)),
        ({"gen_ai__tool__call__arguments": "not json"}, ("not json", None)),
        ({"gen_ai__tool__call__arguments": {"a": 1}}, ({"a": 1}, None)),
    ],
)
def test_arguments_and_results_wherever_they_stand(turn, given, call):
    (made,) = turn(agent("b1", 10, "hi", "hello"), tool("c1", 20, "look", parent="b1", **given)).reply.tool_calls
    assert (made.arguments, made.result) == call


def test_events_of_a_tool_go_before_its_attributes(turn):
    events = [
        {"name": "gen_ai.tool.message", "attributes": {"content": '{"a": 1}', "id": "t1"}},
        {"name": "gen_ai.choice", "attributes": {"message": '[{"text": "ok"}]', "id": "t1"}},
    ]
    made = tool("c1", 20, "look", parent="b1", events=events, gen_ai__tool__call__arguments="{}")
    (call,) = turn(agent("b1", 10, "hi", "hello"), made).reply.tool_calls
    assert (call.arguments, call.result, call.id) == ({"a": 1}, "ok", "t1")


ASKED = [
    {"gen_ai__input__messages": [{"role": "user", "content": "hi"}], "gen_ai__output__messages": [text("assistant", "yo")]},
    {"input__value": "hi", "output__value": "yo"},
    {"input__value": '{"input": "hi"}', "output__value": '{"output": {"content": "yo"}}'},
    {"input__value": '{"messages": [["user", "hi"]]}', "output__value": '{"messages": [["user", "hi"], ["assistant", "yo"]]}'},
    {
        "input__value": json.dumps({"messages": [{"lc": 1, "kwargs": {"content": "hi", "type": "human"}}]}),
        "output__value": json.dumps(
            {"messages": [{"lc": 1, "kwargs": {"content": [{"type": "text", "text": "yo"}], "type": "ai"}}]}
        ),
    },
    {
        "traceloop__entity__input": '{"inputs": {"question": "hi"}}',
        "traceloop__entity__output": '{"outputs": {"answer": "yo"}}',
    },
    {"gen_ai__prompt": "hi", "gen_ai__completion": "yo"},
    {
        "gen_ai__prompt__0__role": "user",
        "gen_ai__prompt__0__content": '[{"type": "text", "text": "hi"}]',
        "gen_ai__completion__0__content": "yo",
    },
    {
        "llm__input_messages__0__message__role": "system",
        "llm__input_messages__0__message__content": "be brief",
        "llm__input_messages__1__message__role": "user",
        "llm__input_messages__1__message__contents__0__message_content__type": "text",
        "llm__input_messages__1__message__contents__0__message_content__text": "hi",
        "llm__output_messages__0__message__content": "yo",
    },
]


@pytest.mark.parametrize("given", ASKED, ids=range(len(ASKED)))
def test_question_and_answer_wherever_they_stand(turn, given):
    made = turn(span("b1", 10, **{"gen_ai__operation__name": "invoke_agent", **given}))
    assert (made.input, made.reply.text) == ("hi", "yo")


def test_question_and_answer_in_events_and_in_details(turn):
    events = [
        {"name": "gen_ai.system.message", "attributes": {"content": "be brief"}},
        {"name": "gen_ai.user.message", "attributes": {"content": '[{"text": "hi"}]'}},
        {"name": "gen_ai.choice", "attributes": {"message": '{"role": "assistant", "content": "yo"}', "index": 0}},
    ]
    made = turn(agent("b1", 10, events=events))
    assert (made.input, made.reply.text) == ("hi", "yo")
    details = {
        "gen_ai.input.messages": '[{"role": "user", "content": "hi"}]',
        "gen_ai.output.messages": [text("assistant", "yo")],
    }
    made = turn(agent("b1", 10, events=[{"name": "gen_ai.client.inference.operation.details", "attributes": details}]))
    assert (made.input, made.reply.text) == ("hi", "yo")


def test_what_a_tool_gave_back_is_not_said_by_the_user(turn):
    said = [
        text("user", "When?"),
        {"role": "user", "content": [{"toolResult": {"toolUseId": "1", "content": [{"text": "9"}]}}]},
    ]
    made = turn(chat("c1", 10, said, [{"role": "assistant", "content": [{"text": "At nine."}]}]))
    assert (made.input, made.reply.text) == ("When?", "At nine.")


def test_thoughts_are_no_answer(turn):
    parts = [{"type": "reasoning", "content": "hm"}, {"type": "text", "content": "yes"}]
    made = turn(chat("c1", 10, [text("user", "?")], [{"role": "assistant", "parts": parts}]))
    assert made.reply.text == "yes"


def test_tokens_of_every_call_of_a_model_or_else_of_the_agent(turn):
    tokens = {"gen_ai__usage__input_tokens": 10, "gen_ai__usage__output_tokens": 2}
    older = {"gen_ai__usage__prompt_tokens": 5, "llm__token_count__completion": 1}
    whole = {"gen_ai__usage__input_tokens": 99, "gen_ai__usage__output_tokens": "many"}
    chats = [span("c1", 20, parent="b1", gen_ai__operation__name="chat", **tokens)]
    chats += [span("c2", 30, parent="b1", gen_ai__operation__name="chat", **older)]
    assert turn(agent("b1", 10, "hi", "yo", **whole), *chats).reply.usage == {"input_tokens": 15, "output_tokens": 3}
    assert turn(agent("b1", 10, "hi", "yo", **whole)).reply.usage == {"input_tokens": 99}


def test_seconds_are_those_of_the_agent(turn):
    assert turn(agent("b1", 10, "hi", "yo", end=1_500_000_010)).reply.seconds == 1.5
    assert turn(agent("b1", 10, "hi", "yo")).reply.seconds is None


def test_an_agent_that_failed_without_an_answer_is_a_fault(turn):
    broken = agent("b1", 10, "hi") | {"status": {"code": 2, "message": "no model"}}
    assert turn(broken).fault == Fault(code="agent_failed", message="the agent failed: no model")
    assert turn(agent("b1", 10, "hi", "yo") | {"status": {"code": 2}}).reply.text == "yo"


def test_an_agent_that_says_nothing_of_its_answer_leaves_it_unknown(turn):
    reply = turn(agent("b1", 10, "hi")).reply
    assert (reply.text, reply.tool_calls) == (None, ())


def test_searches_with_their_documents(turn):
    found = turn(
        agent("b1", 10, "hi", "yo"),
        span(
            "c1",
            20,
            parent="b1",
            gen_ai__operation__name="retrieval",
            gen_ai__data_source__id="Handbook",
            gen_ai__retrieval__query__text="ferry",
            gen_ai__retrieval__documents=json.dumps([{"id": "d1", "content": "At six.", "score": 0.9}]),
        ),
        span("c2", 30, parent="b1", openinference__span__kind="RETRIEVER", input__value='{"query": "boat"}')
        | {"status": {"code": 2}},
        span("c3", 40, parent="b1", openinference__span__kind="RETRIEVER", output__value='{"documents": []}'),
    ).reply.retrievals
    hit = {"rank": 1, "webUrl": "d1", "extracts": [{"text": "At six."}]}
    queries = [{"queryString": "ferry"}]
    first = {"capability": "Handbook", "status": "success", "queries": queries, "totalResultCount": 1, "retrievalHits": [hit]}
    second = {"capability": "c2", "status": "error", "queries": [{"queryString": "boat"}]}
    third = {"capability": "c3", "status": "success", "queries": [], "totalResultCount": 0, "retrievalHits": []}
    assert found == (first, second, third)


def test_logs_that_stand_alone_are_a_conversation_too(held):
    record = {"traceId": "a1", "spanId": "b1", "timeUnixNano": 5, "attributes": {"session.id": "s"}}
    body = {
        "input": {"messages": [{"role": "user", "content": {"content": '[{"text": "hi"}]'}}]},
        "output": {"messages": [{"role": "assistant", "content": {"message": "yo", "finish_reason": "end_turn"}}]},
    }
    (case,) = held({**record, "body": body})
    assert (case.id, case.turns[0].input, case.turns[0].reply.text) == ("s", "hi", "yo")


def test_the_tools_an_agent_has_and_the_case_it_names(held):
    defined = json.dumps([{"name": "look", "description": "Looks."}, {"type": "function", "function": {"name": "go"}}, "stop"])
    (case,) = held(agent("b1", 10, "hi", "yo", gen_ai__tool__definitions=defined, viva__case="greeting"))
    assert case.tools == ({"name": "look", "description": "Looks."}, {"name": "go"}, {"name": "stop"})
    assert case.metadata == {"traces": ["a1"], "case": "greeting"}
