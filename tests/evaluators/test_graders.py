"""StringCheck, TextSimilarity and RegexMatch."""

from __future__ import annotations

import gc
import math
import os
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, CallError, Missing, PluginError
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn, Use
from vivavoce.core.reply import Reply
from vivavoce.core.result import Verdict
from vivavoce.evaluators._apart import Searcher
from vivavoce.evaluators.graders import RegexMatch, StringCheck, TextSimilarity

PAIR = ("The cat sits on the mat.", "A cat is sitting on the mat.")


def told(text: str | None, expected: str | None) -> Evidence:
    turn = Turn(input="Where?", context="On a mat.", expect=Expectation(response=expected))
    return Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=Reply(text=text))


def string(operation: str, text: str, reference: str) -> Verdict:
    return StringCheck(operation=operation).score(told(text, reference))  # type: ignore[arg-type] # one of the five


def alike(metric: str, text: str, reference: str) -> float:
    value = TextSimilarity(evaluation_metric=metric).score(told(text, reference)).value  # type: ignore[arg-type] # one of them
    assert value is not None
    return value


def matches(pattern: str, text: str, expected: str | None = None) -> bool | None:
    return RegexMatch(patterns=(pattern,)).score(told(text, expected)).passed


# StringCheck


@pytest.mark.parametrize(
    ("operation", "text", "reference", "passed"),
    [
        ("eq", "Paris", "Paris", True),
        ("eq", "Paris ", "Paris", False),
        ("eq", "paris", "Paris", False),
        ("ne", "Lyon", "Paris", True),
        ("neq", "Paris", "Paris", False),
        ("like", "It is Paris.", "Paris", True),
        ("like", "paris", "Paris", False),
        ("like", "a%b", "%", True),
        ("like", "abc", "a%c", False),
        ("ilike", "it is PARIS", "Paris", True),
        ("ilike", "STRASSE", "straße", True),
        ("like", "anything", "", False),
        ("ilike", "", "", True),
        ("eq", "", "", True),
    ],
)
def test_string_check(operation: str, text: str, reference: str, passed: bool) -> None:
    verdict = string(operation, text, reference)
    assert verdict.passed is passed
    assert verdict.value == float(passed)


def test_string_check_says_what_it_saw() -> None:
    assert string("eq", "Lyon", "Paris").reason == 'the text is not "Paris"; it is "Lyon"'
    assert string("ne", "Paris", "Paris").reason == 'the text is "Paris"; it is "Paris"'
    assert string("ilike", "Lyon", "Paris").reason == 'the text does not contain "Paris"; it is "Lyon"'
    empty = 'the text is not empty, as it would have to be to contain ""; it is "Lyon"'
    assert string("like", "Lyon", "").reason == empty


def test_texts_are_filled_with_evidence() -> None:
    graded = StringCheck(operation="eq", input="{{ input }} {{response}}", reference="Where? here")
    assert graded.score(told("here", None)).passed
    assert graded.needs == ("input", "response")
    either = StringCheck(operation="like", input="{{history|context}}", reference="mat")
    assert either.needs == ("history|context",)
    assert StringCheck.needs == ("response", "expected")
    with pytest.raises(Missing) as caught:
        StringCheck(reference="{{expected}}").score(told("here", None))
    assert caught.value.names == ("expected",)


def test_texts_are_filled_with_columns_and_parts_of_the_answer() -> None:
    evidence = Evidence(case=Case(id="c", metadata={"city": "Paris", "at": {"hour": 9}}), reply=Reply(text="It is Paris at 9."))
    graded = StringCheck(input="{{sample.output_text}}", reference="It is {{item.city}} at {{ item.at.hour }}.")
    assert graded.score(evidence).passed
    assert graded.needs == ("response",)
    assert StringCheck(input="{{item.response}}", reference="{{item.ground_truth}}").needs == ("response", "expected")
    with pytest.raises(Missing) as caught:
        StringCheck(reference="{{item.town}}").score(evidence)
    assert caught.value.names == ("town",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{responce}}", "names no evidence"),
        ("{{}}", "names no evidence"),
        ("{{item}}", "names no column"),
        ("{{sample.text}}", "is no part of an answer"),
    ],
)
def test_a_placeholder_that_names_nothing_is_refused(text: str, message: str) -> None:
    for name in ("StringCheck", "TextSimilarity"):
        with pytest.raises(BadOptions, match=message):
            plugins.build("evaluators", Use(name=name, options={"reference": text}))


# TextSimilarity


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("rouge_1", 0.615385),
        ("rouge_2", 0.363636),
        ("rouge_l", 0.615385),
        ("bleu", 0.376850),
        ("gleu", 0.423077),
        ("meteor", 0.745429),
        ("fuzzy_match", 40 / 52),
        ("cosine", 5 / math.sqrt(8 * 7)),
    ],
)
def test_text_similarity(metric: str, value: float) -> None:
    assert alike(metric, *PAIR) == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_rouge_of_every_length(number: int) -> None:
    assert alike(f"rouge_{number}", "one two three four five", "one two three four five") == 1
    assert alike(f"rouge_{number}", "one two", "three four") == 0


def test_texts_of_options_are_what_is_measured() -> None:
    evaluator = TextSimilarity(evaluation_metric="rouge_1", input="On a mat.", reference="{{context}}")
    assert evaluator.score(told(None, None)).value == 1


@pytest.mark.parametrize(
    ("text", "reference", "fuzzy", "cosine"),
    [
        ("", "", 1, 1),
        ("", "a", 0, 0),
        ("30 days", "30 day", 12 / 13, 1 / 2),
        ("Paris", "paris", 8 / 10, 1),
        ("a b", "b a", 2 / 6, 1),
        ("...", "...", 1, 1),
        ("...", "!", 0, 0),
        ("東京", "東京都", 4 / 5, 2 / math.sqrt(6)),
    ],
)
def test_fuzzy_match_and_cosine(text: str, reference: str, fuzzy: float, cosine: float) -> None:
    assert alike("fuzzy_match", text, reference) == pytest.approx(fuzzy)
    assert alike("cosine", text, reference) == pytest.approx(cosine)


def test_the_vendors_name_of_the_threshold() -> None:
    assert TextSimilarity(pass_threshold=0.8).threshold == 0.8
    assert TextSimilarity().threshold == 0.5
    with pytest.raises(ValueError, match="threshold is 2"):
        TextSimilarity(pass_threshold=2)


def test_texts_that_are_too_long_for_fuzzy_match_are_an_error() -> None:
    assert alike("fuzzy_match", "ab" * 20_000, "ba" * 20_000) == pytest.approx(1, abs=0.001)
    with pytest.raises(CallError, match="too long for fuzzy_match"):
        alike("fuzzy_match", "a" * 200_000, "b" * 200_000)


letters = st.text(alphabet="abc ", max_size=12)


def subsequence(one: str, other: str) -> int:
    """The longest common subsequence, by the book."""
    row = [0] * (len(other) + 1)
    for mine in one:
        before = row
        row = [0]
        for place, theirs in enumerate(other):
            row.append(before[place] + 1 if mine == theirs else max(before[place + 1], row[-1]))
    return row[-1]


@given(letters, letters)
def test_fuzzy_match_agrees_with_the_table(one: str, other: str) -> None:
    expected = 2 * subsequence(one, other) / (len(one) + len(other)) if one or other else 1
    assert alike("fuzzy_match", one, other) == pytest.approx(expected)


@given(letters, letters)
def test_cosine_agrees_with_counting_by_hand(one: str, other: str) -> None:
    ours, theirs = Counter(one.split()), Counter(other.split())
    if ours and theirs:
        product = sum(ours[word] * theirs[word] for word in {*ours, *theirs})
        expected = product / math.hypot(*ours.values()) / math.hypot(*theirs.values())
        assert alike("cosine", one, other) == pytest.approx(expected)
    assert alike("cosine", one, other) == alike("cosine", other, one)
    assert alike("cosine", one, one) == pytest.approx(1)


# RegexMatch


@pytest.mark.parametrize(
    ("pattern", "text", "expected", "passed"),
    [
        ("Paris", "It is Paris.", None, True),
        ("paris", "It is Paris.", None, False),
        ("(?i)paris", "It is Paris.", None, True),
        (r"^\d{4}$", "2026", None, True),
        (r"answer is {{ground_truth}}\b", "The answer is 3.5", "3.5", True),
        (r"answer is {{ground_truth}}\b", "The answer is 3x5", "3.5", False),
        (r"{{ expected }}", "a+b", "a+b", True),
        (r"{{ground_truth}}", r"\1 and \g<0>", r"\1", True),
        ("x*", "", None, False),
        ("x*", " \n", None, False),
        (".", "\ud83d\ude00", None, True),
    ],
)
def test_regex_match(pattern: str, text: str, expected: str | None, passed: bool) -> None:
    assert matches(pattern, text, expected) is passed


def test_the_first_pattern_that_matches_is_told() -> None:
    evaluator = RegexMatch(patterns=("Lyon", r"P\w+s", "Paris"))
    verdict = evaluator.score(told("It is Paris.", None))
    assert verdict.details == {"pattern": 1, "start": 6, "end": 11}
    assert verdict.reason == r'the pattern "P\\w+s" matches "...Paris..."'
    assert "does not match any of 3 patterns" in evaluator.score(told("Rome", None)).reason
    assert evaluator.needs == ("response",)


def test_an_expected_response_is_needed_where_a_pattern_names_it() -> None:
    evaluator = RegexMatch(patterns=("x", "{{ground_truth}}"))
    assert evaluator.needs == ("response", "expected")
    with pytest.raises(Missing) as caught:
        evaluator.score(told("x", None))
    assert caught.value.names == ("expected",)


@pytest.mark.parametrize(
    ("patterns", "words"),
    [([], "patterns is empty"), ([""], "from 1 to"), (["a" * 10_001], "from 1 to"), (["(a"], "no regular expression")],
)
def test_patterns_are_checked_before_anything_is_run(patterns: list[str], words: str) -> None:
    with pytest.raises(BadOptions, match=words):
        plugins.build("evaluators", Use(name="RegexMatch", options={"patterns": patterns}))


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*$", r"(\w+\s?)*$", "^(a?){30}a{30}$", "(" + "a?" * 30 + ")" + "a" * 30 + "$"]
)
def test_a_pattern_that_would_never_end_is_an_error(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.evaluators._apart.LIMIT", 0.3)
    evaluator = RegexMatch(patterns=(pattern,))
    with pytest.raises(CallError, match="can match in too many ways"):
        evaluator.score(told("a" * 35 + "!", None))
    # The next answer is examined all the same.
    assert evaluator.score(told("!", None)).value in (0, 1)


def test_no_process_is_left_behind() -> None:
    searcher = Searcher()
    assert searcher.search("b+", "abb") == (1, 3)
    assert searcher.search("b+", "a") is None
    number = searcher._process.pid  # type: ignore[union-attr] # it has been asked
    os.kill(number, 0)
    del searcher
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


@settings(max_examples=30)  # of a process each
@given(st.text(max_size=30), st.text(max_size=30))
def test_a_truth_is_found_to_the_letter(text: str, truth: str) -> None:
    if text.strip():
        assert matches("{{ground_truth}}", text, truth) is (truth in text)


# What is refused


@pytest.mark.parametrize("name", ["python_grader", "PythonGrader", "builtin.python_grader"])
def test_code_in_a_dataset_is_never_run(name: str) -> None:
    with pytest.raises(PluginError, match=r"is ever run here.*custom-evaluators/"):
        plugins.build("evaluators", Use(name=name, options={"source": "raise SystemExit"}))
