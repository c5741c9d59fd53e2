"""Whatever an agent answers, readers of its dialect give a reply, or say what is wrong with it in one known way."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from vivavoce.wire import openai, openai_chat, openai_responses

WORDS = (
    "output",
    "type",
    "message",
    "content",
    "text",
    "output_text",
    "role",
    "assistant",
    "function_call",
    "function_call_output",
    "call_id",
    "name",
    "arguments",
    "results",
    "file_search_call",
    "web_search_call",
    "action",
    "annotations",
    "url_citation",
    "refusal",
    "status",
    "completed",
    "incomplete",
    "incomplete_details",
    "reason",
    "usage",
    "input_tokens",
    "tools",
    "id",
    "object",
    "choices",
    "finish_reason",
    "tool_calls",
    "function",
    "citations",
    "error",
    "queries",
    "url",
    "title",
    "input",
)
KEYS = st.sampled_from(WORDS)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | KEYS | st.sampled_from(["", "{", '{"a": 1}', 1e300]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)
ITEMS = st.dictionaries(
    st.sampled_from(["type", "call_id", "name", "output", "arguments", "content", "results", "role"]), VALUES
)


@settings(max_examples=300)
@given(
    VALUES
    | st.builds(lambda items, more: {**more, "output": items}, st.lists(ITEMS, max_size=3), st.dictionaries(KEYS, VALUES))
)
@example({"error": True, "output": True})
def test_of_responses(payload):
    try:
        openai_responses.reply(payload)
        openai_responses.left_open(payload)
    except (ValueError, openai.Reported) as error:
        told = str(error)
        assert told


MESSAGES = st.dictionaries(
    st.sampled_from(["role", "content", "tool_calls", "refusal", "annotations", "function_call"]), VALUES
)


CHATS = st.builds(lambda message, more: {"choices": [{**more, "message": message}]}, MESSAGES, st.dictionaries(KEYS, VALUES))


@settings(max_examples=300)
@given(VALUES | CHATS, st.booleans())
def test_of_chat_completions(payload, offered):
    try:
        openai_chat.reply(payload, offered=offered)
    except (ValueError, openai.Reported) as error:
        told = str(error)
        assert told
