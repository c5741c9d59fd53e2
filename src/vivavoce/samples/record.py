"""Recorded conversations with the sample agent, as rows of Microsoft Foundry, made anew when the agent changes.

A row keeps what a person wrote: what the user says, and what is expected. Everything else, which is what the agent says and
which tools it calls, is recorded again by

    python -m vivavoce.samples.record src/vivavoce/samples/recordings/conversations.jsonl

so a new row may hold nothing but the messages of the user, and what is expected.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from inspect import getdoc, isfunction, signature
from pathlib import Path
from types import MappingProxyType
from typing import get_args, get_type_hints

from vivavoce.core.reply import JSON, Object
from vivavoce.samples._tools import Tools
from vivavoce.samples.desk import Desk

_KINDS = MappingProxyType({str: "string", int: "integer", type(None): "null"})


def again(row: Object) -> Object:
    """A row with its conversation held again."""
    desk, messages = Desk(), list[JSON]()
    calls = 0
    for said in row["messages"]:
        if said["role"] not in ("system", "developer", "user"):
            continue
        messages.append(said)
        if said["role"] != "user":
            continue
        reply = desk.reply(said["content"])
        for call in reply.tool_calls or ():
            calls += 1
            known = {"tool_call_id": f"call_{calls}"}
            item = {"type": "tool_call", **known, "name": call.name, "arguments": call.arguments}
            messages.append({"role": "assistant", "content": [item]})
            messages.append({"role": "tool", **known, "content": [{"type": "tool_result", "tool_result": call.result}]})
        messages.append({"role": "assistant", "content": reply.text})
    return {**row, "messages": messages, "tool_definitions": list(definitions())}


def definitions() -> Iterator[Object]:
    """The agent's tools, as a model would be told of them."""
    for name, tool in vars(Tools).items():
        if name.startswith("_") or name == "call" or not isfunction(tool):
            continue
        hints = get_type_hints(tool)
        taken = [each for each in signature(tool).parameters if each != "self"]
        parameters = {each: {"type": _kind(hints[each])} for each in taken}
        yield {
            "name": name,
            "description": getdoc(tool),
            "parameters": {"type": "object", "properties": parameters, "required": taken},
        }


def _kind(hint: object) -> str | list[str]:
    """A type as JSON Schema says it."""
    kinds = [_KINDS[each] for each in get_args(hint) or (hint,)]
    return kinds[0] if len(kinds) == 1 else kinds


def main(paths: Sequence[str]) -> None:
    """Record every row of these files again."""
    for path in map(Path, paths):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        path.write_text("".join(f"{written(again(row))}\n" for row in rows), encoding="utf-8", newline="\n")


def written(row: Object) -> str:
    """A row as its line."""
    return json.dumps(row, ensure_ascii=False)


if __name__ == "__main__":
    main(sys.argv[1:])
