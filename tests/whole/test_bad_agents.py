"""Agents that fail in every way: one clear line each, no other case harmed, and the right exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Server, Viva, write_cases


@pytest.fixture
def viva(viva_here: Viva) -> Viva:
    """Each of these is about files, and a process of its own would show nothing more."""
    return viva_here


EXACT = {"ExactMatch": {}}
GOOD = [{"id": f"good-{n}", "input": f"say {n}", "expected": str(n), "evaluators": EXACT} for n in range(3)]
TELLS = {
    "never": ("timeout", "no answer within 6 s"),
    "close": ("connection", "connection"),
    "broken": ("http_500", "500"),
    "html": ("bad_payload", "web page"),
    "empty": ("bad_payload", "empty"),
    "huge": ("too_large", "16,777,216 bytes"),
    "half": ("bad_payload", "JSON"),
    "number": ("bad_payload", "number"),
    "reset": ("connection", "the connection broke before the answer was complete"),
    "short": ("connection", "the connection broke before the answer was complete"),
    "garbage": ("bad_payload", "gave an answer that cannot be read"),
    "drip": ("timeout", "no answer within 6 s"),
    "image": ("bad_payload", "image/png"),
    "loop": ("redirect", "redirects more than 5 times"),
    "storm": ("http_429", "answered 429 Too Many Requests"),
    "later": ("http_503", "it asks to wait 86,400 s, and no more than 600 s are waited"),
}
ASKED = {"loop": 6, "storm": 2}
"""How often those are asked that are asked more than once."""


def run(viva: Viva, tmp_path: Path, cases: list[dict[str, Any]], url: str, *more: str) -> tuple[Any, dict[str, Any]]:
    write_cases(tmp_path / "cases.jsonl", cases)
    # Time enough for all who answer, also on a busy machine; the one who never does takes it all.
    options = ("--target", url, "--timeout", "6", "--retries", "1", "--output", "out.json", "--no-color", *more)
    done = viva("run", "cases.jsonl", *options)
    document = json.loads((tmp_path / "out.json").read_text()) if (tmp_path / "out.json").exists() else {}
    return done, document


def test_every_failure_is_one_clear_line_and_harms_no_other_case(viva: Viva, tmp_path: Path, server: Server) -> None:
    bad = [{"id": kind, "input": f"{kind} now", "expected": "now", "evaluators": EXACT} for kind in TELLS]
    done, document = run(viva, tmp_path, [GOOD[0], *bad, *GOOD[1:]], server.url)
    assert done.returncode == 1, done.stderr
    results = {result["case"]: result for result in document["results"]}
    assert [results[good["id"]]["status"] for good in GOOD] == ["pass"] * 3
    for kind, (code, words) in TELLS.items():
        error = results[kind]["error"]
        assert results[kind]["status"] == "error"
        assert (error["code"], "\n" in error["message"]) == (code, False), error
        assert words in error["message"], error
        assert results[kind]["turns"][0]["scores"][0]["status"] == "error"
        assert server.asked[f"{kind} now"] == ASKED.get(kind, 1), "a call that may have reached the agent is not repeated"
    assert "Traceback" not in done.stdout + done.stderr
    assert "\x1b[31m" not in done.stdout
    assert document["summary"]["pass_rate"] == 1.0, "an error never enters a rate"
    assert document["summary"]["error"] == len(TELLS)


@pytest.mark.parametrize("no_fail", [(), ("--no-fail-on-regression",)])
def test_a_dead_agent_is_never_a_success(viva: Viva, tmp_path: Path, dead_url: str, no_fail: tuple[str, ...]) -> None:
    done, document = run(viva, tmp_path, GOOD, dead_url, *no_fail)
    assert done.returncode == 2
    assert [result["error"]["code"] for result in document["results"]] == ["connection"] * 3
    assert "refused" in document["results"][0]["error"]["message"]


def test_an_agent_that_answers_nothing_but_errors_is_never_a_success(viva: Viva, tmp_path: Path, server: Server) -> None:
    done, _ = run(viva, tmp_path, [{"input": "broken now", "expected": "x", "evaluators": EXACT}], server.url)
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("case", "options", "code"),
    [
        ({"expected": "1"}, (), 2),
        ({"expected": "1"}, ("--no-fail-on-regression",), 2),
        ({"evaluators": {"ExactMatch": {}}}, (), 1),
        ({"expected": "1", "evaluators": {"ExactMatch": {}}}, (), 0),
        ({"expected": "2", "evaluators": {"ExactMatch": {}}}, (), 1),
        ({"expected": "2", "evaluators": {"ExactMatch": {}}}, ("--no-fail-on-regression",), 0),
        ({"expected": "2", "evaluators": {"ExactMatch": {}}}, ("--min-pass-rate", "0"), 0),
        ({"expected": "1", "evaluators": {"ExactMatch": {}, "Relevance": {}}}, (), 0),
    ],
)
def test_exit_codes(
    viva: Viva, tmp_path: Path, server: Server, case: dict[str, Any], options: tuple[str, ...], code: int
) -> None:
    done, _ = run(viva, tmp_path, [{"input": "say 1", **case}], server.url, *options, "--judge", "none")
    assert done.returncode == code, done.stdout + done.stderr


def test_an_agent_whose_answers_nobody_examines_is_not_asked(viva: Viva, tmp_path: Path, server: Server) -> None:
    write_cases(tmp_path / "cases.jsonl", [{"input": "say 1", "evaluators": {}, "evaluators_mode": "replace"}])
    done = viva("run", "cases.jsonl", "--target", server.url)
    assert (done.returncode, sum(server.asked.values())) == (2, 0)
    assert "viva: no check: the files ask for no evaluator and none is named" in done.stderr
    assert viva("run", "cases.jsonl", "--target", server.url, "--output", "out.json").returncode == 2
    assert json.loads((tmp_path / "out.json").read_text())["results"][0]["turns"][0]["reply"]["text"] == "1"


def test_no_case_selected_is_a_usage_error(viva: Viva, tmp_path: Path, server: Server) -> None:
    done, document = run(viva, tmp_path, GOOD, server.url, "--case", "nothing-*")
    assert done.returncode == 2
    assert not document
    assert "no case matches --case nothing-*" in done.stderr
    assert not server.asked


def test_numbers_beyond_belief_harm_their_own_case_alone(viva: Viva, tmp_path: Path, server: Server) -> None:
    """Sums of them would be infinite, which no run document can hold: neither the run nor the list of runs may end at that."""
    (tmp_path / "custom-evaluators" / "grandeur").mkdir(parents=True)
    (tmp_path / "custom-evaluators" / "grandeur" / "grandeur.py").write_text(
        'class Grandeur:\n    def __call__(self, *, prompt="", **_):\n        return {"score": 1e308, "reason": prompt}\n'
    )
    (tmp_path / "boaster.py").write_text(
        "def answer(question):\n"
        '    took = {"tokens": {"input_tokens": 10**400}, "money": {"cost_usd": 1e308}}\n'
        '    return {"text": "0", "usage": took.get(question.split()[0], {"input_tokens": 5})}\n'
    )
    boasts = [
        {"id": f"{what}-{n}", "input": f"{what} {n}", "evaluators": EXACT} for what in ("tokens", "money") for n in range(2)
    ]
    scored = [{"id": f"scored-{n}", "input": f"score {n}", "evaluators": {"grandeur": {}}} for n in range(3)]
    write_cases(tmp_path / "cases.jsonl", [{**GOOD[0], "expected": "0"}, *boasts, *scored])
    done = viva("run", "cases.jsonl", "--target", "python:boaster:answer", "--repeat", "2", "--output", "out.json")
    assert done.returncode == 1, done.stderr
    document = json.loads((tmp_path / "out.json").read_text())
    assert (document["summary"]["pass"], document["summary"]["error"]) == (2, 14)
    assert document["summary"]["usage"]["input_tokens"] == 8 * 5
    reasons = {score["reason"] for result in document["results"] for turn in result["turns"] for score in turn["scores"]}
    assert any("too large to be averaged" in reason for reason in reasons), reasons
    for command in (("runs",), ("show", "last"), ("resume", "last")):
        told = viva(*command)
        assert "internal error" not in told.stdout + told.stderr
        assert told.returncode == (1 if command[0] == "resume" else 0), told.stderr
