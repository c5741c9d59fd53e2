"""However a valid document is changed, what reads well is what the schema allows, and is written and read back the same."""

from __future__ import annotations

import io
import json
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from vivavoce.core import codec
from vivavoce.core.errors import UsageError
from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.formats.m365 import M365

NAMES = st.sampled_from(
    [
        "schemaVersion",
        "items",
        "prompts",
        "expected_responses",
        "prompt",
        "turns",
        "evaluators",
        "evaluators_mode",
        "default_evaluators",
        "metadata",
        "extensions",
        "dev.vivavoce",
        "testId",
        "expeceted_response",
        "response",
        "citations",
        "diagnostics",
        "retrieval_executions",
        "scores",
        "relevance",
        "Relevance",
        "ExactMatch",
        "RetrievalResult",
        "Mine",
        "threshold",
        "options",
        "result",
        "status",
        "error",
        "summary",
    ]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(["1.0.0", "1.9.0", "replace", "error", "mixed", "#0", "#1"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=3), inner, max_size=5),
    max_leaves=25,
)

VALID = {
    "schemaVersion": "1.8.0",
    "metadata": {"name": "n", "tags": ["a"], "extensions": {"com.example": {}}},
    "default_evaluators": {"Relevance": {"threshold": 4}, "Citations": {"citation_format": "markdown"}},
    "items": [
        {
            "prompt": "a",
            "expected_response": "b",
            "context": "c",
            "testId": "t",
            "category": "d",
            "evaluators": {
                "ExactMatch": {"case_sensitive": True, "match": "contains"},
                "RetrievalResult": {"expected_items": [{"retrievalExtract_contains": "x"}], "max_rank": 3},
                "Mine": {"threshold": 2, "options": {"a": 1}},
            },
            "evaluators_mode": "replace",
            "response": "r",
            "citations": [{"index": 1, "text": "t", "source": "s"}],
            "scores": {"relevance": {"score": 4, "result": "pass", "threshold": 3}, "Mine": {"result": "error", "error": "e"}},
            "diagnostics": {
                "retrieval_executions": [
                    {
                        "capability": None,
                        "queries": [{"queryString": "q", "filterExpression": None}],
                        "retrievalHits": [{"rank": 1, "webUrl": None, "extracts": [{"text": "x"}]}],
                    }
                ]
            },
            "status": "partial",
            "error": {"code": "evaluatorsFailed", "message": "m"},
        },
        {
            "name": "n",
            "description": "d",
            "conversation_id": "c",
            "turns": [{"prompt": "a", "evaluators": {"Similarity": {}}}, {"prompt": "b", "response": "x"}],
            "summary": {"turns_total": 2, "overall_status": "pass"},
            "notes": "n",
            "extensions": {"dev.vivavoce": {"metadata": {"k": 1}}, "com.example": {"a": 1}},
        },
    ],
}


def places(value: object, path: tuple = ()) -> list[tuple]:
    found = [path]
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(each, (*path, key))
    return found


PLACES = places(VALID)


@st.composite
def mutated(draw) -> object:
    """The valid document with one to three things changed, removed or renamed."""
    document = deepcopy(VALID)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(PLACES[1:]))
        parent = document
        try:
            for key in path[:-1]:
                parent = parent[key]
            parent[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue
        if not isinstance(parent, dict | list):
            continue
        change = draw(st.sampled_from(["set", "drop", "rename"]))
        if change == "set":
            parent[path[-1]] = draw(VALUES)
        elif change == "drop" or isinstance(parent, list):
            del parent[path[-1]]
        else:
            parent[draw(NAMES | st.text(min_size=1, max_size=4))] = parent.pop(path[-1])
    return document


def examine(path, content: bytes, *, lenient: bool = False) -> tuple[Problems, tuple]:
    """Read bytes, and use everything that came of it as a run would."""
    path.write_bytes(content)
    source, problems = Source(path), Problems(lenient=lenient)
    form = M365()
    try:
        form.matches(source)
        form.holds_results(source)
        suite = form.read(source, problems)
    except UsageError:
        return problems, ()
    for problem in (*problems.found(), *problems.warnings):
        str(problem).encode()
        assert problem.message
    codec.encode(suite.cases)
    if suite.cases:
        form.write(suite, io.StringIO())
    return problems, tuple(suite.cases)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "x.json"


MANY = settings(max_examples=250)


def allowed(document: object) -> bool:
    return Draft202012Validator(M365().schema()).is_valid(document)


@MANY
@given(document=mutated(), lenient=st.booleans())
def test_mutations_of_a_valid_document(document, lenient, file, strict):
    problems, cases = examine(file, json.dumps(document).encode(), lenient=lenient)
    assert problems.total or cases
    if not lenient and not problems.total and not problems.warned and "schemaVersion" in document:
        assert allowed(document)
    if not lenient and "schemaVersion" in document and not allowed(document):
        assert problems.total or problems.warned
    if problems.total == 0:
        out = io.StringIO()
        suite = M365().read(Source(file), Problems(lenient=lenient))
        M365().write(suite, out)
        written = json.loads(out.getvalue())
        assert strict(written) == []
        problems, again = examine(file, out.getvalue().encode())
        assert not problems.total, problems.found()
        assert [_told(case) for case in again] == [_told(case) for case in cases]


def _told(case: object) -> object:
    turns = [replace(turn, path="", checks=tuple(replace(each, path="") for each in turn.checks)) for turn in case.turns]
    return replace(case, path="", turns=tuple(turns))
