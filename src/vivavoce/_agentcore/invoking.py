"""An agent invoker as an agent that Viva can examine."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from vivavoce._agentcore.spans import Collected
from vivavoce.core.kinds import Target
from vivavoce.core.reply import JSON
from vivavoce.net.failures import refuse_error
from vivavoce.targets import python

AgentInvokerFn: TypeAlias = Callable[["AgentInvokerInput"], JSON]
"""Says one thing to the agent; returns an `AgentInvokerOutput`, or the answer itself. May be async."""
_TEXTS = ("text", "result", "response", "output", "answer", "message", "content", "completion", "output_text")
"""Under these names agents have the text of their answer, in the order in which they are looked for."""
_ID_LONGEST = 63
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


class AgentInvokerInput(BaseModel):
    """What an invoker is told for one turn."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    payload: JSON
    """The turn's input as the dataset has it."""
    session_id: str
    """One conversation; of a shape that AgentCore's runtime takes."""


class AgentInvokerOutput(BaseModel):
    """What an invoker gives back."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    agent_output: JSON
    """The answer: text, or an object that holds it, `tool_calls` beside it."""


class Invoked:
    """The agent behind an invoker, and the sessions in which it was spoken to."""

    def __init__(
        self, invoker: AgentInvokerFn, input_type: type[BaseModel] | None = None, collected: Collected | None = None
    ) -> None:
        self.sessions: dict[str, str] = {}
        """By scenario."""
        self._invoker = invoker
        self._input_type = input_type
        self._collected = collected

    def target(self) -> Target:
        """The agent as a target.

        Raises:
            ValueError: the invoker cannot be called.
        """
        called = getattr(self._invoker, "__call__", None)  # noqa: B004 # the method itself
        if called is None:
            raise ValueError(f"agent_invoker must be a function, not {type(self._invoker).__name__}")
        waits = inspect.iscoroutinefunction(self._invoker) or inspect.iscoroutinefunction(called)
        return python.from_object(self._later if waits else self._now)

    def _now(self, request: Mapping[str, JSON]) -> JSON:
        told, since = self._told(request), datetime.now(UTC)
        output = self._invoker(told)
        if inspect.isawaitable(output):
            return self._awaited(output, told.session_id, since)
        return self._whole(output, told.session_id, since)

    async def _later(self, request: Mapping[str, JSON]) -> JSON:
        told, since = self._told(request), datetime.now(UTC)
        return await self._awaited(self._invoker(told), told.session_id, since)

    async def _awaited(self, output: Awaitable[JSON], session_id: str, since: datetime) -> JSON:
        given = await output
        if self._collected is None:
            return answer(given)
        return await asyncio.to_thread(self._whole, given, session_id, since)  # a collector may wait for spans

    def _whole(self, output: JSON, session_id: str, since: datetime) -> JSON:
        """The answer, with what spans tell of it."""
        given = answer(output)
        return given if self._collected is None else self._collected.add(given, session_id, since)

    def _told(self, request: Mapping[str, JSON]) -> AgentInvokerInput:
        payload, case = request["input"], request["case"]
        if self._input_type is not None:
            kind = self._input_type
            payload = kind.model_validate_json(payload) if isinstance(payload, str) else kind.model_validate(payload)
        session_id = self.sessions.setdefault(case, session_name(case, request["session_id"]))
        return AgentInvokerInput(payload=payload, session_id=session_id)


def session_name(scenario_id: str, unique: str) -> str:
    """A session's id that begins with the scenario's, as far as the runtime's rules let it."""
    safe = _UNSAFE.sub("-", scenario_id)[:_ID_LONGEST].strip("-_")
    return f"{safe}-{unique}" if safe else unique


def answer(output: JSON) -> JSON:
    """What an invoker gave, as agents answer in Viva: text, or an object with `text` and what else there is.

    Raises:
        CallError: it says that the agent failed, as AgentCore's runtime does.
    """
    given = getattr(output, "agent_output", output)
    if isinstance(given, BaseModel):
        given = given.model_dump(mode="json")
    if isinstance(given, bytes):
        given = given.decode(errors="replace")
    if given is None or isinstance(given, str):
        return given
    if not isinstance(given, Mapping | list | tuple | int | float):
        return str(given)  # as the results of agents' libraries tell their text
    refuse_error(given)
    if not isinstance(given, Mapping):
        return _text(given) or json.dumps(given, ensure_ascii=False, default=str)
    told: dict[str, JSON] = {"text": _text(given) or json.dumps(given, ensure_ascii=False, default=str)}
    calls = given.get("tool_calls")
    if isinstance(calls, list):
        told["tool_calls"] = [_call(each) for each in calls]
    return {**given, **told}


def _text(value: JSON) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        found = (_text(value[name]) for name in _TEXTS if name in value)
        return next((each for each in found if each is not None), None)
    if isinstance(value, list | tuple):
        parts = [_text(each) for each in value]
        texts = [each for each in parts if each is not None]
        return "\n".join(texts) if texts and len(texts) == len(parts) else None
    return None


def _call(value: JSON) -> JSON:
    """A call of a tool, out of the shapes that the usual libraries have."""
    if not isinstance(value, Mapping):
        return value
    inner = next((value[name] for name in ("function", "toolUse") if isinstance(value.get(name), Mapping)), value)
    name = inner.get("name", inner.get("tool_name"))
    arguments = next((inner[each] for each in ("arguments", "input", "args") if each in inner), None)
    if isinstance(arguments, str):
        with suppress(ValueError):  # then it stays the text that it is
            arguments = json.loads(arguments)
    return {"name": name, "arguments": arguments, "result": inner.get("result"), "error": inner.get("error")}
