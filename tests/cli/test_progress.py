"""How far a run is, on standard error."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from vivavoce.cli.progress import Lines, Silent, progress
from vivavoce.core.model import Header, Plan, Selection
from vivavoce.core.reply import Reply
from vivavoce.core.result import Exchange, Fault, Result

PLAN = Plan(header=Header(digest="", selection=Selection(), files=(), version=""), trials=(), count=4)


def result(status, **parts):
    return Result(suite="desk", case="\x1b[31mlamp", status=status, **parts)


def test_a_line_has_count_rate_time_left_outcomes_and_cost(capsys):
    lines = Lines(every=0)
    lines.began(PLAN, 1)
    lines.result(result("pass", turns=(Exchange(input="a", reply=Reply(text="b", usage={"cost_usd": 0.25})),)))
    lines.result(result("error", error=Fault(code="timeout", message="no answer")))
    first, second = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"2/4, [\d.]+/s, \d+:\d\d left: 1 pass, \$0\.2500", first)
    assert re.fullmatch(r"3/4, [\d.]+/s, \d+:\d\d left: 1 pass, 1 error, \$0\.2500", second)


def test_lines_are_few(capsys):
    lines = Lines()
    lines.began(PLAN, 0)
    lines.result(result("pass"))
    assert capsys.readouterr().err == ""


def test_verbose_lines_name_the_case_and_why(capsys):
    lines = Lines(verbose=True)
    lines.began(PLAN, 0)
    lines.result(result("error", repeat=2, error=Fault(code="timeout", message="no answer")))
    told = capsys.readouterr().err
    assert told.startswith("error desk ")
    assert told.endswith("lamp (3): no answer\n")
    assert "\x1b" not in told


def test_quiet_says_nothing():
    assert type(progress(quiet=True, verbose=True, no_color=False)) is Silent


@pytest.mark.parametrize("argv", [(), ("--verbose",), ("--no-color",)])
def test_a_terminal_gets_a_bar_that_goes_away(folder, cases, argv):
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "vivavoce", "run", cases, *argv]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "TERM": "xterm"}) as started:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # the other side is closed
            pass
    os.close(ours)
    assert started.returncode == 1
    text = shown.decode()
    assert "3/3" in text
    assert text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l") >= 0
    assert ("\x1b[32m" in text) is ("--no-color" not in argv)
    assert ("fail  cases sum" in text) is ("--verbose" in argv)
