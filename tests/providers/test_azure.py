"""Azure OpenAI: both styles of its addresses, the vendor's variables, and prices by the model that answered."""

from __future__ import annotations

import pytest
from conftest_models import KEY, failure, refuses, says

from vivavoce.core import environment, plugins
from vivavoce.core.errors import BadOptions
from vivavoce.core.model import Use
from vivavoce.core.reply import Message
from vivavoce.providers import _prices

SAID = (Message(role="user", content="Is it good?"),)


@pytest.fixture
async def made():
    """Makes providers, and closes them."""
    all_made = []

    def make(**options):
        all_made.append(plugins.build("providers", Use(name="azure", options=options)))
        return all_made[-1]

    yield make
    for each in all_made:
        await each.close()


@pytest.mark.parametrize(
    ("behind", "options", "path", "version"),
    [
        ("", {}, "/openai/deployments/tutor-1/chat/completions", "2024-12-01-preview"),
        ("/", {"api_version": "2025-01-01"}, "/openai/deployments/tutor-1/chat/completions", "2025-01-01"),
        ("/openai", {}, "/openai/deployments/tutor-1/chat/completions", "2024-12-01-preview"),
        ("/openai/deployments/x/chat/completions?api-version=1", {}, "/openai/deployments/tutor-1/chat/completions", None),
        ("/gateway", {}, "/gateway/openai/deployments/tutor-1/chat/completions", "2024-12-01-preview"),
        ("/openai/v1", {}, "/openai/v1/chat/completions", ""),
        ("/openai/v1/", {"api_version": "2024-12-01-preview"}, "/openai/v1/chat/completions", ""),
        ("/openai/v1/chat/completions", {}, "/openai/v1/chat/completions", ""),
        ("", {"api_version": "v1"}, "/openai/v1/chat/completions", ""),
        ("/gateway/openai/v1", {}, "/gateway/openai/v1/chat/completions", ""),
    ],
)
async def test_both_styles_of_addresses(models, made, behind, options, path, version):
    models(says("Yes."))
    provider = made(deployment="tutor-1", endpoint=models.base + behind, api_key=KEY, **options)
    assert (await provider.complete(SAID)).text == "Yes."
    asked = models.last
    assert (asked.method, asked.path) == ("POST", path)
    assert asked.query == ({"api-version": version or "2024-12-01-preview"} if version != "" else {})
    assert asked.headers["api-key"] == KEY
    assert "Authorization" not in asked.headers
    assert asked.body.get("model") == ("tutor-1" if "/v1/" in path else None)


async def test_a_name_is_one_part_of_the_path(models, made):
    models(says("x"))
    await made(deployment="a/b c", endpoint=models.base, api_key=KEY).complete(SAID)
    assert models.last.path == "/openai/deployments/a/b c/chat/completions"
    assert made(deployment="a/b", endpoint=models.base, api_key=KEY)._at.url.count("a%2Fb") == 1


async def test_the_vendors_variables_work(models, made):
    models(says("x"))
    variables = {
        "AZURE_AI_OPENAI_ENDPOINT": f"{models.base}/",
        "AZURE_AI_API_KEY": "from-there",
        "AZURE_AI_MODEL_NAME": "gpt-5-mini",
        "AZURE_AI_API_VERSION": "2025-03-01-preview",
    }
    with environment.known(variables):
        provider = made()
        assert provider.model == "gpt-5-mini"
        await provider.complete(SAID)
        assert made(deployment="other").model == "other"
    asked = models.last
    assert asked.path == "/openai/deployments/gpt-5-mini/chat/completions"
    assert (asked.query, asked.headers["api-key"]) == ({"api-version": "2025-03-01-preview"}, "from-there")


async def test_without_a_name_the_vendors_default_is_asked(models, made):
    assert made(endpoint=models.base, api_key=KEY).model == "gpt-4o-mini"


async def test_a_token_may_stand_for_the_key(models, made):
    models(says("x"))
    await made(endpoint=models.base, headers={"Authorization": "Bearer t0ken"}).complete(SAID)
    assert models.last.headers["Authorization"] == "Bearer t0ken"
    assert "api-key" not in models.last.headers


async def test_its_own_failures_are_explained(models, made):
    provider = made(deployment="tutr", endpoint=models.base, api_key=KEY)
    models(refuses(404, "The API deployment for this resource does not exist", code="DeploymentNotFound"))
    assert "there is no deployment tutr at this endpoint" in (await failure(provider.complete(SAID, {}))).message
    models(refuses(401, "Access denied due to invalid subscription key"))
    assert "set AZURE_AI_API_KEY" in (await failure(provider.complete(SAID))).message


async def test_the_cost_is_that_of_the_model_that_answered(models, made):
    provider = made(deployment="my-own-name", endpoint=models.base, api_key=KEY)
    models(says("x", model="gpt-4o-mini-2024-07-18"))
    cost = (await provider.complete(SAID)).usage["cost_usd"]
    assert cost == pytest.approx((100 * 0.15 + 20 * 0.60) / 1e6)
    models(says("x", model="never-heard-of"))
    assert "cost_usd" not in (await provider.complete(SAID)).usage


@pytest.mark.parametrize(
    ("options", "says_so"),
    [
        ({"api_key": KEY}, "there is no endpoint: set the variable AZURE_AI_OPENAI_ENDPOINT, or the option endpoint"),
        ({"endpoint": "https://h.example"}, "there is no key: set the variable AZURE_AI_API_KEY, or the option api_key"),
        ({"endpoint": "h.example", "api_key": KEY}, 'endpoint: "h.example" is no http:// or https:// address'),
    ],
)
def test_what_is_missing_is_named(options, says_so):
    with pytest.raises(BadOptions) as raised:
        plugins.build("providers", Use(name="azure", options=options))
    assert says_so in str(raised.value)


def test_every_listed_price_is_one():
    table = _prices._table()
    assert table.keys() - {"as_of"} == table["as_of"].keys()
    for vendor in table["as_of"]:
        for name, price in table[vendor].items():
            assert 0 < price["input"] < price["output"], name
            assert _prices.listed(vendor, f"{name}-2025-08-07") == _prices.listed(vendor, name)


def test_what_only_begins_like_a_model_has_no_price():
    assert _prices.listed("openai", "gpt-4o-audio-preview") is None
    assert _prices.listed("openai", "gpt-5-mini-large", "gpt-5") == _prices.listed("openai", "gpt-5")
    assert _prices.listed("nobody", "gpt-5") is None
