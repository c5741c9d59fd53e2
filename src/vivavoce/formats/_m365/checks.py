"""Which evaluators an item asks for: the maps of a document, merged into one flat list of checks, and their problems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from vivavoce.core.model import Check, Origin
from vivavoce.core.place import join, nearest
from vivavoce.core.plugins import fold
from vivavoce.core.reply import JSON
from vivavoce.formats._m365.checker import Checker, Say, fits, quoted
from vivavoce.formats._m365.rules import BUILT_IN, CITATION_FORMATS, NAME, RESERVED, custom, definitions, evaluators

SYSTEM: tuple[Check, ...] = (Check(evaluator="Relevance", origin="default"), Check(evaluator="Coherence", origin="default"))
"""What examines an item when the document has no `default_evaluators`."""


def check_map(value: JSON, path: str, checker: Checker, say: Say, warn: Say) -> None:
    """Report everything wrong in a map of evaluators."""
    if not isinstance(value, dict):
        checker.check(value, {"type": "object"}, path)
        return
    known = evaluators(strict=False)["properties"]
    seen: dict[str, str] = {}
    for name, options in value.items():
        place = join(path, name)
        first = seen.setdefault(fold(name), name)
        if first != name:
            say(f'names the same evaluator as "{first}"', place, "keep one")
        elif name in known:
            checker.check(options, known[name], place, noun="option")
            _warn_of_format(options, place, warn)
        elif not re.match(NAME, name) or not name.isidentifier():
            plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_0123456789")
            fix = "use letters, digits and _, beginning with a letter" + (f": {plain}" if plain else "")
            say(f"{quoted(name)} cannot be the name of an evaluator", place, fix)
        elif fold(name) in {fold(each) for each in RESERVED}:
            say(f'unknown evaluator "{name}"', place, _right_name(name))
        else:
            _check_custom(options, place, checker)


def checks_of(value: dict[str, JSON], path: str, origin: Origin) -> tuple[Check, ...]:
    """The checks a valid map asks for."""
    return tuple(
        Check(evaluator=name, options=_settled(name, options), origin=origin, path=join(path, name))
        for name, options in value.items()
    )


def merge(base: Sequence[Check], own: Iterable[Check]) -> tuple[Check, ...]:
    """The base in its order, a repeated name, however it is spelt, with the item's own options whole; then new names."""
    by_name = {fold(check.evaluator): check for check in own}
    merged = {folded: by_name.get(folded, check) for check in base for folded in (fold(check.evaluator),)}
    return tuple({**merged, **by_name}.values())


def is_strict(name: str, options: JSON) -> bool:
    """Whether the vendor's schema allows these options."""
    return fits(options, evaluators(strict=True)["properties"].get(name, custom(strict=True)), definitions(strict=True))


def _check_custom(options: JSON, path: str, checker: Checker) -> None:
    """An evaluator of the project's own, or one of Viva's: only what all have in common is known."""
    rule = custom(strict=False)
    checker.check(options, rule, path, noun="option")
    if isinstance(options, dict):
        known = rule["properties"]
        slips = [name for name in options if name not in known and nearest(name, known)]
        checker.unknown(slips, known, path, "option")


def _right_name(name: str) -> str:
    for each in BUILT_IN:
        if fold(each) == fold(name):
            return f'did you mean "{each}"?'
    return f"the schema no longer has it; known here: {', '.join(BUILT_IN)}"


def _warn_of_format(options: JSON, path: str, warn: Say) -> None:
    given = options.get("citation_format") if isinstance(options, dict) else None
    if isinstance(given, str) and given not in CITATION_FORMATS:
        fix = f"known here: {', '.join(CITATION_FORMATS)}"
        warn(f"unknown format {quoted(given)}, read as mixed", join(path, "citation_format"), fix)


def _settled(name: str, options: dict[str, JSON]) -> dict[str, JSON]:
    """Options as the evaluator takes them: whole numbers whole, a format of citations that there is, and nothing unknown."""
    if name not in BUILT_IN:
        return dict(options)
    settled: dict[str, JSON] = _known(options, evaluators(strict=False)["properties"][name])
    if settled.get("citation_format", "mixed") not in CITATION_FORMATS:
        settled["citation_format"] = "mixed"
    return settled


def _known(value: JSON, rule: JSON) -> JSON:
    """A valid value without fields its rule does not have, which a lenient reading lets pass."""
    if isinstance(value, dict):
        fields = rule["properties"]
        return {name: _known(each, fields[name]) for name, each in value.items() if name in fields}
    if isinstance(value, list):
        return [_known(each, rule["items"]) for each in value]
    return int(value) if rule["type"] == "integer" and isinstance(value, float) else value
