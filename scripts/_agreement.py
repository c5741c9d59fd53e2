"""Print how far the embedded judge agrees with people: `scripts/judge-agreement DATA_FOLDER [--language-model on]`.

Every row of the half that nothing was fitted to is judged as a run would judge it. That half was looked at while the judge was
made, so it is not unseen; docs/explanation/local-judge.md tells how. AUC and kappa are on good and bad, Spearman on the whole
scale; the 95 % intervals draw whole sources (articles, dialogues, questions) anew, always in the same way, so that the table is
the same each time.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence

import _judging
import numpy
from _judging import Row

from vivavoce.core.errors import Abstain, VivaError
from vivavoce.judges.local import Local


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/judge-agreement", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", help="the labelled data; default: VIVA_JUDGING_DATA")
    parser.add_argument("--language-model", choices=("auto", "on", "off"), default="off", help="default: off")
    given = parser.parse_args()
    rows = [row for row in _judging.rows(_judging.folder(given.folder)) if row.held_out]
    grades = asyncio.run(_judge(rows, Local(language_model=given.language_model)))
    print("| set | construct | n | abstained | Spearman (95 %) | AUC (95 %) | kappa (95 %) |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for construct, name in dict.fromkeys((row.construct, row.set) for row in rows):
        at = [index for index, row in enumerate(rows) if (row.construct, row.set) == (construct, name)]
        print("| " + " | ".join(_line(name, construct, [rows[index] for index in at], [grades[index] for index in at])) + " |")
    return 0


async def _judge(rows: Sequence[Row], judge: Local) -> list[float | None]:
    grades: list[float | None] = []
    for row in rows:
        try:
            verdict = row.rubric.check(await judge.judge(row.rubric, row.evidence, {}))
        except Abstain:
            grades.append(None)
        else:
            grades.append(verdict.value)
    return grades


def _line(name: str, construct: str, rows: Sequence[Row], grades: Sequence[float | None]) -> list[str]:
    kept = [index for index, grade in enumerate(grades) if grade is not None]
    cells = [name, construct, str(len(kept)), str(len(rows) - len(kept))]
    if len(kept) < 5:
        return [*cells, "-", "-", "-"]
    human = numpy.array([rows[index].human for index in kept])
    good = numpy.array([rows[index].good for index in kept])
    said = numpy.array([grades[index] for index in kept], float)
    sources = [rows[index].source for index in kept]
    for measure in (
        lambda at: _judging.spearman(human[at], said[at]),
        lambda at: _judging.auc(good[at], said[at]),
        lambda at: _judging.kappa(good[at], said[at] >= 3),
    ):
        value, low, high = _judging.interval(measure, sources)
        cells.append(f"{value:.2f} ({low:.2f} to {high:.2f})")
    return cells


if __name__ == "__main__":
    try:
        sys.exit(main())
    except VivaError as error:
        print(f"judge-agreement: {error}", file=sys.stderr)
        sys.exit(2)
