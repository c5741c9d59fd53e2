"""IfEval and Bbeh."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import CallError, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Reply
from vivavoce.core.result import Verdict
from vivavoce.evaluators._ifeval.language import LANGUAGES, languages
from vivavoce.evaluators._ifeval.rules import RULES
from vivavoce.evaluators.benchmarks import Bbeh, IfEval


def told(text: str | None, **columns: Any) -> Evidence:
    turn = Turn(input="Write.", expect=Expectation(response=columns.pop("expected", None)))
    return Evidence(case=Case(id="c", turns=(turn,), metadata=columns), turn=turn, reply=Reply(text=text))


def follows(text: str, *asked: tuple[str, dict[str, Any]]) -> Verdict:
    names, kwargs = [name for name, _ in asked], [given for _, given in asked]
    return IfEval().score(told(text, instruction_id_list=names, instruction_kwargs=kwargs))


def right(text: str, expected: str) -> bool | None:
    return Bbeh().score(told(text, expected=expected)).passed


FOLLOWED = [
    ("keywords:existence", {"keywords": ["Cat", "hat"]}, "The cat in the hat", "The cat sat"),
    ("keywords:existence", {"keywords": ["a.c"]}, "a.c", "abc"),
    ("keywords:frequency", {"keyword": "go", "frequency": 2, "relation": "at least"}, "Go, go", "Go"),
    ("keywords:frequency", {"keyword": "go", "frequency": 2, "relation": "less than"}, "Go", "Go, go"),
    ("keywords:forbidden_words", {"forbidden_words": ["rain"]}, "Trains run", "No RAIN today"),
    ("keywords:letter_frequency", {"letter": "E", "let_frequency": 2, "let_relation": "at least"}, "Eve", "Bed"),
    ("keywords:letter_frequency", {"letter": "!", "let_frequency": 1, "let_relation": "less than"}, "No", "Yes!"),
    ("language:response_language", {"language": "de"}, "Das ist nicht der Hund und die Katze", "This is the dog and the cat"),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": "at least"}, "One. Two!", "Only Dr. Who"),
    ("length_constraints:number_words", {"num_words": 3, "relation": "less than"}, "Two words", "It's two"),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "one\n***\ntwo\n***\n", "one\n***\n***\ntwo"),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "Then"},
        'First.\n\n"then, we left',
        "Then.\n\nFirst",
    ),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "Dear [name] of [city]", "Dear [name]"),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}, "Bye.\np. s. More", "Bye. PS more"),
    ("detectable_content:postscript", {"postscript_marker": "P.P.S"}, "Bye.\nP.P.S. More", "Bye.\nP.S. More"),
    ("detectable_content:postscript", {"postscript_marker": "Note"}, "Bye. note this", "Bye."),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "* one\n  - two\n**no**", "* one"),
    ("detectable_format:constrained_response", {}, "Well. My answer is maybe.", "My answer: maybe."),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "*one* and **two**", "*one* and * *"),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "SECTION", "num_sections": 2},
        "SECTION 1\na\nSECTION 2",
        "SECTION 1",
    ),
    ("detectable_format:json_format", {}, '```json\n{"a": [1]}\n```', "{a: 1}"),
    ("detectable_format:title", {}, "<<A day>>\nIt rained", "<< >>\nIt rained"),
    ("combination:two_responses", {}, "one\n******\ntwo", "one\n******\none"),
    ("combination:two_responses", {}, "******one******two", "one******two******three"),
    ("combination:repeat_prompt", {"prompt_to_repeat": "Write a poem."}, "  write a poem. Roses", "Roses. Write a poem."),
    ("startend:end_checker", {"end_phrase": "Is that all?"}, '"Yes. Is that all?"', "Is that all? Yes"),
    ("startend:quotation", {}, '"quoted"', '"half'),
    ("startend:quotation", {}, '""', '"'),
    ("change_case:capital_word_frequency", {"capital_frequency": 2, "capital_relation": "at least"}, "I say STOP", "I stop"),
    ("change_case:english_capital", {}, "THE DOG IS IN THE HOUSE", "The dog"),
    ("change_case:english_lowercase", {}, "the dog is in the house", "der Hund ist nicht im Haus"),
    ("punctuation:no_comma", {}, "No; never", "No, never"),
]


@pytest.mark.parametrize(("name", "asked", "well", "badly"), FOLLOWED)
def test_instructions(name: str, asked: dict[str, Any], well: str, badly: str) -> None:
    assert follows(well, (name, asked)).passed is True
    assert follows(badly, (name, asked)).passed is False


def test_every_instruction_is_tested() -> None:
    assert {name for name, *_ in FOLLOWED} == set(RULES)
    assert len(RULES) == 25


def test_all_must_be_followed_and_those_that_are_not_are_named() -> None:
    asked = [("punctuation:no_comma", {}), ("startend:quotation", {"ignored": None}), ("punctuation:no_comma", {})]
    verdict = follows("No quotes", *asked)
    assert (verdict.value, verdict.passed) == (0, False)
    assert verdict.reason == "2 of 3 instructions followed; not startend:quotation"
    assert verdict.details["followed"] == {
        "punctuation:no_comma": True,
        "startend:quotation": False,
        "punctuation:no_comma (2)": True,
    }
    assert follows('"No comma"', *asked).reason == "3 of 3 instructions followed"


def test_an_empty_answer_follows_nothing() -> None:
    verdict = follows(" \n", ("punctuation:no_comma", {}))
    assert verdict.passed is False
    assert verdict.reason.endswith("the answer is empty")


def test_columns_may_be_json_text() -> None:
    names, kwargs = '["length_constraints:number_words"]', '[{"num_words": 3.0, "relation": "less than"}]'
    assert IfEval().score(told("Two words", instruction_id_list=names, instruction_kwargs=kwargs)).passed
    given = told("Two words").limited({"response": "Two words", "instruction_id_list": names, "instruction_kwargs": kwargs}, ())
    assert IfEval().score(given).passed


@pytest.mark.parametrize(
    ("names", "kwargs", "words"),
    [
        ([], [], "give at least one"),
        (["punctuation:no_comma"], [], "1 instruction in instruction_id_list and 0 objects"),
        (["punctuation:no_coma"], [{}], r'"punctuation:no_coma" \(did you mean "punctuation:no_comma"'),
        ([3], [{}], 'no instruction "3"'),
        (["keywords:existence"], [None], r"instruction_kwargs\[0\].keywords .* asks for a list of texts"),
        (["keywords:existence"], [{"keywords": [""]}], "a list of texts"),
        (["length_constraints:number_words"], [{"num_words": "3", "relation": "at least"}], "a whole number"),
        (["length_constraints:number_words"], [{"num_words": True, "relation": "at least"}], "a whole number"),
        (["length_constraints:number_words"], [{"num_words": 3, "relation": "more than"}], '"less than" or "at least"'),
        (["language:response_language"], [{"language": "tlh"}], "the code of a language"),
    ],
)
def test_what_cannot_be_checked_is_an_error(names: Any, kwargs: Any, words: str) -> None:
    with pytest.raises(CallError, match=words):
        IfEval().score(told("text", instruction_id_list=names, instruction_kwargs=kwargs))


def test_columns_that_are_missing_are_named() -> None:
    with pytest.raises(Missing) as caught:
        IfEval().score(told("text", instruction_id_list=["punctuation:no_comma"]))
    assert caught.value.names == ("instruction_kwargs",)


SENTENCES = {
    "ar": "هذا هو الكتاب الذي كان في البيت",
    "bg": "Това не е книгата, която търся, но ще я купя",
    "bn": "এটি একটি বই",
    "de": "Das ist nicht das Buch und der Hund ist auch im Garten",
    "en": "This is the book that was on the table for you",
    "es": "El libro que está en la mesa es para los niños",
    "fa": "این کتاب را برای شما از بازار با خود آوردم",
    "fi": "Tämä on kirja, joka ei ole minä mutta se on myös hyvä",
    "fr": "Le livre qui est sur la table est pour vous et pour nous",
    "gu": "આ એક પુસ્તક છે",
    "he": "זה ספר טוב",
    "hi": "यह किताब मेरे लिए है और वह नहीं है",
    "it": "Il libro che è nella borsa non è per gli altri ma per la mamma",
    "ja": "これは本です。東京に行きます。",
    "kn": "ಇದು ಒಂದು ಪುಸ್ತಕ",
    "ko": "이것은 책입니다",
    "ml": "ഇതൊരു പുസ്തകമാണ്",
    "mr": "हे पुस्तक आहे आणि ते माझ्या साठी नाही",
    "ne": "यो किताब मेरो लागि हो र त्यो पनि राम्रो छ",
    "pa": "ਇਹ ਇੱਕ ਕਿਤਾਬ ਹੈ",
    "pl": "To jest książka, która nie jest dla mnie, ale jak się czyta",
    "pt": "O livro que não está em casa é para você e para as crianças do bairro",
    "ru": "Это книга, которую я читал, но она не для вас",
    "sw": "Hii ni kitabu cha watu wa nchi ya Kenya na pia kwa watoto",
    "ta": "இது ஒரு புத்தகம்",
    "te": "ఇది ఒక పుస్తకం",
    "th": "นี่คือหนังสือ",
    "uk": "Це книга, яку я читав, але вона не для них і не для мене",
    "ur": "یہ کتاب میرے لیے ہے اور وہ نہیں ہے",
    "vi": "Đây là một cuốn sách của tôi và không phải cho những người khác",
    "zh": "这是一本书",
    "el": "Αυτό είναι ένα βιβλίο",
}


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_languages(code: str) -> None:
    assert languages(SENTENCES[code]) == {code}


def test_every_language_is_tested_and_what_cannot_be_told_is_either() -> None:
    assert set(SENTENCES) == LANGUAGES
    assert languages("123 ...") == frozenset()
    assert {"en", "fi"} <= languages("Zzz")


@given(st.text(max_size=60), st.sampled_from(FOLLOWED))
def test_any_text_gets_a_verdict(text: str, one: tuple[str, dict[str, Any], str, str]) -> None:
    name, asked, *_ = one
    assert follows(text, (name, asked)).passed in (True, False)


@pytest.mark.parametrize(
    "text", ["*" * 200_000, "[" * 200_000, "<<" * 100_000, "p. " * 70_000, "***\n" * 50_000, "a. " * 30_000]
)
def test_a_long_text_is_checked_in_time(text: str) -> None:
    # What takes time with the square of a text would not come back within the time limit of a test.
    for name, asked, *_ in FOLLOWED:
        assert follows(text, (name, asked)).passed in (True, False)


# Bbeh


@pytest.mark.parametrize(
    ("text", "expected", "passed"),
    [
        ("So the answer is: no. The answer is: **(B)**.", "b", True),
        ("The final answer is: 42", "42.0", True),
        ("The answer is 3, 4", "3,4", True),
        ("The answer is $\\boxed{7}$.", "7", True),
        ("The answer is \\text{yes}", "Yes", True),
        ("(a)", "a", True),
        ("a", "(A)", True),
        ("The answer is [x, y]", "x, y", True),
        ("The answer is who?", "who", True),
        ("The answer is it's", "its", True),
        ("The answer is 5\nsince 2+3=5", "5", True),
        ("I think 5", "5", False),
        ("The answer is 5 apples", "5", False),
        ("", "a", False),
        ("The answer is ()", "", False),
        ("The answer is nan", "1", False),
    ],
)
def test_bbeh(text: str, expected: str, passed: bool) -> None:
    assert right(text, expected) is passed


def test_bbeh_says_what_it_took_for_the_answer() -> None:
    verdict = Bbeh().score(told("Thus. The answer is (C).", expected="(D)"))
    assert verdict.reason == 'the final answer is "(c)", expected "(d)"'
    assert json.dumps(verdict.details) == '{"final": "(c)"}'


@given(st.text(alphabet="ab1(). $*{}", max_size=12))
def test_an_answer_that_is_given_as_expected_is_right(text: str) -> None:
    assert right(f"The answer is {text}", Bbeh().score(told(f"The answer is {text}", expected="x")).details["final"])
