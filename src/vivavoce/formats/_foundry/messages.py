"""Messages, in every shape they are written in, as a conversation: what was said, what was called, what came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.core.place import did_you_mean, join
from vivavoce.core.reply import JSON, Message, Object, Reply, ToolCall
from vivavoce.formats._foundry.calls import Call, call, id_of, result
from vivavoce.formats._foundry.saying import Say, shown
from vivavoce.wire import openai

ROLES = ("developer", "system", "user", "assistant", "tool")
_TEXT = ("text", "input_text", "output_text")  # tuples, as what is looked for in them may be any JSON
_PASSED_OVER = ("mcp_approval_request", "mcp_approval_response", "mcp_list_tools", "reasoning")
_ITEMS = (*_TEXT, "tool_call", "tool_result", "function_call", "function_call_output", "openapi_call")


@dataclass(frozen=True, kw_only=True, slots=True)
class Split:
    """A conversation, split at the last thing the user said."""

    history: tuple[Message, ...]
    input: JSON
    reply: Reply | None
    """What follows; `None` when nothing does."""


class Transcript:
    """A conversation, put together message by message."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._said: list[Message | Call] = []
        self.speaks_of_tools = False
        """Whether anything in it shows that calls are told; only then are none told as none."""

    def add(self, messages: JSON, path: str) -> None:
        """Messages, in order; everything wrong with them is said."""
        if not isinstance(messages, list):
            self._say(f"must be a list of messages, not {shown(messages)}", path)
            return
        for index, each in enumerate(messages):
            self._add(each, join(path, index))

    def ask(self, text: JSON) -> None:
        """Something the user said."""
        self._said.append(Message(role="user", content=text))

    def answer(self, text: str) -> None:
        """Something the agent said."""
        self._said.append(Message(role="assistant", content=text))

    def calls(self) -> tuple[ToolCall, ...]:
        """Every call there is."""
        return tuple(each.made() for each in self._said if isinstance(each, Call))

    @property
    def asks(self) -> bool:
        """Whether the user says anything."""
        return any(isinstance(each, Message) and each.role == "user" for each in self._said)

    def split(self) -> Split:
        """History, the last thing the user said, and what follows it; without a user, all of it follows."""
        users = [at for at, each in enumerate(self._said) if isinstance(each, Message) and each.role == "user"]
        last = users[-1] if users else -1
        question = self._said[last] if users else None
        return Split(
            history=tuple(_kept(each) for each in self._said[: max(last, 0)]),
            input=question.content if isinstance(question, Message) else None,
            reply=self._reply(self._said[last + 1 :]),
        )

    def _reply(self, said: Sequence[Message | Call]) -> Reply | None:
        spoken = [each.content for each in said if isinstance(each, Message) and each.role == "assistant"]
        calls = tuple(each.made() for each in said if isinstance(each, Call))
        if not spoken and not calls:
            return None
        return Reply(
            text="\n\n".join(each for each in spoken if each) if spoken else None,
            tool_calls=calls if calls or self.speaks_of_tools else None,
        )

    def _add(self, given: JSON, path: str) -> None:
        if not isinstance(given, Mapping):
            self._say(f"must be a message, not {shown(given)}", path, 'write {"role": ..., "content": ...}')
            return
        role = given.get("role")
        if role is None and isinstance(given.get("type"), str) and given["type"] != "message":
            self._item(given, path, [])  # an item of the Responses API stands for itself
        elif role == "function":
            self._tool(given, path)
        elif role not in ROLES:
            fix = did_you_mean(role, ROLES) if isinstance(role, str) else f'give it "role", one of {", ".join(ROLES)}'
            self._say(f"is a message of the role {shown(role)}", join(path, "role"), fix)
        elif role == "tool":
            self._tool(given, path)
        elif role == "assistant":
            self._assistant(given, path)
        else:
            content = given.get("content")
            said = self._text(content, join(path, "content"))
            self._said.append(Message(role=role, content=said if said is not None else content))

    def _text(self, content: JSON, path: str) -> str | None:
        """The text of what was said to the agent; `None` when there is more to it than text."""
        if isinstance(content, str):
            return content
        if not isinstance(content, list) or not content:
            self._say(f"must be text, or a list of items, not {shown(content)}", path)
            return ""
        texts: list[str] = []
        for index, item in enumerate(content):
            if isinstance(item, str):
                texts.append(item)
            elif isinstance(item, Mapping) and item.get("type") in _TEXT and isinstance(item.get("text"), str):
                texts.append(item["text"])
            elif not isinstance(item, Mapping) or not isinstance(item.get("type"), str) or item["type"] in _TEXT:
                self._say("must be an item of content", join(path, index), 'such as {"type": "text", "text": "..."}')
            else:
                return None
        return "\n".join(texts)

    def _assistant(self, given: Object, path: str) -> None:
        content, at = given.get("content"), join(path, "content")
        called = given.get("tool_calls")
        if called is not None and not isinstance(called, list):
            self._say(f"must be a list of tool calls, not {shown(called)}", join(path, "tool_calls"))
        texts: list[str] = []
        before = len(self._said)
        if isinstance(content, str):
            texts.append(content)
        elif isinstance(content, list):
            for index, item in enumerate(content):
                if isinstance(item, Mapping):
                    self._item(item, join(at, index), texts)
                else:
                    self._say(f"must be an item of content, not {shown(item)}", join(at, index))
        elif content is not None:
            self._say(f"must be text, or a list of items, not {shown(content)}", at)
        if isinstance(given.get("function_call"), Mapping):
            called = [{"function": given["function_call"]}]
        for index, each in enumerate(called if isinstance(called, list) else ()):
            if isinstance(each, Mapping):
                self._call(each, join(path, "tool_calls", index))
            else:
                self._say(f"must be a tool call, not {shown(each)}", join(path, "tool_calls", index))
        if isinstance(given.get("refusal"), str) and not texts:
            texts.append(given["refusal"])
        if texts:
            self._said.insert(before, Message(role="assistant", content="\n".join(texts)))

    def _item(self, item: Object, path: str, texts: list[str]) -> None:
        """An item of what the agent said or did."""
        kind = item.get("type")
        if kind in _TEXT or kind == "refusal":
            text = item.get("text", item.get("refusal"))
            if isinstance(text, str):
                texts.append(text)
            else:
                self._say(f"must be text, not {shown(text)}", join(path, "text"))
        elif kind in _PASSED_OVER:
            self.speaks_of_tools = True
        elif kind == "tool_result" or (isinstance(kind, str) and kind.endswith("_output")):
            self._give(id_of(item), result(item), path)
        elif isinstance(kind, str) and kind.endswith("_call"):
            self._call(item, path)
        else:
            fix = did_you_mean(kind, _ITEMS) if isinstance(kind, str) else 'give it "type"'
            self._say(f"is content of the kind {shown(kind)}", join(path, "type"), fix)

    def _call(self, given: Object, path: str) -> None:
        self.speaks_of_tools = True
        made = call(given, path, self._say)
        if made is not None:
            self._said.append(made)
            own = given.get("output", given.get("result"))
            if own is not None and made.id is None:
                made.result, made.answered = own, True

    def _tool(self, given: Object, path: str) -> None:
        """A message of what tools gave back, as items or as text."""
        content, number = given.get("content"), id_of(given)
        items = content if isinstance(content, list) else []
        results = [each for each in items if isinstance(each, Mapping) and each.get("type") not in (*_TEXT, *_PASSED_OVER)]
        if items and all(isinstance(each, Mapping) and each.get("type") in _PASSED_OVER for each in items):
            self.speaks_of_tools = True
        elif results:
            for index, each in enumerate(results):
                self._give(id_of(each) or number, result(each), join(path, "content", index))
        else:
            self._give(number, openai.result(openai.text_of(content) if items else content), path)

    def _give(self, number: str | None, value: JSON, path: str) -> None:
        """Pair a result with its call: by id, or without one with the first call that waits."""
        self.speaks_of_tools = True
        made = [each for each in self._said if isinstance(each, Call)]
        waiting = [each for each in made if not each.answered and (number is None or each.id == number)]
        if waiting:
            waiting[0].result, waiting[0].answered = value, True
        else:
            known = any(each.id == number for each in made)
            whose = f'the call "{number}" has one already' if known else f'no call before it has the id "{number}"'
            whose = "no call waits for it" if number is None else whose
            self._say(f"is the result of no call: {whose}", path, warning=True)


def _kept(said: Message | Call) -> Message:
    """Part of a history; a call with its result as a message of the tool's."""
    if isinstance(said, Message):
        return said
    return Message(role="tool", content={"name": said.name, "arguments": said.arguments, "result": said.result})
