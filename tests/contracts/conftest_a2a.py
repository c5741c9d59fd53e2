"""An A2A agent that the protocol's own SDK serves, in both of its versions: the other side, written by others."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import uvicorn
from a2a.helpers.proto_helpers import new_data_part, new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Message
from starlette.applications import Starlette

VERSIONS = ("1.0", "0.3")


class Echo(AgentExecutor):
    """Repeats all that was said in a context, and does what a word says: it fails, waits, streams, asks back ..."""

    def __init__(self) -> None:
        self.said: dict[str, list[str]] = {}
        self.messages: list[Message] = []

    async def execute(self, context: RequestContext, events: EventQueue) -> None:
        assert context.message is not None
        self.messages.append(context.message)
        text = context.get_user_input()
        if text == "plainly":
            await events.enqueue_event(new_text_message("a message", context_id=context.context_id))
            return
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(context.message)
            await events.enqueue_event(task)
        await self._work(TaskUpdater(events, task.id, task.context_id), text, task.context_id)

    async def _work(self, update: TaskUpdater, text: str, context: str) -> None:
        said = self.said.setdefault(context, [])
        say = lambda words: update.new_agent_message([new_text_part(words)])  # noqa: E731
        await update.start_work(say("working on it"))
        if text in ("fail", "reject", "cancel", "sign in"):
            ends = {"fail": update.failed, "reject": update.reject, "cancel": update.cancel, "sign in": update.requires_auth}
            await ends[text](say(f"told to {text}"))
            return
        if text == "wait":
            await asyncio.Event().wait()
        if text == "ask":
            said.append(text)
            await update.requires_input(say("Which one?"))
            return
        said.append(text)
        if text == "stream":
            for number, piece in enumerate(("in ", "three ", "pieces")):
                await update.add_artifact([new_text_part(piece)], artifact_id="a", append=number > 0, last_chunk=number == 2)
        elif text == "data":
            await update.add_artifact([new_data_part({"rows": [1, 2]})], name="table")
        else:
            await update.add_artifact([new_text_part(" | ".join(said))], name="answer")
        await update.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise AssertionError("nobody cancels")


def card(url: str, *versions: str, streaming: bool = True) -> AgentCard:
    return AgentCard(
        name="Echo",
        description="Repeats what was said.",
        version="1",
        supported_interfaces=[AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=each) for each in versions],
        capabilities=AgentCapabilities(streaming=streaming),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="echo", name="Echo", description="Repeats.", tags=["test"])],
    )


@asynccontextmanager
async def sdk_agent(
    version: str = "1.0", *, streaming: bool = True, made: Callable[[str], AgentCard] | None = None
) -> AsyncIterator[tuple[str, Echo]]:
    """An agent of the SDK that speaks both versions, and whose card lists the given one; its address and itself."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        told = made(url) if made else card(f"{url}/rpc", version, streaming=streaming)
        echo = Echo()
        handler = DefaultRequestHandler(agent_executor=echo, task_store=InMemoryTaskStore(), agent_card=told)
        routes = [*create_agent_card_routes(told), *create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True)]
        config = uvicorn.Config(Starlette(routes=routes), log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server._serve([listening]))  # `serve` would take over the signals of the tests
        while not server.started:  # noqa: ASYNC110 - it has no event to wait for
            await asyncio.sleep(0.01)
        yield url, echo
        server.should_exit = True
        await serving
