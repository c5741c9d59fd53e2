"""An evaluator of a project's own in the shape of those that come with Viva: a class with options and `score`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, CallError
from vivavoce.core.evidence import Evidence
from vivavoce.core.foreign import Border, crashed
from vivavoce.core.kinds import Ask
from vivavoce.core.reply import Object, ToolCall
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.evaluators._custom.threads import apart

_LEVELS = ("turn", "case", "call")


class Examining:
    """The same evaluator, its mistakes told with their place, and kept off the event loop where it may block."""

    def __init__(self, made_of: type, what: str, options: Object) -> None:
        with Border(lambda told: BadOptions(f"{what}: {told}")):
            maker: plugins.Maker = made_of if is_dataclass(made_of) else partial(made_of)
            inner: Any = plugins.make(what, maker, _flat(made_of, options))  # of a class of the project's own
            self.needs: tuple[str, ...] = tuple(getattr(inner, "needs", ()))
            self.uses: tuple[str, ...] = tuple(getattr(inner, "uses", ()))
            self.levels: tuple[str, ...] = tuple(getattr(inner, "levels", _LEVELS[:1]))
            self.scale: tuple[float, float | None] = tuple(getattr(inner, "scale", (0, None)))
            self.threshold: float | None = getattr(inner, "threshold", None)
            self._takes = len(inspect.signature(inner.score).parameters)
        if not self.levels or not set(self.levels) <= set(_LEVELS):
            raise BadOptions(f"{what}: levels is {self.levels!r}; it is of {', '.join(_LEVELS)}")
        rubric = getattr(inner, "rubric", None)
        self.rubric: Rubric | None = rubric if isinstance(rubric, Rubric) else None
        self._inner = inner

    def examines(self, call: ToolCall) -> bool:
        """Whether it is about this tool call; about every one unless it says otherwise."""
        with Border(_crashed):
            return bool(self._inner.examines(call)) if hasattr(self._inner, "examines") else True

    async def score(self, evidence: Evidence, ask: Ask) -> Verdict:
        """The evaluator's own verdict."""
        if inspect.iscoroutinefunction(self._inner.score):
            with Border(_crashed):
                verdict = await (self._inner.score(evidence, ask) if self._takes > 1 else self._inner.score(evidence))
        else:
            verdict = await apart(lambda: self._score(evidence))
        if not isinstance(verdict, Verdict):
            raise _crashed(f"{type(self._inner).__name__}.score returned {type(verdict).__name__}; it returns a Verdict")
        return verdict

    def _score(self, evidence: Evidence) -> object:
        with Border(_crashed):
            return self._inner.score(evidence)


def _crashed(why: str) -> CallError:
    return crashed(why, "evaluator")


def _flat(made_of: type, options: Object) -> Object:
    """The options as fields, also where a document can give them only one level down, under `options`."""
    inside = options.get("options")
    names = {each.name for each in fields(made_of)} if is_dataclass(made_of) else set(inspect.signature(made_of).parameters)
    if "options" in names or not isinstance(inside, Mapping):
        return options
    return {**inside, **{name: value for name, value in options.items() if name != "options"}}
