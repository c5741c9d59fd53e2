"""Evaluators that vendors have and Viva has not: known by name, so that a plan which asks for one says what to use instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_IN_AWS = (
    "it stands in an AWS account, with its code or its instructions; put code into an evaluator of your own in "
    "custom-evaluators/, and instructions into the prompt of a LabelModel or ScoreModel"
)
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
        "content_safety": (
            "in Microsoft's library it is four evaluators in one; name those you want: Violence, Sexual, SelfHarm and "
            "HateUnfairness"
        ),
        "qa": (
            "in Microsoft's library it is six evaluators in one; name those you want: foundry.Groundedness, Relevance, "
            "foundry.Coherence, Fluency, Similarity and F1Score"
        ),
        "eci": (
            "only Microsoft's service answers it (information on elections); use an evaluator of your own in "
            "custom-evaluators/ that says what you look for"
        ),
        "python_grader": (
            "no code out of a dataset is ever run here; put the code into a file of your project, as an evaluator in "
            "custom-evaluators/, and name that"
        ),
        "thirdparty.": (
            "only AWS's service runs evaluators of other libraries by this name; use an evaluator here that measures the same "
            "(`viva list evaluators`), or call that library from one of your own in custom-evaluators/"
        ),
        "insight.": (
            "only AWS's service makes insights, which sum up many sessions; use an evaluator that scores each, such as "
            "GoalSuccessRate or Helpfulness, and read its failures in the report"
        ),
        "arn:": _IN_AWS,
        "aws:": _IN_AWS,
    }
)
"""By the vendor's name, or by what its names begin with where that ends in `.` or `:`: why, and the way out."""
