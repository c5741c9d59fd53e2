"""A request in another service's words: a JSON object in which `{{input}}` and its like are replaced, and nothing is run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from vivavoce.core.place import did_you_mean
from vivavoce.core.reply import JSON, Object

NAMES = ("input", "session_id", "history", "case", "turn", "about")
"""What a template may name: the parts of a request."""

_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")


def parse(given: Object | str | None) -> Object | None:
    """The template that an option gives, as an object or as its JSON; `None` where it gives none.

    Raises:
        ValueError: it is no JSON object, or names what there is not.
    """
    made: JSON = given
    if isinstance(given, str):
        try:
            made = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"request is no JSON: {error}") from None
        if not isinstance(made, dict):
            raise ValueError("request must be a JSON object")
    for text in _texts(made):
        for name in _PLACEHOLDER.findall(text):
            if name not in NAMES:
                raise ValueError(f"request names {{{{{name}}}}}, which is no part of a request ({did_you_mean(name, NAMES)})")
    template: Object | None = made
    return template


def fill(template: JSON, values: Object) -> JSON:
    """The template with its placeholders replaced.

    A text that is nothing but a placeholder becomes the value itself, of whatever type; inside a longer text the value is
    written out. What comes in is never looked at again, so an input that holds a placeholder stays as it is.
    """
    if isinstance(template, str):
        whole = _PLACEHOLDER.fullmatch(template)
        if whole and whole[1] in values:
            return values[whole[1]]
        return _PLACEHOLDER.sub(lambda match: _written(match[1], values[match[1]]), template)
    if isinstance(template, Mapping):
        return {key: fill(each, values) for key, each in template.items()}
    if isinstance(template, list | tuple):
        return [fill(each, values) for each in template]
    return template


def _written(name: str, value: JSON) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if name == "history":
        return "\n".join(f"{message['role']}: {_written('', message['content'])}" for message in value)
    return json.dumps(value, ensure_ascii=False)


def _texts(template: JSON) -> Iterator[str]:
    if isinstance(template, str):
        yield template
    elif isinstance(template, Mapping):
        for each in template.values():
            yield from _texts(each)
    elif isinstance(template, list | tuple):
        for each in template:
            yield from _texts(each)
