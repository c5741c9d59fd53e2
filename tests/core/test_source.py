"""Files as they come: packed, marked, damaged, too long."""

from __future__ import annotations

import gzip
import hashlib
from contextlib import suppress

import pytest

from vivavoce.core.errors import UsageError
from vivavoce.core.source import HEAD, Source


@pytest.fixture
def made(tmp_path):
    def make(content: bytes, name: str = "a.jsonl") -> Source:
        path = tmp_path / name
        path.write_bytes(content)
        return Source(path, name)

    return make


PACKED = gzip.compress(b'{"a": 1}\n' * 5000, mtime=0)


def test_a_byte_order_mark_is_left_out_everywhere(made):
    source = made(b"\xef\xbb\xbf\xc3\xa9\n\xef\xbb\xbfx\n")
    assert source.head() == b"\xc3\xa9\n\xef\xbb\xbfx\n"
    assert source.text() == "é\n\ufeffx\n"
    assert list(source.lines()) == [(1, b"\xc3\xa9"), (2, b"\xef\xbb\xbfx")]


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_utf_16_is_refused_with_the_way_out(made, mark):
    source = made(mark + b"x\0")
    for look in (source.head, source.text, lambda: list(source.lines())):
        with pytest.raises(UsageError, match=r"a\.jsonl: is UTF-16; save it as UTF-8"):
            look()


def test_lines_know_their_numbers_past_blanks_and_either_line_break(made):
    source = made(b"\r\n  a \r\n\n\t\nb\n c")
    assert list(source.lines()) == [(2, b"a"), (5, b"b"), (6, b"c")]


def test_an_empty_file_has_nothing(made):
    source = made(b"")
    assert (source.head(), source.text(), list(source.lines())) == (b"", "", [])


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl", "A.JSONL.GZ"])
def test_gzip_is_told_by_its_content(made, name):
    source = made(PACKED, name)
    assert source.is_gzip
    assert source.suffix == ".jsonl"
    assert source.stem.lower() == "a"
    assert source.head(8) == b'{"a": 1}'
    assert sum(1 for _ in source.lines()) == 5000
    assert source.sha256() == hashlib.sha256(PACKED).hexdigest()


@pytest.mark.parametrize(
    ("name", "suffix", "stem"),
    [
        ("a.b.JSON", ".json", "a.b"),
        ("a.eval.yaml", ".yaml", "a.eval"),
        ("none", "", "none"),
        (".hidden", "", ".hidden"),
        ("a.json.gz", ".json", "a"),
    ],
)
def test_suffix_and_stem(made, name, suffix, stem):
    source = made(b"x", name)
    assert (source.suffix, source.stem) == (suffix, stem)


def spoilt() -> bytes:
    middle = len(PACKED) // 2
    return PACKED[:middle] + bytes(byte ^ 0x55 for byte in PACKED[middle:])


@pytest.mark.parametrize("content", [PACKED[:30], PACKED[:11], PACKED[:-4], spoilt(), b"\x1f\x8b", b"\x1f\x8bnot gzip at all"])
def test_damaged_gzip_is_an_error_that_names_the_file(made, content):
    source = made(content, "a.jsonl.gz")
    for look in (lambda: source.head(1 << 20), source.text, lambda: list(source.lines())):
        with pytest.raises(UsageError, match=r"^a\.jsonl\.gz: cannot be read: ."):
            look()


def test_lines_are_found_as_far_as_a_damaged_file_goes(made):
    whole = gzip.compress(b'{\n"a": 1,\n"b": "' + b"long" * 50_000 + b'",\n"c": 2}', mtime=0)
    assert made(whole[:-4], "a.json.gz").locate(["a", "c"]) == {"a": 2, "c": 4}
    assert made(whole[: len(whole) // 2], "a.json.gz").locate(["a", "c"]) == {"a": 2, "c": 1}
    assert made(whole[:11], "a.json.gz").locate(["a"]) == {}


def test_lines_before_damage_are_read(made):
    text = b"".join(b"line %d of a file that is cut off\n" % number for number in range(20_000))
    source = made(gzip.compress(text, 9)[:-2000], "a.jsonl.gz")
    read = []
    with pytest.raises(UsageError, match=r"^a\.jsonl\.gz: cannot be read: "):
        read.extend(source.lines())
    whole = []
    with gzip.open(source.path) as content, suppress(EOFError):
        while line := content.readline():
            whole.append(line)
    assert len(read) > 1000
    assert [line for _, line in read] == [line.strip() for line in whole]


def test_what_is_no_file_is_an_error_that_names_it(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        source = Source(path, "it.json")
        for look in (source.head, source.text, source.sha256, lambda source=source: list(source.lines())):
            with pytest.raises(UsageError, match=r"^it\.json: cannot be read: "):
                look()


def test_a_document_too_large_is_refused(made):
    source = made(b"x" * 2_000_000)
    assert len(source.text(2_000_000)) == 2_000_000
    with pytest.raises(UsageError, match=r"a\.jsonl: larger than 1 MB.*JSON lines"):
        source.text(1 << 20)


def test_an_unpacked_document_counts_not_a_packed_one(made):
    with pytest.raises(UsageError, match="larger than 1 MB"):
        made(gzip.compress(b"x" * 5_000_000), "a.gz").text(1 << 20)


def test_a_line_too_long_is_refused_at_its_number_after_those_before(made):
    lines = made(b"a\n" + b"x" * 1_048_577 + b"\nb\n").lines(1 << 20)
    assert next(lines) == (1, b"a")
    with pytest.raises(UsageError, match=r"a\.jsonl:2: a line longer than 1 MB; split the row"):
        next(lines)


def test_a_line_as_long_as_allowed_is_read(made):
    assert [len(line) for _, line in made(b"x" * 10 + b"\n" + b"y" * 9 + b"\n").lines(11)] == [10, 9]


def test_text_that_is_not_utf_8_is_refused_at_its_line(made):
    with pytest.raises(UsageError, match=r"a\.jsonl:3: is not UTF-8"):
        made(b"a\nb\n\xe9\n").text()


def test_only_the_head_is_read_of_a_large_file(made):
    assert len(made(b"x" * 1_000_000).head()) == HEAD


def test_locate_uses_the_locator_of_the_format(made):
    source = made(b'{\n"a": 1}')
    assert source.locate(["a"]) == {"a": 2}
    source.locator = lambda text, paths: dict.fromkeys(paths, len(text))
    assert source.locate(["a"]) == {"a": 9}
