"""What a run cost is said by every report for people; what is not known is not shown as nothing."""

from __future__ import annotations

import html
import io
from dataclasses import replace

import pytest
from conftest_reports import _single, relevance, run_of, said

from vivavoce.core.result import USAGE
from vivavoce.reports._text import cost
from vivavoce.reports.console import Console
from vivavoce.reports.html import Html
from vivavoce.reports.markdown import Markdown

TOKENS = {"calls": 1, "input_tokens": 100, "output_tokens": 20}


def judged(took):
    return replace(relevance("pass", 5.0, "It says so."), details={USAGE: took})


@pytest.mark.parametrize("report", [Console, Html, Markdown])
@pytest.mark.parametrize(
    ("took", "told", "untold"),
    [
        ([{**TOKENS, "cost_usd": 0.25}], "$0.2500", "unknown"),
        ([TOKENS], "price unknown", "$0"),
        ([{**TOKENS, "cost_usd": 0.25}, TOKENS], "$0.2500 and calls of unknown price", "price unknown"),
        ([{**TOKENS, "cost_usd": 0.0}], "judge call", "unknown"),
        ([{"calls": 1}], "judge call", "unknown"),
    ],
    ids=["known", "unknown", "both", "free", "no tokens"],
)
def test_a_price_that_is_not_known_is_said_to_be(report, took, told, untold):
    results = [_single(f"c{at}", "When?", None, said("At 9."), judged(each)) for at, each in enumerate(took)]
    out = io.StringIO()
    report().render(run_of(results), out)
    text = html.unescape(out.getvalue())
    assert told in text
    assert untold not in text


def test_nothing_is_said_where_there_is_nothing_to_pay():
    assert cost(0.0, unpriced=False) == []
