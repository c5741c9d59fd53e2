"""The explicit checks of the embedded judge: what they find in sentences, and what they leave alone."""

from __future__ import annotations

import pytest

from vivavoce.judges._local import facts, texts
from vivavoce.judges._local.look import contradiction
from vivavoce.judges._local.quantities import quantities, unknown


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("9 pm", "21:00", True),
        ("9 pm", "nine in the evening", True),
        ("9 pm", "9 am", False),
        ("at noon", "12 pm", True),
        ("at 9", "9 am", True),
        ("1,240 euros", "€1240", True),
        ("96 euros", "96 dollars", False),
        ("2 kg", "2000 g", True),
        ("2 kg", "2 grams", False),
        ("24 months", "2 years", True),
        ("14 days", "two weeks", True),
        ("one to two weeks", "one to two working days", False),
        ("5 percent", "5%", True),
        ("84 per cent", "84 %", True),
        ("twenty-five", "25", True),
        ("25", "25 days", True),
        ("3 million", "3,000,000", True),
        ("4.90", "9.40", False),
        ("每年96欧元", "96 euros", True),
    ],
)
def test_figures_agree_or_differ(one: str, other: str, same: bool) -> None:
    here, there = facts.facts(one).quantities, facts.facts(other).quantities
    assert here
    assert there
    assert (not unknown(here, there)) is same
    assert (not unknown(there, here)) is same


@pytest.mark.parametrize("text", ["no figure at all", "the 90s were fun"[:3], "one of us", "a.m.", "x9y"])
def test_what_is_no_figure(text: str) -> None:
    assert quantities(text) == ()


def test_a_figure_of_a_thousand_digits_is_bounded() -> None:
    (figure,) = quantities("9" * 1000)
    assert figure.value < 1e31


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("Dogs are not allowed in the garden.", "Dogs are allowed in the garden."),
        ("Dogs are allowed in the garden.", "Dogs aren't allowed in the garden."),
        ("You can't open the lid.", "You can open the lid."),
        ("The fee will decrease.", "The fee will increase."),
        ("The exit is on the right.", "The exit is on the left."),
        ("It is open on Sundays.", "It is closed on Sundays."),
        ("The board meets on Fridays.", "The board meets on Mondays."),
        ("At least four tablets.", "At most four tablets."),
        ("花园里不可以带狗", "花园里可以带狗"),
    ],
)
def test_a_contradiction_is_found(said: str, source: str) -> None:
    assert contradiction(said, source)
    assert contradiction(source, said)


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("The shop is not open.", "The shop is closed."),
        ("It was one of the longest tours.", "It was not only the longest tour, but one of the longest tours of all."),
        ("No more than four a day.", "At most four a day."),
        ("The warranty lasts two years.", "The warranty lasts two years and does not cover water damage."),
        ("Water is free.", "Dogs are not allowed in the garden."),
        ("I don't know, the menu is called a hamburger.", "The menu is called a hamburger."),
        ("", "Nothing is said."),
    ],
)
def test_what_is_no_contradiction(said: str, source: str) -> None:
    assert contradiction(said, source) is None


def test_names_are_found_within_sentences() -> None:
    assert facts.names("Later on Anna Berg met Mr Lund in Oslo. The weather was fine.") == [
        "Anna",
        "Berg",
        "Mr",
        "Lund",
        "Oslo",
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", 3),
        ("Dr. Weber said so. She left.", 2),
        ("It costs 4.90 euros.", 1),
        ("- first\n- second\n3. third", 3),
        ("一。二！三", 3),
        ("do n't know . it 's fine .", 2),
        ("x" * 1000, 3),
        ("... --- ...", 0),
    ],
)
def test_sentences(text: str, parts: int) -> None:
    assert len(texts.sentences(texts.clean(text)[0])) == parts


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We open at nine.", "en"),
        ("30 days", "en"),
        ("", "en"),
        ("Wir öffnen um neun und sind dann für Sie da.", "other"),
        ("Nous ouvrons à neuf heures.", "other"),
        ("Мы открываемся в девять.", "other"),
        ("我们九点开门", "other"),
        ("Το κατάστημα ανοίγει στις εννέα.", "unknown"),
        ("दुकान नौ बजे खुलती है", "unknown"),
    ],
)
def test_languages_are_told_apart(text: str, language: str) -> None:
    assert texts.language(text) == language


def test_cleaning_bounds_a_text_and_says_so() -> None:
    cleaned, was_cut = texts.clean("begin " + "x " * 1_000_000 + "end")
    assert was_cut
    assert len(cleaned) <= texts.LONGEST
    assert cleaned.startswith("begin")
    assert cleaned.endswith("end")
    assert texts.clean("plain\x00 \u202etext\ud800") == ("plain text", False)


@pytest.mark.parametrize(
    "mark", [" [1]", " [^1^]", "【1†handbook】", "[1](https://example.org/a)", "\ue200cite\ue202turn1search1\ue201"]
)
def test_marks_of_citations_are_no_part_of_what_is_said(mark):
    plain = "You may return anything unused within 30 days of delivery. It costs nothing."
    marked = plain.replace(".", f".{mark}", 1) + mark
    assert texts.sentences(texts.clean(marked)[0]) == texts.sentences(texts.clean(plain)[0])
