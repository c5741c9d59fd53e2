"""JSON Schema of rows, and of the documents that hold them."""

from __future__ import annotations

from vivavoce.core.reply import JSON, Object
from vivavoce.formats._foundry.columns import ANY
from vivavoce.formats._foundry.messages import ROLES
from vivavoce.formats._foundry.seeds import LONGEST


def made() -> Object:
    """The schema: a row, a list of rows, or a document."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A dataset of Microsoft Foundry evaluations",
        "description": "One row (a line of JSON lines), a list of rows, or a document that holds rows and evaluators.",
        "anyOf": [{"$ref": "#/$defs/row"}, {"type": "array", "items": {"$ref": "#/$defs/row"}}, {"$ref": "#/$defs/document"}],
        "$defs": {"row": _row(), "messages": _messages(), "document": _document(), "tool": _tool()},
    }


def _row() -> Object:
    text: dict[str, JSON] = {"type": "string"}
    scalar: dict[str, JSON] = {"type": ["string", "number", "boolean"]}
    truth = {"type": ["string", "number", "boolean", "array"]}
    messages = {"$ref": "#/$defs/messages"}
    tools = {"type": "array", "items": {"$ref": "#/$defs/tool"}}
    objects = {"type": "array", "items": {"type": "object"}}
    turns = {"type": "integer", "minimum": 1}
    simulation = {"type": "object", "properties": {"max_num_turns": turns, "desired_num_turns": turns}}
    return {
        "type": "object",
        "anyOf": [{"required": [column]} for column in ANY],
        "properties": {
            "id": {
                "type": ["string", "integer"],
                "description": "Unique in the file; the position, such as #3, when left out.",
            },
            "messages": {**messages, "description": "The whole interaction."},
            "query": {"anyOf": [text, messages], "description": "What is said to the agent, with what was said before."},
            "response": {"anyOf": [scalar, messages], "description": "The recorded answer."},
            "ground_truth": {**truth, "description": "What the right answer says; names of tools, where it is about these."},
            "context": {"description": "Text that the answer must be grounded in."},
            "tool_definitions": {"anyOf": [tools, {"type": "object"}, text]},
            "tool_calls": {"type": ["array", "object"]},
            "actions": messages,
            "expected_actions": {"type": "array", "description": "Names of tools in order, or these and their arguments."},
            "conversation": {"anyOf": [messages, {"type": "object", "required": ["messages"]}]},
            "retrieval_ground_truth": objects,
            "retrieved_documents": objects,
            "test_case_description": {**text, "minLength": 1, "maxLength": LONGEST},
            "test_case_id": {"type": ["string", "integer"]},
            "desired_num_turns": turns,
            "simulation_configuration": simulation,
        },
    }


def _messages() -> Object:
    content = {"type": ["string", "array", "null"]}
    message = {"type": "object", "properties": {"role": {"enum": list(ROLES)}, "content": content}}
    return {"type": "array", "items": message}


def _tool() -> Object:
    return {"type": "object", "properties": {"name": {"type": "string"}, "parameters": {"type": "object"}}}


def _document() -> Object:
    evaluators = {"anyOf": [{"type": "array", "items": {"type": ["string", "object"]}}, {"type": "object"}]}
    return {
        "type": "object",
        "required": ["data"],
        "properties": {
            "name": {"type": "string"},
            "evaluators": evaluators,
            "evaluator_parameters": {"type": "object"},
            "data_mapping": {"type": "object"},
            "evaluation_level": {"enum": ["turn", "conversation"]},
            "data": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/row"}},
        },
    }
