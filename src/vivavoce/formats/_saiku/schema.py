"""JSON Schema of a suite, for editors."""

from __future__ import annotations

from types import MappingProxyType

from vivavoce.core.reply import JSON, Object
from vivavoce.formats._saiku import words


def made() -> Object:
    """The schema of a suite."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Saiku eval suite, as Viva reads it",
        **_object(
            "Cases that are asked about one cube.",
            {
                "name": _text("What the suite is called in reports."),
                "description": {"type": "string", "description": "What the suite is for."},
                "cube": _object("The cube that is asked about.", {each: _text(_CUBE[each]) for each in words.CUBE}, words.CUBE),
                "cases": _list("What is asked, in order.", {"$ref": "#/$defs/case"}, minItems=1),
            },
            ("name", "cube", "cases"),
        ),
        "$defs": {"case": _object("One question, and what is expected of the answer.", _case(), ("name", "question"))},
    }


_CUBE = MappingProxyType(
    {
        "connectionName": "The connection.",
        "catalog": "The catalog of the connection.",
        "schema": "The schema of the catalog.",
        "cubeName": "The cube of the schema.",
    }
)


def _case() -> dict[str, JSON]:
    bound = {"type": "number", "minimum": 0}
    said = {"role": {"enum": list(words.ROLES)}, "content": {"type": "string"}}
    cell = {"type": ["string", "number", "boolean", "null"]}
    spellings = [*words.INTENTS, *(each.lower() for each in words.INTENTS)]
    return {
        "name": _text("Unique in the suite."),
        "question": _text("What is asked."),
        "history": _list("What was said before.", _object("One message.", said, words.SAID)),
        "expectedIntent": {"enum": spellings, "description": "The kind of answer that is expected."},
        "expectedRefusalContains": _text("A text that the reason of a refusal contains."),
        "expectedRows": _list("The rows of the answer; none when empty.", {"type": "object", "additionalProperties": cell}),
        "referenceQuery": _object("A query whose rows are the truth; on the suite's cube unless it names one.", {}, ()),
        "orderMatters": {"type": "boolean", "default": True, "description": "Whether rows come in this order."},
        "expectedInsightContains": _list("Texts that the insight contains.", _text("One text.")),
        "tolerance": {
            **_object("How far numbers may be off; either bound is enough.", dict.fromkeys(words.BOUNDS, bound), ()),
            "additionalProperties": False,
        },
    }


def _object(description: str, properties: dict[str, JSON], required: tuple[str, ...]) -> dict[str, JSON]:
    made: dict[str, JSON] = {"type": "object", "description": description}
    made |= {"properties": properties} if properties else {}
    return made | ({"required": list(required)} if required else {})


def _text(description: str) -> dict[str, JSON]:
    return {"type": "string", "pattern": r"\S", "description": description}


def _list(description: str, items: JSON, **more: JSON) -> dict[str, JSON]:
    return {"type": "array", "description": description, "items": items, **more}
