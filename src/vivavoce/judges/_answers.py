"""What a chat model is told to answer to a rubric, and what is made of its answer: a verdict, or why it is none."""

from __future__ import annotations

import json

from vivavoce.core.errors import Abstain, CallError
from vivavoce.core.reply import JSON, Completion, Object
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.providers._asking import Unusable, unspoken
from vivavoce.wire.answers import objects

_LONGEST = 1200
"""Characters of a reason, where an endpoint can be held to that."""


def schema(rubric: Rubric) -> Object:
    """JSON Schema of an answer; the reason comes first, so that the grade follows from it."""
    key, grade = _grade(rubric)
    return {
        "type": "object",
        "properties": {"reason": {"type": "string", "minLength": 1, "maxLength": _LONGEST}, key: grade},
        "required": ["reason", key],
        "additionalProperties": False,
    }


def form(rubric: Rubric) -> str:
    """The same in words, for the end of a prompt."""
    key, _ = _grade(rubric)
    return f'one JSON object and nothing else, of this form: {{"reason": "one to three sentences", "{key}": {_what(rubric)}}}'


def read(completion: Completion, rubric: Rubric, asked: str) -> Verdict:
    """The verdict that an answer holds.

    `asked` is the prompt: an object that stands in it, word for word, is quoted from what is judged and no verdict.

    Raises:
        Abstain: it says instead, as judges of some vendors do, that it skips this.
        Unusable: it holds none, or one that is not on the rubric's scale.
    """
    unspoken(completion)
    _unless_skipped(completion, rubric, asked)
    told = [(each, text) for each, text in objects(completion.text) if _grade(rubric)[0] in each]
    found = [each for each, text in told if text not in asked]
    if not found:
        raise Unusable("the answer only repeats what is judged" if told else _no_object(completion, rubric))
    if any(_graded(each, rubric) != _graded(found[0], rubric) for each in found):
        raise Unusable("the answer holds several objects with different grades")
    reason = found[0].get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise Unusable('the answer gives no "reason"')
    try:
        return rubric.check(_verdict(found[0], reason.strip(), rubric))
    except CallError as error:
        raise Unusable(error.failure.message, error.failure.code) from None


def _unless_skipped(completion: Completion, rubric: Rubric, asked: str) -> None:
    """Raise `Abstain` where all that an answer says is that it skips, and why."""
    found = [each for each, text in objects(completion.text) if text not in asked]
    if len(found) != 1 or found[0].get("status") != "skipped" or found[0].get(_grade(rubric)[0]) is not None:
        return
    reason = found[0].get("reason")
    why = reason.strip() if isinstance(reason, str) and reason.strip() else "it gives no reason"
    raise Abstain(f"the judge skips {rubric.name}: {why}; name another judge with --judge, or leave the check out")


def _grade(rubric: Rubric) -> tuple[str, Object]:
    """What the grade is called, and its JSON Schema."""
    low, high = rubric.span
    if rubric.labels is not None:
        return "label", {"type": "string", "enum": list(rubric.labels)}
    if rubric.whole:
        return "score", {"type": "integer", "enum": list(range(int(low), int(high) + 1))}
    return "score", {"type": "number", "minimum": low, "maximum": high}


def _what(rubric: Rubric) -> str:
    """The grades there are, in words."""
    low, high = rubric.span
    if rubric.labels is not None:
        return " or ".join(json.dumps(label, ensure_ascii=False) for label in rubric.labels)
    return f"a {'whole ' if rubric.whole else ''}number from {low:g} to {high:g}"


def _graded(answer: Object, rubric: Rubric) -> str:
    """The grade an answer gives, whatever it is, for comparing."""
    grade = answer[_grade(rubric)[0]]
    return repr(float(grade) if isinstance(grade, int) and abs(grade) < 1e15 else grade)


def _verdict(answer: Object, reason: str, rubric: Rubric) -> Verdict:
    key, _ = _grade(rubric)
    grade = answer[key]
    if rubric.labels is not None:
        if not isinstance(grade, str):
            raise Unusable(f"the label is {_shown(grade)}; it must be {_what(rubric)}", "off_scale")
        return Verdict(reason=reason, label=grade)
    if isinstance(grade, bool) or not isinstance(grade, int | float):
        raise Unusable(f"the score is {_shown(grade)}; it must be {_what(rubric)}", "off_scale")
    if rubric.whole and grade != grade // 1:
        raise Unusable(f"the score is {grade:g}; it must be {_what(rubric)}", "off_scale")
    return Verdict(reason=reason, value=grade)


def _no_object(completion: Completion, rubric: Rubric) -> str:
    said = " ".join(completion.text.split())
    return f'the answer holds no JSON object with "{_grade(rubric)[0]}": {_shown(said)}'


def _shown(value: JSON) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 120 else f"{text[:120]}..."
