"""The A2A protocol, versions 0.3 and 1.0: what is said as JSON-RPC, and all that an agent sends back as one thing heard."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from vivavoce.core.reply import JSON, Object, ToolCall
from vivavoce.wire import a2a_calls

Version = Literal["0.3", "1.0"]
Act = Literal["send", "stream", "get"]

VERSION_HEADER = "A2A-Version"
"""Says which version a request is of; without it, it is 0.3."""
_METHODS: Mapping[Version, Mapping[Act, str]] = MappingProxyType(
    {
        "0.3": {"send": "message/send", "stream": "message/stream", "get": "tasks/get"},
        "1.0": {"send": "SendMessage", "stream": "SendStreamingMessage", "get": "GetTask"},
    }
)
_KINDS = MappingProxyType(
    {
        "task": "task",
        "message": "message",
        "statusUpdate": "status",
        "status-update": "status",
        "artifactUpdate": "artifact",
        "artifact-update": "artifact",
    }
)
"""What may be sent, as 1.0 names it by a key around it and 0.3 by its `kind`."""
_AGENT = frozenset(("agent", "ROLE_AGENT"))
WORKING = frozenset({"submitted", "working"})
"""States of a task that has not come to an end, nor to a question."""


def call(version: Version, act: Act, params: Object, number: str) -> dict[str, JSON]:
    """A request in JSON-RPC."""
    return {"jsonrpc": "2.0", "id": number, "method": _METHODS[version][act], "params": params}


def message(
    version: Version, said: JSON, number: str, *, context: str | None, task: str | None, metadata: Object
) -> dict[str, JSON]:
    """What is said, as a message of a user: text as text, an object as data, anything else as its JSON text."""
    data = isinstance(said, Mapping)
    part: dict[str, JSON] = {"data": said} if data else {"text": said if isinstance(said, str) else _written(said)}
    made: dict[str, JSON] = {"messageId": number, "role": "ROLE_USER", "parts": [part]}
    if version == "0.3":
        made |= {"kind": "message", "role": "user"}
        part["kind"] = "data" if data else "text"
    elif data:
        part["mediaType"] = "application/json"
    made |= {"contextId": context} if context else {}
    made |= {"taskId": task} if task else {}
    return made | ({"metadata": dict(metadata)} if metadata else {})


def waiting(version: Version) -> dict[str, JSON]:
    """The configuration of a message whose answer is waited for; by 1.0 it always is."""
    return {"configuration": {"blocking": True}} if version == "0.3" else {}


class Heard:
    """What an agent has sent in answer to one message, in one piece or in many."""

    def __init__(self) -> None:
        self.task: str | None = None
        self.context: str | None = None
        self.state: str | None = None
        """As 0.3 writes it, such as `input-required`; `None` when the agent answers without a task."""
        self.artifacts: list[dict[str, JSON]] = []
        self.metadata: dict[str, JSON] = {}
        """Of the task, its events and its messages, the latest of a name."""
        self._spoken: list[Object] = []
        self._told: list[Object] = []
        self._on_the_way: list[Object] = []
        self._begun = False

    @property
    def waits(self) -> bool:
        """Whether there is more to come."""
        return not self._begun or self.state in WORKING

    def take(self, result: JSON) -> None:
        """Take in a task, a message, or an event.

        Raises:
            ValueError: it is none of these; the message completes "answered ...".
        """
        kind, told = _unwrapped(result)
        self._begun = self._begun or kind in ("task", "message", "status")
        self.context = _text(told.get("contextId")) or self.context
        self.task = _text(told.get("id" if kind == "task" else "taskId")) or self.task
        self._keep(told.get("metadata"))
        if kind == "message":
            self._spoken += _parts(told)
            self._on_the_way += _parts(told)
        elif kind == "artifact":
            self._add(told.get("artifact"), append=told.get("append") is True)
        else:
            self._status(told.get("status"))
        if kind == "task" and isinstance(told.get("history"), list):
            mine = [each for each in told["history"] if isinstance(each, Mapping) and each.get("role") in _AGENT]
            self._on_the_way = [*(part for each in mine for part in _parts(each)), *self._told]
        if kind == "task" and isinstance(told.get("artifacts"), list):
            self.artifacts = []
            for artifact in told["artifacts"]:
                self._add(artifact, append=False)

    def calls(self) -> tuple[ToolCall, ...] | None:
        """The tools it tells of, in messages on the way and in artifacts; `None` when it does not speak of any."""
        return a2a_calls.calls([*self._on_the_way, *(part for each in self.artifacts for part in _parts(each))])

    def text(self, artifacts: Iterable[Object] | None = None) -> str | None:
        """What it says: by a message, else by artifacts (all, unless some are given), else by the status of its task.

        Parts of one artifact belong together without a break, since an agent may send it in pieces. What is no text is told
        as JSON where there is none. A question that the task waits on stands last.
        """
        said = [self._spoken, *(_parts(each) for each in (self.artifacts if artifacts is None else artifacts))]
        answer = _read_out(said)
        if answer is None or self.state == "input-required":
            asked = _read_out([self._told])
            answer = asked if not answer else f"{answer}\n\n{asked}" if asked else answer
        return answer

    def raw(self, told: Iterable[Object] | None = None) -> dict[str, JSON]:
        """All but plain text that is told already (of all artifacts, unless some are given), for the record."""
        known = self.artifacts if told is None else list(told)
        more = [each for each in self.artifacts if each not in known or each.get("metadata") or _has_more(each)]
        parts = [dict(part) for part in (*self._spoken, *self._told) if "text" not in part]
        found = {"state": self.state, "task": self.task, "context": self.context, "artifacts": more, "parts": parts}
        return {key: each for key, each in {**found, "metadata": self.metadata}.items() if each}

    def status_text(self) -> str:
        """What the task says of its state."""
        return _joined(self._told) or ""

    def _status(self, status: JSON) -> None:
        if not isinstance(status, Mapping) or not isinstance(status.get("state"), str):
            raise ValueError("a task without a state")
        self.state = status["state"].lower().removeprefix("task_state_").replace("_", "-")
        said = status.get("message")
        self._told = _parts(said)
        self._on_the_way += self._told
        if isinstance(said, Mapping):
            self.context = _text(said.get("contextId")) or self.context
            self._keep(said.get("metadata"))

    def _add(self, given: JSON, *, append: bool) -> None:
        if not isinstance(given, Mapping):
            raise ValueError("an artifact that is no object")
        artifact = {**given, "parts": [dict(part) for part in _parts(given)]}
        number = given.get("artifactId")
        places = [at for at, each in enumerate(self.artifacts) if each.get("artifactId") == number]
        if not places:
            self.artifacts.append(artifact)
        elif append:
            known = self.artifacts[places[-1]]
            known |= {key: each for key, each in artifact.items() if key != "parts"}
            known["parts"] = _merged(known["parts"], artifact["parts"])
        else:
            self.artifacts[places[-1]] = artifact

    def _keep(self, metadata: JSON) -> None:
        if isinstance(metadata, Mapping):
            self.metadata |= metadata


def parts_of(artifact: Object, media: str) -> list[JSON]:
    """The data of an artifact's parts that are of a media type; a part that is text is read as JSON."""
    found = [part for part in _parts(artifact) if media_of(part) == media]
    return [part["data"] if "data" in part else _read(part.get("text")) for part in found]


def media_of(part: Object) -> str | None:
    """The media type of a part; 0.3 has no field for it, so it stands in the part's metadata."""
    metadata = part.get("metadata")
    told = [part, *([metadata] if isinstance(metadata, Mapping) else [])]
    names = ("mediaType", "mimeType", "contentType")
    return next((each[name] for each in told for name in names if isinstance(each.get(name), str)), None)


def _unwrapped(result: JSON) -> tuple[str, Object]:
    """What was sent, and what it is."""
    if not isinstance(result, Mapping):
        raise ValueError("a result that is no object")
    for key, kind in _KINDS.items():
        if isinstance(result.get(key), Mapping):
            return kind, result[key]
    if isinstance(result.get("kind"), str) and result["kind"] in _KINDS:
        return _KINDS[result["kind"]], result
    for key, kind in (("parts", "message"), ("artifact", "artifact"), ("status", "task" if "id" in result else "status")):
        if key in result:
            return kind, result
    raise ValueError(f"neither a task nor a message: {_written(result)}")


def _parts(holder: JSON) -> list[Object]:
    parts = holder.get("parts") if isinstance(holder, Mapping) else None
    return [part for part in (parts if isinstance(parts, list) else ()) if isinstance(part, Mapping)]


def _joined(parts: Iterable[Object]) -> str | None:
    """The text of parts; `None` when there is none among them."""
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return "".join(texts) if texts else None


def _read_out(holders: Iterable[Iterable[Object]]) -> str | None:
    """The texts of several, each by itself; where none has any, their data."""
    found = [list(each) for each in holders]
    texts = [text for text in map(_joined, found) if text is not None]
    if texts:
        return "\n\n".join(filter(None, texts))
    data = [part["data"] for parts in found for part in parts if "data" in part and not a2a_calls.is_step(part)]
    return _written(data[0] if len(data) == 1 else data) if data else None


def _merged(known: list[Object], more: list[Object]) -> list[JSON]:
    """Parts with those of a later piece: text goes on where it stopped."""
    if known and more and set(known[-1]) <= {"text", "kind"} and set(more[0]) <= {"text", "kind"}:
        first = {**known[-1], "text": f"{known[-1].get('text', '')}{more[0].get('text', '')}"}
        return [*known[:-1], first, *more[1:]]
    return [*known, *more]


def _has_more(artifact: Object) -> bool:
    return any("text" not in part for part in _parts(artifact))


def _text(value: JSON) -> str | None:
    return value if isinstance(value, str) and value else None


def _written(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False)


def _read(text: JSON) -> JSON:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
