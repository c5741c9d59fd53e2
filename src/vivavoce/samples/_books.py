"""The company's books: its shop and its handbook in one small database, a fresh copy for each conversation."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_SENTENCE = re.compile(r"(?<=[.!?])\s+")

_HANDBOOK = """
CREATE VIRTUAL TABLE sections USING fts5(slug UNINDEXED, title, body, tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE sentences USING fts5(slug UNINDEXED, title, text, tokenize='porter unicode61 remove_diacritics 2');
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """One page of the handbook."""

    slug: str
    title: str
    paragraphs: tuple[str, ...]

    @property
    def url(self) -> str:
        """Where the company would publish it."""
        return f"https://hollinwake.example/handbook/{self.slug}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Its sentences, in order."""
        return tuple(sentence for each in self.paragraphs for sentence in _SENTENCE.split(each))


@cache
def handbook() -> tuple[Section, ...]:
    """Every section, by slug."""
    pages = sorted(
        (page for page in files("vivavoce.samples").joinpath("handbook").iterdir() if page.name.endswith(".md")),
        key=lambda page: page.name,
    )
    return tuple(_section(page.name.removesuffix(".md"), page.read_text(encoding="utf-8")) for page in pages)


def open_books() -> sqlite3.Connection:
    """A copy of the books in memory. What a conversation writes into it, no other conversation sees."""
    # One conversation may be served by several threads, one after the other, never at once.
    books = sqlite3.connect(":memory:", check_same_thread=False)
    books.deserialize(_printed())
    books.row_factory = sqlite3.Row
    return books


@cache
def _printed() -> bytes:
    books = sqlite3.connect(":memory:")
    try:
        books.executescript(files("vivavoce.samples").joinpath("shop.sql").read_text(encoding="utf-8"))
        books.executescript(_HANDBOOK)
        for each in handbook():
            books.execute("INSERT INTO sections VALUES (?, ?, ?)", (each.slug, each.title, "\n\n".join(each.paragraphs)))
            books.executemany(
                "INSERT INTO sentences VALUES (?, ?, ?)", [(each.slug, each.title, sentence) for sentence in each.sentences]
            )
        books.commit()
        return books.serialize()
    finally:
        books.close()


def _section(slug: str, text: str) -> Section:
    title, *paragraphs = (block.strip() for block in text.split("\n\n"))
    return Section(slug=slug, title=title.removeprefix("# "), paragraphs=tuple(each for each in paragraphs if each))
