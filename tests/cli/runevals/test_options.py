"""What `runevals` takes, what it refuses, and what it lets pass without meaning."""

from __future__ import annotations

import pytest

import vivavoce


def test_version(runevals):
    for flag in ("--version", "-V"):
        assert runevals(flag) == (0, f"runevals {vivavoce.__version__}\n", "")


def test_help_names_every_option(runevals):
    done = runevals("-h")
    assert done.code == 0
    for flag in ("--prompts-file", "--interactive", "--m365-agent-id", "--env", "--signout", "--log-level", "--judge-backend"):
        assert flag in done.out
    assert "accept-eula" in done.out


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--prompts", "a", "b", "--expected", "c"], "--expected has 1, and --prompts has 2"),
        (["--prompts", "a", "--expected", "b", "c"], "--expected has 2, and --prompts has 1"),
        (["--expected", "c"], "--prompts has 0"),
        (["--prompts", "a", "--prompts-file", "b.json"], "cannot go together"),
        (["--prompts", "a", "--interactive"], "cannot go together"),
        (["--prompts-file", "b.json", "-i"], "cannot go together"),
        (["--target", "recorded", "--m365-agent-id", "T_desk", "--prompts", "a"], "cannot go together"),
        (["--prompts", "a", "--output", "results.txt"], ".json .csv .html"),
        (["--prompts", "a", "--output", "results"], ".json .csv .html"),
        (["--prompts", "a", "--target", "recorded", "--concurrency", "0"], "at least 1"),
        (["--prompts", "a", "--target", "recorded", "--concurrency", "-2"], "at least 1"),
        (["--prompts", "a", "--target", "recorded", "--concurrency", "abc"], '"abc"'),
        (["--prompts", "a", "--target", "recorded", "--concurrency", "2.5"], '"2.5"'),
        (["--prompts", "", "--target", "recorded"], "prompt 1 is empty"),
        (["--prompts", "a", "\udcff", "--target", "recorded"], "UTF-8"),
        (["--prompts"], "expected at least one argument"),
        (["--log-level", "loud"], "invalid choice"),
        (["--judge-backend", "abacus"], "invalid choice"),
        (["--prompt", "a"], "unknown option --prompt (did you mean --prompts?)"),
        (["evals.json"], "--prompts-file"),
        (["--log-level", "evals.json"], "invalid choice"),
        (["--concurrency", "2", "evals.json"], "--prompts-file"),
        (["--prompts-file", ""], "is empty"),
        (["--env", "../dev", "--prompts", "a", "--target", "recorded"], "no name of an environment"),
        (["--prompts", "a", "--target", "nonsense"], "nonsense"),
        (["--prompts", "a", "--target", "recorded", "--judge", "nonsense"], "nonsense"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(runevals, folder, argv, told):
    done = runevals(*argv)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("runevals: ")
    assert told in done.err
    assert "internal error" not in done.err
    assert not (folder / ".evals").exists()


@pytest.mark.parametrize("command", ["accept-eula", "cache-info", "cache-clear", "cache-dir"])
def test_commands_without_meaning_say_so_and_do_nothing(runevals, folder, command):
    done = runevals(command)
    assert done == (0, "", f"{command}: accepted, and without meaning here\n")
    assert list(folder.iterdir()) == []


def test_a_command_may_stand_behind_options(runevals):
    assert runevals("--log-level", "debug", "cache-dir").code == 0


def test_there_is_nothing_to_set_up(runevals, folder, document):
    document("evals.json")
    done = runevals("--init-only")
    assert (done.code, done.out) == (0, "")
    assert "--init-only" in done.err
    assert not (folder / ".viva").exists()


def test_there_is_nobody_to_sign_out(runevals, folder, document):
    document("evals.json")
    (folder / ".env.local").write_text(f"VIVA_CACHE={folder / 'cache'}\n")
    assert runevals("--signout") == (0, "Nobody was signed in.\n", "")
    assert not (folder / ".viva").exists()


def test_an_account_is_told_to_an_agent_of_the_vendor_and_means_nothing_to_others(folder, capsys):
    from vivavoce.cli._runevals.options import parse
    from vivavoce.cli._runevals.wanted import settings

    asked = ["--account", "ada@example.com"]
    assert settings(parse([*asked, "--target", "m365:T_desk"]), {}).target_option == {"account": "ada@example.com"}
    assert settings(parse([*asked, "--m365-agent-id", "T_desk"]), {}).target_option == {"account": "ada@example.com"}
    assert settings(parse([*asked, "--target", "recorded"]), {}).target_option == {}
    assert "--account: means nothing for recorded" in capsys.readouterr().err


def test_options_without_meaning_are_told_in_one_line_and_the_run_goes_on(runevals, agent, document):
    document("evals.json")
    inert = ["--azure-ai-auth-mode", "default-credential", "--judge-backend", "github-copilot", "--no-judge-auto-fallback"]
    done = runevals("--target", agent, *inert)
    assert done.code == 0
    first = done.err.splitlines()[0]
    assert all(flag in first for flag in inert if flag.startswith("--"))
    assert "without meaning here" in first


def test_more_than_five_at_once_is_five_with_a_note(runevals, agent, document):
    document("evals.json")
    done = runevals("--target", agent, "--concurrency", "1000")
    assert done.code == 0
    assert "Concurrency is at most 5 here, so it is 5 instead of 1000." in done.err
    assert "at most 5" not in runevals("--target", agent, "--concurrency", "5").err
