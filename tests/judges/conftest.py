"""An endpoint of chat completions for each test, and an environment without keys."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from conftest_models import Models, endpoint


@pytest.fixture
async def models() -> AsyncIterator[Models]:
    async with endpoint() as made:
        yield made


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_ENDPOINT", "API_KEY", "MODEL_NAME", "API_VERSION"):
        monkeypatch.delenv(f"AZURE_AI_{name}", raising=False)
