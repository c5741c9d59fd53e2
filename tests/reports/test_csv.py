import csv
import io
import re

import pytest
from conftest_reports import HOSTILE, fixed_run, hostile_run, run_of

from vivavoce.core.reply import Reply
from vivavoce.core.result import Exchange, Fault, Result, Score
from vivavoce.reports.csv import CELL_LIMIT, COLUMNS, Csv

TEXTS = (
    "suite",
    "case",
    "name",
    "category",
    "check",
    "evaluator",
    "label",
    "reason",
    "input",
    "expected",
    "response",
    "error",
    "judge",
)
PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?%?")


def written(run, **options):
    out = io.StringIO(newline="")
    Csv(**options).render(run, out)
    return out.getvalue()


def rows_of(run):
    return list(csv.DictReader(io.StringIO(written(run, bom=False), newline=""), strict=True))


def one(text="x", **turn):
    score = Score(name="ExactMatch", evaluator="ExactMatch", status="fail", value=-0.5, threshold=-1, reason=text)
    exchange = Exchange(**{"input": text, "expected": text, "reply": Reply(text=text), "scores": (score,), **turn})
    return run_of([Result(suite="s", case="c", status="fail", turns=(exchange,))])


def test_a_score_is_a_row_and_nothing_is_missing():
    run = fixed_run()
    rows = rows_of(run)
    wanted = []
    for result in run.results:
        for index, turn in enumerate(result.turns):
            wanted += [(result.case, str(index), score.name) for score in turn.scores] or [(result.case, str(index), "")]
        wanted += [(result.case, "", score.name) for score in result.scores]
    assert [(row["case"], row["turn"], row["check"]) for row in rows] == wanted
    assert list(rows[0]) == list(COLUMNS)


def test_a_row_tells_the_score_and_what_it_is_about():
    (row,) = [
        row for row in rows_of(fixed_run()) if (row["case"], row["turn"], row["check"]) == ("late-parcel", "1", "Relevance")
    ]
    assert row["status"] == row["score"] == "fail"
    assert (row["value"], row["unit_value"], row["threshold"]) == ("2.0", "0.25", "3")
    assert row["input"] == "It should have been here on Monday. What can I do?"
    assert row["response"].startswith("I am sorry")
    assert (row["judge"], row["seconds"], row["error"]) == ("local", "2.4", "")


def test_a_turn_without_an_answer_says_why():
    rows = [row for row in rows_of(fixed_run()) if row["case"] == "gift"]
    assert [row["error"] for row in rows] == [
        "",
        "http_500: the agent answered 500: database is locked",
        "not_sent: not sent: an earlier turn of this conversation failed",
    ]
    assert [row["score"] for row in rows] == ["pass", "", ""]
    assert rows[1]["input"] == '{"to":"Zoë","text":"Happy birthday"}'


def test_a_case_without_turns_has_its_row():
    run = run_of([Result(suite="s", case="lost", status="error", error=Fault(code="crashed", message="no session"))])
    (row,) = rows_of(run)
    assert (row["case"], row["status"], row["check"], row["error"]) == ("lost", "error", "", "crashed: no session")


def test_a_conversations_score_has_the_texts_of_its_only_turn():
    score = Score(name="Trajectory", evaluator="Trajectory", status="pass", value=1.0, reason="r")
    turn = Exchange(input="q", expected="e", reply=Reply(text="a"))
    (_, row) = rows_of(run_of([Result(suite="s", case="c", status="pass", turns=(turn,), scores=(score,))]))
    assert (row["turn"], row["check"], row["input"], row["expected"], row["response"]) == ("", "Trajectory", "q", "e", "a")


def test_it_is_rfc_4180_with_a_mark_for_excel():
    text = written(one('says "a, b"\nand c'))
    assert text.startswith("\ufeff" + ",".join(COLUMNS) + "\r\n")
    assert '"says ""a, b""\nand c"' in text
    assert text.endswith("\r\n")
    assert not written(one(), bom=False).startswith("\ufeff")


def test_a_pipe_gets_no_byte_order_mark(tmp_path):
    class Pipe(io.StringIO):
        def seekable(self):
            return False

    pipe = Pipe(newline="")
    Csv().render(one(), pipe)
    assert pipe.getvalue().startswith("position,")
    path = tmp_path / "scores.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        Csv().render(one(), out)
    assert path.read_bytes().startswith(b"\xef\xbb\xbfposition,")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1+cmd|'/c calc'!A0", "'+1+cmd|'/c calc'!A0"),
        ("-2+3", "'-2+3"),
        ("- a point", "'- a point"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1+1", "'\t=1+1"),
        ("  =1+1", "'  =1+1"),
        ("\n=1+1", "'\n=1+1"),
        ("\r=1+1", "␍=1+1"),
        ("＝1+1", "'＝1+1"),
        ("-5", "-5"),
        ("+3.5", "+3.5"),
        ("-1e-3", "-1e-3"),
        ("a=b", "a=b"),
        ("", ""),
        ("007", "007"),
    ],
)
def test_no_text_is_a_formula(text, cell):
    (row,) = rows_of(one(text))
    assert [row["reason"], row["input"], row["expected"], row["response"]] == [cell] * 4


def test_numbers_stay_numbers():
    (row,) = rows_of(one())
    assert (row["value"], row["threshold"]) == ("-0.5", "-1")


def test_hostile_cells():
    rows = rows_of(hostile_run())
    assert {row["position"] for row in rows} == {str(at) for at in range(2 * len(HOSTILE))}
    for row in rows:
        for column in TEXTS:
            cell = row[column]
            assert not re.match(r"\s*[=+\-@]", cell) or PLAIN_NUMBER.fullmatch(cell)
            assert not cell.startswith("\t")
            assert len(cell.encode("utf-16-le")) // 2 <= CELL_LIMIT
    assert {row["value"] for row in rows} == {""}  # not "nan"


@pytest.mark.parametrize("letter", ["x", "ö", "日", "😀", "\x1b", "="])
@pytest.mark.parametrize("length", [CELL_LIMIT - 1, CELL_LIMIT, CELL_LIMIT + 1, 1_048_576])
def test_a_long_text_is_cut_to_what_excel_holds_and_says_so(letter, length):
    (row,) = rows_of(one(letter * length))
    units = len(row["response"].encode("utf-16-le")) // 2
    assert units <= CELL_LIMIT
    if length > CELL_LIMIT or letter == "😀":
        assert row["response"].endswith(f"… [{length:,} characters]")
        assert units >= CELL_LIMIT - 1
    elif letter in "xö日":
        assert row["response"] == letter * length
