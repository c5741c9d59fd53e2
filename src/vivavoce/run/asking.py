"""How a person asks for an evaluator in one word: `[NAME:]EVALUATOR[=JSON]`."""

from __future__ import annotations

import json

from vivavoce.core import plugins
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Check


def check(text: str) -> Check:
    """The check a text asks for: `ExactMatch`, `Citations={"threshold": 2}`, `strict:ExactMatch={"case_sensitive": true}`.

    Raises:
        UsageError: the options are not a JSON object.
        UnknownPlugin: there is no such evaluator.
    """
    told, equals, options = text.partition("=")
    name, colon, evaluator = told.partition(":")
    if not colon:
        name, evaluator = "", told
    if colon and not (name and evaluator):
        raise UsageError(f'"{text}": say [NAME:]EVALUATOR[=JSON], such as strict:ExactMatch={{"case_sensitive": true}}')
    try:
        given = json.loads(options) if equals else {}
    except ValueError as error:
        raise UsageError(f'"{text}": the options after = are not JSON: {error}') from error
    if not isinstance(given, dict):
        raise UsageError(f'"{text}": the options after = must be a JSON object, such as {{"threshold": 4}}')
    return Check(evaluator=plugins.known_as("evaluators", evaluator.strip()), name=name, options=given, origin="run")
