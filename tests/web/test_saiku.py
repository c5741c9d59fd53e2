"""The shapes of Saiku, and `viva eval` against a real server of ours."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from conftest_contracts import HEADER, make_result, make_trial

from vivavoce.core.errors import UsageError
from vivavoce.core.kept import keep
from vivavoce.core.result import Summary
from vivavoce.net.sweep import ask

SKIPPING = """name: sales
cube: {connectionName: c, catalog: k, schema: s, cubeName: Sales}
cases:
  - name: a
    question: How much?
    expectedIntent: NONSENSE
"""
TEXTS = ("runId", "suiteName", "cubeRef")
COUNTS = ("startedAt", "elapsedMs", "total", "passed", "failed", "degraded", "skipped")
RUN = {**dict.fromkeys(TEXTS, str), **dict.fromkeys(COUNTS, int), "passRate": float}


def shape(run):
    return {name: type(value) for name, value in run.items()}


@pytest.mark.parametrize("prefix", ["", "/rest"])
def test_a_sweep_and_what_is_told_of_it(server, prefix):
    admin = f"{prefix}/saiku/admin/ai-evals"
    assert server.get(f"{prefix}/saiku/api/info").data["name"] == "viva"
    assert server.get(admin).data == server.get(f"{admin}/desk/runs").data == server.get(f"{admin}/none/trend").data == []
    swept = server.ask("POST", f"{admin}/run", Authorization="Basic YWRtaW46YWRtaW4=").data
    assert (swept["summary"], swept["hasFailures"]) == ("2/3 cases passed across 2 suite(s), 0 skipped", True)
    desk, shop = swept["results"]
    assert shape(desk) == {**RUN, "oneLine": str}
    assert (desk["passed"], desk["total"], desk["failed"], desk["passRate"], shop["passed"]) == (1, 2, 1, 0.5, 1)
    listed = server.get(admin).data
    assert [(each["name"], each["latest"]["runId"]) for each in listed] == [("desk", desk["runId"]), ("shop", shop["runId"])]
    (run,) = server.get(f"{admin}/desk/runs?limit=5").data
    assert run == {name: desk[name] for name in RUN}
    assert server.get(f"{admin}/desk/trend").data == [{"startedAt": run["startedAt"], "passRate": 0.5, "total": 2}]
    assert server.get(f"{admin}/desk/runs?limit=0").status == 400


async def test_a_run_that_did_not_come_to_its_end_is_not_told_of(server):
    with server.context.project.store() as store:
        for run_id, suite, state in (("r1", "desk", "complete"), ("r2", "desk", "stopped"), ("r3", "shop", "interrupted")):
            store.begin(run_id, "2026-01-31T12:00:00Z", HEADER)
            result = replace(make_result(make_trial(0)), suite=suite)
            await store.append(run_id, [keep(result, make_trial(0).case)])
            store.finish(run_id, "2026-01-31T12:00:01Z", state, Summary())
    assert [each["latest"]["runId"] for each in server.get("/saiku/admin/ai-evals").data] == ["r1"]
    assert [each["runId"] for each in server.get("/saiku/admin/ai-evals/desk/runs").data] == ["r1"]
    assert server.get("/saiku/admin/ai-evals/shop/trend").data == []


def test_a_file_that_cannot_be_read_is_skipped_with_its_code(server):
    (server.folder / "evals" / "sales.eval.yaml").write_text(SKIPPING)
    swept = server.ask("POST", "/saiku/admin/ai-evals/run", Authorization="Basic YQ==").data
    assert len(swept["results"]) == 2
    (skipped,) = swept["skipped"]
    assert skipped["suiteName"] == "sales.eval.yaml"
    assert "NONSENSE" in skipped["reason"]
    assert swept["summary"].endswith("1 skipped")


async def test_our_own_command_drives_it(serve):
    server = serve(password="pw")
    swept = await asyncio.wait_for(ask(server.url + "/", "admin", "pw", 60), 60)
    assert [(each.suite, each.passed, each.total) for each in swept.results] == [("desk", 1, 2), ("shop", 1, 1)]
    assert swept.failed
    with pytest.raises(UsageError, match=r"does not let admin in \(401\)"):
        await ask(server.url, "admin", "wrong", 60)
