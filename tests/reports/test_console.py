import io
import re
from dataclasses import replace

import pytest
from conftest_reports import HOSTILE, check_gold, exact, fixed_run, hostile_run, interrupted_run, repeated_run, run_of, said
from rich.cells import cell_len

from vivavoce.core.model import Use
from vivavoce.core.result import Exchange, Fault, Result
from vivavoce.reports.console import Console

ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(run, out=None, **options):
    out = io.StringIO() if out is None else out
    Console(**options).render(run, out)
    return out.getvalue()


def encoded(run, encoding, **options):
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding=encoding, errors="strict", newline="") as out:
        Console(**options).render(run, out)
        out.flush()
        return raw.getvalue().decode(encoding)


def failing(count, text="42", repeats=1):
    turn = Exchange(input="q", expected=text, reply=said(text), scores=(exact("fail", text),))
    return run_of(
        [Result(suite="s", case=f"c{at}", position=at, status="fail", turns=(turn,)) for at in range(count)], repeat=repeats
    )


def test_repeats_have_their_gold_file():
    check_gold("repeated_run.console", shown(repeated_run()))


def test_the_narrow_page_has_its_gold_file():
    check_gold("fixed_run.console-60", shown(fixed_run(), width=60))


def test_the_ascii_page_has_its_gold_file():
    check_gold("fixed_run.console-ascii", encoded(fixed_run(), "ascii"))


def test_the_verbose_page_has_its_gold_file():
    check_gold("fixed_run.console-verbose", shown(fixed_run(), verbose=True))


@pytest.mark.parametrize("width", [40, 60, 72, 80, 99, 100, 120, 160, 200])
@pytest.mark.parametrize("make", [fixed_run, repeated_run, hostile_run])
@pytest.mark.parametrize("color", [False, True])
def test_no_line_is_wider_than_asked(make, width, color):
    text = ANSI.sub("", shown(make(), width=width, color=color))
    assert [line for line in text.splitlines() if cell_len(line) > width] == []


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_colour_adds_nothing_but_colour(width):
    plain = shown(fixed_run(), width=width, color=False)
    colored = shown(fixed_run(), width=width, color=True)
    assert "\x1b[" in colored
    bars = str.maketrans("█▓░▒", "━━━━")
    strip = "\n".join(line.rstrip() for line in ANSI.sub("", colored).split("\n"))
    assert strip == plain.translate(bars)


def test_colour_only_on_a_terminal_that_wants_it(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    run = fixed_run()
    assert "\x1b[" in shown(run, Terminal())
    assert "\x1b[" not in shown(run)
    assert "\x1b[" not in shown(run, Terminal(), color=False)
    assert "\x1b[" in shown(run, color=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in shown(run, Terminal())
    assert "\x1b[" in shown(run, Terminal(), color=True)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b[" not in shown(run, Terminal())


def test_a_forced_environment_colours_no_file(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "37")
    assert shown(fixed_run()) == shown(fixed_run(), width=100)
    assert "\x1b" not in shown(fixed_run())


@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("120", 120), ("", 100), ("wide", 100)])
def test_a_pipe_is_as_wide_as_it_is_told(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.stdout", pipe := io.StringIO())
    assert shown(fixed_run(), pipe) == shown(fixed_run(), width=width)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "cp437", "shift_jis", "utf-8", "utf-16"])
@pytest.mark.parametrize("make", [fixed_run, hostile_run, repeated_run])
def test_any_encoding_will_do(make, encoding):
    text = encoded(make(), encoding, color=True)
    assert "FAILED" in text
    if encoding in ("ascii", "cp1252", "latin-1"):
        assert "─" not in text
        assert "x \x1b" in text or "x " in text


def test_what_an_encoding_has_is_kept():
    assert "Zoë" in encoded(fixed_run(), "cp1252")
    assert "Zo\\xeb" in encoded(fixed_run(), "ascii")


def test_hostile_answers_are_printed_and_do_nothing():
    text = shown(hostile_run(), failures=100)
    assert "\x1b" not in text
    assert "[bold red]markup[/bold red]" in text
    assert ":smile:" in text
    assert "␛[31;1mred" in text
    assert "invoice<U+202E>gpj.exe" in text
    assert "… [1,048,576 characters]" in text
    assert len(text) < 150_000
    assert "sk-secret" not in text


@pytest.mark.parametrize("at", range(len(HOSTILE)))
def test_in_colour_only_our_own_escapes_are_written(at):
    text = HOSTILE[at]
    turn = Exchange(input=text, expected=text, reply=said(text), scores=(exact("fail", text),))
    run = run_of([Result(suite=text, case=text[:99], name=text[:99], category=text, status="fail", turns=(turn,))])
    assert "\x1b" not in ANSI.sub("", shown(run, color=True))


def test_every_failure_says_what_was_asked_expected_and_got_and_why():
    text = shown(fixed_run())
    block = text[text.index("✗ rice-water") : text.index("✗ late-parcel")]
    for part in (
        "Water for rice",
        "kitchen · cooking",
        "How much water",
        "Two cups.",
        "one and a half",
        'ExactMatch  expected "Two',
    ):
        assert part in block
    thread = text[text.index("✗ late-parcel") : text.index("✗ beds")]
    assert "turn 2 of 3" in thread
    assert "turn 1 of 3" not in thread
    assert "2 < 3" in thread
    assert "all 3 turns" in thread


def test_what_was_asked_is_left_out_where_nobody_knows():
    turn = Exchange(input=None, error=Fault(code="http_404", message="there is no response of this id"))
    page = shown(run_of([Result(suite="s", case="c", position=0, status="error", turns=(turn,))]))
    assert "http_404: there is no response of this id" in page
    assert "asked" not in page.split("Errors")[1]


def test_passed_cases_are_only_counted():
    assert "boil-egg" not in shown(fixed_run())


def test_cases_that_met_the_same_error_are_told_together():
    fault = Fault(code="connection", message="connection refused")
    turn = Exchange(input="q", error=fault)
    run = run_of(
        [Result(suite="s", case=f"c{at}", position=at, status="error", turns=(turn,), error=fault) for at in range(50)]
    )
    text = shown(run)
    assert text.count("connection refused") == 1
    assert "the same in 49 more cases: c1, c2, c3, c4, c5, c6, c7, c8 and 41 more" in text


def test_an_errored_case_that_also_failed_is_told_by_itself():
    fault = Fault(code="connection", message="connection refused")
    lost = Exchange(input="q", error=fault)
    failed = Exchange(input="other", expected="e", reply=said("x"), scores=(exact("fail", "not e"),))
    turns = [(lost,), (failed, lost)]
    run = run_of(
        [
            Result(suite="s", case=f"c{at}", position=at, status="error", turns=each, error=fault)
            for at, each in enumerate(turns)
        ]
    )
    assert "not e" in shown(run)


def test_failures_beyond_the_first_are_counted_with_the_way_to_them():
    text = shown(failing(50), failures=3)
    assert text.count("✗ c") == 3
    assert "and 47 more failed cases: viva show 20260131-120000-7f3a --output report.html" in text
    assert "more failed" not in shown(failing(3), failures=3)
    assert "and 1 more failed case:" in shown(failing(1), failures=0)


def test_repeats_of_a_failing_case_are_told_once():
    text = shown(repeated_run())
    assert text.count("✗ proof-dough") == 1
    assert "failed again in repeat 1, repeat 2" in text
    assert "unstable" in text
    assert "pass@3" in text


def test_skips_are_told_once_a_reason():
    text = shown(fixed_run())
    assert text.count("no judge is set") == 1
    assert re.search(r"^ +3 Relevance  no judge is set", text, re.MULTILINE)


def test_a_long_text_is_cut_and_verbose_shows_more():
    run = failing(1, "\n".join(f"line {at}" for at in range(30)))
    assert "line 3…" in shown(run)
    assert "line 4" not in shown(run)
    assert "line 29" in shown(run, verbose=True)


def test_verbose_shows_the_checks_that_passed_too():
    assert "the answer gives an amount of water" in shown(fixed_run(), verbose=True)
    assert "the answer gives an amount of water" not in shown(fixed_run())


def test_an_empty_answer_is_said_to_be_empty():
    assert "(nothing)" in shown(failing(1, ""))


def test_the_verdict_is_the_last_line_and_knows_the_gate():
    assert shown(fixed_run()).splitlines()[-1] == (
        "✗ FAILED: 3 of 11 cases failed, 4 errored; 3 passed (50.0 % of 6 scored); 1 skipped"
    )
    assert (
        shown(fixed_run(), min_pass_rate=0.25).splitlines()[-1].startswith("✓ PASSED: 3 of 10 cases passed, 30.0 %, at least")
    )


def test_an_unfinished_run_says_how_to_finish_it():
    assert "finish it with: viva resume 20260131-120000-7f3a" in shown(interrupted_run())
    assert "viva resume" not in shown(fixed_run())


def test_a_tables_rows_are_bounded():
    turn = Exchange(input="q", reply=said("a"), scores=(exact("pass", "r"),))
    run = run_of(
        [Result(suite="s", category=f"k{at}", case=f"c{at}", position=at, status="pass", turns=(turn,)) for at in range(1000)]
    )
    text = shown(run)
    assert "… and 970 more" in text
    assert len(text.splitlines()) < 70


def test_who_was_examined_is_said_without_secrets():
    run = fixed_run()
    selection = replace(
        run.header.selection, target=Use(name="http", options={"url": "http://a", "api_token": "t0p"}), judge=None
    )
    text = shown(replace(run, header=replace(run.header, selection=selection)))
    assert "api_token=(hidden), url=http://a" in text
    assert "t0p" not in text
    assert re.search(r"judge +none", text)
