"""Runs made here for every report: a fixed one, one with repeats, a hostile one, and runs that ended early.

Reports of the fixed run are compared with the files in `tests/gold/`. After a change that is meant, look at what
`VIVA_GOLD=1 pytest tests/contracts/test_reports.py tests/reports` writes there, and commit it with the change.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from vivavoce.analysis.summary import Tally
from vivavoce.core.model import File, Header, Selection, Use
from vivavoce.core.reply import Citation, Reply, ToolCall
from vivavoce.core.result import Exchange, Fault, Result, Run, Score

GOLD = Path(__file__).parents[1] / "gold"
NO_JUDGE = "no judge is set; name one with --judge, such as --judge local"
TIMEOUT = Fault(code="timeout", message="no answer within 120 s; allow more with --timeout, or look at the agent's log")
NOT_SENT = Fault(code="not_sent", message="not sent: an earlier turn of this conversation failed")


def check_gold(name: str, text: str) -> None:
    """Compare with a gold file, byte for byte."""
    path = GOLD / name
    if os.environ.get("VIVA_GOLD"):
        path.write_text(text, encoding="utf-8", newline="")
    assert text == path.read_bytes().decode("utf-8"), f"differs from {path}; if that is meant, see conftest_reports.py"


def header(repeat: int = 1, **selected: object) -> Header:
    files = (
        File(path="evals/kitchen.evals.json", sha256="3f" * 32, format="m365", suite="kitchen"),
        File(path="evals/orders.jsonl", sha256="a0" * 32, format="native", suite="orders"),
        File(path="evals/garden.eval.yaml", sha256="5c" * 32, format="saiku", suite="garden"),
    )
    given = {
        "paths": ("evals/",),
        "target": Use(name="http", options={"url": "https://agent.example/api/chat", "headers": {"Authorization": "${TOKEN}"}}),
        "judge": Use(name="local"),
        "repeat": repeat,
        **selected,
    }
    return Header(digest="b2:8f14e45fceea167a5a36dedd4bea2543", selection=Selection(**given), files=files, version="0.1.0")


def run_of(
    results: list[Result], *, state: str = "complete", planned: int | None = None, repeat: int = 1, **selected: object
) -> Run:
    """A run of these results, counted as a real one is."""
    tally = Tally(repeat)
    for result in results:
        tally.add(result)
    return Run(
        id="20260131-120000-7f3a",
        started="2026-01-31T12:00:00Z",
        finished="2026-01-31T12:00:41Z",
        state=state,
        header=header(repeat, **selected),
        summary=tally.summary(trials_planned=len(results) if planned is None else planned, seconds=41.25),
        results=results,
    )


def fixed_run() -> Run:
    """Three suites, threads, all four statuses at every level, and texts of several scripts."""
    return run_of([replace(result, position=at) for at, result in enumerate(_results())])


def repeated_run() -> Run:
    """Three cases, three times each; one is unstable."""
    results = []
    for at, (case, statuses) in enumerate({"boil-egg": "ppp", "rice-water": "pfp", "proof-dough": "fff"}.items()):
        for repeat, letter in enumerate(statuses):
            score = exact("pass", "as expected") if letter == "p" else exact("fail", 'expected "12 minutes", got "an hour"')
            turn = Exchange(input=f"How long for {case}?", expected="12 minutes", reply=said("an hour"), scores=(score,))
            results.append(
                Result(
                    suite="kitchen",
                    case=case,
                    repeat=repeat,
                    position=3 * at + repeat,
                    status="pass" if letter == "p" else "fail",
                    turns=(turn,),
                )
            )
    return run_of(results, repeat=3)


def empty_run() -> Run:
    """Nothing was selected."""
    return run_of([])


def interrupted_run() -> Run:
    """Two of nine cases were done."""
    return run_of(list(fixed_run().results)[:2], state="interrupted", planned=9)


HOSTILE = (
    "\x1b[31;1mred\x1b[0m \x1b]8;;https://evil.example\x07click\x1b]8;;\x07 \x1b[2J\x1b[H",
    "\x00nul \x07bell \x08back \x7fdel \x9b31mc1 \r overwritten\r\nnext \x0b\x0c",
    "[bold red]markup[/bold red] [link=https://evil.example]x[/link] :smile: {{7*7}} ${TOKEN} %s",
    "<script>alert(1)</script><img src=x onerror=alert(1)> ]]> &amp; | a | `code` | </textarea>",
    "invoice\u202egpj.exe \u2066isolated\u2069 \u200bzero\ufeffwidth \u2028line\u2029paragraph",
    '=HYPERLINK("https://evil.example","click")',
    "+1+cmd|'/c calc'!A0",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1+1",
    "half \ud83d of a pair \udc00",
    "\U000e0049\U000e0047tags",
    "日本語の回答 עברית العربية 👩‍👩‍👧 e\u0301 Z͑̈a̷l̸g͟o",
    "wörd" * 262_144,
    "",
    "   \n\n\t  ",
)


def hostile_run() -> Run:
    """Every text another party can put into a run, at its worst."""
    results = []
    for at, text in enumerate(HOSTILE):
        score = Score(
            name=text[:300] or "Blank",
            evaluator="ExactMatch",
            status="fail",
            value=float("nan"),
            label=text[:40],
            reason=text,
            judge=text[:30],
            details={text[:20]: [text[:50], float("inf")]},
        )
        skipped = Score(name="Relevance", evaluator="Relevance", status="skip", reason=text)
        turn = Exchange(input=text, expected=text, reply=Reply(text=text, raw={"k": text[:99]}), scores=(score, skipped))
        results.append(
            Result(
                suite="s" + text[:200],
                case=f"{text[:2000]}{at}",
                name=text[:200],
                category=text[:500],
                metadata={"from": text[:100]},
                position=2 * at,
                status="fail",
                turns=(turn,),
                scores=(score,),
            )
        )
        fault = Fault(code=text[:40] or "blank", message=text)
        lost = Exchange(input={"deep": [text]}, error=fault)
        results.append(Result(suite="errors", case=f"e{at}", position=2 * at + 1, status="error", turns=(lost,), error=fault))
    return run_of(results, target=Use(name=HOSTILE[0], options={"url": HOSTILE[4], "api_key": "sk-secret"}))


def said(text: str, seconds: float = 0.5, **more: object) -> Reply:
    return Reply(text=text, seconds=seconds, usage={"input_tokens": 40, "output_tokens": 12}, **more)


def exact(status: str, reason: str) -> Score:
    value = {"pass": 1.0, "fail": 0.0}.get(status)
    return Score(name="ExactMatch", evaluator="ExactMatch", status=status, value=value, unit_value=value, reason=reason)


def relevance(status: str, value: float | None = None, reason: str = "") -> Score:
    return Score(
        name="Relevance",
        evaluator="Relevance",
        status=status,
        value=value,
        unit_value=None if value is None else (value - 1) / 4,
        threshold=3,
        reason=reason or NO_JUDGE,
        rubric="Relevance@1",
        judge="local",
    )


def _single(case: str, asked: object, expected: str | None, reply: Reply | None, *scores: Score, **more: object) -> Result:
    order = ("error", "fail", "pass", "skip")
    status = next((each for each in order if any(score.status == each for score in scores)), "skip")
    error = more.pop("error", None)
    turn = Exchange(input=asked, expected=expected, error=error, reply=reply, scores=scores)
    given = {"suite": "kitchen", "category": "cooking", "status": "error" if error else status, **more}
    return Result(case=case, turns=(turn,), error=error, **given)


def _results() -> list[Result]:
    return [*_kitchen(), *_orders(), *_garden()]


def _kitchen() -> list[Result]:
    unanswered = Score(
        name="ExactMatch", evaluator="ExactMatch", status="error", reason="the agent did not answer: no answer within 120 s"
    )
    return [
        _single(
            "boil-egg",
            "How long do I boil an egg until it is hard?",
            "10 minutes",
            said("10 minutes", citations=(Citation(index=1, text="Eggs", source="https://kitchen.example/eggs"),)),
            exact("pass", "as expected"),
            relevance("pass", 5.0, "the answer names the time that was asked for"),
            name="Boil an egg",
            metadata={"owner": "pantry"},
        ),
        _single(
            "rice-water",
            "How much water does a cup of rice need?",
            "Two cups.",
            said(
                "About one and a half cups; for brown rice take a little more, and let it rest for ten minutes under a lid.",
                0.8,
            ),
            exact("fail", 'expected "Two cups.", got "About one and a half cups; for brown rice ..."'),
            relevance("pass", 4.0, "the answer gives an amount of water"),
            name="Water for rice",
        ),
        _single(
            "saffron",
            "サフランの代わりに何を使えますか。",
            "ターメリック",
            said("ターメリックを少し使うと、色がよく似ます。香りは違います。"),
            Score(
                name="PartialMatch",
                evaluator="PartialMatch",
                status="pass",
                value=0.5,
                unit_value=0.5,
                threshold=0.5,
                reason="6 of 6 expected tokens are in the answer, which has 24",
            ),
            relevance("skip"),
            category="spices",
        ),
        _single(
            "oven",
            "Convert gas mark 4 to Celsius.",
            "180 °C",
            None,
            unanswered,
            error=TIMEOUT,
            name="Gas mark",
        ),
        _single("freezer", "May I freeze yoghurt?", "Yes.", None, unanswered, error=TIMEOUT, category="storage"),
        _single("plain", "Say anything.", None, said("Anything."), relevance("skip"), category=None),
    ]


def _orders() -> list[Result]:
    ordered = said("Order 1007 has left our house.", 1.9, tool_calls=(ToolCall(name="find_order", arguments={"id": 1007}),))
    thread = Result(
        suite="orders",
        case="late-parcel",
        name="A parcel that is late",
        category="after sales",
        status="fail",
        turns=(
            Exchange(
                input="Where is my order 1007?",
                expected="It was sent.",
                reply=ordered,
                scores=(relevance("pass", 5.0, "answers"),),
            ),
            Exchange(
                input="It should have been here on Monday. What can I do?",
                expected="Offer a refund or a second parcel.",
                reply=said("I am sorry to hear that. Please be patient.\n\nIs there anything else I can do for you?", 2.4),
                scores=(
                    relevance("fail", 2.0, "the answer offers nothing that could be done"),
                    Score(
                        name="ToolChoice",
                        evaluator="ToolChoice",
                        status="fail",
                        value=0.0,
                        unit_value=0.0,
                        label="wrong tool",
                        call=0,
                        reason="find_order was called again, though its result was known",
                        judge="local",
                    ),
                ),
            ),
            Exchange(input="Thanks.", reply=said("You are welcome.", 0.3), scores=(relevance("skip"),)),
        ),
        scores=(
            Score(
                name="TrajectoryInOrderMatch",
                evaluator="TrajectoryInOrderMatch",
                status="fail",
                value=0.0,
                unit_value=0.0,
                reason="expected find_order, open_claim; open_claim was never called",
                details={"precision": 1.0, "recall": 0.5},
            ),
        ),
    )
    broken = Result(
        suite="orders",
        case="gift",
        category="after sales",
        status="error",
        turns=(
            Exchange(input="Wrap it as a gift.", reply=said("Gladly."), scores=(relevance("pass", 3.0, "agrees to wrap it"),)),
            Exchange(
                input={"to": "Zoë", "text": "Happy birthday"},
                error=Fault(code="http_500", message="the agent answered 500: database is locked"),
            ),
            Exchange(input="Send it.", error=NOT_SENT),
        ),
        error=Fault(code="http_500", message="the agent answered 500: database is locked"),
    )
    return [thread, broken]


def _garden() -> list[Result]:
    return [
        _single(
            "beds",
            "How many beds are there, by plant?",
            None,
            Reply(rows=({"plant": "bean", "beds": 3}, {"plant": "leek", "beds": 2}), intent="QUERY", seconds=0.1),
            Score(
                name="Rows",
                evaluator="Rows",
                status="fail",
                value=0.0,
                unit_value=0.0,
                reason='rows[1].beds: expected 4, got 2\nrows[2]: expected {"plant": "kale"}, got nothing',
            ),
            suite="garden",
            category=None,
        ),
        _single(
            "frost",
            "When is the last frost?",
            "Mid May",
            said("In the middle of May, most years."),
            relevance("error", None, "the judge answered 7, which is not on the scale 1-5"),
            suite="garden",
            category="weather",
        ),
        _single(
            "slugs",
            "What helps against slugs?",
            "Beer traps",
            said("Beer traps"),
            exact("pass", "as expected"),
            suite="garden",
            category="weather",
        ),
    ]
