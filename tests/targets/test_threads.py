from __future__ import annotations

import asyncio
import contextvars
import gc
import subprocess
import sys
import threading
import weakref

import pytest

from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure
from vivavoce.targets._threads import Threads


@pytest.fixture
def threads():
    made = Threads()
    yield made
    made.close()


def agents() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith("viva-agent")]


async def test_a_function_runs_in_a_daemon_thread_with_its_context(threads):
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("set")

    def look(argument):
        return (
            argument,
            variable.get(),
            threading.current_thread().daemon,
            threading.current_thread() is threading.main_thread(),
        )

    assert await threads.run(look, 7) == (7, "set", True, False)


async def test_a_failure_comes_back(threads):
    def fail(_):
        raise CallError(Failure(code="crashed", message="no"))

    with pytest.raises(CallError, match="no"):
        await threads.run(fail, None)
    assert await threads.run(str, 1) == "1"


async def test_threads_are_used_again(threads):
    ran_in = {await threads.run(lambda _: threading.get_ident(), None) for _ in range(50)}
    assert len(ran_in) == 1


async def test_there_is_a_thread_for_everyone(threads):
    barrier = threading.Barrier(8)
    places = await asyncio.gather(*(threads.run(lambda _: barrier.wait(20), None) for _ in range(8)))
    assert sorted(places) == list(range(8))


async def test_a_fresh_thread_takes_the_place_of_an_abandoned_one(threads):
    release, started = threading.Event(), threading.Event()

    def block(_):
        started.set()
        release.wait(60)

    waiting = asyncio.ensure_future(threads.run(block, None))
    await asyncio.to_thread(started.wait, 60)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await threads.run(str, "next") == "next"
    release.set()


async def test_close_ends_threads_also_the_abandoned_ones():
    before = agents()
    threads, release = Threads(), threading.Event()
    waiting = asyncio.ensure_future(threads.run(lambda _: release.wait(60), None))
    await asyncio.sleep(0)
    await threads.run(str, 1)
    waiting.cancel()
    threads.close()
    release.set()
    new = [thread for thread in agents() if thread not in before]
    assert len(new) == 2
    for thread in new:
        await asyncio.to_thread(thread.join, 60)
    assert not any(thread.is_alive() for thread in new)


async def test_an_idle_thread_keeps_nothing_alive(threads):
    class Thing:
        pass

    thing = Thing()
    kept = weakref.ref(thing)
    assert await threads.run(lambda given: given, thing) is thing
    del thing
    await threads.run(str, 1)
    gc.collect()
    assert kept() is None


def test_the_pool_serves_one_loop_after_another(threads):
    assert [asyncio.run(threads.run(str, number)) for number in range(3)] == ["0", "1", "2"]


def test_an_abandoned_call_does_not_hold_up_the_end_of_the_process():
    code = (
        "import asyncio, threading\n"
        "from vivavoce.targets._threads import Threads\n"
        "async def main():\n"
        "    try:\n"
        "        await asyncio.wait_for(Threads().run(lambda _: threading.Event().wait(), None), 0.05)\n"
        "    except TimeoutError:\n"
        "        print('abandoned')\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "abandoned\n", "")
