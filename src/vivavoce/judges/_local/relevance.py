"""Relevance: whether an answer is about what was asked, and of the kind that was asked for."""

from __future__ import annotations

import re
from types import MappingProxyType

from vivavoce.judges._local import encoder, texts, words
from vivavoce.judges._local.look import Look, Sentence, quote, share

SIGNS = MappingProxyType(
    {
        "whole": 1,
        "best": 1,
        "least_part": 1,
        "echo": 1,
        "fresh": 1,
        "fits": 1,
        "misfits": -1,
        "short": 0,
        "words": 0,
    }
)
"""The features, and whether each can only speak for the answer (1) or only against it (-1)."""


_REPEATED = 4
"""Words from which a sentence of the question counts as repeated."""
_WORD = re.compile(r"\w+")
_ENDS = re.compile(r"[.?!…。？！\n]")
_ASKS = re.compile(r"[?？]\W*$")


def own(answer: str, question: str) -> str:
    """An answer without sentences of the question that it repeats word for word: they are close to it, and no answer to it.

    One that goes on as the answer stays ("What sold best: mugs"), and so does a statement that is quoted in a sentence.
    """
    for sentence in texts.sentences(question):
        asked = [word.casefold() for word in _WORD.findall(sentence)]
        if len(asked) < _REPEATED:
            continue
        asks = _ASKS.search(sentence) is not None
        said = list(_WORD.finditer(answer))
        folded = [word[0].casefold() for word in said]
        kept, at, start = [], 0, 0
        while at <= len(said) - len(asked):
            if folded[at] == asked[0] and folded[at : at + len(asked)] == asked:
                before = answer[said[at - 1].end() if at else 0 : said[at].start()]
                last = said[at + len(asked) - 1].end()
                end = said[at + len(asked)].start() if at + len(asked) < len(said) else len(answer)
                ends = end == len(answer) or _ENDS.search(answer, last, end) is not None
                if ends and (asks or not at or _ENDS.search(before) is not None):
                    kept.append(answer[start : said[at].start()])
                    start = end
                at += len(asked)
            else:
                at += 1
        answer = "".join((*kept, answer[start:]))
    return answer.strip() if _WORD.search(answer) else ""


def look(answer: str, question: str) -> Look:
    """Hold an answer against its question."""
    said = texts.sentences(answer) or [answer]
    asks = texts.sentences(question)[-6:] or [question]
    vectors = encoder.encode([question, answer, *said, *asks])
    close = vectors[1 : 2 + len(said)] @ vectors[0]
    parts = vectors[2 + len(said) :] @ vectors[1 : 2 + len(said)].T
    about, reply = Sentence.of(question), Sentence.of(answer)
    wanted = words.phrases("wanted")
    kind = next((name for name, asks in words.patterns("asks").items() if asks.search(question.strip())), "other")
    fits = _fits(kind, answer, reply, about)
    fresh = len(reply.stems - about.stems)
    features = {
        "whole": float(close[0]),
        "best": float(close.max()),
        "least_part": float(parts.max(axis=1).min()),
        "echo": share(about.stems, reply.stems),
        "fresh": min(fresh, 6) / 6,
        "fits": float(fits is True),
        "misfits": float(fits is False),
        "short": float(len(reply.stems) <= 4),
        "words": min(len(texts.words(answer)), 12) / 12,
    }
    findings = []
    if fits is False:
        findings.append(f"the question asks for {wanted[kind]}, and none is found in the answer")
    if words.pattern("phrases", "empty").search(answer):
        findings.append(f"a phrase that could stand under any question: {quote(answer)}")
    if words.pattern("phrases", "evasive").search(answer):
        findings.append("the answer evades the question")
    if fresh == 0:
        findings.append("the answer says nothing that the question does not")
    grounds = [f"closeness to the question {features['best']:.2f}"]
    if fits:
        grounds.append(f"it has {wanted[kind]}, as asked")
    weakness = "little in the answer belongs to the question"
    return Look(features=features, findings=tuple(findings), weakness=weakness, grounds=tuple(grounds))


def _fits(kind: str, answer: str, reply: Sentence, about: Sentence) -> bool | None:
    """Whether an answer has what its kind of question asks for; `None` when that cannot be said."""
    if kind == "person":
        named = any(word[:1].isupper() for word in texts.words(answer)[1:]) or len(texts.words(answer)) <= 3
        return named if answer.isascii() else None
    has = words.patterns("answers").get(kind)
    return bool(has.search(answer.strip())) if has else None
