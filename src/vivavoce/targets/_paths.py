"""JMESPath into another service's answer: where its text, its tool calls and the rest of it are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from vivavoce.core.errors import CallError
from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.net.failures import bad_payload, excerpt
from vivavoce.targets import _answer

if TYPE_CHECKING:
    from jmespath.parser import ParsedResult


@dataclass(frozen=True, kw_only=True)
class Placed:
    """The options of a target that is told where in an answer each part of it is."""

    text: str | None = None
    """JMESPath to the text of an answer; in a stream, to the part of the text in each event."""
    tool_calls: str | None = None
    """JMESPath to the tool calls: a list of `{name, arguments, result, error}`, or of names."""
    citations: str | None = None
    """JMESPath to the citations: a list of `{index, text, source}`, or of sources."""
    retrievals: str | None = None
    """JMESPath to the searches the agent made."""
    rows: str | None = None
    """JMESPath to the rows of a table: a list of objects."""
    intent: str | None = None
    """JMESPath to the intent that the agent recognised."""
    refusal: str | None = None
    """JMESPath to the reason of a refusal."""
    insight: str | None = None
    """JMESPath to the insight that accompanies rows."""
    usage: str | None = None
    """JMESPath to an object with `input_tokens`, `output_tokens`, `cost_usd`."""

    @property
    def _placed(self) -> dict[str, str]:
        """The paths that are given, by the key of the answer that each leads to."""
        return {each.name: path for each in fields(Placed) if (path := getattr(self, each.name)) is not None}


class Paths:
    """Paths by the key of an answer that each leads to, and of `session_id`."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given
        self._compiled = {name: _compile(name, path) for name, path in given.items()}
        self._session = self._compiled.pop("session_id", None)
        self.has_text = "text" in given
        """Whether answers are in another service's words altogether."""

    def reply(self, answer: JSON) -> Reply:
        """An answer as a reply.

        With a path for the text, only what paths lead to is known and the whole answer is kept as `raw`; without, the answer
        is one of the protocol, and paths replace single keys of it.

        Raises:
            CallError: it is a `bad_payload`.
        """
        if not self._compiled:
            return _answer.read(self.known(answer))
        found = self.find(answer)
        if not self.has_text:
            known = self.known(answer)
            known = known if isinstance(known, Mapping) else {"text": known}
            return _answer.read({**known, **found})
        return replace(self.read_found(found, [answer]), raw=answer)

    def known(self, answer: JSON) -> JSON:
        """An answer, without a path for the text, in the words of the protocol."""
        return answer

    def find(self, answer: JSON) -> dict[str, JSON]:
        """What each path leads to, `None` where it leads nowhere."""
        found = {name: self._search(name, path, answer) for name, path in self._compiled.items()}
        if isinstance(found.get("tool_calls"), list):
            found["tool_calls"] = [_with_arguments(call) for call in found["tool_calls"]]
        return found

    def read_found(self, found: Object, answers: Iterable[JSON]) -> Reply:
        """What was found as a reply; says which path led nowhere if nothing was."""
        if all(value is None for name, value in found.items() if name != "usage"):
            shown = excerpt(" ".join(_shown(answer) for answer in answers))
            raise bad_payload(f"the path of `text`, {self._given['text']}, leads to nothing in the answer: {shown}")
        text = found.get("text")
        if text is not None and not isinstance(text, str):
            raise bad_payload(
                f"the path of `text`, {self._given['text']}, leads to what is no text: {excerpt(_shown(text))}; "
                "`to_string(...)` or `join('', ...)` in the path may make it one"
            )
        return _answer.read(found)

    def session(self, answer: JSON) -> JSON:
        """The session id that an answer gives, if there is a path to it and it leads anywhere."""
        return None if self._session is None else self._search("session_id", self._session, answer)

    def _search(self, name: str, path: ParsedResult, answer: JSON) -> JSON:
        from jmespath.exceptions import JMESPathError

        try:
            return path.search(answer)
        except JMESPathError as error:
            message = f"the path of `{name}`, {self._given[name]}, does not fit the answer: {excerpt(str(error))}"
            raise bad_payload(message) from None


def _compile(name: str, path: str) -> ParsedResult:
    import jmespath
    from jmespath.exceptions import JMESPathError

    try:
        return jmespath.compile(path)
    except JMESPathError as error:
        raise ValueError(f"{name} is no JMESPath: {excerpt(str(error))}") from None


def _with_arguments(call: JSON) -> JSON:
    """A tool call whose arguments are an object, also where the service writes that object as text, or nests what it called."""
    inner = call.get("function") if isinstance(call, Mapping) and "name" not in call else None
    if isinstance(inner, Mapping):
        call = {**call, **inner}
    text = call.get("arguments") if isinstance(call, Mapping) else None
    if not isinstance(text, str) or not text.lstrip().startswith("{"):
        return call
    try:
        return {**call, "arguments": _answer.decode(text.encode())}
    except CallError:
        return call


def _shown(value: JSON) -> str:
    from vivavoce.core import codec

    return value if isinstance(value, str) else codec.encode(value).decode()
