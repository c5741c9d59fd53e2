"""What is wrong with a JSON text, in words of the person who wrote it: which character, and what to do about it."""

from __future__ import annotations

import json
import re

_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)
_WORD = re.compile(r"[^\W\d][\w$-]*")
_WORDS = ("true", "false", "null")
_NULL = ("none", "undefined", "nil")
_QUOTES = "“”„‟‘’‚‛«»"
_SHOWN = re.compile(r'"[^"\n]{0,20}"?|[\w.+-]{1,20}')


def fault(text: str, error: json.JSONDecodeError) -> tuple[str, int]:
    """What is wrong, and the offset at which it is seen."""
    at = error.pos
    if error.msg.startswith("Unterminated string"):
        return "the text that begins here has no closing quote", at
    if error.msg.startswith("Invalid control character"):
        return _control(text, at)
    if error.msg.startswith("Invalid \\"):
        return "a backslash in a text is written twice, \\\\, or begins an escape such as \\n or \\u00e9", at
    at = len(text) - len(text[at:].lstrip(" \t\r\n"))
    if at == len(text):
        return _end(text)
    before = text[:at].rstrip(" \t\r\n")
    if text[at] in "]}" and before.endswith(","):
        return f"a comma stands before {text[at]}, and nothing follows it; leave it out", len(before) - 1
    if error.msg.startswith("Extra data"):
        return _extra(text, at)
    return _unexpected(text, at, error.msg), at


def _control(text: str, at: int) -> tuple[str, int]:
    if text[at] in "\r\n":
        return "a text ends with its line: close its quote, or write a line break in it as \\n", at
    name = "a tab" if text[at] == "\t" else f"the control character U+{ord(text[at]):04X}"
    return f"{name} stands in a text; write it as {json.dumps(text[at])[1:-1]}", at


def _end(text: str) -> tuple[str, int]:
    """It ends too early: with a bracket left open, or before it began."""
    at = _open(text)
    if at is None:
        return "there is nothing where a value belongs", len(text)
    return f"the {text[at]} that opens here is never closed by {_closing(text[at])}", at


def _open(text: str) -> int | None:
    """Where the innermost bracket stands that is open at the end."""
    stack: list[int] = []
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[0] in "[{":
            stack.append(match.start())
        elif match[0] in "]}" and stack:
            stack.pop()
    return stack[-1] if stack else None


def _closing(bracket: str) -> str:
    return "]" if bracket == "[" else "}"


def _extra(text: str, at: int) -> tuple[str, int]:
    if text[at] in "]}":
        return f"{text[at]} closes what is not open", at
    if (comment := _comment(text, at)) is not None:
        return comment, at
    return "more follows after the end of the value; one file, or one line of JSON lines, holds one", at


def _unexpected(text: str, at: int, expected: str) -> str:
    char = text[at]
    if (comment := _comment(text, at)) is not None:
        return comment
    if char == "'":
        return "single quotes; JSON takes double quotes"
    if char in _QUOTES:
        return 'typographic quotes; JSON takes straight ones, "'
    if expected.startswith("Expecting ',' delimiter"):
        if char in "]}" and (bracket := _open(text[:at])) is not None:
            return f"{_closing(text[bracket])} is missing before {char}"
        return f"a comma is missing before {_shown(text, at)}"
    if expected.startswith("Expecting ':' delimiter"):
        return "a colon is missing between a name and its value"
    if expected.startswith("Expecting property name"):
        return f"a name in double quotes belongs here, not {_shown(text, at)}"
    if word := _WORD.match(text, at):
        meant = "null" if word[0].lower() in _NULL else word[0].lower()
        way_out = f"write {meant}" if meant in _WORDS else "a text stands in double quotes"
        return f"{word[0][:40]} is no value; {way_out}"
    return f"a value belongs here, not {_shown(text, at)}"


def _comment(text: str, at: int) -> str | None:
    return "a comment; JSON has none" if text.startswith(("//", "/*", "#"), at) else None


def _shown(text: str, at: int) -> str:
    """What stands there: a word, the beginning of a text, or one character."""
    found = _SHOWN.match(text, at)
    return found[0] if found else text[at]
