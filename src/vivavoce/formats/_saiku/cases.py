"""One entry of a suite to a case."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.core.model import Case, Check, Expectation, Turn
from vivavoce.core.place import did_you_mean, join
from vivavoce.core.reply import JSON, Message, Object
from vivavoce.formats._saiku import words
from vivavoce.formats._saiku.faults import Faults, kind
from vivavoce.wire.yaml_text import Unfit, scalar

ROWS = "RowComparison"
INTENT = "Intent"
REFUSAL = "RefusalContains"
INSIGHT = "InsightContains"


class Builder:
    """Builds the case of an entry, and reports everything wrong in it."""

    def __init__(self, entry: Object, path: str, faults: Faults, plain: Mapping[str, bool]) -> None:
        self._entry = entry
        self._path = path
        self._faults = faults
        self._plain = plain

    def case(self) -> Case:
        """The case; of use only if nothing was wrong."""
        entry, faults, path = self._entry, self._faults, self._path
        metadata = dict(faults.strangers(entry, words.CASE, path, meant=words.MEANT))
        name = faults.required(entry, "name", path)
        question = faults.required(entry, "question", path)
        history, more = self._history()
        if more:
            metadata["history"] = entry["history"]
        expect = Expectation(
            intent=self._intent(),
            refusal=self._text("expectedRefusalContains"),
            rows=self._rows(),
            reference_query=self._query(),
            insights=self._insights(),
        )
        if expect.reference_query is not None and expect.rows is not None:
            faults.warn("means nothing beside referenceQuery, whose rows are the truth", self._at("expectedRows"))
        return Case(
            id=name,
            turns=(Turn(input=question, expect=expect, checks=self._checks(expect, metadata), path=path),),
            history=history,
            metadata=metadata,
            path=path,
        )

    def _at(self, *names: str | int) -> str:
        return join(self._path, *names)

    def _text(self, name: str) -> str | None:
        return self._faults.text(self._entry.get(name), self._at(name))

    def _checks(self, expect: Expectation, metadata: dict[str, JSON]) -> tuple[Check, ...]:
        """What the case expects, in the order in which it is examined; options that no check has are kept in `metadata`."""
        bounds, ordered = self._tolerance(), self._order()
        options: dict[str, JSON] = {**bounds, **({} if ordered is None else {"order_matters": ordered})}
        truth = "referenceQuery" if expect.reference_query is not None else "expectedRows"
        wanted = (
            (INTENT, "expectedIntent", expect.intent is not None),
            (REFUSAL, "expectedRefusalContains", expect.refusal is not None),
            (ROWS, truth, expect.reference_query is not None or expect.rows is not None),
            (INSIGHT, "expectedInsightContains", bool(expect.insights)),
        )
        if not wanted[2][2]:
            for name in ("tolerance", "orderMatters"):
                if self._entry.get(name) is not None:
                    metadata[name] = bounds if name == "tolerance" else ordered
                    self._faults.warn("means nothing without expectedRows or referenceQuery", self._at(name))
        return tuple(
            Check(evaluator=evaluator, options=options if evaluator == ROWS else {}, path=self._at(name))
            for evaluator, name, there in wanted
            if there
        )

    def _intent(self) -> str | None:
        intent = self._text("expectedIntent")
        if intent is not None and intent.strip().upper() not in words.INTENTS:
            fix = did_you_mean(intent, words.INTENTS)
            self._faults.add(words.UNKNOWN_VALUE, f'there is no intent "{intent}"', self._at("expectedIntent"), fix)
        return intent

    def _history(self) -> tuple[tuple[Message, ...], bool]:
        """What was said before, and whether the file tells more of it than a message holds."""
        said: list[Message] = []
        more = False
        for index, each in enumerate(self._faults.listed(self._entry.get("history"), self._at("history"), "role and content")):
            at = self._at("history", index)
            if not isinstance(each, Mapping):
                self._faults.add(words.TYPE, f"must be a mapping of role and content, not {kind(each)}", at)
                continue
            more = bool(self._faults.strangers(each, words.SAID, at)) or more
            role = self._faults.required(each, "role", at).strip().lower()
            if role and role not in words.ROLES:
                fix = did_you_mean(role, words.ROLES)
                self._faults.add(words.UNKNOWN_VALUE, f'there is no role "{each["role"]}"', join(at, "role"), fix)
            said.append(Message(role=role, content=self._content(each, at)))
        return tuple(said), more

    def _content(self, said: Object, path: str) -> str:
        """What was said; a number or a word that YAML reads as more is the text it is written as."""
        content = said.get("content")
        if isinstance(content, bool):
            return "true" if content else "false"
        if isinstance(content, int | float):
            return str(content)
        if content == "":
            return ""
        return self._faults.required(said, "content", path)

    def _rows(self) -> tuple[Object, ...] | None:
        given = self._entry.get("expectedRows")
        if given is None:
            return None
        rows: list[Object] = []
        for index, row in enumerate(self._faults.listed(given, self._at("expectedRows"), "rows")):
            at = self._at("expectedRows", index)
            if not isinstance(row, Mapping):
                self._faults.add(words.TYPE, f"must be a row, a mapping of columns to values, not {kind(row)}", at)
                continue
            rows.append({name: self._cell(value, join(at, name)) for name, value in row.items()})
        return tuple(rows)

    def _cell(self, value: JSON, path: str) -> JSON:
        if isinstance(value, Mapping | list):
            self._faults.add(words.TYPE, f"a cell must be text, a number, true, false or null, not {kind(value)}", path)
        return int(value.replace("_", "")) if self._plain.get(path) else value

    def _query(self) -> JSON:
        query = self._entry.get("referenceQuery")
        if query is None:
            return None
        if not isinstance(query, Mapping):
            self._faults.add(words.TYPE, f"must be a query, a mapping, not {kind(query)}", self._at("referenceQuery"))
            return None
        self._faults.strangers(query, words.QUERY, self._at("referenceQuery"))
        return query

    def _insights(self) -> tuple[str, ...] | None:
        given = self._entry.get("expectedInsightContains")
        if given is None:
            return None
        at = self._at("expectedInsightContains")
        texts = []
        for index, each in enumerate(self._faults.listed(given, at, "texts")):
            if each is None:
                self._faults.add(words.TYPE, "must be text, not nothing", join(at, index))
            texts.append(self._faults.text(each, join(at, index)) or "")
        return tuple(texts)

    def _order(self) -> bool | None:
        given, at = self._entry.get("orderMatters"), self._at("orderMatters")
        if given is None or isinstance(given, bool):
            return given
        if isinstance(given, str) and given.lower() in words.SWITCHES and self._plain.get(at):
            return words.SWITCHES[given.lower()]
        fix = "leave the quotes out" if isinstance(given, str) and not self._plain.get(at) else ""
        self._faults.add(words.TYPE, f"must be true or false, not {kind(given)}", at, fix)
        return None

    def _tolerance(self) -> dict[str, JSON]:
        given, at = self._entry.get("tolerance"), self._at("tolerance")
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            self._faults.add(words.TYPE, f"must be a mapping of absolute and relative, not {kind(given)}", at)
            return {}
        self._faults.strangers(given, words.BOUNDS, at, closed=True)
        return {name: self._bound(given[name], join(at, name)) for name in words.BOUNDS if given.get(name) is not None}

    def _bound(self, value: JSON, path: str) -> JSON:
        number = value
        if isinstance(value, str):
            try:
                number = scalar(value.strip())  # a number in quotes is one all the same
            except Unfit:
                number = value
        if isinstance(number, bool) or not isinstance(number, int | float):
            self._faults.add(words.TYPE, f"must be a number, not {kind(value)}", path)
            return 0
        if number < 0:
            name = path.rpartition(".")[2]
            self._faults.add(words.TOLERANCE, f"{name} tolerance must be >= 0 (got {value})", path)
        return number
