"""What stands in a YAML text, one thing after the other, with lines as YAML 1.2 and editors count them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

NO_BREAKS = re.compile("[\x85\u2028\u2029]")
"""Line breaks to YAML 1.1, which the parser speaks; to 1.2 they are characters like others."""
_STAND_INS = range(0xF8FF, 0xE000, -1)
"""Code points of nobody's, of which some that the text has not stand for these."""


class Broken(Exception):
    """Reading cannot go on."""

    def __init__(self, message: str, line: int, fix: str = "") -> None:
        super().__init__(message)
        self.line = line
        self.fix = fix


def events(text: str) -> Iterator[yaml.Event]:
    """The events of a text.

    Raises:
        Broken: it is no YAML; says at which line.
    """
    hidden = _hidden(text)
    shown = {ord(other): each for each, other in hidden.items()}
    # libyaml where PyYAML was built with it; else the same events, ten times slower.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in yaml.parse(text.translate(hidden) if hidden else text, loader):
            if hidden and isinstance(event, yaml.ScalarEvent):
                event.value = event.value.translate(shown)
            yield event
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        said = " ".join(part for part in (error.context, error.problem) if part)
        raise Broken(f"is not valid YAML: {said}", at.line + 1 if at else 1) from error
    except yaml.reader.ReaderError as error:
        raise Broken(f"is not valid YAML: {error.reason}", text.count("\n", 0, error.position) + 1) from error


def line_of(event: yaml.Event) -> int:
    """The line an event begins in, from 1."""
    return event.start_mark.line + 1 if event.start_mark else 1


def _hidden(text: str) -> dict[int, str]:
    """What stands for each of the characters that are no line breaks."""
    found = sorted(set(NO_BREAKS.findall(text)))
    if not found:
        return {}
    free = (chr(code) for code in _STAND_INS if chr(code) not in text)
    return {ord(each): other for each, other in zip(found, free, strict=False)}
