"""Who fetches what an agent did from where its telemetry goes, and what its spans add to the answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime

from vivavoce.core import codec
from vivavoce.core.errors import CallError
from vivavoce.core.foreign import Border, crashed
from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.core.result import Failure
from vivavoce.formats._otel.gathering import Gathered
from vivavoce.wire.otel import Span, heard
from vivavoce.wire.otel_turns import turns

Key = tuple[str, str]
"""A span's trace and its id."""


class AgentSpanCollector(ABC):
    """Somebody who has an agent's spans."""

    @abstractmethod
    def collect(self, session_id: str, start_time: datetime, end_time: datetime) -> list[dict[str, JSON]]:
        """The spans of a session, and the log records that hold their messages, as the format `otel` reads them.

        It is asked after each turn, with the time in which that was held, and waits itself for what is not there yet. What it
        gave for an earlier turn counts for that one alone.
        """


class CloudWatchAgentSpanCollector(AgentSpanCollector):
    """Spans in CloudWatch; accepted, and never asked, since the answers themselves are examined."""

    def __init__(
        self,
        log_group_name: str,
        region: str | None = None,
        max_wait_seconds: int = 300,
        poll_interval_seconds: int = 30,
    ) -> None:
        self.log_group_name = log_group_name
        self.region = region
        self.max_wait_seconds = max_wait_seconds
        self.poll_interval_seconds = poll_interval_seconds

    def collect(self, session_id: str, start_time: datetime, end_time: datetime) -> list[dict[str, JSON]]:
        """Nothing: no log is read."""
        return []


class Collected:
    """What a collector tells of each turn."""

    def __init__(self, collector: AgentSpanCollector) -> None:
        self._collector = collector
        self._told: dict[str, set[Key]] = {}
        """By session, the spans of the turns before."""

    def add(self, answer: JSON, session_id: str, since: datetime) -> JSON:
        """An answer with what the spans of its turn tell and it does not itself.

        Raises:
            CallError: the collector failed, or has no span of the turn.
        """
        with Border(lambda told: crashed(f"the span collector failed: {told}")):
            records = self._collector.collect(session_id, since, datetime.now(UTC))
        before = self._told.setdefault(session_id, set())
        faults: list[str] = []
        spans = [span for span in _spans(records, faults) if (span.trace, span.id) not in before]
        before |= {(span.trace, span.id) for span in spans}
        replies = [turn.reply for turn in turns(spans) if turn.reply is not None]
        if not replies:
            why = f": {faults[0]}" if faults else " in which an agent, a model or a tool is at work"
            message = f"the span collector has no span of this turn of session {session_id}{why}"
            raise CallError(Failure(code="no_spans", message=message))
        given = answer if isinstance(answer, Mapping) else {"text": answer}
        return {**_found(replies), **{name: each for name, each in given.items() if each is not None}}


def asked(collector: AgentSpanCollector | None) -> Collected | None:
    """The collector as it is asked; `None` for the one of logs, of which none is read."""
    if collector is None or type(collector).collect is CloudWatchAgentSpanCollector.collect:
        return None
    return Collected(collector)


def _spans(records: JSON, faults: list[str]) -> list[Span]:
    """The spans among records, each once, with what logs tell of them; what is no record of the kind goes to `faults`."""

    def say(message: str, path: str, fix: str = "", *, soft: bool = False) -> None:
        faults.append(f"{path}: {message}" if path else message)

    plain = codec.plain(list(records)) if isinstance(records, Iterable) else records
    with closing(Gathered()) as gathered:
        for found, _ in heard(plain, "", say):
            gathered.add(found)
        return [span for _, spans in gathered.conversations() for span in spans]


def _found(replies: Iterable[Reply]) -> Object:
    """What replies tell together, as agents answer in Viva: one, unless the agent was at work several times for one turn."""
    told: dict[str, JSON] = {}
    for reply in replies:
        for name, value in (("tool_calls", reply.tool_calls), ("retrievals", reply.retrievals)):
            if value is not None:
                told[name] = [*told.get(name, ()), *codec.plain(value)]
        told |= {} if reply.text is None else {"text": reply.text}
        told |= {"usage": {**reply.usage}} if reply.usage else {}
    return told
