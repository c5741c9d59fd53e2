"""A Python object as an agent: a function that answers, or a class whose instances each hold one conversation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any

from vivavoce.core import codec
from vivavoce.core.foreign import Border, crashed
from vivavoce.core.kinds import Session
from vivavoce.core.model import Trial
from vivavoce.core.reply import JSON, Object, Reply, Request
from vivavoce.net.failures import bad_payload
from vivavoce.targets import _answer
from vivavoce.targets._loops import Loops
from vivavoce.targets._threads import Threads

Foreign = Callable[..., Any]  # the agent's own code, of which nothing is known
_BORDER = Border(crashed)
_AWAITED = 2
"""Times that an answer is awaited: an async function may hand on the call of another."""


class Agent:
    """The target made of a Python object; `name` is what messages call it."""

    idempotent = False

    def __init__(self, made_of: object, name: str) -> None:
        if not callable(made_of):
            way_out = "; give its class, of which each conversation gets an instance" if hasattr(made_of, "send") else ""
            raise ValueError(f"{name} is neither a function nor a class, but of the type {type(made_of).__name__}{way_out}")
        self._made_of: Foreign = made_of
        self._is_class = inspect.isclass(made_of)
        self._threads = Threads()
        self._loops = Loops()
        if self._is_class:
            _check_class(made_of, name)
            self._takes_request = True
            self._is_async = _is_async(made_of.send)  # type: ignore[attr-defined] # _check_class saw that it is there
        else:
            self._takes_request = _first_parameter(made_of, name) == "request"
            self._is_async = _is_async(made_of)

    @property
    def abandons(self) -> bool:
        """Whether a call goes on after its time limit: a function that blocks cannot be stopped."""
        return not self._is_async

    def session(self, trial: Trial) -> Session:
        """A conversation of its own: with an instance of the class, or with the function, which remembers for itself."""
        if not self._is_class:
            return _Function(self, self._made_of)
        counts = callable(getattr(self._made_of, "rows", None))
        return _Counting(self, self._made_of) if counts else _Instance(self, self._made_of)

    async def close(self) -> None:
        """Let idle threads end, and the event loop of the agent."""
        self._threads.close()
        await self._loops.close()

    async def ask(self, function: Foreign, request: Request) -> Reply:
        """The answer of the agent's function, in whichever way it gives it."""
        argument = told(request) if self._takes_request else _input(request)
        if self._is_async:
            answer = await self._loops.run(lambda: _given(lambda: function(argument)))
        else:
            answer = await self.outside(function, argument)
        return _reply(answer)

    async def make(self, function: Foreign) -> JSON:
        """What a function without arguments gives: where the agent's calls run, since it may block like them."""
        if self._is_async:
            return await self._loops.run(lambda: _given(function))
        return await self.outside(lambda _: function(), None)

    async def outside(self, function: Foreign, argument: object) -> JSON:
        """What a function that may block gives, called in a thread; if that is still to be awaited, it is."""

        def call(given: object) -> JSON:
            with _BORDER:
                answer = function(given)
                return "".join(map(_chunk, answer)) if inspect.isgenerator(answer) else answer

        answer = await self._threads.run(call, argument)
        if inspect.isawaitable(answer) or inspect.isasyncgen(answer):
            return await self._loops.run(lambda: _given(lambda: answer))
        return answer


class _Function:
    """A conversation with a function."""

    def __init__(self, agent: Agent, function: Foreign) -> None:
        self._agent = agent
        self._function = function

    async def send(self, request: Request) -> Reply:
        return await self._agent.ask(self._function, request)

    async def close(self) -> None:
        return None


class _Instance:
    """A conversation with an instance of its own, made when the first turn is sent."""

    def __init__(self, agent: Agent, made_by: Foreign) -> None:
        self._agent = agent
        self._made_by = made_by
        self._instance: Any = None  # of the agent's class

    async def send(self, request: Request) -> Reply:
        if self._instance is None:
            self._instance = await self._agent.make(self._made_by)
        return await self._agent.ask(self._instance.send, request)

    async def close(self) -> None:
        instance, self._instance = self._instance, None
        if callable(getattr(instance, "close", None)):
            await self._agent.make(instance.close)


class _Counting(_Instance):
    """A conversation with an instance that also runs queries: what they give is what reference queries are held to."""

    async def rows(self, query: Object) -> tuple[Object, ...]:
        if self._instance is None:
            self._instance = await self._agent.make(self._made_by)
        found = await self._agent.make(lambda: self._instance.rows(codec.plain(query)))
        if not isinstance(found, list | tuple):
            raise bad_payload(
                f"`rows` of the agent gave a value of the type {type(found).__name__}; it must give a list of dicts"
            )
        return _answer.read({"rows": _answer.storable(found)}).rows or ()


def told(request: Request) -> dict[str, JSON]:
    """The request as the protocol has it, in fresh dicts and lists: an agent may do with it as it likes."""
    plain: dict[str, JSON] = codec.plain(request)
    plain["history"] = list(plain["history"])
    return plain


def _input(request: Request) -> JSON:
    return request.input if isinstance(request.input, str) else codec.plain(request.input)


async def _given(function: Foreign) -> JSON:
    """What the agent's function gives; if that is to be awaited, what comes of it."""
    with _BORDER:
        answer = function()
        for _ in range(_AWAITED):
            if not inspect.isawaitable(answer):
                break
            answer = await answer
        if inspect.isasyncgen(answer):
            return "".join([_chunk(each) async for each in answer])
    if inspect.iscoroutine(answer):
        answer.close()  # or it warns that it was never awaited
    return answer


def _chunk(part: object) -> str:
    if isinstance(part, str):
        return part
    raise bad_payload(f"the agent yielded a value of the type {type(part).__name__}; the parts of an answer must be text")


def _reply(answer: object) -> Reply:
    if isinstance(answer, str):
        return _answer.read(answer)
    if isinstance(answer, Mapping):
        return _answer.read(_answer.storable(answer))
    if is_dataclass(answer) and not isinstance(answer, type):
        return _from_dataclass(answer)
    if answer is None or isinstance(answer, bool | int | float | list | tuple):
        return _answer.read(answer)
    kind = type(answer).__name__
    raise bad_payload(f'the agent returned a value of the type {kind}; it must be text, or a dict with "text"')


def _from_dataclass(answer: object) -> Reply:
    """A `Reply`, or a dataclass of the same fields."""
    plain = _answer.storable(answer)
    read = _answer.read({key: value for key, value in plain.items() if key not in ("seconds", "raw")})
    if not isinstance(answer, Reply):
        return read
    from dataclasses import replace

    return replace(read, seconds=answer.seconds, raw=plain["raw"])


def _is_async(function: Foreign) -> bool:
    called = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004 # the method itself
    return any(
        check(each) for each in (function, called) for check in (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    )


def _first_parameter(function: Foreign, name: str) -> str | None:
    """The name of what a function takes; `None` when that cannot be told."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return None
    by_place = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    if not by_place and not any(each.kind is each.VAR_POSITIONAL for each in parameters):
        raise ValueError(f"{name} takes no argument; it must take the input, or the whole `request`")
    more = [each.name for each in parameters if each not in by_place[:1] and _is_required(each)]
    if more:
        raise ValueError(f"{name} asks for more than one argument: {', '.join(more)} would never be given")
    return by_place[0].name if by_place else None


def _is_required(parameter: inspect.Parameter) -> bool:
    variable = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    return parameter.default is parameter.empty and not variable


def _check_class(made_of: object, name: str) -> None:
    if not callable(getattr(made_of, "send", None)):
        raise ValueError(f"{name} is a class without `send(self, request)`, so nothing can be said to its instances")
    try:
        needed = [each.name for each in inspect.signature(made_of).parameters.values() if _is_required(each)]  # type: ignore[arg-type] # a class is callable
    except (ValueError, TypeError):
        return
    if needed:
        raise ValueError(f"{name} cannot be made without arguments: {', '.join(needed)}")
