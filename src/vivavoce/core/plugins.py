"""Find a plugin by name, and build it from its options.

A kind is a folder of the package (`evaluators`, `targets` ...). Every name in the `__all__` of its public modules is a plugin;
these lists are read, and a module is imported when one of its plugins is asked for. A module may instead have `plugins()`,
giving names and what makes each class when it is called. Names are compared folded. A project's own folder is one more place to
look, where the caller names the project; what stands there is read by the kind's private module `_custom.project`. Entry points
of the group `vivavoce.<kind>` are read only when a name is not built in.
"""

from __future__ import annotations

import importlib
import importlib.resources
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from vivavoce.core import codec, option_faults
from vivavoce.core.errors import BadOptions, MissingExtra, PluginError, UnknownPlugin
from vivavoce.core.model import Use
from vivavoce.core.place import did_you_mean

Maker = Callable[..., Any]  # a plugin's class: what its options make is known only to its kind
_TELLING = 4
"""Letters without which the beginning of a name tells nothing."""
_NAMES = re.compile(r"^__all__ = \[([^\]]*)\]", re.MULTILINE)

KINDS = ("formats", "targets", "evaluators", "judges", "simulators", "providers", "reports", "stores", "engines")
OF_PROJECTS = frozenset({"evaluators"})
"""Kinds of which a project may have plugins of its own."""


class Own(Protocol):
    """A plugin that a project has of its own; nothing of it is loaded before it is asked for."""

    @property
    def name(self) -> str:
        """As it is spelt."""

    @property
    def place(self) -> str:
        """Where it stands, below the project's folder."""

    @property
    def files(self) -> tuple[Path, ...]:
        """What it consists of; any change of these may change what it says."""

    def load(self) -> Maker:
        """What builds it.

        Raises:
            PluginError: it cannot be loaded.
        """

    def warnings(self) -> tuple[str, ...]:
        """What a person who uses it should know."""


def fold(name: str) -> str:
    """A name as it is compared: without case, `_`, `-`, space, a leading `builtin.` or `m365.`, and `Evaluator` at its end.

    Where vendors mean different things by a name, the one without a vendor before it is Microsoft 365's.
    """
    folded = name.lower().replace("_", "").replace("-", "").replace(" ", "")
    folded = folded.removeprefix("builtin.").removeprefix("m365.")
    short = folded.removesuffix("evaluator")
    return short if without_vendor(short) else folded


def without_vendor(name: str) -> str:
    """A name without the vendor's that may stand before it."""
    return name.rpartition(".")[2]


def namesakes(kind: str, name: str) -> tuple[str, ...]:
    """Plugins of this name that have a vendor's before it: what each vendor means that means something of its own."""
    folded = fold(name)
    return tuple(sorted(each for key, each in _built_in(kind).items() if key.partition(".")[2] == folded))


def of_vendor(kind: str, vendor: str, name: str) -> str:
    """What a vendor means by a name, spelt as that plugin is: its own of that name if there is one, else the common one.

    Raises `PluginError` as `find` does.
    """
    own_name = f"{vendor}.{without_vendor(name)}"
    return known_as(kind, own_name if fold(own_name) in _built_in(kind) else without_vendor(name))


def names(kind: str, *, installed: bool = True, project: Path | None = None) -> tuple[str, ...]:
    """The names of all plugins of a kind, built in, a project's own and (unless told not to look) installed, sorted."""
    others = _installed(kind).values() if installed else ()
    mine = (each.name for each in _of_project(kind, project))
    return tuple(sorted({*_built_in(kind).values(), *mine, *others}, key=str.lower))


def own(kind: str, name: str, project: Path | None) -> Own | None:
    """The project's own plugin of this name, if it has one.

    Raises:
        PluginError: the name is taken, by a plugin of Viva or by another one of the project.
    """
    found = [each for each in _of_project(kind, project) if fold(each.name) == fold(name)]
    if not found:
        return None
    taken = _built_in(kind).get(fold(name))
    if taken is not None:
        raise PluginError(f"{found[0].place}: Viva has {taken} itself, and a name means one {kind[:-1]}; rename yours")
    if len(found) > 1:
        places = " and ".join(each.place for each in found)
        raise PluginError(f"{places} have one name, since case, _ and Evaluator at the end do not count; rename one")
    return found[0]


def find(kind: str, name: str, *, project: Path | None = None) -> Maker:
    """The class (or what stands for it) of a plugin; with `project`, also of that folder's own.

    Raises:
        UnknownPlugin: there is none; the message gives the nearest.
        PluginError: it is the project's own, and cannot be used.
    """
    folded = fold(name)
    mine = own(kind, name, project)
    if mine is not None:
        return mine.load()
    if folded in _built_in(kind):
        return _maker(kind, folded)
    if folded in _installed(kind):
        return _load(kind, folded)
    for known, why in elsewhere(kind).items():
        if folded.startswith(fold(known)) if known[-1] in ".:" else fold(known) == fold(without_vendor(name)):
            raise UnknownPlugin(f'{kind[:-1]} "{name}" is not answered here: {why}')
    known_names = names(kind, project=project)
    way_out = did_you_mean(_beginning(folded, known_names) or folded, known_names)
    raise UnknownPlugin(f'unknown {kind[:-1]} "{name}" ({way_out})')


def known_as(kind: str, name: str, *, project: Path | None = None) -> str:
    """The one spelling of a plugin's name. Raises `PluginError` as `find` does."""
    folded = fold(name)
    mine = own(kind, name, project)
    if mine is not None:
        return mine.name
    find(kind, name)
    return _built_in(kind).get(folded) or _installed(kind)[folded]


def build(kind: str, use: Use, *, lax: bool = False, project: Path | None = None) -> Any:  # its kind's protocol says what
    """The plugin itself, made from its options.

    With `lax`, text is read as a number or a truth value where the option is one, as from a command line.

    Raises:
        UnknownPlugin: no such name.
        BadOptions: an option is unknown, of the wrong type, or out of range.
        MissingExtra: it needs a package that is not installed.
        PluginError: it is the project's own, and cannot be used.
    """
    maker = find(kind, use.name, project=project)
    return make(f"{kind[:-1]} {known_as(kind, use.name, project=project)}", maker, use.options, lax=lax)


def make(what: str, maker: Maker, options: Mapping[str, Any], *, lax: bool = False) -> Any:  # as each option's type says
    """What a class makes of options, which are checked by its fields; `what` is what messages call it.

    Raises:
        BadOptions, MissingExtra: as `build` says.
    """
    if is_dataclass(maker):
        known = [each.name for each in fields(maker) if each.init]
        for option in options:
            if option not in known:
                way_out = did_you_mean(option, known) if known else "it takes none"
                raise BadOptions(f'{what}: unknown option "{option}" ({way_out})')
    try:
        return codec.convert(options, maker, lax=lax) if isinstance(maker, type) else maker(**options)
    except (ValueError, TypeError) as error:
        raise BadOptions(f"{what}: {option_faults.in_words(str(error), maker)}") from error
    except ModuleNotFoundError as error:
        raise missing(what, error) from error


def missing(what: str, error: ModuleNotFoundError) -> MissingExtra:
    """The error for a package that is not installed."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        told = [each for each in requires("vivavoce") or () if re.match(rf"{re.escape(str(error.name))}\b.*;", each)]
    except PackageNotFoundError:
        told = []
    extra = next((match[1] for each in told if (match := re.search(r"extra == ['\"]([\w-]+)['\"]", each))), None)
    which = f" (the extra {extra} of vivavoce)" if extra else ""
    return MissingExtra(f"{what} needs the package {error.name}, which is not installed: pip install {error.name}{which}")


def manual(kind: str, name: str, *, project: Path | None = None) -> str:
    """The plugin's manual: its docstring."""
    import inspect

    return inspect.getdoc(find(kind, name, project=project)) or ""


def elsewhere(kind: str) -> Mapping[str, str]:
    """Names that vendors have and that are no plugins here: why, and what to use instead."""
    if kind not in OF_PROJECTS:
        return MappingProxyType({})
    told: Mapping[str, str] = importlib.import_module(f"vivavoce.{kind}._elsewhere").TOLD
    return told


def _beginning(folded: str, known: Iterable[str]) -> str | None:
    """The one known name that begins as a folded one does, as far as the shorter goes; `None` where that tells nothing."""
    own = {name: fold(without_vendor(name)) for name in known}
    longer = [name for name in own if own[name].startswith(folded)]
    found = longer or sorted((name for name in own if folded.startswith(own[name])), key=len)[-1:]
    return found[0] if len(found) == 1 and min(len(folded), len(own[found[0]])) >= _TELLING else None


def _of_project(kind: str, project: Path | None) -> tuple[Own, ...]:
    if project is None or kind not in OF_PROJECTS:
        return ()
    found: tuple[Own, ...] = importlib.import_module(f"vivavoce.{kind}._custom.project").plugins(project)
    return found


@cache
def _maker(kind: str, folded: str) -> Maker:
    return _scan(kind)[folded][1]()


@cache
def _built_in(kind: str) -> Mapping[str, str]:
    return MappingProxyType({folded: name for folded, (name, _) in _scan(kind).items()})


@cache
def _scan(kind: str) -> Mapping[str, tuple[str, Callable[[], Maker]]]:
    """Each plugin's spelling and what gives its class, by folded name."""
    if kind not in KINDS:
        raise ValueError(f"no kind of plugin is called {kind}")
    found: dict[str, tuple[str, Callable[[], Maker]]] = {}
    for path in importlib.resources.files("vivavoce").joinpath(kind).iterdir():
        if not path.name.endswith(".py") or path.name.startswith("_"):
            continue
        for name, made in _given(f"vivavoce.{kind}.{path.name[:-3]}", path.read_text(encoding="utf-8")).items():
            if fold(name) in found:
                raise ValueError(f"two {kind} are called {name}")
            # A vendor's own evaluator keeps its spelling; other kinds are named as they are typed.
            found[fold(name)] = name if kind == "evaluators" else name.lower(), made
    return MappingProxyType(found)


def _given(module: str, text: str) -> Mapping[str, Callable[[], Maker]]:
    """What a module gives, whose text this is."""
    names = _NAMES.search(text)
    if names is None:
        given: Mapping[str, Callable[[], Maker]] = importlib.import_module(module).plugins()
        return given
    return {name: partial(_attribute, module, name) for name in re.findall(r"\w+", names[1])}


def _attribute(module: str, name: str) -> Maker:
    made: Maker = getattr(importlib.import_module(module), name)
    return made


@cache
def _installed(kind: str) -> Mapping[str, str]:
    from importlib.metadata import entry_points

    return MappingProxyType({fold(point.name): point.name for point in entry_points(group=f"vivavoce.{kind}")})


@cache
def _load(kind: str, folded: str) -> Maker:
    from importlib.metadata import entry_points

    points = [point for point in entry_points(group=f"vivavoce.{kind}") if fold(point.name) == folded]
    if len({point.value for point in points}) > 1:
        givers = ", ".join(sorted(point.value for point in points))
        raise UnknownPlugin(f"several installed packages bring the {kind[:-1]} {points[0].name}: {givers}; remove all but one")
    try:
        maker: Maker = points[0].load()
    except ModuleNotFoundError as error:
        raise missing(f"{kind[:-1]} {points[0].name}", error) from error
    except Exception as error:  # a foreign plugin may fail in any way while it loads
        raise UnknownPlugin(f"{kind[:-1]} {points[0].name} ({points[0].value}) cannot be loaded: {error}") from error
    return maker


def iter_modules(kind: str) -> list[str]:
    """Names of a kind's public modules; for tests and documentation."""
    package = importlib.import_module(f"vivavoce.{kind}")
    return sorted(each.name for each in pkgutil.iter_modules(package.__path__) if not each.name.startswith("_"))
