"""Evaluators of skills: instructions for a kind of task, which an agent loads by a tool call when it needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Ask
from vivavoce.core.reply import ToolCall
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.evaluators import _put, _rubrics
from vivavoce.evaluators._options import telling, within

__all__ = ["SkillInstructionFollowing", "SkillSelectionAccuracy"]

_LOADERS = ("skills", "skill", "load_skill", "use_skill", "activate_skill", "skill_load")


@dataclass(frozen=True, kw_only=True)
class _Skilled:
    """What the two have in common."""

    file: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ("input", "tool_calls", "call")
    levels: ClassVar[tuple[str, ...]] = ("call",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    threshold: float
    """The lowest value that passes."""
    tools: tuple[str, ...] = _LOADERS
    """Names of the tools that load a skill, as the agent reports them; case does not count."""

    def __post_init__(self) -> None:
        telling("tools", self.tools)
        within("threshold", self.threshold, 0, 1)

    @property
    def rubric(self) -> Rubric:
        """What the judge is asked."""
        return _rubrics.load(self.file)

    def examines(self, call: ToolCall) -> bool:
        """Whether a call loads a skill."""
        return call.name.casefold() in {name.casefold() for name in self.tools}

    async def score(self, evidence: Evidence, ask: Ask) -> Verdict:
        """The judge's verdict on the rubric."""
        return await _put.put(self.rubric, evidence, ask)


@dataclass(frozen=True, kw_only=True)
class SkillSelectionAccuracy(_Skilled):
    """Whether the skill that was loaded is the one for the task.

    Measures: No (0) or Yes (1) for each tool call that loads a skill, given by the run's judge; passed from 1.
    Needs: an input, and the agent's tool calls; the tools' definitions are shown to the judge when they are known.
    Example: "How many days off have I left?", a call of skills with skill_name "benefits-advisor" -> No.
    Limits: which calls load a skill is told by the tool's name; see the option `tools`. A turn in which none did has nothing
    to judge, and is skipped. Skills that were not loaded are known only as far as definitions or results tell of them.
    Source: AWS Bedrock AgentCore, `Builtin.SkillSelectionAccuracy`; the wording of the rubric is Viva's own.
    """

    file: ClassVar[str] = "_skill.selection"
    uses: ClassVar[tuple[str, ...]] = ("history", "tool_definitions")

    threshold: float = 1


@dataclass(frozen=True, kw_only=True)
class SkillInstructionFollowing(_Skilled):
    """How far the agent did what a skill it had loaded tells it to do.

    Measures: Not Followed (0), Minimally Followed (0.25), Partially Followed (0.5), Mostly Followed (0.75) or Fully Followed
    (1) for each tool call that loads a skill, given by the run's judge; passed from 0.5.
    Needs: an input, and the agent's tool calls with their results, in which the skill's instructions stand.
    Example: the skill says to check the balance before a booking, and the agent books at once -> Partially Followed.
    Limits: only the turn in which the skill was loaded is looked at. Which calls load a skill is told by the tool's name; see
    the option `tools`. A turn in which none did has nothing to judge, and is skipped.
    Source: AWS Bedrock AgentCore, `Builtin.SkillInstructionFollowing`; the wording of the rubric is Viva's own.
    """

    file: ClassVar[str] = "_skill.instructions"
    uses: ClassVar[tuple[str, ...]] = ("history", "response")

    threshold: float = 0.5
