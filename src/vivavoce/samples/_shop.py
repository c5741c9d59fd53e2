"""What the agent says about the shop: tools called for what was asked, and their results put into words."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from vivavoce.core.reply import Object
from vivavoce.samples._intent import Asked
from vivavoce.samples._tools import Tools


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """An answer, and the table it stands on where there is one."""

    text: str
    rows: tuple[Object, ...] | None = None


_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_STATES: Mapping[str, str] = MappingProxyType(
    {
        "placed": "is placed and should arrive on {due}",
        "packed": "is packed and should arrive on {due}",
        "shipped": "is on its way with {carrier} and should arrive on {due}",
        "delivered": "was delivered on {due}",
        "returned": "was returned",
        "cancelled": "was cancelled",
    }
)


def greet(asked: Asked, tools: Tools) -> Said:
    """Hello."""
    return Said(text="Hello! This is the help desk of Hollin & Wake. What can I do for you?")


def thank(asked: Asked, tools: Tools) -> Said:
    """You are welcome."""
    return Said(text="You are welcome. Have a good walk!")


def introduce(asked: Asked, tools: Tools) -> Said:
    """What the agent is and does."""
    return Said(
        text="I am an automatic assistant. I can look up orders, prices and stock, count sales, open tickets, "
        "and answer questions from our handbook."
    )


def ask_order(asked: Asked, tools: Tools) -> Said:
    """An order is meant, but which?"""
    return Said(text="Which order do you mean? Its number begins with HW and stands at the top of the confirmation mail.")


def tell_order(asked: Asked, tools: Tools) -> Said:
    """Where an order is."""
    order = tools.call(tools.look_up_order, number=asked.order)
    if order is None:
        return _no_order(asked)
    state = _STATES[order["state"]].format(due=_day(order["due"]), carrier=order["carrier"])
    return Said(text=f"Order {order['number']} {state}.")


def tell_lines(asked: Asked, tools: Tools) -> Said:
    """What an order holds."""
    order = tools.call(tools.look_up_order, number=asked.order)
    if order is None:
        return _no_order(asked)
    lines = [f"{line['quantity']} {_plural(line['product'], line['quantity'])} in {line['colour']}" for line in order["lines"]]
    return Said(text=f"Order {order['number']} holds {_and(lines)}.", rows=tuple(order["lines"]))


def tell_total(asked: Asked, tools: Tools) -> Said:
    """What an order cost."""
    order = tools.call(tools.look_up_order, number=asked.order)
    return _no_order(asked) if order is None else Said(text=f"Order {order['number']} comes to {_euros(order['cents'])}.")


def tell_price(asked: Asked, tools: Tools) -> Said:
    """What a product, or several of it, costs."""
    found = tools.call(tools.find_product, name=asked.product, colour=asked.colour)
    if not found:
        return _no_colour(asked)
    if asked.quantity > 1:
        quote = tools.call(tools.quote, sku=found[0]["sku"], quantity=asked.quantity)
        return Said(text=f"{asked.quantity} {_plural(found[0]['name'], asked.quantity)} cost {_euros(quote['cents'])}.")
    prices = dict.fromkeys(each["cents"] for each in found)
    if asked.colour:
        return Said(text=f"The {asked.product} in {asked.colour} costs {_euros(found[0]['cents'])}.")
    if len(prices) == 1:
        return Said(text=f"The {asked.product} costs {_euros(found[0]['cents'])}.")
    parts = [f"{_euros(price)} in {_and([each['colour'] for each in found if each['cents'] == price])}" for price in prices]
    return Said(text=f"The {asked.product} costs {_and(parts)}.")


def tell_stock(asked: Asked, tools: Tools) -> Said:
    """How many of a product there are."""
    found = tools.call(tools.find_product, name=asked.product, colour=asked.colour)
    if not found:
        return _no_colour(asked)
    sentences = []
    for each in found:
        stock = tools.call(tools.check_stock, sku=each["sku"])
        what = f"the {each['name']} in {each['colour']}"
        if stock["on_hand"]:
            sentences.append(f"We have {stock['on_hand']} of {what}.")
        else:
            more = f"; more come on {_day(stock['more_on'])}" if stock["more_on"] else ", and no more are on order"
            sentences.append(f"{what[0].upper()}{what[1:]} is sold out{more}.")
    return Said(text=" ".join(sentences))


def tell_colours(asked: Asked, tools: Tools) -> Said:
    """Which colours a product comes in."""
    found = tools.call(tools.find_product, name=asked.product, colour=None)
    return Said(text=f"The {asked.product} comes in {_and([each['colour'] for each in found])}.")


def tell_sales(asked: Asked, tools: Tools) -> Said:
    """How much was sold."""
    sold = tools.call(tools.count_sales, name=asked.product, month=asked.month)
    what = _plural(asked.product, sold["units"]) if asked.product else "items"
    when = f" in {_month(asked.month)}" if asked.month else ""
    row = {
        "product": asked.product or "all",
        "month": asked.month or "all",
        "units": sold["units"],
        "euros": sold["cents"] / 100,
    }
    return Said(text=f"We sold {sold['units']} {what}{when}, for {_euros(sold['cents'])}.", rows=(row,))


def tell_best(asked: Asked, tools: Tools) -> Said:
    """What sold best."""
    rows = tools.call(tools.rank_sales, limit=asked.limit, month=asked.month)
    when = f" in {_month(asked.month)}" if asked.month else ""
    if not rows:
        return Said(text=f"Nothing was sold{when}.", rows=())
    ranked = [f"{_plural(row['product'], row['units'])} ({row['units']})" for row in rows]
    return Said(text=f"What sold best{when}: {_and(ranked)}.", rows=tuple(rows))


def ask_subject(asked: Asked, tools: Tools) -> Said:
    """A ticket is wanted, but about what?"""
    return Said(text="Gladly. What shall the ticket say?")


def write_ticket(asked: Asked, tools: Tools) -> Said:
    """Open a ticket."""
    ticket = tools.call(tools.open_ticket, subject=asked.text, order=asked.order)
    order = f" about order {ticket['order']}" if ticket["order"] else ""
    return Said(
        text=f'I opened ticket {ticket["ticket"]}{order}: "{ticket["subject"]}". A person will answer within 2 working days.'
    )


def tell_ticket(asked: Asked, tools: Tools) -> Said:
    """How a ticket stands."""
    ticket = tools.call(tools.look_up_ticket, ticket=asked.ticket)
    if ticket is None:
        return Said(text=f"I find no ticket {asked.ticket}.")
    return Said(text=f'Ticket {ticket["ticket"]}, "{ticket["subject"]}", is {ticket["state"]}.')


def _no_order(asked: Asked) -> Said:
    return Said(text=f"I find no order {asked.order}. Please check the number; it stands at the top of the confirmation mail.")


def _no_colour(asked: Asked) -> Said:
    return Said(text=f"The {asked.product} does not come in {asked.colour}.")


def _euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02} euros"


def _day(iso: str | None) -> str:
    if iso is None:
        return "a day not yet known"
    day = datetime.date.fromisoformat(iso)
    return f"{day.day} {_month(iso)}"


def _month(iso: str | None) -> str:
    # Not strftime: its month names follow the machine's language.
    year, month = (iso or "").split("-")[:2]
    return f"{_MONTHS[int(month) - 1]} {year}"


def _plural(name: str | None, count: int) -> str:
    return f"{name}" if count == 1 else f"{name}s"


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
