"""The reference pages say what is written."""

import io
import json
import re
from pathlib import Path

from conftest_reports import header, said

from vivavoce.analysis.summary import Tally
from vivavoce.core import codec
from vivavoce.core.model import Revision, Use
from vivavoce.core.reply import Citation, Reply, ToolCall
from vivavoce.core.result import Exchange, Fault, Result, Run, Score, Stability
from vivavoce.reports.csv import COLUMNS
from vivavoce.reports.json import Json

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def example():
    score = Score(
        name="ExactMatch",
        evaluator="ExactMatch",
        status="pass",
        value=1.0,
        unit_value=1.0,
        reason="the reply is the expected text",
    )
    call = ToolCall(name="find_hours", arguments={"day": "Monday"}, result="9-17", id="call-1")
    reply = said("At 9.", 0.2, tool_calls=(call,))
    turn = Exchange(input="When do you open on Monday?", expected="At 9.", reply=reply, scores=(score,))
    result = Result(
        suite="desk",
        case="opening",
        name="Opening time",
        category="shop",
        metadata={"owner": "front desk"},
        status="pass",
        digest="b2:5a3de23c9dba0a19d7cf1bd8eaed06d2",
        turns=(turn,),
    )
    tally = Tally()
    tally.add(result)
    plan = header(target=Use(name="http", options={"url": "https://agent.example/api/chat"}))
    file = codec.convert({"path": "evals/desk.jsonl", "sha256": "3f" * 32}, type(plan.files[0]))
    return Run(
        id="20260131-120000-7f3a",
        started="2026-01-31T12:00:00Z",
        finished="2026-01-31T12:00:01Z",
        state="complete",
        header=type(plan)(
            digest=plan.digest,
            selection=plan.selection,
            files=(file,),
            version=plan.version,
            revision=Revision(commit="9fceb02d0ae598e95dc970b74767f19372d61af8", dirty=False),
        ),
        summary=tally.summary(trials_planned=1, seconds=1.2),
        results=(result,),
    )


def page(name):
    return (REFERENCE / name).read_text(encoding="utf-8")


def test_the_example_of_the_run_document_is_one():
    (shown,) = re.findall(r"(?s)```json\n(.*?)```", page("run-document.md"))
    out = io.StringIO()
    Json().render(example(), out)
    assert json.loads(shown) == json.loads(out.getvalue())


def test_every_field_of_the_run_document_is_told():
    run = example()
    document = codec.document(run)
    told = set(re.findall(r"`(\w+)`", page("run-document.md")))
    parts = [Result, Exchange, Reply, ToolCall, Citation, Score, Fault, Stability]
    fields = {name for part in parts for name in part.__slots__}
    for part in (document, document["plan"], document["summary"], document["summary"]["usage"]):
        fields |= set(part)
    for group in ("evaluators", "categories", "suites"):
        fields |= {name for each in document["summary"][group].values() for name in each}
    assert fields - told == set()


def test_every_state_and_status_is_told():
    text = page("run-document.md")
    for word in ("running", "complete", "interrupted", "stopped", "goal_completed", "max_turns", "gave_up", "not_sent"):
        assert f"`{word}`" in text


def test_every_column_is_told_once_in_order():
    table = re.findall(r"(?m)^\| ((?:`\w+`(?:, )?)+) \|", page("csv.md"))
    assert [name for cell in table for name in re.findall(r"`(\w+)`", cell)] == list(COLUMNS)
