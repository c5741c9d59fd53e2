"""F1Score, BleuScore, GleuScore, RougeScore and MeteorScore: numbers that are known, options, and what must always hold."""

from __future__ import annotations

import math
import re
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn, Use
from vivavoce.core.reply import Reply
from vivavoce.core.result import Verdict
from vivavoce.evaluators._overlap.plain import ARTICLES, bare
from vivavoce.evaluators.overlap import BleuScore, F1Score, GleuScore, MeteorScore, RougeScore

# Scores of Azure AI Evaluation SDK 1.18.10 with NLTK 3.10.4.
COLUMNS = ("f1", "rouge1", "rouge2", "rougeL", "bleu", "gleu", "meteor")
KNOWN = {
    ("The cat sits on the mat.", "A cat is sitting on the mat."): (
        *(0.666667, 0.615385, 0.363636, 0.615385, 0.376850, 0.423077, 0.745429),
    ),
    ("She enjoys reading books.", "She loves to read books."): (0.444444, 0.444444, 0, 0.444444, 0.109826, 0.222222, 0.820339),
    ("He quickly ran to the store.", "He ran to the store in a hurry."): (
        *(0.727273, 0.714286, 0.5, 0.714286, 0.341918, 0.4, 0.639205),
    ),
    ("Paris.", "paris"): (1, 1, 0, 1, 0, 0, 0.454545),
    ("don't", "dont"): (1, 0, 0, 0, 0, 0, 0),
    ("well-known", "well known"): (0, 1, 1, 1, 0, 0, 0),
    ("1,000", "1000"): (1, 0, 0, 0, 0, 0, 0),
    ("The answer is 42!", "42"): (0.5, 0.4, 0, 0.4, 0.045650, 0.071429, 0.357143),
    ("the", "a"): (0, 0, 0, 0, 0, 0, 0),
    ("“x”", "x"): (0, 1, 0, 1, 0.072497, 0.166667, 0.416667),
    ("晴れです", "晴れです"): (1, 0, 0, 0, 1, 1, 0.5),
    ("", ""): (0, 0, 0, 0, 0, 0, 0),
    ("The café’s open. It cost 3,50 €.", "The cafe is open. It costs €3.50."): (
        *(0.333333, 0.625, 0.285714, 0.625, 0.120261, 0.190476, 0.458483),
    ),
    ("Dr. Smith lives in the U.S. now. He left on Jan. 5.", "Dr. Smith moved to the U.S. in January."): (
        *(0.444444, 0.545455, 0.3, 0.454545, 0.06458, 0.16, 0.538012),
    ),
    ("a sick man", "an ill man"): (0.5, 0.333333, 0, 0.333333, 0.072497, 0.166667, 0.625),
    ("a file_name", "a filename"): (1, 0.4, 0, 0.4, 0.067544, 0.333333, 0.25),
    ("ice_cream", "icecream"): (1, 0, 0, 0, 0, 0, 0.5),
    ("einstein", "brain"): (0, 0, 0, 0, 0, 0, 0.5),
    ("the men left", "the man left"): (0.5, 0.666667, 0, 0.666667, 0.086215, 0.333333, 0.981481),
    ("a happy cat", "a glad cat"): (0.5, 0.666667, 0, 0.666667, 0.086215, 0.333333, 0.333333),
}
MAKERS: dict[str, Any] = {
    "f1": F1Score,
    "bleu": BleuScore,
    "gleu": GleuScore,
    "meteor": MeteorScore,
    **{f"rouge{kind}": lambda kind=kind, **options: RougeScore(rouge_type=f"rouge{kind}", **options) for kind in "12345L"},
}
WORDS = st.lists(st.sampled_from(["the", "a", "cat", "cats", "mat.", "ran", "on", "big", "large", "don't"]), max_size=12)
TEXTS = st.one_of(WORDS.map(" ".join), st.text(max_size=30))


def told(text: str | None, expected: str | None) -> Evidence:
    turn = Turn(input="Why?", expect=Expectation(response=expected))
    return Evidence(case=Case(id="c"), turn=turn, reply=Reply(text=text))


def verdict(name: str, text: str, expected: str, **options: Any) -> Verdict:
    made: Verdict = MAKERS[name](**options).score(told(text, expected))
    return made


def score(name: str, text: str, expected: str, **options: Any) -> float:
    value = verdict(name, text, expected, **options).value
    assert value is not None
    return value


@pytest.mark.parametrize("texts", KNOWN, ids=repr)
@pytest.mark.parametrize("name", COLUMNS)
def test_the_numbers_of_the_vendor(name, texts):
    assert score(name, *texts) == pytest.approx(KNOWN[texts][COLUMNS.index(name)], abs=1e-6)


@pytest.mark.parametrize("vendor", ["f1_score", "bleu_score", "gleu_score", "rouge_score", "meteor_score"])
def test_the_names_of_the_vendor(vendor):
    made = plugins.build("evaluators", Use(name=f"builtin.{vendor}", options={}))
    assert type(made).__name__ == "".join(part.capitalize() for part in vendor.split("_"))


def test_two_equal_words_are_too_short_for_bleu():
    assert score("bleu", "good morning", "good morning") == pytest.approx(0.2214, abs=1e-4)
    assert score("bleu", "morning", "morning") == 1


def test_one_equal_word_is_half_a_meteor_and_passes():
    assert score("meteor", "Paris", "Paris") == 0.5


def test_f1_tells_what_was_not_said():
    made = verdict("f1", "The cat sits on the mat.", "A cat is sitting on the mat.")
    assert made.details == {"precision": 0.75, "recall": 0.6}
    assert made.reason == 'F1 0.67: 3 words shared, of 4 said and 5 expected; not said: "is", "sitting"'
    assert made.passed is None


def test_bleu_tells_each_precision():
    made = verdict("bleu", "The cat sits on the mat.", "A cat is sitting on the mat.")
    assert made.details["precisions"] == pytest.approx([5 / 7, 3 / 6, 2 / 5, 1 / 4])
    assert made.details["brevity_penalty"] == pytest.approx(math.exp(1 - 8 / 7))
    assert made.reason == (
        "BLEU 0.38: 5 of 7 words, 3 of 6 pairs, 2 of 5 triples, 1 of 4 runs of four of the answer are expected; "
        "its shortness takes a factor of 0.87"
    )
    assert verdict("bleu", "", "x").reason == "BLEU 0.00: no word is said"
    assert verdict("bleu", "one word", "x").reason.startswith(
        "BLEU 0.00: 0 of 2 words, 0 of 1 pairs of the answer are expected"
    )


def test_gleu_tells_how_many_runs():
    made = verdict("gleu", "The cat sits on the mat.", "A cat is sitting on the mat.")
    assert made.details == {"precision": 0.5, "recall": 11 / 26}
    assert made.reason == "GLEU 0.42: 11 runs of one to four words shared, of 22 said and 26 expected"


def test_rouge_is_decided_by_f1_alone():
    made = verdict("rougeL", "The cat sits on the mat.", "A cat is sitting on the mat.", precision_threshold=0.7)
    assert made.passed is True
    assert made.details == pytest.approx(
        {"precision": 4 / 6, "recall": 4 / 7, "f1_score": 8 / 13, "precision_passed": False, "recall_passed": True}
    )
    assert made.reason == "ROUGE-L F1 0.62, 0.5 is needed: 4 words shared in the same order, of 6 said and 7 expected"
    assert verdict("rougeL", "The cat sits on the mat.", "A cat is sitting on the mat.", f1_score_threshold=0.7).passed is False
    assert RougeScore().rouge_type == "rougeL"
    assert (RougeScore().threshold, RougeScore(f1_score_threshold=0.7, recall_threshold=0.2).threshold) == (0.5, 0.7)


def test_meteor_tells_how_words_were_matched():
    made = verdict("meteor", "She enjoys reading books.", "She loves to read books.")
    assert made.details["matches"] == {"exact": 3, "stems": 1, "synonyms": 1, "runs": 2}
    assert made.details["penalty"] == pytest.approx(0.5 * (2 / 5) ** 3)
    assert made.reason == "METEOR 0.82: 5 words shared, of 5 said and 6 expected, 1 by stem and 1 by synonym, in 2 runs"


def test_meteor_weighs_as_it_is_told():
    texts = ("the cat sat", "the cat sat on the mat")
    assert score("meteor", *texts, gamma=0) == pytest.approx(0.5 / (0.9 + 0.1 * 0.5))
    assert score("meteor", *texts, alpha=0, gamma=0) == 1  # precision alone
    assert score("meteor", *texts, alpha=1, gamma=0) == 0.5  # recall alone
    # "the" is matched with the last of its kind, which leaves two runs.
    assert score("meteor", *texts, alpha=1, gamma=1, beta=1) == pytest.approx(0.5 * (1 - 2 / 3))


@pytest.mark.parametrize(
    ("one", "other", "matched"),
    [
        ("a sick house", "an ill house", 2),
        ("the men left", "the man left", 3),  # an irregular form
        ("einstein", "brain", 1),  # a name that stands beside it
        ("ice_cream", "icecream", 1),
        ("a happy cat", "a glad cat", 2),  # the stem of happy is no word
        ("a large cat", "a big cat", 2),  # nor is that of large
        ("a car", "a vehicle", 1),  # a kind of it is no synonym
    ],
)
def test_synonyms_as_wordnet_has_them(one, other, matched):
    matches = verdict("meteor", one, other).details["matches"]
    assert matches["exact"] + matches["stems"] + matches["synonyms"] == matched


def test_stemming_is_off_unless_asked_for():
    assert score("rouge1", "she walked home", "she walks home") == pytest.approx(2 / 3)
    assert score("rouge1", "she walked home", "she walks home", stemming=True) == 1
    assert score("rouge1", "ties", "tie", stemming=True) == 1
    assert score("rouge1", "cats", "cat", stemming=True) == 1
    assert score("rouge1", "das", "da", stemming=True) == 0, "words of three letters stay"


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("text", ["今日は東京で雨が降っています", "Сегодня в Москве идёт дождь", "“Déjà vu” – encore une fois"])
def test_any_script_with_the_unicode_option(name, text):
    assert score(name, text, text, unicode=True) == pytest.approx(1, abs=0.01)


def test_curly_quotes_with_the_unicode_option():
    for name in ("f1", "rouge1", "bleu", "gleu"):
        assert score(name, "“Open” at nine o’clock", "Open at nine o'clock", unicode=True) == 1
    assert score("f1", "the “x”", "x", unicode=True) == 1
    assert score("f1", "the “x”", "x") == 0


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(("text", "expected"), [(None, "x"), ("x", None)])
def test_what_is_missing_is_named(name, text, expected):
    with pytest.raises(Missing) as caught:
        MAKERS[name]().score(told(text, expected))
    assert caught.value.names == ("response" if text is None else "expected",)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("F1Score", {"threshold": 1.1}, "threshold is 1.1; it lies between 0 and 1"),
        ("RougeScore", {"f1_score_threshold": -1}, "f1_score_threshold is -1; it lies between 0 and 1"),
        ("RougeScore", {"recall_threshold": 2}, "recall_threshold is 2"),
        ("RougeScore", {"rouge_type": "rouge6"}, "rouge6"),
        ("RougeScore", {"threshold": 0.4}, 'unknown option "threshold"'),
        ("MeteorScore", {"alpha": 1.5}, "alpha is 1.5"),
        ("MeteorScore", {"beta": -1}, "beta is -1"),
        ("MeteorScore", {"gamma": 2}, "gamma is 2"),
    ],
)
def test_options_out_of_range_are_refused(name, options, message):
    with pytest.raises(BadOptions, match=message):
        plugins.build("evaluators", Use(name=name, options=options))


@given(one=TEXTS, other=TEXTS)
def test_scores_are_shares(one, other):
    for name in MAKERS:
        for unicode in (False, True):
            made = verdict(name, one, other, unicode=unicode)
            assert made.value is not None
            assert 0 <= made.value <= 1
            assert made.reason


@given(one=TEXTS, other=TEXTS)
def test_f1_gleu_and_rouge_do_not_mind_which_is_which(one, other):
    for name in ("f1", "gleu", "rouge1", "rouge2", "rougeL"):
        there, back = verdict(name, one, other), verdict(name, other, one)
        assert there.value == pytest.approx(back.value)
        assert there.details["precision"] == back.details["recall"]


@given(st.text(st.one_of(st.characters(max_codepoint=127), st.sampled_from("aeht n\t\n\x1c\0_’é")), max_size=40))
def test_words_without_articles_by_their_definition(text):
    plain = "".join(char for char in text.lower() if char not in string.punctuation)
    assert [word for word in bare(text) if word not in ARTICLES] == re.sub(r"\b(a|an|the)\b", " ", plain).split()


@given(words=st.lists(st.sampled_from(["one", "two", "three", "four", "five"]), min_size=5, max_size=30))
def test_equal_texts_score_one(words):
    text = " ".join(words)
    for name in MAKERS:
        assert score(name, text, text) == pytest.approx(1, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_a_megabyte_is_measured(name):
    text = "Then the big cat sat on the mat, and so on. " * 23_000
    other = "So a large cat sat on the mat, and slept. " * 24_000
    assert 0 < score(name, text, other) < 1
