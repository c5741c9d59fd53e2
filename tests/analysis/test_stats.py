import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.analysis.stats import Clusters, t_quantile, wilson


@pytest.fixture(scope="module")
def scipy_stats():
    from scipy import stats  # by whoever runs this; it takes long to load

    return stats


def gathered(cases):
    clusters = Clusters()
    for values in cases:
        clusters.add(len(values), sum(values), all(value in (0, 1) for value in values))
    return clusters


@given(total=st.integers(1, 5000), data=st.data(), confidence=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_wilson_is_scipys(scipy_stats, total, data, confidence):
    passed = data.draw(st.integers(0, total))
    theirs = scipy_stats.binomtest(passed, total).proportion_ci(confidence, method="wilson")
    low, high = wilson(passed, total, confidence)
    assert low == pytest.approx(theirs.low, abs=1e-12)
    assert high == pytest.approx(theirs.high, abs=1e-12)
    assert 0 <= low <= passed / total <= high <= 1


def test_wilson_at_its_ends_is_exact():
    assert wilson(0, 7)[0] == 0
    assert wilson(7, 7)[1] == 1
    assert wilson(0, 7)[1] == pytest.approx(1 - wilson(7, 7)[0])


_CASES = st.lists(st.lists(st.one_of(st.sampled_from([0, 1]), st.floats(-5, 5)), min_size=1, max_size=4), max_size=20)


@given(_CASES, _CASES)
def test_clusters_include_others(some, more):
    both, whole = gathered(some), gathered(some + more)
    both.include(gathered(more))
    assert (both.cases, both.count, both.rates) == (whole.cases, whole.count, whole.rates)
    for name in ("mean", "interval"):
        got, wanted = ((each.mean, each.interval())[name == "interval"] for each in (both, whole))
        assert (got is None) == (wanted is None)
        if wanted is not None:
            assert got == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(("passed", "total"), [(0, 0), (-1, 3), (4, 3)])
def test_wilson_refuses_what_is_no_rate(passed, total):
    with pytest.raises(ValueError, match="is no rate"):
        wilson(passed, total)


@given(probability=st.floats(0.0001, 0.9999), degrees=st.one_of(st.integers(1, 5000), st.floats(0.7, 2000)))
def test_t_quantile_is_scipys(scipy_stats, probability, degrees):
    assert t_quantile(probability, degrees) == pytest.approx(scipy_stats.t.ppf(probability, degrees), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("degrees", [1, 2, 3, 9, 27, 999, 1000, 10**6])
def test_t_quantile_of_95_percent_to_ten_digits(scipy_stats, degrees):
    assert t_quantile(0.975, degrees) == pytest.approx(scipy_stats.t.ppf(0.975, degrees), rel=1e-10)


@pytest.mark.parametrize(("probability", "degrees"), [(0, 3), (1, 3), (0.5, 0)])
def test_t_quantile_refuses_what_has_none(probability, degrees):
    with pytest.raises(ValueError, match="no quantile"):
        t_quantile(probability, degrees)


@given(st.lists(st.lists(st.floats(-5, 5), min_size=1, max_size=1), min_size=2, max_size=30))
def test_one_score_a_case_gives_students_interval(scipy_stats, cases):
    values = [value for (value,) in cases]
    got = gathered(cases).mean_interval()
    half = scipy_stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values))
    assert got == pytest.approx((np.mean(values) - half, np.mean(values) + half), abs=1e-6)


@given(st.lists(st.lists(st.floats(1, 5), min_size=1, max_size=6), min_size=2, max_size=12))
def test_mean_interval_is_the_cluster_robust_one(scipy_stats, cases):
    count = sum(len(values) for values in cases)
    mean = sum(sum(values) for values in cases) / count
    scatter = sum((sum(values) - len(values) * mean) ** 2 for values in cases)
    groups = len(cases)
    half = scipy_stats.t.ppf(0.975, groups - 1) * math.sqrt(scatter * groups / (groups - 1)) / count
    clusters = gathered(cases)
    assert clusters.mean == pytest.approx(mean)
    assert clusters.mean_interval() == pytest.approx((mean - half, mean + half), abs=1e-6)


def test_large_close_values_keep_their_variance(scipy_stats):
    low, high = gathered([[1e9 + 0.1], [1e9 + 0.2], [1e9 + 0.3]]).mean_interval()
    assert high - low == pytest.approx(2 * scipy_stats.t.ppf(0.975, 2) * 0.1 / math.sqrt(3), rel=1e-5)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=200))
def test_one_score_a_case_gives_the_plain_wilson_interval(values):
    clusters = gathered([[value] for value in values])
    assert clusters.rates
    assert clusters.mean == sum(values) / len(values)
    assert clusters.interval() == pytest.approx(wilson(sum(values), len(values)))


def test_scores_that_agree_within_their_case_count_as_one():
    cases = [[1.0] * 5] * 6 + [[0.0] * 5] * 4
    assert gathered(cases).interval() == pytest.approx(wilson(6, 10), abs=0.02)


def test_scores_all_alike_count_once_a_case():
    assert gathered([[1.0] * 10] * 3).interval() == pytest.approx(wilson(3, 3))
    assert gathered([[0.0] * 10]).interval() == pytest.approx(wilson(0, 1))


@given(st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=5), min_size=1, max_size=20))
def test_a_clustered_interval_holds_its_rate_and_is_never_narrower_than_if_independent(cases):
    low, high = gathered(cases).interval()
    passed, total = sum(map(sum, cases)), sum(map(len, cases))
    plain_low, plain_high = wilson(passed, total)
    assert 0 <= low <= passed / total + 1e-12 <= high + 2e-12 <= 1 + 3e-12
    assert high - low >= plain_high - plain_low - 1e-12


def test_clustered_intervals_hold_the_truth_about_as_often_as_they_say():
    draw = random.Random(7)
    held = 0
    for _ in range(400):
        cases = []
        for _ in range(40):
            rate = draw.choice([0.2, 0.9, 1.0])  # cases differ, so repeats of one case agree more than chance
            cases.append([float(draw.random() < rate) for _ in range(5)])
        low, high = gathered(cases).interval()
        held += low <= 0.7 <= high
    assert held / 400 > 0.91
    naive = sum(high - low for low, high in [wilson(140, 200)])
    assert naive < 0.13  # what five independent repeats would claim


def test_too_little_gives_no_interval():
    assert Clusters().mean is None
    assert Clusters().interval() is None
    assert gathered([[3.0, 4.0]]).interval() is None
    assert gathered([[1.0]]).interval() is not None


def test_a_copy_is_its_own():
    one = gathered([[2.0], [4.0]])
    other = one.copy()
    other.add(1, 9.0, False)
    assert (one.mean, other.mean) == (3.0, 5.0)
