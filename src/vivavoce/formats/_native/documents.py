"""A native document, YAML or JSON, as a suite."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vivavoce.core.model import Suite
from vivavoce.core.place import Problems
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source
from vivavoce.formats._native import build
from vivavoce.formats._native.rows import Entries
from vivavoce.formats._native.shapes import Top
from vivavoce.wire import json_text
from vivavoce.wire.shape import Shape

_JSON_BEGINS = re.compile(r'\s*(?:\{\s*["}]|\[)')


def read(source: Source, problems: Problems) -> Suite:
    """The whole document as a suite; its cases are checked when they are iterated."""
    value = _parse(source, problems)
    if not isinstance(value, Mapping):
        return Suite(name=source.stem, cases=(), format="native", source=source.name)
    shape = Shape(source, problems)
    top = shape.fit({name: each for name, each in value.items() if name != "cases"}, Top, "")
    evaluators = top.get("evaluators") if not shape.wrong else None
    if evaluators:
        build.object_to_evaluators(evaluators, "", lambda message, at, fix: shape.add(message, at, fix))
    cases = value.get("cases")
    if not isinstance(cases, list) or not cases:
        shape.add("must be a list of at least one case", "cases", "" if "cases" in value else 'add "cases"')
    name, description = top.get("suite"), top.get("description")
    return Suite(
        name=name if isinstance(name, str) else source.stem,
        cases=Entries(
            source,
            problems,
            cases if isinstance(cases, list) else [],
            build.resolve(None, evaluators, None, "", "file") if evaluators else None,
        ),
        about=top.get("about"),
        metadata={} if description is None else {"description": description},
        format="native",
        source=source.name,
    )


def _parse(source: Source, problems: Problems) -> JSON:
    text = source.text()
    found = Problems()
    if _JSON_BEGINS.match(text):
        value = json_text.parse(source, text, found)
    else:
        from vivavoce.wire import yaml_text

        source.locator = yaml_text.locate
        value = yaml_text.parse(source, text, found)
    problems.include(found)
    if not found.total and not isinstance(value, Mapping):
        problems.add(source, "is no document with `cases`", fix="begin it with `suite:` and `cases:`")
    return value
