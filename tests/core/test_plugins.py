"""Plugins are found by folded name and built from their options, which are checked."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, MissingExtra, UnknownPlugin, VivaError
from vivavoce.core.model import Use
from vivavoce.formats.native import Native


@pytest.mark.parametrize(
    "name",
    [
        *("ExactMatch", "exact_match", "EXACT-MATCH", "Exact Match", "builtin.exact_match", "Builtin.ExactMatch"),
        *("ExactMatchEvaluator", "exact_match_evaluator", "builtin.ExactMatchEvaluator"),
    ],
)
def test_names_are_compared_folded(name):
    assert plugins.fold(name) == "exactmatch"


def test_of_a_name_something_is_left():
    assert (plugins.fold("Evaluator"), plugins.fold("foundry.evaluator")) == ("evaluator", "foundry.evaluator")


@pytest.mark.parametrize("name", ["F1Score", "RougeScore", "ToolCallAccuracy", "Relevance", "foundry.Groundedness"])
def test_a_vendors_class_names_the_evaluator(name):
    assert plugins.known_as("evaluators", f"{name}Evaluator") == name
    assert plugins.build("evaluators", Use(name=f"{name}Evaluator")) == plugins.build("evaluators", Use(name=name))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("F1ScorEvaluator", "F1Score"),
        ("F1ScoreEvaluater", "F1Score"),
        ("RougeEvaluator", "RougeScore"),
        ("bleu", "BleuScore"),
        ("ToolCallAcuracyEvaluator", "ToolCallAccuracy"),
    ],
)
def test_an_unknown_name_near_a_known_one_is_told_that(name, meant):
    with pytest.raises(UnknownPlugin, match=rf'unknown evaluator "{name}" \(did you mean "{meant}"\?\)'):
        plugins.find("evaluators", name)


def test_the_beginning_of_several_names_tells_nothing():
    with pytest.raises(UnknownPlugin, match=r'unknown evaluator "Tool" \(known here: '):
        plugins.find("evaluators", "Tool")


@pytest.mark.parametrize("name", ["native", "NATIVE", "na-tive"])
def test_a_plugin_is_found_and_has_one_spelling(name):
    assert plugins.find("formats", name) is Native
    assert plugins.known_as("formats", name) == "native"


def test_every_name_of_every_kind_is_found():
    for kind in plugins.KINDS:
        names = plugins.names(kind)
        assert list(names) == sorted(names, key=str.lower)
        for name in names:
            assert plugins.known_as(kind, name) == name


def test_the_lists_that_are_read_are_those_of_the_modules():
    for kind in plugins.KINDS:
        given = set()
        for name in plugins.iter_modules(kind):
            module = importlib.import_module(f"vivavoce.{kind}.{name}")
            given |= set(module.plugins() if hasattr(module, "plugins") else module.__all__)
        assert {plugins.fold(name) for name in given} == {plugins.fold(name) for name in plugins.names(kind, installed=False)}


def test_nothing_is_loaded_but_the_plugin_that_is_asked_for():
    asked = (
        "import sys; from vivavoce.core import plugins; plugins.find('evaluators', 'ExactMatch');"
        "plugins.find('targets', 'recorded'); plugins.find('evaluators', 'Fluency');"
        "print(*sorted(name for name in sys.modules if name.startswith(('vivavoce.evaluators.', 'vivavoce.targets.'))))"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, encoding="utf-8", timeout=60)
    public = [name for name in done.stdout.split() if "._" not in name]
    assert public == ["vivavoce.evaluators.judged", "vivavoce.evaluators.match", "vivavoce.targets.recorded"]


def test_an_unknown_name_is_answered_with_the_nearest_or_all():
    with pytest.raises(UnknownPlugin, match=r'unknown format "natve" \(did you mean "native"\?\)') as raised:
        plugins.find("formats", "natve")
    assert isinstance(raised.value, VivaError)
    with pytest.raises(UnknownPlugin, match=r'unknown evaluator "Builtin.Corectness" \(did you mean "Correctness"\?\)'):
        plugins.find("evaluators", "Builtin.Corectness")
    with pytest.raises(UnknownPlugin, match=r'unknown format "zzz" \(known here: .*native'):
        plugins.build("formats", Use(name="zzz"))
    with pytest.raises(UnknownPlugin):
        plugins.known_as("formats", "")


def test_an_unknown_kind_is_a_mistake_of_the_program():
    with pytest.raises(ValueError, match="no kind of plugin is called colours"):
        plugins.names("colours")


def test_options_are_built_in():
    assert plugins.build("formats", Use(name="native")) == Native()
    assert plugins.build("formats", Use(name="native", options={"layout": "yaml"})) == Native(layout="yaml")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layot": "yaml"}, r'format native: unknown option "layot" \(did you mean "layout"\?\)'),
        ({"looks_for": "x"}, r'format native: unknown option "looks_for"'),
        ({"layout": "yamel"}, r'format native: layout is "yamel" \(did you mean "yaml"\?\)'),
        ({"layout": 3}, r"format native: layout: expected text, got a whole number"),
        ({"layout": None}, r"format native: layout: expected text, got nothing"),
    ],
)
def test_wrong_options_are_refused_by_name(options, message):
    with pytest.raises(BadOptions, match=message):
        plugins.build("formats", Use(name="native", options=options))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("F1Score", {"threshold": "x"}, "evaluator F1Score: threshold: expected a number, got text"),
        (
            "TaskNavigationEfficiency",
            {"matching_mode": "x"},
            r'matching_mode is "x" \(known here: exact_match, in_order_match, any',
        ),
        ("RegexMatch", {}, 'evaluator RegexMatch: the option "patterns" is missing$'),
        ("Rubric", {"dimensions": [{"id": "a"}]}, r'dimensions\[0\]: "description" is missing$'),
        ("RegexMatch", {"patterns": "x"}, "patterns: expected a list, got text"),
        ("RegexMatch", {"patterns": ["x", 3]}, r"patterns\[1\]: expected text, got a whole number"),
        ("F1Score", {"threshold": 5}, "evaluator F1Score: threshold is 5; it lies between 0 and 1"),
    ],
)
def test_wrong_values_are_told_in_words(name, options, message):
    with pytest.raises(BadOptions, match=message):
        plugins.build("evaluators", Use(name=name, options=options))


def test_lax_reads_text_as_numbers_and_truths():
    use = Use(name="PartialMatch", options={"threshold": "0.8", "case_sensitive": "true"})
    built = plugins.build("evaluators", use, lax=True)
    assert (built.threshold, built.case_sensitive) == (0.8, True)
    with pytest.raises(BadOptions, match="PartialMatch"):
        plugins.build("evaluators", use)
    with pytest.raises(BadOptions, match="PartialMatch"):
        plugins.build("evaluators", Use(name="PartialMatch", options={"threshold": "much"}), lax=True)


def test_a_missing_package_is_named_with_the_way_out():
    error = plugins.missing("store postgres", ModuleNotFoundError("No module named 'psycopg'", name="psycopg"))
    assert isinstance(error, MissingExtra)
    assert str(error).startswith("store postgres needs the package psycopg, which is not installed: pip install psycopg")


def test_a_manual_is_the_docstring():
    assert plugins.manual("formats", "Native").startswith("JSON lines with one case a line")
    assert "native" in plugins.iter_modules("formats")
