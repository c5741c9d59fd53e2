"""The run document as a JSON Schema, for editors and for programs that read it."""

from __future__ import annotations

from typing import get_args

import msgspec

from vivavoce.core import codec
from vivavoce.core.reply import JSON
from vivavoce.core.result import Result, Stability, State, Usage

_REF = "#/$defs/{name}"


def schema() -> dict[str, JSON]:
    """JSON Schema of the run document; results and usage are described by the types they are written from."""
    count, text = {"type": "integer", "minimum": 0}, {"type": "string"}
    (result, usage, stability), parts = msgspec.json.schema_components((Result, Usage, Stability), ref_template=_REF)
    counts = dict.fromkeys(("pass", "fail", "skip", "error"), count)
    rate = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
    group = _object({"cases": count, **counts, "pass_rate": rate})
    interval = {"type": ["array", "null"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
    evaluator = _object({**counts, "pass_rate": rate, "mean": {"type": ["number", "null"]}, "ci95": interval})
    summary = _object(
        {
            "cases": count,
            "trials": count,
            "not_run": count,
            **counts,
            "pass_rate": rate,
            "scored": count,
            "evaluated": {"type": "boolean"},
            "evaluators": _each(evaluator),
            "categories": _each(group),
            "suites": _each(group),
            "usage": usage,
            "seconds": {"type": "number"},
        },
        optional={"stability": stability},
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A run of Viva",
        **_object(
            {
                "format": {"const": codec.FORMAT},
                "id": text,
                "started": text,
                "finished": {"type": ["string", "null"]},
                "state": {"enum": list(get_args(State))},
                "plan": _plan(text, count),
                "summary": summary,
                "results": {"type": "array", "items": result},
            }
        ),
        "$defs": parts,
    }


def _plan(text: dict[str, JSON], count: dict[str, JSON]) -> dict[str, JSON]:
    use = {"type": ["object", "null"]}
    file = _object({"path": text, "sha256": text})
    return _object(
        {
            "digest": text,
            "target": use,
            "judge": use,
            "repeat": count,
            "seed": {"type": "integer"},
            "files": {"type": "array", "items": file},
            "version": text,
        },
        optional={"revision": {"type": ["object", "null"], "properties": {"commit": text, "dirty": {"type": "boolean"}}}},
    )


def _object(members: dict[str, JSON], optional: dict[str, JSON] | None = None) -> dict[str, JSON]:
    return {"type": "object", "properties": {**members, **(optional or {})}, "required": list(members)}


def _each(value: dict[str, JSON]) -> dict[str, JSON]:
    return {"type": "object", "additionalProperties": value}
