"""Dataset files that are bad, each in one way: what `scripts/hostile` gives to `viva validate`."""

from __future__ import annotations

import copy
import gzip
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Seed:
    """A good file of a format, from which bad ones are made."""

    format: str
    suffix: str
    value: Any  # any JSON
    strict: tuple[str, ...]
    """Names whose value can be of one type only."""
    closed: bool = False
    """Whether the format refuses names it does not know."""
    twice: str = ""
    """The name that must differ from case to case."""


CUBE = {"connectionName": "c", "catalog": "c", "schema": "s", "cubeName": "n"}
SPAN = {
    "traceId": "4bf92f3577b34da6a3ce929d0e0e4701",
    "spanId": "00f067aa0ba90201",
    "name": "chat",
    "startTimeUnixNano": "1700000000000000000",
    "endTimeUnixNano": "1700000001000000000",
    "attributes": [],
}
SEEDS = (
    Seed(
        "m365",
        ".json",
        {
            "schemaVersion": "1.8.0",
            "default_evaluators": {"Relevance": {"threshold": 3}},
            "items": [
                {"prompt": "Où?", "expected_response": "Là.", "evaluators": {"ExactMatch": {"case_sensitive": True}}},
                {"name": "thread", "turns": [{"prompt": "One?", "expected_response": "1"}, {"prompt": "Two?"}]},
            ],
        },
        ("schemaVersion", "items", "prompt", "evaluators", "turns", "default_evaluators", "case_sensitive", "threshold"),
        closed=True,
    ),
    Seed(
        "native",
        ".jsonl",
        [
            {"id": "a", "input": "Où?", "expected": "Là.", "evaluators": {"ExactMatch": {"case_sensitive": True}}},
            {"id": "b", "turns": [{"input": "One?"}], "history": [{"role": "user", "content": "é"}]},
        ],
        ("id", "evaluators", "turns", "history", "case_sensitive", "role"),
        closed=True,
        twice="id",
    ),
    Seed(
        "native",
        ".yaml",
        {"suite": "é", "cases": [{"id": "a", "input": "Où?", "expected": "Là."}, {"id": "b", "turns": [{"input": "One?"}]}]},
        ("cases", "turns"),
        closed=True,
        twice="id",
    ),
    Seed(
        "foundry",
        ".jsonl",
        [{"id": "a", "query": "Où?", "response": "Là."}, {"id": "b", "query": "Two?", "response": "2", "tool_calls": []}],
        ("tool_calls",),
        twice="id",
    ),
    Seed("foundry", ".csv", [["id", "query", "response"], ["a", "Où?", "Là."], ["b", "Two\nlines?", "2"]], (), twice="id"),
    Seed(
        "agentcore",
        ".json",
        {
            "scenarios": [
                {"scenario_id": "a", "turns": [{"input": "Où?"}], "expected_trajectory": ["look"], "assertions": ["é"]},
                {"scenario_id": "b", "actor_profile": {"context": "c", "goal": "g"}, "input": "x", "max_turns": 3},
            ]
        },
        ("scenarios", "turns", "scenario_id", "assertions", "actor_profile", "max_turns", "goal"),
        twice="scenario_id",
    ),
    Seed(
        "saiku",
        ".eval.yaml",
        {
            "name": "é",
            "cube": CUBE,
            "cases": [
                {"name": "one", "question": "Où?", "expectedRows": [{"n": 1}], "orderMatters": False},
                {"name": "two", "question": "Two?", "expectedRows": [{"n": 2}], "tolerance": {"relative": 0.1}},
            ],
        },
        ("cube", "cases", "expectedRows", "orderMatters", "tolerance", "relative"),
        twice="name",
    ),
    Seed(
        "otel",
        ".json",
        {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "é"}, "spans": [SPAN]}]}]},
        ("resourceSpans", "scopeSpans", "spans"),
    ),
)
HOSTILE = (
    "../../etc/passwd",
    "\x1b[2J\x1b]0;owned\x07",
    "=cmd|' /C calc'!A1",
    "<script>alert(1)</script>",
    "\u202etxt.exe",
    "a\nb: 1",
)
ODD_NAMES = ("\x1b[31mred", "=1+1", "..", "two\nlines", "%s{0}", "-rf", "'; drop", "\u202erev", "a" * 180, "::error::x")
WRONG: tuple[Any, ...] = ({"x": [1]}, [[{"y": None}]], [None])  # of no type that a strict name takes


def dumped(seed: Seed, value: Any) -> str:
    """A value as the text of the seed's kind of file."""
    if seed.suffix == ".csv":
        return "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in value)
    if seed.suffix == ".jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in value)
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"  # YAML holds all of JSON


Made = tuple[str, bytes]
"""In what way a file is bad, and its content."""


def cut(seed: Seed, dice: random.Random) -> Made:
    text = dumped(seed, seed.value)
    marks = '"' if seed.suffix == ".csv" else "{["
    places = [at for at, mark in enumerate(text) if mark in marks]
    at = dice.choice(places[::2] if seed.suffix == ".csv" else places)
    return "cut", text[: at + 1].encode() + (b"Where" if seed.suffix == ".csv" else b"")


def encoded(seed: Seed, dice: random.Random) -> Made:
    name = dice.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "latin-1", "cp1252", "cp500"])
    return name, dumped(seed, seed.value).encode(name)


def marked(seed: Seed, dice: random.Random) -> Made:
    text = dumped(seed, seed.value).encode()
    marks = [b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf\xff\xfe", b"\xff\xfe\x00\x00", b"\xef\xbb", b"\x00\x00\xfe\xff"]
    return "byte-order", dice.choice(marks) + text


def nul(seed: Seed, dice: random.Random) -> Made:
    text = dumped(seed, seed.value).encode()
    at = dice.randrange(len(text))
    return "nul", text[:at] + b"\0" * dice.choice([1, 7, 4096]) + text[at:]


def not_utf8(seed: Seed, dice: random.Random) -> Made:
    text = dumped(seed, seed.value).encode()
    at = text.index(b"O")
    piece = dice.choice([b"\xed\xa0\x80", b"\xff", b"\xc0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82"])
    return "bytes", text[:at] + piece + text[at:]


def unpaired(seed: Seed, dice: random.Random) -> Made:
    text = dumped(seed, seed.value).replace("Où", dice.choice(["\\ud800", "\\udfff x", "\\udc00\\ud800"]))
    return "surrogate", text.encode()


def doubled(seed: Seed, dice: random.Random) -> Made:
    text = dumped(seed, seed.value)
    name = dice.choice([each for each in (*seed.strict, seed.twice) if f'"{each}": ' in text])
    return "key-twice", text.replace(f'"{name}": ', f'"{name}": null, "{name}": ', 1).encode()


def deep(seed: Seed, dice: random.Random) -> Made:
    levels = dice.choice([201, 1_000, 100_000, 2_000_000])
    opened, closed = dice.choice([("[", "]"), ('{"a":', "}")])
    bomb = opened * levels + ("1" + closed * levels if dice.random() < 0.7 else "")
    return "deep", dumped(seed, seed.value).replace('"Où?"', bomb, 1).encode()


def number(seed: Seed, dice: random.Random) -> Made:
    forms = ["1e999", "-1e400", "9" * 5_000, "NaN", "Infinity", "-Infinity", "1" + "0" * 100_000]
    if seed.suffix.endswith("yaml"):
        forms = ["1e999", "-1e400", "9" * 5_000, ".nan", ".inf", "-.INF", "0x" + "f" * 5_000]
    return "number", dumped(seed, seed.value).replace('"Où?"', dice.choice(forms), 1).encode()


def places(value: Any, names: tuple[str, ...]) -> Iterator[tuple[Any, str]]:
    """Where one of the names stands: its object and it."""
    if isinstance(value, dict):
        yield from ((value, name) for name in value if not names or name in names)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from places(inner, names)


def wrong_type(seed: Seed, dice: random.Random) -> Made:
    value = copy.deepcopy(seed.value)
    holder, name = dice.choice(list(places(value, seed.strict)))
    holder[name] = dice.choice([each for each in WRONG if not isinstance(each, type(holder[name]))])
    return f"type-of-{name}", dumped(seed, value).encode()


def misspelt(seed: Seed, dice: random.Random) -> Made:
    value = copy.deepcopy(seed.value)
    holder, name = dice.choice([(holder, name) for holder, name in places(value, seed.strict) if len(name) > 3])
    holder[name[:-2] + name[-1] + name[-2] + dice.choice(["", "s"])] = holder.pop(name)
    return f"misspelt-{name}", dumped(seed, value).encode()


def same_id(seed: Seed, dice: random.Random) -> Made:
    value, name = copy.deepcopy(seed.value), dice.choice(HOSTILE)
    if seed.suffix == ".csv":
        name = name.replace("\n", " ")
        value = [value[0], *([name, *row[1:]] for row in value[1:])]
    for row in next((value[key] for key in ("cases", "scenarios") if isinstance(value, dict) and key in value), value):
        if isinstance(row, dict):
            row[seed.twice] = name
    return "id-twice", dumped(seed, value).encode()


def yaml(seed: Seed, dice: random.Random) -> Made:
    text = dumped(seed, seed.value)
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    tags = ["!!python/object/apply:os.system [ls]", "!!python/name:os.system", "!include /etc/passwd", "!!binary '*'", "!<x> y"]
    ways = [
        ("aliases", f"{bomb}cases: *a11\n"),
        ("tag", text.replace('"Où?"', dice.choice(tags))),
        ("second-document", f"{text}---\n{text}"),
        ("second-document", f"{text}---\n"),
        ("alias", text.replace('"Où?"', "*nowhere")),
        ("itself", "cases: &a\n  - *a\n"),
        ("tab", "cases:\n\t- input: x\n"),
        ("merge", "<<: 3\n" + "cases: [1]\n"),
        ("version", f"%YAML 9.9\n--- {text}"),
        ("text", "cases: |\n  - input: x\n"),
        ("key", "? [a, b]\n: 1\ncases: []\n"),
    ]
    name, made = dice.choice(ways)
    return f"yaml-{name}", made.encode()


def packed(seed: Seed, dice: random.Random) -> Made:
    whole = gzip.compress(dumped(seed, seed.value).encode(), mtime=0)
    ways = {
        "cut": whole[: dice.randrange(3, len(whole) - 9)],
        "sum": whole[:-8] + bytes(8),
        "rest": whole + b"rest",
        "twice": gzip.compress(whole, mtime=0),
        "header": b"\x1f\x8b" + dice.randbytes(40),
        "alone": b"\x1f\x8b",
    }
    name = dice.choice(sorted(ways))
    return f"gzip-{name}", ways[name]


def foreign(seed: Seed, dice: random.Random) -> Made:
    ways = {
        "empty": b"",
        "blank": b" \r\n\t\n" * 100,
        "null": b"null",
        "three": b"3\n",
        "text": b"Dear sir or madam,\n",
        "html": b"<!doctype html><title>x</title>",
        "png": b"\x89PNG\r\n\x1a\n" + dice.randbytes(200),
        "elf": b"\x7fELF" + dice.randbytes(300),
        "zip": b"PK\x03\x04" + dice.randbytes(300),
        "noise": b"\x01" + dice.randbytes(500),
        "list": b"[]",
        "object": b"{}",
        "quote": b'"',
        "escape": b"\x1b]0;owned\x07\x1b[2J",
    }
    name = dice.choice(sorted(ways))
    return f"not-a-dataset-{name}", ways[name]


def large(seed: Seed, dice: random.Random) -> Made:
    """A line of 100 MB, or a document that unpacks to more than a document may be."""
    start = dumped(seed, seed.value)[:-4]
    piece = dice.choice([b" ", b"a", b"\0", b"[", b"\\u0041"]) * (MEGABYTE // 6)
    size = 600 if dice.random() < 0.8 else 1_800
    packer = gzip.compress(piece, 1, mtime=0)
    return "large", gzip.compress(start.encode() + b'"', mtime=0) + packer * size


def dense(seed: Seed, dice: random.Random) -> Made:
    """A hundred kilobytes that unpack to tens of millions of values."""
    before, _, after = dumped(seed, seed.value).partition('"Où?"' if seed.format != "otel" else "[]")
    piece = gzip.compress(dice.choice([b"{},", b"[],"]) * MEGABYTE, 1, mtime=0)
    return "dense", gzip.compress(f"{before}[".encode(), mtime=0) + piece * 20 + gzip.compress(f"1]{after}".encode(), mtime=0)


Way = Callable[[Seed, random.Random], Made]
WAYS: tuple[tuple[Way, Callable[[Seed], bool]], ...] = (
    (cut, lambda seed: True),
    (encoded, lambda seed: True),
    (marked, lambda seed: True),
    (nul, lambda seed: seed.suffix != ".csv"),
    (not_utf8, lambda seed: seed.format != "otel"),
    (unpaired, lambda seed: seed.suffix != ".csv" and seed.format != "otel"),
    (doubled, lambda seed: seed.suffix != ".csv"),
    (deep, lambda seed: seed.suffix != ".csv" and seed.format != "otel"),
    (number, lambda seed: seed.suffix != ".csv" and seed.format != "otel"),
    (wrong_type, lambda seed: bool(seed.strict)),
    (misspelt, lambda seed: seed.closed),
    (same_id, lambda seed: bool(seed.twice)),
    (yaml, lambda seed: seed.suffix.endswith("yaml")),
    (packed, lambda seed: True),
    (foreign, lambda seed: True),
)


@dataclass(frozen=True)
class Bad:
    """A bad file, and the format it was made from."""

    path: Path
    format: str
    way: str


def files(folder: Path, count: int, *, seed: int = 1, huge: int = 8) -> list[Bad]:
    """Write so many bad files, the same ones each time, `huge` of them large ones."""
    dice = random.Random(seed)
    pairs = [(way, each) for way, fits in WAYS for each in SEEDS if fits(each)]
    wanted: list[tuple[Way, Seed]] = []
    for number in range(huge):
        each = SEEDS[number // 2 % len(SEEDS)]
        wanted.append((dense if number % 2 and each.suffix != ".csv" else large, each))
    while len(wanted) < count:
        dice.shuffle(pairs)
        wanted += pairs[: count - len(wanted)]
    made = []
    for number, (way, each) in enumerate(wanted):
        name, content = way(each, dice)
        odd = dice.choice(ODD_NAMES) if number % 9 == 8 else name
        path = folder / f"{number:04}{odd}{each.suffix}"
        path.write_bytes(content)
        made.append(Bad(path, each.format, f"{each.format}{each.suffix} {name}"))
    return made
