"""A file as a suite: what stands at its top, and its cases one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from vivavoce.core.model import Case, Suite
from vivavoce.core.place import Problems, join
from vivavoce.core.reply import JSON, Object
from vivavoce.core.source import Source
from vivavoce.formats._saiku import words
from vivavoce.formats._saiku.cases import Builder
from vivavoce.formats._saiku.faults import Faults, kind
from vivavoce.wire import yaml_text

_GROUPED = re.compile(r"[-+]?[1-9][0-9]*(?:_[0-9]+)+")


def read(source: Source, problems: Problems) -> Suite:
    """The suite of a file; every fault of it goes to `problems`, and a case that is wrong is left out."""
    text = source.text()
    source.locator = yaml_text.locate
    found = Problems()
    value = yaml_text.parse(source, text, found)
    damage = found.found()
    for each in damage:
        problems.add(source, each.message, path=each.path, line=each.line, fix=each.fix, code=words.MALFORMED)
    faults = Faults(source, problems, {each.path for each in damage})
    if not isinstance(value, Mapping):
        if not damage:
            said = "nothing" if value is None else kind(value)
            problems.add(source, f"the top level must be a mapping, not {said}", line=1, code=words.MALFORMED, fix=_BEGIN)
        return Suite(name=source.stem, cases=(), format="saiku", source=source.name)
    metadata = dict(faults.strangers(value, words.SUITE, ""))
    name = faults.required(value, "name", "")
    if isinstance(value.get("description"), str):
        metadata = {"description": value["description"], **metadata}
    elif value.get("description") is not None:
        faults.text(value["description"], "description")
    about = _cube(value, faults)
    return Suite(
        name=name or source.stem,
        cases=tuple(_cases(value, text, faults)),
        about=about,
        metadata=metadata,
        format="saiku",
        source=source.name,
    )


_BEGIN = "begin with `name:`, `cube:` and `cases:`"


def _cube(top: Object, faults: Faults) -> Object:
    cube = top.get("cube")
    if not isinstance(cube, Mapping):
        said = "is missing" if cube is None else f"must name {', '.join(words.CUBE)}, each on its own line, not be {kind(cube)}"
        faults.add(words.MISSING, f"required field 'cube' {said}", "cube", "add `cube:`" if "cube" not in top else "")
        return {}
    kept = faults.strangers(cube, words.CUBE, "cube")
    return {**{name: faults.required(cube, name, "cube") for name in words.CUBE}, **kept}


def _cases(top: Object, text: str, faults: Faults) -> Iterator[Case]:
    entries = top.get("cases")
    if entries is None or entries == []:
        fix = "add `cases:`" if "cases" not in top else "give it at least one case"
        faults.add(words.MISSING, "'cases' must be a non-empty list", "cases", fix)
        return
    entries = faults.listed(entries, "cases", "cases")
    plain = _plain(text, entries)
    first: dict[str, int] = {}
    for index, entry in enumerate(entries):
        path = join("cases", index)
        if not isinstance(entry, Mapping):
            faults.add(words.MALFORMED, f"must be a mapping, not {kind(entry)}", path)
            continue
        before = faults.count
        builder = Builder(entry, path, faults, plain)
        made = builder.case()
        if made.id and first.setdefault(made.id, index) != index:
            fix = f"first in cases[{first[made.id]}]; names are unique in a suite"
            faults.add(words.DUPLICATE, f'the name "{made.id}" is given twice', join(path, "name"), fix)
        if faults.count == before and not faults.is_damaged(path):
            yield made


def _plain(text: str, entries: Iterable[JSON]) -> Mapping[str, bool]:
    """Whether values that may be more than text, as they are written without quotes, are; by path.

    Those that are not in the text where they stand came in by a merge, and count as plain.
    """
    wanted: set[str] = set()
    for index, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            continue
        if isinstance(entry.get("orderMatters"), str):
            wanted.add(join("cases", index, "orderMatters"))
        rows = entry.get("expectedRows")
        for at, row in enumerate(rows if isinstance(rows, list) else ()):
            for name, cell in row.items() if isinstance(row, Mapping) else ():
                if isinstance(cell, str) and _GROUPED.fullmatch(cell):
                    wanted.add(join("cases", index, "expectedRows", at, name))
    if not wanted:
        return {}
    marks = yaml_text.marks(text, wanted)
    return {path: path not in marks or marks[path].plain for path in wanted}
