"""Each instruction as a function of a text and of what it asks for; the text it is given has white space around it kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from vivavoce.core.reply import JSON, Object
from vivavoce.evaluators._ifeval.language import LANGUAGES, languages
from vivavoce.evaluators._overlap.sentences import sentences
from vivavoce.evaluators._overlap.words import tokens

_WORD = re.compile(r"\w+")
_CHOICES = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_WORD_ENDS = frozenset(".,?!'\"")


@dataclass(frozen=True, slots=True)
class Rule:
    """How one instruction is checked."""

    check: Callable[[str, Object], bool]
    asks: Mapping[str, type]
    """What it asks for, by name, each with the type that it has."""


def _compared(actual: int, asked: Object, number: str, relation: str = "relation") -> bool:
    wanted: int = asked[number]
    return actual < wanted if asked[relation] == "less than" else actual >= wanted


def _occurrences(text: str, word: str) -> int:
    return len(re.findall(re.escape(word), text, re.IGNORECASE))


def _keywords(text: str, asked: Object) -> bool:
    return all(_occurrences(text, word) for word in asked["keywords"])


def _frequency(text: str, asked: Object) -> bool:
    return _compared(_occurrences(text, asked["keyword"]), asked, "frequency")


def _forbidden(text: str, asked: Object) -> bool:
    return not any(re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) for word in asked["forbidden_words"])


def _letters(text: str, asked: Object) -> bool:
    return _compared(text.lower().count(asked["letter"].lower()), asked, "let_frequency", "let_relation")


def _language(text: str, asked: Object) -> bool:
    found = languages(text)
    return not found or _code(asked["language"]) in found


def _sentences(text: str, asked: Object) -> bool:
    return _compared(len(sentences(text)) if text.strip() else 0, asked, "num_sentences")


def _words(text: str, asked: Object) -> bool:
    return _compared(len(_WORD.findall(text)), asked, "num_words")


def _paragraphs(text: str, asked: Object) -> bool:
    """Paragraphs with `***` between them; none may be empty, but at the beginning and at the end."""
    parts = re.split(r"\s?\*\*\*\s?", text)
    blank = [place for place, part in enumerate(parts) if not part.strip()]
    return all(place in (0, len(parts) - 1) for place in blank) and len(parts) - len(blank) == asked["num_paragraphs"]


def _first_word(text: str, asked: Object) -> bool:
    """Paragraphs between blank lines, of which one begins with a word."""
    parts = text.split("\n\n")
    nth: int = asked["nth_paragraph"]
    if sum(bool(part.strip()) for part in parts) != asked["num_paragraphs"] or not 1 <= nth <= asked["num_paragraphs"]:
        return False
    words = parts[nth - 1].split()
    if not words:
        return False
    word = words[0].lstrip("'").lstrip('"')
    end = next((place for place, each in enumerate(word) if each in _WORD_ENDS), len(word))
    return bool(word[:end].lower() == asked["first_word"].lower())


def _placeholders(text: str, asked: Object) -> bool:
    return bool(len(re.findall(r"\[[^\n\[\]]*\]", text)) >= asked["num_placeholders"])


def _postscript(text: str, asked: Object) -> bool:
    marker = asked["postscript_marker"]
    forms = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
    return re.search(forms.get(marker, re.escape(marker.lower())), text.lower()) is not None


def _bullets(text: str, asked: Object) -> bool:
    lines = [line.lstrip() for line in text.split("\n")]
    found = sum(line.startswith("-") or (line.startswith("*") and len(line) > 1 and line[1] != "*") for line in lines)
    return bool(found == asked["num_bullets"])


def _constrained(text: str, asked: Object) -> bool:
    return any(choice in text for choice in _CHOICES)


def _highlights(text: str, asked: Object) -> bool:
    """Parts between single asterisks or double ones, with something in them."""
    single = [part for part in re.findall(r"\*[^\n*]*\*", text) if part.strip("*").strip()]
    double = [part for part in re.findall(r"\*\*[^\n*]*\*\*", text) if part[2:-2].strip()]
    return bool(len(single) + len(double) >= asked["num_highlights"])


def _sections(text: str, asked: Object) -> bool:
    return bool(len(re.findall(rf"{re.escape(asked['section_spliter'])}\s?\d+", text)) >= asked["num_sections"])


def _json(text: str, asked: Object) -> bool:
    bare = re.sub(r"(?i)\A```(?:json)?|```\Z", "", text.strip()).strip()
    try:
        json.loads(bare)
    except (ValueError, RecursionError):
        return False
    return True


def _title(text: str, asked: Object) -> bool:
    """A line with something between double angular brackets."""
    spans = ((line, line.find("<<"), line.rfind(">>")) for line in text.split("\n"))
    return any(line[start:end].lstrip("<").rstrip(">").strip() for line, start, end in spans if 0 <= start < end)


def _two_responses(text: str, asked: Object) -> bool:
    """Two that differ, with six asterisks between them."""
    parts = text.split("******")
    blank = [place for place, part in enumerate(parts) if not part.strip()]
    said = [part.strip() for part in parts if part.strip()]
    return all(place in (0, len(parts) - 1) for place in blank) and len(said) == 2 and said[0] != said[1]


def _repeats(text: str, asked: Object) -> bool:
    return text.strip().lower().startswith(asked["prompt_to_repeat"].strip().lower())


def _ends(text: str, asked: Object) -> bool:
    return text.strip().strip('"').lower().endswith(asked["end_phrase"].strip().lower())


def _capitals(text: str, asked: Object) -> bool:
    found = sum(word.isupper() for word in tokens(text))
    return _compared(found, asked, "capital_frequency", "capital_relation")


def _all_capital(text: str, asked: Object) -> bool:
    return text.isupper() and "en" in languages(text)


def _all_lower(text: str, asked: Object) -> bool:
    return text.islower() and "en" in languages(text)


def _no_comma(text: str, asked: Object) -> bool:
    return "," not in text


def _quoted(text: str, asked: Object) -> bool:
    bare = text.strip()
    return len(bare) > 1 and bare[0] == bare[-1] == '"'


def known(name: str, value: JSON) -> bool:
    """Whether a value is a relation or a language that there is here, where the name says that it is to be one."""
    if name == "language":
        return _code(value) in LANGUAGES
    return not name.endswith("relation") or value in ("less than", "at least")


def _code(language: str) -> str:
    """A language without its region: `zh` of `zh-CN`."""
    return language.lower().replace("_", "-").partition("-")[0]


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "change_case:capital_word_frequency": Rule(_capitals, {"capital_frequency": int, "capital_relation": str}),
        "change_case:english_capital": Rule(_all_capital, {}),
        "change_case:english_lowercase": Rule(_all_lower, {}),
        "combination:repeat_prompt": Rule(_repeats, {"prompt_to_repeat": str}),
        "combination:two_responses": Rule(_two_responses, {}),
        "detectable_content:number_placeholders": Rule(_placeholders, {"num_placeholders": int}),
        "detectable_content:postscript": Rule(_postscript, {"postscript_marker": str}),
        "detectable_format:constrained_response": Rule(_constrained, {}),
        "detectable_format:json_format": Rule(_json, {}),
        "detectable_format:multiple_sections": Rule(_sections, {"section_spliter": str, "num_sections": int}),
        "detectable_format:number_bullet_lists": Rule(_bullets, {"num_bullets": int}),
        "detectable_format:number_highlighted_sections": Rule(_highlights, {"num_highlights": int}),
        "detectable_format:title": Rule(_title, {}),
        "keywords:existence": Rule(_keywords, {"keywords": list}),
        "keywords:forbidden_words": Rule(_forbidden, {"forbidden_words": list}),
        "keywords:frequency": Rule(_frequency, {"keyword": str, "frequency": int, "relation": str}),
        "keywords:letter_frequency": Rule(_letters, {"letter": str, "let_frequency": int, "let_relation": str}),
        "language:response_language": Rule(_language, {"language": str}),
        "length_constraints:nth_paragraph_first_word": Rule(
            _first_word, {"num_paragraphs": int, "nth_paragraph": int, "first_word": str}
        ),
        "length_constraints:number_paragraphs": Rule(_paragraphs, {"num_paragraphs": int}),
        "length_constraints:number_sentences": Rule(_sentences, {"num_sentences": int, "relation": str}),
        "length_constraints:number_words": Rule(_words, {"num_words": int, "relation": str}),
        "punctuation:no_comma": Rule(_no_comma, {}),
        "startend:end_checker": Rule(_ends, {"end_phrase": str}),
        "startend:quotation": Rule(_quoted, {}),
    }
)
"""Every instruction by its id."""
