"""Saiku's suites on the agent that counts sales: every kind of case passes and fails as it should, and breaks where it must."""

from __future__ import annotations

from importlib.resources import files

import pytest

import vivavoce as viva
from vivavoce.core.model import Use
from vivavoce.samples import demo

SUITE = files("vivavoce.samples") / "suites" / "sales.eval.yaml"
HEAD = """
name: kinds
cube: {connectionName: hollinwake, catalog: Shops, schema: Shops, cubeName: Sales}
cases:
"""
BY_COUNTRY = """
    expectedRows:
      - {country: Iceland, netSales: 91734.5}
      - {country: Ireland, netSales: 519161}
      - {country: Norway, netSales: 511702.5}
      - {country: Scotland, netSales: 329164.5}
"""


@pytest.fixture(scope="module")
def shops():
    with demo.serving() as url:
        yield url


@pytest.fixture
def examine(shops, tmp_path, monkeypatch):
    """Examine the sample agent with cases as YAML has them; gives the results by case."""
    monkeypatch.chdir(tmp_path)
    for name in ("SAIKU_USER", "SAIKU_PASSWORD"):
        monkeypatch.delenv(name, raising=False)

    def examine(cases, /, **options):
        (tmp_path / "kinds.eval.yaml").write_text(HEAD + cases, encoding="utf-8")
        target = Use(name="saiku", options={"url": shops, **options})
        run = viva.evaluate("kinds.eval.yaml", target=target, judge="none")
        return {result.case: result for result in run.results}

    return examine


def told(result):
    """Of each check its status, and why."""
    return {score.evaluator: (score.status, score.reason) for turn in result.turns for score in turn.scores}


def one(question, rest):
    return f"  - name: one\n    question: {question}\n{rest.strip(chr(10))}\n"


def test_the_sample_suite_fails_where_the_agent_is_weak_by_every_way(shops, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    weak = {"without-norway", "worst-region", "refuse-the-weather", "weekly-trend"}
    server = {"url": shops, "user": "admin", "password": "admin"}
    for target in (
        Use(name="saiku", options=server),
        Use(name="saiku", options={**server, "stream": True, "login": "session"}),
        "python:vivavoce.samples.analytics:Analyst",
    ):
        results = list(viva.evaluate(str(SUITE), target=target, judge="none").results)
        assert {result.case for result in results if result.status == "fail"} == weak
        assert {result.status for result in results} == {"pass", "fail"}


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        ("", "pass", ""),
        ("    orderMatters: true", "pass", ""),
        ("    tolerance: {relative: 0.001}", "pass", ""),
    ],
)
def test_rows_that_are_written_down(examine, more, status, words):
    result = examine(one("net sales by country", BY_COUNTRY + more))["one"]
    assert (result.status, told(result)["RowComparison"][0]) == (status, status)


@pytest.mark.parametrize(
    ("question", "rows", "more", "reasons"),
    [
        (
            "units by year",
            ["{year: '2024', unitsSold: 14941}", "{year: '2025', unitsSold: 20763}"],
            "",
            ["expected 14941", "got 14940"],
        ),
        (
            "units by year",
            ["{year: '2024', unitsSold: 14941}", "{year: '2025', unitsSold: 20763}"],
            "    tolerance: {absolute: 1}",
            [],
        ),
        (
            "units by year",
            ["{YEAR: '2024', Units-Sold: '14,940'}", "{year: '2025', units_sold: '(20763)'}"],
            "",
            ["rows[1].units_sold"],
        ),
        ("units by year", ["{year: '2025', unitsSold: 20763}", "{year: '2024', unitsSold: 14940}"], "", ["rows[0]", "rows[1]"]),
        (
            "units by year",
            ["{year: '2025', unitsSold: 20763}", "{year: '2024', unitsSold: 14940}"],
            "    orderMatters: false",
            [],
        ),
        ("units by year", ["{year: '2024', unitsSold: 14940}"], "", ["expected 1 row(s), got 2"]),
        (
            "units by year",
            ["{year: '2024', sold: 14940}", "{year: '2025'}"],
            "",
            ["rows[0].sold: expected key not present in actual row"],
        ),
        ("units by year", ["{year: '2024'}", "{year: '2025'}"], "", []),
        ("units in Vík in 2024", [], "", []),
        ("units in 2024", [], "", ["expected 0 row(s), got 1"]),
    ],
)
def test_rows_and_how_they_may_be_written(examine, question, rows, more, reasons):
    listed = "".join(f"      - {row}\n" for row in rows)
    expected = f"    expectedRows:\n{listed}" if rows else "    expectedRows: []\n"
    result = examine(one(question, expected + more))["one"]
    status, reason = told(result)["RowComparison"]
    assert status == result.status == ("fail" if reasons else "pass"), reason
    for words in reasons:
        assert words in reason


def test_a_reference_query_runs_at_the_same_time(examine):
    query = "measures: [{name: Units Sold}], rows: [{dimension: Time, hierarchy: Calendar, level: Year}]"
    for asked, status in (("units by year", "pass"), ("units by quarter", "fail")):
        result = examine(one(asked, f"    referenceQuery: {{{query}}}\n    expectedRows: [{{year: '1999'}}]"))["one"]
        assert told(result)["RowComparison"][0] == result.status == status
    result = examine(one("units by year", "    referenceQuery: {measures: [{name: Footfall}]}"))["one"]
    status, reason = told(result)["RowComparison"]
    assert (result.status, status) == ("error", "error")
    assert "there is no measure 'Footfall'" in reason


def test_a_wrong_intent_is_one_fail_and_ends_the_case(examine):
    rest = f"    expectedIntent: refused\n    expectedRefusalContains: cube{BY_COUNTRY}"
    result = examine(one("net sales by country", rest))["one"]
    assert result.status == "fail"
    assert told(result)["Intent"] == ("fail", "intent: expected REFUSED, got QUERY")
    assert {told(result)[name][0] for name in ("RefusalContains", "RowComparison")} == {"skip"}


@pytest.mark.parametrize(
    ("question", "rest", "status"),
    [
        ("who won?", "    expectedIntent: Refused\n    expectedRefusalContains: the Sales cube", "pass"),
        ("who won?", "    expectedRefusalContains: The sales Cube", "fail"),
        ("who won?", "    expectedRefusalContains: 'OFF_TOPIC:'", "fail"),
        ("sales by year", "    expectedRefusalContains: cube", "fail"),
        ("is revenue growing?", "    expectedInsightContains: [Net Sales, up 44.2%]", "pass"),
        ("is revenue growing?", "    expectedInsightContains: [Net Sales, up 20%, week]", "fail"),
        ("sales by year", "    expectedInsightContains: [Net Sales]", "fail"),
        ("is revenue growing?", "    expectedRows: [{a: 1}]", "fail"),
        ("show it as a table", "    expectedIntent: VIEW_CHANGE\n    history: [{role: user, content: sales by year}]", "pass"),
        ("show it as a table", "    expectedIntent: VIEW_CHANGE", "fail"),
        (
            "only 2025",
            "    expectedRows: [{year: '2025', netSales: 857201}]\n    history: [{role: user, content: sales by year}]",
            "pass",
        ),
        ("sales by year", "", "skip"),
    ],
)
def test_the_other_kinds(examine, question, rest, status):
    result = examine(one(question, rest))["one"]
    assert result.status == status, told(result)


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("!degraded", "degraded"),
        ("!failed", "query_failed"),
        ("!invalid", "query_failed"),
        ("!page", "bad_payload"),
        ("!cut", "connection"),
    ],
)
@pytest.mark.parametrize("intent", ["REFUSED", "QUERY"])
def test_what_is_no_answer_is_an_error_whatever_was_expected(examine, question, code, intent):
    result = examine(one(f"'{question}'", f"    expectedIntent: {intent}"))["one"]
    assert (result.status, result.error.code) == ("error", code)
    assert told(result)["Intent"][0] == "error"


def test_other_cases_go_on_after_one_that_broke_and_a_busy_server_is_waited_for(examine):
    cases = one("'!degraded'", BY_COUNTRY) + one("'!busy 2 net sales by country'", BY_COUNTRY).replace("one", "two")
    assert {name: result.status for name, result in examine(cases).items()} == {"one": "error", "two": "pass"}


def test_a_password_that_is_wrong_is_told_with_the_way_out(examine):
    result = examine(one("sales by year", "    expectedIntent: QUERY"), user="ines", password="not-this-1")["one"]
    assert result.error.code == "http_401"
    assert "SAIKU_PASSWORD" in result.error.message
    assert "not-this-1" not in str(result)
