"""Reports where a low value is the good one: the threshold is told as what it is."""

from __future__ import annotations

import csv
import io
import re

import pytest
from conftest_reports import run_of, said

from vivavoce.core.result import BETTER, Exchange, Result, Run, Score
from vivavoce.reports._html.charts import histogram
from vivavoce.reports._html.spread import Spread
from vivavoce.reports.console import Console
from vivavoce.reports.csv import Csv
from vivavoce.reports.html import Html


def graded(value: float) -> Score:
    return Score(
        name="Violence",
        evaluator="Violence",
        status="pass" if value <= 3 else "fail",
        value=value,
        unit_value=1 - value / 7,
        label="High" if value > 5 else "Low",
        threshold=3,
        reason="so it is",
        details={BETTER: "lower"},
    )


def run(*values: float) -> Run:
    """A run of one case, with a score for each value."""
    turn = Exchange(input="q", reply=said("a"), scores=tuple(graded(value) for value in values))
    status = "fail" if any(score.status == "fail" for score in turn.scores) else "pass"
    return run_of([Result(suite="s", case="c", status=status, turns=(turn,))])


def told(report: object, shown: Run) -> str:
    out = io.StringIO()
    report.render(shown, out)  # type: ignore[attr-defined] # each of them renders
    return out.getvalue()


@pytest.mark.parametrize(("value", "side"), [(6, "6 > 3"), (3.5, "3.5 > 3")])
def test_the_console_tells_that_it_is_above(value: float, side: str) -> None:
    assert f"High, {side}" in told(Console(), run(value)).replace("Low", "High")


def test_the_verbose_console_tells_that_it_is_not() -> None:
    assert "Low, 3 ≤ 3" in told(Console(verbose=True), run(6, 3))


def test_an_ascii_terminal_is_told_in_ascii() -> None:
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="ascii", errors="strict") as out:
        Console(verbose=True).render(run(6, 2), out)
        out.flush()
        assert b"2 <= 3" in raw.getvalue()


def test_the_page_tells_it_in_words_and_shows_no_detail_of_it() -> None:
    page = told(Html(), run(6, 2))
    assert " above 3" in page
    assert " at most 3" in page
    assert " below 3" not in page
    assert ">Details<" not in page


def test_the_line_in_a_picture_stands_behind_the_last_step_that_passes() -> None:
    lines = {}
    for lower in (False, True):
        spread = Spread()
        for value in (0, 3, 7):
            score = graded(value)
            spread.add(
                score
                if lower
                else Score(
                    **{**{name: getattr(score, name) for name in score.__slots__}, "details": {}, "unit_value": value / 7}
                )
            )
        (line,) = re.findall(r'd="M([\d.]+),[\d.]+ V[\d.]+" class="threshold"', str(histogram("Violence", spread)))
        lines[lower] = float(line)
    assert lines[True] - lines[False] == pytest.approx(300 / 8)
    assert "threshold 3, lower is better" in str(histogram("Violence", spread))


def test_a_row_has_value_unit_value_and_threshold_as_they_are() -> None:
    (row,) = csv.DictReader(io.StringIO(told(Csv(), run(6)).removeprefix("\ufeff")))
    assert (row["score"], row["value"], row["threshold"], row["label"]) == ("fail", "6", "3", "High")
    assert float(row["unit_value"]) == pytest.approx(1 / 7)
