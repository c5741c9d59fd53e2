"""Problems: their places, their collecting, and the lines of JSON paths."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import DatasetError, UsageError
from vivavoce.core.place import Problem, Problems, above, did_you_mean, join, locate, members, nearest
from vivavoce.core.source import Source


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{\n "items": [\n  {"prompt": 1},\n  {"prompt":\n    2}\n ]\n}')
    return Source(path, "a.json")


def test_a_problem_says_file_line_code_path_message_and_way_out():
    whole = Problem(file="f", line=3, path="a[0].b", message="is wrong", fix="mend it", code="CODE")
    assert str(whole) == "f:3: CODE: a[0].b: is wrong (mend it)"
    assert str(Problem(file="f", message="is wrong")) == "f: is wrong"


def test_lines_are_found_when_they_are_asked_for(source):
    problems = Problems()
    problems.add(source, "m", path="items[1].prompt")
    problems.add(source, "m", path="items[1].answer")
    problems.add(source, "m", path="gone")
    problems.add(source, "m", path="items[0]", line=77)
    problems.add(source, "m")
    assert [problem.line for problem in problems.found()] == [None, 1, 4, 4, 77], "down the file"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("a.json:3: a line too long; split it", "a.json:3: a line too long; split it (mend it)"),
        ("a.json: cannot be read: no", "a.json: cannot be read: no (mend it)"),
        ("a.json: 3 lines are too long", "a.json: 3 lines are too long (mend it)"),
        ("something else: 3", "a.json: something else: 3 (mend it)"),
    ],
)
def test_what_was_raised_is_told_at_its_line(source, error, told):
    problems = Problems()
    problems.add_raised(source, UsageError(error), fix="mend it")
    assert [str(problem) for problem in problems.found()] == [told]


def test_the_same_problem_counts_once(source):
    problems = Problems()
    for _ in range(3):
        problems.add(source, "m", path="a")
        problems.add(source, "m", path="b")
        problems.warn(source, "w")
    assert (problems.total, problems.warned, len(problems.warnings)) == (2, 1, 1)


def test_a_hundred_are_kept_and_all_are_counted(source):
    problems = Problems()
    for number in range(250):
        problems.add(source, "m", line=number)
        problems.warn(source, "w", line=number)
    assert (len(problems.found()), problems.total, len(problems.warnings), problems.warned) == (100, 250, 100, 250)
    with pytest.raises(
        DatasetError, match=r"(?s)a\.json:0: m.*\.\.\. and 150 more\n250 problems found; nothing was run"
    ) as raised:
        problems.raise_any()
    assert (len(raised.value.problems), raised.value.total) == (100, 250)


def test_what_is_soft_is_an_error_or_when_lenient_a_warning(source):
    strict, lenient = Problems(), Problems(lenient=True)
    for problems in (strict, lenient):
        problems.soft(source, "m", path="a", fix="f")
    assert (strict.total, strict.warned, lenient.total, lenient.warned) == (1, 0, 0, 1)
    lenient.raise_any()
    with pytest.raises(DatasetError, match="1 problem found"):
        strict.raise_any()


def test_one_collection_includes_another(source):
    problems, others = Problems(), Problems()
    problems.add(source, "m", line=1)
    for number in range(150):
        others.add(source, "m", line=number)
    problems.include(others)
    assert (problems.total, len(problems.found())) == (150 - 1 + 1, 100)


def test_paths_join_and_part():
    assert join("items", 3, "prompt") == "items[3].prompt"
    assert join("", 0, "a") == "[0].a"
    assert join("a", "") == "a"
    assert join("a[0]", "b") == "a[0].b"
    assert above("a[3].b.c") == ["a[3].b.c", "a[3].b", "a[3]", "a", ""]
    assert above("[3].b") == ["[3].b", "[3]", ""]
    assert above("") == [""]


def test_the_nearest_name_ignores_case_and_joints():
    known = ("expected_response", "prompt", "turns")
    assert nearest("expeceted_response", known) == "expected_response"
    assert nearest("expectedResponse", known) == "expected_response"
    assert nearest("PROMPTS", known) == "prompt"
    assert nearest("colour", known) is None
    assert did_you_mean("promt", known) == 'did you mean "prompt"?'
    assert did_you_mean("colour", known) == "known here: expected_response, prompt, turns"


NASTY = r"""{
  "a\"b": 1,
  "a.b": {"c": "x: {[\"},"},
  "\u0061": {
    "é": [1,
      [2, {"deep": null}],
      "]"],
    "twice": 1,
    "twice": {"in": 2}
  },
  "": {"empty": true},
  "last": [{}, [], -1.5e3,
    {"x": 1}]
}"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("", 1),
        ('a"b', 2),
        ("a.b", 3),
        ("a.b.c", 3),
        ("a", 4),
        ("a.é", 5),
        ("a.é[0]", 5),
        ("a.é[1]", 6),
        ("a.é[1][1].deep", 6),
        ("a.é[2]", 7),
        ("a.twice", 8),
        ("a.twice.in", 9),
        ("last[2]", 12),
        ("last[3].x", 13),
        ("last[3].y.z", 13),
        ("last[9]", 12),
        ("nowhere", 1),
    ],
)
def test_lines_in_nasty_json(path, line):
    assert locate(NASTY, [path]) == {path: line}


def test_a_text_that_breaks_off_is_located_as_far_as_it_goes():
    assert locate('{"a": [1,\n{"b": "cut', ["a[1].b", "a[5]"]) == {"a[1].b": 2, "a[5]": 1}
    assert locate("", ["a"]) == {}
    assert locate("}]", ["a"]) == {}


@pytest.mark.parametrize("text", ['"' + '\\"' * 300_000, "[" * 300_000, '{"a":' * 300_000, "\\" * 300_000, '"\\' * 300_000])
def test_hostile_texts_end(text):
    assert sum(1 for _ in members(text)) <= 300_000


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('abcé"\\{}[]: ,\n', min_size=1, max_size=4), inner, max_size=3)
    ),
    max_leaves=15,
)


def places(value, path=""):
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, join(path, key))


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_members_are_those_of_the_value(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert [path for _, path, _ in members(text)] == list(places(value))


@given(VALUES, st.sampled_from([None, 1]), st.integers(1, 7))
def test_a_text_in_blocks_is_located_as_a_whole_one_is(value, indent, size):
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    blocks = [text[at : at + size] for at in range(0, len(text), size)]
    assert list(members(blocks)) == list(members(text))
    paths = list(places(value))
    assert locate(blocks, paths) == locate(text, paths)


def test_a_long_text_of_many_blocks_is_not_read_again_with_each():
    blocks = ['{"a": "', *["x" * 1000] * 20_000, '",\n"b": 1}']
    assert locate(iter(blocks), ["b"]) == {"b": 2}


@given(st.text(max_size=60))
def test_any_text_is_located(text):
    found = locate(text, ["a", "b[0].c"])
    assert all(1 <= line <= text.count("\n") + 1 for line in found.values())
