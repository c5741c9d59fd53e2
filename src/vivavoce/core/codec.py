"""Core types to JSON and back; canonical JSON; tagged digests."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec

from vivavoce.core.model import Case, Header
from vivavoce.core.reply import JSON
from vivavoce.core.result import EvaluatorSummary, GroupSummary, Run, Stability, Summary, Usage

T = TypeVar("T")

FORMAT = "viva.run/1"
"""The format number of the run document."""

_encoder = msgspec.json.Encoder()
_canonical = msgspec.json.Encoder(order="sorted")


def encode(value: object) -> bytes:
    """Any core type, or plain data, as compact JSON in UTF-8. `NaN` and infinities become null."""
    return _encoder.encode(value)


def canonical(value: object) -> bytes:
    """JSON with sorted keys: equal values give equal bytes."""
    return _canonical.encode(value)


def digest(value: object) -> str:
    """What identifies a value by content: `b2:` and 32 hexadecimal digits of BLAKE2b over its canonical JSON."""
    return digest_of(canonical(value))


def digest_of(data: bytes) -> str:
    """The same of bytes as they are."""
    return "b2:" + hashlib.blake2b(data, digest_size=16).hexdigest()


def decode(data: bytes | str, kind: type[T]) -> T:
    """The reverse of `encode`.

    Raises:
        ValueError: it is not JSON, or not of this type; the message has the path.
    """
    value: T = _decoder(kind).decode(data)  # type: ignore[arg-type] # a type is hashable, whatever T is
    return value


def convert(value: object, kind: type[T], *, lax: bool = False) -> T:
    """Plain data as a type, checked.

    Raises:
        ValueError: it does not fit; the message has the path.
    """
    return msgspec.convert(value, kind, strict=not lax)


def plain(value: object) -> JSON:
    """A core type as dicts, lists and scalars."""
    return msgspec.to_builtins(value)


def case_digest(case: Case) -> str:
    """Of a case's inputs and expectations, as far as there are any, for telling whether a case is still the same one."""
    return digest(
        [
            [[turn.input, turn.context, turn.expect] for turn in case.turns],
            case.persona,
            case.history,
            case.expect,
        ]
    )


def head(header: Header) -> dict[str, JSON]:
    """The `plan` of a run document."""
    selection = header.selection
    return {
        "digest": header.digest,
        "target": plain(selection.target),
        "judge": plain(selection.judge),
        "simulator": plain(selection.simulator),
        "repeat": selection.repeat,
        "seed": selection.seed,
        "files": [{"path": file.path, "sha256": file.sha256} for file in (*header.files, *header.traces)],
        "version": header.version,
        "revision": plain(header.revision),
    }


def summary(value: Summary) -> dict[str, JSON]:
    """The `summary` of a run document."""
    document: dict[str, JSON] = {
        "cases": value.cases,
        "trials": value.trials,
        "not_run": value.not_run,
        **_counts(value),
        "pass_rate": value.pass_rate,
        "scored": value.scored,
        "evaluated": value.evaluated,
        "evaluators": {
            name: {**_counts(each), "pass_rate": each.pass_rate, "mean": each.mean, "ci95": each.ci95}
            for name, each in value.evaluators.items()
        },
        "categories": {name: _group(each) for name, each in value.categories.items()},
        "suites": {name: _group(each) for name, each in value.suites.items()},
        "usage": plain(value.usage),
        "seconds": value.seconds,
    }
    if value.stability is not None:
        document["stability"] = plain(value.stability)
    return document


def read_summary(document: Mapping[str, JSON]) -> Summary:
    """The reverse of `summary`."""
    stability = document.get("stability")
    return Summary(
        cases=document["cases"],
        trials=document["trials"],
        not_run=document["not_run"],
        **_read_counts(document),
        pass_rate=document["pass_rate"],
        scored=document["scored"],
        evaluated=document["evaluated"],
        evaluators={
            name: EvaluatorSummary(
                **_read_counts(each),
                pass_rate=each["pass_rate"],
                mean=each["mean"],
                ci95=None if each["ci95"] is None else (each["ci95"][0], each["ci95"][1]),
            )
            for name, each in document["evaluators"].items()
        },
        categories={name: _read_group(each) for name, each in document["categories"].items()},
        suites={name: _read_group(each) for name, each in document["suites"].items()},
        usage=convert(document["usage"], Usage),
        seconds=document["seconds"],
        stability=None if stability is None else convert(stability, Stability),
    )


def run_head(run: Run) -> dict[str, JSON]:
    """A run document without its results."""
    return {
        "format": FORMAT,
        "id": run.id,
        "started": run.started,
        "finished": run.finished,
        "state": run.state,
        "plan": head(run.header),
        "summary": summary(run.summary),
    }


def document(run: Run) -> dict[str, JSON]:
    """A whole run document, as Python's own types."""
    return {**run_head(run), "results": [plain(result) for result in run.results]}


def _counts(value: Summary | EvaluatorSummary | GroupSummary) -> dict[str, int]:
    return {"pass": value.passed, "fail": value.failed, "skip": value.skipped, "error": value.errored}


def _read_counts(document: Mapping[str, JSON]) -> dict[str, int]:
    return {
        "passed": document["pass"],
        "failed": document["fail"],
        "skipped": document["skip"],
        "errored": document["error"],
    }


def _group(value: GroupSummary) -> dict[str, JSON]:
    return {"cases": value.cases, **_counts(value), "pass_rate": value.pass_rate}


def _read_group(document: Mapping[str, JSON]) -> GroupSummary:
    return GroupSummary(cases=document["cases"], **_read_counts(document), pass_rate=document["pass_rate"])


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:  # a cache cannot carry the type variable
    return msgspec.json.Decoder(kind)
