"""Expected rows beside those of an answer, as the HTML report shows them."""

from __future__ import annotations

import pytest
from conftest_pages import page_of
from conftest_reports import run_of, said

from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Reply
from vivavoce.core.result import Exchange, Result, Score
from vivavoce.evaluators.rows import RowComparison
from vivavoce.reports._html import rows
from vivavoce.reports._html.blocks import View

EXPECTED = ({"product": "Bread", "store_sales": 1200.5}, {"product": "Dairy", "store_sales": 803})


def details(expected, got, **options):
    asked = Turn(input="?", expect=Expectation(rows=tuple(expected)))
    case = Case(id="c", turns=(asked,))
    evidence = Evidence(case=case, turn=asked, reply=Reply(rows=tuple(got)))
    return RowComparison(**options).score(evidence).details


def table(expected, got, **options):
    return rows.compared(View(limit=1000), details(expected, got, **options))


def test_what_differs_is_marked_on_both_sides():
    got = ({"Store Sales": "$1,200.50", "Product": "Bread"}, {"Store Sales": "$798", "Product": "Dairy"})
    shown = table(EXPECTED, got)
    assert shown.count("<mark>") == 2
    assert "<mark>803</mark>" in shown
    assert "<mark>$798</mark>" in shown
    # The answer's columns stand in the order of the expected ones.
    assert shown.index(">Product<") < shown.index(">Store Sales<")


def test_rows_without_a_partner_are_told_apart():
    shown = table(EXPECTED, ({"product": "Dairy", "store_sales": 803},), order_matters=False)
    assert "no such row" in shown
    assert "rows: expected 2 row(s), got 1" in shown
    more = table(EXPECTED[:1], (*EXPECTED[:1], {"product": "Ice", "store_sales": 1}), order_matters=False)
    assert "not expected" in more
    assert "<mark>Ice</mark>" in more


def test_equal_rows_bear_no_mark():
    assert "<mark>" not in table(EXPECTED, EXPECTED)


def test_no_rows_at_all_are_shown_as_none():
    assert "<tbody></tbody>" in table((), ())


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"mismatches": [], "expected_rows": [], "actual_rows": [], "pairs": "0"},
        {"mismatches": 1, "expected_rows": [], "actual_rows": [], "pairs": []},
    ],
)
def test_details_of_another_kind_are_left_as_they_are(given):
    assert rows.compared(View(limit=1000), given) is None


def test_details_that_a_plugin_wrote_wrongly_break_nothing():
    wrong = {
        "mismatches": [7, {"row": 0, "key": "a", "message": None}, {"key": None, "path": [], "message": {}}],
        "expected_rows": [{"a": 1}, "x"],
        "actual_rows": [{"a": 2}],
        "pairs": [[0, 9], ["0", 1], 3, [0]],
    }
    assert "no such row" in rows.compared(View(limit=1000), wrong)


def test_the_report_shows_them_under_the_score():
    score = Score(
        name="RowComparison",
        evaluator="RowComparison",
        status="fail",
        value=0.0,
        reason="differs",
        details=details(EXPECTED, ()),
    )
    turn = Exchange(input="?", reply=said("Here."), scores=(score,))
    page = page_of(run_of([Result(suite="s", case="c", status="fail", turns=(turn,))]))
    assert page.of("table", class_="rows compared")
    assert "no such row" in page.text
