"""Words to write the rules of a document in: each makes a piece of JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.core.reply import JSON


def text(says: str, **rules: JSON) -> dict[str, JSON]:
    """A string."""
    return {"type": "string", "description": says, **rules}


def number(says: str, **rules: JSON) -> dict[str, JSON]:
    """A number."""
    return {"type": "number", "description": says, **rules}


def whole(says: str, **rules: JSON) -> dict[str, JSON]:
    """A whole number; `2.0` is one."""
    return {"type": "integer", "description": says, **rules}


def flag(says: str) -> dict[str, JSON]:
    """True or false."""
    return {"type": "boolean", "description": says}


def choice(says: str, values: tuple[str, ...]) -> dict[str, JSON]:
    """One of these strings."""
    return {"type": "string", "description": says, "enum": list(values)}


def array(says: str, items: Mapping[str, JSON], **rules: JSON) -> dict[str, JSON]:
    """A list of such things."""
    return {"type": "array", "description": says, "items": dict(items), **rules}


def record(says: str, fields: Mapping[str, JSON], *, required: tuple[str, ...] = (), closed: bool = True) -> dict[str, JSON]:
    """An object with these fields; `closed` allows no others."""
    rule: dict[str, JSON] = {"type": "object", "description": says, "properties": dict(fields)}
    if required:
        rule["required"] = list(required)
    if closed:
        rule["additionalProperties"] = False
    return rule


def named(name: str) -> dict[str, JSON]:
    """A rule of `$defs`."""
    return {"$ref": f"#/$defs/{name}"}


def nullable(rule: Mapping[str, JSON]) -> dict[str, JSON]:
    """The same, or null."""
    return {**rule, "type": [rule["type"], "null"]}
