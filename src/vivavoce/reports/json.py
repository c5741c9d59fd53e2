"""The run document: the whole run as one JSON value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar

import msgspec

from vivavoce.core import codec
from vivavoce.core.result import Run
from vivavoce.reports import _text

__all__ = ["Json"]


@dataclass(frozen=True, kw_only=True)
class Json:
    """The run document: everything a run holds, for programs.

    Speaks: JSON in UTF-8, the format `viva.run/1`; the head indented, then one result a line, so that two documents can be
        compared with `diff`.
    Options: none.
    Example: `viva run evals.json --output run.json`, then `jq '.summary.pass_rate' run.json`.
    Limits: valid once it is complete; for reading along, take `jsonl`. No number is `NaN`: what is not known is `null`.
    Source: `docs/reference/run-document.md`.
    """

    suffix: ClassVar[str | None] = ".json"

    def render(self, run: Run, out: IO[str]) -> None:
        """Write the document; results are read one at a time."""
        head = msgspec.json.format(_text.encoded(codec.run_head(run)), indent=2)
        # The head's closing brace makes room for the results, which must not be in memory together.
        out.write(head.removesuffix("\n}"))
        out.write(',\n  "results": [')
        between = "\n    "
        for result in run.results:
            out.write(between)
            out.write(_text.encoded(result))
            between = ",\n    "
        out.write("]\n}\n" if between == "\n    " else "\n  ]\n}\n")
