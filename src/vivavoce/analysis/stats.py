"""Intervals for rates and means, over trials of which several may belong to one case.

Two scores of one case are not two independent observations: an agent that answers a question well tends to answer it well
again. So the case, not the score, is what is sampled here: means get the cluster-robust variance, rates a Wilson interval
whose sample is made smaller by the design effect that the data show.
"""

from __future__ import annotations

from copy import copy
from math import exp, inf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

import msgspec

CONFIDENCE = 0.95
DIGITS = 12
"""Decimals of a mean and its interval."""
Interval = tuple[float, float]


def wilson(passed: float, total: float, confidence: float = CONFIDENCE) -> Interval:
    """The Wilson score interval of a rate, within 0 and 1. Counts need not be whole: an effective sample is not.

    Args:
        passed: how many did, between 0 and `total`.
        total: out of how many, more than 0.
        confidence: how often such intervals hold the true rate.
    """
    if not 0 <= passed <= total or total <= 0:
        raise ValueError(f"{passed} of {total} is no rate")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, weight = passed / total, z * z / total
    middle = (rate + weight / 2) / (1 + weight)
    half = z * sqrt(rate * (1 - rate) / total + weight / (4 * total)) / (1 + weight)
    # At the ends the bounds are exactly 0 and 1; rounding would leave 1e-17.
    return (0.0 if passed == 0 else max(0.0, middle - half), 1.0 if passed == total else min(1.0, middle + half))


def t_quantile(probability: float, degrees: float) -> float:
    """The quantile of Student's t distribution.

    Args:
        probability: between 0 and 1, both excluded.
        degrees: of freedom, more than 0.
    """
    if not 0 < probability < 1 or degrees <= 0:
        raise ValueError(f"no quantile {probability} at {degrees} degrees of freedom")
    if probability < 0.5:
        return -t_quantile(1 - probability, degrees)
    if probability == 0.5:
        return 0.0
    normal = NormalDist().inv_cdf(probability)
    if degrees >= 1000:
        return _expanded(normal, degrees)
    tail, at = 1 - probability, normal
    for _ in range(1000):
        # Beyond 0 the distribution is concave and the start is left of the root, so Newton's steps only ever go right.
        step = (_tail(at, degrees) - tail) / _density(at, degrees)
        at += step
        if abs(step) <= 1e-13 * at:
            break
    return at


class Clusters(msgspec.Struct):
    """Scores, summed by the case they belong to, in memory that does not grow."""

    cases: int = 0
    count: int = 0
    """Of scores."""
    rates: bool = True
    """Whether every score so far is 0 or 1."""
    # Sums are kept about the first mean, so that the variance of large close values does not drown in rounding; those
    # of rates are whole numbers, and exact as they are.
    _shift: float = 0.0
    _total: float = 0.0
    _squares: float = 0.0
    _cross: float = 0.0
    _sizes: int = 0

    def add(self, count: int, total: float, rates: bool) -> None:
        """Count a whole case in.

        Args:
            count: how many scores it has, at least 1.
            total: their sum.
            rates: whether each is 0 or 1.
        """
        if not self.cases and not rates:
            self._shift = total / count
        total -= self._shift * count
        self.cases += 1
        self.count += count
        self._sizes += count * count
        self.rates = self.rates and rates
        self._total += total
        self._squares += total * total
        self._cross += total * count

    def copy(self) -> Clusters:
        """Another of the same content."""
        return copy(self)

    def include(self, other: Clusters) -> None:
        """Count other cases in, as if each had been added here."""
        if not self.cases:
            self._shift = other._shift
        # What theirs are beyond our shift: their own sums, and what lies between the two shifts for each score.
        between = other._shift - self._shift
        self.cases += other.cases
        self.count += other.count
        self._sizes += other._sizes
        self.rates = self.rates and other.rates
        self._total += other._total + between * other.count
        self._squares += other._squares + 2 * between * other._cross + between * between * other._sizes
        self._cross += other._cross + between * other._sizes

    @property
    def mean(self) -> float | None:
        """Over scores; `None` when there are none."""
        if not self.count:
            return None
        # Rounded, because results come in any order, and the last digits of their sum depend on it.
        return self._total / self.count if self.rates else round(self._shift + self._total / self.count, DIGITS)

    def interval(self, confidence: float = CONFIDENCE) -> Interval | None:
        """Of the mean: `rate_interval` when every score is 0 or 1, else `mean_interval`."""
        return self.rate_interval(confidence) if self.rates else self.mean_interval(confidence)

    def mean_interval(self, confidence: float = CONFIDENCE) -> Interval | None:
        """Cluster-robust, by Student's t with one degree of freedom fewer than cases; `None` for fewer than two cases."""
        mean = self.mean
        if mean is None or self.cases < 2:
            return None
        spread = self._scatter() * self.cases / (self.cases - 1)
        half = t_quantile((1 + confidence) / 2, self.cases - 1) * sqrt(spread) / self.count
        return (round(mean - half, DIGITS), round(mean + half, DIGITS))

    def rate_interval(self, confidence: float = CONFIDENCE) -> Interval | None:
        """Wilson's, with the scores divided by their design effect; `None` when there are none.

        The plain Wilson interval when each case has one score. When all scores are alike nothing shows how much
        those of one case have in common, so each case counts once.
        """
        mean = self.mean
        if mean is None:
            return None
        size = self.count / self._design_effect(mean)
        return wilson(min(mean * size, size), size, confidence)

    def _design_effect(self, rate: float) -> float:
        """How many times more the rate varies than if all scores were independent; at least 1."""
        if self.count == self.cases:
            return 1.0
        if rate in (0.0, 1.0) or self.cases == 1:
            return self.count / self.cases
        effect = self._scatter() * self.cases / (self.cases - 1) / (self.count * rate * (1 - rate))
        return min(max(1.0, effect), float(self.count))

    def _scatter(self) -> float:
        """Sum over cases of (their total - their count x the mean) squared."""
        mean = self._total / self.count
        return max(0.0, self._squares - 2 * mean * self._cross + mean * mean * self._sizes)


def _expanded(normal: float, degrees: float) -> float:
    """The t quantile from the normal one by the Cornish-Fisher expansion; to 12 digits from 1,000 degrees on."""
    square = normal * normal
    return normal * (
        1
        + (square + 1) / (4 * degrees)
        + ((5 * square + 16) * square + 3) / (96 * degrees**2)
        + (((3 * square + 19) * square + 17) * square - 15) / (384 * degrees**3)
    )


def _density(at: float, degrees: float) -> float:
    scale = lgamma((degrees + 1) / 2) - lgamma(degrees / 2) - log(degrees * pi) / 2
    return exp(scale - (degrees + 1) / 2 * log1p(at * at / degrees))


def _tail(at: float, degrees: float) -> float:
    """The probability of more than `at`, which is positive: half an incomplete beta function."""
    part, rest = degrees / (degrees + at * at), at * at / (degrees + at * at)
    a, b = degrees / 2, 0.5
    scale = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(part) + b * log(rest))
    if part < (a + 1) / (a + b + 2):
        return scale * _fraction(part, a, b) / a / 2
    return (1 - scale * _fraction(rest, b, a) / b) / 2


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value, last = d, inf
    step = 0
    while abs(last - 1) > 1e-15 and step < 10_000:
        step += 1
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        d = 1 / (1 + even * d)
        c = 1 + even / c
        value *= c * d
        d = 1 / (1 + odd * d)
        c = 1 + odd / c
        last = c * d
        value *= last
    return value
