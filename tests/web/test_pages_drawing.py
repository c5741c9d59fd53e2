"""How a trend is drawn, and how numbers are said."""

from __future__ import annotations

from itertools import pairwise

import pytest

from vivavoce.core.model import Revision
from vivavoce.core.overview import Head, SuiteRun
from vivavoce.core.result import GroupSummary
from vivavoce.web._pages import addresses, drawing, words
from vivavoce.web._pages.run import Filters


def runs(*given):
    """A suite's runs, newest first, from (rate, errors, commit), oldest first."""
    made = []
    for at, (rate, errored, commit) in enumerate(given):
        revision = Revision(commit=commit) if commit else None
        head = Head(
            id=f"r{at}",
            started=f"2026-01-{at + 1:02}T12:00:00Z",
            finished="",
            state="complete",
            target="",
            judge="",
            version="",
            revision=revision,
        )
        made.append(SuiteRun(suite="s", run=head, tally=GroupSummary(cases=1, errored=errored, pass_rate=rate)))
    return made[::-1]


def test_runs_stand_from_the_oldest_to_the_newest():
    trend = drawing.trend(runs((0.5, 0, ""), (1.0, 1, ""), (0.0, 0, "")))
    assert [(each.x, each.y, each.shape) for each in trend.points] == [(0, 50, "whole"), (50, 0, "errors"), (100, 100, "whole")]
    assert trend.told == "pass rate in 3 runs: from 50 % to 0 %, lowest 0 %, highest 100 %"


def test_no_line_crosses_a_run_without_a_rate():
    trend = drawing.trend(runs((0.5, 0, ""), (None, 1, ""), (1.0, 0, ""), (1.0, 0, "")))
    assert [(one.index, other.index) for one, other in trend.lines] == [(2, 3)]
    assert trend.points[1].shape == "none"


def test_another_revision_is_marked_at_its_first_run():
    trend = drawing.trend(runs((1.0, 0, "a"), (1.0, 0, "a"), (1.0, 0, "b"), (1.0, 0, ""), (1.0, 0, "b"), (1.0, 0, "c")))
    assert [each.index for each in trend.points if each.deployed] == [2, 5]


def test_names_of_revisions_do_not_overlap():
    trend = drawing.trend(runs(*((1.0, 0, f"{at}") for at in range(200))))
    places = sorted(trend.points[index].x for index in trend.named)
    assert 5 < len(places) < 13
    assert all(other - one >= drawing.APART for one, other in pairwise(places))
    assert len(trend.ticks) == drawing.TICKS


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_runs_are_drawn_too(count):
    trend = drawing.trend(runs(*[(1.0, 0, "")] * count))
    assert len(trend.points) == len(trend.ticks) == count
    assert len(drawing.spark(runs(*[(1.0, 0, "")] * count))) == min(count, 1)


def test_a_small_line_is_broken_where_there_is_no_rate():
    assert drawing.spark(runs((0.0, 0, ""), (None, 0, ""), (1.0, 0, "")), 106, 26) == ["3.0,23.0", "103.0,3.0"]


@pytest.mark.parametrize(
    ("share", "told"), [(None, "–"), (0.0, "0 %"), (0.5, "50 %"), (2 / 3, "66.7 %"), (0.99999, "99.9 %"), (1.0, "100 %")]
)
def test_a_rate_never_says_all_of_less(share, told):
    assert words.rate(share) == told


@pytest.mark.parametrize(
    ("points", "told", "way"),
    [(None, "", ""), (0.0, "no change", "same"), (0.125, "+12.5 points", "up"), (-0.5, "−50 points", "down")],
)
def test_a_change_says_its_direction(points, told, way):
    assert (words.change(points), words.direction(points)) == (told, way)


def test_names_stand_in_addresses_whatever_they_are():
    assert addresses.suite("a/b ?#é") == "/suites/a%2Fb%20%3F%23%C3%A9"
    assert addresses.case("r", ("s&t", "c=d", 2), status="") == "/runs/r/case?in=s%26t&case=c%3Dd&repeat=2"
    assert addresses.suite("\ud83d")


def test_filters_that_make_no_sense_are_as_if_not_there():
    found = Filters.of({"status": "odd", "page": "1e9", "q": "  x  "})
    assert (found.status, found.page, found.q, found.kept(page="2")) == (None, 1, "x", {"q": "x", "page": "2"})
