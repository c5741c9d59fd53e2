"""Evaluators that vendors have and Viva has not: known by name, so that a plan which asks for one says what to use instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TOLD: Mapping[str, str] = MappingProxyType(
    {
        "groundedness_pro": (
            "only Microsoft's service has the model behind it; use foundry.Groundedness, which asks the run's judge whether "
            "the context supports the answer"
        ),
        "protected_material": (
            "only Microsoft's service has the index of protected texts, lyrics and code that it looks into, and no judge can "
            "stand for that; run this one in Foundry"
        ),
        "eci": (
            "only Microsoft's service answers it (information on elections); use an evaluator of your own in "
            "custom-evaluators/ that says what you look for"
        ),
        "python_grader": (
            "no code out of a dataset is ever run here; put the code into a file of your project, as an evaluator in "
            "custom-evaluators/, and name that"
        ),
    }
)
"""By the vendor's name: why, and the way out."""
