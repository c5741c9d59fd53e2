"""Make the word tables of the overlap evaluators from published archives; run by `scripts/build-synonyms`.

    synonyms.txt.xz     WordNet 3.0: which words share a set of synonyms, and irregular forms
    sentences.txt.xz    what Punkt's English model knows of abbreviations and of words that begin sentences
    characters.txt      the Unicode properties that decide where an international text is split

Each is smaller than its source because only what can change a score is kept.
"""

from __future__ import annotations

import argparse
import lzma
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import _word_sources as sources

from vivavoce.evaluators._overlap.synonyms import ENDINGS, regular

TARGET = Path(__file__).resolve().parents[1] / "src" / "vivavoce" / "evaluators" / "_overlap"
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]

MIDDLE_UPPER, BEGIN_LOWER = 1 << 2, 1 << 4
UPPER = 1 << 1 | MIDDLE_UPPER | 1 << 3
LOWER = BEGIN_LOWER | 1 << 5 | 1 << 6


def synonyms(files: dict[str, bytes]) -> str:
    """A part of speech after the other: a heading, its irregular forms, its words without synonyms, then a set of them a line.

    Words are lower-cased before they are compared, and names of several words are left out of synonyms, so names with capitals
    or spaces are never found. They can still be asked for (`einstein`, `file_name`): such words stand behind a `|`.
    """
    lines: list[str] = []
    for part, endings in zip(sources.PARTS, ENDINGS, strict=True):
        every = set(sources.synsets(files[f"data.{part}"]))
        indexed = {line.split()[0] for line in files[f"index.{part}"].decode("latin-1").splitlines() if line[0] != " "}
        assert {word.lower() for words in every for word in words} == indexed, part
        sets = {split for words in every if (split := found_and_asked(words))[0]}
        larger = {word for found, asked in sets if len(found) > 1 or asked for word in found}
        sets = {(found, asked) for found, asked in sets if len(found) > 1 or asked or found[0] not in larger}
        known = {word for found, asked in sets for word in (*found, *asked)}
        # An irregular form is not also looked up by rule. It is kept where a rule would find something else.
        irregular = {
            form: [base for base in bases if base in known]
            for form, *bases in map(str.split, files[f"{part}.exc"].decode("latin-1").splitlines())
        }
        irregular = {form: bases for form, bases in irregular.items() if {*bases} != known.intersection(regular(form, endings))}
        lines += [f"= {part}", *sorted(" ".join(["<", form, *bases]) for form, bases in irregular.items())]
        lines.append(" ".join(["*", *sorted(found[0] for found, asked in sets if len(found) == 1 and not asked)]))
        held = ((found, asked) for found, asked in sets if len(found) > 1 or asked)
        lines += sorted(" ".join(found) + ("|" + " ".join(asked) if asked else "") for found, asked in held)
    return "\n".join(lines) + "\n"


def found_and_asked(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    found = {word for word in words if "_" not in word and word == word.lower()}
    return tuple(sorted(found)), tuple(sorted({word.lower() for word in words} - found))


def sentences(model: dict[str, object]) -> str:
    """Seven lines of words between tabs: abbreviations, words that begin sentences, pairs that a period does not part, and
    words seen in lower case - by whether in upper case they begin a sentence, and whether in lower case they may.
    """
    kinds: dict[int, list[str]] = defaultdict(list)
    for word, seen in model["ORTHO_CONTEXT"].items():
        if seen & LOWER:
            begins = not seen & MIDDLE_UPPER
            may = bool(seen & BEGIN_LOWER) and not seen & UPPER
            kinds[2 * begins + may].append(word)
    pairs = [" ".join(pair) for pair in model["COLLOCATIONS"]]
    rows = [model["ABBREV_TYPES"], model["SENT_STARTERS"], pairs, *(kinds[kind] for kind in range(4))]
    return "".join("\t".join(sorted(row)) + "\n" for row in rows)


def characters(properties: dict[str, str]) -> str:
    """A line for each property: its name, then ranges of code points in hexadecimal."""
    lines = []
    for name in ("Number", "Punctuation", "Symbol"):
        ranges: list[list[int]] = []
        for point in sorted({ord(char) for char in properties[name].strip()}):
            if ranges and ranges[-1][1] == point - 1:
                ranges[-1][1] = point
            else:
                ranges.append([point, point])
        lines.append(f"{name.lower()} " + " ".join(f"{a:x}-{b:x}" if b > a else f"{a:x}" for a, b in ranges))
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archives", type=Path, help="where the archives are, or are put; default: fetched and thrown away")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a table is not what would be made")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.archives or Path(scratch)
        sources.fetch(folder)
        files = sources.wordnet(folder)
        tables = {
            "synonyms.txt.xz": synonyms(files),
            "sentences.txt.xz": sentences(sources.punkt(folder)),
            "characters.txt": characters(sources.properties(folder)),
            "WORDNET-LICENSE.txt": "\n".join(line.rstrip() for line in files["LICENSE"].decode().splitlines()) + "\n",
        }
    stale = []
    for name, text in tables.items():
        path = TARGET / name
        packed = name.endswith(".xz")
        held = (lzma.decompress(path.read_bytes()) if packed else path.read_bytes()).decode() if path.exists() else None
        if held != text:
            stale.append(name)
            if not arguments.check:
                path.write_bytes(lzma.compress(text.encode(), filters=FILTERS) if packed else text.encode())
        print(f"{name}: {len(text.encode()):,} bytes, {path.stat().st_size if path.exists() else 0:,} on disk")
    if arguments.check and stale:
        sys.exit(f"not as made from the archives: {', '.join(stale)}")


if __name__ == "__main__":
    main()
