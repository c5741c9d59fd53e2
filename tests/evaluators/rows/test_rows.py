"""Rows of an answer against expected rows, in order and without."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core import codec
from vivavoce.core.errors import CallError, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Reply
from vivavoce.core.result import Failure, Verdict
from vivavoce.evaluators._rows.cells import Tolerance, difference
from vivavoce.evaluators._rows.cells import cell as made
from vivavoce.evaluators.rows import RowComparison


def examine(expected: Any, got: Any, *, expect: Any = None, reply: Any = None, **options: Any) -> Verdict:
    turn = Turn(input="q", expect=Expectation(rows=None if expected is None else tuple(expected), **(expect or {})))
    answer = Reply(rows=None if got is None else tuple(got), **(reply or {}))
    return RowComparison(**options).score(Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=answer))


def told(expected: Any, got: Any, **options: Any) -> list[str]:
    verdict = examine(expected, got, **options)
    assert verdict.passed is not bool(verdict.details["mismatches"])
    return [f"{each['path']}: {each['message']}" for each in verdict.details["mismatches"]]


def cell(expected: Any, got: Any, **options: Any) -> str:
    """What is wrong with one cell."""
    found = told([{"k": expected}], [{"k": got}], **options)
    assert len(found) < 2
    return found[0].removeprefix("rows[0].k: ") if found else ""


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (500.0, 500),
        ("$565,238.13", 565238.13),
        (565238.13, "$565,238.13"),
        ("(500)", -500.0),
        ("12%", 12),
        ("($1,200.50)", -1200.5),
        ("1.5E-3", 0.0015),
        ("+5", 5),
        ("−5", -5),
        ("US$5", 5),
        ("5 €", 5),
        ("01234", "01234"),
        ("1F", "1F"),
        ("NaN", "NaN"),
        (None, None),
        (None, ""),
        (None, "  "),
        ("", None),
        (True, True),
        (True, " true "),
        ("USA ", " USA"),
        ("USA\u00a0", "USA"),
        (2**53 + 1, 2**53 + 1),
        (0, -0.0),
        ({"a": [1]}, {"a": [1]}),
    ],
)
def test_cells_that_agree(expected, got):
    assert cell(expected, got) == ""


@pytest.mark.parametrize(
    ("expected", "got", "message"),
    [
        ("Food", "Drink", 'expected "Food", got "Drink"'),
        (500.0, 501.0, "expected 500.0 ± tol(0.0,0.0), got 501.0"),
        ("12%", 0.12, "expected 12.0 ± tol(0.0,0.0), got 0.12"),
        ("(-500)", -500, 'expected "(-500)", got "-500"'),
        ("565.238,13", 565238.13, 'expected "565.238,13", got "565238.13"'),
        ("1,5", 15, 'expected "1,5", got "15"'),
        ("1F", "1D", 'expected "1F", got "1D"'),
        ("01234", "1234", 'expected "01234", got "1234"'),
        ("01234", 1234, 'expected "01234", got "1234"'),
        (1234, "01234", "expected numeric 1234.0 but actual is not a number: 01234"),
        (500, None, "expected numeric 500.0 but actual is not a number: null"),
        (5, float("nan"), "expected numeric 5.0 but actual is not a number: nan"),
        (1, True, "expected numeric 1.0 but actual is not a number: true"),
        (0, False, "expected numeric 0.0 but actual is not a number: false"),
        (None, 0, 'expected "", got "0"'),
        (True, "TRUE", 'expected "true", got "TRUE"'),
        (True, 1, 'expected "true", got "1"'),
        ("USA", "usa", 'expected "USA", got "usa"'),
        ("N/A", 5.0, 'expected "N/A", got "5.0"'),
        (0.3, 0.1 + 0.2, "expected 0.3 ± tol(0.0,0.0), got 0.30000000000000004"),
        (10_000_000, 1e7 + 1, "expected 1.0E7 ± tol(0.0,0.0), got 1.0000001E7"),
        (2**53 + 1, 2**53, "expected 9007199254740993 ± tol(0.0,0.0), got 9007199254740992"),
        (-1.5e-7, 0, "expected -1.5E-7 ± tol(0.0,0.0), got 0.0"),
        ("a\nb", 'say "x"', 'expected "a\\nb", got "say \\"x\\""'),
        (5, "five\n", "expected numeric 5.0 but actual is not a number: five"),
    ],
)
def test_cells_that_differ(expected, got, message):
    assert cell(expected, got) == message


@pytest.mark.parametrize(
    ("expected", "got", "options", "passed"),
    [
        (500, 501, {"relative": 0.01}, True),
        (100, 101, {"relative": 0.01}, True),
        (-100, -101, {"relative": 0.01}, True),
        (100, 101.0001, {"relative": 0.01}, False),
        (0, 0.0001, {"relative": 0.5}, False),
        (0, 0.0001, {"absolute": 0.001}, True),
        (0.4, 0.3, {"absolute": 0.1}, True),
        (10, 10.04, {"absolute": 0.05, "relative": 0.0001}, True),
        (10, 10.04, {"absolute": 0.0001, "relative": 0.05}, True),
        (10, 10.04, {"absolute": 0.001, "relative": 0.0001}, False),
        (5, "NaN", {"absolute": 1e9}, False),
        ("5 apples", "6 apples", {"absolute": 10}, False),
        (1e300, 2e300, {"relative": 1}, True),
    ],
)
def test_either_tolerance_is_enough_and_both_include_their_end(expected, got, options, passed):
    assert (cell(expected, got, **options) == "") is passed


def test_the_tolerance_is_told():
    assert cell(100.0, 250.0, relative=0.01) == "expected 100.0 ± tol(0.0,0.01), got 250.0"


@pytest.mark.parametrize(
    "name", ["storeSales", "STORE_SALES", "STORE-SALES", "store sales", "Store\u00a0Sales", "store\u202fsales\n"]
)
def test_names_are_compared_without_case_space_and_dashes(name):
    assert told([{"Store Sales": 1}], [{name: 1}]) == []
    assert told([{name: 1}], [{"Store Sales": 1}]) == []


def test_brackets_and_dots_belong_to_a_name():
    assert told([{"[A].[B]": 1}], [{"A B": 1}]) == ["rows[0].[A].[B]: expected key not present in actual row"]


def test_a_missing_key_is_told_and_an_extra_one_is_not():
    assert told([{"country": "USA", "storeSales": None}], [{"country": "USA", "more": 1}]) == [
        "rows[0].storeSales: expected key not present in actual row"
    ]


def test_of_two_names_that_are_alike_the_last_holds():
    assert told([{"s": 1}], [{"S": 9, "s": 1}]) == []
    assert told([{"s": 1}], [{"s": 1, "S": 9}]) != []


def test_the_example_of_the_source():
    families = ["Food", "Non-Consumable", "Drink"]
    got = ["Drink", "Food", "Non-Consumable"]
    assert told([{"productFamily": each} for each in families], [{"Product Family": each} for each in got]) == [
        'rows[0].productFamily: expected "Food", got "Drink"',
        'rows[1].productFamily: expected "Non-Consumable", got "Food"',
        'rows[2].productFamily: expected "Drink", got "Non-Consumable"',
    ]


def test_counts_that_differ_are_one_mismatch_and_what_both_have_is_compared():
    rows = [{"k": "a"}, {"k": "b"}, {"k": "c"}]
    assert told(rows, rows[:2]) == ["rows: expected 3 row(s), got 2"]
    assert told(rows[:1], rows[:2]) != []
    assert told(rows[:2], rows) == ["rows: expected 2 row(s), got 3"]
    assert told(rows, rows[1:]) == [
        "rows: expected 3 row(s), got 2",
        'rows[0].k: expected "a", got "b"',
        'rows[1].k: expected "b", got "c"',
    ]


def test_no_rows_are_asserted_by_an_empty_list():
    assert told([], []) == []
    assert told([], [{"k": 1}]) == ["rows: expected 0 row(s), got 1"]
    assert told([{}], [{"k": 1}]) == []
    assert examine([], []).reason == "no rows, as expected"


def test_an_answer_of_another_kind_has_no_rows():
    assert told([{"k": 1}], None, reply={"intent": "INSIGHT"}) == ["rows: expected 1 row(s), got 0"]
    assert told([], None, reply={"intent": "refused"}) == ["rows: expected a query that gives no rows, got REFUSED"]
    assert told([], None, reply={"intent": "REFUSED"}, expect={"intent": "REFUSED"}) == []


@pytest.mark.parametrize("reply", [{}, {"intent": "QUERY"}, {"intent": "of its own"}])
def test_rows_that_are_not_reported_are_unknown(reply):
    with pytest.raises(Missing, match="rows"):
        examine([{"k": 1}], None, reply=reply)


def test_a_reference_query_is_the_truth():
    turn = Turn(input="q", expect=Expectation(rows=({"k": 1},), reference_query={"measures": []}))
    case, reply = Case(id="c", turns=(turn,)), Reply(rows=({"k": 2},))

    def score(reference: Any) -> Verdict:
        return RowComparison().score(Evidence(case=case, turn=turn, reply=reply, reference=reference))

    assert score(({"k": 2},)).passed
    assert score(()).passed is False
    with pytest.raises(CallError, match="boom"):
        score(Failure(code="x", message="boom"))
    with pytest.raises(Missing, match="not run"):
        score(None)


def test_the_reason_is_short_and_the_details_are_whole():
    verdict = examine([{"k": n} for n in range(2000)], [{"k": -1 - n} for n in range(2000)])
    assert verdict.reason.endswith("; and 1995 more")
    assert len(verdict.reason) < 500
    details = verdict.details
    assert (details["mismatch_count"], len(details["mismatches"])) == (2000, 1000)
    assert (details["expected_count"], details["actual_count"], details["equal"]) == (2000, 2000, 0)
    assert details["mismatches"][1] == {
        "path": "rows[1].k",
        "message": "expected 1.0 ± tol(0.0,0.0), got -2.0",
        "row": 1,
        "key": "k",
        "actual_row": 1,
    }
    assert details["expected_rows"][:2] == [{"k": 0}, {"k": 1}]
    assert codec.decode(codec.encode(verdict), Verdict).details == codec.plain(details)


@pytest.mark.parametrize("options", [{"absolute": -0.1}, {"relative": float("nan")}, {"relative": float("inf")}])
def test_a_tolerance_below_nothing_is_refused(options):
    with pytest.raises(ValueError, match="0 or more"):
        RowComparison(**options)


UNORDERED: Any = {"order_matters": False}


@pytest.mark.parametrize(
    ("expected", "got", "options"),
    [
        ([{"c": "USA"}, {"c": "Canada"}], [{"c": "Canada"}, {"c": "USA"}], {}),
        (
            [{"country": "USA", "Store Sales": 100}, {"country": "Canada", "Store Sales": 500}],
            [{"country": "Canada", "storesales": 500}, {"country": "USA", "storesales": 100}],
            {},
        ),
        ([{"c": "a", "n": 1}, {"c": "b", "n": 2}], [{"aaa": 1, "c": "b", "n": 2}, {"aaa": 2, "c": "a", "n": 1}], {}),
        ([{"amt": "(500)", "t": "a"}, {"amt": "$100", "t": "b"}], [{"amt": 100.0, "t": "b"}, {"amt": -500.0, "t": "a"}], {}),
        (
            [{"amt": 100.0, "t": "a"}, {"amt": 101.0, "t": "b"}],
            [{"amt": 101.0, "t": "b"}, {"amt": 99.9, "t": "a"}],
            {"absolute": 1},
        ),
        ([{"n": 1}, {"n": 2}], [{"n": 1.5}, {"n": 0.5}], {"absolute": 0.5}),
        ([{"n": 10}, {"n": 9}], [{"n": 9}, {"n": "10"}], {}),
        ([{"n": 1}, {}], [{"n": 5}, {"n": 1}], {}),
        ([{"n": None}, {"n": 1}], [{"n": 1}, {"n": ""}], {"relative": 0.1}),
    ],
)
def test_without_order_each_row_finds_its_own(expected, got, options):
    assert told(expected, got, **UNORDERED, **options) == []


def test_rows_without_a_partner_keep_the_index_they_have_in_the_file():
    expected = [{"c": "a", "n": 1}, {"c": "b", "n": 2}, {"c": "c", "n": 3}]
    got = [{"c": "c", "n": 3}, {"c": "b", "n": 7}, {"c": "a", "n": 1}]
    assert told(expected, got, **UNORDERED) == ["rows[1].n: expected 2.0 ± tol(0.0,0.0), got 7.0"]
    assert told(expected, got[1:], **UNORDERED) == [
        "rows: expected 3 row(s), got 2",
        "rows[1].n: expected 2.0 ± tol(0.0,0.0), got 7.0",
        "rows[2]: no such row in the answer",
    ]
    assert told(expected[:1], got, **UNORDERED) == ["rows: expected 1 row(s), got 3"]


def test_a_row_that_stands_twice_must_be_there_twice():
    row, other = {"k": 1}, {"k": 2}
    assert told([row, row], [row, row], **UNORDERED) == []
    assert told([row, row], [row, other], **UNORDERED) == ["rows[1].k: expected 1.0 ± tol(0.0,0.0), got 2.0"]


def test_many_rows_are_matched_too():
    expected = [{"name": f"n{n % 500}", "sales": n * 1.5, "day": f"2024-{n}"} for n in range(4000)]
    got = [{**each, "sales": each["sales"] * 1.0001} for each in reversed(expected)]
    assert told(expected, got, **UNORDERED, relative=0.001) == []
    numbers = [{"n": n} for n in range(4000)]
    assert told(numbers, [{"n": n + 0.4} for n in range(4000)][::-1], **UNORDERED, absolute=0.5) == []
    assert len(told(numbers, [{"n": n + 0.4} for n in range(4000)][::-1], **UNORDERED, absolute=0.3)) == 1000


def test_many_rows_that_are_all_nearly_alike_hold_nothing_up():
    alike = [{"n": 1, "t": "x"}] * 3000
    assert told(alike, alike, **UNORDERED, absolute=0.5) == []
    near = [{"a": n / 1000, "b": n % 7 / 1000} for n in range(1500)]
    assert told(near, [{"a": each["a"] + 1, "b": each["b"] + 0.5} for each in near], **UNORDERED, absolute=3) == []
    many = [{"a": n / 1000, "b": n % 7 / 1000} for n in range(4000)]
    with pytest.raises(CallError, match="have a column of texts tell them apart"):
        examine(many, many, **UNORDERED, absolute=5)


def test_only_large_tables_are_said_to_take_long():
    def takes_long(rows):
        turn = Turn(input="q", expect=Expectation(rows=rows))
        return RowComparison().takes_long(Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=Reply(rows=rows)))

    assert takes_long(({"n": 1},) * 1000)
    assert not takes_long(({"n": 1},) * 10)
    assert not RowComparison().takes_long(Evidence(case=Case(id="c"), turn=Turn(input="q"), reply=Reply(text="x")))


VALUES = st.one_of(st.sampled_from(["a", "b", "1", "$2", "(1)", "007", "", None, True, 1.5]), st.integers(-2, 4))
ROWS = st.lists(st.dictionaries(st.sampled_from(["k", "K ", "n"]), VALUES, max_size=3), max_size=4)


@given(ROWS, ROWS, st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5]))
def test_without_order_it_is_as_good_as_trying_every_order(expected, got, absolute, relative):
    def agree(order):
        return sum(examine([one], [other], absolute=absolute, relative=relative).passed for one, other in order)

    if len(expected) <= len(got):
        best = max(agree(zip(expected, way, strict=True)) for way in permutations(got, len(expected)))
    else:
        best = max(agree(zip(way, got, strict=True)) for way in permutations(expected, len(got)))
    verdict = examine(expected, got, absolute=absolute, relative=relative, order_matters=False)
    assert verdict.details["equal"] == best
    assert verdict.passed is (best == len(expected) == len(got))


@given(ROWS, ROWS, st.sampled_from([0.0, 1.0]))
def test_what_passes_in_order_passes_without(expected, got, absolute):
    if examine(expected, got, absolute=absolute).passed:
        assert examine(expected, got, absolute=absolute, order_matters=False).passed


@given(ROWS)
def test_rows_agree_with_themselves(rows):
    folded = [{name.strip().lower(): value for name, value in row.items()} for row in rows]
    assert examine(folded, folded).passed
    assert examine(folded, folded[::-1], order_matters=False).passed


@given(VALUES, VALUES, st.floats(0, 5), st.floats(0, 1))
def test_a_cell_says_what_is_wrong_with_it_or_nothing(expected, got, absolute, relative):
    message = difference(made(expected), made(got), Tolerance.of(absolute, relative))
    assert message == "" or message.startswith("expected ")
