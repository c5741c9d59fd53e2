"""A real language model behind its own server, all the way: small as it is, it is held to the same rules as a large one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest_models import failure

import vivavoce as viva
from vivavoce.core import codec, plugins
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Use
from vivavoce.core.reply import Message

KEY = "key-of-the-server"
CASES = """\
{"id": "paris", "input": "What is the capital of France?", "reply": "Paris.", "evaluators": {"Relevance": {}, "Coherence": {}}}
{"id": "hours", "input": "When do you open?", "reply": "Bananas are yellow.", "evaluators": {"Relevance": {}}}
"""
# Two threads beside a busy process are slower than one; without keys the server would let anyone in.
SERVER = """
import sys, xllamacpp
options = xllamacpp.CommonParams()
options.model.path, options.api_keys = sys.argv[1], [sys.argv[2]]
options.n_ctx, options.n_parallel, options.verbosity, options.warmup = 4096, 1, 1, False
options.cpuparams.n_threads = options.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(options)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def weights(request: pytest.FixtureRequest) -> Path:
    """The model, where it is installed or else kept between runs of the tests."""
    pytest.importorskip("xllamacpp")
    from vivavoce.judges._local import model

    if model.path().is_file():
        return model.path()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VIVA_CACHE", str(request.config.cache.mkdir("model")))
        try:
            return model.install(print)
        except UsageError as error:
            pytest.skip(f"the model cannot be fetched here: {error}")


@pytest.fixture(scope="module")
def address(weights: Path) -> Iterator[str]:
    """Its server, as a process of its own."""
    command = [sys.executable, "-c", SERVER, str(weights), KEY]
    environ = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ) as server:
        yield server.stdout.readline().strip()
        server.kill()


@pytest.mark.slow
async def test_its_verdicts_are_on_the_scale_or_typed_errors(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.jsonl").write_text(CASES)
    options = {"model": "smollm2", "base_url": f"{address}/v1", "api_key": KEY, "max_tokens": 160, "input_price": 1.0}
    judge = Use(name="openai", options={**options, "output_price": 1.0})
    run = await viva.evaluate_async("cases.jsonl", judge=judge, concurrency=2)
    scores = [score for result in run.results for turn in result.turns for score in turn.scores]
    assert len(scores) == 3
    for score in scores:
        assert score.judge == "openai:smollm2"
        if score.status == "error":
            assert "gave no verdict" in score.reason
        else:
            assert score.value in (1, 2, 3, 4, 5)
            assert score.reason
    usage = run.summary.usage
    assert 3 <= usage.judge_calls <= 6
    assert usage.input_tokens > 3 * 300, "each of the rubrics alone is longer than that"
    assert 0 < usage.output_tokens <= 6 * 160
    assert usage.cost_usd == pytest.approx((usage.input_tokens + usage.output_tokens) / 1e6)


@pytest.mark.slow
async def test_it_is_held_to_a_schema(address):
    provider = plugins.build(
        "providers", Use(name="openai", options={"model": "smollm2", "base_url": f"{address}/v1", "api_key": KEY})
    )
    grade = {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    schema = {"type": "object", "properties": {"score": grade}, "required": ["score"], "additionalProperties": False}
    answer = await provider.complete((Message(role="user", content="Grade this from 1 to 5: Paris is in France."),), schema)
    await provider.close()
    assert codec.decode(answer.text, dict)["score"] in range(1, 6)
    assert answer.cut is False


@pytest.mark.slow
async def test_its_server_turns_a_wrong_key_away(address):
    options = {"model": "smollm2", "base_url": f"{address}/v1", "api_key": "another"}
    provider = plugins.build("providers", Use(name="openai", options=options))
    failed = await failure(provider.complete((Message(role="user", content="Hello"),)))
    await provider.close()
    assert (failed.code, failed.retriable) == ("http_401", False)
    assert "the key is wrong or missing" in failed.message
