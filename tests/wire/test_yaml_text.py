"""YAML read by the rules of 1.2, within bounds, and everything wrong in it told at its line."""

from __future__ import annotations

import io

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from vivavoce.core.place import Problems, join
from vivavoce.core.source import Source
from vivavoce.wire.yaml_text import Mark, Unfit, locate, marks, parse, scalar
from vivavoce.wire.yaml_writer import write

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=15,
)


def read(text: str):
    problems = Problems()
    value = parse(Source("f"), text, problems)
    return value, [str(problem) for problem in problems.found()]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "yes",
            "no",
            "on",
            "off",
            "NO",
            "Yes",
            "y",
            "N",
            "2024-01-01",
            "2024-01-01T10:00:00Z",
            "1:30",
            "190:20:30",
            "007",
            "-07",
        ),
        *("08", "1_000", "1,000", "0b11", "0x", "0xG", "0o9", "1.2.3", "1e", "e1", ".", "-", "+", "--1", "nan", "inf", "NULL?"),
        *("tRue", "fALSE", "nULL", "US$5", "<<", "=", "3D", "01.5", "-.inf.", "1e3x", "٣"),
    ],
)
def test_text_stays_text(text):
    assert scalar(text) == text
    if text not in ("-",):
        assert read(f"a: {text}") == ({"a": text}, [])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None)),
        *(("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False)),
        *(("0", 0), ("-0", 0), ("12", 12), ("+12", 12), ("-12", -12), ("0x1F", 31), ("0o17", 15), ("9" * 30, int("9" * 30))),
        *(
            ("1e-3", 0.001),
            ("1e3", 1000.0),
            ("1.5", 1.5),
            ("-1.5E+2", -150.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("+.5e1", 5.0),
            ("0.0", 0.0),
        ),
    ],
)
def test_values(text, value):
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)
    assert read(f"a: {text}") == ({"a": value}, [])
    assert read(f"a: '{text}'\nb: \"{text}\"") == ({"a": text, "b": text}, [])


@pytest.mark.parametrize("text", [".nan", ".NaN", ".inf", "-.inf", "+.INF", "1e999", "-1e999", "9" * 5000])
def test_what_is_no_finite_number_is_refused(text):
    with pytest.raises(Unfit):
        scalar(text)
    _, problems = read(f"b: 1\na:\n  - {text}")
    assert len(problems) == 1
    assert problems[0].startswith("f:3: a[0]: ")
    assert read(f"a: '{text}'") == ({"a": text}, [])


def test_names_are_text_as_written():
    assert read("1: a\nNO: b\n~: c\n2024-01-01: d\ntrue: e\n1.50: f") == (
        {"1": "a", "NO": "b", "~": "c", "2024-01-01": "d", "true": "e", "1.50": "f"},
        [],
    )


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("a: 1\nb:\n  - c: 1\n    c: 2", ['f:4: b[0].c: "c" is given twice in one object (keep one)']),
        (
            "a: 1\n'a': 2\na: 3",
            ['f:2: a: "a" is given twice in one object (keep one)', 'f:3: a: "a" is given twice in one object (keep one)'],
        ),
        ("a: !!python/object:os.system [x]", ["f:1: a: the tag !!python/object:os.system is not read (leave tags out)"]),
        (
            "a: !x 1\nb: !!str 2\nc: ! 3",
            [
                f"f:{n}: {k}: the tag {t} is not read (leave tags out)"
                for n, k, t in ((1, "a", "!x"), (2, "b", "!!str"), (3, "c", "!"))
            ],
        ),
        ("a: 1\n---\nb: 2", ["f:2: a second document begins here (keep one document a file)"]),
        ("a: *x", ["f:1: *x refers to nothing before it (mark a value with &x)"]),
        ("a: &x\n  b: *x", ["f:2: *x stands within what it refers to"]),
        ("? [a]\n: b", ["f:1: a name must be text, not a list or mapping"]),
        ("? {a: 1}\n: b", ["f:1: a name must be text, not a list or mapping"]),
        ("a: &x [1]\n*x : 2", ["f:2: a name must be text, not a list or mapping"]),
        ("a:\n  <<: 3", ["f:2: << takes a mapping, or a list of them"]),
        ("a:\n  <<: [{b: 1}, 3]", ["f:2: << takes a mapping, or a list of them"]),
        ("- " * 250 + "a", ["f:1: nested deeper than 200 levels (flatten it)"]),
        ("a: \x01", ["f:1: is not valid YAML: control characters are not allowed"]),
    ],
)
def test_what_is_wrong_is_told_at_its_line_and_path(text, problems):
    assert read(text)[1] == problems


@pytest.mark.parametrize(
    "text",
    ["a: [1,\n", "a: b: c", "a:\n\t- b", "a: 'x\n", "{a: 1", "- a\nb: 1", "%YAML 9.9\n---\na", "a: @b", "`", "&", "[" * 10_000],
)
def test_bad_syntax_is_one_problem_with_a_line(text):
    value, problems = read(text)
    assert value is None
    assert len(problems) == 1
    assert problems[0].startswith("f:")
    assert ": is not valid YAML: " in problems[0]


def test_aliases_are_followed():
    assert read("a: &x {b: [1, 2]}\nc: *x\nd: [*x, *x]\ne: &k key\n*k : 1") == (
        {"a": {"b": [1, 2]}, "c": {"b": [1, 2]}, "d": [{"b": [1, 2]}] * 2, "e": "key", "key": 1},
        [],
    )


def test_an_anchor_given_again_is_the_newer_one():
    assert read("a: &x 1\nb: *x\nc: &x 2\nd: *x")[0] == {"a": 1, "b": 1, "c": 2, "d": 2}


def test_merged_mappings_fill_in_what_is_not_there():
    text = "a: &x {k: 1, l: 1}\nb: &y {l: 2, m: 2}\nc:\n  k: 3\n  <<: *x\nd: {<<: [*y, *x], n: 4}\ne: {'<<': 5}"
    value, problems = read(text)
    assert problems == []
    assert value["c"] == {"k": 3, "l": 1}
    assert value["d"] == {"n": 4, "l": 2, "m": 2, "k": 1}
    assert value["e"] == {"<<": 5}
    assert value["a"] == {"k": 1, "l": 1}


def bomb(levels: int, leaf: str) -> str:
    lines = [f"k0: &a0 [{', '.join([leaf] * 10)}]"]
    return "\n".join([*lines, *(f"k{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels))])


def test_an_alias_bomb_is_refused_before_it_grows():
    value, problems = read(bomb(30, "x"))
    assert value is None
    assert problems == ["f:6: aliases make this document too large (write out less, or split the file)"]
    assert read(bomb(4, "x"))[1] == []


def test_an_alias_bomb_of_long_text_is_refused():
    text = f"a: &x {'y' * 1_000_000}\nb: [{', '.join(['*x'] * 100)}]"
    assert read(text)[1] == ["f:2: aliases make this document too large (write out less, or split the file)"]


@pytest.mark.parametrize("text", ["", "# only a comment", "---", "--- \n...\n", "~"])
def test_nothing_is_null(text):
    assert read(text) == (None, [])


DOCUMENT = """\
# comment
suite: x
cases:
  - id: a
    order: yes
    quoted: "yes"
    turns:
      - {input: q,
         expected: |
           z}
  - &b
    id: b
  - *b
""".replace("|\n           z}", "'z'}")


def test_marks_have_line_and_style():
    paths = ["cases[0].order", "cases[0].quoted", "cases[0].turns[0].expected", "cases[1]", "cases[2]", "", "none"]
    assert marks(DOCUMENT, paths) == {
        "": Mark(line=2, plain=False),
        "cases[0].order": Mark(line=5, plain=True),
        "cases[0].quoted": Mark(line=6, plain=False),
        "cases[0].turns[0].expected": Mark(line=9, plain=False),
        "cases[1]": Mark(line=10, plain=False),
        "cases[2]": Mark(line=12, plain=False),
    }


def test_lines_are_those_of_the_nearest_that_is_there():
    paths = ["cases[0].turns[0].nope", "cases[1].id", "cases[2].id", "cases[7]", "nope", ""]
    assert locate(DOCUMENT, paths) == dict(zip(paths, [8, 11, 12, 3, 2, 2], strict=True))
    assert locate("", ["a"]) == {}
    assert locate("a: 1\nb: [2\nc: }", ["a", "b[0]"]) == {"a": 1, "b[0]": 2}


@given(JSON)
@example({"": {"": [[], {}, [[]], {"a": None}]}})
def test_marks_find_every_place(value):
    def places(each, path=""):
        yield path
        inner = each.items() if isinstance(each, dict) else enumerate(each) if isinstance(each, list) else ()
        for key, one in inner:
            yield from places(one, join(path, key))

    out = io.StringIO()
    write(value, out)
    expected = set(places(value))
    assert set(marks(out.getvalue(), expected)) == expected


@given(JSON)
@example(
    [
        "1e-3",
        "0x1F",
        "0o7",
        "5.",
        "NO",
        "<<",
        "",
        " ",
        "a\nb",
        "\n",
        "a\n",
        "\n a\n\n",
        "- x",
        "# y",
        "é\U0001f600",
        "\x85",
        "\u2028",
        "\ufeff",
        "\x7f",
        "null",
        "~",
        "1:30",
    ]
)
@example({"<<": 1, "1e-3": {"~": 2}, "": [1e-05, 1e22, -0.0, 5e-324, 10**30]})
@example({"a": "x" * 300 + " y" * 300, "b": "tab\there", "c": "trailing  \nline", "d": "cr\r\n"})
def test_what_is_written_reads_back_the_same(value):
    out = io.StringIO()
    write(value, out)
    assert read(out.getvalue()) == (value, [])


def test_what_is_written_is_fit_for_people():
    out = io.StringIO()
    shared = {"k": 1}
    write({"b": "NO", "a": ["x", shared, shared], "text": "one\ntwo\n", "ö": "größe"}, out)
    assert out.getvalue() == "b: 'NO'\na:\n- x\n- k: 1\n- k: 1\ntext: |\n  one\n  two\nö: größe\n"


def test_a_value_left_out_at_the_end_is_on_the_last_line():
    assert locate("---", ["a"]) == {"a": 1}
    assert locate("a:\nb:", ["b"]) == {"b": 2}


@pytest.mark.parametrize("text", ["{[0,?]", "? [a]\n: 1\nb:\n- 2", "{{a: 1}: 2}", "a: 1\n? - b\n: c"])
def test_lines_are_found_as_far_as_names_are_text(text):
    assert locate(text, ["a", "b[0]"]).get("a", 1) == 1


@given(st.text("ab:-[]{}&*!?|>'\"#%@`,\n\t ~<01.", max_size=40))
def test_any_text_gives_a_value_or_problems(text):
    value, problems = read(text)
    if value is None and not problems:
        node = yaml.compose(text.replace("\t", " "))  # which refuses tabs also where they are but space
        assert node is None or node.value in ("", "~")
    assert all(problem.startswith("f:") for problem in problems)
    assert all(1 <= line <= text.count("\n") + 1 for line in locate(text, ["a", "b[0]"]).values())


@given(JSON)
def test_json_without_surrogate_pairs_is_yaml_too(value):
    import json

    text = json.dumps(value, ensure_ascii=False)
    if max(text) >= "\x7f" or len(text) > 900:
        return  # libyaml refuses some control characters that JSON allows bare, and names of more than 1,024 characters
    assert read(text) == (value, [])


@pytest.mark.parametrize("letter", ["\x85", "\u2028", "\u2029"])
def test_what_is_a_line_break_to_older_yaml_alone_is_none(letter):
    assert read(f'a: "x{letter}  y"\n') == ({"a": f"x{letter}  y"}, [])
    assert read(f"a: x{letter}y\nb{letter}: |\n  x{letter}  y\n") == ({"a": f"x{letter}y", f"b{letter}": f"x{letter}  y\n"}, [])
    assert read(f"a: \uf8ff{letter}\n") == ({"a": f"\uf8ff{letter}"}, [])
    assert read(f"a: '{letter}'\nb: .nan\n")[1][0].startswith("f:2: ")
    assert read(f"a: '{letter}\n")[1][0].startswith("f:2: ")
