"""What came of a call as JSON, and back: an answer, rows, a verdict, a move, an abstention, or a failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from vivavoce.core import codec, secrets
from vivavoce.core.errors import Abstain, CallError
from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.core.result import Failure, Verdict
from vivavoce.core.scene import Move

Outcome = dict[str, JSON]
"""One of `reply`, `rows`, `verdict`, `move`, `abstains`, `failure`; with what belongs to it."""


@dataclass(frozen=True, slots=True)
class Clean:
    """Makes outcomes that hold no secret, told by name or by one of these values."""

    hidden: Sequence[str] = ()

    def reply(self, reply: Reply | Failure, asked: JSON = None) -> Outcome:
        """An answer, without the time it took: the same answer gives the same bytes."""
        if isinstance(reply, Failure):
            return self.failure(reply)
        whole = replace(reply, seconds=None, raw=secrets.redact(reply.raw))
        told = self._plain(whole)
        if isinstance(told, Failure):
            return self.failure(told)
        return {"reply": told, **({"asked": self._blot(asked)} if asked is not None else {})}

    def rows(self, rows: tuple[Object, ...] | Failure) -> Outcome:
        """What a reference query gave."""
        if isinstance(rows, Failure):
            return self.failure(rows)
        told = self._plain(list(rows))
        return self.failure(told) if isinstance(told, Failure) else {"rows": told}

    def verdict(self, verdict: Verdict) -> Outcome:
        """A judge's verdict; details that are no data are left out, as they are of scores."""
        told = self._plain(replace(verdict, reason="", label=None, details={}))
        if isinstance(told, Failure):
            return self.failure(replace(told, phase="judge"))
        told["reason"] = self._blot(_mended(verdict.reason))
        if verdict.label is not None:
            told["label"] = _mended(verdict.label)
        details = self._plain(dict(verdict.details))
        if details and not isinstance(details, Failure):
            told["details"] = details
        return {"verdict": told}

    def move(self, move: Move | Failure, usage: Object) -> Outcome:
        """What a simulated user did."""
        if isinstance(move, Failure):
            return self.failure(move, usage)
        told = self._plain(
            replace(move, message=None if move.message is None else _mended(move.message), reasoning=_mended(move.reasoning))
        )
        return self.failure(replace(told, phase="simulator"), usage) if isinstance(told, Failure) else {"move": told}

    def failure(self, failure: Failure, usage: Object | None = None) -> Outcome:
        """A failure for good, with what it took all the same."""
        told = _brief(codec.plain(replace(failure, message=self._blot(_mended(failure.message)))))
        return {"failure": told, **({"usage": codec.plain(usage)} if usage else {})}

    def abstains(self, why: Abstain) -> Outcome:
        """That a judge cannot say."""
        return {"abstains": self._blot(_mended(str(why))), **({"usage": codec.plain(why.usage)} if why.usage else {})}

    def request(self, value: JSON) -> JSON:
        """What was asked, as plain data that can be kept."""
        try:
            return self._blot(secrets.redact(codec.decode(codec.encode(value), dict)))
        except (TypeError, ValueError, RecursionError):  # no data, or half a character in it
            return {"not_data": codec.digest_of(repr(value).encode("utf-8", "replace"))}

    def text(self, text: str) -> str:
        """A digest of a text that a judge reads."""
        return codec.digest_of(self._blot(text).encode("utf-8", "replace"))

    def _plain(self, value: object) -> JSON | Failure:
        try:
            told: JSON = codec.decode(codec.encode(value), object)
        except (TypeError, ValueError, RecursionError) as error:
            return Failure(code="not_storable", message=f"what came of it cannot be stored: {error}")
        return self._blot(_brief(told) if isinstance(told, dict) else told)

    def _blot(self, value: JSON) -> JSON:
        return secrets.blot_all(value, self.hidden) if self.hidden else value


def read_reply(outcome: Mapping[str, JSON]) -> Reply | Failure:
    """The reverse of `Clean.reply`."""
    return _failure(outcome) if "failure" in outcome else codec.convert(outcome["reply"], Reply)


def read_rows(outcome: Mapping[str, JSON]) -> tuple[Object, ...] | Failure:
    """The reverse of `Clean.rows`."""
    return _failure(outcome) if "failure" in outcome else codec.convert(outcome["rows"], tuple[Object, ...])


def read_verdict(outcome: Mapping[str, JSON]) -> Verdict:
    """The reverse of `Clean.verdict`.

    Raises:
        CallError, Abstain: that is what came of it.
    """
    if "failure" in outcome:
        raise CallError(_failure(outcome), outcome.get("usage", {}))
    if "abstains" in outcome:
        raise Abstain(outcome["abstains"], outcome.get("usage", {}))
    return codec.convert(outcome["verdict"], Verdict)


def read_move(outcome: Mapping[str, JSON]) -> tuple[Move | Failure, Object]:
    """The reverse of `Clean.move`."""
    if "failure" in outcome:
        return _failure(outcome), outcome.get("usage", {})
    move = codec.convert(outcome["move"], Move)
    return move, move.usage


_FIELDS: Mapping[str, Mapping[str, type]] = MappingProxyType(
    {
        "agent": {"reply": Reply, "asked": object},
        "rows": {"rows": tuple[Object, ...]},
        "judge": {"verdict": Verdict, "abstains": str},
        "simulator": {"move": Move},
    }
)
"""What may come of calls of each kind, the first of which does unless another takes its place."""


def check(kind: str, outcome: Mapping[str, JSON]) -> None:
    """Find out whether an outcome can be read, and all of it is.

    Raises:
        ValueError: it cannot, or a part of it would be lost; says why.
    """
    fields = {"failure": Failure, "usage": Object} if "failure" in outcome else _FIELDS[kind]
    if outcome.keys().isdisjoint(fields.keys() - {"asked", "usage"}):
        raise ValueError(f'the outcome of a call of kind {kind} has no "{next(iter(fields))}"')
    if len(outcome.keys() - {"asked", "usage"}) > 1:
        raise ValueError(f"there is more than one outcome: {', '.join(sorted(outcome))}")
    for name, value in outcome.items():
        if name not in fields:
            raise ValueError(f'the outcome has an unknown field "{name}"')
        lost = next(_lost(value, codec.plain(codec.convert(value, fields[name]))), None)
        if lost is not None:
            raise ValueError(f'the outcome has an unknown field "{name}{lost}"')


def _lost(told: JSON, read: JSON) -> Iterator[str]:
    """Where plain data has what is not in it any more once it was read."""
    if told == read:
        return
    if isinstance(told, Mapping) and isinstance(read, Mapping):
        for name, each in told.items():
            if name in read:
                yield from (f".{name}{lost}" for lost in _lost(each, read[name]))
            else:
                yield f".{name}"
    elif isinstance(told, list) and isinstance(read, list | tuple):
        for index, each in enumerate(told):
            yield from (f"[{index}]{lost}" for lost in _lost(each, read[index]))


def failure_of(outcome: Mapping[str, JSON]) -> Failure | None:
    """The failure that came of a call, if one did."""
    return _failure(outcome) if "failure" in outcome else None


def _failure(outcome: Mapping[str, JSON]) -> Failure:
    return codec.convert(outcome["failure"], Failure)


def _brief(value: Mapping[str, JSON]) -> dict[str, JSON]:
    """Without what is unknown anyhow."""
    return {name: each for name, each in value.items() if each is not None and (each != {} or name not in ("usage", "details"))}


def _mended(text: str) -> str:
    return str(text).encode("utf-8", "replace").decode()
