"""JSON Schema of the native format, out of the shapes by which it is read."""

from __future__ import annotations

import msgspec

from vivavoce.core.reply import Object
from vivavoce.formats._native.build import KINDS
from vivavoce.formats._native.shapes import Document, Row


def made() -> Object:
    """The schema: a document, or one row of JSON lines."""
    choices, parts = msgspec.json.schema_components((Document, Row), ref_template="#/$defs/{name}")
    parts["Row"]["oneOf"] = [{"required": [kind]} for kind in KINDS]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Viva's native dataset format",
        "description": "A whole document (YAML or JSON), or one case, which is one line of a JSON-lines file.",
        "anyOf": list(choices),
        "$defs": parts,
    }
