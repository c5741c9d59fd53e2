"""Compare the overlap evaluators with the SDK whose numbers they promise; run by `scripts/differential`.

The SDK runs in an environment of its own, with the corpora that NLTK would download made from the archives that the word
tables are made from. Every score of every pair must agree within 1e-6; what differs is printed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import time
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _text_pairs
import _word_sources as sources

from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Reply
from vivavoce.evaluators import overlap

SDK = ("azure-ai-evaluation==1.18.10", "nltk==3.10.4")
TOLERANCE = 1e-6

VENDOR = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
from azure.ai.evaluation import BleuScoreEvaluator, F1ScoreEvaluator, GleuScoreEvaluator, MeteorScoreEvaluator
from azure.ai.evaluation import RougeScoreEvaluator, RougeType
evaluators = {
    "f1": (F1ScoreEvaluator(), "f1_score"),
    "bleu": (BleuScoreEvaluator(), "bleu_score"),
    "gleu": (GleuScoreEvaluator(), "gleu_score"),
    "meteor": (MeteorScoreEvaluator(), "meteor_score"),
    "meteor-other": (MeteorScoreEvaluator(alpha=0.5, beta=1.0, gamma=0.9), "meteor_score"),
    **{kind.value: (RougeScoreEvaluator(kind), "rouge_score") for kind in RougeType},
}
spent = dict.fromkeys(evaluators, 0.0)
pairs = json.load(open(sys.argv[1], encoding="utf-8"))
scores = []
for response, expected in pairs:
    row = {}
    for name, (evaluator, key) in evaluators.items():
        begun = time.process_time()
        try:
            made = evaluator(response=response, ground_truth=expected)
            row[name] = made[key]
            row[name + " passed"] = made[key.removesuffix("_score") + "_passed" if key != "f1_score" else "f1_score_passed"]
            if name.startswith("rouge"):
                row[name + " precision"] = made["rouge_properties"]["rouge_precision"]
                row[name + " recall"] = made["rouge_properties"]["rouge_recall"]
        except Exception as error:
            row[name] = f"{type(error).__name__}: {error}"
        spent[name] += time.process_time() - begun
    scores.append(row)
json.dump({"scores": scores, "seconds": spent}, open(sys.argv[2], "w"))
"""


def cache() -> Path:
    """Where the environment is kept unless told otherwise."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vivavoce" / "differential"


def environment(folder: Path) -> Path:
    """A Python with the SDK and the data it reads, made once."""
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not (folder / "ready").exists():
        # NLTK reads no data that others may write.
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        print(f"Making an environment in {folder} (once) ...", file=sys.stderr)
        venv.create(folder / "venv", with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *SDK], check=True)
        sources.fetch(folder / "archives")
        corpora(folder / "archives", folder / "nltk_data")
        (folder / "ready").touch()
    return python


def corpora(archives: Path, folder: Path) -> None:
    """What the SDK asks NLTK for, laid out as NLTK reads it."""
    wordnet = sources.wordnet(archives)
    # Two files the database is published without: counts, which no score reads, and names of subjects, of which none is used.
    wordnet["cntlist.rev"] = b""
    wordnet["lexnames"] = b"".join(b"%02d\tsubject%d\t1\n" % (number, number) for number in range(45))
    model = sources.punkt(archives)
    tables = {
        "abbrev_types.txt": model["ABBREV_TYPES"],
        "sent_starters.txt": model["SENT_STARTERS"],
        "collocations.tab": ["\t".join(pair) for pair in model["COLLOCATIONS"]],
        "ortho_context.tab": [f"{word}\t{seen}" for word, seen in model["ORTHO_CONTEXT"].items()],
    }
    properties = sources.properties(archives)
    pack(folder / "corpora" / "wordnet.zip", {f"wordnet/{name}": data for name, data in wordnet.items()})
    pack(
        folder / "tokenizers" / "punkt_tab.zip",
        {f"punkt_tab/english/{name}": "\n".join(rows).encode() for name, rows in tables.items()},
    )
    # Looked for, never read.
    pack(folder / "tokenizers" / "punkt.zip", {"punkt/README": b""})
    pack(
        folder / "misc" / "perluniprops.zip",
        {f"perluniprops/{name}.txt": text.encode() for name, text in properties.items()},
    )


def pack(path: Path, files: dict[str, bytes]) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted({f"{name.rpartition('/')[0]}/" for name in files} | set(files)):
            archive.writestr(name, files.get(name, b""))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(held.getvalue())


def ours(pairs: list[tuple[str, str]]) -> tuple[list[dict[str, Any]], dict[str, float]]:
    rouge = ("rouge1", "rouge2", "rouge3", "rouge4", "rouge5", "rougeL")
    evaluators: dict[str, Any] = {
        "f1": overlap.F1Score(),
        "bleu": overlap.BleuScore(),
        "gleu": overlap.GleuScore(),
        "meteor": overlap.MeteorScore(),
        "meteor-other": overlap.MeteorScore(alpha=0.5, beta=1.0, gamma=0.9),
        **{kind: overlap.RougeScore(rouge_type=kind) for kind in rouge},
    }
    rows, spent = [], dict.fromkeys(evaluators, 0.0)
    for response, expected in pairs:
        turn = Turn(input="", expect=Expectation(response=expected))
        evidence = Evidence(case=Case(id="pair", turns=(turn,)), turn=turn, reply=Reply(text=response))
        row: dict[str, Any] = {}
        for name, evaluator in evaluators.items():
            begun = time.process_time()
            verdict = evaluator.score(evidence)
            spent[name] += time.process_time() - begun
            row[name] = verdict.value
            row[f"{name} passed"] = verdict.value >= 0.5 if verdict.passed is None else verdict.passed
            if name.startswith("rouge"):
                row[f"{name} precision"], row[f"{name} recall"] = verdict.details["precision"], verdict.details["recall"]
        rows.append(row)
    return rows, spent


def differences(theirs: list[dict[str, Any]], mine: list[dict[str, Any]]) -> Iterator[tuple[int, str, Any, Any]]:
    for index, (one, other) in enumerate(zip(theirs, mine, strict=True)):
        for name, value in one.items():
            if isinstance(value, str) or abs(value - other[name]) > TOLERANCE:
                yield index, name, value, other[name]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", type=Path, help="where the environment is kept; default: the user's cache")
    arguments = parser.parse_args()
    folder = (arguments.cache or cache()).absolute()
    python = environment(folder)
    pairs = list(_text_pairs.generate(arguments.pairs, arguments.seed, sources.wordnet(folder / "archives")))
    (folder / "pairs.json").write_text(json.dumps(pairs), encoding="utf-8")
    environ = {**os.environ, "NLTK_DATA": str(folder / "nltk_data")}
    command = [str(python), "-c", VENDOR, str(folder / "pairs.json"), str(folder / "scores.json")]
    subprocess.run(command, check=True, env=environ, cwd=folder)
    vendor = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    mine, spent = ours(pairs)
    found = list(differences(vendor["scores"], mine))
    for index, name, value, other in found[:40]:
        print(f"pair {index}, {name}: {value} there, {other} here\n  {pairs[index][0]!r}\n  {pairs[index][1]!r}")
    compared = sum(len(row) for row in mine)
    print(f"{compared:,} values of {len(pairs):,} pairs compared, {len(found)} differ by more than {TOLERANCE:g}")
    names = ("f1", "bleu", "meteor", "rougeL")
    there, here = (sum(each[name] for name in names) for each in (vendor["seconds"], spent))
    print(
        f"F1, BLEU, METEOR and ROUGE-L took {there:.2f} s of processor time there, {here:.2f} s here: {here / there:.3f} of it"
    )
    if found:
        sys.exit(1)


if __name__ == "__main__":
    main()
