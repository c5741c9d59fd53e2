"""Spans of one conversation to its turns: what was asked, what was answered, and which tools were called on the way."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from vivavoce.core.model import Turn
from vivavoce.core.reply import Fault, Object, Reply, ToolCall
from vivavoce.wire import openai
from vivavoce.wire.otel import Span
from vivavoce.wire.otel_kinds import Kind, call, kind, reports_searches, retrieval, tool_name, usage
from vivavoce.wire.otel_messages import inputs, last_answered, last_asked, outputs, since_asked

FAILED = "agent_failed"
"""The code of a turn of which the recording tells that the agent failed, and no answer."""
FAILED_BEFORE = "the agent failed: "
"""What stands in such a fault before what the span says."""
_DOINGS = frozenset(("chat", "tool", "retriever"))


@dataclass(kw_only=True, slots=True)
class _Unit:
    """One turn in the making."""

    start: int
    opener: Span | None = None
    """The span of the agent's whole work on it, where there is one."""
    spans: list[Span] = field(default_factory=list)


def turns(spans: Sequence[Span]) -> tuple[Turn, ...]:
    """The turns of a conversation in order; none where nothing that an agent does is among the spans.

    A turn is an outermost span of an agent; in a trace without one, its calls of models, as long as none goes on from the
    answer of another with something new said by the user. What belongs to no turn by its parents belongs to the last that
    began before it.
    """
    tree = _Tree(sorted(spans, key=lambda span: (span.start, span.trace, span.id)))
    units = [*tree.opened.values(), *_unopened(tree)]
    units.sort(key=lambda unit: unit.start)
    stray = [span for span in tree.loose if tree.kinds[span.trace, span.id] != "chat" or span.trace in tree.traces]
    if not units and stray:
        units.append(_Unit(start=stray[0].start))
    by_trace: dict[str, list[_Unit]] = {}
    for unit in units:
        for trace in {span.trace for span in unit.spans}:
            by_trace.setdefault(trace, []).append(unit)
    for span in stray:
        own = by_trace.get(span.trace, units)
        begun = bisect_right(own, span.start, key=lambda unit: unit.start)
        own[max(begun - 1, 0)].spans.append(span)
    return tuple(_turn(unit, tree) for unit in units)


def definitions(spans: Iterable[Span]) -> tuple[Object, ...] | None:
    """The tools that an agent has, as far as its spans tell; each once."""
    found: dict[str, Object] = {}
    for span in spans:
        for key in ("gen_ai.tool.definitions", "gen_ai.agent.tools"):
            listed = openai.result(span.attributes.get(key))
            for each in listed if isinstance(listed, list) else ():
                tool = {"name": each} if isinstance(each, str) else each
                inner = tool.get("function", tool) if isinstance(tool, Mapping) else None
                if isinstance(inner, Mapping) and isinstance(inner.get("name"), str):
                    found.setdefault(inner["name"], inner)
    return tuple(found.values()) or None


class _Tree:
    """Spans by their parents, each with its turn where that follows from them; of parents, however many, each is asked once."""

    def __init__(self, spans: list[Span]) -> None:
        self._by_id = {(span.trace, span.id): span for span in spans}
        self.kinds: dict[tuple[str, str], Kind] = {key: kind(span) for key, span in self._by_id.items()}
        self._tops: dict[tuple[str, str], Span | None] = {}
        self._around: dict[tuple[str, str], Span | None] = {}
        self.opened: dict[tuple[str, str], _Unit] = {}
        self.loose: list[Span] = []
        """An agent's doings that stand below no turn."""
        for span in spans:
            top = self._top(span)
            if top is not None:
                self.opened.setdefault((top.trace, top.id), _Unit(start=top.start, opener=top)).spans.append(span)
            elif self.kinds[span.trace, span.id] in _DOINGS:
                self.loose.append(span)
        self.traces = {trace for trace, _ in self.opened}

    def above(self, span: Span) -> Iterator[Span]:
        """The parents of a span, the nearest first; parents that go round in a circle end where they began."""
        seen = {span.id}
        while span.parent is not None and span.parent not in seen:
            seen.add(span.parent)
            parent = self._by_id.get((span.trace, span.parent))
            if parent is None:
                return
            yield (span := parent)

    def calls(self, spans: Iterable[Span]) -> list[Span]:
        """The spans of tools, in order; one within another of its name, with no agent between, tells the same call."""
        return [span for span in spans if self._is(span, "tool") and not self._is_again(span)]

    def of(self, spans: Iterable[Span], what: Kind) -> list[Span]:
        """Those of a kind."""
        return [span for span in spans if self._is(span, what)]

    def _is(self, span: Span, what: Kind) -> bool:
        return self.kinds[span.trace, span.id] == what

    def _is_again(self, span: Span) -> bool:
        around = self._nearest(span)
        return around is not None and self._is(around, "tool") and tool_name(around) == tool_name(span)

    def _top(self, span: Span) -> Span | None:
        """The outermost of a span and its parents that opens a turn."""
        passed: list[Span] = []
        top: Span | None = None
        for each in chain([span], self.above(span)):
            if (each.trace, each.id) in self._tops:
                top = self._tops[each.trace, each.id]
                break
            passed.append(each)
        for each in reversed(passed):
            top = each if top is None and self._opens(each) else top
            self._tops[each.trace, each.id] = top
        return top

    def _nearest(self, span: Span) -> Span | None:
        """The nearest parent that is an agent or a tool."""
        passed = [span]
        found: Span | None = None
        for each in self.above(span):
            if self.kinds[each.trace, each.id] in ("agent", "tool"):
                found = each
                break
            if (each.trace, each.id) in self._around:
                found = self._around[each.trace, each.id]
                break
            passed.append(each)
        self._around |= {(each.trace, each.id): found for each in passed}
        return found

    def _opens(self, span: Span) -> bool:
        return self._is(span, "agent") or (self._is(span, "chain") and bool(inputs(span)) and bool(outputs(span)))


def _unopened(tree: _Tree) -> Iterator[_Unit]:
    """Turns of traces in which no agent's span stands, made of calls of models."""
    by_trace: dict[str, list[Span]] = {}
    for span in tree.loose:
        if span.trace not in tree.traces and tree.of([span], "chat"):
            by_trace.setdefault(span.trace, []).append(span)
    for chats in by_trace.values():
        unit: _Unit | None = None
        answer: str | None = None
        for chat in chats:
            if unit is None or _goes_on(chat, answer):
                if unit is not None:
                    yield unit
                unit = _Unit(start=chat.start)
            unit.spans.append(chat)
            answer = last_answered(outputs(chat)) or answer
        if unit is not None:
            yield unit


def _goes_on(chat: Span, answer: str | None) -> bool:
    """Whether a user said something new after an answer."""
    said = inputs(chat)
    places = [at for at, each in enumerate(said) if each.role == "assistant" and each.text == answer]
    return answer is not None and bool(places) and last_asked(said[places[-1] :]) is not None


def _turn(unit: _Unit, tree: _Tree) -> Turn:
    opener = unit.opener
    spans = sorted(unit.spans, key=lambda span: (span.start, span.trace, span.id))
    chats = tree.of(spans, "chat")
    told = ([opener] if opener is not None else []) + chats
    asked = next((text for span in told if (text := last_asked(inputs(span))) is not None), None)
    text = _answer(opener, chats)
    if opener is not None and opener.failure is not None and text is None:
        fault = Fault(code=FAILED, message=f"{FAILED_BEFORE}{opener.failure or 'its span says no more'}")
        return Turn(input=asked, fault=fault, metadata=_where(spans))
    called = tree.calls(spans)
    in_messages = _told(opener, chats)
    calls = tuple(_filled(call(span), in_messages) for span in called) if called else in_messages
    found = tree.of(spans, "retriever")
    return Turn(
        input=asked,
        reply=Reply(
            text=text,
            tool_calls=calls,
            retrievals=tuple(retrieval(span) for span in found) if found or (opener and reports_searches(opener)) else None,
            usage=_used(opener, chats),
            seconds=_seconds([opener] if opener is not None else spans),
        ),
        metadata=_where(spans),
    )


def _where(spans: Sequence[Span]) -> Object:
    return {"traces": list(dict.fromkeys(span.trace for span in spans))}


def _answer(opener: Span | None, chats: Sequence[Span]) -> str | None:
    """What was answered in the end: as the agent tells it, else as the model that was called last."""
    if opener is not None:
        text = last_answered(outputs(opener))
        if text is not None:
            return text
    answers = (last_answered(outputs(chat)) for chat in sorted(chats, key=lambda chat: chat.end or chat.start, reverse=True))
    return next((text for text in answers if text is not None), None)


def _told(opener: Span | None, chats: Sequence[Span]) -> tuple[ToolCall, ...]:
    """The calls that messages tell, for want of spans; each with its result, where that is told."""
    told = chats if chats or opener is None else [opener]
    calls: dict[object, ToolCall] = {}
    results: dict[str, object] = {}
    for span in told:
        before, after = since_asked(inputs(span)), outputs(span)
        for said in (*before, *after):
            results |= {number: result for number, result in said.results if number is not None}
        for at, each in enumerate(each for said in after for each in said.calls):
            calls.setdefault(each.id or (span.trace, span.id, at), each)
        for each in [each for said in before for each in said.calls]:
            if each.id is not None:
                calls.setdefault(each.id, each)
    if not calls and told:
        calls = dict(enumerate(each for said in since_asked(inputs(told[-1])) for each in said.calls))
    return tuple(
        ToolCall(name=each.name, arguments=each.arguments, result=results.get(each.id or ""), id=each.id)
        for each in calls.values()
    )


def _filled(made: ToolCall, told: Iterable[ToolCall]) -> ToolCall:
    """A call with what its span leaves out, where a message tells of the same call."""
    same = next((each for each in told if each.id is not None and each.id == made.id), None)
    if same is None:
        return made
    arguments = same.arguments if made.arguments is None else made.arguments
    return replace(made, arguments=arguments, result=same.result if made.result is None else made.result)


def _used(opener: Span | None, chats: Sequence[Span]) -> Object:
    """Tokens: of every call of a model, or else as the agent adds them up."""
    total: dict[str, int] = {}
    for chat in chats:
        for name, count in usage(chat).items():
            total[name] = total.get(name, 0) + count
    return total or (usage(opener) if opener is not None else {})


def _seconds(spans: Sequence[Span]) -> float | None:
    ends = [span.end for span in spans if span.end is not None]
    return round((max(ends) - min(span.start for span in spans)) / 1e9, 9) if ends and spans else None
