"""From what was seen to a grade: weights and cuts fitted to human labels, shipped as data in calibration.json.

`scripts/calibrate-local` makes that file and `scripts/judge-agreement` checks it; nobody edits it by hand.
"""

from __future__ import annotations

import importlib.resources
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from vivavoce.judges._local.look import Look

PLAIN = "embeddings"
WITH_MODEL = "embeddings and language model"
MODEL_FEATURES = ("gain",)
"""What only the language model can tell."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """How one construct is graded by one of the two ways of looking."""

    weights: Mapping[str, float]
    bias: float
    cuts: tuple[float, ...]
    """Lowest score of the grades 2, 3, 4 and 5."""
    measured: Mapping[str, str]
    """For each group of languages with labels, how well it agrees, in words."""
    abstains: Mapping[str, str]
    """For each group of languages for which no verdict is given, why."""

    @property
    def uses_model(self) -> bool:
        """Whether the language model has a say."""
        return any(name in self.weights for name in MODEL_FEATURES)

    def score(self, look: Look) -> float:
        """How likely a person is to be content, 0-1."""
        total = self.bias + sum(weight * look.features[name] for name, weight in self.weights.items())
        # Rounded, so that the last bits of a sum, which differ between processors, decide nothing.
        return round(1 / (1 + math.exp(-max(-30.0, min(30.0, total)))), 4)

    def grade(self, look: Look) -> float:
        """A whole grade from 1 to 5, never better than the findings allow."""
        score = self.score(look)
        return min(1.0 + sum(score >= cut for cut in self.cuts), look.gravest)


def constructs() -> tuple[str, ...]:
    """What there are labels for."""
    return tuple(_scales())


def scale(construct: str, way: str) -> Scale:
    """The scale of a construct for one way of looking; the plain one where the other was not measured."""
    ways = _scales()[construct]
    return ways.get(way, ways[PLAIN])


@cache
def _scales() -> Mapping[str, Mapping[str, Scale]]:
    file = importlib.resources.files("vivavoce.judges").joinpath("_local", "calibration.json")
    return read(file.read_text(encoding="utf-8"))


def read(text: str) -> Mapping[str, Mapping[str, Scale]]:
    """Scales by construct and way, from the text of a calibration file."""
    return MappingProxyType(
        {
            construct: MappingProxyType({way: _scale(each) for way, each in ways.items()})
            for construct, ways in json.loads(text)["constructs"].items()
        }
    )


def _scale(given: Mapping[str, object]) -> Scale:
    import msgspec

    return msgspec.convert({name: given[name] for name in Scale.__dataclass_fields__}, Scale)
