"""Read rubrics - text files with front matter - from the folder beside this module, or from anywhere else.

The front matter stands between two lines `---`, one `key: value` a line; an indented line goes on with the value before it.
Under `labels:` and `bands:` each indented line is `Label: value`. It is a small part of YAML, so editors know it, and needs
no YAML reader. Keys: `name`, `version`, `measures`; `scale: 1..5` or `labels`; and as needed `level` (`turn`, `case`, both,
or `call`), `threshold`, `better: lower`, `bands`, `uses`, `construct`, `vendor`, `needs`, `example`, `limits`, `source`. What
follows is the prompt. In it, `{{exchange}}` stands for all that was said, fenced: of a turn, of a whole conversation, or
around one tool call.
"""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from vivavoce.core.rubric import Rubric

_MANUAL = ("needs", "example", "limits", "source")
_LISTS = ("labels", "bands")
_TITLE = re.compile(r"^(name|vendor):[ \t]*(\S+)", re.MULTILINE)
_KEYS = (
    *("name", "version", "measures", "level", "scale", *_LISTS, "threshold", "better", "uses", "construct", "vendor"),
    *_MANUAL,
)
_EXCHANGE: Mapping[str, str] = MappingProxyType(
    {
        "turn": """Earlier messages of the conversation, if there were any:
<earlier>
{{history}}
</earlier>

What the user asked:
<question>
{{input}}
</question>

What the assistant answered:
<answer>
{{response}}
</answer>""",
        "call": """Earlier messages of the conversation, if there were any:
<earlier>
{{history}}
</earlier>

What the user asked:
<question>
{{input}}
</question>

The tools that the assistant called for this, in order, with arguments and results, as JSON:
<tool_calls>
{{tool_calls}}
</tool_calls>

The one of these calls that you examine:
<call>
{{call}}
</call>""",
        "case": """The conversation, with the tools that the assistant called on the way:
<conversation>
{{conversation}}
</conversation>""",
    }
)
"""What `{{exchange}}` stands for, by level."""


@cache
def names() -> tuple[str, ...]:
    """Files of rubrics that are evaluators, without suffix, sorted; one that begins with `_` belongs to another evaluator."""
    files = importlib.resources.files("vivavoce.evaluators").joinpath("rubrics").iterdir()
    stems = (file.name.removesuffix(".md") for file in files if file.name.endswith(".md"))
    return tuple(sorted(stem for stem in stems if not stem.startswith("_")))


def title(stem: str) -> str:
    """The name of the evaluator that a rubric is, with its vendor's before it; read without the rest of the text."""
    front = dict(_TITLE.findall(_text(stem).partition("\n---")[0]))
    return f"{front['vendor']}.{front['name']}" if "vendor" in front else front["name"]


@cache
def load(stem: str, level: str = "") -> Rubric:
    """A rubric that comes with this package, by its file's name without suffix; at its first level unless told another."""
    return parse(_text(stem), f"{stem}.md", level)


@cache
def levels(stem: str) -> tuple[str, ...]:
    """The levels a rubric that comes with this package is for."""
    return _levels(_split(_text(stem), stem).front, stem)


def parse(text: str, where: str, level: str = "") -> Rubric:
    """A rubric's text as a rubric; `where` is what messages call the file.

    Raises:
        ValueError: something in it is missing, unknown or wrong; the message has the file and, where it helps, the line.
    """
    parts = _split(text, where)
    front = parts.front
    for key in ("name", "version", "measures"):
        if not front.get(key):
            raise ValueError(f"{where}: {key} is missing from the front matter")
    if ("scale" in front) == bool(parts.lists["labels"]):
        raise ValueError(f"{where}: give either scale or labels")
    if not parts.prompt:
        raise ValueError(f"{where}: there is no prompt after the front matter")
    if front.get("better", "higher") not in ("higher", "lower"):
        raise ValueError(f"{where}: better is {front['better']!r}; it is lower or higher")
    level = level or _levels(front, where)[0]
    rubric = Rubric(
        name=front["name"],
        version=int(_number(front["version"], "version", where)),
        measures=front["measures"],
        level=level,
        scale=_scale(front["scale"], where) if "scale" in front else None,
        labels=parts.lists["labels"] or None,
        bands=parts.lists["bands"] or None,
        threshold=_number(front["threshold"], "threshold", where) if "threshold" in front else None,
        lower_is_better=front.get("better") == "lower",
        uses=_words(front.get("uses", "")),
        construct=front.get("construct"),
        vendor=front.get("vendor"),
        prompt=parts.prompt.replace("{{exchange}}", _EXCHANGE[level]),
        manual={key.capitalize(): front[key] for key in _MANUAL if key in front},
    )
    low, high = rubric.span
    if rubric.threshold is not None and not low <= rubric.threshold <= high:
        raise ValueError(f"{where}: threshold {rubric.threshold:g} is outside {low:g}..{high:g}")
    if rubric.bands and min(rubric.bands.values()) != low:
        raise ValueError(f"{where}: the bands begin at {min(rubric.bands.values()):g}, the scale at {low:g}")
    return rubric


@dataclass(kw_only=True, slots=True)
class _Parts:
    """A rubric's text, taken apart."""

    front: dict[str, str] = field(default_factory=dict)
    lists: dict[str, dict[str, float]] = field(default_factory=lambda: {key: {} for key in _LISTS})
    prompt: str = ""


def _text(stem: str) -> str:
    return importlib.resources.files("vivavoce.evaluators").joinpath("rubrics", f"{stem}.md").read_text(encoding="utf-8")


def _split(text: str, where: str) -> _Parts:
    lines = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
    if lines[0].strip() != "---" or "---" not in (line.strip() for line in lines[1:]):
        raise ValueError(f"{where}: begins with front matter between two lines ---")
    parts = _Parts()
    front, key = parts.front, ""
    for number, line in enumerate(lines[1:], start=2):
        if line.strip() == "---":
            parts.prompt = "\n".join(lines[number:]).strip()
            return parts
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] in " \t" and key in _LISTS:
            parts.lists[key][_plain(name)] = _number(value, f"{key.removesuffix('s')} {name}", where)
        elif line[0] in " \t" and key:
            front[key] = f"{front[key]} {line.strip()}".strip()
        elif not colon or name not in _KEYS or name in front:
            raise ValueError(f"{where}:{number}: {name!r} is not one of {', '.join(_KEYS)}, or is given twice")
        else:
            key = name
            if key not in _LISTS:
                front[key] = _plain(value)
    raise AssertionError("the second --- was seen above")


def _levels(front: Mapping[str, str], where: str) -> tuple[str, ...]:
    levels = _words(front.get("level", "turn"))
    if not levels or not set(levels) <= set(_EXCHANGE):
        raise ValueError(f"{where}: level is {front.get('level')!r}; it is turn, case, both, or call")
    return levels


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


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
        raise ValueError(f"{where}: scale is {text}; write it from the lowest to the highest grade, such as 1..5")
    return scale
