"""The word tables that lie beside this module, read when they are first asked for."""

from __future__ import annotations

import lzma
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Model(NamedTuple):
    """What is known of English sentence ends."""

    abbreviations: frozenset[str]
    """Without their last period."""
    starters: frozenset[str]
    """Words that often begin a sentence."""
    pairs: frozenset[tuple[str, str]]
    """Two words that a period between them does not part."""
    lower: frozenset[str]
    """Words seen in lower case."""
    beginning: frozenset[str]
    """Of these, the ones that in upper case begin a sentence."""
    maybe: frozenset[str]
    """Of these, the ones that in lower case may begin a sentence."""


def text(name: str) -> str:
    """A table as it is written."""
    data = files(__package__).joinpath(name).read_bytes()
    return (lzma.decompress(data) if name.endswith(".xz") else data).decode()


@cache
def model() -> Model:
    """The table of sentence ends."""
    rows = [frozenset(line.split("\t")) - {""} for line in text("sentences.txt.xz").split("\n")]
    abbreviations, starters, pairs, neither, maybe, beginning, both, _ = rows
    return Model(
        abbreviations=abbreviations,
        starters=starters,
        pairs=frozenset((one, other) for one, _, other in (pair.partition(" ") for pair in pairs)),
        lower=neither | maybe | beginning | both,
        beginning=beginning | both,
        maybe=maybe | both,
    )


@cache
def ranges() -> dict[str, str]:
    """Each character property as what stands between the brackets of a regular expression."""
    lines = (line.split() for line in text("characters.txt").splitlines())
    return {name: "".join(_range(each) for each in spans) for name, *spans in lines}


def _range(span: str) -> str:
    first, _, last = span.partition("-")
    return f"\\U{int(first, 16):08x}-\\U{int(last or first, 16):08x}"
