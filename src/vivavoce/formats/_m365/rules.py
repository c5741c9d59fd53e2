"""The rules of an eval document, as JSON Schema: what is checked, and what editors are given."""

from __future__ import annotations

from functools import cache

from vivavoce.core.reply import JSON
from vivavoce.formats._m365 import outputs
from vivavoce.formats._m365.words import array, choice, flag, named, number, record, text, whole

OURS = "dev.vivavoce"
"""The key under `extensions` that holds what a strict document has no field for."""

BUILT_IN = (
    "Relevance",
    "Coherence",
    "Groundedness",
    "Similarity",
    "Citations",
    "ExactMatch",
    "PartialMatch",
    "RetrievalQuery",
    "RetrievalResult",
)
"""The evaluators the vendor's schema names, as it spells them."""
RESERVED = (*BUILT_IN, "ToolCallAccuracy")
"""Names no custom evaluator may have; the last one was dropped from the schema."""
CITATION_FORMATS = ("oai_unicode", "bracket", "markdown", "mixed")
NAME = r"^[a-zA-Z][a-zA-Z0-9_]*$"
"""What an evaluator may be called."""
VERSION = r"^1\.\d+\.\d+$"
MAX_TURNS = 20

INPUT_FIELDS = (
    "prompt",
    "turns",
    "expected_response",
    "context",
    "evaluators",
    "evaluators_mode",
    "name",
    "description",
    "testId",
    "category",
    "notes",
    "extensions",
)
"""Fields a person writes; the others are written by a run."""


@cache
def definitions(*, strict: bool) -> dict[str, JSON]:
    """Everything the document is made of. `strict` is the vendor's schema; otherwise with what Viva accepts besides."""
    return {
        "evaluators": evaluators(strict=strict),
        "single": _single(strict=strict),
        "thread": _thread(strict=strict),
        "turn": record("One prompt of a conversation.", _turn_fields(), required=("prompt",)),
        "metadata": _metadata(),
        "extensions": _extensions(),
        **outputs.definitions(strict=strict),
    }


@cache
def document(*, strict: bool) -> dict[str, JSON]:
    """The whole schema of a versioned document."""
    either = {"oneOf": [named("single"), named("thread")]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Microsoft 365 Copilot eval document, as Viva reads it",
        **record(
            "A dataset of prompts and expected responses.",
            {
                "$schema": text("Address of a schema, for editors."),
                "schemaVersion": text("Version of the schema the document is written for.", pattern=VERSION),
                "description": text("What the dataset is for."),
                "metadata": named("metadata"),
                "default_evaluators": named("evaluators"),
                "items": array("What is asked, in order.", either, minItems=1),
            },
            required=("schemaVersion", "items"),
            closed=False,
        ),
        "$defs": definitions(strict=strict),
    }


@cache
def evaluators(*, strict: bool) -> dict[str, JSON]:
    """A map of evaluators' names to their options."""
    grade = {"threshold": number("The lowest grade that passes; 3 unless given.", minimum=1, maximum=5)}
    case = {"case_sensitive": flag("Whether capitals matter; false unless given.")}
    contains = {} if strict else {"match": choice("What counts as a match; `equals` unless given.", ("equals", "contains"))}
    rule: dict[str, JSON] = {
        name: record(f"Options of {name}.", grade) for name in ("Relevance", "Coherence", "Groundedness", "Similarity")
    }
    rule["Citations"] = record(
        "Options of Citations.",
        {
            "threshold": whole("The lowest number of distinct citations that passes; 1 unless given.", minimum=1),
            "citation_format": text("Which marks count: " + ", ".join(CITATION_FORMATS) + "."),
        },
    )
    rule["ExactMatch"] = record("Options of ExactMatch.", {**case, **contains})
    rule["PartialMatch"] = record(
        "Options of PartialMatch.",
        {"threshold": number("The lowest overlap that passes; 0.5 unless given.", minimum=0, maximum=1), **case},
    )
    rule["RetrievalQuery"] = _retrieval_query(strict=strict)
    rule["RetrievalResult"] = _retrieval_result(strict=strict)
    return {
        "type": "object",
        "description": "Evaluators by name, each with its options.",
        "properties": rule,
        "propertyNames": {"pattern": NAME},
        "additionalProperties": custom(strict=strict),
    }


@cache
def custom(*, strict: bool) -> dict[str, JSON]:
    """Options of an evaluator the schema does not name."""
    return record(
        "Options of an evaluator of your own.",
        {
            "threshold": number("The lowest score that passes."),
            "options": {"type": "object", "description": "Whatever the evaluator takes."},
        },
        closed=strict,
    )


def _scope() -> dict[str, JSON]:
    says = "The kind of retrieval looked at, such as OneDriveAndSharePoint; all unless given."
    return {"capability": text(says, minLength=1)}


def _retrieval_query(*, strict: bool) -> dict[str, JSON]:
    terms = text("A term.", minLength=1)
    return record(
        "Options of RetrievalQuery.",
        {
            **_scope(),
            "selector": text("Text by which the query is found.", minLength=1),
            "includes": array("Terms the query must have.", terms),
            "excludes": array("Terms the query must not have.", terms),
        },
        required=("capability", "selector") if strict else ("selector",),
    )


def _retrieval_result(*, strict: bool) -> dict[str, JSON]:
    item = record(
        "Something that must be retrieved.",
        {"retrievalExtract_contains": text("Text that an extract must have.", minLength=1)},
        required=("retrievalExtract_contains",),
    )
    judged = {} if strict else {"judge": flag("Whether a judge decides instead of a comparison of texts.")}
    rule = record(
        "Options of RetrievalResult.",
        {
            **_scope(),
            **judged,
            "expected_items": array("What must be retrieved.", item, minItems=1),
            "min_expected_count": whole("The lowest number of hits.", minimum=1),
            "max_rank": whole("The last rank looked at; 10 unless given.", minimum=1),
        },
        required=("capability",) if strict else (),
    )
    return {**rule, "anyOf": [{"required": ["expected_items"]}, {"required": ["min_expected_count"]}]}


def _turn_fields() -> dict[str, JSON]:
    return {
        "prompt": text("What is said to the agent.", minLength=1),
        "expected_response": text("The answer hoped for."),
        "context": text("What the answer must be grounded in."),
        "evaluators": named("evaluators"),
        "evaluators_mode": choice("How `evaluators` and `default_evaluators` combine.", ("extend", "replace")),
        "extensions": named("extensions"),
        **outputs.turn_fields(),
    }


def _taught() -> dict[str, JSON]:
    """Fields the vendor's pages teach, though its published schema refuses them."""
    return {
        "testId": text("A name for the item that stays the same; unique in the document.", minLength=1),
        "category": text("A group the item belongs to."),
        "notes": text("Anything worth remembering."),
    }


def _single(*, strict: bool) -> dict[str, JSON]:
    more = {} if strict else {**_taught(), "name": text("What the item is called in reports.")}
    return record("One prompt.", {**_turn_fields(), **more}, required=("prompt",))


def _thread(*, strict: bool) -> dict[str, JSON]:
    fields = {
        "turns": array("A conversation, in order.", named("turn"), minItems=1, maxItems=MAX_TURNS),
        "name": text("What the conversation is called in reports."),
        "description": text("What the conversation is about."),
        "conversation_id": {**text("The agent's own name for the conversation."), "readOnly": True},
        "summary": {**named("summary"), "readOnly": True},
        "extensions": named("extensions"),
    }
    return record("A conversation of several prompts.", {**fields, **({} if strict else _taught())}, required=("turns",))


def _metadata() -> dict[str, JSON]:
    return record(
        "About the document.",
        {
            "name": text("What the dataset is called."),
            "description": text("What the dataset is for."),
            "createdAt": text("When it was written."),
            "createdBy": text("Who wrote it."),
            "evaluatedAt": text("When it was run."),
            "tags": array("Words to find it by.", text("A word.")),
            "agentId": text("The agent's id."),
            "agentName": text("The agent's name."),
            "cliVersion": text("Version of the tool that ran it."),
            "extensions": named("extensions"),
        },
        closed=False,
    )


def _extensions() -> dict[str, JSON]:
    ours = record(
        "What Viva keeps where the schema has no field.",
        {
            **_taught(),
            "name": text("What the item is called in reports."),
            "metadata": {"type": "object"},
            "suite": {"type": "object"},
            "turn": {"type": "object"},
            "evaluators": {"type": "object"},
            "default_evaluators": {"type": "object"},
        },
        closed=False,
    )
    return record("Room for other tools, by reverse domain name.", {OURS: ours}, closed=False)
