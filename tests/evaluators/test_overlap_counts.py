"""What the metrics of overlapping words stand on, beside the packages that others measure with."""

from __future__ import annotations

import functools
import warnings
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Reply
from vivavoce.evaluators._overlap import counts, stems, synonyms, tables, words
from vivavoce.evaluators._overlap.sentences import sentences
from vivavoce.evaluators.overlap import BleuScore, GleuScore, MeteorScore, RougeScore

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of other packages, about themselves
    from nltk.stem.porter import PorterStemmer
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from nltk.translate.gleu_score import sentence_gleu
    from nltk.translate.meteor_score import meteor_score
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu import sentence_bleu as sacre_bleu

PIECES = (
    *(
        "mat.",
        "Then",
        "cats",
        "the",
        "He",
        "Dr.",
        "U.S.",
        "J.",
        "No.",
        "5",
        "3.14",
        "1,000",
        "p.m.",
        "...",
        ". . .",
        "?!",
        "!",
        "--",
    ),
    *(
        "don't",
        "CAN'T",
        "cannot",
        "Gonna",
        "wanna",
        "d'ye",
        "'tis",
        "'em",
        "dogs'",
        "''",
        "``",
        '"',
        "'",
        '"x."',
        "(x.)",
        ".)",
        "it's",
    ),
    *(
        "a,b",
        ",,",
        ":",
        "$5",
        "50%",
        "#1",
        "a@b.c",
        "*",
        "[1]",
        "{x}",
        "<b>",
        "e.g.",
        "etc.",
        "However",
        "i.e.",
        "x;y",
        "&",
        "Smith",
        "B.",
    ),
    *("running", "happily", "large", "big", "men", "went", "relational", "skies", "geese"),
)
ENGLISH = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from([" ", " ", " ", "", "\n", "\t", "  ", "\n\n"])), max_size=14
).map(lambda pairs: "".join(piece + space for piece, space in pairs))
ASCII = st.text(alphabet=[chr(point) for point in range(1, 128)], max_size=20)
SPACED = st.lists(st.sampled_from([piece for piece in PIECES if " " not in piece]), max_size=14)


@functools.cache
def punkt() -> PunktSentenceTokenizer:
    """NLTK's sentence tokenizer over our table."""
    known = tables.model()
    model = PunktParameters()
    model.abbrev_types, model.sent_starters, model.collocations = (
        set(known.abbreviations),
        set(known.starters),
        set(known.pairs),
    )
    begin_lower, middle_lower, middle_upper = 1 << 4, 1 << 5, 1 << 2
    seen = {
        word: (begin_lower if word in known.maybe else middle_lower) | (0 if word in known.beginning else middle_upper)
        for word in known.lower
    }
    model.ortho_context = defaultdict(int, seen)
    return PunktSentenceTokenizer(model)


class WordNet:
    """Our synonyms as NLTK asks a WordNet for them."""

    def synsets(self, word: str) -> list[Any]:
        lemmas = [SimpleNamespace(name=lambda name=name: name) for name in synonyms.synonyms(word)]
        return [SimpleNamespace(lemmas=lambda: lemmas)]


def value(evaluator: Any, text: str, expected: str) -> float:
    turn = Turn(input="Why?", expect=Expectation(response=expected))
    made: float = evaluator.score(Evidence(case=Case(id="c"), turn=turn, reply=Reply(text=text))).value
    return made


def test_stems_of_a_dictionary():
    known = sorted(word for part in synonyms._parts() for word in (*part.sets, *part.irregular))[::12]
    assert len(known) > 5000
    theirs = PorterStemmer()
    endings = ("", "s", "ed", "ing", "ly", "fulli", "ational")
    inflected = [word + endings[index % len(endings)] for index, word in enumerate(known)]
    assert [(word, stems.stem(word)) for word in inflected] == [(word, theirs.stem(word)) for word in inflected]


@given(
    beginning=st.text(alphabet="abeiloqstuyzxwnd-'.9", max_size=8),
    ending=st.sampled_from(["", "s", "ies", "ied", "eed", "ed", "ing", "bli", "alli", "ion", "y", "e", "ll", "logi", "yyy"]),
)
def test_stems_of_what_is_no_word(beginning, ending):
    assert stems.stem(beginning + ending) == PorterStemmer().stem(beginning + ending)


@given(st.one_of(ENGLISH, ASCII))
def test_sentences_end_where_punkt_ends_them(text):
    assert sentences(text) == punkt().tokenize(text)


@given(st.one_of(ENGLISH, ASCII))
def test_english_is_split_as_nltk_splits_it(text):
    theirs = NLTKWordTokenizer()
    assert list(words.tokens(text)) == [token for sentence in punkt().tokenize(text) for token in theirs.tokenize(sentence)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He left. Dr. No stayed.", ["He", "left", ".", "Dr.", "No", "stayed", "."]),
        ("It cost $3.88, J. Bach said.", ["It", "cost", "$", "3.88", ",", "J.", "Bach", "said", "."]),
        ('"Never," she said.', ["``", "Never", ",", "''", "she", "said", "."]),
        ("You cannot; I'm gonna.", ["You", "can", "not", ";", "I", "'m", "gon", "na", "."]),
        ("The café’s open. 3,5 €", ["The", "caf", "é", "’", "s", "open", ".", "3,5", "€"]),
        ("東京 &lt;b&gt; x=1\u2028y", ["東京", "<", "b", ">", "x", "=", "1", "y"]),
        ("Über 1.000. Nein.", ["Ü", "ber", "1.000.", "Nein", "."]),
    ],
)
def test_tokens(text, found):
    assert list(words.tokens(text)) == found


@given(ours=SPACED, theirs=SPACED)
def test_bleu_gleu_and_meteor_are_those_of_nltk(ours, theirs):
    one, other = " ".join(ours), " ".join(theirs)
    said, expected = words.tokens(one), words.tokens(other)
    bleu = sentence_bleu([expected], said, smoothing_function=SmoothingFunction().method4)
    assert value(BleuScore(), one, other) == pytest.approx(bleu, abs=1e-12)
    assert value(GleuScore(), one, other) == pytest.approx(sentence_gleu([expected], said), abs=1e-12)
    assert value(MeteorScore(), one, other) == pytest.approx(meteor_score([expected], said, wordnet=WordNet()), abs=1e-12)


@given(
    ours=SPACED, theirs=SPACED, kind=st.sampled_from(["rouge1", "rouge2", "rouge3", "rouge5", "rougeL"]), stemming=st.booleans()
)
def test_rouge_is_that_of_its_package(ours, theirs, kind, stemming):
    one, other = " ".join(ours), " ".join(theirs)
    there = RougeScorer([kind], use_stemmer=stemming).score(other, one)[kind]
    assert value(RougeScore(rouge_type=kind, stemming=stemming), one, other) == pytest.approx(there.fmeasure, abs=1e-12)


@given(st.lists(st.sampled_from("abcde"), min_size=4, max_size=30), st.lists(st.sampled_from("abcde"), min_size=4, max_size=30))
def test_bleu_without_smoothing_is_that_of_sacrebleu(ours, theirs):
    one, other = " ".join(ours), " ".join(theirs)
    there = sacre_bleu(one, [other], smooth_method="none", tokenize="none")
    if all(there.counts):
        assert value(BleuScore(), one, other) == pytest.approx(there.score / 100)


@given(st.lists(st.integers(0, 4), max_size=40), st.lists(st.integers(0, 4), max_size=40))
def test_the_longest_common_subsequence(one, other):
    lengths = [0] * (len(other) + 1)
    for item in one:
        before = 0
        for place, against in enumerate(other, 1):
            before, lengths[place] = lengths[place], before + 1 if item == against else max(lengths[place], lengths[place - 1])
    assert counts.common_subsequence([str(item) for item in one], [str(item) for item in other]) == lengths[-1]


def test_a_common_subsequence_of_many_rare_words():
    one = [f"word{number * 7919 % 6007}" for number in range(6007)]
    other = sorted(one, key=lambda word: int(word[4:]))
    rising, best = [int(word[4:]) for word in one], []
    for number in rising:  # of all different words in order, it is the longest rising one: patience
        place = next((place for place, top in enumerate(best) if top >= number), len(best))
        best[place : place + 1] = [number]
    assert counts.common_subsequence(one, other) == len(best)
    assert counts.common_subsequence(one + ["x"] * 100, ["x"] * 70 + other) == max(len(best), 70)


def test_the_tables_say_whose_they_are():
    assert "Princeton University" in tables.text("WORDNET-LICENSE.txt")
    notice = tables.text("NOTICE.md")
    for name in ("synonyms.txt.xz", "sentences.txt.xz", "characters.txt", "WORDNET-LICENSE.txt"):
        assert name in notice
        assert tables.text(name)
