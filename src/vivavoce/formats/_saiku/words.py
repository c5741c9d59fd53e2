"""The words of a suite: its fields, the codes of what can be wrong with it, and how other formats call the same."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MALFORMED = "MALFORMED_YAML"
MISSING = "MISSING_FIELD"
BLANK = "BLANK_FIELD"
TYPE = "TYPE_MISMATCH"
TOLERANCE = "INVALID_TOLERANCE"
UNKNOWN_FIELD = "UNKNOWN_FIELD"
UNKNOWN_VALUE = "UNKNOWN_VALUE"
DUPLICATE = "DUPLICATE_NAME"

SUITE = ("name", "description", "cube", "cases")
CUBE = ("connectionName", "catalog", "schema", "cubeName")
CASE = (
    "name",
    "question",
    "history",
    "expectedIntent",
    "expectedRefusalContains",
    "expectedRows",
    "referenceQuery",
    "orderMatters",
    "expectedInsightContains",
    "tolerance",
)
SAID = ("role", "content")
BOUNDS = ("absolute", "relative")
QUERY = ("cube", "measures", "rows", "columns", "filters", "order", "limit", "visualTotals", "nonEmpty", "namedSets")
"""What a reference query may hold."""
INTENTS = ("QUERY", "INSIGHT", "VIEW_CHANGE", "REFUSED")
ROLES = ("user", "assistant", "system", "developer", "tool")

MEANT: Mapping[str, str] = MappingProxyType(
    {
        "id": "name",
        "input": "question",
        "prompt": "question",
        "query": "question",
        "rows": "expectedRows",
        "expect": "expectedRows",
        "expected": "expectedRows",
        "expected_rows": "expectedRows",
        "reference_query": "referenceQuery",
        "intent": "expectedIntent",
        "refusal": "expectedRefusalContains",
        "insight": "expectedInsightContains",
        "insights": "expectedInsightContains",
    }
)
"""Fields of a case as other formats call them: here they would be lost ground truth."""
SWITCHES: Mapping[str, bool] = MappingProxyType({"yes": True, "on": True, "no": False, "off": False})
"""Words that are booleans where a boolean stands, when they are written without quotes."""
