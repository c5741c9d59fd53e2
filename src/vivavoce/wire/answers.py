"""The JSON objects in what a chat model answered, whatever it put around them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from vivavoce.core.reply import JSON, Object

_THOUGHT = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FENCED = re.compile(r"\s*```[a-z]*\s*\n(.*?)\n?\s*```\s*", re.DOTALL | re.IGNORECASE)
_OBJECTS = 50
"""Objects that are looked for in one answer."""


def objects(text: str) -> Iterator[tuple[Object, str]]:
    """The JSON objects of an answer, each with its text: all of it, else what stands in it after its thoughts."""
    fenced = _FENCED.fullmatch(text)
    for whole in (text, fenced[1]) if fenced else (text,):
        if isinstance(payload := _json(whole), dict):
            yield payload, whole.strip()
            return
    text = _thoughtless(text)
    decoder, at = json.JSONDecoder(), 0
    for _ in range(_OBJECTS):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            payload, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        yield payload, text[at:end]
        at = end


def _json(text: str) -> JSON:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _thoughtless(text: str) -> str:
    """What follows the thoughts of a model that tells them; some leave out where these begin."""
    if match := _THOUGHT.match(text):
        return text[match.end() :]
    if text.lstrip()[:6].lower() == "<think":
        return ""
    parts = _END_OF_THOUGHT.split(text, maxsplit=1)
    return parts[-1]
