"""What a rubric's placeholders stand for in one verdict."""

from __future__ import annotations

from vivavoce.core.errors import Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import Object


def text(names: tuple[str, ...], evidence: Evidence, fields: Object) -> str:
    """The first of these that is there; each of `fields` stands before the evidence of its name.

    Raises:
        Missing: none is; carries all the names.
    """
    for name in names:
        if name in fields:
            return str(fields[name])
        try:
            return evidence.text(name)
        except Missing:
            continue
    raise Missing(*names)
