"""Every difference from a declared shape is told at its path, in words."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.wire.shape import Shape

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.sampled_from(["", "a", "b", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["word", "count", "kind", "inner", "many", "open", "other"]), inner, max_size=5)
    ),
    max_leaves=12,
)


class Inner(Struct, forbid_unknown_fields=True, kw_only=True):
    word: Annotated[str, Meta(pattern=r"\S")]
    count: Annotated[int, Meta(ge=1)] | None = None


class Outer(Struct, forbid_unknown_fields=True, kw_only=True):
    kind: Literal["a", "b"] | None = None
    inner: Annotated[str | Inner | None, Meta(description="d")] = None
    many: Annotated[list[Inner], Meta(min_length=1)] | None = None
    open: dict[str, Any] | None = None
    ratio: float | None = None
    flag: bool | None = None


def look(value, *, lenient=False):
    problems = Problems(lenient=lenient)
    shape = Shape(Source("f"), problems)
    fitted = shape.fit(value, Outer, "here", 7)
    return fitted, [str(problem) for problem in problems.found()], shape.wrong


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ({}, []),
        ({"kind": None, "inner": "text", "open": {"any": [1]}, "ratio": 1, "flag": False}, []),
        ([], ["here: must be an object, not a list"]),
        (None, ["here: must be an object, not null"]),
        ({"kind": "c"}, ['here.kind: "c" is not known here (known here: a, b)']),
        ({"kind": 1, "flag": 0}, ["here.kind: must be text, not 1", "here.flag: must be true or false, not 0"]),
        ({"ratio": True}, ["here.ratio: must be a number, not true or false"]),
        ({"inner": 2.5}, ["here.inner: must be text or an object, not 2.5"]),
        ({"inner": {"count": 0}}, ["here.inner.count: must be at least 1, not 0", 'here.inner: "word" is missing']),
        ({"many": []}, ["here.many: must not be empty"]),
        ({"many": [{"word": " "}, 3]}, ["here.many[0].word: must not be blank", "here.many[1]: must be an object, not 3"]),
        ({"opne": {}}, ['here.opne: unknown key "opne" (did you mean "open"?)']),
    ],
)
def test_differences(value, problems):
    _, found, wrong = look(value)
    assert found == [f"f:7: {problem}" for problem in problems]
    assert wrong is bool(problems)


def test_what_fits_is_given_back_as_it_is_and_lenient_leaves_unknown_keys_out():
    value = {"inner": {"word": "x", "odd": 1}, "other": 2}
    fitted, found, wrong = look(value, lenient=True)
    assert (fitted, found, wrong) == ({"inner": {"word": "x"}}, [], False)
    assert look(fitted) == (fitted, [], False)


@given(JSON)
def test_it_objects_exactly_when_the_fast_reader_does(value):
    try:
        msgspec.convert(value, Outer)
        fits = True
    except msgspec.ValidationError:
        fits = False
    _, found, wrong = look(value)
    assert fits is not wrong
    assert bool(found) is wrong
    assert not any("does not fit" in problem for problem in found)
