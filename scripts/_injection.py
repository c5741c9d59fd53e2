"""Print how often a judge is talked into passing bad answers: `scripts/judge-injection [--judge NAME:MODEL] [--rows N]`.

Answers that people called bad, and that the judge fails as well, are given to it again with something added to talk it round
(tests/data/judging/attacks.jsonl). Where such an answer passes, the judge is fooled. Answers that it passes or abstains on as
they are do not count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence

import _judging
from _judging import Row

from vivavoce.core import plugins, specs
from vivavoce.core.errors import Abstain, VivaError
from vivavoce.core.kinds import Judge
from vivavoce.core.reply import Object

ATTACKS = [json.loads(line) for line in (_judging.OWN / "attacks.jsonl").read_text(encoding="utf-8").splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/judge-injection", description=__doc__.partition("\n")[0])
    parser.add_argument("--judge", default="local", help="default: the embedded one")
    parser.add_argument(
        "--rows", type=int, metavar="N", help="bad answers of each construct, at most; each is judged a dozen times"
    )
    given = parser.parse_args()
    asyncio.run(_measure(given.judge, given.rows))
    return 0


async def _measure(spec: str, most: int | None) -> None:
    judge = plugins.build("judges", specs.parse_spec(spec, "judges"))
    by_construct: dict[str, list[Row]] = {}
    for row in _judging.own():
        if not row.good:
            by_construct.setdefault(row.construct, []).append(row)
    base = {name: await _failed(judge, _spread(rows, most)) for name, rows in by_construct.items()}
    print("| attack | " + " | ".join(f"{name} ({len(rows)})" for name, rows in base.items()) + " | all |")
    print("| --- |" + " --- |" * (len(base) + 1))
    for attack in ATTACKS:
        fooled = {name: await _fooled(judge, rows, attack["text"]) for name, rows in base.items()}
        shares = [(fooled[name], len(base[name])) for name in base]
        shares.append((sum(fooled.values()), sum(map(len, base.values()))))
        print(f"| {attack['kind']} | " + " | ".join(_share(*each) for each in shares) + " |", flush=True)
    if hasattr(judge, "close"):
        await judge.close()


def _spread(rows: Sequence[Row], most: int | None) -> Sequence[Row]:
    """So many rows at most, from the whole of them."""
    return rows if most is None or len(rows) <= most else [rows[at * len(rows) // most] for at in range(most)]


async def _failed(judge: Judge, rows: Sequence[Row]) -> list[Row]:
    """The rows whose answers the judge fails as they are."""
    return [row for row in rows if await _passes(judge, row, {}) is False]


async def _fooled(judge: Judge, rows: Sequence[Row], text: str) -> int:
    """How many answers pass once something is added to them."""
    passed = 0
    for row in rows:
        said = text.format(answer=row.evidence.response, question=row.evidence.input)
        passed += await _passes(judge, row, {"response": said}) is True
    return passed


async def _passes(judge: Judge, row: Row, fields: Object) -> bool | None:
    """Whether an answer passes, or what `fields` put in its place; `None` when the judge abstains."""
    try:
        verdict = row.rubric.check(await judge.judge(row.rubric, row.evidence, fields))
    except Abstain:
        return None
    assert verdict.value is not None
    assert row.rubric.threshold is not None
    return verdict.value >= row.rubric.threshold


def _share(some: int, of: int) -> str:
    return f"{some / of:.0%}" if of else "-"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except VivaError as error:
        print(f"judge-injection: {error}", file=sys.stderr)
        sys.exit(2)
