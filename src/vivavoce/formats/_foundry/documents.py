"""Documents that hold evaluators, mappings and rows together, in the shapes of the vendor's command, service and library."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from vivavoce.core.model import Check
from vivavoce.core.place import Problems, did_you_mean, join
from vivavoce.core.plugins import fold
from vivavoce.core.reply import JSON, Object
from vivavoce.core.source import Source
from vivavoce.formats._foundry import heads, names
from vivavoce.formats._foundry.asked import Asked, Level, Mapped, Places, beside, refers
from vivavoce.formats._foundry.columns import WILD, is_slip, meant
from vivavoce.formats._foundry.expressions import Expression, is_field, parse, unclosed, within
from vivavoce.formats._foundry.heads import DEFAULT, is_row, objects
from vivavoce.formats._foundry.saying import Say, shown
from vivavoce.wire.json_entries import Place

_CRITERION = frozenset({"type", "name", "evaluator_name", "initialization_parameters", "data_mapping"})
_LONG = ("initialization_parameters", "data_mapping", "evaluator_name")
"""Names of which a slip can be told."""
_BLOCKS = ("data_mapping", "column_mapping")
PLACES = (("data",), ("data_source", "source", "content"))
"""Where a document may hold its rows."""


class Document:
    """One document, its rows apart from what it says of them."""

    def __init__(self, value: dict[str, JSON], held: Collection[Place], source: Source, problems: Problems) -> None:
        """`value` is the document with its lists of rows empty, and `held` where any had entries."""
        self._source = source
        self._problems = problems
        lists = [place for place in PLACES if isinstance(_at(value, place), list)] if held or not is_row(value) else []
        rows = [place for place in lists if place in held] or lists
        self.place = rows[0] if rows else None
        """Where its rows stand, or `None` when the document is itself a row."""
        for place in rows[1:] if held else ():
            self._say(f'holds rows, as "{join(*rows[0])}" does', join(*place), "keep one of the two")
        self.head = _without_rows(value, lists)
        """The document without them."""
        name = value.get("name")
        self.name = name if isinstance(name, str) and name.strip() else ""
        self._fields: list[tuple[str, Expression]] = []
        """Fields that texts of graders name, each with its place."""

    def asked(self, typed: Asked) -> Asked:
        """What the document asks for, where the command line does not say otherwise."""
        heads.look(self.head, self._source, self._problems)
        heads.look_beside(self.head, self._source, self._problems)
        flat, by_name = self._mappings()
        flat = heads.asked_by(self.head, flat, self._say)
        checks = tuple(self._checks(by_name))
        heads.look_at_names(self.head, checks, self._source, self._problems)
        mapping = Places(where={**flat.where, **typed.mapping.where}, of={**flat.of, **typed.mapping.of})
        return Asked(
            mapping=mapping,
            beside=beside(each.mapping for each in checks),
            level=typed.level or self._level(),
            checks=checks if self._names_any() else None,
            seeds=heads.simulating(self.head, self._say),
            live=typed.live,
            fields=tuple(self._fields),
            refers=refers([mapping, *(each.mapping for each in checks)]) | {field.path for _, field in self._fields},
        )

    def _names_any(self) -> bool:
        return any(self.head.get(name) for name in ("evaluators", "testing_criteria"))

    def _level(self) -> Level | None:
        level = self.head.get("evaluation_level")
        if level in ("turn", "conversation"):
            return "turn" if level == "turn" else "conversation"
        if level is not None:
            self._say(f"is no level: {shown(level)}", "evaluation_level", "write turn or conversation")
            return "turn"  # at which everything can be examined, so that nothing more is told of it
        return None

    def _mappings(self) -> tuple[Places, dict[str, Places]]:
        """The mapping for every evaluator, and those of single ones, by folded name."""
        given = self.head.get("data_mapping")
        given = given if isinstance(given, Mapping) else {}
        flat = {param: each for param, each in given.items() if not isinstance(each, Mapping)}
        by_name = {
            fold(names.bare(name)): places(each, join("data_mapping", name), self._say)
            for name, each in given.items()
            if isinstance(each, Mapping)
        }
        for name, each in objects(self.head.get("evaluator_config")):
            for key in _BLOCKS:
                if each.get(key) is not None:
                    by_name[fold(names.bare(name))] = places(each[key], join("evaluator_config", name, key), self._say)
        common = places(flat, "data_mapping", self._say)
        if DEFAULT in by_name and not self._names_any():
            rest = by_name.pop(DEFAULT)
            common = Places(where={**rest.where, **common.where}, of={**rest.of, **common.of})
        return common, by_name

    def _checks(self, by_name: Mapping[str, Places]) -> Iterator[Mapped]:
        seen: dict[str, str] = {}
        for part in ("evaluators", "testing_criteria"):
            for path, each in self._listed(part):
                made = self._check(each, path, by_name)
                if made is None:
                    continue
                key = fold(made.check.name)
                if key in seen:
                    self._say(f'the name "{made.check.name}" stands in {seen[key]} already', path, 'give each its own "name"')
                    continue
                seen[key] = path
                yield made

    def _listed(self, part: str) -> Iterator[tuple[str, JSON]]:
        """Evaluators in a list, or an object of options by their names, each with its place."""
        found = self.head.get(part)
        if part == "evaluators" and isinstance(found, Mapping):
            for name, options in found.items():
                if options is None or isinstance(options, Mapping):
                    yield join(part, name), {**(options or {}), "evaluator_name": name}
                else:
                    self._say(f"must be an object of options, not {shown(options)}", join(part, name))
        elif isinstance(found, list):
            yield from ((join(part, index), each) for index, each in enumerate(found))
        elif found is not None:
            self._say(f"must be a list of evaluators, not {shown(found)}", part)

    def _check(self, given: JSON, path: str, by_name: Mapping[str, Places]) -> Mapped | None:
        """An evaluator by name, or as an object with name, parameters and mapping."""
        if isinstance(given, str):
            given = {"evaluator_name": given}
        if not isinstance(given, Mapping):
            self._say(f"must be an evaluator, not {shown(given)}", path, 'write its name, such as "builtin.coherence"')
            return None
        kind = given.get("evaluator_name") or given.get("evaluator") or given.get("type")
        kind = given.get("name") if kind in (None, "azure_ai_evaluator") else kind
        if not isinstance(kind, str) or not kind.strip():
            self._say("names no evaluator", path, 'give it "evaluator_name"')
            return None
        bare = names.bare(kind)
        name = given.get("name")
        name = name if isinstance(name, str) and name.strip() else bare
        parameters = given.get("initialization_parameters") or {}
        if not isinstance(parameters, Mapping):
            self._say(f"must be an object, not {shown(parameters)}", join(path, "initialization_parameters"))
            parameters = {}
        rest = {
            key: each for key, each in given.items() if key not in _CRITERION | {"evaluator"} and not self._is_slip(key, path)
        }
        parts = [(path, rest), (join(path, "initialization_parameters"), parameters)]
        for part in ("evaluator_parameters", "openai_graders"):
            parts += _of(self.head, part, kind, name)
        of_graders = frozenset({"type", "name", "id"} if fold(bare) in _GRADERS else ())
        options = {key: each for _, part in parts for key, each in part.items() if key not in of_graders}
        where = {key: join(at, key) for at, part in parts for key in part}
        block, at = given.get("data_mapping"), join(path, "data_mapping")
        mapping = places(block, at, self._say) if block else None
        mapping = mapping or by_name.get(fold(name)) or by_name.get(fold(bare)) or by_name.get(DEFAULT)
        if fold(bare) in _GRADERS:
            mapping = self._grader(bare, options, where, mapping)
        check = Check(
            evaluator=names.ours(kind),
            name=name,
            options=names.options(options),
            origin="file",
            path=path,
            places=names.options(where),
        )
        return Mapped(check=check, mapping=mapping)

    def _is_slip(self, key: str, path: str) -> bool:
        """Whether a key of an evaluator is hardly anything but a slip of one that is read; it was told then."""
        meant = next((known for known in _LONG if is_slip(key, known)), None)
        if meant is not None:
            fix = f'did you mean "{meant}"? If it is another, read with --lenient'
            self._problems.soft(self._source, f'unknown field "{key}"', path=join(path, key), fix=fix)
        return meant is not None

    def _grader(self, bare: str, options: dict[str, JSON], where: Mapping[str, str], mapping: Places | None) -> Places | None:
        """What a grader compares stands among its options: `input` is the answer, `reference` what is expected.

        `where` says where each option stands.
        Where that is a single field, it is a mapping; any other text, and what is put to a judge, is the grader's own.
        """
        given: dict[str, JSON] = {}
        at: dict[str, str] = {}
        for key, param in (("input", "response"), ("reference", "ground_truth")):
            if fold(bare) in _COMPARING and is_field(options.get(key)):
                given[param], at[param] = options.pop(key), where[key]
            for text in unclosed(options.get(key)):
                self._say(f"{text} does not close its braces", where[key], "write {{item.FIELD}} or {{sample.output_text}}")
            for field in within(options.get(key)):
                if field.sees is not None or field.path not in names.EVIDENCE:
                    self._fields.append((where[key], field))
        return places(given, "", self._say, at) if given else mapping

    def _say(self, message: str, path: str, fix: str = "", *, warning: bool = False) -> None:
        (self._problems.warn if warning else self._problems.add)(self._source, message, path=path, fix=fix)


_GRADERS = frozenset(fold(name) for name in names.GRADERS)
_SHOWN = 200
"""Characters up to which an expression is shown whole."""
_COMPARING = frozenset({"stringcheck", "textsimilarity"})
"""Graders of which two texts are compared, and nobody is asked."""


def places(given: JSON, path: str, say: Say, apart: Mapping[str, str] = MappingProxyType({})) -> Places:
    """A mapping as it is written: parameters, each with an expression; `apart` are the paths of those that stand elsewhere."""
    where: dict[str, str] = {}
    of: dict[str, Expression] = {}
    if not isinstance(given, Mapping):
        say(f"must be an object of parameters, not {shown(given)}", path, 'such as {"query": "{{item.question}}"}')
    for param, text in given.items() if isinstance(given, Mapping) else ():
        at = join(path, param) if path else apart.get(param, "")
        cut = f"{text[:60]}..." if isinstance(text, str) and len(text) > _SHOWN else text
        prefix = "" if at else f"--map {param}={cut}: "
        near = None if param in names.EVIDENCE else meant(param)
        if near is not None:
            say(f'{prefix}no evaluator has the parameter "{param}"', at, did_you_mean(param, names.EVIDENCE))
            continue
        if param in WILD and not at:
            fix = f"if it is {WILD[param]}: --map {WILD[param]}={text}"
            say(f'{prefix}no evaluator here has the parameter "{param}", only one of your own may', at, fix, warning=True)
        try:
            if not isinstance(text, str):
                raise ValueError("must be text such as {{item.query}}")
            of[param] = parse(param, text)
        except ValueError as error:
            say(f"{prefix}{error}" if prefix else f"{cut} {error}", at)
            continue
        where[param] = at
    return Places(where=where, of=of)


def columns_of(mapping: Mapping[str, str]) -> frozenset[str]:
    """The columns that a mapping refers to."""
    return refers([places(mapping, "", _unsaid)])


def _unsaid(message: str, path: str, fix: str = "", *, warning: bool = False) -> None:
    """Nothing, where something else will be told when the file is read."""


def _at(value: JSON, place: Place) -> JSON:
    for name in place:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _without_rows(value: JSON, held: Collection[Place], here: Place = ()) -> JSON:
    if not isinstance(value, Mapping):
        return value
    inner = ((name, (*here, name), each) for name, each in value.items())
    return {name: _without_rows(each, held, place) for name, place, each in inner if place not in held}


def _of(head: Mapping[str, JSON], part: str, *called: str) -> Iterator[tuple[str, Object]]:
    """What a part of the head says of an evaluator by each of its names, in their order; and where that stands."""
    by_name = [(fold(names.bare(name)), join(part, name), value) for name, value in objects(head.get(part))]
    for wanted in dict.fromkeys(fold(names.bare(each)) for each in called):
        yield from ((path, value) for name, path, value in by_name if name == wanted)
