"""A scenario to a case: what is said, what is expected of it, and who examines it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from vivavoce.core.model import NOTHING, Case, Expectation, Persona, Turn
from vivavoce.core.place import join
from vivavoce.core.reply import JSON, Object
from vivavoce.formats._agentcore import words
from vivavoce.formats._agentcore.rebuild import kept
from vivavoce.wire.shape import said

_NEITHER = 'says nothing to the agent: it has neither "turns" nor an "actor_profile"'
_OF_SESSION = ("assertions", "expected_trajectory")
"""Fields that are of the whole conversation, and so have no place in a turn."""


class Voice(Protocol):
    """How something about a scenario is reported: the message, the path within the scenario, and what to do about it."""

    def say(self, message: str, path: str, fix: str = "") -> None:
        """Report what is wrong."""

    def soft(self, message: str, path: str, fix: str = "") -> bool:
        """Report what is wrong unless the reading is lenient; returns whether it is."""

    def warn(self, message: str, path: str, fix: str = "") -> None:
        """Report what is odd and stops nothing."""


class Building:
    """One scenario on its way to a case."""

    def __init__(self, row: Object, voice: Voice) -> None:
        self._row = row
        self._voice = voice
        self._slips: set[str] = set()
        """Fields that are missing since another name was written for them, of which was told."""

    def case(self, name: str, path: str, line: int | None) -> Case | None:
        """The case of the scenario, or `None` if it is none; what is wrong with it was said."""
        beside = self._beside("scenario", self._row, words.SCENARIO, "", apart=("expected_response",))
        self._needs_text(self._row, "scenario_id", "")
        scripted = self._row.get("turns") is not None
        simulated = not scripted and self._row.get("actor_profile") is not None
        if not scripted and not simulated:
            if not self._slips & {"turns", "actor_profile"}:
                self._voice.say(_NEITHER, "", 'give it "turns", or the profile of a simulated user')
            return None
        if scripted:
            self._object_beside_turns()
        else:
            self._object_to_answers()
        trajectory = self._texts("expected_trajectory", "toolNames")
        assertions = self._texts("assertions", "text")
        metadata = self._metadata()
        category = metadata.get("category")
        made = Case(
            id=name,
            category=category if isinstance(category, str) and category.strip() else None,
            turns=self._turns(path) if scripted else (),
            persona=self._persona() if simulated else None,
            expect=NOTHING
            if trajectory is None and assertions is None
            else Expectation(trajectory=trajectory, assertions=assertions),
            checks=words.of_case(assertions=bool(assertions), trajectory=trajectory is not None, simulated=simulated),
            metadata=metadata | beside,
            line=line,
            path=path,
        )
        more = kept(self._row, made, tuple(each for each in beside if each not in words.BESIDE))
        return replace(made, metadata={**made.metadata, words.KEPT: more}) if more else made

    def _turns(self, path: str) -> tuple[Turn, ...]:
        given = self._row["turns"]
        if not isinstance(given, list) or not given:
            message = "must not be empty" if given == [] else f"must be a list of turns, not {said(given)}"
            self._voice.say(message, "turns", 'give it at least one turn: {"input": "..."}')
            return ()
        return tuple([self._turn(each, join("turns", index), path) for index, each in enumerate(given)])

    def _turn(self, given: JSON, at: str, path: str) -> Turn:
        if not isinstance(given, Mapping):
            self._voice.say(f"must be an object, not {said(given)}", at, 'write {"input": ...}')
            return Turn(input=None)
        beside = self._beside("turn", given, words.TURN, at, apart=_OF_SESSION)
        said_first = self._input(given, at)
        response = given.get("expected_response")
        if response is not None and not isinstance(response, str):
            self._voice.say(f"must be text, not {said(response)}", join(at, "expected_response"))
            response = None
        elif response is not None and not response.strip():
            self._voice.warn("is empty, so that nothing is expected", join(at, "expected_response"), "leave it out")
            beside, response = {**beside, "expected_response": response}, None
        return Turn(
            input=said_first,
            expect=NOTHING if response is None else Expectation(response=response),
            checks=words.of_turn(response),
            metadata=beside,
            path=join(path, at),
        )

    def _persona(self) -> Persona:
        given = self._row["actor_profile"]
        at = "actor_profile"
        first = self._input(self._row, "")
        if not isinstance(given, Mapping):
            self._voice.say(f"must be an object, not {said(given)}", at, 'write {"context": ..., "goal": ...}')
            return Persona(context="", goal="")
        self._beside("profile", given, words.PROFILE, at)
        traits = given.get("traits")
        if traits is not None and not isinstance(traits, Mapping):
            self._voice.say(f"must be an object, not {said(traits)}", join(at, "traits"))
            traits = None
        return Persona(
            context=self._needs_text(given, "context", at, blank=True),
            goal=self._needs_text(given, "goal", at),
            traits=traits or {},
            input=first,
            max_turns=self._most_turns(),
        )

    def _most_turns(self) -> int:
        given = self._row.get("max_turns")
        if "max_turns" not in self._row:
            return words.MAX_TURNS
        if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
            return given
        shown = f'"{given}"' if isinstance(given, str) else said(given)
        self._voice.say(f"must be a whole number of at least 1, not {shown}", "max_turns")
        return words.MAX_TURNS

    def _input(self, given: Object, at: str) -> JSON:
        """What is said to the agent: text, or an object."""
        value = given.get("input")
        where = join(at, "input")
        if "input" not in given:
            self._missing("input", at)
        elif not isinstance(value, str | Mapping):
            self._voice.say(f"must be text or an object, not {said(value)}", where)
        elif not value or (isinstance(value, str) and not value.strip()):
            self._voice.say("must not be empty", where)
        return value

    def _needs_text(self, given: Object, name: str, at: str, *, blank: bool = False) -> str:
        value = given.get(name)
        where = join(at, name)
        if name not in given:
            self._missing(name, at)
            return ""
        if not isinstance(value, str):
            self._voice.say(f"must be text, not {said(value)}", where)
            return ""
        if not blank and not value.strip():
            self._voice.say("must not be blank", where)
        return value

    def _missing(self, name: str, at: str) -> None:
        if join(at, name) not in self._slips:
            self._voice.say(f'"{name}" is missing', at)

    def _texts(self, name: str, inner: str) -> tuple[str, ...] | None:
        """A list of texts, in the plain form or in the one that the service has: `inner` names the field it wraps them in."""
        given = self._row.get(name)
        if given is None:
            return None
        at = name
        if name == "expected_trajectory" and isinstance(given, Mapping):
            given, at = given.get(inner), join(name, inner)
            if given is None:
                self._voice.say(f'"{inner}" is missing', name, "write a list of names of tools")
                return None
        if not isinstance(given, list):
            self._voice.say(f"must be a list of texts, not {said(given)}", at)
            return None
        return tuple([self._text(each, join(at, index), inner) for index, each in enumerate(given)])

    def _text(self, given: JSON, at: str, inner: str) -> str:
        if isinstance(given, Mapping) and inner == "text":
            given, at = given.get(inner), join(at, inner)
        if not isinstance(given, str):
            self._voice.say(f"must be text, not {said(given)}", at)
            return ""
        if not given.strip():
            self._voice.say("must not be blank", at)
        return given

    def _metadata(self) -> dict[str, JSON]:
        given = self._row.get("metadata")
        if given is not None and not isinstance(given, Mapping):
            self._voice.say(f"must be an object, not {said(given)}", "metadata")
            return {}
        return {name: each for name, each in (given or {}).items() if name != words.KEPT}

    def _object_beside_turns(self) -> None:
        ignored = [name for name in words.SIMULATED if self._row.get(name) is not None]
        if ignored:
            shown = ", ".join(f'"{name}"' for name in ignored)
            self._voice.warn(f'has "turns", so {shown} of a simulated user is ignored', "", "keep one of the two")
        if self._row.get("expected_response") is not None:
            self._voice.soft("belongs into a turn", "expected_response", 'move it beside its "input"')

    def _object_to_answers(self) -> None:
        for name in ("expected_response", "expected_trajectory"):
            if self._row.get(name) is not None:
                message = "has no place when the user is simulated, since nobody knows what will be said"
                self._voice.say(message, name, 'say what must come of the conversation in "assertions"')
        if "turns" in self._row:
            self._voice.warn("is null, so that the user is simulated", "turns", "leave it out")

    def _beside(self, kind: str, given: Object, known: Sequence[str], at: str, *, apart: Sequence[str] = ()) -> dict[str, JSON]:
        """The fields that are kept and change nothing; of those that are probably others misspelt it is told."""
        found: dict[str, JSON] = {}
        present = {*given, *(words.SIMULATED if given.get("turns") is not None else ())}
        present |= {"turns"} if "actor_profile" in given else set()
        for name, value in given.items():
            where = join(at, name)
            if name in known:
                if name in words.BESIDE:
                    found[name] = value
                continue
            found[name] = value
            if name in apart:
                if at and value is not None:
                    self._voice.soft("is of the whole conversation, and stands in a turn", where, 'move it beside "turns"')
                continue
            near = words.meant(kind, name, (*known, *apart), present)
            if near is None:
                self._voice.warn(f'unknown field "{name}", kept as metadata', where)
            elif self._voice.soft(f'unknown field "{name}"', where, f'did you mean "{near}"?'):
                self._slips.add(join(at, near))
        return found
