from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from aiohttp import web
from conftest_entra import Entra, entra
from conftest_targets import HISTORY, TRIAL, Server, ask, failure, request

from vivavoce.core import environment, plugins
from vivavoce.core.errors import BadOptions, CallError, MissingExtra
from vivavoce.core.model import Use
from vivavoce.core.reply import Citation
from vivavoce.targets import _sign_in, m365
from vivavoce.targets._m365 import zone_of
from vivavoce.targets.m365 import M365

AGENT = "/T_desk.declarativeAgent"
RETRIEVAL = "application/vnd.ms-workiq-internal.retrieval"
REFERENCE = "application/vnd.workiq-reference"
TOKEN = "t-123456"


@pytest.fixture(autouse=True)
def bare(monkeypatch, tmp_path) -> None:
    """As where nothing is set and nobody is signed in."""
    names = (
        "TENANT_ID",
        "TEAMS_APP_TENANT_ID",
        "M365_AGENT_ID",
        "M365_TITLE_ID",
        "AGENT_ID",
        "WORKIQ_REQUEST_TIMEOUT_SECS",
        "TZ",
    )
    kinds = ("ENDPOINT", "CLIENT_ID", "SCOPES")
    for name in (*names, "WORK_IQ_ACCESS_TOKEN", *(f"WORK_IQ_A2A_{kind}" for kind in kinds)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VIVA_CACHE", str(tmp_path / "cache"))


def build(server: Server | None = None, /, **more: object) -> M365:
    base = {} if server is None else {"agent": "T_desk", "endpoint": server.base, "token": TOKEN}
    return plugins.build("targets", Use(name="m365", options={**base, **more}))


def says(server: Server, *artifacts: object, path: str = AGENT, **more: object) -> None:
    status = {"state": "TASK_STATE_COMPLETED", **more}
    task = {"id": "t-1", "contextId": "c-1", "status": status, "artifacts": list(artifacts)}
    server.says(path, {"jsonrpc": "2.0", "id": "1", "result": {"task": task}})


def artifact(name: str, *parts: object) -> dict[str, object]:
    return {"artifactId": name, "name": name, "parts": [{"text": each} if isinstance(each, str) else each for each in parts]}


def attributed(*attributions: object) -> dict[str, object]:
    return {"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [], "metadata": {"attributions": list(attributions)}}}


# What is sent


async def test_a_conversation(server):
    says(server, artifact("Answer", "hello"))
    target = build(server, timezone="Asia/Kolkata")
    session = target.session(TRIAL)
    replies = [await session.send(request(text, turn=turn)) for turn, text in enumerate(("one", {"q": "é"}))]
    await target.close()
    assert [reply.text for reply in replies] == ["hello", "hello"]
    (path, headers, first), (_, _, second) = server.asked
    assert (path, headers["Authorization"], headers["A2A-Version"]) == (f"POST {AGENT}", f"Bearer {TOKEN}", "1.0")
    assert first["method"] == "SendMessage"
    message = first["params"]["message"]
    assert (message["role"], message["parts"]) == ("ROLE_USER", [{"text": "one"}])
    assert message["metadata"] == {"Location": {"timeZone": "Asia/Kolkata", "timeZoneOffset": 330}}
    assert "contextId" not in message
    assert second["params"]["message"]["contextId"] == "c-1"
    assert second["params"]["message"]["parts"] == [{"text": '{"q":"é"}'}]
    assert message["messageId"] != second["params"]["message"]["messageId"]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("T_desk", "/T_desk.declarativeAgent"),
        ("U_0b1715fd-f4bf-4c63", "/U_0b1715fd-f4bf-4c63.declarativeAgent"),
        ("T_desk.declarativeAgent", "/T_desk.declarativeAgent"),
        ("P_c0fd1ab0.8ad61c39-5b6e", "/P_c0fd1ab0.8ad61c39-5b6e"),
        ("desk", "/desk"),
    ],
)
async def test_a_short_id_gets_its_suffix(server, given, path):
    says(server, artifact("Answer", "hello"), path=path)
    assert (await ask(build(server, agent=given))).text == "hello"


async def test_everything_may_come_from_the_environment(server, monkeypatch):
    says(server, artifact("Answer", "hello"), path="/gate/T_env.declarativeAgent")
    known = {
        "M365_TITLE_ID": "T_env",
        "WORK_IQ_A2A_ENDPOINT": f"{server.base}/gate/",
        "WORK_IQ_ACCESS_TOKEN": " t-from-env ",
        "WORKIQ_REQUEST_TIMEOUT_SECS": "12.5",
        "TZ": "Pacific/Apia",
    }
    with environment.known(known):
        target = build()
        assert target.timeout == 12.5
        assert (await ask(target)).text == "hello"
    assert server.asked[0][1]["Authorization"] == "Bearer t-from-env"
    assert server.last["params"]["message"]["metadata"]["Location"]["timeZone"] == "Pacific/Apia"
    assert "t-from-env" not in repr(target)


def test_a_call_may_take_five_minutes():
    assert build(agent="T_a", token=TOKEN).timeout == 300


@pytest.mark.parametrize(
    ("options", "variables", "words"),
    [
        ({"token": TOKEN}, {}, "there is no agent: name it as m365:AGENT, or set the variable M365_AGENT_ID"),
        ({"agent": "a b", "token": TOKEN}, {}, "is no id of an agent"),
        ({"agent": "../x", "token": TOKEN}, {}, "is no id of an agent"),
        (
            {"agent": "T_a"},
            {},
            "there is no token: set the variable WORK_IQ_ACCESS_TOKEN; or WORK_IQ_A2A_CLIENT_ID and TENANT_ID",
        ),
        ({"agent": "T_a"}, {"TENANT_ID": "t"}, "there is no token"),
        ({"agent": "T_a", "token": "a\nb"}, {}, "cannot be sent"),
        ({"agent": "T_a", "token": TOKEN, "endpoint": "gate.example"}, {}, "no http:// or https:// address"),
        ({"agent": "T_a", "token": TOKEN, "timezone": "Moon/Base"}, {}, "is no time zone"),
        ({"agent": "T_a", "token": TOKEN, "version": "2.0"}, {}, "version"),
        ({"agent": "T_a", "token": TOKEN, "limit": 0}, {}, "limit must be at least 1"),
        (
            {"agent": "T_a", "token": TOKEN},
            {"WORKIQ_REQUEST_TIMEOUT_SECS": "soon"},
            "must be a number of seconds above 0, not soon",
        ),
        ({"agent": "T_a", "token": TOKEN}, {"WORKIQ_REQUEST_TIMEOUT_SECS": "0"}, "above 0, not 0"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_run(options, variables, words):
    with environment.known(variables), pytest.raises(BadOptions, match=words):
        build(**options)


def test_signing_in_needs_an_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="needs the package msal, which is not installed"):
        build(agent="T_a", client_id="c", tenant="t")


@pytest.mark.parametrize(
    ("given", "variable", "name"), [("Europe/Vienna", "", "Europe/Vienna"), (None, ":Asia/Tokyo", "Asia/Tokyo")]
)
def test_where_today_is(given, variable, name):
    with environment.known({"TZ": variable}):
        assert zone_of(given) == (name, ZoneInfo(name))


def test_the_system_says_where_today_is_else_utc():
    with environment.known({"TZ": "nowhere/at all"}):
        name, zone = zone_of(None)
    assert zone == ZoneInfo(name)
    ours, systems = datetime.now(zone).utcoffset(), datetime.now().astimezone().utcoffset()
    assert ours in (systems, timedelta(0))


async def test_a_history_cannot_be_told(server):
    assert (await failure(build(server), history=HISTORY)).code == "history_unsaid"


# What comes back


async def test_the_answer_is_the_artifact_of_that_name(server):
    says(server, artifact("Developer Info", "{debug}"), artifact("Answer", "hel", "lo"), artifact("Chart", "x"))
    reply = await ask(build(server))
    assert (reply.text, reply.citations, reply.retrievals, reply.tool_calls) == ("hello", None, None, None)
    assert [each["name"] for each in reply.raw["artifacts"]] == ["Developer Info", "Chart"]


async def test_an_answer_of_another_name_or_in_the_status(server):
    says(server, artifact("Reply", "hello"), artifact("Developer Info", "{debug}"))
    assert (await ask(build(server))).text == "hello"
    says(server, message={"parts": [{"text": "from the status"}]})
    assert (await ask(build(server))).text == "from the status"


async def test_citations_of_both_places(server):
    cited = [
        {"attributionType": "Citation", "providerDisplayName": "Rules", "seeMoreWebUrl": "https://a.example/rules"},
        {"attributionType": "Annotation", "providerDisplayName": "Dana", "seeMoreWebUrl": "https://a.example/dana"},
        {"attributionType": "Citation", "providerDisplayName": "Rules", "seeMoreWebUrl": "https://a.example/rules"},
        {"attributionType": "Citation"},
        "odd",
    ]
    references = [{"title": "Hours", "webUrl": "https://a.example/hours"}, {"title": "By mail"}]
    part = {"data": {"references": references}, "mediaType": REFERENCE}
    says(server, artifact("Answer", "hello", part), **attributed(*cited))
    assert (await ask(build(server))).citations == (
        Citation(index=1, text="Rules", source="https://a.example/rules"),
        Citation(index=2, text="Hours", source="https://a.example/hours"),
        Citation(index=3, text="By mail", source="By mail"),
    )


async def test_no_citations_are_told_from_unknown_ones(server):
    says(server, artifact("Answer", "hello"), **attributed())
    assert (await ask(build(server))).citations == ()


EXECUTION = {
    "capability": "OneDriveAndSharePoint",
    "status": "ok",
    "totalResultCount": None,
    "queries": [{"queryString": "returns", "filterExpression": None}],
    "retrievalHits": [{"rank": 1, "webUrl": "https://a.example/rules", "extracts": [{"text": "30 days"}], "more": 1}],
}


@pytest.mark.parametrize(
    "part",
    [
        {"data": {"retrieval_executions": [EXECUTION]}, "mediaType": RETRIEVAL},
        {"data": {"retrievalExecutions": [EXECUTION, "odd"]}, "metadata": {"mediaType": RETRIEVAL}},
        {"data": [EXECUTION], "mediaType": RETRIEVAL},
        {"data": EXECUTION, "mediaType": RETRIEVAL},
        {"text": json.dumps([EXECUTION]), "mediaType": RETRIEVAL},
    ],
)
async def test_searches(server, part):
    says(server, artifact("Answer", "hello"), artifact("Retrieval Info", part))
    reply = await ask(build(server))
    assert (reply.text, reply.retrievals) == ("hello", (EXECUTION,))


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ([], ()),
        (None, ()),
        ([{"queries": "odd", "retrievalHits": [3, {"extracts": [{"text": 3}, "odd"]}, {"rank": 2}]}], None),
    ],
)
async def test_searches_that_are_odd(server, told, read):
    part = {"data": {"retrieval_executions": told}, "mediaType": RETRIEVAL}
    says(server, artifact("Answer", "hello"), artifact("Retrieval Info", part))
    expected = ({"queries": [], "retrievalHits": [{"extracts": []}, {"rank": 2}]},) if read is None else read
    assert (await ask(build(server))).retrievals == expected


async def test_a_streamed_answer(server):
    def event(key: str, **told: object) -> bytes:
        result = {key: {"taskId": "t-1", "contextId": "c-1", **told}}
        return b"data: " + json.dumps({"jsonrpc": "2.0", "id": "1", "result": result}).encode() + b"\n\n"

    server.streams(
        AGENT,
        event("statusUpdate", status={"state": "TASK_STATE_WORKING", "message": {"parts": [{"text": "Looking it up"}]}}),
        event("artifactUpdate", artifact=artifact("Answer", "hel"), append=False),
        event("artifactUpdate", artifact=artifact("Answer", "lo"), append=True),
        event("statusUpdate", status={"state": "TASK_STATE_COMPLETED", **attributed()}),
    )
    reply = await ask(build(server, stream=True))
    assert (reply.text, reply.citations) == ("hello", ())
    assert server.last["method"] == "SendStreamingMessage"


# Refusals


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, "", "set WORK_IQ_ACCESS_TOKEN anew"),
        (403, '{"error": {"code": "NoPolicy", "message": "no credits"}}', "no billing policy covers this person"),
        (403, "Required scopes = [WorkIQAgent.Ask]", "an admin must consent"),
        (403, '{"error": "QuotaExhausted"}', "the credits for agents are used up"),
        (403, "billing is not set up", "no billing policy covers this person"),
        (403, "Forbidden", "a Microsoft 365 Copilot licence may be missing"),
        (404, "", "there is no such agent for this person"),
        (500, "", "answered 500"),
    ],
)
async def test_a_refusal_is_explained(server, status, body, words):
    server.says(AGENT, text=body, status=status)
    failed = await failure(build(server))
    assert (failed.code, failed.retriable, failed.answered) == (f"http_{status}", False, True)
    assert words in failed.message
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [429, 503, 504])
async def test_a_gateway_that_is_busy(server, status):
    server.says(AGENT, text="later", status=status, headers={"Retry-After": "9"})
    failed = await failure(build(server))
    assert (failed.code, failed.retriable, failed.retry_after) == (f"http_{status}", True, 9.0)


async def test_a_token_that_is_sent_back_goes_no_further(server):
    says(server, artifact("Answer", f"you sent {TOKEN}"))
    assert (await ask(build(server))).text == "you sent ***"


# Signing in, at a server that stands in for Entra


@pytest.fixture
def asking(monkeypatch) -> Iterator[Entra]:
    with entra() as made:
        monkeypatch.setenv("AZURE_AUTHORITY_HOST", made.url)
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(made.certificate))
        yield made


def signing(server: Server, **more: object) -> M365:
    known = {"agent": "T_desk", "endpoint": server.base, "client_id": "c-1", "tenant": "t-1"}
    return plugins.build("targets", Use(name="m365", options={**known, **more}))


@pytest.fixture
def told(monkeypatch) -> list[str]:
    """What a person at a terminal reads."""
    lines: list[str] = []
    monkeypatch.setattr(_sign_in, "tell_on_terminal", lambda: lines.append)
    return lines


async def test_one_signs_in_once_and_is_remembered(server, asking, told, tmp_path):
    says(server, artifact("Answer", "hello"))
    target = signing(server)
    sessions = [target.session(TRIAL) for _ in range(3)]
    replies = await asyncio.gather(*(each.send(request(session=str(at))) for at, each in enumerate(sessions)))
    await target.close()
    assert {reply.text for reply in replies} == {"hello"}
    assert told == ["Type CODE-1 at https://entra.example/device"]
    assert {headers["Authorization"] for _, headers, _ in server.asked} == {"Bearer access-1"}
    assert asking.scopes[0].split()[0] == "api://workiq.svc.cloud.microsoft/WorkIQAgent.Ask"
    (kept,) = [path for path in (tmp_path / "cache" / "m365").iterdir() if path.name == "sign-in.bin"]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700

    signing(server).sign_in()
    assert len(told) == 1
    assert m365.sign_out() == ("ada@desk.example",)
    assert not kept.exists()
    assert m365.sign_out() == ()
    signing(server).sign_in()
    assert len(told) == 2


async def test_a_token_is_renewed_once(server, asking, told):
    valid = "access-2"

    async def handler(asked: web.Request) -> web.Response:
        if asked.headers["Authorization"] != f"Bearer {valid}":
            return web.Response(status=401, text="expired")
        task = {"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [artifact("Answer", "hello")]}
        return web.json_response({"result": {"task": task}})

    server.answer(AGENT, handler)
    target = signing(server)
    sessions = [target.session(TRIAL) for _ in range(2)]
    replies = await asyncio.gather(*(each.send(request(session=str(at))) for at, each in enumerate(sessions)))
    assert [reply.text for reply in replies] == ["hello", "hello"]
    assert asking.tokens == 2

    valid = "none"
    with pytest.raises(CallError) as raised:
        await sessions[0].send(request(turn=1))
    await target.close()
    assert raised.value.failure.code == "http_401"
    assert "sign in again" in raised.value.failure.message
    assert asking.tokens == 3
    assert len(told) == 1


async def test_nobody_is_there_to_sign_in(server, asking):
    failed = await failure(signing(server))
    assert (failed.code, failed.sent, failed.retriable) == ("sign_in", False, False)
    assert "run this in a terminal once, or set WORK_IQ_ACCESS_TOKEN" in failed.message
    assert server.asked == []


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("AADSTS65001: The user has not consented.", "an admin must consent to WorkIQAgent.Ask"),
        ("AADSTS700016: Application not found.", "set WORK_IQ_A2A_CLIENT_ID"),
        ("AADSTS70000: Declined.", "Entra gave no token: AADSTS70000: Declined."),
    ],
)
async def test_a_sign_in_that_is_refused_says_what_to_do(server, asking, told, error, words):
    asking.refuses = error
    assert words in (await failure(signing(server))).message


async def test_the_account_that_is_named_must_sign_in(server, asking, told):
    failed = await failure(signing(server, account="bob@desk.example"))
    assert "ada@desk.example has signed in, but account is bob@desk.example" in failed.message
    assert (await failure(signing(server, account="bob@desk.example"))).code == "sign_in"
    says(server, artifact("Answer", "hello"))
    assert (await ask(signing(server, account="Ada@desk.example"))).text == "hello"


async def test_an_entra_that_is_not_there(server, told, monkeypatch, free_port):
    monkeypatch.setenv("AZURE_AUTHORITY_HOST", f"https://127.0.0.1:{free_port}")
    failed = await failure(signing(server))
    assert (failed.code, failed.sent) == ("sign_in", False)
    assert "cannot sign in" in failed.message


def test_only_a_terminal_shows_a_code(capsys):
    assert _sign_in.tell_on_terminal() is None


def test_a_damaged_memory_is_forgotten(tmp_path):
    kept = tmp_path / "cache" / "m365" / "sign-in.bin"
    kept.parent.mkdir(parents=True)
    kept.write_text("{nonsense")
    assert m365.sign_out() == ()
    assert not kept.exists()


def test_the_certificate_of_the_stand_in_holds_for_a_while():
    with entra() as made:
        assert Path(made.certificate).exists()
        assert made.until > datetime.now(UTC)
