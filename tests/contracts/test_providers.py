"""The contract of every provider: what it is asked arrives, usage is reported, failures are typed, nothing is left behind."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import inspect
import json
import re
import warnings
from collections.abc import AsyncIterator

import pytest
from conftest_dialects import said_last
from conftest_models import KEY, OPTIONS, Models, endpoint, failure, hangs, models, no_variables, refuses, says, sends

from vivavoce.core import plugins
from vivavoce.core.kinds import Provider
from vivavoce.core.model import Use
from vivavoce.core.reply import Message

__all__ = ["models", "no_variables"]

PROVIDERS = plugins.names("providers")
SAID = (Message(role="user", content="Is it good?"),)
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}


@pytest.fixture(params=PROVIDERS)
async def provider(request: pytest.FixtureRequest, models: Models) -> AsyncIterator[Provider]:
    assert request.param in OPTIONS, f"give the provider {request.param} options above, to be held to the contract"
    made = plugins.build("providers", Use(name=request.param, options=OPTIONS[request.param](models.base)))
    yield made
    await made.close()


async def test_what_is_said_arrives_and_usage_is_reported(provider, models):
    models(says('{"a": "b"}'))
    answer = await provider.complete(SAID, SCHEMA)
    assert json.loads(answer.text) == {"a": "b"}
    assert (answer.usage["input_tokens"], answer.usage["output_tokens"]) == (100, 20)
    assert said_last(models.last.body) == "Is it good?"
    assert KEY in " ".join(models.last.headers.values())
    assert provider.model == "tutor"


@pytest.mark.parametrize(
    ("answer", "retriable"),
    [
        (refuses(401, f"wrong key {KEY}"), False),
        (refuses(429, "slow down", headers={"Retry-After": "3"}), True),
        (refuses(503, "busy"), True),
        (sends(b'{"half'), False),
    ],
)
async def test_a_failure_is_typed(provider, models, answer, retriable):
    models(answer)
    failed = await failure(provider.complete(SAID, SCHEMA))
    assert re.fullmatch(r"[a-z][a-z0-9_]+", failed.code)
    assert (failed.phase, failed.retriable, failed.answered) == ("judge", retriable, True)
    assert failed.retry_after == (3 if failed.code == "http_429" else None)
    assert failed.message.isprintable()
    assert KEY not in failed.message


@pytest.mark.parametrize("status", [302, 303, 307])
async def test_who_is_redirected_to_another_server_sends_it_nothing(provider, models, status):
    async with endpoint() as other:
        models(sends(b"", status, headers={"Location": f"{other.base}/v1/chat/completions"}))
        failed = await failure(provider.complete(SAID))
        assert (failed.code, failed.retriable) == ("redirect", False)
        assert models.asked
        assert other.asked == []


async def test_to_decline_is_no_failure(provider, models):
    models(says(None, refusal="No."))
    assert (await provider.complete(SAID)).refused is True


async def test_nothing_is_left_behind(provider, models):
    models(says("yes"))
    before = asyncio.all_tasks()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [each.text for each in await asyncio.gather(*(provider.complete(SAID) for _ in range(5)))] == ["yes"] * 5
        models(hangs)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(provider.complete(SAID), 0.2)
        await provider.close()
        await provider.close()
        await asyncio.sleep(0)
        gc.collect()
    assert {task for task in asyncio.all_tasks() - before if "RequestHandler" not in str(task.get_coro())} == set()


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_manual_is_complete(name):
    maker = plugins.find("providers", name)
    manual = plugins.manual("providers", name)
    for part in ("Speaks:", "Options:", "Example:", "Limits:", "Source:"):
        assert f"\n{part}" in manual, part
    sources = "".join(inspect.getsource(each) for each in maker.__mro__ if dataclasses.is_dataclass(each))
    for option in dataclasses.fields(maker):
        assert f"`{option.name}`" in manual.partition("\nOptions:")[2].partition("\nExample:")[0], option.name
        assert re.search(rf'\n    {option.name}: [^\n]+\n    """', sources), f"{option.name} is not documented"
    assert maker.main in {option.name for option in dataclasses.fields(maker)}


@pytest.mark.parametrize("name", PROVIDERS)
async def test_it_judges(name, models):
    models(says({"reason": "r", "score": 4}))
    judge = plugins.build("judges", Use(name=name, options=OPTIONS[name](models.base)))
    assert judge.name == f"{name}:tutor"
    await judge.close()
