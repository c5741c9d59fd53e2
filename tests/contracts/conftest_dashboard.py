"""A store with a history to look at, and a server over it with suites that can be run."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn
from conftest_pages import nasty_run
from conftest_reports import fixed_run, header

from vivavoce.analysis.summary import Tally
from vivavoce.core import plugins
from vivavoce.core.evidence import Evidence
from vivavoce.core.kept import keep
from vivavoce.core.model import Case, Expectation, Header, Revision, Selection, Turn, Use
from vivavoce.core.reply import Reply, ToolCall
from vivavoce.core.result import Exchange, Result, Score
from vivavoce.evaluators.rows import RowComparison
from vivavoce.run.calls import Limits
from vivavoce.web.access import Access
from vivavoce.web.app import application
from vivavoce.web.context import Context
from vivavoce.web.project import Project
from vivavoce.web.runs import Runs
from vivavoce.web.serving import address, listen

TOKEN = "page-token-of-the-test"
EXPECTED = (
    {"product": "Bread", "storeSales": 1200.5},
    {"product": "Dairy", "storeSales": 803},
    {"product": "Eggs", "storeSales": 41},
)
ANSWERED = (
    {"Product": "Bread", "Store Sales": "$1,200.50"},
    {"Product": "Dairy", "Store Sales": "$798.00"},
    {"Product": "Ice", "Store Sales": "$41"},
)


LET_GO = threading.Semaphore(0)
"""Of which the agent takes one before it answers what it is told to hold."""


def answer(text: str) -> str:
    """The agent: slow enough to be watched."""
    if text.startswith("Hold"):
        LET_GO.acquire(timeout=60)
    if "Atlantis" in text:
        raise RuntimeError("there is no such place")
    time.sleep(0.15)
    return "Paris" if "France" in text else "<script>window.hacked = 1</script>"


def opener(path: Path) -> Callable[[], object]:
    """What opens the store at a path."""

    @contextmanager
    def opened() -> Iterator[object]:
        store = plugins.build("stores", Use(name="sqlite", options={"path": str(path)}))
        try:
            yield store
        finally:
            store.close()

    return opened


def see_to(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Carry out what is asynchronous, also where a browser has the thread's event loop."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(work())).result()


async def fill(
    path: Path, run_id: str, results: Sequence[Result], *, day: int = 31, ends: bool = True, head: Header | None = None
) -> None:
    """Keep a run."""
    head = head or header()
    started = f"2026-{1 + day // 28:02}-{1 + day % 28:02}T12:00:00Z"
    tally = Tally(head.selection.repeat)
    for result in results:
        tally.add(result)
    with opener(path)() as store:
        store.begin(run_id, started, head)
        await store.append(run_id, [keep(each, Case(id=each.case, turns=(Turn(input="?"),))) for each in results])
        if ends:
            store.finish(run_id, started, "complete", tally.summary(trials_planned=len(results), seconds=12.0))


def rows_result(position: int = 0, *, right: bool = False) -> Result:
    """A case whose rows were compared by the evaluator itself."""
    got = EXPECTED if right else ANSWERED
    asked = Turn(input="Sales by product?", expect=Expectation(rows=EXPECTED))
    case = Case(id="sales-by-product", turns=(asked,))
    verdict = RowComparison().score(Evidence(case=case, turn=asked, reply=Reply(rows=got)))
    score = Score(
        name="RowComparison",
        evaluator="RowComparison",
        status="pass" if verdict.passed else "fail",
        value=verdict.value,
        unit_value=verdict.value,
        reason=verdict.reason,
        details=verdict.details,
    )
    call = ToolCall(name="run_query", arguments={"mdx": "SELECT [Store Sales] ON 0"}, result={"rows": 3})
    reply = Reply(text="Three rows.", rows=got, intent="QUERY", tool_calls=(call,), seconds=0.3)
    turn = Exchange(input="Sales by product?", reply=reply, scores=(score,))
    return Result(
        suite="sales",
        case="sales-by-product",
        name="Sales by product",
        category="rows",
        position=position,
        status=score.status,
        turns=(turn,),
    )


async def history(path: Path, runs: int = 24) -> None:
    """Many runs of three suites, going up and down, at revisions of the project."""
    base, dice = list(fixed_run().results), random.Random(7)
    for at in range(runs):
        results = []
        for result in base:
            calm = at > 0 and result.status in ("fail", "error") and dice.random() < 0.25 + at / 40
            results.append(replace(result, status="pass", error=None, turns=(), scores=()) if calm else result)
        commit = f"{(at // 5 + 1) * 0x1357B:07x}" + "0" * 33
        head = replace(header(), revision=Revision(commit=commit, dirty=at % 7 == 3))
        results.append(replace(rows_result(right=at > 0 and at % 3 == 0), position=len(base)))
        await fill(path, f"run-{at:03}", results, day=at, head=head)
    await fill(path, "run-hostile", [replace(each, suite="hostile") for each in nasty_run().results], day=runs)


def project(folder: Path, path: Path) -> Project:
    """Settings that name two suites, one of which waits for the test, and one agent."""
    lines = ["suite: live", "cases:"]
    for at in range(20):
        asked = f"Capital of {'France' if at % 3 else 'Peru'}"
        lines.append(f"  - {{id: q{at}, input: {asked}, expected: Paris, evaluators: {{ExactMatch: {{}}}}}}")
    (folder / "live.eval.yaml").write_text("\n".join(lines))
    held = ("Hold: France", "Hold: Atlantis", "Hold: France again")
    asked = [f"  - {{input: '{each}', expected: Paris, evaluators: {{ExactMatch: {{}}}}}}" for each in held]
    (folder / "held.eval.yaml").write_text("\n".join(["suite: held", "cases:", *asked]))
    selection = Selection(
        paths=(str(folder / "live.eval.yaml"), str(folder / "held.eval.yaml")),
        target=Use(name="python", options={"spec": "conftest_dashboard:answer"}),
    )
    return Project(store=opener(path), selection=selection, limits=Limits(concurrency=1), environment={}, folder=folder)


@contextmanager
def served(given: Project) -> Iterator[str]:
    """The address of a server, in a thread, until it is no longer wanted."""
    access = Access()
    context = Context(project=given, runs=Runs(given, print), access=access, page_token=TOKEN, say=print)
    with listen(access.host, 0) as listener:
        config = uvicorn.Config(application(context), log_config=None, log_level="critical", lifespan="on", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                thread.join(0.02)
            yield address(listener, access.host).rstrip("/")
        finally:
            server.should_exit = True
            thread.join(30)
