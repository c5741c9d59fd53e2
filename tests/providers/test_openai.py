"""Chat models over HTTP: what is sent, what is made of the answers, and what an endpoint's refusals teach."""

from __future__ import annotations

import asyncio
from email.utils import formatdate

import pytest
from conftest_models import KEY, completion, failure, hangs, refuses, says, sends

from vivavoce.core import environment, plugins
from vivavoce.core.errors import BadOptions
from vivavoce.core.model import Use
from vivavoce.core.reply import Message

SAID = (Message(role="user", content="Is it good? ¿Sí?"),)
SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string", "maxLength": 9}, "score": {"type": "number", "minimum": 0, "maximum": 1}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}


@pytest.fixture
async def made():
    """Makes providers, and closes them."""
    all_made = []

    def make(**options):
        all_made.append(plugins.build("providers", Use(name="openai", options={"model": "tutor", "api_key": KEY, **options})))
        return all_made[-1]

    yield make
    for each in all_made:
        await each.close()


async def test_what_is_sent(models, made):
    base = models(says("Yes."))
    await made(base_url=f"{base}/", headers={"X-Team": "exam"}, extra={"seed": 7}, max_tokens=50).complete(SAID, SCHEMA)
    asked = models.last
    assert (asked.method, asked.path, asked.query) == ("POST", "/v1/chat/completions", {})
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.headers["Content-Type"] == "application/json"
    assert asked.headers["X-Team"] == "exam"
    form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}
    assert asked.body == {
        "model": "tutor",
        "messages": [{"role": "user", "content": "Is it good? ¿Sí?"}],
        "temperature": 0.0,
        "max_tokens": 50,
        "seed": 7,
        "response_format": form,
    }


async def test_nothing_is_sent_that_was_not_asked_for(models, made):
    await made(base_url=models(says("Yes.")), temperature=None).complete(SAID)
    assert set(models.last.body) == {"model", "messages"}


async def test_an_answer(models, made):
    answer = await made(base_url=models(says("Yes — ¡sí!"))).complete(SAID)
    assert (answer.text, answer.model, answer.cut, answer.refused) == ("Yes — ¡sí!", "tutor-1", False, False)
    assert answer.usage == {"input_tokens": 100, "output_tokens": 20}, "of an unknown model, the cost is unknown"


@pytest.mark.parametrize(
    ("answer", "text", "cut", "refused"),
    [
        (says([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]), "ab", False, False),
        (says(None), "", False, False),
        (says("half", finish="length"), "half", True, False),
        (says(None, refusal="I cannot."), "", False, True),
        (says("", finish="content_filter"), "", False, True),
        (refuses(400, "filtered", code="content_filter", innererror={"code": "ResponsibleAIPolicyViolation"}), "", False, True),
        (refuses(400, "filtered", code=None, innererror={"code": "ResponsibleAIPolicyViolation"}), "", False, True),
    ],
    ids=["parts", "null", "cut", "refusal", "filtered answer", "filtered question", "filtered question, inner code"],
)
async def test_answers_of_every_kind(models, made, answer, text, cut, refused):
    given = await made(base_url=models(answer)).complete(SAID)
    assert (given.text, given.cut, given.refused) == (text, cut, refused)


async def test_the_model_asked_for_is_named_where_the_endpoint_names_none(models, made):
    assert (await made(base_url=models(says("x", model=None))).complete(SAID)).model == "tutor"


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": "many", "completion_tokens": -1}, {"prompt_tokens": True}, [1]], ids=str
)
async def test_usage_that_is_not_told_is_unknown(models, made, usage):
    answer = completion("x") | {"usage": usage}
    given = await made(base_url=models(sends(answer)), input_price=1.0, output_price=1.0).complete(SAID)
    assert given.usage == {}


@pytest.mark.parametrize(
    ("answer", "code", "retriable", "says_so"),
    [
        (refuses(401, "Incorrect API key"), "http_401", False, "the key is wrong or missing: set OPENAI_API_KEY"),
        (refuses(403, "no access"), "http_403", False, "the key may not use tutor"),
        (refuses(404, "The model does not exist"), "http_404", False, "there is no model tutor here, or base_url is not"),
        (sends(b"404 page not found", 404), "http_404", False, "most end in /v1"),
        (refuses(400, "maximum context length is 8 tokens"), "http_400", False, "maximum context length"),
        (refuses(429, "slow down"), "http_429", True, "slow down"),
        (refuses(429, "pay", code="insufficient_quota"), "http_429", False, "the account has no credit left"),
        (refuses(500, "oops"), "http_500", True, "oops"),
        (refuses(503, "busy"), "http_503", True, "busy"),
        (sends(b"<html><title>Portal</title>"), "bad_payload", False, "a web page"),
        (sends(b'{"choices": [{"mess'), "bad_payload", False, "no JSON"),
        (sends(b""), "bad_payload", False, "nothing"),
        (sends({"error": {"message": "backend down"}}), "bad_payload", False, "backend down"),
        (sends({"choices": []}), "bad_payload", False, "without choices[0].message"),
        (sends([1]), "bad_payload", False, "without choices[0].message"),
    ],
)
async def test_failures_are_typed_and_explained(models, made, answer, code, retriable, says_so):
    failed = await failure(made(base_url=models(answer)).complete(SAID, SCHEMA))
    assert (failed.code, failed.phase, failed.retriable, failed.answered) == (code, "judge", retriable, True)
    assert says_so in failed.message
    assert "127.0.0.1" in failed.message
    assert len(models.asked) == 1


@pytest.mark.parametrize(("header", "least", "most"), [("7", 7, 7), (formatdate(4e9, usegmt=True), 1e9, 4e9)])
async def test_how_long_to_wait_is_passed_on(models, made, header, least, most):
    failed = await failure(made(base_url=models(refuses(429, headers={"Retry-After": header}))).complete(SAID))
    assert least <= failed.retry_after <= most


async def test_nobody_there(made):
    failed = await failure(made(base_url="http://127.0.0.1:9/v1").complete(SAID))
    assert (failed.code, failed.phase, failed.retriable, failed.sent) == ("connection", "judge", True, False)


async def test_a_slow_call_can_be_given_up(models, made):
    provider = made(base_url=models(hangs))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(provider.complete(SAID), 0.2)
    models(says("again"))
    assert (await provider.complete(SAID)).text == "again"


async def test_a_key_that_is_sent_back_goes_no_further(models, made):
    provider = made(base_url=models(says(f"your key is {KEY}"), refuses(401, f"wrong key {KEY}")))
    assert (await provider.complete(SAID)).text == "your key is ***"
    assert KEY not in (await failure(provider.complete(SAID))).message
    assert KEY not in repr(provider)


SHAPES = ["json_schema", "json_schema", "json_object", None]


@pytest.mark.parametrize("status", [400, 404, 422])
@pytest.mark.parametrize(
    ("lacks", "tried"),
    [
        ((), SHAPES[:1]),
        (("response_format=json_schema",), SHAPES[:3]),
        (("response_format",), SHAPES),
    ],
)
async def test_an_endpoint_that_cannot_hold_to_a_schema_is_asked_for_less(models, made, status, lacks, tried):
    provider = made(base_url=models(says("{}")))
    for each in lacks:
        models.lacks[each] = refuses(status, "This response_format type is unavailable now")
    await provider.complete(SAID, SCHEMA)
    assert [asked.body.get("response_format", {}).get("type") for asked in models.asked] == tried
    await provider.complete(SAID, SCHEMA)
    assert len(models.asked) == len(tried) + 1, "what was learnt is remembered"
    assert models.last.body.get("response_format") == models.asked[-2].body.get("response_format")


async def test_bounds_go_first(models, made):
    provider = made(
        base_url=models(refuses(400, "Invalid schema for response_format: 'maxLength' is not permitted"), says("{}"))
    )
    await provider.complete(SAID, SCHEMA)
    plain = models.last.body["response_format"]["json_schema"]["schema"]
    assert plain["properties"] == {"reason": {"type": "string"}, "score": {"type": "number"}}
    assert plain["required"] == SCHEMA["required"]


@pytest.mark.parametrize(
    "refusal",
    [
        sends({"detail": [{"loc": ["body", "response_format"], "msg": "extra fields not permitted"}]}, 422),
        sends({"error": "unknown field: response_format"}, 400),
        sends(b"json_schema: unknown", 400),
        refuses(404, "No endpoints found that can handle the requested parameters."),
        refuses(400, "nope", param="response_format"),
    ],
)
async def test_however_an_endpoint_says_it(models, made, refusal):
    provider = made(base_url=models(says("{}")))
    models.lacks["response_format"] = refusal
    assert (await provider.complete(SAID, SCHEMA)).text == "{}"
    assert "response_format" not in models.last.body


async def test_a_model_that_refuses_parameters_is_spared_them(models, made):
    provider = made(base_url=models(says("{}")), max_tokens=40)
    models.lacks["temperature"] = refuses(400, "Unsupported value: 'temperature' does not support 0", param="temperature")
    models.lacks["max_tokens"] = refuses(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    await provider.complete(SAID, SCHEMA)
    assert len(models.asked) == 3
    assert "temperature" not in models.last.body
    assert models.last.body["max_completion_tokens"] == 40
    assert "response_format" in models.last.body
    await provider.complete(SAID)
    assert len(models.asked) == 4


async def test_a_model_that_knows_no_limit_is_given_none(models, made):
    provider = made(base_url=models(says("{}")), max_tokens=40)
    for name in ("max_tokens", "max_completion_tokens"):
        models.lacks[name] = refuses(400, f"unknown parameter {name}")
    await provider.complete(SAID)
    assert not {"max_tokens", "max_completion_tokens"} & set(models.last.body)


async def test_calls_at_once_learn_together(models, made):
    provider = made(base_url=models(says("{}")))
    models.lacks["response_format"] = refuses(400, "no response_format here")
    models.lacks["temperature"] = refuses(400, "no temperature here")
    answers = await asyncio.gather(*(provider.complete(SAID, SCHEMA) for _ in range(8)))
    assert [each.text for each in answers] == ["{}"] * 8
    assert set(models.last.body) == {"model", "messages"}


async def test_a_price_given_makes_a_cost(models, made):
    given = await made(base_url=models(says("x")), input_price=2.0, output_price=10.0).complete(SAID)
    assert given.usage["cost_usd"] == pytest.approx((100 * 2 + 20 * 10) / 1e6)


async def test_a_free_model_costs_nothing(models, made):
    assert (await made(base_url=models(says("x")), input_price=0.0, output_price=0.0).complete(SAID)).usage["cost_usd"] == 0


async def test_the_list_of_prices_holds_at_no_other_address(models, made):
    given = await made(base_url=models(says("x", model="gpt-4o")), model="gpt-4o").complete(SAID)
    assert "cost_usd" not in given.usage


async def test_a_local_server_needs_no_key(models, made):
    await made(base_url=models(says("x")), api_key=None).complete(SAID)
    assert "Authorization" not in models.last.headers
    with environment.known({"OPENAI_API_KEY": "of-another", "OPENAI_BASE_URL": f"{models.base}/other/v1/"}):
        await made(api_key="").complete(SAID)
        assert "Authorization" not in models.last.headers
        await made(api_key=None).complete(SAID)
    assert models.last.headers["Authorization"] == "Bearer of-another"
    assert models.last.path == "/other/v1/chat/completions"


async def test_a_key_out_of_a_variable(models, made):
    with environment.known({"MY_KEY": " k-123 \n"}):
        await made(base_url=models(says("x")), api_key="${MY_KEY}").complete(SAID)
    assert models.last.headers["Authorization"] == "Bearer k-123"


async def test_a_header_of_ones_own_stands_before_the_key(models, made):
    await made(base_url=models(says("x")), headers={"Authorization": "Basic abc"}).complete(SAID)
    assert models.last.headers["Authorization"] == "Basic abc"


@pytest.mark.parametrize(
    ("options", "says_so"),
    [
        ({}, 'the option "model" is missing'),
        ({"model": "m", "api_key": None}, "there is no key: set the variable OPENAI_API_KEY, or the option api_key"),
        ({"model": "m", "api_key": "${NOT_THERE}"}, "api_key names the variable NOT_THERE, which is not set"),
        ({"model": "m", "api_key": "a\nb"}, "cannot be sent"),
        ({"model": "m", "api_key": "schlüssel—x"}, "cannot be sent"),
        ({"model": "m", "base_url": "localhost:11434"}, 'base_url: "localhost:11434" is no http:// or https:// address'),
        ({"model": "m", "base_url": "http://me:pass@h/v1"}, "a password does not belong into an address"),
        ({"model": "m", "max_tokens": 0}, "max_tokens must be at least 1"),
        ({"model": "m", "temperatur": 1}, 'unknown option "temperatur" (did you mean "temperature"?)'),
        ({"model": "m", "input_price": 1.0}, "input_price and output_price belong together"),
        ({"model": "m", "input_price": -1.0, "output_price": 1.0}, "input_price must be 0 or more"),
        ({"model": "m", "headers": {"X": "a\nb"}}, "the value of the header X has more than one line"),
    ],
)
def test_what_is_wrong_is_known_before_anything_is_run(options, says_so):
    with pytest.raises(BadOptions) as raised:
        plugins.build("providers", Use(name="openai", options={"api_key": KEY, **options}))
    assert says_so in str(raised.value)
    assert KEY not in str(raised.value)
