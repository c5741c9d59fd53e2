"""The second sample agent: it answers questions about what the shops of Hollin & Wake sold, from a small cube of sales.

It understands by rules, without any model, and counts real rows in an embedded database, so it needs no key and says the same
each time. `Analyst` is the agent as a Python class, spoken to as all agents are; `serve` puts it behind HTTP, where it speaks
as Saiku does, below `/rest/saiku/api/ai`.

Like any agent, it gets things wrong. Its known weaknesses, each found by a case of `suites/sales.eval.yaml`:

1. Negation: "without" and "except" mean nothing to it, and what they leave out is all it counts.
2. Order: asked for the worst, it tells the best.
3. Eagerness: where it hears the name of a place or a product, it counts, whatever was asked about it.
4. Weeks: its sales are kept by month, and asked about weeks it tells of years without saying so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from vivavoce.core.reply import JSON, Object
from vivavoce.samples._cube import counting, saying
from vivavoce.samples._cube.query import Invalid, Query, read, read_cube
from vivavoce.samples._cube.schema import CUBE, open_cube
from vivavoce.samples._cube.understanding import Asked, understand
from vivavoce.samples.desk import BadRequest

MODEL = "sales-rules-1"
"""What stands where services name their model."""
LONGEST = 2000
"""Characters of a question that are read."""


class Analyst:
    """The agent. It keeps nothing between questions: those asked before come with each."""

    def __init__(self) -> None:
        self._cube: sqlite3.Connection = open_cube()

    def send(self, request: JSON) -> dict[str, JSON]:
        """Answer a request of the small protocol: `{"input": ..., "history": [...]}`.

        Raises:
            BadRequest: the request has no text in its `input`.
        """
        asked = self.asked(_part(request, "input"), _questions(request))
        told: dict[str, JSON] = {"intent": INTENTS[asked.kind], "rows": []}
        if asked.query is None:
            return {**told, "text": saying.off_topic(), "refusal": saying.off_topic()}
        if asked.kind == "view_change":
            return {**told, "text": _reason(asked)}
        if asked.kind == "insight":
            said = saying.insight(self._cube, asked.query)
            return {**told, "text": said, "insight": said}
        found = counting.rows(self._cube, asked.query)
        return {**told, "text": saying.summary(asked.query, len(found)), "rows": found}

    def ask(self, request: JSON, model: str = MODEL) -> dict[str, JSON]:
        """Answer a question as the service does: `{"question", "cube", "history", "forceTool"}`.

        Raises:
            BadRequest: there is no question, or no cube.
        """
        if not isinstance(request, Mapping) or not request.get("cube"):
            raise BadRequest("`cube` names the cube that the question is about")
        try:
            read_cube(request["cube"])
        except Invalid as error:
            return {"degraded": False, "model": model, "response": counting.refusal(error)}
        asked = self.asked(_part(request, "question"), _questions(request), str(request.get("forceTool") or ""))
        if asked.query is None:
            return {"degraded": True, "model": model, "reason": f"OFF_TOPIC: {saying.off_topic()}"}
        told: dict[str, JSON] = {"degraded": False, "model": model}
        if asked.kind == "view_change":
            return {**told, "viewChange": {"viewMode": asked.view, "reason": _reason(asked)}}
        if asked.kind == "insight":
            return {**told, "insight": {"markdown": saying.insight(self._cube, asked.query)}}
        return {
            **told,
            "request": asked.query.told(),
            "response": counting.response(self._cube, asked.query),
            "generatedMdx": counting.mdx(asked.query),
        }

    def count(self, query: JSON) -> dict[str, JSON]:
        """Carry out a query, without any question.

        Raises:
            Invalid: it cannot be meant.
        """
        return counting.response(self._cube, read(query))

    def rows(self, query: JSON) -> Sequence[Object]:
        """What comes of a query, as rows; it need not name the cube.

        Raises:
            Invalid: it cannot be meant.
        """
        return counting.rows(self._cube, read({"cube": dict(CUBE), **query} if isinstance(query, Mapping) else query))

    def asked(self, question: str, earlier: Sequence[str], force: str = "") -> Asked:
        """What a question asks for."""
        if len(question) > LONGEST:
            raise BadRequest(f"a question has at most {LONGEST} characters")
        if not question.strip():
            raise BadRequest("the question is blank")
        return understand(question, [each[:LONGEST] for each in earlier], force)


INTENTS: Mapping[str, str] = MappingProxyType(
    {"query": "QUERY", "insight": "INSIGHT", "view_change": "VIEW_CHANGE", "off_topic": "REFUSED"}
)
"""What each kind of question is called."""


def preview(query: JSON) -> dict[str, JSON]:
    """What a query would be, without carrying it out.

    Raises:
        Invalid: it cannot be meant.
    """
    meant: Query = read(query)
    return {"status": "PREVIEW", "generatedMdx": counting.mdx(meant)}


def _reason(asked: Asked) -> str:
    return f"Shown as {asked.view}."


def _part(request: JSON, key: str) -> str:
    value = request.get(key) if isinstance(request, Mapping) else None
    if not isinstance(value, str):
        raise BadRequest(f"`{key}` is text")
    # Half a surrogate pair is legal in JSON, and nowhere else.
    return value.encode("utf-8", "replace").decode()


def _questions(request: Object) -> list[str]:
    """What the user said before."""
    history = request.get("history") or ()
    if not isinstance(history, list | tuple) or not all(isinstance(each, Mapping) for each in history):
        raise BadRequest("`history` is a list of messages")
    said = (each.get("content") for each in history if each.get("role") == "user")
    return [each for each in said if isinstance(each, str)]
