"""What is said to Saiku and what it answers: questions and queries to its JSON, and its envelopes to replies and rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from vivavoce.core.reply import JSON, Message, Object, Reply

OFF_TOPIC = "OFF_TOPIC:"
"""How the reason of a refusal begins; any other reason tells of a failure."""
CUBE = ("connectionName", "catalog", "schema", "cubeName")
"""The parts of a cube's name, in their order."""
_ROLES = ("user", "assistant")
_BUSY = "RATE_LIMITED"


class Degraded(ValueError):
    """The service answered that it could not answer."""


class Failed(ValueError):
    """The service understood the question, and the query that it made of it failed."""

    def __init__(self, message: str, status: str = "") -> None:
        super().__init__(message)
        self.busy = status == _BUSY
        """Whether the same query may do later."""


def cube(named: JSON) -> Object | None:
    """A cube as the service names it, from its four parts, from `a/b/c/d`, or from an object that holds either as `cube`."""
    if isinstance(named, Mapping):
        if "cube" in named:
            return cube(named["cube"])
        return named if named.get("cubeName") else None
    parts = named.split("/") if isinstance(named, str) else []
    return dict(zip(CUBE, parts, strict=True)) if len(parts) == len(CUBE) and all(parts) else None


def question(said: JSON, about: Object | None, history: Sequence[Message]) -> dict[str, JSON]:
    """The body of a question. The service knows of users and assistants alone, so nobody else's words are passed on."""
    body: dict[str, JSON] = {"question": _text(said)}
    if about is not None:
        body["cube"] = about
    known = [each for each in history if each.role in _ROLES and each.content is not None]
    told = [{"role": each.role, "content": _text(each.content)} for each in known]
    return {**body, "history": told} if told else body


def reply(envelope: JSON) -> Reply:
    """What an answer says. The service tells all there is, so an answer of another kind than a query is known to have no rows.

    Raises:
        Degraded: it says that there is no answer; a refusal is one.
        Failed: its query failed.
        ValueError: it is no answer.
    """
    if not isinstance(envelope, Mapping):
        raise ValueError("with what is no JSON object")
    if envelope.get("degraded"):
        reason = envelope.get("reason")
        if isinstance(reason, str) and reason.lstrip().startswith(OFF_TOPIC):
            why = reason.lstrip().removeprefix(OFF_TOPIC).strip()
            return _told(envelope, "REFUSED", text=why, refusal=why)
        raise Degraded(reason if isinstance(reason, str) and reason.strip() else "no reason is given")
    if envelope.get("insight") is not None:
        said = _part(envelope, "insight", "markdown")
        if said is None:
            raise ValueError("with an insight that has no `markdown`")
        return _told(envelope, "INSIGHT", text=said, insight=said)
    if envelope.get("viewChange") is not None:
        return _told(envelope, "VIEW_CHANGE", text=_part(envelope, "viewChange", "reason"))
    if envelope.get("response") is not None:
        return _told(envelope, "QUERY", found=rows(envelope["response"]))
    if envelope.get("emailDraft") is not None:
        raise Degraded("it drafted an e-mail, which is neither a query nor an insight, a change of view or a refusal")
    raise ValueError(
        "with neither a response, an insight, a change of view nor a refusal: " + ", ".join(envelope or ["nothing"])
    )


def rows(response: JSON) -> tuple[Object, ...]:
    """The rows of a query's response, cells unwrapped: the number, or the text where there is none.

    Raises:
        Failed: the query failed.
        ValueError: it is no such response.
    """
    if not isinstance(response, Mapping) or not isinstance(response.get("status"), str):
        raise ValueError("with a response that has no `status`")
    status = response["status"]
    if status != "SUCCESS":
        raise Failed(_why(response), status)
    data = response.get("data")
    if data is None and response.get("totalRows") == 0:
        return ()
    if not isinstance(data, list) or not all(isinstance(row, Mapping) for row in data):
        raise ValueError("with a response whose `data` is no list of rows")
    if not data and response.get("matrix"):
        raise ValueError("with a matrix; only records can be read")
    return tuple({name: _cell(value) for name, value in row.items()} for row in data)


def failure(body: str) -> Degraded | Failed | None:
    """What the body of a refused request says, when it is in the service's own words."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, Mapping):
        return None
    if said.get("degraded") and isinstance(said.get("reason"), str):
        return Degraded(said["reason"])
    status = said.get("status")
    return Failed(_why(said), status) if isinstance(status, str) and isinstance(said.get("error"), str) else None


def _told(
    envelope: Object,
    intent: str,
    *,
    text: str | None = None,
    found: tuple[Object, ...] = (),
    refusal: str | None = None,
    insight: str | None = None,
) -> Reply:
    raw = {name: value for name, value in envelope.items() if value is not None}
    if isinstance(raw.get("response"), Mapping):
        # The rows are told already, and may be many.
        raw["response"] = {name: value for name, value in raw["response"].items() if name not in ("data", "matrix")}
    return Reply(text=text, rows=found, intent=intent, refusal=refusal, insight=insight, raw=raw)


def _part(envelope: Object, name: str, key: str) -> str | None:
    """The text that a part of an answer holds, if it holds one."""
    part = envelope[name]
    said = part.get(key) if isinstance(part, Mapping) else None
    if said is not None and not isinstance(said, str):
        raise ValueError(f"with `{name}.{key}` that is no text")
    return said


def _cell(value: JSON) -> JSON:
    if not isinstance(value, Mapping):
        return value
    number = value.get("value")
    return value.get("formatted", "") if number is None else number


def _why(response: Object) -> str:
    return f"{response['status']}: " + "; ".join(_parts(response))


def _parts(response: Object) -> Iterator[str]:
    error, field, available = (response.get(key) for key in ("error", "field", "available"))
    yield error if isinstance(error, str) and error else "no error is given"
    if isinstance(field, str) and field:
        yield f"it is about {field}"
    if isinstance(available, list) and available:
        yield "there are " + ", ".join(map(str, available[:10])) + (" and others" if len(available) > 10 else "")


def _text(said: JSON) -> str:
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
