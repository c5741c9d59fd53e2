"""Documents that hold evaluators, mappings and rows together, in the shapes of the vendor's command, service and library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vivavoce.core.model import Check
from vivavoce.core.place import Problems, did_you_mean, join
from vivavoce.core.plugins import fold
from vivavoce.core.reply import JSON, Object
from vivavoce.core.source import Source
from vivavoce.formats._foundry import names
from vivavoce.formats._foundry.asked import Asked, Level, Mapped, Places, beside, refers
from vivavoce.formats._foundry.columns import WILD, meant
from vivavoce.formats._foundry.expressions import Expression, parse
from vivavoce.formats._foundry.saying import Say, shown

_CRITERION = frozenset({"type", "name", "evaluator_name", "initialization_parameters", "data_mapping"})
_BLOCKS = ("data_mapping", "column_mapping")


class Document:
    """One document, its rows apart from what it says of them."""

    def __init__(self, value: dict[str, JSON], source: Source, problems: Problems) -> None:
        self._source = source
        self._problems = problems
        self.path, rows = _rows(value)
        self.rows: list[JSON] | None = rows
        """The rows, or `None` when the document is itself a row."""
        self.head = _without_rows(value)
        """The document without them."""
        name = value.get("name")
        self.name = name if isinstance(name, str) and name.strip() else ""

    def asked(self, typed: Asked) -> Asked:
        """What the document asks for, where the command line does not say otherwise."""
        flat, by_name = self._mappings()
        checks = tuple(self._checks(by_name))
        mapping = Places(where={**flat.where, **typed.mapping.where}, of={**flat.of, **typed.mapping.of})
        return Asked(
            mapping=mapping,
            beside=beside(each.mapping for each in checks),
            level=typed.level or self._level(),
            checks=checks if self._names_any() else None,
            live=typed.live,
            refers=refers([mapping, *(each.mapping for each in checks)]),
        )

    def _names_any(self) -> bool:
        return any(name in self.head for name in ("evaluators", "testing_criteria"))

    def _level(self) -> Level | None:
        level = self.head.get("evaluation_level")
        if level in ("turn", "conversation"):
            return "turn" if level == "turn" else "conversation"
        if level is not None:
            self._say(f"is no level: {shown(level)}", "evaluation_level", "write turn or conversation")
        return None

    def _mappings(self) -> tuple[Places, dict[str, Places]]:
        """The mapping for every evaluator, and those of single ones, by folded name."""
        given = self.head.get("data_mapping") or {}
        if not isinstance(given, Mapping):
            self._say(f"must be an object, not {shown(given)}", "data_mapping")
            return Places(where={}, of={}), {}
        flat = {param: each for param, each in given.items() if not isinstance(each, Mapping)}
        by_name = {
            fold(names.bare(name)): places(each, join("data_mapping", name), self._say)
            for name, each in given.items()
            if isinstance(each, Mapping)
        }
        for name, each in _objects(self.head.get("evaluator_config")):
            block = next((each[key] for key in _BLOCKS if isinstance(each.get(key), Mapping)), None)
            if block is not None:
                by_name[fold(names.bare(name))] = places(block, join("evaluator_config", name, "column_mapping"), self._say)
        return places(flat, "data_mapping", self._say), by_name

    def _checks(self, by_name: Mapping[str, Places]) -> Iterator[Mapped]:
        given = self.head.get("evaluators")
        if isinstance(given, Mapping):
            given = [{"evaluator_name": name, "initialization_parameters": each or {}} for name, each in given.items()]
        seen: dict[str, str] = {}
        for part, found in (("evaluators", given), ("testing_criteria", self.head.get("testing_criteria"))):
            if found is None:
                continue
            if not isinstance(found, list):
                self._say(f"must be a list of evaluators, not {shown(found)}", part)
                continue
            for index, each in enumerate(found):
                path = join(part, index)
                made = self._check(each, path, by_name)
                if made is None:
                    continue
                key = fold(made.check.name)
                if key in seen:
                    self._say(f'the name "{made.check.name}" stands in {seen[key]} already', path, 'give each its own "name"')
                seen.setdefault(key, path)
                yield made

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
        more = _of(self.head.get("evaluator_parameters"), kind)
        grader = _of(self.head.get("openai_graders"), kind)
        rest = {key: each for key, each in given.items() if key not in _CRITERION | {"evaluator"}}
        options = {**rest, **(parameters if isinstance(parameters, Mapping) else {}), **more, **grader}
        block, at = given.get("data_mapping"), join(path, "data_mapping")
        mapping = places(block, at, self._say) if block else by_name.get(fold(bare)) or by_name.get(fold(name))
        if fold(bare) in _GRADERS:
            mapping = self._grader(options, path, mapping)
        check = Check(evaluator=names.ours(kind), name=name, options=names.options(options), origin="file", path=path)
        return Mapped(check=check, mapping=mapping)

    def _grader(self, options: dict[str, JSON], path: str, mapping: Places | None) -> Places | None:
        """What a grader compares stands among its options: `input` is the answer, `reference` what is expected."""
        given = {
            param: options.pop(key)
            for key, param in (("input", "response"), ("reference", "ground_truth"))
            if isinstance(options.get(key), str)
        }
        return places(given, path, self._say) if given else mapping

    def _say(self, message: str, path: str, fix: str = "", *, warning: bool = False) -> None:
        self._problems.add(self._source, message, path=path, fix=fix)


_GRADERS = frozenset(fold(name) for name in names.GRADERS)


def places(given: JSON, path: str, say: Say) -> Places:
    """A mapping as it is written: parameters, each with an expression."""
    where: dict[str, str] = {}
    of: dict[str, Expression] = {}
    for param, text in given.items() if isinstance(given, Mapping) else ():
        at = join(path, param) if path else ""
        prefix = "" if path else f"--map {param}={text}: "
        near = None if param in names.EVIDENCE else meant(param)
        if near is not None:
            say(f'{prefix}no evaluator has the parameter "{param}"', at, did_you_mean(param, names.EVIDENCE))
            continue
        if param in WILD and not path:
            fix = f"if it is {WILD[param]}: --map {WILD[param]}={text}"
            say(f'{prefix}no evaluator here has the parameter "{param}", only one of your own may', at, fix, warning=True)
        try:
            if not isinstance(text, str):
                raise ValueError("must be text such as {{item.query}}")
            of[param] = parse(param, text)
        except ValueError as error:
            say(f"{prefix}{error}" if prefix else f"{text} {error}", at)
            continue
        where[param] = at
    return Places(where=where, of=of)


def columns_of(mapping: Mapping[str, str]) -> frozenset[str]:
    """The columns that a mapping refers to."""
    return refers([places(mapping, "", _unsaid)])


def _unsaid(message: str, path: str, fix: str = "", *, warning: bool = False) -> None:
    """Nothing, where something else will be told when the file is read."""


def _rows(value: Mapping[str, JSON]) -> tuple[str, list[JSON] | None]:
    """The rows of a document, and where they stand."""
    if isinstance(value.get("data"), list):
        return "data", value["data"]
    content: JSON = value.get("data_source")
    path = "data_source"
    for name in ("source", "content"):
        content = content.get(name) if isinstance(content, Mapping) else None
        path = join(path, name)
    return path, content if isinstance(content, list) else None


def _without_rows(value: dict[str, JSON]) -> dict[str, JSON]:
    head = {name: each for name, each in value.items() if name != "data" or not isinstance(each, list)}
    source = head.get("data_source")
    inner = source.get("source") if isinstance(source, Mapping) else None
    if isinstance(source, Mapping) and isinstance(inner, Mapping) and "data" not in value:
        head["data_source"] = {**source, "source": {name: each for name, each in inner.items() if name != "content"}}
    return head


def _objects(given: JSON) -> Iterator[tuple[str, Object]]:
    if isinstance(given, Mapping):
        yield from ((name, each) for name, each in given.items() if isinstance(each, Mapping))


def _of(given: JSON, name: str) -> dict[str, JSON]:
    """What a map by evaluators says of one."""
    for each, value in _objects(given):
        if fold(names.bare(each)) == fold(names.bare(name)):
            return dict(value)
    return {}
