"""Citations: what counts as one, and as the same one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Turn
from vivavoce.core.reply import Reply
from vivavoce.core.result import Verdict
from vivavoce.evaluators.citations import Citations

MEGABYTE = 1_000_000


def cite(*ids: str) -> str:
    return "\ue200cite" + "".join(f"\ue202{each}" for each in ids) + "\ue201"


def score(text: str | None, citation_format: str = "mixed", threshold: int = 1) -> Verdict:
    evidence = Evidence(case=Case(id="c"), turn=Turn(input="Why?"), reply=Reply(text=text))
    return Citations(citation_format=citation_format, threshold=threshold).score(evidence)


def number(text: str, citation_format: str = "mixed") -> int:
    value = score(text, citation_format).value
    assert value is not None
    return int(value)


@pytest.mark.parametrize(
    ("text", "citation_format", "value"),
    [
        (cite("turn1search1") * 6, "oai_unicode", 1),
        (cite("turn1search1") + cite("turn1search2"), "oai_unicode", 2),
        (cite("turn1search1", "turn1search2"), "oai_unicode", 2),
        ("he cited it", "oai_unicode", 0),
        ("", "mixed", 0),
        ("[^1^][^2^][^1^]", "bracket", 2),
        ("[^1^][^2^][^1^]", "mixed", 2),
        ("[^1^][^2^][^1^]", "oai_unicode", 0),
        ("[1](https://x/a#s)", "markdown", 1),
        ("[1](https://x/a#s)", "mixed", 1),
        ("[1](https://x/a#s)", "bracket", 0),
        (f"{cite('a')} [^1^] [1](https://x/a#s)", "mixed", 3),
        ("30 days [1], ten more [2][1].", "mixed", 2),
        ("[1] [^1^] 【1†source】", "mixed", 1),
        ("[1] 【2†source】", "bracket", 2),
        ("【4:0†a】【4:1†b】【4:0†a】", "mixed", 2),
        ("[1, 2][2;3]", "mixed", 3),
        ("[1-3] [2–4]", "mixed", 4),
        ("[1] [01]", "mixed", 1),
        ("list[0]", "mixed", 0),
        ("[x] [ ] [note] []", "mixed", 0),
        ("[1](u) and [1]", "mixed", 2),
        ("[[1]](u)", "mixed", 1),
        ("[1](u) [2](u)", "mixed", 1),
        ("[1](u) [1](v)", "mixed", 2),
        ("[a](u) [b](u) [c](v)", "markdown", 2),
        ("[a](<u v>) [b](https://e/W_(x) 'title')", "markdown", 2),
        ("<https://e/x> https://e/y", "markdown", 1),
        ("[a]() [1]()", "mixed", 1),
        ("![1](u) ![chart](v)", "mixed", 0),
        ("Great![1](u)", "mixed", 1),
        ("[![logo](i.png)](https://e)", "mixed", 1),
        ("![alt][pic] x\n\n[pic]: i.png", "mixed", 0),
        ("[docs][d], [d][] and [d]\n\n[d]: https://e 'Docs'", "mixed", 1),
        ("It is so [1].\n\n[1]: https://e", "mixed", 1),
        ("It is so [1].\n\n[1]: https://e", "bracket", 1),
        ("It is so [1].\n\n[1]: https://e", "markdown", 1),
        ("It is so.\n\n[1]: https://e", "mixed", 0),
        ("So [1][2].\n\n[1] [Title](u)\n- [2]: [Other](v)", "mixed", 2),
        ("[1] [Title](u)", "mixed", 2),
        ("So[^1], and so[^n].\n\n[^1]: See [this](u)\n[^n]: And that.", "mixed", 2),
        ("So[^1].\n\n[^1]: See [this](u)", "markdown", 1),
        ("a class [^a-z] of characters", "mixed", 0),
        ("\\[1\\] and $x$", "mixed", 0),
    ],
)
def test_what_counts(text: str, citation_format: str, value: int) -> None:
    assert number(text, citation_format) == value


@pytest.mark.parametrize(
    "text",
    [
        "`a[1]`",
        "``a[1] ` [2]``",
        "`a\n[1]`",
        "```\na[1]\n```",
        "```python\na[1]",
        "~~~\na[1]\n```\n[2]\n~~~",
        "````\n```\n[1]\n```\n````",
        "Text:\n\n    a[1]\n    b[2]\n",
        "\ta[1]",
        "> ```\n> a[1]\n> ```",
        "- ```\n  a[1]\n  ```",
        f"`{cite('a')}`",
        "`[1](u)`",
    ],
)
def test_code_does_not_count(text: str) -> None:
    assert number(text) == 0
    assert number(f"{text}\n\nOutside [7].") <= 1


@pytest.mark.parametrize(
    "text",
    [
        "a ` b [1]",
        "\\`not code [1]\\`",
        "- item\n\n    [1] under it",
        "a paragraph\n    goes on [1]",
        "> ```\n> code\n\n[1]",
        "```\ncode\n```\n[1]",
        "one ` tick\n\nanother ` tick [1]",
    ],
)
def test_what_only_looks_like_code_counts(text: str) -> None:
    assert number(text) == 1


def test_too_few_are_counted_all_the_same() -> None:
    verdict = score("So it is [1].", threshold=2)
    assert verdict.value == 1
    assert verdict.unit_value == 0.5
    assert verdict.passed is None
    assert verdict.reason == '1 distinct citation, 2 asked for: "[1]"'


def test_none_at_all_says_what_was_looked_for() -> None:
    verdict = score("So it is.", "bracket")
    assert verdict.unit_value == 0
    assert verdict.reason == "0 distinct citations, 1 asked for; the text has no citation of format bracket"


def test_more_than_enough_is_no_better_than_enough() -> None:
    assert score("[1][2][3]", threshold=2).unit_value == 1


def test_an_unknown_format_is_read_as_mixed_with_a_warning() -> None:
    verdict = score("[1] [a](u)", "inline")
    assert verdict.value == 2
    assert verdict.details["citation_format"] == "mixed"
    assert verdict.details["warning"] == (
        'citation_format "inline" is not known (mixed, oai_unicode, bracket, markdown); read as mixed'
    )
    assert "warning" in verdict.reason
    assert "warning" not in score("[1]", "Bracket").details


def test_only_the_text_is_looked_at() -> None:
    with pytest.raises(Missing) as caught:
        score(None)
    assert caught.value.names == ("response",)


@pytest.mark.parametrize("threshold", [0, -1, 1.5, float("inf"), float("nan")])
def test_a_threshold_is_a_whole_number_from_one(threshold: float) -> None:
    with pytest.raises(ValueError, match="a whole number from 1 on"):
        Citations(threshold=threshold)


def test_a_whole_threshold_may_be_written_with_a_point() -> None:
    assert repr(Citations(threshold=2.0).threshold) == "2"


@pytest.mark.parametrize(
    "text",
    [
        "`" * MEGABYTE,
        "".join("`" * length + " " for length in range(1, 1400)),
        "[" * MEGABYTE,
        "[" * (MEGABYTE // 5) + "](u)" * (MEGABYTE // 5),
        "![" * (MEGABYTE // 8) + "](u)" * (MEGABYTE // 8),
        "](" * (MEGABYTE // 2),
        "[](a" + "(b)" * (MEGABYTE // 3),
        "[a](u" + " " * MEGABYTE,
        '[a](u "' * (MEGABYTE // 7),
        "[" + "1," * (MEGABYTE // 2),
        "【1†" * (MEGABYTE // 3),
        ("\ue200cite\ue202a") * (MEGABYTE // 7),
        "[a]: " + "u " * (MEGABYTE // 2),
        "\\" * MEGABYTE + "`",
        "```\n" * (MEGABYTE // 4),
        "[1] [a](u)\n" * (MEGABYTE // 11),
        "[" + "9" * MEGABYTE + "]",
        " " * MEGABYTE + "```",
        "> " * (MEGABYTE // 2),
    ],
    ids=lambda text: repr(text[:8]),
)
def test_a_hostile_text_is_read_in_time(text: str) -> None:
    # What is quadratic in a text of a megabyte does not come back within the time limit of a test.
    assert len(score(text).reason) < 500


marks = st.sampled_from(["[1]", "[2]", "[^1^]", "【2†s】", "[1](u)", "[x](v)", cite("a"), cite("a", "b"), "[1, 3]", "`[9]`"])
texts = st.lists(marks, max_size=10).map(" and ".join)


@given(texts)
def test_saying_it_again_adds_nothing(text: str) -> None:
    assert number(f"{text} so {text}") == number(text)


@given(texts, texts)
def test_more_text_never_takes_citations_away_and_never_adds_more_than_it_has(one: str, other: str) -> None:
    both = number(f"so {one} so {other}")
    assert max(number(one), number(other)) <= both <= number(one) + number(other)


@given(texts)
def test_mixed_is_the_sum_of_the_formats(text: str) -> None:
    parts = [number(f"so {text}", each) for each in ("oai_unicode", "bracket", "markdown")]
    assert number(f"so {text}") == sum(parts)


@given(st.text(alphabet="[]()`~>1a^!:\n \\<", max_size=60))
def test_any_text_is_counted(text: str) -> None:
    verdict = score(text)
    assert verdict.value is not None
    assert verdict.value >= 0
    assert verdict.unit_value == min(1, verdict.value)
