"""The head of a document: names and blocks that mean nothing are told, and so is what cannot be carried out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vivavoce.core.place import Problems, join, nearest
from vivavoce.core.plugins import fold
from vivavoce.core.reply import JSON, Object
from vivavoce.core.source import Source
from vivavoce.formats._foundry import names
from vivavoce.formats._foundry.asked import Mapped, Places
from vivavoce.formats._foundry.columns import ANY, ASKS, is_slip
from vivavoce.formats._foundry.expressions import is_field, within
from vivavoce.formats._foundry.rebuild import MAX_TURNS
from vivavoce.formats._foundry.saying import Say, shown

_BY_NAME = ("data_mapping", "evaluator_config", "evaluator_parameters", "openai_graders")
"""Names under which something is said of evaluators by their names."""
_HEAD = (*_BY_NAME, "name", "description", "evaluators", "testing_criteria", "evaluation_level", "data", "data_source")
_SIMULATING = ("max_num_turns", "desired_num_turns")
"""What a simulation is told of its length."""
DEFAULT = "default"
"""The name by which the vendor's library maps for every evaluator that has no entry of its own."""


def unread(value: Object) -> tuple[str, str, str] | None:
    """What to say of a document that holds no rows where they belong: the message, its path, and what to do about it."""
    if value.get("data") is not None and not any(name in value for name in ANY):
        fix = 'such as [{"query": "...", "response": "..."}]'
        return f"must be a list of rows, not {shown(value['data'])}", "data", fix
    if not any(value.get(name) for name in ("evaluators", "testing_criteria")) or any(name in value for name in ANY):
        return None
    source = value.get("data_source")
    inner = source.get("source") if isinstance(source, Mapping) else None
    kept = inner.get("id") if isinstance(inner, Mapping) and inner.get("type") == "file_id" else None
    fix = 'put them into "data"' if kept is None else f'they are in the service\'s file {shown(kept)}: put its rows into "data"'
    return "says how rows are examined, and holds none", "", fix


def is_row(value: JSON) -> bool:
    """Whether an object is a row, which may have a column that is called as a document calls its rows."""
    if not isinstance(value, Mapping) or any(name in ASKS or any(is_slip(name, each) for each in ASKS) for name in value):
        return False
    return any(_is_given(value.get(name)) for name in ANY)


def _is_given(value: JSON) -> bool:
    return value not in (None, "", [], {})


def look_beside(head: Object, source: Source, problems: Problems) -> None:
    """Tell of columns of a row that stand beside the rows, where nothing would examine them."""
    for name in ANY:
        if _is_given(head.get(name)):
            problems.add(source, "stands beside the rows, and is in none of them", path=name, fix="put it into a row")


def look(head: Object, source: Source, problems: Problems) -> None:
    """Tell of names at the document's root that may be slips of others, and of blocks that are none."""
    for name in head:
        near = nearest(name, _HEAD)
        if name in _HEAD or name == "data_source_config" or near is None:
            continue
        if is_slip(name, near):
            problems.soft(source, f'unknown name "{name}"', path=name, fix=f'did you mean "{near}"?')
        else:
            problems.warn(source, "is kept and not looked at", path=name, fix=f'did you mean "{near}"?')
    for name in ("name", "description"):
        if head.get(name) is not None and not isinstance(head[name], str):
            problems.add(source, f"must be text, not {shown(head[name])}", path=name)
    for name in (*_BY_NAME, "data_source"):
        if head.get(name) is not None and not isinstance(head[name], Mapping):
            problems.add(source, f"must be an object, not {shown(head[name])}", path=name)
    for name in ("evaluator_config", "evaluator_parameters", "openai_graders"):
        given = head.get(name)
        for inner, each in given.items() if isinstance(given, Mapping) else ():
            if not isinstance(each, Mapping):
                problems.add(source, f"must be an object, not {shown(each)}", path=join(name, inner))


def look_at_names(head: Object, checks: Iterable[Mapped], source: Source, problems: Problems) -> None:
    """Tell of what is said of evaluators that the document does not name."""
    known = {fold(each): each for mapped in checks for each in (names.bare(mapped.check.evaluator), mapped.check.name)}
    for block in _BY_NAME:
        spelled: dict[str, str] = {}
        for name, _ in objects(head.get(block)):
            first = spelled.setdefault(fold(names.bare(name)), name)
            if first != name:
                problems.add(
                    source, f'is of the same evaluator as "{first}"', path=join(block, name), fix="keep one of the two"
                )
            if fold(names.bare(name)) in known or (name == DEFAULT and block in ("data_mapping", "evaluator_config")):
                continue
            near = nearest(names.bare(name), known.values())
            if near is not None and is_slip(names.bare(name), near):
                fix = f'did you mean "{near}"?'
                problems.soft(source, "is of no evaluator that is named here", path=join(block, name), fix=fix)
            else:
                fix = 'name the evaluator under "evaluators"'
                message = "is of no evaluator that is named here, and is passed over"
                problems.warn(source, message, path=join(block, name), fix=fix)


def asked_by(head: Object, flat: Places, say: Say) -> Places:
    """The mapping, with the column that `input_messages` puts to the target, where that is all they do."""
    source = head.get("data_source")
    given = source.get("input_messages") if isinstance(source, Mapping) else None
    template = given.get("template") if isinstance(given, Mapping) else None
    if not isinstance(template, list):
        return flat
    where = join("data_source", "input_messages", "template")
    only = template[0] if len(template) == 1 and isinstance(template[0], Mapping) else {}
    content = only.get("content")
    text = content.get("text") if isinstance(content, Mapping) else content
    field = next(within(text), None) if is_field(text) else None
    if only.get("role") != "user" or field is None or field.sees is not None:
        fix = 'write what is to be told into "query" or "messages" of each row'
        say("is not carried out: a target is told what the row itself says", where, fix, warning=True)
    elif field.path != "query":
        return Places(where={"query": where, **flat.where}, of={"query": field, **flat.of})
    return flat


def simulating(head: Object, say: Say) -> dict[str, int]:
    """What `default_simulation_configuration` says of a simulation's length."""
    source = head.get("data_source")
    given = source.get("default_simulation_configuration") if isinstance(source, Mapping) else None
    at = join("data_source", "default_simulation_configuration")
    if given is not None and not isinstance(given, Mapping):
        say(f"must be an object, not {shown(given)}", at)
        return {}
    defaults: dict[str, int] = {}
    for name, value in (given or {}).items():
        if value is None:
            continue
        if name not in _SIMULATING:
            near = nearest(name, _SIMULATING)
            fix = "--repeat plays each conversation several times" if name == "conversation_repetitions" else ""
            say("is not carried out", join(at, name), f'did you mean "{near}"?' if near else fix, warning=near is None)
        elif not isinstance(value, int) or isinstance(value, bool) or value < 1:
            say(f"must be a whole number of at least 1, not {shown(value)}", join(at, name))
        else:
            defaults[name] = value
    desired, most = defaults.get("desired_num_turns", 0), defaults.get("max_num_turns", MAX_TURNS)
    if desired > most:
        say(f"{desired} turns are desired, and at most {most} are allowed", join(at, "desired_num_turns"))
        return {}
    return defaults


def objects(given: JSON) -> Iterator[tuple[str, Object]]:
    """The members of an object that are objects themselves."""
    if isinstance(given, Mapping):
        yield from ((name, each) for name, each in given.items() if isinstance(each, Mapping))
