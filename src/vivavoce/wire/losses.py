"""What is lost on the way into another format, told once a kind."""

from __future__ import annotations


class Losses:
    """Sentences on what was lost, each once, with the first case it befell."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, int]] = {}

    def add(self, what: str, case: str) -> None:
        """Note that something of a case is not in the text."""
        first, count = self._found.get(what, (case, 0))
        self._found[what] = (first, count + 1)

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each kind of loss."""
        return tuple(
            f'{what} (case "{first}"{f" and {count - 1} more" if count > 1 else ""})'
            for what, (first, count) in self._found.items()
        )
