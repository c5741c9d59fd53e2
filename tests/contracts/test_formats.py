"""What every dataset format keeps to: each file in `tests/data/<format>` is a test of it.

`ok` holds files that read without a problem, `bad` files that do not; beside a bad file, `<name>.expect` may hold the problems
it must give, line by line. A new format, or a new file, is tested without an edit here.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import random
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from vivavoce.core import codec, plugins
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Case, Suite, Use
from vivavoce.core.place import Problem, Problems
from vivavoce.core.source import Source

DATA = Path(__file__).resolve().parents[1] / "data"
FORMATS = plugins.names("formats")
MARKS = ("line", "path")


def files(folder: str) -> list[tuple[str, Path]]:
    return [
        (name, path)
        for name in FORMATS
        for path in sorted((DATA / name / folder).glob("*"))
        if path.is_file() and path.suffix != ".expect"
    ]


def named(found: list[tuple[str, Path]]) -> list[str]:
    return [f"{name}-{path.name}" for name, path in found]


OK, BAD = files("ok"), files("bad")


def build(name: str):
    return plugins.build("formats", Use(name=name))


def read(name: str, source: Source, *, lenient: bool = False) -> tuple[Suite | None, list[Case], tuple[Problem, ...]]:
    """A file read whole; a file that cannot be read at all gives one problem."""
    problems = Problems(lenient=lenient)
    try:
        suite = build(name).read(source, problems)
        return suite, list(suite.cases), problems.found()
    except UsageError as error:
        return None, [], (Problem(file=source.name, message=str(error).removeprefix(source.name).lstrip(": ")),)


def bare(case: Case) -> Case:
    """A case without its places."""

    def checks(given):
        return tuple(replace(check, path="") for check in given)

    turns = tuple(replace(turn, path="", checks=checks(turn.checks)) for turn in case.turns)
    return replace(case, line=None, path="", turns=turns, checks=checks(case.checks))


@pytest.mark.parametrize("name", FORMATS)
def test_there_is_data(name):
    assert [path for each, path in OK if each == name], f"tests/data/{name}/ok holds nothing"
    assert [path for each, path in BAD if each == name], f"tests/data/{name}/bad holds nothing"


@pytest.mark.parametrize(("name", "path"), OK, ids=named(OK))
def test_a_good_file_is_of_this_format_alone(name, path):
    assert [each for each in FORMATS if build(each).matches(Source(path))] == [name]


@pytest.mark.parametrize(("name", "path"), BAD, ids=named(BAD))
def test_a_damaged_file_is_still_of_no_other_format(name, path):
    assert [each for each in FORMATS if build(each).matches(Source(path))] in ([name], [])


@pytest.mark.parametrize(("name", "path"), OK, ids=named(OK))
def test_a_good_file_reads_the_same_twice(name, path):
    problems = Problems()
    suite = build(name).read(Source(path, path.name), problems)
    cases = list(suite.cases)
    assert problems.found() == ()
    assert cases
    assert list(suite.cases) == cases
    assert list(build(name).read(Source(path, path.name), problems).cases) == cases
    assert suite.format == name
    assert suite.source == path.name
    assert suite.name
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        assert bool(case.turns) != (case.persona is not None), case.id
        assert codec.decode(codec.encode(case), Case) == case, case.id
        codec.case_digest(case)


LINES = [(name, path) for name, path in OK if path.suffix == ".jsonl" and path.read_bytes().lstrip(b"\xef\xbb\xbf")[:1] == b"{"]


@pytest.mark.parametrize(("name", "path"), LINES, ids=named(LINES))
def test_a_first_line_of_two_megabytes_is_one_of_several(name, path, tmp_path):
    begins = path.read_bytes().index(b"{") + 1
    long = tmp_path / path.name
    long.write_bytes(path.read_bytes()[:begins] + b" " * 2_000_000 + path.read_bytes()[begins:])
    assert [each for each in FORMATS if build(each).matches(Source(long))] == [name]
    _, cases, problems = read(name, Source(long, path.name))
    assert problems == ()
    assert cases == read(name, Source(path, path.name))[1]


@pytest.mark.parametrize(("name", "path"), BAD, ids=named(BAD))
def test_a_bad_file_says_what_is_wrong_and_where(name, path):
    source = Source(path, path.name)
    _, cases, problems = read(name, source)
    assert problems
    with source.open() as content:
        lines = len(content.readlines())
    for problem in problems:
        assert problem.file == path.name
        assert problem.message
        assert problem.line is None or 1 <= problem.line <= lines + 1
    assert any(problem.line is not None for problem in problems)
    expected = path.with_name(path.name + ".expect")
    if expected.exists():
        assert [str(problem) for problem in problems] == expected.read_text(encoding="utf-8").splitlines()
    assert len({case.id for case in cases}) == len(cases)


@pytest.mark.parametrize(("name", "path"), BAD, ids=named(BAD))
def test_a_bad_file_read_leniently_never_raises(name, path):
    _, cases, problems = read(name, Source(path), lenient=True)
    assert cases or problems


@pytest.mark.parametrize(("name", "path"), BAD, ids=named(BAD))
def test_reading_on_after_problems_adds_none(name, path):
    problems = Problems()
    with contextlib.suppress(UsageError):  # a file that cannot be read at all is another test's
        suite = build(name).read(Source(path), problems)
        first = list(suite.cases)
        total = problems.total
        assert list(suite.cases) == first
        assert problems.total == total


@pytest.mark.parametrize(("name", "path"), OK, ids=named(OK))
def test_writing_and_reading_back_loses_nothing_unsaid(name, path, tmp_path):
    suite, cases, _ = read(name, Source(path))
    out = io.StringIO()
    lost = build(name).write(suite, out)
    assert all(isinstance(sentence, str) and sentence for sentence in lost)
    again = tmp_path / f"again{Source(path).suffix}"
    again.write_text(out.getvalue(), encoding="utf-8")
    _, reread, problems = read(name, Source(again, again.name))
    assert problems == ()
    if not lost:
        assert [bare(case) for case in reread] == [bare(case) for case in cases]
    second = io.StringIO()
    build(name).write(build(name).read(Source(again), Problems()), second)
    assert second.getvalue() == out.getvalue()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(("other", "path"), OK, ids=named(OK))
def test_every_suite_can_be_written_in_every_format(name, other, path, tmp_path):
    suite, cases, _ = read(other, Source(path))
    out = io.StringIO()
    lost = build(name).write(suite, out)
    again = tmp_path / "again"
    again.write_text(out.getvalue(), encoding="utf-8")
    if out.getvalue().strip():
        _, reread, problems = read(name, Source(again))
        assert problems == () or (lost and not reread)
        assert lost or [case.id for case in reread] == [case.id for case in cases]


@pytest.mark.parametrize("name", FORMATS)
def test_the_schema_is_valid(name):
    schema = build(name).schema()
    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    validator.check_schema(schema)
    assert "$schema" in schema
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(3, schema)


HOSTILE = {
    "empty": b"",
    "blank": b" \n\t\n ",
    "binary": bytes(range(256)) * 64,
    "zeros": b"\0" * 100_000,
    "utf-16": '{"items": []}'.encode("utf-16"),
    "latin": '{"suite": "é", "cases": [], "items": []}'.encode("latin-1"),
    "deep list": b"[" * 10_000,
    "deep closed list": b"[" * 10_000 + b"]" * 10_000,
    "deep object": b'{"items":' * 10_000,
    "deep item": b'{"schemaVersion": "1.0.0", "items": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "deep case": b'{"suite": "s", "cases": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "deep row": b'{"input": "x", "metadata": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001,
    "deep yaml": b"suite: s\ncases: " + b"[" * 10_000,
    "deep block": b"suite: s\ncases:\n" + b"- " * 10_000 + b"a",
    "question marks": b"suite: s\ncases:\n" + b"? " * 10_000,
    "quotes": b'{"input": "' + b'\\"' * 500_000,
    "brackets and quotes": b"[" * 300 + b'"' + b'\\"' * 500_000,
    "garbage": random.Random(7).randbytes(1_000_000).translate(bytes(each % 95 + 32 for each in range(256))),
    "garbage lines": b"{garbage}\n" * 1_000,
    "one long name": b'{"' + b"n" * 1_000_000 + b'": 1}',
    "digits": b'{"input": "x", "metadata": {"n": ' + b"9" * 200_000 + b"}}",
    "commas": b'{"items": [' + b"," * 500_000 + b"]}",
    "colons": b'{"items"' + b":" * 500_000,
    "null": b"null",
    "number": b"3",
    "text": b'"suite: x, cases: y"',
    "list": b'[1, null, [], {"input": 3}, "x"]',
    "cut gzip": gzip.compress(b'{"input": "x"}\n' * 1000, mtime=0)[:40],
    "spoilt gzip": gzip.compress(b'{"input": "x"}\n' * 1000, mtime=0)[:30] + b"spoilt" * 10,
    "gzip of zeros": gzip.compress(b"\0" * 1_000_000, mtime=0),
    "alias bomb": b"suite: s\na: &a [x,x,x,x,x,x,x,x,x,x]\n"
    + b"".join(b"%c: &%c [%s]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 10)) for n in range(20))
    + b"cases: *u\n",
    "itself": b"suite: s\ncases: &a\n- *a\n",
}


@pytest.mark.parametrize("name", FORMATS)
def test_as_many_hostile_lines_as_one_likes_give_problems_and_nothing_worse(name, tmp_path):
    test_hostile_content_gives_problems_and_nothing_worse(name, b"{garbage}\n" * 100_000, ".jsonl", tmp_path)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("content", HOSTILE.values(), ids=list(HOSTILE))
@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".yaml"])
def test_hostile_content_gives_problems_and_nothing_worse(name, content, suffix, tmp_path):
    path = tmp_path / f"hostile{suffix}"
    path.write_bytes(content)
    source = Source(path, path.name)
    with contextlib.suppress(UsageError):
        assert build(name).matches(source) in (True, False)
    suite, cases, problems = read(name, source)
    if suite is not None and not problems:
        # Rows of nothing read as a suite of nothing, which the planner refuses.
        assert not cases
        assert not content.strip() or content.startswith(b"\x1f\x8b")
    assert all(str(problem) for problem in problems)
