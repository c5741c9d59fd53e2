"""`runevals` before a terminal, and prompts typed one by one."""

from __future__ import annotations

import json

import pytest

from vivavoce.core.source import Source

TOML = 'evaluator = ["ExactMatch"]\n'


@pytest.fixture
def exact(folder):
    """Typed prompts are examined by ExactMatch, which needs no judge."""
    (folder / "viva.toml").write_text(TOML)


def items(folder, name="out.json"):
    return json.loads((folder / name).read_text(encoding="utf-8"))["items"]


def test_each_prompt_is_answered_and_scored_at_once(terminal, echo, folder, exact):
    screen = terminal("--target", echo, "--interactive", "-o", "out.json")
    screen.expect("Prompt: ")
    screen.type("What is tea?\n")
    screen.expect("Expected answer (Enter for none): ")
    screen.type("What is tea?\n")
    screen.expect("Agent: What is tea?")
    screen.expect("pass  ExactMatch")
    screen.expect("Prompt: ")
    screen.type("Schöne Grüße 🌊\n")
    screen.expect("Expected answer")
    screen.type("nothing of the kind\n")
    screen.expect("fail  ExactMatch")
    screen.expect("Prompt: ")
    screen.type("\n")
    screen.expect("1 of 2 cases failed")
    screen.expect("Results: out.json")
    assert screen.end() == 1
    assert [(item["prompt"], item["status"]) for item in items(folder)] == [
        ("What is tea?", "pass"),
        ("Schöne Grüße 🌊", "fail"),
    ]


def test_earlier_lines_come_back(terminal, echo, exact):
    pytest.importorskip("readline")
    screen = terminal("--target", echo, "-i")
    screen.expect("Prompt: ")
    screen.type("What is rye?\n")
    screen.expect("Expected answer")
    screen.type("What is rye?\n")
    screen.expect("pass  ExactMatch")
    screen.expect("Prompt: ")
    screen.type("\x1b[A\n")
    screen.expect("Expected answer")
    screen.type("\x1b[A\n")
    screen.expect("pass  ExactMatch")
    screen.expect("Prompt: ")
    screen.type("\x04")
    screen.expect("all 2 cases passed")
    assert screen.end() == 0


def test_ctrl_c_ends_with_what_was_done(terminal, echo, folder, exact):
    screen = terminal("--target", echo, "-i", "-o", "out.json")
    screen.expect("Prompt: ")
    screen.type("a\n")
    screen.expect("Expected answer")
    screen.type("a\n")
    screen.expect("pass  ExactMatch")
    screen.expect("Prompt: ")
    screen.type("half a pro")
    screen.expect("half a pro")
    screen.interrupt("1 of 1 case passed")
    assert screen.end() == 130
    assert len(items(folder)) == 1


def test_ctrl_c_while_the_agent_thinks(terminal, folder, exact):
    (folder / "slow.py").write_text(
        "import asyncio\n\nasync def answer(said):\n    print('THINKING', flush=True)\n    await asyncio.sleep(60)\n"
    )
    screen = terminal("--target", "python:slow:answer", "-i")
    screen.expect("Prompt: ")
    screen.type("a\n")
    screen.expect("Expected answer")
    screen.type("\n")
    screen.expect("THINKING")
    screen.interrupt("Stopping")
    assert screen.end() == 130


def test_a_session_is_one_stored_run(terminal, echo, folder, exact):
    from vivavoce.cli.main import viva

    screen = terminal("--target", echo, "-i")
    for prompt in ("a", "b", "c"):
        screen.expect("Prompt: ")
        screen.type(f"{prompt}\n")
        screen.expect("Expected answer")
        screen.type(f"{prompt}\n")
    screen.expect("Prompt: ")
    screen.type("\x04")
    assert screen.end() == 0
    assert viva(["show", "last", "--output", "run.json"]) == 0
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert (run["state"], run["summary"]["trials"], run["summary"]["pass"]) == ("complete", 3, 3)
    assert [(each["suite"], each["case"]) for each in run["results"]] == [("prompts", f"#{number}") for number in range(3)]
    (file,) = run["plan"]["files"]
    assert Source(folder / file["path"]).sha256() == file["sha256"]


def test_without_a_terminal_lines_are_read(process, echo, folder, exact):
    done = process("--target", echo, "-i", "-o", "out.json", stdin="a\na\nb\n\n\nnever read\n")
    assert done.code == 0
    assert "skip  ExactMatch: needs an expected" in done.out
    assert [item["prompt"] for item in items(folder)] == ["a", "b"]
    done = process("--target", echo, "-i", "-o", "out.json", stdin="only a prompt")
    assert [item["prompt"] for item in items(folder)] == ["only a prompt"]


def test_bytes_that_are_no_text_are_not_asked(process, echo, folder, exact):
    done = process("--target", echo, "-i", "-o", "out.json", stdin=b"\xff\xfe\n\na\na\n")
    assert "Not asked" in done.err
    assert "UTF-8" in done.err
    assert done.code == 0
    assert [item["prompt"] for item in items(folder)] == ["a"]


def test_nothing_but_what_cannot_be_asked_is_told_as_that(process, echo):
    done = process("--target", echo, "-i", stdin=b"\xff\xfe\n\n\n")
    assert done.code == 2
    assert "no prompt was asked, so nothing was run" in done.err


def test_results_of_an_earlier_run_are_not_told_as_those_of_one_that_asked_nothing(terminal, echo, folder):
    (folder / "out.json").write_text("earlier", encoding="utf-8")
    screen = terminal("--target", echo, "-i", "-o", "out.json")
    screen.expect("Prompt: ")
    with pytest.raises((AssertionError, OSError)):
        screen.interrupt("Results:")
    assert screen.end() == 130
    assert (folder / "out.json").read_text(encoding="utf-8") == "earlier"


def test_a_budget_ends_the_session_and_what_was_not_asked_is_there_to_resume(process, folder, exact):
    (folder / "paid.py").write_text("def answer(said):\n    return {'text': said, 'usage': {'input_tokens': 10}}\n")
    with (folder / "viva.toml").open("a", encoding="utf-8") as settings:
        settings.write("token-budget = 15\n")
    done = process("--target", "python:paid:answer", "-i", "-o", "out.json", stdin="a\na\nb\nb\nc\nc\nd\nd\n\n")
    assert done.code == 1
    assert "A limit of the run is reached, so nothing more is asked." in done.err
    assert "finish it with: viva resume" in done.out
    assert [item["response"] for item in items(folder)] == ["a", "b"]
    (typed,) = (folder / ".viva" / "prompts").iterdir()
    assert [item["prompt"] for item in json.loads(typed.read_text(encoding="utf-8"))["items"]] == ["a", "b", "c"]


def test_no_prompt_is_nothing_evaluated(process, echo, folder):
    done = process("--target", echo, "-i")
    assert (done.code, done.out) == (2, "")
    assert "no prompt was typed" in done.err
    assert not (folder / ".viva").exists()


def test_what_is_wrong_with_the_agent_is_told_before_anything_is_typed(process):
    done = process("--target", "python:nowhere:answer", "-i", stdin="a\n\n")
    assert done.code == 2
    assert "nowhere" in done.err
    assert "Each prompt" not in done.err


def test_a_starter_is_offered_and_enter_takes_it(terminal, echo, folder):
    screen = terminal("--target", echo, "--judge", "none")
    screen.expect("(Y/n): ")
    screen.type("perhaps\n")
    screen.expect("(Y/n): ")
    screen.type("\n")
    screen.expect("Wrote evals/evals.json")
    screen.expect("Results: .evals/")
    assert screen.end() == 2  # everything is skipped: there is no judge
    written = json.loads((folder / "evals" / "evals.json").read_text(encoding="utf-8"))
    assert len(written["items"]) >= 2


@pytest.mark.parametrize("answer", ["n\n", "No\n", "\x04"])
def test_a_starter_can_be_declined(terminal, echo, folder, answer):
    screen = terminal("--target", echo)
    screen.expect("(Y/n): ")
    screen.type(answer)
    screen.expect("viva init")
    assert screen.end() == 2
    assert not (folder / "evals").exists()


@pytest.mark.parametrize("variable", ["CI", "TF_BUILD"])
def test_nothing_is_offered_in_ci(terminal, echo, folder, variable):
    screen = terminal("--target", echo, **{variable: "true"})
    screen.expect("viva init")
    assert screen.end() == 2
    assert "(Y/n)" not in screen.shown
    assert not (folder / "evals").exists()


def browser(folder):
    """A browser that only keeps the address, for the system's own to be left in peace."""
    path = folder / "browser"
    path.write_text('#!/bin/sh\necho "$1" > "$OPENED"\n')
    path.chmod(0o755)
    return {"BROWSER": f"{path} %s", "OPENED": str(folder / "opened"), "DISPLAY": ":7"}


def test_the_page_is_opened_before_a_screen(terminal, echo, document, folder):
    import time

    document("evals.json")
    screen = terminal("--target", echo, **browser(folder))
    screen.expect("Results: .evals/")
    screen.end()
    until = time.monotonic() + 30
    while not (opened := folder / "opened").exists() or not opened.read_text():
        assert time.monotonic() < until
        time.sleep(0.05)
    (page,) = (folder / ".evals").iterdir()
    assert opened.read_text().strip() == page.as_uri()


@pytest.mark.parametrize("quiet", [{"CI": "1"}, {"NO_BROWSER": "1"}, {"DISPLAY": ""}])
def test_the_page_is_not_opened_where_nobody_looks(folder, monkeypatch, quiet):
    from vivavoce.cli._runevals import page

    class Stream:
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stdin", Stream())
    monkeypatch.setattr("sys.stdout", Stream())
    monkeypatch.setattr("sys.platform", "linux")
    assert page.has_viewer({"DISPLAY": ":7"})
    assert not page.has_viewer({"DISPLAY": ":7"} | quiet)


def test_the_page_is_not_opened_without_a_terminal(process, echo, document, folder):
    document("evals.json")
    process("--target", echo, **browser(folder))
    assert not (folder / "opened").exists()
