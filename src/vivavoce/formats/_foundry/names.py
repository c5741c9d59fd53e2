"""What the vendor calls things, and what they are called here: evaluators, their options and parameters, their results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TypeVar

from vivavoce.core import plugins
from vivavoce.core.model import Check

EVALUATORS: Mapping[str, str] = MappingProxyType(
    {
        "bleu": "BleuScore",
        "bleu_score": "BleuScore",
        "code_vulnerability": "CodeVulnerability",
        "coherence": "Coherence",
        "customer_satisfaction": "CustomerSatisfaction",
        "deflection_rate": "DeflectionRate",
        "document_retrieval": "DocumentRetrieval",
        "f1_score": "F1Score",
        "fluency": "Fluency",
        "gleu": "GleuScore",
        "gleu_score": "GleuScore",
        "groundedness": "Groundedness",
        "groundedness_pro": "GroundednessPro",
        "hate_unfairness": "HateUnfairness",
        "indirect_attack": "IndirectAttack",
        "intent_resolution": "IntentResolution",
        "label_model": "LabelModel",
        "meteor": "MeteorScore",
        "meteor_score": "MeteorScore",
        "output_quality": "OutputQuality",
        "prohibited_actions": "ProhibitedActions",
        "protected_material": "ProtectedMaterial",
        "python": "PythonGrader",
        "python_grader": "PythonGrader",
        "quality_grader": "QualityGrader",
        "regex_match": "RegexMatch",
        "relevance": "Relevance",
        "response_completeness": "ResponseCompleteness",
        "retrieval": "Retrieval",
        "rouge": "RougeScore",
        "rouge_score": "RougeScore",
        "rubric": "Rubric",
        "score_model": "ScoreModel",
        "self_harm": "SelfHarm",
        "sensitive_data_leakage": "SensitiveDataLeakage",
        "sexual": "Sexual",
        "similarity": "Similarity",
        "string_check": "StringCheck",
        "task_adherence": "TaskAdherence",
        "task_completion": "TaskCompletion",
        "task_navigation_efficiency": "TaskNavigationEfficiency",
        "text_similarity": "TextSimilarity",
        "tool_call_accuracy": "ToolCallAccuracy",
        "tool_call_success": "ToolCallSuccess",
        "tool_input_accuracy": "ToolInputAccuracy",
        "tool_output_utilization": "ToolOutputUtilization",
        "tool_selection": "ToolSelection",
        "tool_use_quality": "ToolUseQuality",
        "ungrounded_attributes": "UngroundedAttributes",
        "violence": "Violence",
        "bbeh": "Bbeh",
        "eci": "Eci",
        "ifeval": "Ifeval",
    }
)
"""The catalog's evaluators, by the name they have there."""

METRICS: Mapping[str, str] = MappingProxyType(
    {"BleuScore": "bleu", "GleuScore": "gleu", "RougeScore": "rouge", "MeteorScore": "meteor"}
)
"""What results of an evaluator are called, where that is not its name in the catalog."""

GRADERS = frozenset({"label_model", "score_model", "string_check", "text_similarity", "python_grader"})
"""Evaluators of which `input` is the answer and `reference` what is expected."""

EVIDENCE: Mapping[str, str] = MappingProxyType(
    {
        "query": "input",
        "response": "response",
        "ground_truth": "expected",
        "context": "context",
        "tool_calls": "tool_calls",
        "actions": "tool_calls",
        "tool_definitions": "tool_definitions",
        "expected_actions": "trajectory",
        "messages": "conversation",
        "conversation": "conversation",
        "retrieved_documents": "retrieved_documents",
        "retrieval_ground_truth": "retrieval_ground_truth",
    }
)
"""Parameters of the vendor's evaluators, each with the evidence it is."""

_OF_THE_JUDGE = frozenset(
    (
        *(
            "deployment_name",
            "model",
            "model_config",
            "is_reasoning_model",
            "azure_ai_project",
            "credential",
            "is_meta_evaluator",
        ),
        *("sampling_params", "api_version", "evaluate_query"),
    )
)
"""Options that say who judges, which the run says here."""
_Said = TypeVar("_Said")
_BEHIND = re.compile(r"[ _-]*evaluator$", re.IGNORECASE)
_RENAMED = MappingProxyType({"pass_threshold": "threshold"})


def bare(name: str) -> str:
    """A name as the catalog has it: without `builtin.`, and without `Evaluator` at its end, both in any case."""
    told = name.strip()
    told = told[len("builtin.") :] if told.lower().startswith("builtin.") else told
    return _BEHIND.sub("", told) or told


def ours(name: str) -> str:
    """The evaluator that the vendor's name means: its own version of it where there is one; an unknown name stays as it is."""
    known = _by_fold().get(plugins.fold(bare(name)))
    return name if known is None else _own(known)


def default(name: str) -> Check:
    """An evaluator that applies when nobody names any."""
    own = _own(name)
    return Check(evaluator=own, name="" if own == name else name, origin="default")


def options(given: Mapping[str, _Said]) -> dict[str, _Said]:
    """What is said of options of an evaluator by their names, without those that say who judges."""
    return {_RENAMED.get(name, name): each for name, each in given.items() if name not in _OF_THE_JUDGE}


def result_names(name: str, evaluator: str) -> tuple[str, str]:
    """What the results of a score are called: the evaluator as the vendor's users know it, and its metric."""
    kind = evaluator.rpartition(".")[2]
    metric = METRICS.get(kind) or _by_ours().get(kind) or _snake(kind)
    of_ours = plugins.fold(name) in (plugins.fold(evaluator), plugins.fold(kind))
    return (_by_ours().get(kind) or _snake(kind) if of_ours else name), metric


def _own(name: str) -> str:
    return f"foundry.{name}" if f"foundry.{plugins.fold(name)}" in _known() else name


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


@cache
def _known() -> frozenset[str]:
    return frozenset(plugins.fold(name) for name in plugins.names("evaluators", installed=False))


@cache
def _by_fold() -> Mapping[str, str]:
    return MappingProxyType({plugins.fold(name): each for name, each in EVALUATORS.items()})


@cache
def _by_ours() -> Mapping[str, str]:
    """The catalog's name of each of our evaluators, the longest where it has two."""
    return MappingProxyType({each: name for name, each in sorted(EVALUATORS.items(), key=lambda pair: len(pair[0]))})
