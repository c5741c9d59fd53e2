"""Many at one store: two processes that write two hundred runs, while twenty read."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest_contracts import HEADER

from vivavoce.core import codec, plugins
from vivavoce.core.model import Use
from vivavoce.core.overview import Wanted

WRITER = Path(__file__).with_name("store_writer.py")
RUNS, CASES, READERS = 100, 50, 20


@pytest.mark.slow
def test_twenty_read_while_two_write_and_nothing_is_lost(store_use: Use, open_store: Any) -> None:
    open_store().begin("first", "2026-01-31T12:00:00Z", HEADER)
    told = codec.encode(store_use).decode()
    argv = [[sys.executable, str(WRITER), told, name, str(RUNS), str(CASES)] for name in ("left", "right")]
    writers = [subprocess.Popen(each, stderr=subprocess.PIPE, text=True) for each in argv]
    written = threading.Event()
    with ThreadPoolExecutor(READERS) as pool:
        readers = [pool.submit(_read, store_use, written) for _ in range(READERS)]
        failed = [writer.communicate(timeout=100)[1] for writer in writers]
        written.set()
        assert [(writer.returncode, text) for writer, text in zip(writers, failed, strict=True)] == [(0, "")] * 2
        assert min(reader.result() for reader in readers) > 0
    store = open_store()
    history = store.history("a")
    assert sum(point.tally.passed for point in history) == 2 * RUNS * CASES
    assert {point.run.id for point in history} == {
        "first",
        *(f"{name}-{at}" for name in ("left", "right") for at in range(RUNS)),
    }
    for run_id in ("left-0", "right-0", f"left-{RUNS - 1}"):
        run = store.run(run_id)
        assert [result.position for result in run.results] == list(range(CASES))
        assert [case.id for case in run.cases] == [f"case-{number}" for number in range(CASES)]


def _read(use: Use, written: threading.Event) -> int:
    """Read again and again until all is written; what is seen never is half of something. Returns how often it was."""
    store = plugins.build("stores", use)
    times, most = 0, 0
    while not written.wait(0.2):
        history = store.history("a")
        ended = [point for point in history if point.run.finished is not None]
        assert all(point.tally.passed == CASES for point in ended)
        assert len(ended) >= most, "what was there once stays"
        most = len(ended)
        if ended:
            page = store.page(ended[0].run.id, Wanted(status="pass", limit=5))
            assert (page.count, len(page.rows)) == (CASES, 5)
            assert store.suites()[0].latest.tally.passed == CASES
        times += 1
    store.close()
    return times
