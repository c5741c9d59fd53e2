"""Runs recorded against real servers, and replayed when those are gone."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from conftest_models import KEY, Models, completion, refuses

from vivavoce.api import evaluate_async
from vivavoce.core import codec
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Case, Expectation, Suite, Turn, Use
from vivavoce.core.result import Run
from vivavoce.run._cassette.tape import Tape
from vivavoce.run.cassette import Deck, Taping

SECRET = "tok-9f8e7d6c5b4a"


class Agent:
    """Over HTTP; counts what it is asked, and gives every answer a number of its own."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.sessions: dict[str, int] = {}
        self.url = ""
        self.runner: web.AppRunner | None = None

    async def handle(self, request: web.Request) -> web.StreamResponse:
        told = await request.json()
        self.asked.append(told["input"])
        self.sessions[told["session_id"]] = self.sessions.get(told["session_id"], 0) + 1
        if "break" in str(told["input"]):
            return web.Response(status=500, text="broken")
        if "wait" in str(told["input"]):
            await asyncio.sleep(600)
        raw = {"api_key": "abcdef123456", "echo": request.headers.get("Authorization", "")}
        said = f"answer {len(self.asked)} to {told['input']}, turn {self.sessions[told['session_id']]} that I remember"
        return web.json_response({"text": said, "tool_calls": [], "usage": {"input_tokens": 3, "output_tokens": 4}, **raw})

    async def stop(self) -> None:
        if self.runner is not None:
            await self.runner.cleanup()
            self.runner = None


@pytest.fixture
async def agent() -> AsyncIterator[Agent]:
    made = Agent()
    app = web.Application()
    app.router.add_post("/chat", made.handle)
    made.runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await made.runner.setup()
    await web.TCPSite(made.runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{made.runner.addresses[0][1]}/chat"
    yield made
    await made.stop()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def numbered() -> Callable[[web.Request], Any]:
    """A judge whose every grade differs from the last: what is replayed cannot be what it would say now."""
    count = 0

    async def answer(_: web.Request) -> web.StreamResponse:
        nonlocal count
        count += 1
        return web.json_response(completion(json.dumps({"reason": f"This is verdict {count}.", "score": 1 + count % 5})))

    return answer


def cases(*inputs: Any, name: str = "cases.jsonl", **more: Any) -> str:
    rows = []
    for number, told in enumerate(inputs):
        turns = told if isinstance(told, list) else [told]
        rows.append({"id": f"c{number + 1}", "turns": [{"input": each, "expected": "x", **more} for each in turns]})
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return name


def judge(models: Models, **more: Any) -> Use:
    return Use(name="openai", options={"model": "tutor", "base_url": f"{models.base}/v1", "api_key": KEY, **more})


async def examine(path: str, agent: Agent, models: Models | None = None, **more: Any) -> Run:
    options = {"url": agent.url, "headers": {"Authorization": f"Bearer {SECRET}"}}
    arguments = {
        "target": Use(name="http", options=options),
        "judge": "none" if models is None else judge(models),
        "evaluators": ["Relevance"] if models is not None else ["ExactMatch"],
        "retries": 0,
        "cache": False,
    }
    return await evaluate_async(path, **{**arguments, **more})


def document(run: Run) -> dict[str, Any]:
    """The run document but for times and what names the run."""
    told: dict[str, Any] = json.loads(codec.encode(codec.document(run)))
    for name in ("id", "started", "finished"):
        del told[name]
    del told["summary"]["seconds"]
    for result in told["results"]:
        for turn in result["turns"]:
            if turn["reply"] is not None:
                del turn["reply"]["seconds"]
    return told


def lines(path: str = "calls.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


@pytest.mark.parametrize("file", ["calls.jsonl", "deep/calls.jsonl.gz"])
async def test_a_run_is_replayed_when_everybody_is_gone(agent: Agent, models: Models, file: str) -> None:
    models(numbered())
    path = cases("one", ["two", "three"], "break this")
    first = await examine(path, agent, models, record=file, repeat=2)
    asked = len(agent.asked), len(models.asked)
    assert asked == (8, 6)
    await agent.stop()
    models(refuses(500))
    again = await examine(path, agent, models, replay=file, repeat=2)
    assert document(again) == document(first)
    assert again.summary.errored == 2
    assert not models.asked
    assert again.summary.usage == first.summary.usage


async def test_no_secret_reaches_the_file_and_it_is_alike_each_time(agent: Agent, models: Models) -> None:
    models(numbered())
    path = cases("one", f"my token is {SECRET}", "ten")
    first = await examine(path, agent, models, record="calls.jsonl")
    kept = Path("calls.jsonl").read_bytes()
    for secret in (SECRET, KEY, "abcdef123456"):
        assert secret.encode() not in kept
    assert lines()[0] == {"format": "viva.cassette/1"}
    assert [(line["case"], line["kind"]) for line in lines()[1:]] == [
        (f"c{number}", kind) for number in (1, 2, 3) for kind in ("agent", "judge")
    ]
    agent.asked.clear()
    models(numbered())
    await examine(path, agent, models, record="again.jsonl", concurrency=1)
    agent.asked.clear()
    models(numbered())
    await examine(path, agent, models, record="more.jsonl", concurrency=1)
    assert Path("again.jsonl").read_bytes() == Path("more.jsonl").read_bytes()
    await agent.stop()
    assert document(await examine(path, agent, models, replay="calls.jsonl")) == document(first)


async def test_a_replay_needs_no_credentials(agent: Agent, models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    models(numbered())
    path = cases("one")
    monkeypatch.setenv("THE_TOKEN", SECRET)
    monkeypatch.setenv("THE_KEY", KEY)
    target = Use(name="http", options={"url": agent.url, "headers": {"Authorization": "Bearer ${THE_TOKEN}"}})
    examiner = judge(models, api_key="${THE_KEY}")
    first = await examine(path, agent, models, target=target, judge=examiner, record="calls.jsonl")
    monkeypatch.delenv("THE_TOKEN")
    monkeypatch.delenv("THE_KEY")
    again = await examine(path, agent, models, target=target, judge=examiner, replay="calls.jsonl")
    assert document(again) == document(first)
    assert next(iter(again.results)).turns[0].scores[0].judge == "openai:tutor"
    assert len(agent.asked) == 1


async def test_a_call_that_is_not_there_is_named_with_the_nearest(agent: Agent, models: Models) -> None:
    models(numbered())
    await examine(cases("one", "two"), agent, models, record="calls.jsonl")
    run = await examine(cases("one", "two, please"), agent, models, replay="calls.jsonl")
    well, ill = run.results
    assert well.status in ("pass", "fail")
    assert ill.status == "error"
    fault = ill.turns[0].error
    assert fault is not None
    assert fault.code == "not_recorded"
    assert 'calls.jsonl does not hold turn 1 of case "c2"' in fault.message
    assert 'in line 4 is turn 1 of case "c2"' in fault.message
    assert 'input is "two" there, and "two, please" here' in fault.message
    assert "--replay calls.jsonl --record-missing" in fault.message
    assert len(agent.asked) == 2
    other = await examine(cases("one", "two"), agent, models, replay="calls.jsonl", evaluators=["m365.Coherence"])
    score = next(iter(other.results)).turns[0].scores[0]
    assert score.status == "error"
    assert 'does not hold Coherence@2 of case "c1"' in score.reason
    assert "rubric is" in score.reason


async def test_what_is_missing_is_recorded_and_nothing_else_is_asked(agent: Agent, models: Models) -> None:
    models(numbered())
    first = await examine(cases("one", "two", "three"), agent, models, record="calls.jsonl")
    before = lines()
    agent.asked.clear()
    models(numbered())
    changed = cases("one", "TWO", "three")
    second = await examine(changed, agent, models, replay="calls.jsonl", record_missing=True)
    assert agent.asked == ["TWO"]
    assert len(models.asked) == 1
    after = lines()
    assert [line for line in after if line not in before] == after[3:5]  # of case c2, and the calls it made before are gone
    assert len(after) == len(before)
    assert document(second)["results"][0] == document(first)["results"][0]
    await agent.stop()
    assert document(await examine(changed, agent, models, replay="calls.jsonl")) == document(second)


async def test_a_conversation_of_which_only_the_beginning_is_recorded_is_held_anew(agent: Agent) -> None:
    await examine(cases(["one", "two"]), agent, record="calls.jsonl")
    agent.asked.clear()
    agent.sessions.clear()
    run = await examine(cases(["one", "else"]), agent, replay="calls.jsonl", record_missing=True)
    assert agent.asked == ["one", "else"]
    turns = next(iter(run.results)).turns
    assert "turn 2 that I remember" in str(turns[1].reply.text if turns[1].reply else "")
    agent.asked.clear()
    again = await examine(cases(["one", "else"]), agent, replay="calls.jsonl")
    assert not agent.asked
    assert document(again) == document(run)


async def test_recording_again_replaces_what_was_asked_again_only(agent: Agent) -> None:
    await examine(cases("one", "two"), agent, record="calls.jsonl")
    before = lines()
    await examine(cases("one", "two"), agent, record="calls.jsonl", cases=["c2"])
    after = lines()
    assert after[:2] == before[:2]
    assert after[2]["outcome"] != before[2]["outcome"]
    assert len(after) == 3


async def test_two_at_once_may_not_record_to_one_file(agent: Agent) -> None:
    path = cases("one")
    held = Deck(Taping(record="calls.jsonl"))
    with pytest.raises(UsageError, match="another run records to it"):
        await examine(path, agent, record="calls.jsonl")
    held.close()
    assert not agent.asked
    await examine(path, agent, record="calls.jsonl")
    assert len(lines()) == 2


def other(kind: str, outcome: dict[str, Any]) -> str:
    """A line of a call that the runs here do not make."""
    return (
        json.dumps({"kind": kind, "asked": {}, "suite": "s", "case": "c", "repeat": 0, "request": {}, "outcome": outcome})
        + "\n"
    )


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda text: text.replace('{"asked"', '{asked"', 1), "calls.jsonl:2: is not JSON"),
        (lambda text: text.replace("viva.cassette/1", "viva.cassette/2"), "calls.jsonl:1: is of format viva.cassette/2"),
        (lambda text: '{"id": "c1"}\n' + text, "calls.jsonl:1: is no cassette"),
        (lambda text: text + text.splitlines()[1] + "\n", "calls.jsonl:4: the same call as in line 2"),
        (lambda text: text.replace('"case":"c1"', '"case":"c1","case":"c9"'), '"case" stands twice'),
        (lambda text: text.replace('"kind":"agent"', '"kind":"agents"', 1), "calls.jsonl:2: is no recorded call"),
        (lambda text: text.replace('"reply":{', '"reply":{"txet":3,"text":4,', 1), "calls.jsonl:2: is no"),
        (lambda text: text.replace('"case":"c1"', '"case":"c1","more":1', 1), 'unknown field "more"'),
        (lambda text: text.replace('"outcome":', '"request":', 1), "calls.jsonl:2"),
        (lambda text: text.replace('"outcome":{"reply"', '"outcome":{"replies"', 1), 'of kind agent has no "reply"'),
        (lambda text: text.replace('"text":', '"txet":', 1), 'unknown field "reply.txet"'),
        (
            lambda text: text.replace('"tool_calls":[]', '"tool_calls":[{"name":"a","nme":1}]', 1),
            'field "reply.tool_calls[0].nme"',
        ),
        (
            lambda text: text.replace('"outcome":{', '"outcome":{"rows":[],', 1),
            "calls.jsonl:2: is no recorded call: there is more than",
        ),
        (lambda text: text + other("rows", {"rows": 5}), "Expected `array`, got `int`"),
        (lambda text: text + other("rows", {"rows": ["x"]}), "Expected `object`, got `str`"),
        (lambda text: text + other("judge", {"abstains": {"a": 1}}), "Expected `str`, got `object`"),
        (
            lambda text: text + other("judge", {"failure": {"code": "c", "message": "m"}, "usage": 5}),
            "Expected `object`, got `int`",
        ),
        (lambda text: text + other("simulator", {"move": {"reasoning": "", "massage": "Hi"}}), 'unknown field "move.massage"'),
    ],
)
async def test_a_damaged_file_is_refused_with_its_line(agent: Agent, damage: Callable[[str], str], told: str) -> None:
    path = cases("one", "two")
    await examine(path, agent, record="calls.jsonl")
    Path("calls.jsonl").write_text(damage(Path("calls.jsonl").read_text()))
    for how in ({"replay": "calls.jsonl"}, {"record": "calls.jsonl"}):
        before = Path("calls.jsonl").read_bytes()
        with pytest.raises(UsageError) as raised:
            await examine(path, agent, **how)
        assert told in str(raised.value)
        assert Path("calls.jsonl").read_bytes() == before


def damage(path: Path) -> str | None:
    """What is said of a file, if anything is."""
    try:
        Tape(path, records=False).close()
    except UsageError as error:
        return str(error)
    return None


async def test_damage_of_whatever_kind_is_a_clear_error(agent: Agent) -> None:
    await examine(cases("one", ["two", "three"]), agent, record="calls.jsonl")
    whole = Path("calls.jsonl").read_bytes()
    chance = random.Random(7)
    pieces = (b"", b'"', b"{", b"[" * 3000, b"\\ud800", b"\xff", b"1e999", b"null", b"\n", b"NaN", b",", b"-1", b"{}")
    for _ in range(300):
        at = chance.randrange(len(whole))
        Path("hurt.jsonl").write_bytes(whole[:at] + chance.choice(pieces) + whole[at + chance.randrange(30) :])
        told = damage(Path("hurt.jsonl"))
        assert told is None or "hurt.jsonl" in told


async def test_a_file_that_is_none_is_never_written_to(agent: Agent) -> None:
    path = cases("one")
    for other in ("/dev/null", "."):
        with pytest.raises(UsageError, match="no file that could be recorded to"):
            await examine(path, agent, record=other)
    before = Path(path).read_bytes()
    with pytest.raises(UsageError, match="is no cassette"):
        await examine(path, agent, record=path)
    assert Path(path).read_bytes() == before
    with pytest.raises(UsageError, match="there is no such cassette"):
        await examine(path, agent, replay="nowhere.jsonl")
    Path("plain.gz").write_bytes(b"plain")
    with pytest.raises(UsageError, match="gzip cannot read it"):
        await examine(path, agent, replay="plain.gz")
    with pytest.raises(UsageError, match="exclude each other"):
        await examine(path, agent, replay="a", record="b")
    with pytest.raises(UsageError, match="needs --replay"):
        await examine(path, agent, record_missing=True)


@pytest.mark.parametrize("file", ["calls.jsonl", "calls.jsonl.gz"])
async def test_a_file_that_was_cut_is_read_up_to_its_last_whole_line(agent: Agent, file: str) -> None:
    from vivavoce.run._cassette.reading import Told, read

    path = cases("one", "two")
    await examine(path, agent, record=file)
    whole = Path(file).read_bytes()
    Path(file).write_bytes(whole[:-20])
    told = Told()
    found = list(read(Path(file), told))
    assert [line.call.case for line in found] == ["c1"]
    assert told.warning is not None
    assert "line 3" in told.warning
    run = await examine(path, agent, replay=file, record_missing=True)
    assert agent.asked == ["one", "two", "two"]
    assert document(await examine(path, agent, replay=file)) == document(run)
    text = gzip.decompress(Path(file).read_bytes()) if file.endswith("gz") else Path(file).read_bytes()
    assert len(text.splitlines()) == 3


async def test_who_answers_in_the_very_same_words_is_recorded_each_time(agent: Agent, models: Models) -> None:
    models(numbered())
    path = cases("one")
    twice = ["a:Relevance", "b:Relevance"]
    first = await examine(path, agent, models, evaluators=twice, repeat=2, record="calls.jsonl")
    assert len(models.asked) == 4
    again = await examine(path, agent, models, evaluators=twice, repeat=2, replay="calls.jsonl")
    assert document(again) == document(first)
    reasons = [score.reason for result in again.results for score in result.turns[0].scores]
    assert len(set(reasons)) == 4


PERSONA = {
    "id": "visitor",
    "persona": {"context": "a customer", "goal": "Learn when it opens, then where it is.", "max_turns": 3},
}


def moves() -> Callable[[web.Request], Any]:
    """A model that plays a user: two messages, each of its own, then content."""
    count = 0

    async def answer(_: web.Request) -> web.StreamResponse:
        nonlocal count
        count += 1
        told = {"reasoning": f"reason {count}", "stop": "no", "message": f"message {count}"}
        if count % 3 == 0:
            told = {"reasoning": "it was told", "stop": "goal_completed", "message": ""}
        return web.json_response(completion(json.dumps(told)))

    return answer


async def test_simulated_users_are_replayed_word_for_word(agent: Agent, models: Models) -> None:
    models(moves())
    Path("cases.jsonl").write_text(json.dumps(PERSONA) + "\n")
    simulator = judge(models)
    first = await examine("cases.jsonl", agent, simulator=simulator, record="calls.jsonl", repeat=2, concurrency=1)
    assert [result.stop for result in first.results] == ["goal_completed", "goal_completed"]
    assert [line["kind"] for line in lines()[1:]] == ["simulator", "agent", "simulator", "agent", "simulator"] * 2
    await agent.stop()
    models(refuses(500))
    again = await examine("cases.jsonl", agent, simulator=simulator, replay="calls.jsonl", repeat=2)
    assert document(again) == document(first)
    assert not models.asked
    changed = {**PERSONA, "persona": {**PERSONA["persona"], "goal": "Something else."}}  # type: ignore[dict-item] # an object
    Path("cases.jsonl").write_text(json.dumps(changed) + "\n")
    lost = await examine("cases.jsonl", agent, simulator=simulator, replay="calls.jsonl")
    (result,) = lost.results
    assert result.error is not None
    assert 'the user\'s message 1 of case "visitor"' in result.error.message


class Analyst:
    """An agent in Python that also runs queries; it knows its rows only while `open`."""

    open = True

    async def send(self, request: Any) -> dict[str, Any]:
        assert Analyst.open
        return {"text": "Here they are.", "rows": [{"product": "Tea", "sold": 3}]}

    async def rows(self, query: Any) -> list[dict[str, Any]]:
        assert Analyst.open
        return [{"product": "Tea", "sold": 3}]


@pytest.mark.parametrize("slow", ["agent", "judge"])
async def test_what_the_time_limit_of_a_case_cut_off_is_cut_off_again(agent: Agent, models: Models, slow: str) -> None:
    async def hangs(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(600)
        raise AssertionError("nobody waits so long")

    models(hangs if slow == "judge" else numbered())
    path = cases(["a", "wait"] if slow == "agent" else "a")
    made = await examine(path, agent, models, record="calls.jsonl", case_timeout=3.0)
    first = next(iter(made.results))
    await agent.stop()
    again = await examine(path, agent, models, replay="calls.jsonl")
    assert document(again)["results"] == document(made)["results"]
    if slow == "agent":
        assert first.error is not None
        assert (first.error.code, first.error.message) == ("case_timeout", "the case took longer than 3 s")
        assert [turn.reply is None for turn in first.turns] == [False, True]
    else:
        assert first.turns[0].scores[0].reason == "not judged within the time limit of the case"


async def test_reference_queries_are_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = Turn(input="What was sold?", expect=Expectation(reference_query="SELECT sold"))
    suite = Suite(name="sales", cases=[Case(id="tea", turns=(turn,))])
    options: dict[str, Any] = {"target": Analyst, "evaluators": ["RowComparison"], "judge": "none"}
    first = await evaluate_async(suite, record="calls.jsonl", **options)
    assert first.summary.passed == 1
    assert [line["kind"] for line in lines()[1:]] == ["agent", "rows"]
    monkeypatch.setattr(Analyst, "open", False)
    assert document(await evaluate_async(suite, replay="calls.jsonl", **options)) == document(first)
    other = replace(turn, expect=Expectation(reference_query="SELECT other"))
    changed = Suite(name="sales", cases=[Case(id="tea", turns=(other,))])
    (result,) = (await evaluate_async(changed, replay="calls.jsonl", **options)).results
    (score,) = result.turns[0].scores
    assert score.status == "error"
    assert 'query is "SELECT sold" there, and "SELECT other" here' in score.reason


async def test_answers_that_the_dataset_holds_are_not_recorded(agent: Agent, models: Models) -> None:
    models(numbered())
    path = cases("one", reply="held")
    options: dict[str, Any] = {"target": None}
    await examine(path, agent, models, record="calls.jsonl", **options)
    assert [line["kind"] for line in lines()[1:]] == ["judge"]
    again = await examine(path, agent, models, replay="calls.jsonl", **options)
    assert again.summary.errored == 0
    assert len(models.asked) == 1


async def judged(models: Models, path: str, **more: Any) -> int:
    """How often the judge is asked in a run over recorded answers."""
    before = len(models.asked)
    options = {"judge": judge(models), "evaluators": ["Relevance"], "retries": 0, **more}
    run = await evaluate_async(path, **options)
    assert run.summary.errored == 0
    return len(models.asked) - before


async def test_a_judge_is_not_asked_twice_what_it_answered(models: Models) -> None:
    models(numbered())
    path = cases("one", "two", reply="held")
    assert await judged(models, path) == 2
    assert await judged(models, path) == 0
    assert await judged(models, path, cache=False) == 2
    assert await judged(models, path, repeat=2) == 2  # repeats share nothing
    assert await judged(models, path, repeat=2) == 0
    assert await judged(models, cases("one", "two", name="renamed.jsonl", reply="held")) == 0
    run = await evaluate_async(path, judge=judge(models), evaluators=["Relevance"])
    assert run.summary.usage.judge_calls == 0
    assert KEY.encode() not in b"".join(file.read_bytes() for file in Path(".viva/cache").rglob("*.json"))


@pytest.mark.parametrize(
    "change",
    [
        {"judge": {"model": "other"}},
        {"judge": {"temperature": 0.5}},
        {"evaluators": ["m365.Coherence"]},
        {"reply": "another answer"},
        {"input": "another question"},
    ],
    ids=str,
)
async def test_what_a_verdict_rests_on_brings_a_new_one(models: Models, change: dict[str, Any]) -> None:
    models(numbered())
    assert await judged(models, cases("one", reply="held")) == 1
    path = cases(change.get("input", "one"), reply=change.get("reply", "held"))
    more: dict[str, Any] = {"judge": judge(models, **change["judge"])} if "judge" in change else {}
    if "evaluators" in change:
        more["evaluators"] = change["evaluators"]
    assert await judged(models, path, **more) == 1
    assert await judged(models, path, **more) == 0


async def test_neither_failures_nor_damage_are_taken_from_the_cache(models: Models) -> None:
    models(refuses(500))
    path = cases("one", reply="held")
    run = await evaluate_async(path, judge=judge(models), evaluators=["Relevance"], retries=0)
    assert run.summary.errored == 1
    models(numbered())
    assert await judged(models, path) == 1
    for file in Path(".viva/cache").rglob("*.json"):
        file.write_text("{")
    assert await judged(models, path) == 1
    assert await judged(models, path) == 0


async def test_spared_verdicts_are_recorded_all_the_same(models: Models) -> None:
    models(numbered())
    path = cases("one", reply="held")
    assert await judged(models, path) == 1
    assert await judged(models, path, record="calls.jsonl") == 0
    assert [line["kind"] for line in lines()[1:]] == ["judge"]
    assert await judged(models, path, replay="calls.jsonl") == 0
