"""The tools the agent has: small questions to the shop's database, each kept as the call it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from vivavoce.core.reply import JSON, Object, ToolCall


class Tools:
    """Tools over one conversation's copy of the books. `calls` is what was called since it was made."""

    def __init__(self, books: sqlite3.Connection) -> None:
        self.calls: list[ToolCall] = []
        self._books = books

    def call(self, tool: Callable[..., JSON], **arguments: JSON) -> JSON:
        """Call one of the tools below, by the method itself, and keep the call."""
        result = tool(**arguments)
        self.calls.append(ToolCall(name=tool.__name__, arguments=arguments, result=result))
        return result

    def look_up_order(self, number: str) -> Object | None:
        """An order with its lines, or nothing. Who ordered stays in the books: anyone may know a number."""
        order = self._one("SELECT number, state, placed, due, carrier FROM orders WHERE number = ?", number)
        if order is None:
            return None
        lines = self._all(
            "SELECT name AS product, colour, quantity, quantity * cents AS cents FROM order_lines JOIN products USING (sku)"
            " WHERE number = ? ORDER BY order_lines.rowid",
            number,
        )
        return {**order, "lines": lines, "cents": sum(line["cents"] for line in lines)}

    def find_product(self, name: str, colour: str | None) -> list[Object]:
        """What is sold under a name, in one colour or all of them."""
        return self._all(
            "SELECT sku, name, colour, cents FROM products WHERE name = ?1 AND (?2 IS NULL OR colour = ?2) ORDER BY rowid",
            name,
            colour,
        )

    def check_stock(self, sku: str) -> Object | None:
        """How many there are, and when more come."""
        return self._one("SELECT sku, on_hand, more_on FROM stock WHERE sku = ?", sku)

    def quote(self, sku: str, quantity: int) -> Object | None:
        """What several of one product cost."""
        # The rule that three or more cost 10 percent less never made it into this tool: see `desk`.
        return self._one("SELECT sku, ?2 AS quantity, cents * ?2 AS cents FROM products WHERE sku = ?1", sku, quantity)

    def count_sales(self, name: str | None, month: str | None) -> Object:
        """Units and takings of a product, or all, in a month (`2026-03`), or ever; cancelled and returned orders left out."""
        found = self._one(
            "SELECT coalesce(sum(quantity), 0) AS units, coalesce(sum(quantity * cents), 0) AS cents"
            " FROM order_lines JOIN orders USING (number) JOIN products USING (sku)"
            " WHERE state NOT IN ('cancelled', 'returned')"
            " AND (?1 IS NULL OR name = ?1) AND (?2 IS NULL OR substr(placed, 1, 7) = ?2)",
            name,
            month,
        )
        return found or {}

    def rank_sales(self, limit: int, month: str | None) -> list[Object]:
        """The products that sold most, by units."""
        return self._all(
            "SELECT name AS product, sum(quantity) AS units"
            " FROM order_lines JOIN orders USING (number) JOIN products USING (sku)"
            " WHERE state NOT IN ('cancelled', 'returned') AND (?2 IS NULL OR substr(placed, 1, 7) = ?2)"
            " GROUP BY name ORDER BY units DESC, name LIMIT ?1",
            limit,
            month,
        )

    def open_ticket(self, subject: str, order: str | None) -> Object:
        """Write a ticket, for this conversation only."""
        known = order if order and self._one("SELECT number FROM orders WHERE number = ?", order) else None
        row = self._books.execute(
            "INSERT INTO tickets (subject, order_number, state) VALUES (?, ?, 'open')", (subject, known)
        ).lastrowid
        return {"ticket": row, "subject": subject, "order": known, "state": "open"}

    def look_up_ticket(self, ticket: int) -> Object | None:
        """A ticket, or nothing."""
        return self._one("SELECT id AS ticket, subject, order_number AS 'order', state FROM tickets WHERE id = ?", ticket)

    def _all(self, query: str, *values: JSON) -> list[Object]:
        return [dict(row) for row in self._books.execute(query, values)]

    def _one(self, query: str, *values: JSON) -> Object | None:
        row = self._books.execute(query, values).fetchone()
        return None if row is None else dict(row)
