"""`viva list`: what there is to choose from."""

from __future__ import annotations

import pytest

from vivavoce.cli.about import KINDS
from vivavoce.core import plugins


@pytest.fixture(autouse=True)
def wide(folder, monkeypatch):
    """A place without a width, where each row is a line."""
    monkeypatch.delenv("COLUMNS")


@pytest.mark.parametrize("kind", [None, *KINDS])
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_list_keeps_to_the_width_of_the_terminal(viva, monkeypatch, kind, columns):
    argv = ["list", *([kind] if kind else [])]
    whole = viva(*argv).out
    monkeypatch.setenv("COLUMNS", str(columns))
    narrow = viva(*argv).out
    assert max(map(len, narrow.splitlines())) <= columns
    assert sorted(narrow.split()) == sorted(whole.split())


def test_every_kind_of_plugin_is_listed(viva):
    done = viva("list")
    assert done.code == 0
    assert sorted(KINDS) == sorted(plugins.KINDS)
    listed = {line.split()[0]: line.partition(" ")[2].strip() for line in done.out.splitlines()}
    for kind in KINDS:
        assert listed[kind] == ", ".join(plugins.names(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_each_plugin_has_its_line(viva, kind):
    done = viva("list", kind)
    assert done.code == 0
    lines = done.out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == list(plugins.names(kind))
    for line, name in zip(lines, plugins.names(kind), strict=True):
        assert line.endswith(plugins.manual(kind, name).splitlines()[0])


def test_a_whole_manual(viva):
    done = viva("list", "evaluator", "exact_match")
    assert done.out.startswith("ExactMatch\n")
    assert "Example:" in done.out


def test_targets_say_how_they_are_written(viva):
    assert "python:MODULE:NAME" in viva("list", "targets").out


@pytest.mark.parametrize(("argv", "near"), [(["evaluater"], "evaluators"), (["evaluators", "ExactMach"], "ExactMatch")])
def test_an_unknown_name_is_answered_with_the_nearest(viva, argv, near):
    done = viva("list", *argv)
    assert done.code == 2
    assert f'did you mean "{near}"?' in done.err
