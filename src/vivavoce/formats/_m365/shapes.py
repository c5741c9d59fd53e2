"""The shapes an eval document comes in, each opened into its items with the place of each."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.core.place import join, nearest
from vivavoce.core.reply import JSON
from vivavoce.formats._m365.checker import Say, shown

ROOT_FIELDS = ("$schema", "schemaVersion", "metadata", "description", "default_evaluators", "items")
LEGACY_FIELDS = ("prompts", "expected_responses")


@dataclass(frozen=True, slots=True)
class Opened:
    """A document, whatever its shape."""

    root: dict[str, JSON]
    """What is said of the document as a whole."""
    entries: tuple[tuple[str, int, JSON], ...]
    """Path, position from 0 and value of each item."""


def open_document(value: JSON, say: Say) -> Opened | None:
    """The items of a document; `None` after saying that there are none."""
    if isinstance(value, list):
        return _listed({}, value, "", say)
    if not isinstance(value, dict):
        say(f"must be an object with items, not {shown(value)}", "", 'write {"schemaVersion": "1.8.0", "items": [...]}')
        return None
    if "schemaVersion" not in value and "items" not in value:
        if "prompts" in value:
            return _prompts(value, say)
        if "prompt" in value or "turns" in value:
            return Opened({}, (("", 0, value),))
    root = {name: each for name, each in value.items() if name != "items"}
    if "items" in value:
        return _listed(root, value["items"], "items", say)
    meant = next((name for name in value if nearest(name, ROOT_FIELDS) == "items"), None)
    if meant is None:
        fix = 'rename "prompts"' if "prompts" in value else 'add "items", a list of prompts'
        say('needs "items"', "", fix)
    return Opened(root, ())


def _listed(root: dict[str, JSON], items: JSON, path: str, say: Say) -> Opened:
    if not isinstance(items, list):
        say(f"must be a list, not {shown(items)}", path, "write a list of items")
        return Opened(root, ())
    if not items:
        say("is empty", path, "give at least one item")
    return Opened(root, tuple((join(path, index), index, item) for index, item in enumerate(items)))


def _prompts(value: dict[str, JSON], say: Say) -> Opened:
    """The shape with `prompts`: a list of texts, beside it perhaps one of expected responses; or a list of items."""
    prompts, expected = value["prompts"], value.get("expected_responses", [])
    root = {name: each for name, each in value.items() if name not in LEGACY_FIELDS}
    opened = _listed(root, prompts, "prompts", say)
    if not isinstance(expected, list):
        say(f"must be a list, not {shown(expected)}", "expected_responses", "write a list of texts")
        expected = []
    elif "expected_responses" in value and isinstance(prompts, list) and len(expected) != len(prompts):
        message = f"has {len(expected)} entries, and there are {len(prompts)} prompts"
        say(message, "expected_responses", "give one to each prompt, in the same order")
    entries = []
    for path, index, prompt in opened.entries:
        answer = expected[index] if index < len(expected) else None
        if isinstance(prompt, dict):
            entries.append((path, index, prompt))
            if index < len(expected):
                fix = 'write "expected_response" into the item'
                say("belongs to a prompt that is an object", join("expected_responses", index), fix)
        elif _are_texts(prompt, path, answer, join("expected_responses", index), index < len(expected), say):
            entries.append(
                (path, index, {"prompt": prompt} if answer is None else {"prompt": prompt, "expected_response": answer})
            )
    return Opened(root, tuple(entries))


def _are_texts(prompt: JSON, path: str, answer: JSON, answer_path: str, has_answer: bool, say: Say) -> bool:
    good = isinstance(prompt, str) and prompt != ""
    if not good:
        say("is empty" if prompt == "" else f"must be text or an item, not {shown(prompt)}", path, "write what is said")
    if has_answer and not isinstance(answer, str):
        say(f"must be text, not {shown(answer)}", answer_path, "write the answer hoped for")
        good = False
    return good
