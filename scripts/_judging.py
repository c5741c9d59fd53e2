"""Human-labelled data for the embedded judge: how it is read, split, and what agreement is measured on it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy
from scipy.stats import rankdata, spearmanr

from vivavoce.core.errors import UsageError
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Message, Reply
from vivavoce.core.rubric import Rubric
from vivavoce.evaluators import _rubrics

OWN = Path(__file__).resolve().parents[1] / "tests" / "data" / "judging"
SEED = 20250131
RESAMPLES = 1000
NO_FACT = "_nofact"
"""What stands in Topical-Chat for a reply that was to rest on nothing."""
OWN_LABELS = {
    "relevance": {"relevant": 1.0, "partly": 0.5, "not": 0.0},
    "similarity": {"same": 1.0, "different": 0.0},
    "coherence": {"coherent": 1.0, "incoherent": 0.0},
    "groundedness": {"supported": 1.0, "not supported": 0.0},
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One answer with what people said of it."""

    construct: str
    set: str
    group: str
    """As the judge groups evidence: `en`, `other`, or `conversation`."""
    source: str
    """What rows share that must not be torn apart: an article, a dialogue, a question."""
    human: float
    """0-1."""
    good: bool
    """On the upper side of the cut."""
    evidence: Evidence

    @property
    def held_out(self) -> bool:
        """Whether nothing may be fitted to it: half of the sources by their digest, and every group but plain English."""
        return self.group != "en" or hashlib.sha256(self.source.encode()).digest()[0] % 2 == 1

    @property
    def rubric(self) -> Rubric:
        return _rubrics.load(self.construct)


def folder(given: str | None) -> Path:
    """The folder with the labelled data.

    Raises:
        UsageError: none is named, or it is not there.
    """
    name = given or os.environ.get("VIVA_JUDGING_DATA")
    if not name:
        raise UsageError("name the folder with the labelled data, as an argument or as VIVA_JUDGING_DATA")
    if not Path(name).is_dir():
        raise UsageError(f"{name} is no folder")
    return Path(name)


def rows(data: Path) -> list[Row]:
    """Every labelled row there is, the public sets first."""
    return [*_sts(data), *_begin(data), *_topical(data), *_summeval(data), *own()]


def auc(human: Sequence[bool], said: Sequence[float]) -> float:
    """How often a good answer is graded above a bad one, ties counting half."""
    good = numpy.asarray(human, bool)
    ranks = rankdata(said)
    many, few = good.sum(), (~good).sum()
    return float((ranks[good].sum() - many * (many + 1) / 2) / (many * few)) if many and few else float("nan")


def kappa(human: Sequence[bool], said: Sequence[bool]) -> float:
    """Cohen's kappa of two ways of saying good or bad."""
    one, two = numpy.asarray(human, bool), numpy.asarray(said, bool)
    chance = one.mean() * two.mean() + (1 - one.mean()) * (1 - two.mean())
    return float(((one == two).mean() - chance) / (1 - chance)) if chance < 1 else float("nan")


def spearman(human: Sequence[float], said: Sequence[float]) -> float:
    """Rank correlation."""
    if len(set(human)) < 2 or len(set(said)) < 2:
        return float("nan")
    return float(spearmanr(human, said)[0])


def interval(measure: Callable[[numpy.ndarray], float], sources: Sequence[str]) -> tuple[float, float, float]:
    """A measure of chosen rows, with its 95 % interval: whole sources are drawn again and again, always the same way."""
    names, where = numpy.unique(numpy.asarray(sources), return_inverse=True)
    members = [numpy.flatnonzero(where == index) for index in range(len(names))]
    generator = numpy.random.default_rng(SEED)
    drawn = []
    for _ in range(RESAMPLES):
        chosen = generator.integers(0, len(names), len(names))
        drawn.append(measure(numpy.concatenate([members[index] for index in chosen])))
    low, high = numpy.nanpercentile(drawn, [2.5, 97.5])
    return measure(numpy.arange(len(where))), float(low), float(high)


def _lines(path: Path) -> Iterator[dict]:
    if not path.is_file():
        raise UsageError(f"{path} is missing")
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _evidence(
    row: dict, *, context: str | None = None, expected: str | None = None, history: tuple[Message, ...] = ()
) -> Evidence:
    turn = Turn(input=row["input"], context=context, expect=Expectation(response=expected))
    return Evidence(case=Case(id="labelled", turns=(turn,)), turn=turn, reply=Reply(text=row["response"]), history=history)


def _sts(data: Path) -> Iterator[Row]:
    for row in _lines(data / "stsb_dev.jsonl"):
        human = row["human"]["similarity"]
        evidence = _evidence({"input": "", **row}, expected=row["ground_truth"])
        yield Row(
            construct="similarity",
            set="STS-B",
            group="en",
            source=row["ground_truth"],
            human=human / 5,
            good=human >= 3,
            evidence=evidence,
        )


def _begin(data: Path) -> Iterator[Row]:
    for row in _lines(data / "begin_wow_dev.jsonl"):
        good = row["human"]["groundedness"] == "Fully attributable"
        evidence = _evidence({"input": row["query"], **row}, context=row["context"])
        yield Row(
            construct="groundedness",
            set="BEGIN",
            group="en",
            source=row["context"],
            human=float(good),
            good=good,
            evidence=evidence,
        )


def _topical(data: Path) -> Iterator[Row]:
    for row in _lines(data / "topical_chat_first180.jsonl"):
        evidence = _evidence({"input": row["query"].strip(), **row}, context=row["context"])
        grounded, coherent = row["human"]["groundedness"], row["human"]["coherence"]
        shared = {"set": "Topical-Chat", "group": "en", "source": row["query"], "evidence": evidence}
        if NO_FACT not in row["context"]:
            yield Row(construct="groundedness", human=grounded, good=grounded >= 0.5, **shared)
        said = [line.strip() for line in row["query"].splitlines() if line.strip()]
        roles = ["assistant" if index % 2 else "user" for index in range(len(said), 1, -1)]
        if len(said) == 1:
            continue
        history = tuple(Message(role=role, content=line) for role, line in zip(roles, said[:-1], strict=True))
        evidence = _evidence({"input": said[-1], **row}, history=history)
        shared = {**shared, "group": "conversation", "evidence": evidence}
        yield Row(construct="coherence", human=(coherent - 1) / 2, good=coherent >= 2, **shared)


def _summeval(data: Path) -> Iterator[Row]:
    for row in _lines(data / "summeval_first50.jsonl"):
        human = row["human"]["coherence"]
        evidence = _evidence({"input": row["query"], **row}, context=row["context"])
        yield Row(
            construct="coherence",
            set="SummEval",
            group="en",
            source=row["context"],
            human=(human - 1) / 4,
            good=human >= 3,
            evidence=evidence,
        )


def own() -> Iterator[Row]:
    """The project's own answers, each called good or bad."""
    for construct, labels in OWN_LABELS.items():
        for row in _lines(OWN / f"{construct}.jsonl"):
            human = labels[row["human"]]
            english = row["lang"] == "en"
            yield Row(
                construct=construct,
                set="own" if english else "own, other languages",
                group="en" if english else "other",
                source=row["group"],
                human=human,
                good=human >= 0.5,
                evidence=_evidence(row, context=row.get("context"), expected=row.get("expected")),
            )
