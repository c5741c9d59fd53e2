"""The project speaks of itself alone, leaves nothing half done, and tells its changes in one sentence each."""

from __future__ import annotations

import re

import pytest

UNFINISHED = "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "NotImplemented" + "Error"))
MACHINE = "|".join(("/wo" + "rk/", "/ro" + "ot/", "/ho" + r"me/\w+/", "/Us" + r"ers/\w+/", "/f" + "arm/", r"C:\\Us" + "ers"))

FRAGMENT = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.(added|changed|fixed|removed)\.md")


def fragment_problem(name: str, text: str) -> str | None:
    """What is wrong with a changelog fragment, if anything."""
    if not FRAGMENT.fullmatch(name):
        return "is not called <topic>.(added|changed|fixed|removed).md"
    sentence = text.strip()
    if not sentence.endswith(".") or "\n\n" in sentence or sentence.startswith(("#", "-", "*")):
        return "is not one plain sentence with a full stop"
    if re.search(r"[.!?]\s+[A-Z]", sentence):
        return "is more than one sentence"
    return None


def test_nothing_is_left_unfinished(texts):
    found = [f"{name}: {match[0]}" for name, text in texts for match in re.finditer(rf"\b({UNFINISHED})\b", text)]
    assert found == []


def test_no_path_of_a_machine(texts):
    found = [f"{name}: {match[0]}" for name, text in texts for match in re.finditer(MACHINE, text)]
    assert found == []


def test_changelog_fragments_are_one_sentence(root):
    fragments = [path for path in sorted((root / "changelog.d").iterdir()) if path.name != "README.md"]
    assert fragments
    problems = {path.name: fragment_problem(path.name, path.read_text(encoding="utf-8")) for path in fragments}
    assert {name: problem for name, problem in problems.items() if problem} == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Frame.added.md", "A thing works."),
        ("frame.new.md", "A thing works."),
        ("frame.added.md", "A thing works"),
        ("frame.added.md", "A thing works. Another too."),
        ("frame.added.md", "- A thing works."),
    ],
)
def test_a_wrong_fragment_is_seen(name, text):
    assert fragment_problem(name, text)


def test_scripts_stop_at_the_first_error_and_can_be_run(root):
    scripts = [
        path
        for path in (*(root / "scripts").iterdir(), root / ".ci" / "run")
        if path.is_file() and not path.name.startswith("_")
    ]
    assert {"demo", "test", "check", "docs", "run"} <= {path.name for path in scripts}
    for path in scripts:
        text = path.read_text(encoding="utf-8")
        assert text.startswith("#!/usr/bin/env bash\n"), path.name
        assert "\nset -euo pipefail\n" in text, path.name
        assert path.stat().st_mode & 0o111 == 0o111, path.name
