"""Suites as they are read: scalars, expectations, and every fault under its code."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.core.model import Check
from vivavoce.core.place import Problems
from vivavoce.core.reply import Message
from vivavoce.core.source import Source
from vivavoce.formats.saiku import Saiku

DATA = Path(__file__).resolve().parents[2] / "data" / "saiku"
TOP = "name: suite\ncube: {connectionName: c, catalog: c, schema: s, cubeName: n}\n"


def of(name: str):
    problems = Problems()
    suite = Saiku().read(Source(DATA / "ok" / name, name), problems)
    assert problems.found() == ()
    return suite, {case.id: case for case in suite.cases}, problems.warnings


def test_a_suite_with_every_kind_of_case():
    suite, cases, warnings = of("sales.eval.yaml")
    assert suite.name == "paper-shop-sales"
    assert suite.about == {"connectionName": "shop", "catalog": "Shop", "schema": "Shop", "cubeName": "Sales"}
    assert suite.metadata["description"].startswith("Questions about the Sales cube of a paper shop. Agreed")
    assert warnings == []
    assert list(cases) == ["turnover-by-country", "trend", "off-topic", "follow-up", "nothing-sold"]
    checks = {name: [check.evaluator for check in case.turns[0].checks] for name, case in cases.items()}
    assert checks == {
        "turnover-by-country": ["Intent", "RowComparison"],
        "trend": ["Intent", "InsightContains"],
        "off-topic": ["Intent", "RefusalContains"],
        "follow-up": ["RowComparison"],
        "nothing-sold": ["RowComparison"],
    }
    assert all(check.origin == "item" for case in cases.values() for check in case.turns[0].checks)
    rows = cases["turnover-by-country"].turns[0]
    assert rows.expect.rows[:2] == ({"country": "NO", "Net Sales": "kr 1"}, {"country": "NO", "netSales": 12000.5})
    options = {"relative": 0.001, "order_matters": False}
    assert rows.checks[1] == Check(evaluator="RowComparison", options=options, path="cases[0].expectedRows")
    follow = cases["follow-up"]
    assert follow.history == (
        Message(role="user", content="What did we sell in each country?"),
        Message(role="assistant", content="3"),
        Message(role="system", content="Be brief."),
    )
    assert follow.turns[0].expect.reference_query["measures"] == [{"name": "Net Sales"}]
    assert follow.turns[0].checks[0].options == {"absolute": 0.01, "relative": 0}
    assert cases["nothing-sold"].turns[0].expect.rows == ()
    assert cases["trend"].turns[0].expect.intent == "insight"


def test_scalars_keep_their_text_where_it_matters():
    suite, cases, _ = of("scalars.yaml")
    assert suite.name == "2024-01-01"
    assert cases["scalars"].turns[0].expect.rows == (
        {
            "date": "2024-01-01",
            "time": "1:30",
            "code": "007",
            "country": "NO",
            "on": "on",
            "small": 0.001,
            "big": 1000,
            "quoted": "1_000",
            "hex": 31,
            "flag": True,
            "none": None,
            "empty": None,
            "text": "12",
        },
    )
    assert cases["scalars"].turns[0].checks[0].options == {"order_matters": True}
    for name in ("merged", "merged again"):
        assert cases[name].turns[0].checks[0].options == {"order_matters": False}
    assert cases["aliased"].turns[0].expect.rows == ({"a": 1},)


def test_a_suite_may_be_json():
    _, cases, _ = of("as_json.json")
    assert cases["one"].turns[0].checks[0].options == {"order_matters": False}


def test_fields_of_its_own_are_kept_with_a_warning():
    suite, cases, warnings = of("own.eval.yaml")
    assert suite.metadata == {"owner": "finance"}
    assert suite.about["branch"] == "main"
    assert cases["kept"].metadata == {
        "ticket": 17,
        "history": [{"role": "user", "content": "before", "at": "noon"}],
        "tolerance": {"absolute": 0.5},
        "orderMatters": False,
    }
    assert cases["kept"].turns[0].checks == ()
    told = {warning.path for warning in warnings}
    assert told == {
        *("owner", "cube.branch", "cases[0].ticket", "cases[0].history[0].at"),
        *("cases[0].tolerance", "cases[0].orderMatters", "cases[1].expectedRows"),
    }


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("# nothing\n", [("MALFORMED_YAML", "")]),
        ("- a\n", [("MALFORMED_YAML", "")]),
        ("word\n", [("MALFORMED_YAML", "")]),
        ("name: [\n", [("MALFORMED_YAML", "")]),
        ("{}\n", [("MISSING_FIELD", "name"), ("MISSING_FIELD", "cube"), ("MISSING_FIELD", "cases")]),
        (TOP, [("MISSING_FIELD", "cases")]),
        (TOP + "cases:\n", [("MISSING_FIELD", "cases")]),
        (TOP + "cases: []\n", [("MISSING_FIELD", "cases")]),
        (TOP + "cases: {a: 1}\n", [("TYPE_MISMATCH", "cases")]),
        (TOP + "cases: [5]\n", [("MALFORMED_YAML", "cases[0]")]),
        (TOP + "cases: [{name: a, question: q}]\n---\nname: b\n", [("MALFORMED_YAML", "")]),
    ],
)
def test_faults_at_the_top(read, text, codes):
    found = read(text)
    assert found.codes == codes
    assert all(problem.line for problem in found.problems)


@pytest.mark.parametrize(
    ("text", "code"),
    [("name: 2024", "TYPE_MISMATCH"), ('name: ""', "BLANK_FIELD"), ("name: '  '", "BLANK_FIELD"), ("name:", "MISSING_FIELD")],
)
def test_a_name_must_be_a_text_that_says_something(read, text, code):
    assert read(TOP.replace("name: suite", text) + "cases: [{name: a, question: q}]\n").codes == [(code, "name")]


@pytest.mark.parametrize(
    ("cube", "codes"),
    [
        ("a/b/c/d", [("MISSING_FIELD", "cube")]),
        ("{connectionName: c, schema: s, cubeName: n}", [("MISSING_FIELD", "cube.catalog")]),
        (
            "{connectionName: c, catalog: '', schema: 5, cubeName: n}",
            [("BLANK_FIELD", "cube.catalog"), ("TYPE_MISMATCH", "cube.schema")],
        ),
        (
            "{connectionName: c, catalog: c, schema: s, cubName: n}",
            [("UNKNOWN_FIELD", "cube.cubName"), ("MISSING_FIELD", "cube.cubeName")],
        ),
    ],
)
def test_faults_of_the_cube(read, cube, codes):
    found = read(f"name: suite\ncube: {cube}\ncases: [{{name: a, question: q}}]\n")
    assert sorted(found.codes) == sorted(codes)


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ("expectedRow: []", [("UNKNOWN_FIELD", "expectedRow")]),
        ("rows: []", [("UNKNOWN_FIELD", "rows")]),
        ("intent: QUERY", [("UNKNOWN_FIELD", "intent")]),
        ("expectedIntent: QUERRY", [("UNKNOWN_VALUE", "expectedIntent")]),
        ("expectedIntent: 5", [("TYPE_MISMATCH", "expectedIntent")]),
        ("expectedIntent: ''", [("BLANK_FIELD", "expectedIntent")]),
        ("expectedRefusalContains: [x]", [("TYPE_MISMATCH", "expectedRefusalContains")]),
        ("expectedInsightContains: [12]", [("TYPE_MISMATCH", "expectedInsightContains[0]")]),
        ("expectedInsightContains: text", [("TYPE_MISMATCH", "expectedInsightContains")]),
        ("referenceQuery: text", [("TYPE_MISMATCH", "referenceQuery")]),
        ("referenceQuery: {nonempty: true}", [("UNKNOWN_FIELD", "referenceQuery.nonempty")]),
        ("expectedRows: {a: 1}", [("TYPE_MISMATCH", "expectedRows")]),
        ("expectedRows: [a]", [("TYPE_MISMATCH", "expectedRows[0]")]),
        ("expectedRows: [{a: [1]}]", [("TYPE_MISMATCH", "expectedRows[0].a")]),
        ("history: [{role: system}]", [("MISSING_FIELD", "history[0].content")]),
        ("history: [{role: bot, content: x}]", [("UNKNOWN_VALUE", "history[0].role")]),
        ("tolerance: {relative: -0.1}", [("INVALID_TOLERANCE", "tolerance.relative")]),
        (
            "tolerance: {absolute: -1, relative: -1}",
            [("INVALID_TOLERANCE", "tolerance.absolute"), ("INVALID_TOLERANCE", "tolerance.relative")],
        ),
        ("tolerance: {absolute: abc}", [("TYPE_MISMATCH", "tolerance.absolute")]),
        ("tolerance: {absolute: true}", [("TYPE_MISMATCH", "tolerance.absolute")]),
        ("tolerance: {percent: 1}", [("UNKNOWN_FIELD", "tolerance.percent")]),
        ("tolerance: {relative: .inf}", [("MALFORMED_YAML", "tolerance.relative")]),
        ("expectedRows: [{a: .nan}]", [("MALFORMED_YAML", "expectedRows[0].a")]),
        ("orderMatters: 'no'", [("TYPE_MISMATCH", "orderMatters")]),
        ('orderMatters: "FALSE"', [("TYPE_MISMATCH", "orderMatters")]),
        ("orderMatters: maybe", [("TYPE_MISMATCH", "orderMatters")]),
        ("orderMatters: 0", [("TYPE_MISMATCH", "orderMatters")]),
    ],
)
def test_faults_of_a_case(read_case, fields, codes):
    found = read_case(fields)
    assert found.codes == [(code, f"cases[0].{path}") for code, path in codes]
    assert [problem.line for problem in found.problems] == [6] * len(codes)
    assert found.cases == []
    assert all(
        code in str(problem) and "cases[0]" in str(problem) for (code, _), problem in zip(codes, found.problems, strict=True)
    )


@pytest.mark.parametrize(
    ("fields", "slip", "meant"),
    [
        ("expectedRows: [{a: 1}]\nexpectedRow: []", "expectedRow", "expectedRows"),
        ("Question: other", "Question", "question"),
        ("tolerance: {absolute: 1}\nexpectedRows: []\ntolerances: {relative: 1}", "tolerances", "tolerance"),
    ],
)
def test_a_slip_is_one_also_beside_the_field_that_is_meant(read_case, fields, slip, meant):
    found = read_case(fields)
    assert found.codes == [("UNKNOWN_FIELD", f"cases[0].{slip}")]
    assert f'did you mean "{meant}"?' in str(found.problems[0])


@pytest.mark.parametrize(
    ("written", "meant"),
    [("no", False), ("off", False), ("No", False), ("yes", True), ("ON", True), ("false", False), ("True", True), ("", None)],
)
def test_a_bare_word_where_a_boolean_stands_is_one(read_case, written, meant):
    (case,) = read_case(f"expectedRows: [{{a: 1}}]\norderMatters: {written}").cases
    assert case.turns[0].checks[0].options == ({} if meant is None else {"order_matters": meant})


def test_a_number_in_quotes_is_a_tolerance_too(read_case):
    (case,) = read_case("expectedRows: [{a: 1}]\ntolerance: {absolute: '0.5', relative: 1e-3}").cases
    assert case.turns[0].checks[0].options == {"absolute": 0.5, "relative": 0.001}


def test_names_are_unique_and_the_second_place_is_told(read):
    found = read(TOP + "cases:\n  - {name: a, question: q}\n  - {name: b, question: q}\n  - {name: a, question: q}\n")
    (problem,) = found.problems
    assert (problem.code, problem.path, problem.line) == ("DUPLICATE_NAME", "cases[2].name", 6)
    assert "cases[0]" in problem.fix
    assert [case.id for case in found.cases] == ["a", "b"]


def test_lenient_reading_makes_warnings_of_unknown_fields_alone(read_case):
    found = read_case("expectedRow: []", lenient=True)
    assert found.codes == []
    assert [case.id for case in found.cases] == ["one"]
    assert 'did you mean "expectedRows"?' in [warning.fix for warning in found.warnings]
    assert read_case("expectedIntent: x", lenient=True).codes == [("UNKNOWN_VALUE", "cases[0].expectedIntent")]


def test_a_case_that_expects_nothing_has_no_checks(read_case):
    (case,) = read_case("expectedInsightContains: []").cases
    assert case.turns[0].checks == ()
