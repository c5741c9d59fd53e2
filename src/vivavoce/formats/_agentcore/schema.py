"""JSON Schema of scenarios, and of the documents that hold them."""

from __future__ import annotations

from vivavoce.core.reply import JSON, Object
from vivavoce.formats._agentcore.words import MAX_TURNS


def made() -> Object:
    """The schema: a document, a list of scenarios, or one scenario."""
    reference = {"$ref": "#/$defs/scenario"}
    listed = {"type": "array", "minItems": 1, "items": reference}
    document = {
        "type": "object",
        "required": ["scenarios"],
        "properties": {"scenarios": listed, "schemaType": {"type": "string"}, "version": {}},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A dataset of AWS Bedrock AgentCore evaluations",
        "description": "A document, a list of scenarios, or one scenario, which is one line of a JSON-lines file.",
        "anyOf": [{"$ref": "#/$defs/document"}, listed, reference],
        "$defs": {"document": document, "scenario": _scenario(), "turn": _turn(), "profile": _profile()},
    }


def _scenario() -> Object:
    text: dict[str, JSON] = {"type": "string", "pattern": r"\S"}
    wrapped = {"type": "object", "required": ["text"], "properties": {"text": text}}
    names = {"type": "array", "items": text}
    tools = {"type": "object", "required": ["toolNames"], "properties": {"toolNames": names}}
    return {
        "type": "object",
        "required": ["scenario_id"],
        "anyOf": [{"required": ["turns"]}, {"required": ["actor_profile", "input"]}],
        "properties": {
            "scenario_id": {**text, "description": "Unique in the file."},
            "turns": {"type": ["array", "null"], "minItems": 1, "items": {"$ref": "#/$defs/turn"}},
            "actor_profile": {"$ref": "#/$defs/profile"},
            "input": {**_input(), "description": "What a simulated user says first."},
            "max_turns": {"type": "integer", "minimum": 1, "default": MAX_TURNS},
            "expected_trajectory": {
                "anyOf": [names, tools, {"type": "null"}],
                "description": "Names of the tools to be called, in order; [] means none.",
            },
            "assertions": {
                "anyOf": [{"type": "array", "items": {"anyOf": [text, wrapped]}}, {"type": "null"}],
                "description": "Statements that must hold of the conversation.",
            },
            "scenario_description": {"type": ["string", "null"]},
            "metadata": {"type": ["object", "null"], "description": "Anything; it reaches the results."},
        },
    }


def _turn() -> Object:
    expected = {"type": ["string", "null"], "description": "What the right answer says."}
    return {"type": "object", "required": ["input"], "properties": {"input": _input(), "expected_response": expected}}


def _profile() -> Object:
    return {
        "type": "object",
        "required": ["context", "goal"],
        "properties": {
            "context": {"type": "string", "description": "Who the user is, and what is known to them."},
            "goal": {"type": "string", "pattern": r"\S", "description": "What the user wants."},
            "traits": {"type": ["object", "null"]},
        },
    }


def _input() -> dict[str, JSON]:
    return {"anyOf": [{"type": "string", "pattern": r"\S"}, {"type": "object", "minProperties": 1}]}
