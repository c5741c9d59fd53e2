"""Understand by rules what a message asks for, given what the conversation was about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Kind = Literal[
    "greeting", "thanks", "about", "order", "order_lines", "order_total", "which_order", "price", "stock", "colours",
    "sales", "best_sellers", "ticket", "ticket_subject", "ticket_state", "handbook",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """What a conversation has been about so far."""

    kind: Kind | None = None
    """What was asked for last."""
    order: str | None = None
    product: str | None = None
    colour: str | None = None
    month: str | None = None
    topic: str = ""
    """Title of the handbook section that was quoted last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A message, understood."""

    kind: Kind
    text: str
    order: str | None = None
    product: str | None = None
    colour: str | None = None
    quantity: int = 1
    month: str | None = None
    limit: int = 3
    ticket: int | None = None
    topic: str = ""


_NUMBERS: Mapping[str, int] = MappingProxyType(
    {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
)
_MONTHS: Mapping[str, str] = MappingProxyType(
    {"january": "2026-01", "february": "2026-02", "march": "2026-03", "april": "2026-04", "may": "2026-05"}
)
_PRODUCT_KINDS = frozenset({"price", "stock", "colours"})
_ORDER_KINDS = frozenset({"order", "order_lines", "order_total", "which_order"})

_ORDER = re.compile(r"\bhw[-\s]?(\d{4})\b", re.IGNORECASE)
_ON_ORDER = re.compile(r",?\s*(?:(?:on|of|for|in)\s+)?(?:my\s+)?(?:order\s+)?\bhw[-\s]?\d{4}\b", re.IGNORECASE)
_TICKET = re.compile(r"\bticket\s+(?:no\.?\s*|number\s*|#)?(\d{1,9})\b", re.IGNORECASE)
_QUANTITY = re.compile(r"\b([0-9]{1,4}|" + "|".join(_NUMBERS) + r")\s+(?:\w+\s+){0,3}\w+s\b", re.IGNORECASE)
_TOP = re.compile(r"\btop\s+([0-9]{1,2}|" + "|".join(_NUMBERS) + r")\b", re.IGNORECASE)


def _any(*words: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(words) + r")\b", re.IGNORECASE)


_GREETING = re.compile(r"(?:hi|hello|hey|good (?:morning|day|afternoon|evening))(?: there)?\W*", re.IGNORECASE)
_THANKS = re.compile(r"(?:many )?(?:thanks|thank you|cheers)(?: (?:a lot|very much|so much))?\W*", re.IGNORECASE)
_ABOUT = _any("who are you", "what can you (?:do|help)", "how can you help", "are you (?:a|an) (?:bot|robot|human|person|ai)")
_SALES = _any("sold", "did (?:we|you) sell", "sales", "revenue", "takings", "turnover")
_BEST = _any("best[- ]?sell\\w*", "top \\w+", "most popular", "sells? (?:best|most)", "sold (?:best|most)")
_POLICY = _any(
    "return\\w*", "refund\\w*", "exchang\\w*", "warranty", "guarantee", "repair\\w*", "mend", "broken", "wash\\w*", "charg\\w*",
    "clean\\w*", "ship\\w*", "deliver(?!ed\\b)\\w*", "discount\\w*", "express", "cancel\\w*", "send it back", "pick[- ]?up",
)  # fmt: skip
_TICKET_WORDS = _any("(?:open|create|raise|file|write|make) (?:me )?(?:a|another|one) (?:support )?ticket", "report a problem")
_PRICE = _any("how much", "prices?", "costs?", "quote")
_STOCK = _any("in stock", "available", "availability", "any left", "sold out", "do you have", "have you got", "how many .*left")
_COLOURS = _any("colou?rs?")
_LINES = _any("what(?:'s| is| was)? in", "contents?", "contain\\w*", "items?", "lines?", "what did .* (?:order|buy)")
_TOTAL = _any("how much", "total", "costs?", "paid")
_ORDER_STATE = _any("where", "when", "status", "state", "arriv\\w*", "carrier", "track\\w*", "who carries", "delivered")
_FOLLOWS = re.compile(r"\s*(?:and|what about|how about|or|but)\b", re.IGNORECASE)
_PRONOUN = _any("it", "its", "it's", "that", "this", "them", "they", "one", "ones", "those")


def understand(text: str, memory: Memory, named: str | None, colours: Sequence[str]) -> Asked:
    """What a message asks for, `named` being the product it names. Of several questions, the first rule that fits takes all."""
    ticket, order = _TICKET.search(text), _ORDER.search(text)
    if memory.kind == "ticket_subject" or _TICKET_WORDS.search(text):
        subject = _subject(text) if memory.kind != "ticket_subject" else text.strip()
        return Asked(
            kind="ticket" if subject else "ticket_subject", text=subject, order=f"HW-{order[1]}" if order else memory.order
        )
    if ticket:
        return Asked(kind="ticket_state", text=text, ticket=int(ticket[1]))
    for kind, pattern in (("greeting", _GREETING), ("thanks", _THANKS)):
        if pattern.fullmatch(text.strip()):
            return Asked(kind=kind, text=text)  # type: ignore[arg-type] # both are kinds; the checker widens the pair to text
    if _ABOUT.search(text):
        return Asked(kind="about", text=text)
    return _sales(text, memory, named) or _order(text, memory, order) or _product(text, memory, named, colours)


def _subject(text: str) -> str:
    """What a ticket shall say: what follows a colon, or `about`, `because`, `that`."""
    match = re.search(r":\s*(.+)|\b(?:about|because|that|for)\s+(.+)", text, re.IGNORECASE | re.DOTALL)
    subject = _ON_ORDER.sub("", match[1] or match[2] or "") if match else ""
    return subject.strip().rstrip(".,")


def _sales(text: str, memory: Memory, named: str | None) -> Asked | None:
    month = next((value for name, value in _MONTHS.items() if re.search(rf"\b{name}\b", text, re.IGNORECASE)), None)
    if _BEST.search(text):
        top = _TOP.search(text)
        return Asked(kind="best_sellers", text=text, month=month, limit=min(10, _number(top[1])) if top else 3)
    if _SALES.search(text) and not _any("sold out", "on sale").search(text):
        return Asked(kind="sales", text=text, product=named, month=month)
    if memory.kind == "sales" and _FOLLOWS.match(text) and (month or named):
        return Asked(kind="sales", text=text, product=named or memory.product, month=month or memory.month)
    return None


def _order(text: str, memory: Memory, order: re.Match[str] | None) -> Asked | None:
    number = f"HW-{order[1]}" if order else None
    about_order = number or (memory.kind in _ORDER_KINDS and (_PRONOUN.search(text) or _FOLLOWS.match(text)))
    if not about_order:
        mine = re.search(r"\bmy (?:order|parcel)\b", text, re.IGNORECASE)
        if not mine or not _ORDER_STATE.search(text):
            return None
    number = number or memory.order
    if not number:
        return Asked(kind="which_order", text=text)
    if _POLICY.search(text):
        return Asked(kind="handbook", text=_ORDER.sub("", text), order=number)
    if _LINES.search(text):
        return Asked(kind="order_lines", text=text, order=number)
    if _TOTAL.search(text):
        return Asked(kind="order_total", text=text, order=number)
    return Asked(kind="order", text=text, order=number) if order or _ORDER_STATE.search(text) else None


def _product(text: str, memory: Memory, named: str | None, colours: Sequence[str]) -> Asked:
    colour = next((each for each in colours if re.search(rf"\b{each}\b", text, re.IGNORECASE)), None)
    follows = memory.kind in _PRODUCT_KINDS and (_PRONOUN.search(text) or _FOLLOWS.match(text))
    product = named or (memory.product if follows else None)
    plain = not any(each.search(text) for each in (_PRICE, _STOCK, _COLOURS))
    further = memory.kind == "handbook" and plain and _FOLLOWS.match(text)
    if product and not _POLICY.search(text) and not further:
        kind: Kind = "price"
        if _COLOURS.search(text):
            kind = "colours"
        elif _STOCK.search(text):
            kind = "stock"
        elif not _PRICE.search(text) and follows and memory.kind:
            kind = memory.kind
        quantity = _QUANTITY.search(text)
        return Asked(
            kind=kind,
            text=text,
            product=product,
            colour=colour or (None if named else memory.colour),
            quantity=_number(quantity[1]) if quantity else 1,
        )
    short = len(text.split()) <= 6 and (_FOLLOWS.match(text) or _PRONOUN.search(text))
    return Asked(kind="handbook", text=text, topic=memory.topic if short and memory.kind == "handbook" else "")


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.casefold()]
