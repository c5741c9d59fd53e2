"""A server that runs its suites when asked, as Saiku does: the question, and what it answers."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass

from vivavoce.core.errors import CallError, UsageError
from vivavoce.core.reply import JSON, Object
from vivavoce.net import addressing
from vivavoce.net.exchange import Client, Door, Refused, whole

PATH = "rest/saiku/admin/ai-evals/run"
_LARGEST = 16 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Swept:
    """What came of one suite."""

    suite: str
    passed: int
    total: int
    skipped: int = 0
    """Cases in which nothing could be examined, where the server tells of such."""

    @property
    def failed(self) -> bool:
        """Whether a case did not pass that was examined."""
        return self.passed + self.skipped < self.total


@dataclass(frozen=True, kw_only=True, slots=True)
class Sweep:
    """What came of all."""

    results: tuple[Swept, ...]
    skipped: tuple[tuple[str, str], ...]
    """Suites, or files, that were not run, each with the reason."""
    failed: bool
    """Whether the server says so, or a count does: a case that could not be answered has not passed."""
    answer: Object
    """As the server gave it."""


async def ask(server: str, username: str, password: str, seconds: float) -> Sweep:
    """Have a server run all its suites, and wait for that.

    Raises:
        UsageError: it cannot be reached in this time, lets nobody in by this name, or answers something else.
    """
    try:
        url = addressing.address(server, "--server").rstrip("/").removesuffix("/rest")
    except ValueError as error:
        raise UsageError(str(error)) from None
    shown = addressing.shown(url)
    credentials = base64.b64encode(f"{username}:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {credentials}", "Accept": "application/json"}
    # A password that is the name, such as the `admin` of a new server, hides nothing, and stands in addresses.
    secrets = (credentials,) if password == username else (credentials, password)
    door = Door(url=f"{url}/{PATH}", shown=shown, method="POST", headers=headers, tls=None, secrets=secrets)
    client = Client(door)
    try:
        async with asyncio.timeout(seconds):
            body = await client.call(b"", {}, lambda response: whole(response, _LARGEST))
    except TimeoutError:
        raise UsageError(
            f"{shown} did not answer within {seconds / 60:g} minutes; give it more with --timeout-minutes"
        ) from None
    except Refused as error:
        if error.status in (401, 403):
            raise UsageError(f"{shown} does not let {username} in ({error.status}); see --username and --password") from None
        raise UsageError(str(error)) from None
    except CallError as error:
        raise UsageError(str(error)) from None
    finally:
        await client.close()
    return _read(body, shown)


def _read(body: bytes, shown: str) -> Sweep:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise UsageError(f"{shown} answered what is no JSON; is it a server with suites?") from None
    if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
        raise UsageError(f"{shown} answered no results; is it a server with suites?")
    results = tuple(_swept(answer["results"], shown))
    skipped = tuple(
        (str(each.get("suiteName", "?")), str(each.get("reason", "")))
        for each in answer.get("skipped") or ()
        if isinstance(each, dict)
    )
    failed = answer.get("hasFailures") is True or any(each.failed for each in results)
    return Sweep(results=results, skipped=skipped, failed=failed, answer=answer)


def _swept(results: list[JSON], shown: str) -> Iterator[Swept]:
    for each in results:
        told = each if isinstance(each, dict) else {}
        passed, total, skipped = told.get("passed"), told.get("total"), told.get("skipped", 0)
        if not (isinstance(passed, int) and isinstance(total, int) and isinstance(skipped, int)):
            raise UsageError(f"{shown} answered a result without numbers: {json.dumps(each)[:200]}")
        yield Swept(suite=str(told.get("suiteName", "?")), passed=passed, total=total, skipped=skipped)
