"""Fit the embedded judge to one half of the labelled data: `scripts/calibrate-local DATA_FOLDER [--embeddings-only]`.

A logistic regression of the human label on what the judge sees, with a bound on the sign of each weight: what should speak for
an answer never counts against it. Each data set has the same say, however many rows it has. The cut of grade 3 is where the
agreement on good and bad is best on this half; the other cuts divide what is below in two and what is above in three equal
parts. The other half, every language but English, and replies within a conversation, then decide where the judge abstains.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import _judging
import numpy
from _judging import Row
from scipy.optimize import minimize

from vivavoce.core.errors import Abstain, UsageError
from vivavoce.judges._local import judging, likelihood, reading, scale
from vivavoce.judges._local.look import Look

TARGET = Path(judging.__file__).with_name("calibration.json")
SAY = 300.0
"""How many rows each set counts as."""
SHRINK = 1.0
"""Strength of the pull of weights towards 0."""
FEWEST = 30
"""Held-out rows from which on a set can decide that the judge abstains."""
GROUPS = {
    "en": "English",
    "other": "languages other than English",
    "short": "answers of a few words",
    "conversation": "replies within a conversation",
}
LANGUAGES = "German, French, Spanish, Polish, Russian and Chinese"


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/calibrate-local", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", help="the labelled data; default: VIVA_JUDGING_DATA")
    parser.add_argument("--embeddings-only", action="store_true", help="leave the scales that use the language model out")
    parser.add_argument("--construct", choices=list(judging.LOOKS), help="fit this one alone, and leave the others as they are")
    given = parser.parse_args()
    rows = _judging.rows(_judging.folder(given.folder))
    model = None if given.embeddings_only else likelihood.installed()
    if model is None and not given.embeddings_only:
        raise UsageError("the language model is not installed: viva model install, or --embeddings-only")
    before = json.loads(TARGET.read_text(encoding="utf-8"))["constructs"] if given.construct else {}
    constructs: dict[str, dict[str, object]] = before
    for construct in [given.construct] if given.construct else judging.LOOKS:
        own = [row for row in rows if row.construct == construct]
        constructs[construct] = {scale.PLAIN: _fit(own, _looks(own, None), judging.SIGNS[construct])}
        if model is not None and construct in likelihood.CONSTRUCTS:
            signs = {**judging.SIGNS[construct], **likelihood.SIGNS}
            own = [row for row in own if row.group == "en"]
            constructs[construct][scale.WITH_MODEL] = _fit(own, _looks(own, model), signs)
        print(f"{construct}: {len(own)} rows", file=sys.stderr)
    about = "Made by scripts/calibrate-local from human-labelled data; not edited by hand."
    TARGET.write_text(json.dumps({"about": about, "constructs": constructs}, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {TARGET}", file=sys.stderr)
    return 0


def _looks(rows: Sequence[Row], model: likelihood.Model | None) -> list[Look | float | None]:
    """What is seen of each row; a grade where no look is needed, nothing where there is nothing to see."""
    seen: list[Look | float | None] = []
    for row in rows:
        texts = reading.read(row.rubric, row.evidence, {})
        at_once = judging.at_once(row.construct, texts)
        try:
            seen.append(at_once[0] if at_once else judging.look(row.construct, texts, model))
        except Abstain:
            seen.append(None)
    return seen


def _fit(rows: Sequence[Row], looks: Sequence[Look | float | None], signs: dict[str, int]) -> dict[str, object]:
    fitted = [index for index, row in enumerate(rows) if not row.held_out and isinstance(looks[index], Look)]
    names = list(signs)
    matrix = numpy.array([[*(looks[index].features[name] for name in names), 1.0] for index in fitted])
    human = numpy.array([rows[index].human for index in fitted])
    sets = [rows[index].set for index in fitted]
    says = numpy.array([SAY / sets.count(name) for name in sets])

    def loss(weights: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        likely = 1 / (1 + numpy.exp(-matrix @ weights))
        cost = -(says * (human * numpy.log(likely + 1e-12) + (1 - human) * numpy.log(1 - likely + 1e-12))).sum()
        pull = numpy.append(weights[:-1], 0.0)
        return cost + SHRINK * (pull**2).sum() / 2, matrix.T @ (says * (likely - human)) + SHRINK * pull

    bounds = [{1: (0, None), -1: (None, 0), 0: (None, None)}[signs[name]] for name in names] + [(None, None)]
    weights = minimize(loss, numpy.zeros(len(names) + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    made = scale.Scale(
        weights={name: round(float(weight), 3) for name, weight in zip(names, weights, strict=False)},
        bias=round(float(weights[-1]), 3),
        cuts=(),
        measured={},
        abstains={},
    )
    cuts = _cuts(made, [rows[index] for index in fitted], [looks[index] for index in fitted])
    made = scale.Scale(weights=made.weights, bias=made.bias, cuts=cuts, measured={}, abstains={})
    measured, abstains = _decide(rows, [made.grade(each) if isinstance(each, Look) else each for each in looks])
    return {"weights": made.weights, "bias": made.bias, "cuts": cuts, "measured": measured, "abstains": abstains}


def _cuts(made: scale.Scale, rows: Sequence[Row], looks: Sequence[Look]) -> tuple[float, ...]:
    """The lowest score of the grades 2 to 5."""
    scores = numpy.array([made.score(look) for look in looks])
    allowed = numpy.array([look.gravest >= 3 for look in looks])
    good = numpy.array([row.good for row in rows])
    sets = numpy.array([row.set for row in rows])

    def agreement(cut: float) -> float:
        return float(
            numpy.mean(
                [_judging.kappa(good[sets == name], ((scores >= cut) & allowed)[sets == name]) for name in sorted(set(sets))]
            )
        )

    third = max((round(0.2 + step / 100, 2) for step in range(61)), key=lambda cut: (agreement(cut), -abs(cut - 0.5)))
    low = numpy.median(scores[scores < third])
    four, five = numpy.quantile(scores[(scores >= third) & allowed], [1 / 3, 2 / 3])
    return tuple(round(float(cut), 3) for cut in (low, third, four, five))


def _decide(rows: Sequence[Row], grades: Sequence[float | None]) -> tuple[dict[str, str], dict[str, str]]:
    """For each group of evidence how well the held-out half is met, and where no verdict is to be given."""
    measured: dict[str, str] = {}
    abstains: dict[str, str] = {"unknown": "the sentence encoder does not know the script of this text"}
    held_out = [index for index, row in enumerate(rows) if row.held_out and grades[index] is not None]
    belongs = {index: _groups(rows[index]) for index in held_out}
    for group, what in GROUPS.items():
        at = [
            index
            for index in held_out
            if group in belongs[index] and ("conversation" in belongs[index]) <= (group == "conversation")
        ]
        told, chance = [], []
        for name in dict.fromkeys(rows[index].set for index in at) if group == "en" else [None]:
            value, low, high, count = _auc([index for index in at if name in (None, rows[index].set)], rows, grades)
            if count < FEWEST:
                continue
            where = f" in {LANGUAGES}" if group == "other" else ""
            told.append(f"AUC {value:.2f} ({low:.2f} to {high:.2f}) on {count} labelled answers{where}")
            chance += [name or what] if low <= 0.5 else []
        if chance:
            abstains[group] = f"on {what} it was no better than chance: {'; '.join(told)}"
        elif told:
            measured[group] = "; ".join(told)
        elif group in ("en", "other"):
            abstains[group] = f"no labels: never measured on {what}"
    return measured, abstains


def _groups(row: Row) -> set[str]:
    """The groups that the judge takes a row to be of; a label in another language counts for that language alone."""
    found = set(judging.groups(reading.read(row.rubric, row.evidence, {})))
    return found if ("other" in found) == (row.group == "other") else set()


def _auc(at: Sequence[int], rows: Sequence[Row], grades: Sequence[float | None]) -> tuple[float, float, float, int]:
    if len(at) < FEWEST:
        return (0.0, 0.0, 0.0, len(at))
    good, said = numpy.array([rows[index].good for index in at]), numpy.array([grades[index] for index in at], float)
    measure = _judging.interval(lambda chosen: _judging.auc(good[chosen], said[chosen]), [rows[index].source for index in at])
    return (*measure, len(at))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UsageError as error:
        print(f"calibrate-local: {error}", file=sys.stderr)
        sys.exit(2)
