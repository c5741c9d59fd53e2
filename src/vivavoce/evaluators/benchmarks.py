"""Score answers to public benchmarks by the benchmarks' own rules: IFEval and BIG-Bench Extra Hard."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from vivavoce.core.evidence import Evidence
from vivavoce.core.place import did_you_mean
from vivavoce.core.reply import JSON, Object
from vivavoce.core.result import Verdict
from vivavoce.evaluators._faults import unusable
from vivavoce.evaluators._ifeval.language import LANGUAGES
from vivavoce.evaluators._ifeval.rules import RULES, Rule, known
from vivavoce.evaluators._quote import count, quote

__all__ = ["Bbeh", "IfEval"]

_PREFIX = re.compile(r"(?:The answer is|The final answer is):? ?")
_COMMANDS = ("boxed{", "text{", "texttt{")


@dataclass(frozen=True, kw_only=True)
class IfEval:
    """Whether the answer follows every instruction it was given, of those that a rule can check.

    Measures: 1 when all instructions of `instruction_id_list` are followed, else 0; beside it how many are, and which are
    not. There are 25, such as `punctuation:no_comma`, `length_constraints:number_words`, `keywords:existence`.
    Needs: the answer; `instruction_id_list`; and `instruction_kwargs`, one object for each of them, in the same order, with
    what it asks for. Both may be JSON text.
    Example: `["length_constraints:number_words"]` with `[{"num_words": 5, "relation": "less than"}]`: answer "Four words are
    enough." -> 1, passed.
    Limits: each is followed to the letter or not (the benchmark's strict measure); an empty answer follows none. An unknown
    instruction, or one without what it asks for, is an error. Keywords are looked for as they are written. Sentences are
    those of English. The language is told by script, letters and common words instead of by a model, so of two languages
    that short texts do not tell apart either counts as followed.
    Source: IFEval (Zhou et al., 2023), by the published descriptions of its instructions; Microsoft Foundry, `builtin.ifeval`.
    """

    needs: ClassVar[tuple[str, ...]] = ("response", "instruction_id_list", "instruction_kwargs")
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    def score(self, evidence: Evidence) -> Verdict:
        """1 when every instruction is followed."""
        text = evidence.response
        names = _column("instruction_id_list", evidence.instruction_id_list)
        asked = _column("instruction_kwargs", evidence.instruction_kwargs)
        if not names or len(names) != len(asked):
            raise unusable(
                f"there are {count(len(names), 'instruction')} in instruction_id_list and {len(asked)} objects in "
                "instruction_kwargs; give at least one, and as many of each"
            )
        followed: dict[str, bool] = {}
        for place, (name, given) in enumerate(zip(names, asked, strict=True)):
            rule, wanted = _rule(place, name, given)
            key = name if name not in followed else f"{name} ({place})"
            followed[key] = bool(text.strip()) and rule.check(text, wanted)
        wrong = [name for name, well in followed.items() if not well]
        many = f"{len(names) - len(wrong)} of {count(len(names), 'instruction')} followed"
        reason = f"{many}; not {', '.join(wrong)}" if wrong else many
        reason += ": the answer is empty" if not text.strip() else ""
        return Verdict(value=float(not wrong), passed=not wrong, reason=reason, details={"followed": followed})


@dataclass(frozen=True, kw_only=True)
class Bbeh:
    """Whether the answer to a question of BIG-Bench Extra Hard is the right one, however it is dressed up.

    Measures: 1 when the final answer is the expected one, else 0. The final answer is what follows the last "The answer is"
    or "The final answer is", else the whole text; of that the first line, without LaTeX, bold type and a full stop, in
    lower case.
    Needs: an expected response.
    Example: answer "So we have it. The answer is: **(B)**.", expected "b" -> 1, passed.
    Limits: `(b)` is `b`, numbers are equal by value, apostrophes, brackets around the whole and a question mark at its end do
    not count; nothing else is forgiven.
    Source: BIG-Bench Extra Hard (Kazemi et al., 2025), its published rules; Microsoft Foundry, `builtin.bbeh`.
    """

    needs: ClassVar[tuple[str, ...]] = ("response", "expected")
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    def score(self, evidence: Evidence) -> Verdict:
        """1 when the final answer is right."""
        final = _final(evidence.response)
        expected = evidence.expected.strip().lower().replace(", ", ",")
        passed = _agree(final, expected)
        reason = f"the final answer is {quote(final)}"
        reason += "" if passed else f", expected {quote(expected)}"
        return Verdict(value=float(passed), passed=passed, reason=reason, details={"final": final})


def _column(name: str, given: JSON) -> Sequence[JSON]:
    """A list, also where a mapping passes it on as JSON text."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise unusable(f"{name} is no JSON: {quote(given)}") from None
    if not isinstance(given, list | tuple):
        raise unusable(f"{name} is {quote(str(given))}; it is a list")
    return given


def _rule(place: int, name: JSON, given: JSON) -> tuple[Rule, Object]:
    """The rule of an instruction, and what it asks for."""
    where = f"instruction_id_list[{place}]"
    rule = RULES.get(name) if isinstance(name, str) else None
    if rule is None:
        raise unusable(f"{where}: there is no instruction {quote(str(name))} ({did_you_mean(str(name), tuple(RULES))})")
    asked = given if isinstance(given, Mapping) else {}
    wanted: dict[str, JSON] = {}
    for part, kind in rule.asks.items():
        value = asked.get(part)
        # Numbers may have come by way of a table, where all of them have fractions.
        value = int(value) if kind is int and isinstance(value, float) and value.is_integer() else value
        texts = all(isinstance(each, str) and each for each in value) if isinstance(value, list) else True
        if not isinstance(value, kind) or isinstance(value, bool) or not texts or not known(part, value):
            said = _SAID.get(part.rpartition("_")[2], _CALLED[kind])
            raise unusable(f"instruction_kwargs[{place}].{part} is {quote(json.dumps(value))}; {name} asks for {said}")
        wanted[part] = value
    return rule, wanted


_SAID: Mapping[str, str] = MappingProxyType(
    {"relation": '"less than" or "at least"', "language": f"the code of a language: {', '.join(sorted(LANGUAGES))}"}
)
_CALLED: Mapping[type, str] = MappingProxyType({int: "a whole number", str: "a text", list: "a list of texts"})


def _final(text: str) -> str:
    """The final answer of a text, in lower case and without what it is dressed up in."""
    answer = _PREFIX.split(text.strip())[-1].strip().removesuffix(".")
    answer = _without_latex(answer).lower().replace(", ", ",").replace("**", "")
    return answer.split("\n")[0].removesuffix(".").strip()


def _without_latex(answer: str) -> str:
    if len(answer) > 1 and answer[0] == answer[-1] == "$":
        answer = answer[1:-1]
    for command in _COMMANDS:
        if command in answer and answer.endswith("}"):
            answer = answer[:-1].partition(command)[2]
    return answer


def _agree(final: str, expected: str) -> bool:
    if final == expected or final.replace("'", "") == expected.replace("'", ""):
        return True
    if final in (f"({expected})", f"[{expected}]", f"{expected}?") or expected in (f"({final})", f"[{final}]"):
        return bool(final and expected)
    try:
        return float(final) == float(expected)
    except ValueError:
        return False
