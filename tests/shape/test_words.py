"""The project speaks of itself alone, leaves nothing half done, and tells its changes in one sentence each."""

from __future__ import annotations

import re

import pytest

UNFINISHED = "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "NotImplemented" + "Error"))
MACHINE = "|".join(("/wo" + "rk/", "/ro" + "ot/", "/ho" + r"me/\w+/", "/Us" + r"ers/\w+/", "/f" + "arm/", r"C:\\Us" + "ers"))


def test_nothing_is_left_unfinished(texts):
    found = [f"{name}: {match[0]}" for name, text in texts for match in re.finditer(rf"\b({UNFINISHED})\b", text)]
    assert found == []


def test_no_path_of_a_machine(texts):
    found = [f"{name}: {match[0]}" for name, text in texts for match in re.finditer(MACHINE, text)]
    assert found == []


def test_changelog_fragments_are_one_sentence(root, docs):
    assert len(list((root / "changelog.d").iterdir())) > 1
    assert list(docs.wrong_fragments()) == []


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
def test_a_wrong_fragment_is_seen(docs, name, text):
    assert docs.fragment_problem(name, text)
