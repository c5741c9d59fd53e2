"""ExactMatch and PartialMatch."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Reply
from vivavoce.core.result import Verdict
from vivavoce.evaluators._tokens import fold, words
from vivavoce.evaluators.match import ExactMatch, PartialMatch

MEGABYTE = 1_000_000


def told(text: str | None, expected: str | None) -> Evidence:
    turn = Turn(input="Why?", expect=Expectation(response=expected))
    return Evidence(case=Case(id="c"), turn=turn, reply=Reply(text=text))


def exact(text: str, expected: str, **options: Any) -> Verdict:
    return ExactMatch(**options).score(told(text, expected))


def partial(text: str, expected: str, **options: Any) -> Verdict:
    return PartialMatch(**options).score(told(text, expected))


def f1(text: str, expected: str, **options: Any) -> float:
    value = partial(text, expected, **options).value
    assert value is not None
    return value


@pytest.mark.parametrize(
    ("text", "expected", "options", "passed"),
    [
        (" 4\n", "4", {}, True),
        ("The answer is 4", "4", {}, False),
        ("PARIS", "paris", {}, True),
        ("PARIS", "paris", {"case_sensitive": True}, False),
        ("paris", " paris ", {"case_sensitive": True}, True),
        ("The policyholder is **Kimberly King**.", "Kimberly King", {}, False),
        ("The policyholder is **Kimberly King**.", "kimberly king", {"match": "contains"}, True),
        ("The policyholder is **Kimberly King**.", "kimberly king", {"match": "contains", "case_sensitive": True}, False),
        ("Straße", "STRASSE", {}, True),
        ("cafe\u0301", "caf\u00e9", {"case_sensitive": True}, True),
        ("a  b", "a b", {}, False),
        ("", "", {}, True),
        ("  ", "", {"match": "contains"}, True),
        ("anything", "", {"match": "contains"}, False),
        ("", "4", {}, False),
        ("\u3000東京\u00a0", "東京", {}, True),
    ],
)
def test_exact_match(text: str, expected: str, options: dict[str, Any], passed: bool) -> None:
    verdict = exact(text, expected, **options)
    assert verdict.passed is passed
    assert verdict.value == float(passed)


def test_the_first_difference_is_shown_as_it_is_written() -> None:
    verdict = exact("The Capital is Lyon.", "The capital is Paris.")
    assert verdict.reason == (
        "the answer differs from the expected text at character 16: "
        'expected "The capital is Paris.", got "The Capital is Lyon."'
    )


def test_a_difference_deep_in_a_text_is_shown_at_its_place() -> None:
    verdict = exact("a" * MEGABYTE + "x" + "b" * MEGABYTE, "a" * MEGABYTE + "y" + "b" * MEGABYTE)
    assert "at character 1000001" in verdict.reason
    assert '"...aaaaaaaaaaaaaaaaaaaax' in verdict.reason
    assert len(verdict.reason) < 300


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (exact("It is Paris.", "Paris"), '`"match": "contains"` accepts'),
        (exact("PARIS", "Paris", case_sensitive=True), "only upper and lower case differ"),
        (exact("PARIS it is", "Paris", case_sensitive=True, match="contains"), "only upper and lower case differ"),
        (exact("", "Paris"), 'the answer is empty, expected "Paris"'),
        (exact("Lyon", "Paris", match="contains"), 'the answer does not contain "Paris"; it is "Lyon"'),
    ],
)
def test_a_failed_exact_match_says_what_to_do(verdict: Verdict, words: str) -> None:
    assert words in verdict.reason
    assert not verdict.passed


@pytest.mark.parametrize("evaluator", [ExactMatch(), PartialMatch()])
def test_a_missing_text_is_named(evaluator: ExactMatch | PartialMatch) -> None:
    with pytest.raises(Missing) as caught:
        evaluator.score(told("4", None))
    assert caught.value.names == ("expected",)
    with pytest.raises(Missing) as caught:
        evaluator.score(told(None, "4"))
    assert caught.value.names == ("response",)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Hello, world!", ["Hello", "world"]),
        ("don't don’t 'quoted'", ["don't", "don't", "quoted"]),
        ("snake_case e-mail 3.14", ["snake", "case", "e", "mail", "3", "14"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("東京tower2", ["東", "京", "tower2"]),
        ("ผู้", ["ผู้"]),
        ("ภาษา", ["ภ", "า", "ษ", "า"]),
        ("カメラー", ["カ", "メ", "ラ", "ー"]),
        ("한국어 말", ["한국어", "말"]),
        ("co\u00adop می‌خواهم", ["coop", "میخواهم"]),
        ("a\u200bb", ["a", "b"]),
        ("❤️ 👍", []),
        ("q\u0307x", ["q\u0307x"]),
        ("' ’", []),
        ("", []),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("text", "expected", "value"),
    [
        ("Jane Smith leads Contoso", "Jane Smith", 2 / 3),
        ("same text", "same text", 1),
        ("The, CEO!", "ceo the", 1),
        ("a a a", "a", 0.5),
        ("", "", 1),
        ("...", "", 1),
        ("", "x", 0),
        ("x", "", 0),
        ("👍", "👎", 0),
        ("👍!", "👍", 1),
        ("👍", "yes", 0),
        ("cafe\u0301", "CAFÉ", 1),
        ("東京都", "京都", 0.8),
        ("I'm", "Im", 0),
    ],
)
def test_partial_match(text: str, expected: str, value: float) -> None:
    assert f1(text, expected) == pytest.approx(value)


def test_case_counts_when_asked() -> None:
    assert f1("Paris", "paris", case_sensitive=True) == 0
    assert f1("Paris", "paris") == 1


def test_a_value_equal_to_the_threshold_is_left_to_the_threshold() -> None:
    verdict = partial("a b", "a c")
    assert verdict.value == 0.5
    assert verdict.passed is None
    assert PartialMatch().threshold == 0.5


def test_the_reason_lists_what_is_missing_and_what_is_too_much() -> None:
    verdict = partial("cats sleep", "dogs sleep often")
    assert verdict.reason == ('F1 0.40: 1 of 3 expected words in the answer of 2; missing "dogs", "often"; not expected "cats"')
    assert verdict.details == {"precision": 0.5, "recall": pytest.approx(1 / 3)}


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_outside_the_scale_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold is"):
        PartialMatch(threshold=threshold)


@pytest.mark.parametrize("text", ["word " * (MEGABYTE // 5), "漢" * MEGABYTE, "a'" * (MEGABYTE // 2), "\u0301" * MEGABYTE])
def test_a_text_of_a_megabyte_gives_a_short_reason(text: str) -> None:
    # A quadratic reading would not come back within the time limit of a test.
    assert len(partial(text, "word " + "x" * MEGABYTE).reason) < 500


letters = st.text(alphabet=st.sampled_from("abc AB'’.-漢字ก้é\u0301👍 \n"), max_size=30) | st.text(max_size=20)


@given(letters, letters)
def test_partial_match_is_symmetric_and_within_its_scale(one: str, other: str) -> None:
    value = f1(one, other)
    assert 0 <= value <= 1
    assert value == f1(other, one)


@given(letters)
def test_a_text_is_like_itself(text: str) -> None:
    assert f1(text, text) == 1
    assert exact(text, text).passed
    assert exact(f" {text}\n", text, case_sensitive=True).passed


@given(letters, letters)
def test_partial_match_agrees_with_counting_by_hand(one: str, other: str) -> None:
    ours, theirs = words(fold(one)), words(fold(other))
    if not ours or not theirs:
        return
    left = list(theirs)
    shared = 0
    for word in ours:
        if word in left:
            left.remove(word)
            shared += 1
    precision, recall = shared / len(ours), shared / len(theirs)
    value = 2 * precision * recall / (precision + recall) if shared else 0.0
    assert f1(one, other) == pytest.approx(value)


@given(st.lists(st.sampled_from(["red", "green", "don't", "हिन्दी", "漢"]), max_size=12), st.sampled_from([" ", ", ", "... "]))
def test_words_are_found_again_between_punctuation(said: list[str], between: str) -> None:
    assert Counter(words(between.join(said))) == Counter(said)


@given(letters)
def test_every_word_has_a_letter_or_digit_and_no_space(text: str) -> None:
    for word in words(fold(text)):
        assert any(char.isalnum() for char in word)
        assert not any(char.isspace() for char in word)
