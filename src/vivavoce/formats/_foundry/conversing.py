"""The interaction a row holds, in whichever of its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from vivavoce.core.place import join
from vivavoce.core.reply import JSON, Message, Reply
from vivavoce.formats._foundry.messages import Transcript
from vivavoce.formats._foundry.saying import Say, shown, text_of

Value = Callable[[str], JSON]
"""What stands in a standard column."""
PAIR = "query"
"""The form of a row that has its question and its answer apart."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """What was said, split at the last thing the user said."""

    form: str
    """The column it stands in."""
    history: tuple[Message, ...] = ()
    input: JSON = None
    reply: Reply | None = None
    speaks_of_tools: bool = False
    context: str | None = None
    """What the messages themselves say it must be grounded in."""
    truth: str | None = None
    """What the messages themselves say is expected."""


def converse(value: Value, say: Say) -> Conversation:
    """The interaction of a row; two columns that hold one must agree."""
    found = [
        make(value, say)
        for column, make in (("messages", _messages), ("conversation", _conversation))
        if value(column) is not None
    ]
    if any(value(column) is not None for column in ("query", "response", "actions")) or not found:
        pair = _pair(value, say)
        if not found:
            return pair
        if not _agree(found[0], pair, value):
            fix = "keep one of the two"
            say(f'"{found[0].form}" and "query" or "response" say different things', found[0].form, fix)
    if len(found) > 1 and replace(found[1], form="", context=None, truth=None) != replace(found[0], form=""):
        say('"messages" and "conversation" say different things', "messages", "keep one of the two")
    return found[0]


def _agree(whole: Conversation, pair: Conversation, value: Value) -> bool:
    """Whether a row that has both forms says one thing by them."""
    if value("query") is not None and (pair.input != whole.input or pair.history not in ((), whole.history)):
        return False
    if value("response") is None:
        return True
    return whole.reply is not None and pair.reply is not None and pair.reply.text == whole.reply.text


def _messages(value: Value, say: Say) -> Conversation:
    return _whole(value("messages"), "messages", "messages", value, say)


def _conversation(value: Value, say: Say) -> Conversation:
    """The older form: messages within an object, of which each may say what is expected and on what it must stand."""
    given = value("conversation")
    messages = given.get("messages") if isinstance(given, Mapping) else given
    made = _whole(messages, "conversation", join("conversation", "messages"), value, say)
    told = [each for each in messages if isinstance(each, Mapping)] if isinstance(messages, list) else []
    last = next((at for at in range(len(told) - 1, -1, -1) if told[at].get("role") == "user"), 0)
    beside = given.get("context") if isinstance(given, Mapping) else None
    contexts = [each["context"] for each in told[last:] if each.get("context") is not None] or [beside]
    truths = [each["ground_truth"] for each in told[last:] if each.get("ground_truth") is not None] or [None]
    return replace(made, context=text_of(contexts[-1]), truth=text_of(truths[-1]))


def _whole(messages: JSON, form: str, path: str, value: Value, say: Say) -> Conversation:
    transcript = Transcript(say)
    transcript.add(messages, path)
    if isinstance(messages, list) and not transcript.asks:
        say("holds no message of the user", path, 'add {"role": "user", "content": ...}')
    return _split(transcript, form, value)


def _pair(value: Value, say: Say) -> Conversation:
    """Question and answer apart; either may be text or messages."""
    transcript = Transcript(say)
    query, response = value("query"), value("response")
    if isinstance(query, list):
        transcript.add(query, "query")
        if not transcript.asks:
            say("holds no message of the user", "query", 'add {"role": "user", "content": ...}')
    elif isinstance(query, str) and query.strip():
        transcript.ask(query)
    elif query is not None:
        say("must not be empty" if query == "" or isinstance(query, str) else _not_said(query), "query")
    actions = value("actions") if response is None else None
    if isinstance(response, list) or actions is not None:
        transcript.add(response if actions is None else actions, "response" if actions is None else "actions")
    elif isinstance(response, Mapping):
        transcript.add([response], "response") if "role" in response else say(_not_said(response), "response")
    elif response is not None:
        transcript.answer(text_of(response) or "")
    made = _split(transcript, PAIR, value)
    if response is not None and value("actions") is not None and made.reply is not None:
        acted = Transcript(say)
        acted.add(value("actions"), "actions")
        made = replace(made, reply=replace(made.reply, tool_calls=acted.calls()), speaks_of_tools=True)
    return made


def _split(transcript: Transcript, form: str, value: Value) -> Conversation:
    if any(value(column) is not None for column in ("tool_definitions", "actions", "expected_actions")):
        transcript.speaks_of_tools = True
    made = transcript.split()
    return Conversation(
        form=form,
        history=made.history,
        input=made.input,
        reply=made.reply,
        speaks_of_tools=transcript.speaks_of_tools,
    )


def _not_said(value: JSON) -> str:
    return f"must be text, or a list of messages, not {shown(value)}"
