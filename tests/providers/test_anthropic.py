"""Models at Anthropic: what is sent, how an answer is held to a schema, and what refusals and failures come to."""

from __future__ import annotations

import json

import pytest
from conftest_models import KEY, failure, refuses, says, sends

from vivavoce.core import environment, plugins
from vivavoce.core.errors import BadOptions
from vivavoce.core.model import Use
from vivavoce.core.reply import Message

SAID = (Message(role="user", content="Is it good? ¿Sí?"),)
SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string", "maxLength": 9}, "score": {"type": "integer", "enum": [1, 2]}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}
HELD = {
    **SCHEMA,
    "properties": {"reason": {"type": "string"}, "score": {"type": "integer", "enum": [1, 2]}},
}


@pytest.fixture
async def made(models):
    all_made = []

    def make(**options):
        use = Use(name="anthropic", options={"model": "tutor", "api_key": KEY, "base_url": models.base, **options})
        all_made.append(plugins.build("providers", use))
        return all_made[-1]

    yield make
    for each in all_made:
        await each.close()


def message(*content, stop="end_turn", **more):
    usage = {"input_tokens": 100, "output_tokens": 20}
    return sends(
        {"type": "message", "role": "assistant", "content": list(content), "stop_reason": stop, "usage": usage, **more}
    )


async def test_what_is_sent(models, made):
    models(says("Yes."))
    provider = made(base_url=f"{models.base}/v1/", headers={"X-Team": "exam"}, extra={"top_k": 1})
    await provider.complete((Message(role="system", content="Be brief."), *SAID), SCHEMA)
    asked = models.last
    assert (asked.method, asked.path) == ("POST", "/v1/messages")
    assert (asked.headers["x-api-key"], asked.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert asked.headers["X-Team"] == "exam"
    assert "Authorization" not in asked.headers
    assert asked.body == {
        "model": "tutor",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Is it good? ¿Sí?"}],
        "temperature": 0.0,
        "max_tokens": 8192,
        "top_k": 1,
        "tools": [{"name": "answer", "description": "Takes the answer, whole.", "input_schema": HELD}],
        "tool_choice": {"type": "tool", "name": "answer"},
    }


async def test_who_speaks_changes_from_message_to_message(models, made):
    models(says("Yes."))
    said = [
        Message(role=role, content=text) for role, text in (("user", "a"), ("user", "b"), ("assistant", "c"), ("user", "d"))
    ]
    await made(max_tokens=50, temperature=None).complete(said)
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert models.last.body == {
        "model": "tutor",
        "max_tokens": 50,
        "messages": [
            {"role": "user", "content": parts},
            {"role": "assistant", "content": "c"},
            {"role": "user", "content": "d"},
        ],
    }


async def test_what_the_tool_is_given_is_the_answer(models, made):
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
    called = {"type": "tool_use", "id": "t", "name": "answer", "input": {"reason": "¡Sí!", "score": 2}}
    models(message(thought, {"type": "text", "text": "Here:"}, called, stop="tool_use", model="tutor-2"))
    answer = await made().complete(SAID, SCHEMA)
    assert json.loads(answer.text) == {"reason": "¡Sí!", "score": 2}
    assert list(json.loads(answer.text)) == ["reason", "score"]
    assert (answer.model, answer.cut, answer.refused) == ("tutor-2", False, False)
    assert answer.usage == {"input_tokens": 100, "output_tokens": 20}


@pytest.mark.parametrize(
    ("answer", "text", "cut", "refused"),
    [
        (message({"type": "text", "text": "a"}, {"type": "text", "text": "b"}), "ab", False, False),
        (message(), "", False, False),
        (message({"type": "text", "text": "half"}, stop="max_tokens"), "half", True, False),
        (message({"type": "text", "text": "half"}, stop="model_context_window_exceeded"), "half", True, False),
        (message(stop="refusal"), "", False, True),
    ],
    ids=["parts", "nothing", "cut", "full", "refusal"],
)
async def test_answers_of_every_kind(models, made, answer, text, cut, refused):
    models(answer)
    given = await made().complete(SAID)
    assert (given.text, given.cut, given.refused, given.model) == (text, cut, refused, "tutor")


async def test_what_a_cache_held_was_read_too(models, made):
    usage = {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5}
    models(message({"type": "text", "text": "x"}, usage=usage))
    assert (await made(input_price=1.0, output_price=10.0).complete(SAID)).usage == {
        "input_tokens": 100,
        "output_tokens": 2,
        "cost_usd": pytest.approx(120 / 1e6),
    }


@pytest.mark.parametrize(
    ("answer", "code", "retriable", "says_so"),
    [
        (refuses(401, "invalid x-api-key"), "http_401", False, "set ANTHROPIC_API_KEY"),
        (refuses(403, "no access"), "http_403", False, "the key may not use tutor"),
        (refuses(404, "model: tutor"), "http_404", False, "there is no model tutor here"),
        (refuses(400, "prompt is too long"), "http_400", False, "prompt is too long"),
        (refuses(400, "Your credit balance is too low"), "http_400", False, "the account has no credit left"),
        (refuses(429, "slow down", headers={"Retry-After": "7"}), "http_429", True, "slow down"),
        (
            sends({"error": {"details": {"error_code": "enforced_spend_limit_reached"}}}, 429),
            "http_429",
            False,
            "no credit left",
        ),
        (refuses(500, "oops"), "http_500", True, "oops"),
        (refuses(529, "Overloaded"), "http_529", True, "it has too much to do, for everybody"),
        (sends({"type": "message"}), "bad_payload", False, "without content"),
        (sends([1]), "bad_payload", False, "without content"),
        (sends(b"<html>"), "bad_payload", False, "a web page"),
    ],
)
async def test_failures_are_typed_and_explained(models, made, answer, code, retriable, says_so):
    models(answer)
    failed = await failure(made().complete(SAID, SCHEMA))
    assert (failed.code, failed.phase, failed.retriable, failed.answered) == (code, "judge", retriable, True)
    assert says_so in failed.message
    assert failed.retry_after == (7 if "slow" in says_so else None)
    assert len(models.asked) == 1


@pytest.mark.parametrize(
    ("message_of", "left"),
    [
        ("Thinking may not be enabled when tool_choice forces tool use.", {"tools"}),
        ("tool_choice: forced tools are not supported by this model", {"tools"}),
    ],
)
async def test_a_model_that_cannot_be_made_to_call_a_tool_is_offered_it(models, made, message_of, left):
    models(says('{"reason": "r", "score": 1}'))
    models.lacks["tool_choice"] = refuses(400, message_of)
    provider = made()
    assert json.loads((await provider.complete(SAID, SCHEMA)).text)["score"] == 1
    assert {"tools", "tool_choice"} & models.last.body.keys() == left
    await provider.complete(SAID, SCHEMA)
    assert len(models.asked) == 3, "what was learnt is remembered"


async def test_a_model_without_tools_is_asked_in_words(models, made):
    models(says("{}"))
    models.lacks["tools"] = refuses(400, "this model does not support tools")
    await made().complete(SAID, SCHEMA)
    assert not {"tools", "tool_choice"} & models.last.body.keys()


async def test_a_model_that_refuses_parameters_is_spared_them(models, made):
    models(says("{}"))
    models.lacks["temperature"] = refuses(400, "`temperature` is deprecated for this model.")
    await made().complete(SAID, SCHEMA)
    assert "temperature" not in models.last.body
    models(refuses(400, "max_tokens: 8192 > 4096, which is the maximum allowed"), says("x"))
    models.lacks.clear()
    await made().complete(SAID)
    assert models.last.body["max_tokens"] == 4096


async def test_a_limit_of_ones_own_is_not_changed(models, made):
    models(refuses(400, "max_tokens: 9000 > 4096"))
    failed = await failure(made(max_tokens=9000).complete(SAID))
    assert failed.code == "http_400"


async def test_the_key_and_the_address_out_of_variables(models, made):
    models(says("x"))
    with environment.known({"ANTHROPIC_API_KEY": " k-123 \n", "ANTHROPIC_BASE_URL": f"{models.base}/gate"}):
        await made(api_key=None, base_url=None).complete(SAID)
    assert models.last.path == "/gate/v1/messages"
    assert models.last.headers["x-api-key"] == "k-123"
    await made(api_key=None).complete(SAID)
    assert "x-api-key" not in models.last.headers, "a gateway may need none"


@pytest.mark.parametrize(
    ("options", "says_so"),
    [
        ({"base_url": None, "api_key": None}, "there is no key: set the variable ANTHROPIC_API_KEY, or the option api_key"),
        ({"api_key": "a\nb"}, "cannot be sent"),
        ({"base_url": "claude"}, 'base_url: "claude" is no http:// or https:// address'),
        ({"max_tokens": 0}, "max_tokens must be at least 1"),
    ],
)
def test_what_is_wrong_is_known_before_anything_is_run(models, options, says_so):
    with pytest.raises(BadOptions) as raised:
        plugins.build("providers", Use(name="anthropic", options={"model": "m", "api_key": KEY, **options}))
    assert says_so in str(raised.value)


def test_the_list_of_prices_holds_at_anthropics_own_address(models):
    use = Use(name="anthropic", options={"model": "claude-sonnet-4-5", "api_key": KEY})
    own = plugins.build("providers", use)
    assert own._price_of("claude-sonnet-4-5-20250929").input == 3.0
    elsewhere = plugins.build("providers", Use(name="anthropic", options={**use.options, "base_url": models.base}))
    assert elsewhere._price_of("claude-sonnet-4-5-20250929") is None
