"""The HTTP API over a real server: what is asked, what is answered, and every mistake in words."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from vivavoce.core.model import Use
from vivavoce.run.calls import Limits

SLOW = """
import asyncio
async def answer(input):
    await asyncio.sleep(60 if input == "hi" else 0)
"""


def test_a_project_without_runs_tells_its_suites(server):
    assert server.get("/api/health").data == {"status": "ok"}
    suites = server.get("/api/suites").data["suites"]
    nothing = {"runnable": True, "fault": None, "running": None, "change": None, "latest": None}
    assert suites == [{"name": "desk", **nothing}, {"name": "shop", **nothing}]
    assert server.get("/api/suites/desk/runs").data == {"suite": "desk", "runs": []}
    assert server.get("/api/suites/none/runs").status == server.get("/api/suites/none/trend").status == 404
    assert server.get("/api/runs/last").status == 404


def test_a_run_is_begun_watched_and_told(server):
    begun = server.start("desk")
    assert begun.status == 202
    assert begun.headers["location"] == f"/api/runs/{begun.data['id']}"
    run_id = begun.data["id"]
    events = server.events(run_id)
    assert [data["case"] for name, data in events if name == "result"] == ["one", "two"]
    assert events[-1][0] == "finished"
    counts = {"trials": 2, "done": 2, "pass": 1, "fail": 1, "skip": 0, "error": 0}
    assert events[-1][1] == {"run": run_id, "suites": ["desk"], "state": "complete", "fault": None, **counts}
    document = server.get(f"/api/runs/{run_id}").data
    assert (document["format"], document["state"], len(document["results"])) == ("viva.run/1", "complete", 2)
    assert server.get(f"/api/runs/{run_id[:4]}").data == server.get("/api/runs/last").data == document
    (run,) = server.get("/api/suites/desk/runs").data["runs"]
    assert (run["id"], run["pass"], run["fail"], run["pass_rate"], run["target"]) == (run_id, 1, 1, 0.5, "recorded")


def test_events_go_on_after_the_last_that_was_seen(server):
    run_id = server.start("desk").data["id"]
    server.events(run_id)
    assert [data["case"] for name, data in server.events(run_id, Last_Event_ID="1") if name == "result"] == ["two"]


def test_a_run_of_another_process_is_watched_in_the_store(server, serve):
    run_id = server.start("desk").data["id"]
    server.events(run_id)
    ((name, data),) = serve().events(run_id)
    assert (name, data["state"], data["done"], data["pass"], data["fault"]) == ("finished", "complete", 2, 1, None)


def test_all_suites_and_how_they_went_over_time(server):
    first = server.start().data
    assert first["suites"] == ["desk", "shop"]
    server.events(first["id"])
    (server.folder / "evals" / "desk.jsonl").write_text(
        (server.folder / "evals" / "desk.jsonl").read_text().replace('"ho"', '"hi"')
    )
    second = server.start("desk").data
    server.events(second["id"])
    desk, shop = server.get("/api/suites").data["suites"]
    assert (desk["latest"]["id"], desk["change"]) == (second["id"], 0.5)
    assert (shop["latest"]["id"], shop["change"]) == (first["id"], None)
    assert [each["pass_rate"] for each in server.get("/api/suites/desk/trend").data["trend"]] == [0.5, 1.0]
    assert [each["pass_rate"] for each in server.get("/api/suites/desk/trend?limit=1").data["trend"]] == [1.0]
    compared = server.get(f"/api/compare?a={first['id']}&b={second['id']}").data
    assert (compared["format"], compared["summary"]["fixed"]) == ("viva.comparison/1", 1)


@pytest.mark.parametrize("limit", ["0", "-1", "x", "1001", "", "1.5", "٣", "9" * 40])
def test_a_limit_that_is_none(server, limit):
    from urllib.parse import quote

    answer = server.get(f"/api/suites/desk/runs?limit={quote(limit)}")
    assert (answer.status, answer.data["error"]["code"]) == (400, "bad_request")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "bad_request"),
        (b"[]", 400, "bad_request"),
        (b'{"suite": 1}', 400, "bad_request"),
        (b'{"suite": "desk", "target": "http://elsewhere"}', 400, "bad_request"),
        (b"[" * 60_000, 400, "bad_request"),
        (b'{"suite": "\\ud800"}', 404, "unknown_suite"),
        (b'{"suite": "evals/desk.jsonl"}', 404, "unknown_suite"),
        (b" " * 70_000, 413, "too_large"),
    ],
)
def test_a_run_that_is_not_begun(server, body, status, code):
    answer = server.ask("POST", "/api/runs", body, Content_Type="application/json")
    assert (answer.status, answer.data["error"]["code"]) == (status, code)
    assert server.get("/api/suites/desk/runs").data["runs"] == []


def test_a_body_of_unknown_length_is_bounded(server):
    pieces = (b" " * 10_000 for _ in range(10))
    answer = server.ask("POST", "/api/runs", pieces, Content_Type="application/json")
    assert (answer.status, answer.data["error"]["code"]) == (413, "too_large")


def test_a_dataset_that_is_wrong_is_told_with_its_place(server):
    (server.folder / "evals" / "bad.jsonl").write_text('{"input": "hi", "expectd": "x"}\n')
    suites = {each["name"]: each for each in server.get("/api/suites").data["suites"]}
    assert suites["desk"]["runnable"]
    answer = server.start()
    assert (answer.status, answer.data["error"]["code"]) == (422, "cannot_run")
    assert "bad.jsonl:1" in answer.data["error"]["message"]
    assert server.start("desk").status == 202


def test_a_suite_is_in_one_run_at_a_time_and_ends_with_the_server(serve, folder):
    (folder / "slow.py").write_text(SLOW)
    (folder / "evals" / "desk.jsonl").write_text(
        "".join(json.dumps({"id": word, "input": word, "expected": "hi"}) + "\n" for word in ("ho", "hi"))
    )
    server = serve(target=Use(name="python", options={"spec": "slow:answer"}), limits=Limits(concurrency=1))
    begun = server.start("desk").data
    again = server.start("desk")
    assert (again.status, again.data["error"]["code"]) == (409, "under_way")
    assert begun["id"] in again.data["error"]["message"]
    desk, shop = server.get("/api/suites").data["suites"]
    assert (desk["running"], shop["running"]) == (begun["id"], None)
    assert server.start().status == 409
    server.context.runs.stop()
    events = server.events(begun["id"])
    assert (events[-1][0], events[-1][1]["state"], events[-1][1]["done"]) == ("finished", "interrupted", 1)
    assert server.get(f"/api/runs/{begun['id']}").data["summary"]["not_run"] == 1
    assert server.start("shop").data["error"]["code"] == "stopping"


def test_many_read_while_runs_are_written(server):
    first = [server.start(suite).data["id"] for suite in ("desk", "shop")]
    paths = ["/api/suites", "/api/suites/desk/trend", "/api/suites/shop/runs", f"/api/runs/{first[0]}", "/"] * 8
    with ThreadPoolExecutor(20) as readers:
        reading = [readers.submit(server.get, path) for path in paths]
        for run_id in first:
            assert server.events(run_id)[-1][1]["state"] == "complete"
        more = [server.start(suite).data["id"] for suite in ("desk", "shop")]
        assert [each.result().status for each in reading] == [200] * len(paths)
    for run_id in more:
        server.events(run_id)
    assert len(server.get("/api/suites/desk/runs").data["runs"]) == 2
    assert server.said == []


def test_without_suites_none_is_run(serve):
    answer = serve(paths=()).start()
    assert (answer.status, answer.data["error"]["code"]) == (409, "no_suites")


def test_suites_of_one_name_are_not_mixed_up(server):
    (server.folder / "evals" / "desk.json").write_text(
        '{"suite": "desk", "cases": [{"id": "one", "input": "hi", "reply": "hi"}]}'
    )
    suites = server.get("/api/suites").data["suites"]
    assert [(each["name"], each["runnable"]) for each in suites if "desk" in each["name"]] == [
        ("evals/desk.json", False),
        ("evals/desk.jsonl", False),
    ]
    assert "DUPLICATE_NAME" in suites[0]["fault"]


def test_a_store_that_cannot_be_read_is_told_as_that(server):
    (server.folder / "runs.db").write_text("no database at all, and long enough to be looked at" * 50)
    for path in ("/api/suites", "/api/runs/last", "/api/suites/desk/runs"):
        answer = server.get(path)
        assert (answer.status, answer.data["error"]["code"]) == (503, "store")


def test_the_description_and_its_page(server):
    described = server.get("/api/openapi.json").data
    assert described["openapi"].startswith("3.1")
    page = server.get("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    for path in described["paths"]:
        assert path in page.body.decode()
    assert "<script" not in page.body.decode()
    assert "style=" not in page.body.decode()
    assert server.get("/api/docs.css").headers["content-type"].startswith("text/css")


def test_what_is_not_there(server):
    answer = server.get("/api/nothing")
    assert (answer.status, answer.data["error"]["code"]) == (404, "not_found")
    answer = server.ask("DELETE", "/api/suites", Content_Type="application/json")
    assert (answer.status, answer.data["error"]["code"]) == (405, "method_not_allowed")


def test_a_defect_is_told_without_its_insides(server, monkeypatch):
    monkeypatch.setattr("vivavoce.web.runs.plan", lambda *_, **__: 1 // 0)
    answer = server.start("desk")
    assert (answer.status, answer.data["error"]["code"]) == (500, "internal")
    assert "ZeroDivisionError" not in answer.body.decode()
    assert len(server.said) == 1
    assert "ZeroDivisionError" in server.said[0]
    monkeypatch.undo()
    monkeypatch.chdir(server.folder)
    assert server.start("desk").status == 202


def test_a_defect_of_an_answer_is_told_likewise(server, monkeypatch):
    monkeypatch.setattr("vivavoce.web.told.suite", lambda *_: 1 // 0)
    answer = server.get("/api/suites")
    assert (answer.status, answer.data["error"]["code"]) == (500, "internal")
    assert server.said == ["internal error: GET /api/suites: ZeroDivisionError: integer division or modulo by zero"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_suite_is_read_again_once_its_file_is_another_and_not_before(server):
    suites, path = server.context.runs.suites, server.folder / "evals" / "sales.eval.yaml"
    path.write_text(
        "name: sales\ncube: {connectionName: a, catalog: b, schema: c, cubeName: d}\ncases: [{name: a, question: q}]\n"
    )
    first, again = suites.known(), suites.known()
    assert [each.name for each in first] == ["desk", "sales", "shop"]
    assert all(one is other for one, other in zip(first, again, strict=True))
    path.write_text(path.read_text().replace("name: sales", "name: trade"))
    desk, trade, shop = suites.known()
    assert (desk is first[0], shop is first[2], trade.name) == (True, True, "trade")
    path.write_text("cases: 7\n")
    assert suites.known()[1].fault is not None
    path.unlink()
    assert suites.known() == (desk, shop)
