"""A row of the native format, known to be of its shape, to a case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from vivavoce.core.model import NOTHING, Case, Check, Expectation, Origin, Persona, Turn
from vivavoce.core.place import did_you_mean, join, nearest
from vivavoce.core.plugins import fold
from vivavoce.core.reply import JSON, Citation, Message, Object, Reply, ToolCall

Checks = tuple[Check, ...]
Named = Checks | None
"""The checks that apply so far; `None` while nobody has named any, `()` when somebody named none."""

RELEVANCE = (Check(evaluator="Relevance", origin="default"), Check(evaluator="Coherence", origin="default"))
SIMILARITY = (*RELEVANCE, Check(evaluator="Similarity", origin="default"))
GROUNDEDNESS = Check(evaluator="Groundedness", origin="default")
DEFAULTS = (RELEVANCE, SIMILARITY, (*RELEVANCE, GROUNDEDNESS), (*SIMILARITY, GROUNDEDNESS))
"""What a turn is examined by when nobody says: shared by all turns, by whether they have an expected response and a context."""
EXAMINED = (
    ("intent", Check(evaluator="Intent")),
    ("refusal", Check(evaluator="RefusalContains")),
    ("rows", Check(evaluator="RowComparison")),
    ("insights", Check(evaluator="InsightContains")),
)
"""What only one evaluator can examine, which is therefore asked for where it is expected; in the order they are applied."""
CONTENT = ("text", "tool_calls", "citations", "retrievals", "rows", "intent", "refusal", "insight")
"""Keys of an answer without any of which there is none."""
OF_TURN = ("input", "expected", "context", "reply")
"""Keys that stand in each turn when there are `turns`, and nowhere when a user is simulated."""
KINDS = ("input", "turns", "persona")
SIMULATED = MappingProxyType(
    {
        "expected": 'say what must come of the conversation in "assertions"',
        "reply": "what is said next depends on it, so leave it out",
    }
)
"""What to do about a key that has no place when a user is simulated."""
OF_ANSWER = ("expected", "rows", "intent", "refusal", "insights")
OF_CONVERSATION = ("assertions", "trajectory")
"""What is expected of a whole conversation, also where it is of one question."""


def objections(row: Object, say: Callable[[str, str, str], None]) -> None:
    """Say everything wrong in a row that its shape cannot: message, path within the row, and the way out."""
    kinds = [kind for kind in KINDS if row.get(kind) is not None]
    if not kinds:
        say("says nothing to the agent", "", 'give it "input", or "turns", or a "persona"')
    if "turns" in kinds or "persona" in kinds:
        main, ways_out = ("turns", {}) if "turns" in kinds else ("persona", SIMULATED)
        for name in (*OF_TURN, *KINDS[1:]):
            if name != main and row.get(name) is not None:
                fix = ways_out.get(name, f'put it into "{main}"') if name in OF_TURN else "keep one"
                say(f'"{name}" cannot stand beside "{main}"', name, fix)
    _object_to(row, "", say)
    for index, said in enumerate(row.get("turns") or ()):
        _object_to(said, f"turns[{index}]", say)


def object_to_evaluators(evaluators: Object | None, path: str, say: Callable[[str, str, str], None]) -> None:
    """Say what is wrong in the names of a map of evaluators."""
    seen: dict[str, str] = {}
    for name in evaluators or ():
        first = seen.setdefault(fold(name), name)
        if not name.strip():
            say("an evaluator's name must not be blank", join(path, "evaluators"), "")
        elif first != name:
            say(f'names the same evaluator as "{first}"', join(path, "evaluators", name), "keep one")


def _object_to(said: Object, path: str, say: Callable[[str, str, str], None]) -> None:
    evaluators, reply = said.get("evaluators"), said.get("reply")
    if evaluators:
        object_to_evaluators(evaluators, path, say)
    elif evaluators is None and said.get("evaluators_mode") == "replace":
        say("replaces evaluators without naming any", join(path, "evaluators_mode"), 'add "evaluators", {} for none')
    if isinstance(reply, Mapping) and all(reply.get(name) is None for name in CONTENT):
        near = next((name for name in reply if nearest(name, CONTENT)), None)
        fix = did_you_mean(near, CONTENT) if near else 'give it "text", or another part of an answer'
        say("is an answer that says nothing", join(path, "reply"), fix)


def case(row: Object, base: Named, *, name: str, path: str, line: int | None) -> Case:
    """The case of a row; `base` are the suite's own checks, `name` its id."""
    get = row.get
    own, turns, persona = get("evaluators"), get("turns"), get("persona")
    checks = base if own is None else resolve(base, own, get("evaluators_mode"), path)
    history = get("history")
    return Case(
        id=name,
        name=get("name"),
        category=get("category"),
        turns=tuple([_turn(said, checks, join(path, "turns", index)) for index, said in enumerate(turns)])
        if turns
        else ()
        if persona
        else (_single(row, checks, path),),
        persona=_persona(persona) if persona else None,
        history=tuple([Message(role=each["role"], content=each["content"]) for each in history]) if history else (),
        expect=_expectation(row, OF_CONVERSATION + OF_ANSWER if turns or persona else OF_CONVERSATION),
        checks=(RELEVANCE if checks is None else checks) if persona else (),
        metadata=get("metadata") or {},
        line=line,
        path=path,
    )


def resolve(base: Named, own: Object, mode: str | None, path: str, origin: Origin = "item") -> Named:
    """The checks of a level whose own map is `own`: those of the level above first, then new names.

    A name that repeats one takes the options it has here, whole.
    """
    here = [_check(name, options, path, origin) for name, options in own.items()]
    if mode == "replace":
        return tuple(here)
    if not here or not base:
        return tuple(here) or base
    by_name = {fold(check.evaluator): check for check in here}
    return (*(by_name.pop(fold(check.evaluator), check) for check in base), *by_name.values())


def defaults(expect: Expectation, context: str | None) -> Checks:
    """The checks of a turn for which nobody named any.

    Where rows, an intent, a refusal or insights are expected, wording is judged only if there is something to hold it against.
    """
    judged = DEFAULTS[(expect.response is not None) + 2 * (context is not None)]
    if expect is NOTHING:
        return judged
    asked = tuple([check for name, check in EXAMINED if getattr(expect, name) is not None])
    return asked if asked and judged is RELEVANCE else (*asked, *judged) if asked else judged


def reply(given: JSON) -> Reply | None:
    """A recorded answer."""
    if given is None or isinstance(given, str):
        return None if given is None else Reply(text=given)
    rest = {name: each for name, each in given.items() if name not in CONTENT and name != "usage"}
    calls, citations, retrievals, rows = (given.get(name) for name in ("tool_calls", "citations", "retrievals", "rows"))
    return Reply(
        text=given.get("text"),
        tool_calls=None if calls is None else tuple(ToolCall(**(_named(each, "name"))) for each in calls),
        citations=None if citations is None else tuple(_citation(each, at) for at, each in enumerate(citations, 1)),
        retrievals=None if retrievals is None else tuple(retrievals),
        rows=None if rows is None else tuple(rows),
        intent=given.get("intent"),
        refusal=given.get("refusal"),
        insight=given.get("insight"),
        usage={name: each for name, each in (given.get("usage") or {}).items() if each is not None},
        raw=rest or None,
    )


def _check(name: str, options: Object | None, path: str, origin: Origin) -> Check:
    return Check(evaluator=name, options=options or {}, origin=origin, path=join(path, "evaluators", name))


def _single(row: Object, checks: Named, path: str) -> Turn:
    """The one turn of a row without turns, whose metadata are the case's."""
    get = row.get
    expect, context, answer = _expectation(row, OF_ANSWER), get("context"), get("reply")
    return Turn(
        input=row["input"],
        context=context,
        expect=expect,
        checks=defaults(expect, context) if checks is None else checks,
        reply=None if answer is None else reply(answer),
        path=path,
    )


def _turn(said: Object, checks: Named, path: str) -> Turn:
    get = said.get
    own, context = get("evaluators"), get("context")
    expect = _expectation(said, OF_CONVERSATION + OF_ANSWER)
    if own is not None:
        checks = resolve(checks, own, get("evaluators_mode"), path)
    return Turn(
        input=said["input"],
        context=context,
        expect=expect,
        checks=defaults(expect, context) if checks is None else checks,
        reply=reply(get("reply")),
        metadata=get("metadata") or {},
        path=path,
    )


def _expectation(given: Object, names: tuple[str, ...]) -> Expectation:
    told: dict[str, Any] = {  # each value has the type its shape declares
        "response" if name == "expected" else name: tuple(each) if isinstance(each, list) else each
        for name in names
        if (each := given.get(name)) is not None
    }
    return Expectation(**told) if told else NOTHING


def _persona(given: Object) -> Persona:
    return Persona(
        context=given.get("context") or "",
        goal=given["goal"],
        traits=given.get("traits") or {},
        input=given.get("input"),
        max_turns=given.get("max_turns") or 10,
        desired_turns=given.get("desired_turns"),
    )


def _named(given: JSON, name: str) -> Object:
    return {name: given} if isinstance(given, str) else given


def _citation(given: JSON, at: int) -> Citation:
    cited = _named(given, "source")
    index = cited.get("index")
    return Citation(index=at if index is None else index, text=cited.get("text"), source=cited.get("source"))
