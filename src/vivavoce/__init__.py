"""Viva, the oral exam for AI agents: read evaluation datasets, drive any agent through them, judge every answer."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # type checkers take it for true; the module that defines it takes longer to load than all of this

if TYPE_CHECKING:
    from vivavoce.api import evaluate, evaluate_async
    from vivavoce.core.errors import VivaError
    from vivavoce.core.evidence import Evidence
    from vivavoce.core.kinds import Ask
    from vivavoce.core.result import Result, Run, Score, Verdict
    from vivavoce.core.rubric import Rubric

__version__ = "0.1.0"

_HOMES = {
    "Ask": "vivavoce.core.kinds",
    "Evidence": "vivavoce.core.evidence",
    "Result": "vivavoce.core.result",
    "Rubric": "vivavoce.core.rubric",
    "Run": "vivavoce.core.result",
    "Score": "vivavoce.core.result",
    "Verdict": "vivavoce.core.result",
    "VivaError": "vivavoce.core.errors",
    "evaluate": "vivavoce.api",
    "evaluate_async": "vivavoce.api",
}

__all__ = [
    "Ask",
    "Evidence",
    "Result",
    "Rubric",
    "Run",
    "Score",
    "Verdict",
    "VivaError",
    "__version__",
    "evaluate",
    "evaluate_async",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
