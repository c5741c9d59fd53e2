"""Read rubrics - text files with front matter - from the folder beside this module, or from anywhere else.

The front matter stands between two lines `---`, one `key: value` a line; an indented line goes on with the value before it.
Under `labels:` each indented line is `Label: value`. It is a small part of YAML, so editors know it, and needs no YAML reader.
Keys: `name`, `version`, `measures`; `scale: 1..5` or `labels`; and as needed `level`, `threshold`, `construct`, `vendor`,
`needs`, `example`, `limits`, `source`. What follows is the prompt.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from functools import cache

from vivavoce.core.rubric import Rubric

_MANUAL = ("needs", "example", "limits", "source")
_KEYS = ("name", "version", "measures", "level", "scale", "labels", "threshold", "construct", "vendor", *_MANUAL)


@cache
def names() -> tuple[str, ...]:
    """Files of rubrics that are evaluators, without suffix, sorted; one that begins with `_` belongs to another evaluator."""
    files = importlib.resources.files("vivavoce.evaluators").joinpath("rubrics").iterdir()
    stems = (file.name.removesuffix(".md") for file in files if file.name.endswith(".md"))
    return tuple(sorted(stem for stem in stems if not stem.startswith("_")))


@cache
def load(stem: str) -> Rubric:
    """A rubric that comes with this package, by its file's name without suffix."""
    file = importlib.resources.files("vivavoce.evaluators").joinpath("rubrics", f"{stem}.md")
    return parse(file.read_text(encoding="utf-8"), f"{stem}.md")


def parse(text: str, where: str) -> Rubric:
    """A rubric's text as a rubric; `where` is what messages call the file.

    Raises:
        ValueError: something in it is missing, unknown or wrong; the message has the file and, where it helps, the line.
    """
    front, labels, prompt = _split(text, where)
    for key in ("name", "version", "measures"):
        if not front.get(key):
            raise ValueError(f"{where}: {key} is missing from the front matter")
    if ("scale" in front) == (labels is not None):
        raise ValueError(f"{where}: give either scale or labels")
    if not prompt:
        raise ValueError(f"{where}: there is no prompt after the front matter")
    rubric = Rubric(
        name=front["name"],
        version=int(_number(front["version"], "version", where)),
        measures=front["measures"],
        level=front.get("level", "turn"),
        scale=_scale(front["scale"], where) if "scale" in front else None,
        labels=labels,
        threshold=_number(front["threshold"], "threshold", where) if "threshold" in front else None,
        construct=front.get("construct"),
        vendor=front.get("vendor"),
        prompt=prompt,
        manual={key.capitalize(): front[key] for key in _MANUAL if key in front},
    )
    low, high = rubric.span
    if rubric.threshold is not None and not low <= rubric.threshold <= high:
        raise ValueError(f"{where}: threshold {rubric.threshold:g} is outside {low:g}..{high:g}")
    return rubric


def _split(text: str, where: str) -> tuple[dict[str, str], Mapping[str, float] | None, str]:
    lines = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
    if lines[0].strip() != "---" or "---" not in (line.strip() for line in lines[1:]):
        raise ValueError(f"{where}: begins with front matter between two lines ---")
    front: dict[str, str] = {}
    labels: dict[str, float] = {}
    key = ""
    for number, line in enumerate(lines[1:], start=2):
        if line.strip() == "---":
            return front, labels or None, "\n".join(lines[number:]).strip()
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] in " \t" and key == "labels":
            labels[_plain(name)] = _number(value, f"label {name}", where)
        elif line[0] in " \t" and key:
            front[key] = f"{front[key]} {line.strip()}".strip()
        elif not colon or name not in _KEYS or name in front:
            raise ValueError(f"{where}:{number}: {name!r} is not one of {', '.join(_KEYS)}, or is given twice")
        else:
            key = name
            if key != "labels":
                front[key] = _plain(value)
    raise AssertionError("the second --- was seen above")


def _plain(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _number(text: str, what: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{where}: {what} is {text!r}, not a number") from None


def _scale(text: str, where: str) -> tuple[float, float]:
    low, _, high = text.partition("..")
    scale = (_number(low, "scale", where), _number(high, "scale", where))
    if scale[0] >= scale[1]:
        raise ValueError(f"{where}: scale is {text}; write it from the worst to the best grade, such as 1..5")
    return scale
