"""What a user makes of an answer: whether it helps, asks back, declines, or says the same again."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vivavoce.simulators._scripted.goal import Part
from vivavoce.simulators._scripted.vocabulary import has, stems

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])\s*")
_MARKER = re.compile(r"\[\^?\d+\^?\](?:\([^)]*\))?|\u3010[^\u3011]*\u3011")
_AMOUNT = re.compile(
    r"^(?:how (?:much|many|long|often|far|old)|when|what time|which day)\b|\b(?:price|cost|date|hours?|fee|number|total)\b",
    re.I,
)

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<=[\w,;] )[A-Z][\w'-]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One answer, as a user hears it."""

    told: str
    """What it says before it asks anything."""
    asked: str
    """What it asks back; empty when it does not."""
    declines: bool
    key: str
    """By which answers are the same."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said."""
        return not self.key

    def covers(self, part: Part, said: str) -> bool:
        """Whether it gives what a part is after; `said` is what it answers."""
        if self.declines or not self.told:
            return False
        about = stems(self.told)
        if about & (part.about | part.before) or not part.about:
            return True
        if part.kind == "question" and _AMOUNT.search(part.it) and re.search(r"\d", self.told):
            return True
        if part.kind in ("wish", "need") and has(self.told, "done"):
            return True
        return bool(about & stems(said))

    def counts(self) -> int:
        """Of how many things it tells, as far as names show, or else figures: at least of one."""
        names = set(_NAME.findall(self.told)) - {"I"}
        return max(1, len(names or set(_FIGURE.findall(self.told))))

    def covers_beside(self, part: Part) -> bool:
        """Whether it gives what a part is after that was not asked for yet: it speaks of nearly all of it."""
        shared = stems(self.told) & part.about
        return not self.declines and len(shared) >= 2 and len(shared) * 4 >= len(part.about) * 3


def hear(text: str) -> Answer:
    """An answer, understood."""
    text = _MARKER.sub("", text).strip()
    sentences = [each for each in _SENTENCE.split(text) if each.strip() and not has(each, "closers")]
    asking = next((at for at, each in enumerate(sentences) if each.rstrip().endswith(("?", "\uff1f"))), None)
    told = sentences if asking is None else sentences[:asking]
    return Answer(
        told=" ".join(told),
        asked="" if asking is None else " ".join(sentences[asking:]),
        declines=has(" ".join(told), "declines"),
        key=" ".join(re.findall(r"\w+", text.lower())),
    )
