"""Models in Amazon Bedrock: who asks, what is sent, and what answers, guardrails and failures come to."""

from __future__ import annotations

import asyncio
import json

import pytest
from conftest_aws import ID, SECRET, TOKEN, signed
from conftest_models import KEY, failure, refuses, says, sends

from vivavoce.core import environment, plugins
from vivavoce.core.errors import BadOptions, MissingExtra
from vivavoce.core.model import Use
from vivavoce.core.reply import Message

MODEL = "us.amazon.nova-pro-v1:0"
SAID = (Message(role="user", content="Is it good? ¿Sí?"),)
SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string", "maxLength": 9}},
    "required": ["reason"],
    "additionalProperties": False,
}
ACCOUNT = {"AWS_ACCESS_KEY_ID": ID, "AWS_SECRET_ACCESS_KEY": SECRET}


@pytest.fixture
async def made(models):
    all_made = []

    def make(**options):
        given = {"model": MODEL, "api_key": KEY, "region": "eu-west-1", "endpoint": models.base, **options}
        all_made.append(plugins.build("providers", Use(name="bedrock", options=given)))
        return all_made[-1]

    yield make
    for each in all_made:
        await each.close()


def answered(*content, stop="end_turn", **more):
    usage = {"inputTokens": 100, "outputTokens": 20, "totalTokens": 120}
    return sends(
        {"output": {"message": {"role": "assistant", "content": list(content)}}, "stopReason": stop, "usage": usage, **more}
    )


def checks(*seen, **where):
    """Answers, once the signature is right; keeps the names of the headers it covers."""
    answer = answered({"text": "Yes."})

    async def check(request):
        seen[0].append(await signed(request, service="bedrock", **where))
        return await answer(request)

    return check


async def test_what_is_sent(models, made):
    models(says("Yes."))
    provider = made(extra={"guardrailConfig": {"guardrailIdentifier": "g", "guardrailVersion": "1"}}, max_tokens=50)
    await provider.complete((Message(role="system", content="Be brief."), *SAID), SCHEMA)
    asked = models.last
    assert (asked.method, asked.path) == ("POST", f"/model/{MODEL}/converse")
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    held = {**SCHEMA, "properties": {"reason": {"type": "string"}}}
    spec = {"name": "answer", "description": "Takes the answer, whole.", "inputSchema": {"json": held}}
    assert asked.body == {
        "system": [{"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": "Is it good? ¿Sí?"}]}],
        "inferenceConfig": {"temperature": 0.0, "maxTokens": 50},
        "guardrailConfig": {"guardrailIdentifier": "g", "guardrailVersion": "1"},
        "toolConfig": {"tools": [{"toolSpec": spec}], "toolChoice": {"tool": {"name": "answer"}}},
    }


async def test_nothing_is_sent_that_was_not_asked_for(models, made):
    models(says("Yes."))
    await made(temperature=None).complete(SAID)
    assert set(models.last.body) == {"messages"}


async def test_who_speaks_changes_from_message_to_message(models, made):
    models(says("Yes."))
    await made().complete([Message(role="user", content="a"), Message(role="user", content="b")])
    assert models.last.body["messages"] == [{"role": "user", "content": [{"text": "a"}, {"text": "b"}]}]


@pytest.mark.parametrize("model", [MODEL, "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2"])
@pytest.mark.parametrize("token", [None, TOKEN])
async def test_a_request_is_signed_by_whom_the_variables_name(models, made, model, token):
    seen = []
    models(checks(seen, region="eu-west-1", token=token))
    variables = {**ACCOUNT, "AWS_BEARER_TOKEN_BEDROCK": "", **({"AWS_SESSION_TOKEN": token} if token else {})}
    with environment.known(variables):
        provider = made(model=model, api_key=None, headers={"X-Team": "exam"})
        answers = await asyncio.gather(*(provider.complete(SAID, SCHEMA) for _ in range(3)))
    assert [each.text for each in answers] == ["Yes."] * 3
    assert all("x-team" in names for names in seen)
    assert SECRET not in json.dumps([each.headers for each in models.asked])


async def test_a_profile_signs(models, made, tmp_path, monkeypatch):
    (tmp_path / "config").write_text("[profile exam]\nregion = ap-south-1\n")
    (tmp_path / "credentials").write_text(f"[exam]\naws_access_key_id = {ID}\naws_secret_access_key = {SECRET}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAOFANOTHER")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s-of-another")
    seen = []
    models(checks(seen, region="ap-south-1"))
    await made(api_key=None, region=None, profile="exam").complete(SAID)
    assert len(seen) == 1


@pytest.mark.parametrize("profile", [None, "nobody"])
async def test_nobody_who_could_sign(models, made, profile):
    models(says("x"))
    failed = await failure(made(api_key=None, profile=profile).complete(SAID))
    assert (failed.code, failed.phase, failed.sent, failed.retriable) == ("sign_in", "judge", False, False)
    assert "nobody is signed in to AWS here: set AWS_ACCESS_KEY_ID" in failed.message
    assert models.asked == []


async def test_a_secret_that_is_sent_back_goes_no_further(models, made):
    models(says(f"{SECRET} and {TOKEN}"), refuses(403, f"bad {TOKEN}"))
    with environment.known({**ACCOUNT, "AWS_SESSION_TOKEN": TOKEN}):
        provider = made(api_key=None)
        assert (await provider.complete(SAID)).text == "*** and ***"
        assert TOKEN not in (await failure(provider.complete(SAID))).message
        assert SECRET not in repr(provider)


@pytest.mark.parametrize(
    ("answer", "text", "cut", "refused"),
    [
        (answered({"reasoningContent": {}}, {"text": "a"}, {"text": "b"}), "ab", False, False),
        (
            answered({"toolUse": {"name": "answer", "input": {"reason": "¡r!"}}}, stop="tool_use"),
            '{"reason":"¡r!"}',
            False,
            False,
        ),
        (answered({"text": "half"}, stop="max_tokens"), "half", True, False),
        (answered({"text": "Not allowed."}, stop="guardrail_intervened"), "Not allowed.", False, True),
        (answered(stop="content_filtered"), "", False, True),
        (sends({"output": {}, "stopReason": "guardrail_intervened"}), "", False, True),
        (answered(stop="malformed_tool_use"), "", False, False),
    ],
    ids=["parts", "tool", "cut", "guardrail", "filter", "nothing left", "spoilt"],
)
async def test_answers_of_every_kind(models, made, answer, text, cut, refused):
    models(answer)
    given = await made().complete(SAID, SCHEMA)
    assert (given.text, given.cut, given.refused, given.model) == (text, cut, refused, MODEL)


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        (MODEL, (100 * 0.80 + 20 * 3.20) / 1e6),
        ("anthropic.claude-sonnet-4-20250514-v1:0", (100 * 3 + 20 * 15) / 1e6),
        ("global.anthropic.claude-haiku-4-5-20251001-v1:0", (100 * 1 + 20 * 5) / 1e6),
        ("eu.amazon.nova-pro-v1:0", None),
        ("arn:aws:bedrock:eu-west-1:123456789012:inference-profile/a", None),
    ],
)
async def test_the_cost_is_that_of_the_model_that_was_asked(models, made, model, cost):
    models(says("x"))
    usage = (await made(model=model).complete(SAID)).usage
    assert usage.get("cost_usd") == (None if cost is None else pytest.approx(cost))


KIND = {"X-Amzn-ErrorType": "ThrottlingException:http://internal.amazon.com/"}


@pytest.mark.parametrize(
    ("answer", "code", "retriable", "says_so"),
    [
        (refuses(403, "The security token is invalid"), "http_403", False, "it needs bedrock:InvokeModel"),
        (refuses(404, "Could not resolve"), "http_404", False, f"there is no model {MODEL} in eu-west-1"),
        (refuses(400, "Input is too long"), "http_400", False, "Input is too long"),
        (refuses(408, "timed out"), "http_408", True, "timed out"),
        (refuses(429, "Too many requests", headers=KIND), "http_429", True, "429 Too Many Requests (ThrottlingException):"),
        (refuses(500, "oops"), "http_500", True, "oops"),
        (refuses(503, "busy"), "http_503", True, "busy"),
        (sends({"output": {}}), "bad_payload", False, "without output.message.content"),
        (sends({"message": "no"}), "bad_payload", False, "without output.message.content"),
        (sends([1]), "bad_payload", False, "without output.message.content"),
    ],
)
async def test_failures_are_typed_and_explained(models, made, answer, code, retriable, says_so):
    models(answer)
    failed = await failure(made().complete(SAID, SCHEMA))
    assert (failed.code, failed.phase, failed.retriable, failed.answered) == (code, "judge", retriable, True)
    assert says_so in failed.message
    assert len(models.asked) == 1


async def test_a_model_is_asked_for_less_until_it_takes_it(models, made):
    refusals = [
        "This model doesn't support the toolConfig.toolChoice.tool field. Remove toolConfig.toolChoice.tool and try again.",
        "This model doesn't support tool use.",
        "The model does not take a temperature",
    ]
    models(*(refuses(400, each) for each in refusals), says('{"reason": "r"}'))
    provider = made()
    assert (await provider.complete(SAID, SCHEMA)).text == '{"reason": "r"}'
    kinds = [each.body.get("toolConfig", {}).keys() for each in models.asked]
    assert kinds == [{"tools", "toolChoice"}, {"tools"}, set(), set()]
    assert "inferenceConfig" not in models.last.body
    await provider.complete(SAID, SCHEMA)
    assert len(models.asked) == 5, "what was learnt is remembered"


@pytest.mark.parametrize(
    ("options", "says_so"),
    [
        ({"region": None}, "there is no region: set the variable AWS_REGION, or the option region"),
        ({"region": "Frankfurt"}, '"Frankfurt" is no region of AWS; one is us-east-1'),
        ({"model": " "}, "model is empty"),
        ({"api_key": "a\nb"}, "cannot be sent"),
        ({"endpoint": "bedrock"}, 'endpoint: "bedrock" is no http:// or https:// address'),
    ],
)
def test_what_is_wrong_is_known_before_anything_is_run(models, options, says_so):
    given = {"model": MODEL, "region": "eu-west-1", "api_key": KEY, **options}
    with pytest.raises(BadOptions) as raised:
        plugins.build("providers", Use(name="bedrock", options=given))
    assert says_so in str(raised.value)


def test_to_sign_needs_an_extra(models, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="needs the package boto3, which is not installed: pip install boto3"):
        plugins.build("providers", Use(name="bedrock", options={"model": MODEL, "region": "us-east-1"}))


def test_where_each_region_is(models):
    for region, host in (("us-east-1", "amazonaws.com"), ("cn-north-1", "amazonaws.com.cn")):
        with environment.known({"AWS_REGION": region}):
            made = plugins.build("providers", Use(name="bedrock", options={"model": MODEL, "api_key": KEY}))
        assert made._at.url == f"https://bedrock-runtime.{region}.{host}/model/us.amazon.nova-pro-v1%3A0/converse"


async def test_a_profile_whose_program_fails_is_told(models, made, tmp_path, monkeypatch):
    (tmp_path / "config").write_text("[profile broken]\ncredential_process = false\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    failed = await failure(made(api_key=None, profile="broken").complete(SAID))
    assert (failed.code, failed.sent) == ("sign_in", False)
    assert "set AWS_ACCESS_KEY_ID" in failed.message
