"""Whatever is asked that the description allows or nearly allows, the server answers, and as it is described."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 12
"""Requests of each call."""


@pytest.mark.slow
def test_nothing_that_is_asked_breaks_it(server):
    server.events(server.start("desk").data["id"])
    described = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
    asked = [found.ok() for found in described.get_all_operations()]
    assert len(asked) > 15

    for operation in asked:

        @settings(max_examples=EXAMPLES, database=None, phases=[Phase.explicit, Phase.generate])
        @given(case=operation.as_strategy())
        def ask(case):
            case.call_and_validate(base_url=server.url, checks=CHECKS, timeout=30)

        ask()
    assert server.said == []
