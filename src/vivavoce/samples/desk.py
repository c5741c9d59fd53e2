"""The sample agent: the help desk of Hollin & Wake, an invented outfitter for slow walks.

It answers from a small handbook and from the shop's books, by rules, without any model, so it needs no key and says the
same each time. `answer` is the agent as one Python function, `Desk` as a class whose instances hold one conversation;
`serve` and `stdio` put `Desks`, many conversations, behind HTTP and behind standard input and output.

Like any agent, it gets things wrong. Its known weaknesses, each found by a case of `suites/desk.json`:

1. Names: of products whose names share a word it takes the first, so the Firefly Mini lantern is a Firefly lantern to it.
2. Rules: it multiplies prices, and forgets that three or more of a product cost 10 percent less.
3. Negation: "not" and "cannot" mean nothing to it.
4. Age: it does not see that a handbook page has been superseded, and quotes the Sunday hours of 2023.
5. Patience: of two questions in one message it answers one.
6. Eagerness: where it hears the name of a product, it tells the price and may never open the handbook.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from vivavoce.core.reply import JSON, Citation, Reply
from vivavoce.samples import _shop
from vivavoce.samples._books import open_books
from vivavoce.samples._intent import Asked, Memory, understand
from vivavoce.samples._retrieve import search
from vivavoce.samples._tools import Tools

LONGEST = 2000
"""Characters of a message that are read."""
DECLINED = "I am the help desk of Hollin & Wake. I can help with orders, products, deliveries, and what our handbook says."
UNCLEAR = "I do not know yet what you mean. Could you name the order, the product or the topic?"
_KEYS = ("text", "message", "prompt", "query", "question")


class BadRequest(ValueError):
    """A request that is not as agents are spoken to."""


def answer(request: JSON) -> dict[str, JSON]:
    """The agent as one function. It keeps nothing between calls: earlier turns come with the request.

    Raises:
        BadRequest: the request has no text in its `input`.
    """
    return Desk().send(request)


class Desk:
    """One conversation."""

    def __init__(self) -> None:
        self._books = open_books()
        self._memory = Memory()
        self._spoken = False
        self._colours = self._column("colour")
        self.products = self._column("name")
        """Names of all products, in the order in which they are tried on a message."""

    def send(self, request: JSON) -> dict[str, JSON]:
        """Answer a request: `{"input": ..., "history": [...]}`, further keys as the protocol has them.

        A conversation that is new here and comes with a history is caught up with first.

        Raises:
            BadRequest: the request has no text in its `input`.
        """
        text, earlier = _read(request)
        if not self._spoken:
            for said in earlier:
                self.reply(said)
        return written(self.reply(text))

    def reply(self, text: str) -> Reply:
        """Answer a message. This is the agent; everything else here is how it is reached."""
        self._spoken = True
        tools = Tools(self._books)
        if len(text) > LONGEST:
            said: _shop.Said = _shop.Said(text="That is more than I can read at once. Please ask in a sentence or two.")
        elif not text.strip():
            said = _shop.Said(text="I did not hear a question. What would you like to know?")
        else:
            asked = understand(text, self._memory, self.product_in(text), self._colours)
            if asked.kind == "handbook":
                return self._quote(asked)
            said = _HANDLERS[asked.kind](asked, tools)
            self._remember(asked)
        return Reply(text=said.text, tool_calls=tuple(tools.calls), citations=(), retrievals=(), rows=said.rows)

    def product_in(self, text: str) -> str | None:
        """The product a message names: the first of which it has any word."""
        said = set(re.findall(r"\w+", text.casefold()))
        for name in self.products:
            if any({word, f"{word}s"} & said for word in name.casefold().split()):
                return name
        return None

    def _quote(self, asked: Asked) -> Reply:
        found = search(self._books, asked.text, asked.topic)
        if not found.terms:
            self._remember(replace(asked, topic=""))
            return Reply(text=UNCLEAR, tool_calls=(), citations=(), retrievals=())
        if not found.passages:
            self._remember(replace(asked, topic=""))
            return Reply(text=DECLINED, tool_calls=(), citations=(), retrievals=(found.execution,), refusal="off topic")
        self._remember(replace(asked, topic=found.passages[0].section.title))
        return Reply(
            text=" ".join(f"{passage.text} [{number}]" for number, passage in enumerate(found.passages, 1)),
            tool_calls=(),
            citations=tuple(
                Citation(index=number, text=passage.section.title, source=passage.section.url)
                for number, passage in enumerate(found.passages, 1)
            ),
            retrievals=(found.execution,),
        )

    def _remember(self, asked: Asked) -> None:
        if asked.kind in ("greeting", "thanks", "about"):
            return
        self._memory = Memory(
            kind=asked.kind,
            order=asked.order or self._memory.order,
            product=asked.product or self._memory.product,
            colour=asked.colour if asked.product else self._memory.colour,
            month=asked.month or self._memory.month,
            topic=asked.topic,
        )

    def _column(self, name: str) -> tuple[str, ...]:
        rows = self._books.execute(f"SELECT {name} FROM products GROUP BY {name} ORDER BY min(rowid)")
        return tuple(row[0] for row in rows)


class Desks:
    """Many conversations, told apart by `session_id`; the one that has been silent longest makes room for a new one."""

    def __init__(self, limit: int = 1000) -> None:
        self._limit = limit
        self._desks: OrderedDict[str, Desk] = OrderedDict()

    def __len__(self) -> int:
        return len(self._desks)

    def send(self, request: JSON) -> dict[str, JSON]:
        """Answer a request in its conversation; without a `session_id` it is one of its own.

        Raises:
            BadRequest: the request is not as agents are spoken to.
        """
        if not isinstance(request, Mapping):
            raise BadRequest("a request is a JSON object with an `input`")
        session = request.get("session_id")
        if session is None:
            return answer(request)
        if not isinstance(session, str):
            raise BadRequest("`session_id` is text")
        desk = self._desks.pop(session, None) or Desk()
        reply = desk.send(request)
        self._desks[session] = desk
        if len(self._desks) > self._limit:
            self._desks.popitem(last=False)
        return reply


def parse(body: bytes) -> JSON:
    """A request out of its JSON.

    Raises:
        BadRequest: it is none.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"a request is JSON, and this is not: {error}") from error


def written(reply: Reply) -> dict[str, JSON]:
    """A reply as the protocol's answer; what the agent has no word on is left out."""
    told: dict[str, JSON] = {
        "text": reply.text,
        "tool_calls": [
            {"name": call.name, "arguments": call.arguments, "result": call.result, "error": call.error}
            for call in reply.tool_calls or ()
        ],
        "citations": [{"index": each.index, "text": each.text, "source": each.source} for each in reply.citations or ()],
        "retrievals": list(reply.retrievals or ()),
    }
    if reply.rows is not None:
        told["rows"] = list(reply.rows)
    if reply.refusal is not None:
        told["refusal"] = reply.refusal
    return told


def _read(request: JSON) -> tuple[str, Iterable[str]]:
    """What is said now, and what was said before."""
    if not isinstance(request, Mapping):
        raise BadRequest("a request is a JSON object with an `input`")
    history = request.get("history") or ()
    if not isinstance(history, list | tuple) or not all(isinstance(each, Mapping) for each in history):
        raise BadRequest("`history` is a list of messages")
    earlier = [_text(each.get("content")) for each in history if each.get("role") == "user"]
    return _text(request.get("input")), earlier


def _text(said: JSON) -> str:
    if isinstance(said, str):
        # Half a surrogate pair is legal in JSON, and nowhere else.
        return said.encode("utf-8", "replace").decode()
    found = [said[key] for key in _KEYS if isinstance(said.get(key), str)] if isinstance(said, Mapping) else []
    if not found:
        raise BadRequest(f"`input` is text, or an object with text under one of: {', '.join(_KEYS)}")
    return _text(found[0])


_HANDLERS: Mapping[str, Callable[[Asked, Tools], _shop.Said]] = MappingProxyType(
    {
        "greeting": _shop.greet,
        "thanks": _shop.thank,
        "about": _shop.introduce,
        "order": _shop.tell_order,
        "order_lines": _shop.tell_lines,
        "order_total": _shop.tell_total,
        "which_order": _shop.ask_order,
        "price": _shop.tell_price,
        "stock": _shop.tell_stock,
        "colours": _shop.tell_colours,
        "sales": _shop.tell_sales,
        "best_sellers": _shop.tell_best,
        "ticket": _shop.write_ticket,
        "ticket_subject": _shop.ask_subject,
        "ticket_state": _shop.tell_ticket,
    }
)
