"""Find in the handbook what a question is about, ranked by BM25, and the sentence that answers it."""

from __future__ import annotations

import re
import sqlite3
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from vivavoce.core.reply import Object
from vivavoce.samples._books import Section, handbook

CAPABILITY = "Handbook"
"""How the agent calls this kind of retrieval in its reports."""
HITS = 5
"""How many sections a search brings back."""
TERMS = 12
"""How many words of a question are looked at."""
ENOUGH = 0.6
"""Share of a question's words that the best section must know; below it, the question is about something else."""
NEAR = 0.8
"""How near the second section must come to the first for both to be quoted."""

_ASKS_A_NUMBER = re.compile(
    r"\b(how (long|many|much|often|late|early)|when|what time|until|by when|cost|price)\b", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A sentence of the handbook, with the section it stands in."""

    section: Section
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What a search brought back."""

    passages: tuple[Passage, ...]
    """What answers the question, best first; `()` when the handbook has nothing to say."""
    terms: tuple[str, ...]
    """What was looked for; `()` when the question has no word to look for."""
    execution: Object
    """The search as the agent reports it."""


def search(books: sqlite3.Connection, question: str, topic: str = "") -> Found:
    """Search the handbook; `topic` is what the conversation was about, when the question alone is too short to tell."""
    terms = tuple(dict.fromkeys([*_terms(question), *_terms(topic)]))[:TERMS]
    ranked = _rank(books, terms)
    told = [ranked[0][0]] if ranked and _coverage(books, ranked[0][0], terms) >= ENOUGH else []
    if told and len(ranked) > 1 and ranked[1][1] >= NEAR * ranked[0][1] and _coverage(books, ranked[1][0], terms) >= ENOUGH:
        told.append(ranked[1][0])
    sections = {each.slug: each for each in handbook()}
    return Found(
        passages=tuple(Passage(section=sections[slug], text=_best_sentence(books, slug, terms, question)) for slug in told),
        terms=terms,
        execution={
            "capability": CAPABILITY,
            "status": "success",
            "totalResultCount": len(ranked),
            "queries": [{"queryString": " ".join(terms), "filterExpression": None}],
            "retrievalHits": [
                {"rank": rank, "webUrl": sections[slug].url, "extracts": [{"text": each} for each in sections[slug].paragraphs]}
                for rank, (slug, _) in enumerate(ranked, 1)
            ],
        },
    )


@cache
def _words() -> tuple[frozenset[str], Mapping[str, tuple[str, ...]]]:
    """The words to leave out, and words that mean the same."""
    told = tomllib.loads(files("vivavoce.samples").joinpath("words.toml").read_text(encoding="utf-8"))
    return frozenset(told["idle"]), {word: tuple(others) for word, others in told["same"].items()}


def _terms(text: str) -> list[str]:
    idle = _words()[0]
    return [word for word in re.findall(r"\w+", text.casefold()) if word not in idle and not word.isdigit()]


def _match(terms: tuple[str, ...]) -> str:
    """An FTS5 query; words are quoted, so that none of them is read as an operator."""
    same = _words()[1]
    words = dict.fromkeys(word for term in terms for word in (term, *same.get(term, ())))
    return " OR ".join(f'"{word}"' for word in words)


def _rank(books: sqlite3.Connection, terms: tuple[str, ...]) -> list[tuple[str, float]]:
    """Slug and score of the best sections, the higher the better; a word in the title counts four times."""
    if not terms:
        return []
    rows = books.execute(
        "SELECT slug, -bm25(sections, 0, 4, 1) AS score FROM sections WHERE sections MATCH ? ORDER BY score DESC, slug LIMIT ?",
        (_match(terms), HITS),
    )
    return [(row["slug"], row["score"]) for row in rows]


def _coverage(books: sqlite3.Connection, slug: str, terms: tuple[str, ...]) -> float:
    """The share of the words that a section knows."""
    query = "SELECT count(*) FROM sections WHERE sections MATCH ? AND slug = ?"
    known: list[int] = [books.execute(query, (_match((term,)), slug)).fetchone()[0] for term in terms]
    return sum(known) / len(known)


def _best_sentence(books: sqlite3.Connection, slug: str, terms: tuple[str, ...], question: str) -> str:
    rows = books.execute(
        "SELECT text, -bm25(sentences, 0, 0.5, 1) AS score FROM sentences WHERE sentences MATCH ? AND slug = ? ORDER BY rowid",
        (_match(terms), slug),
    )
    wants_number = _ASKS_A_NUMBER.search(question) is not None

    def worth(row: sqlite3.Row) -> float:
        # A question for a number is better answered by a sentence that has one.
        return float(row["score"]) * (2 if wants_number and re.search(r"\d", row["text"]) else 1)

    return str(max(rows, key=worth)["text"])
