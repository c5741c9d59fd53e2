"""An evaluator in the shape of Microsoft's command line: a class whose instances are called with the texts of a turn."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar

from vivavoce.core import codec, environment
from vivavoce.core.errors import Abstain, CallError, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.foreign import Border, crashed
from vivavoce.core.kinds import Ask
from vivavoce.core.place import did_you_mean
from vivavoce.core.reply import JSON, Object
from vivavoce.core.result import USAGE, Verdict
from vivavoce.evaluators._custom.flow import Line
from vivavoce.evaluators._custom.prompty import SCALE, THRESHOLD, Prompty
from vivavoce.evaluators._custom.threads import apart
from vivavoce.evaluators._options import within

_GIVEN = ("threshold", "options")
_MODEL = (
    ("azure_endpoint", "AZURE_AI_OPENAI_ENDPOINT"),
    ("api_key", "AZURE_AI_API_KEY"),
    ("azure_deployment", "AZURE_AI_MODEL_NAME"),
    ("api_version", "AZURE_AI_API_VERSION"),
)
"""What the vendor's own tool hands over of a model, and the variables it takes that from."""
_VERDICT = frozenset({"score", "reason", "threshold", "result", "error", USAGE})

Foreign = Callable[..., Any]  # the project's own code, of which nothing is known


@dataclass(frozen=True, kw_only=True)
class Code:
    """Where such an evaluator comes from."""

    made_of: Foreign
    """Its class."""
    name: str
    project: Path
    prompty: Prompty | None
    """What stands beside the class; with one it is a judge's: a whole number from 1 to 5. Else any number will do."""


class Called:
    """What such a class is to a run: it is given the texts of a turn, and what it returns becomes a verdict."""

    needs: ClassVar[tuple[str, ...]] = ("input", "response")
    uses: ClassVar[tuple[str, ...]] = ("expected", "context")
    levels: ClassVar[tuple[str, ...]] = ("turn",)

    def __init__(self, code: Code, given: Object) -> None:
        for name in given:
            if name not in _GIVEN:
                hint = f"{did_you_mean(name, _GIVEN)}; what the evaluator itself takes stands under options"
                raise ValueError(f'unknown option "{name}" ({hint})')
        judged = code.prompty is not None
        self.rubric = None if code.prompty is None else code.prompty.rubric()
        self.scale: tuple[float, float | None] = SCALE if judged else (0, None)
        self.threshold = _threshold(given.get("threshold"), judged=judged)
        self._code = code
        self._judged = judged
        self._takes = inspect.signature(code.made_of).parameters
        self._options = _options(given.get("options"), self._takes)
        # Made now, so that what is wrong with it is known before anything is run; then for one answer at a time.
        line = Line(code.project)
        with Border(ValueError), line.here():
            self._free: deque[tuple[Line, Foreign]] = deque([(line, self._made())])

    async def score(self, evidence: Evidence, ask: Ask) -> Verdict:
        """What an instance returns for a turn, called in a thread of its own."""
        texts = {
            "prompt": evidence.input,
            "expected_response": _or_empty(evidence, "expected"),
            "response": evidence.response,
            "context": _or_empty(evidence, "context"),
        }
        line, kept = self._free.popleft() if self._free else (Line(self._code.project), None)
        line.open(ask)
        try:
            answer, instance = await apart(lambda: self._call(line, kept, texts))
        except CallError as error:
            raise (line.signal or error) from None
        finally:
            line.close()
        self._free.append((line, instance))
        if isinstance(line.signal, Abstain) or (line.signal is not None and _complains(answer)):
            # Where the judge did not answer, that is the reason, whatever the code has made of it.
            raise line.signal
        return self._verdict(answer)

    def _made(self) -> Foreign:
        given = {"threshold": self.threshold, "options": deepcopy(self._options), "model_config": _model()}
        if not self._judged and "model_config" not in self._takes:
            del given["model_config"]
        made: Foreign = self._code.made_of(**_accepted(given, self._takes))
        return made

    def _call(self, line: Line, instance: Foreign | None, texts: Mapping[str, str]) -> tuple[object, Foreign]:
        """In a thread: what an instance returns, and the instance."""
        with Border(_crashed), line.here():
            made = self._made() if instance is None else instance
            answer = made(**_accepted(texts, inspect.signature(made).parameters))
            return (asyncio.run(_awaited(answer)) if inspect.isawaitable(answer) else answer), made

    def _verdict(self, answer: object) -> Verdict:
        if not isinstance(answer, Mapping):
            raise self._failed(f"it returned {type(answer).__name__}; it returns a dict with score and reason")
        if _complains(answer):
            raise self._failed(f"it says: {answer.get('error') or answer.get('reason') or 'error'}")
        value = self._value(answer)
        passed = value >= self.threshold
        reason = str(answer.get("reason") or "").strip()
        return Verdict(
            value=value,
            passed=passed,
            unit_value=None if self._judged else _unit(value, self.threshold, passed=passed),
            reason=reason or f"{self._code.name} gave {value:g}, and it takes {self.threshold:g} to pass",
            details=_details(answer),
        )

    def _value(self, answer: Mapping[str, Any]) -> float:  # whatever it returned
        if "score" not in answer:
            raise self._failed("it returned no score")
        value = _number(answer["score"])
        if value is None:
            raise self._failed(f"its score is {answer['score']!r:.80}, which is not a number")
        if self._judged and (value != int(value) or not SCALE[0] <= value <= SCALE[1]):
            raise self._failed(f"its score is {value:g}; with a prompty it is a whole number from {SCALE[0]:g} to {SCALE[1]:g}")
        return value

    def _failed(self, why: str) -> CallError:
        return _crashed(f"{self._code.name}: {why}")


def _crashed(why: str) -> CallError:
    return crashed(why, "evaluator")


def _or_empty(evidence: Evidence, name: str) -> str:
    try:
        return evidence.text(name)
    except Missing:
        return ""  # what such classes are promised for what a dataset does not give


def _accepted(given: Mapping[str, Any], takes: Mapping[str, inspect.Parameter]) -> dict[str, Any]:  # as it is given
    """What a function takes of what there is."""
    if any(each.kind is each.VAR_KEYWORD for each in takes.values()):
        return dict(given)
    return {name: value for name, value in given.items() if name in takes}


def _threshold(given: JSON, *, judged: bool) -> float:
    if given is None:
        return THRESHOLD if judged else 1.0
    value = _number(given)
    if value is None:
        raise ValueError(f"threshold is {given!r:.80}, which is not a number")
    if judged:
        within("threshold", value, *SCALE)
    return value


def _options(given: JSON, takes: Mapping[str, inspect.Parameter]) -> dict[str, JSON]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(f"options is {given!r:.80}; it is an object")
    if given and not _accepted({"options": given}, takes):
        raise ValueError("options are given, and its class takes none: __init__ has no parameter of that name")
    return dict(given)


def _model() -> dict[str, str]:
    """For code that asks a model by itself; what is asked by a prompty, the judge of the run answers."""
    variables = environment.variables()
    return {name: variables[variable] for name, variable in _MODEL if variables.get(variable)}


async def _awaited(answer: Awaitable[object]) -> object:
    return await answer


def _complains(answer: object) -> bool:
    return isinstance(answer, Mapping) and bool(answer.get("error") or answer.get("result") == "error")


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _unit(value: float, threshold: float, *, passed: bool) -> float:
    return min(1.0, max(0.0, value / threshold)) if threshold > 0 else float(passed)


def _details(answer: Mapping[Any, Any]) -> dict[str, JSON]:  # whatever it returned
    """What else was returned, as far as it can be written down."""
    found: dict[str, JSON] = {}
    for name, value in answer.items():
        if name not in _VERDICT:
            try:
                found[str(name)] = codec.decode(codec.encode(value), object)
            except (TypeError, ValueError, OverflowError, RecursionError):
                continue
    return found
