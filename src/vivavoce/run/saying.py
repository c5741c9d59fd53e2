"""How a simulated user's words are put to an agent that takes objects: in the shape of the first message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vivavoce.core import codec
from vivavoce.core.model import Persona
from vivavoce.core.reply import JSON, Reply

WORDS = ("message", "prompt", "input", "query", "question", "text", "content")
"""Fields that hold what is said, in the order in which they are looked for."""
Path = tuple[str, ...]


def place(first: JSON) -> Path | None:
    """Where in an object the words stand: under the first of `WORDS` that is text there, else in the only text there is.

    `()` for a text; `None` when it cannot be told.
    """
    if isinstance(first, str):
        return ()
    if not isinstance(first, Mapping):
        return None
    for name in WORDS:
        if isinstance(first.get(name), str):
            return (name,)
    texts = list(_texts(first))
    return texts[0] if len(texts) == 1 else None


def put(first: JSON, words: str) -> JSON:
    """The words in the shape of the first message; as they are, where nothing was said first."""
    where = place(first)
    return words if not where else _put(first, where, words)


def words(said: JSON) -> str:
    """The words in what was said to an agent; an object in which they cannot be told from the rest, as JSON."""
    where = place(said)
    if where is None:
        return _text(said)
    for name in where:
        said = said[name]
    return str(said)


def heard(reply: Reply) -> str:
    """What a user gets to know of an answer: its text, else what else it says."""
    if reply.text is not None:
        return reply.text
    told = next((each for each in (reply.rows, reply.refusal, reply.insight) if each is not None), None)
    return _text(told)


def unsayable(persona: Persona | None) -> str | None:
    """Why a persona could not go on after its first message, if so."""
    if persona is None or persona.input is None or persona.max_turns < 2 or place(persona.input) is not None:
        return None
    return (
        "begins with an object, and in which of its fields later messages belong cannot be told: "
        f"have one text in it, or name the one that is said {WORDS[0]!r}"
    )


def _text(said: JSON) -> str:
    if said is None:
        return ""
    return said if isinstance(said, str) else codec.encode(said).decode()


def _texts(value: Mapping[str, JSON], before: Path = ()) -> Iterator[Path]:
    for name, each in value.items():
        if isinstance(each, str):
            yield (*before, name)
        elif isinstance(each, Mapping):
            yield from _texts(each, (*before, name))


def _put(value: JSON, where: Path, words: str) -> JSON:
    name, *rest = where
    return {**value, name: _put(value[name], tuple(rest), words) if rest else words}
