from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure
from vivavoce.targets._loops import Loops

VARIABLE: ContextVar[str] = ContextVar("variable")


@pytest.fixture
async def loops():
    made = Loops()
    yield made
    await made.close()


async def here():
    return threading.current_thread(), asyncio.get_running_loop()


async def test_all_run_in_one_loop_of_another_thread(loops):
    (thread, loop), (again, same) = [await loops.run(here) for _ in range(2)]
    assert (thread, loop) == (again, same)
    assert thread.daemon
    assert thread is not threading.current_thread()
    assert loop is not asyncio.get_running_loop()


async def test_the_callers_context_is_there(loops):
    async def read():
        await asyncio.sleep(0)
        return VARIABLE.get()

    VARIABLE.set("given")
    assert await loops.run(read) == "given"


async def test_a_failure_comes_back_as_it_is(loops):
    async def fail():
        raise CallError(Failure(code="busy", message="later"))

    with pytest.raises(CallError, match="later"):
        await loops.run(fail)


async def test_what_is_cancelled_ends_before_the_caller_goes_on(loops):
    ended = []

    async def wait():
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            ended.append(True)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(loops.run(wait), 0.05)
    assert ended == [True]


async def test_what_does_not_let_itself_be_cancelled_is_abandoned_and_disturbs_nobody():
    loops, released, refused = Loops(), threading.Event(), []

    async def stubborn():
        while not released.is_set():
            try:
                await asyncio.sleep(0.01)
            except BaseException as error:
                refused.append(error)

    _, loop = await loops.run(here)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(loops.run(stubborn), 0.05)
    assert refused
    assert (await loops.run(here))[1] is loop
    await loops.close()
    released.set()


async def test_a_loop_that_is_blocked_is_replaced(loops):
    release = threading.Event()

    async def block():
        release.wait(60)

    _, before = await loops.run(here)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(loops.run(block), 0.05)
    _, after = await loops.run(here)
    assert after is not before
    release.set()


async def test_a_task_that_cancels_itself_or_all_is_a_failure(loops):
    async def alone():
        asyncio.current_task().cancel()
        await asyncio.sleep(60)

    async def with_all():
        for task in asyncio.all_tasks():
            task.cancel()
        await asyncio.sleep(60)

    for agent in (alone, with_all):
        with pytest.raises(CallError, match="the agent cancelled the task it runs in"):
            await loops.run(agent)


@pytest.mark.parametrize("leave", [SystemExit, KeyboardInterrupt])
async def test_a_loop_that_is_stopped_or_left_goes_on(loops, leave):
    async def left():
        raise leave

    async def stop():
        asyncio.get_running_loop().stop()
        task = asyncio.create_task(left())
        await asyncio.wait([task])
        assert type(task.exception()) is leave
        return "on"

    assert await loops.run(stop) == "on"
    with pytest.raises(CallError, match=f"the agent ended with {leave.__name__}"):
        await loops.run(left)
    assert await loops.run(stop) == "on"


async def test_closing_ends_the_thread_and_what_still_runs(loops):
    ended = threading.Event()

    async def wait():
        try:
            await asyncio.sleep(600)
        finally:
            ended.set()

    async def leave_behind():
        left = asyncio.create_task(wait())
        await asyncio.sleep(0)
        return left, threading.current_thread()

    _, thread = await loops.run(leave_behind)
    await loops.close()
    assert ended.is_set()
    await asyncio.to_thread(thread.join, 60)
    assert not thread.is_alive()
    assert (await loops.run(here))[0].is_alive()  # it can be used again


async def test_a_loop_that_is_blocked_is_not_waited_for_at_the_end(loops):
    begun, release = threading.Event(), threading.Event()

    async def block():
        begun.set()
        return release.wait(60)

    blocked = asyncio.ensure_future(loops.run(block))
    await asyncio.to_thread(begun.wait, 60)
    await loops.close()
    assert not blocked.done()
    release.set()
    assert await blocked is True
