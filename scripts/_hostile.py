"""Give `viva validate` hostile files of every format: `scripts/hostile [--files N] [--seed N] [--keep FOLDER]`."""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import _hostile_files
from _hostile_files import MEGABYTE, Bad

MEMORY = 2048 * MEGABYTE
"""Address space of a child: past it, a reader fails."""
SECONDS = 30
"""Processor time for one file: past it, a reader hangs."""
BATCH = 100


@dataclass(frozen=True)
class Outcome:
    """What became of one file, read in one way."""

    bad: Bad
    given: str
    kind: str
    peak: float
    said: str


def judged(code: int, said: str, name: str) -> str:
    """What an answer of the command is worth."""
    if "Traceback" in said or "internal error" in said:
        return "traceback"
    if code == 0:
        return "accepted"
    if code != 2:
        return f"exit {code}"
    if any(not letter.isprintable() and letter != "\n" for letter in said):
        return "raw control character"
    return "clear" if name[:4] in said else "unnamed"


def answer(words: Sequence[str]) -> tuple[int, str]:
    """Exit code and output of the command, in this process."""
    from vivavoce.cli.main import viva

    held = sys.stdout, sys.stderr
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    sys.stdout = sys.stderr = stream
    try:
        code = viva(words)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout, sys.stderr = held
    stream.seek(0)
    return code, stream.read()


def child() -> None:
    """Read what standard input names, one after the other, and say what became of each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for line in sys.stdin:
        path, given = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        code, said = answer(["validate", *(["--format", given] if given else []), "--", path])
        signal.setitimer(signal.ITIMER_PROF, 0)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps([judged(code, said, Path(path).name), peak, said[:2000]]), flush=True)


def batch(asked: Sequence[tuple[Bad, str]]) -> list[Outcome]:
    """What became of some files, in one child, and in another one for those after a file that ended it."""
    lines = "".join(json.dumps([str(bad.path), given]) + "\n" for bad, given in asked)
    argv = [sys.executable, str(Path(__file__).resolve()), "--child"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("VIVA_")} | {"PYTHONUTF8": "1"}
    done = subprocess.run(argv, input=lines, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=env, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    found = [Outcome(bad, given, kind, peak, said) for (bad, given), (kind, peak, said) in zip(asked, answers, strict=False)]
    if len(found) < len(asked):
        bad, given = asked[len(found)]
        kind = "hang" if done.returncode == -signal.SIGPROF else f"ended by {done.returncode}"
        found.append(Outcome(bad, given, kind, 0, ""))
        if len(found) < len(asked):
            found += batch(asked[len(found) :])
    return found


def examined(bad: Sequence[Bad]) -> list[Outcome]:
    """Every file, read as what it looks like and as what it was made from."""
    asked = [(each, given) for each in bad for given in ("", each.format)]
    return [each for at in range(0, len(asked), BATCH) for each in batch(asked[at : at + BATCH])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=500, metavar="N", help="how many files")
    parser.add_argument("--huge", type=int, default=16, metavar="N", help="how many of them unpack to 100 MB or more")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="other files")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write the files there and keep them")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child()
        return
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="viva-hostile-"))
    folder.mkdir(exist_ok=True)
    try:
        bad = _hostile_files.files(folder, arguments.files, seed=arguments.seed, huge=arguments.huge)
        found = examined(bad)
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)
    unclear = [each for each in found if each.kind != "clear"]
    for each in unclear:
        print(f"{each.kind}: {each.bad.path.name!a} ({each.bad.way}, --format {each.given or 'none'}): {each.said[:300]!a}")
    worst = max(found, key=lambda each: each.peak)
    faulty = {each.bad.path for each in unclear}
    kinds = Counter(each.kind for each in found)
    print(f"{len(bad)} hostile files, each read by its looks and as its format: {len(bad) - len(faulty)} clear errors")
    print(f"tracebacks {kinds['traceback']}, hangs {kinds['hang']}, wrongly accepted {kinds['accepted']}", end="")
    print(f", other {len(unclear) - kinds['traceback'] - kinds['hang'] - kinds['accepted']}")
    print(f"peak memory {worst.peak:.0f} MB ({worst.bad.way})")
    sys.exit(1 if unclear else 0)


if __name__ == "__main__":
    main()
