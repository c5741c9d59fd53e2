"""Reading and writing in one line, and the vendor's rules written down a second time, independently of the source."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from vivavoce.core.model import Case, Suite
from vivavoce.core.place import Problem, Problems
from vivavoce.core.source import Source
from vivavoce.formats.m365 import M365

DATA = Path(__file__).resolve().parents[2] / "data" / "m365"

TEXT = {"type": "string"}
FILLED = {"type": "string", "minLength": 1}
GRADE = {
    "type": "object",
    "properties": {"threshold": {"type": "number", "minimum": 1, "maximum": 5}},
    "additionalProperties": False,
}
RESULT = {"enum": ["pass", "fail"]}
STATE = {"enum": ["pass", "fail", "partial", "error"]}
COUNT = {"type": "integer", "minimum": 0}


def closed(properties: dict, *required: str) -> dict:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def score(properties: dict, *required: str) -> dict:
    failed = closed({"result": {"const": "error"}, "error": FILLED}, "result", "error")
    good = {"type": "object", "properties": {**properties, "result": RESULT, "reason": TEXT}, "required": ["result", *required]}
    return {"oneOf": [failed, good]}


def vendor_rules() -> dict:
    graded = score(
        {"score": {"type": "number", "minimum": 1, "maximum": 5}, "threshold": {"type": "number"}}, "score", "threshold"
    )
    terms = {"type": "array", "items": FILLED}
    evaluators = {
        "type": "object",
        "propertyNames": {"pattern": "^[a-zA-Z][a-zA-Z0-9_]*$"},
        "properties": {
            **dict.fromkeys(("Relevance", "Coherence", "Groundedness", "Similarity"), GRADE),
            "Citations": closed({"threshold": {"type": "integer", "minimum": 1}, "citation_format": TEXT}),
            "ExactMatch": closed({"case_sensitive": {"type": "boolean"}}),
            "PartialMatch": closed(
                {"threshold": {"type": "number", "minimum": 0, "maximum": 1}, "case_sensitive": {"type": "boolean"}}
            ),
            "RetrievalQuery": closed(
                {"capability": FILLED, "selector": FILLED, "includes": terms, "excludes": terms}, "capability", "selector"
            ),
            "RetrievalResult": {
                **closed(
                    {
                        "capability": FILLED,
                        "expected_items": {
                            "type": "array",
                            "minItems": 1,
                            "items": closed({"retrievalExtract_contains": FILLED}, "retrievalExtract_contains"),
                        },
                        "min_expected_count": {"type": "integer", "minimum": 1},
                        "max_rank": {"type": "integer", "minimum": 1},
                    },
                    "capability",
                ),
                "anyOf": [{"required": ["expected_items"]}, {"required": ["min_expected_count"]}],
            },
        },
        "additionalProperties": closed({"threshold": {"type": "number"}, "options": {"type": "object"}}),
    }
    scores = {
        "type": "object",
        "properties": {
            **dict.fromkeys(("relevance", "coherence", "groundedness", "similarity"), graded),
            "citations": score({"count": COUNT, "threshold": {"type": "number"}, "format": TEXT}, "count", "threshold"),
            "exactMatch": score({"match": {"type": "boolean"}}, "match"),
            "partialMatch": score(
                {"score": {"type": "number", "minimum": 0, "maximum": 1}, "threshold": {"type": "number"}}, "score", "threshold"
            ),
            "retrievalQuery": score({"score": {"type": "number"}, "diagnostic_code": TEXT}, "score"),
            "retrievalResult": score({"score": {"type": "number"}, "diagnostic_code": TEXT}, "score"),
        },
        "additionalProperties": score({}),
    }
    turn = {
        "prompt": FILLED,
        "expected_response": TEXT,
        "context": TEXT,
        "evaluators": evaluators,
        "evaluators_mode": {"enum": ["extend", "replace"]},
        "extensions": {"type": "object"},
        "response": TEXT,
        "citations": {
            "type": "array",
            "items": closed({"index": {"type": "integer", "minimum": 1}, "text": TEXT, "source": TEXT}, "index"),
        },
        "scores": scores,
        "diagnostics": {"type": "object", "properties": {"retrieval_executions": {"type": "array"}}},
        "status": STATE,
        "error": closed({"code": FILLED, "message": FILLED}, "code", "message"),
    }
    counts = ("turns_total", "turns_passed", "turns_failed", "turns_partial", "turns_errored")
    thread = {
        "turns": {"type": "array", "minItems": 1, "maxItems": 20, "items": closed(turn, "prompt")},
        "name": TEXT,
        "description": TEXT,
        "conversation_id": TEXT,
        "summary": closed({**dict.fromkeys(counts, COUNT), "overall_status": STATE}, *counts, "overall_status"),
        "extensions": {"type": "object"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["schemaVersion", "items"],
        "properties": {
            "$schema": TEXT,
            "schemaVersion": {"type": "string", "pattern": r"^1\.[0-9]+\.[0-9]+$"},
            "metadata": {
                "type": "object",
                "properties": {
                    **dict.fromkeys(("name", "description", "createdAt", "evaluatedAt", "createdBy"), TEXT),
                    **dict.fromkeys(("agentId", "agentName", "cliVersion"), TEXT),
                    "tags": {"type": "array", "items": TEXT},
                    "extensions": {"type": "object"},
                },
            },
            "default_evaluators": evaluators,
            "items": {
                "type": "array",
                "minItems": 1,
                "items": {"oneOf": [closed(turn, "prompt"), closed(thread, "turns")]},
            },
        },
    }


class Read:
    """What came of a reading."""

    def __init__(self, path: Path, *, lenient: bool = False) -> None:
        self.source = Source(path)
        self._problems = Problems(lenient=lenient)
        self.suite: Suite = M365().read(self.source, self._problems)
        self.cases: tuple[Case, ...] = tuple(self.suite.cases)
        self.total = self._problems.total
        self.problems: tuple[Problem, ...] = self._problems.found()
        self.warnings: tuple[Problem, ...] = tuple(self._problems.warnings)

    @property
    def errors(self) -> list[str]:
        """Each error without the file."""
        return [str(replace(each, file="")).removeprefix(":").lstrip() for each in self.problems]


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Read]:
    """Read a file, or a document given as a value or as text."""

    def reading(document: object, *, name: str = "suite.json", lenient: bool = False) -> Read:
        if isinstance(document, Path):
            return Read(document, lenient=lenient)
        path = tmp_path / name
        path.write_text(document if isinstance(document, str) else json.dumps(document, indent=2), encoding="utf-8")
        return Read(path, lenient=lenient)

    return reading


@pytest.fixture
def write() -> Callable[[Suite], tuple[dict, tuple[str, ...]]]:
    """Write a suite: the document, and what is said of it."""

    def writing(suite: Suite) -> tuple[dict, tuple[str, ...]]:
        out = io.StringIO()
        sentences = M365().write(suite, out)
        return json.loads(out.getvalue()), sentences

    return writing


@pytest.fixture(scope="session")
def strict() -> Callable[[object], list[str]]:
    """What the vendor's rules say against a document."""
    rules = vendor_rules()
    Draft202012Validator.check_schema(rules)
    validator = Draft202012Validator(rules)
    return lambda document: [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


@pytest.fixture(scope="session")
def data() -> Path:
    return DATA
