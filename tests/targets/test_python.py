from __future__ import annotations

import asyncio
import functools
import re
import sys
import threading
import time
from dataclasses import dataclass

import pytest
from conftest_targets import HISTORY, TRIAL, ask, failure, request

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, CallError
from vivavoce.core.model import Use
from vivavoce.core.reply import Reply, ToolCall
from vivavoce.core.result import Failure
from vivavoce.samples.analytics import Analyst
from vivavoce.targets.python import Python, from_object


def build(spec: str) -> Python:
    return plugins.build("targets", Use(name="python", options={"spec": spec}))


def wrong(spec: str) -> str:
    with pytest.raises(BadOptions) as raised:
        build(spec)
    return str(raised.value)


# How a function is called


async def test_a_function_gets_the_input():
    assert (await ask(from_object(lambda question: question.upper()))).text == "HELLO"
    assert (await ask(from_object(str.title))).text == "Hello"


async def test_a_function_of_a_request_gets_all_of_it():
    seen = {}

    def answer(request):
        seen.update(request)
        return "ok"

    await ask(from_object(answer), {"q": [1]}, turn=2, about={"cube": "Sales"}, history=HISTORY)
    assert seen == {
        "input": {"q": [1]},
        "session_id": "s-1",
        "case": "c",
        "turn": 2,
        "about": {"cube": "Sales"},
        "history": [{"role": "user", "content": "before"}, {"role": "assistant", "content": "indeed"}],
    }


async def test_what_an_agent_changes_is_its_own():
    given = {"q": [1]}

    def spoil(question):
        question["q"].append(2)
        return "ok"

    def spoil_all(request):
        request["input"]["q"].append(2)
        return "ok"

    await ask(from_object(spoil), given)
    await ask(from_object(spoil_all), given)
    assert given == {"q": [1]}


class Callable:
    def __call__(self, question):
        return f"called {question}"


class AsyncCallable:
    async def __call__(self, request):
        return f"called {request['input']}"


async def coroutine(question):
    await asyncio.sleep(0)
    return f"awaited {question}"


async def async_parts(question):
    for part in ("in ", "parts"):
        yield part


def parts(question):
    yield from ("in ", "parts")


async def returns_parts(question):
    return async_parts(question)


async def hands_on(question):
    return coroutine(question)


async def hands_on_twice(question):
    return hands_on(question)


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        (Callable(), "called hello"),
        (Callable().__call__, "called hello"),
        (AsyncCallable(), "called hello"),
        (coroutine, "awaited hello"),
        (functools.partial(lambda prefix, question: prefix + question, "to "), "to hello"),
        (functools.partial(coroutine), "awaited hello"),
        (lambda question: coroutine(question), "awaited hello"),
        (async_parts, "in parts"),
        (parts, "in parts"),
        (lambda question: parts(question), "in parts"),
        (lambda question: async_parts(question), "in parts"),
        (returns_parts, "in parts"),
        (hands_on, "awaited hello"),
        (lambda *all_of_it: f"{len(all_of_it)}", "1"),
        (lambda question, *, style="plain": f"{question} {style}", "hello plain"),
    ],
)
async def test_every_kind_of_function_answers(agent, text):
    assert (await ask(from_object(agent))).text == text


async def test_answers_of_every_shape():
    @dataclass
    class Answer:
        text: str
        rows: list[dict[str, int]]

    reply = Reply(text="r", tool_calls=(ToolCall(name="a", arguments={"b": 1}),), seconds=1.5, raw=[1])
    assert await ask(from_object(lambda _: reply)) == reply
    assert await ask(from_object(lambda _: {"text": "t", "tool_calls": ({"name": "a"},), "more": 1})) == Reply(
        text="t", tool_calls=(ToolCall(name="a"),), raw={"more": 1}
    )
    assert await ask(from_object(lambda _: Answer("t", [{"a": 1}]))) == Reply(text="t", rows=({"a": 1},))
    assert (await ask(from_object(lambda _: ""))).text == ""


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (None, "the answer is null"),
        (42, "the answer is a number"),
        ([1], "the answer is a list"),
        (b"bytes", "a value of the type bytes"),
        (object(), "a value of the type object"),
        ({"text": 4}, '"text" of the answer must be text'),
        (Reply(), "neither"),
    ],
)
async def test_what_is_no_answer_is_a_bad_payload(answer, says):
    for agent in (lambda _: answer, functools.partial(returned, answer)):
        failed = await failure(from_object(agent))
        assert failed.code == "bad_payload"
        assert says in failed.message


async def returned(answer, _):
    return answer


async def test_an_answer_that_is_never_there_is_a_bad_payload_without_a_warning():
    assert "a value of the type coroutine" in (await failure(from_object(hands_on_twice))).message


async def test_a_part_that_is_no_text_is_a_bad_payload():
    def numbers(_):
        yield 1

    async def async_numbers(_):
        yield 1

    for agent in (numbers, async_numbers):
        assert (await failure(from_object(agent))).code == "bad_payload"


# Classes


class Memory:
    made = 0
    closed = 0

    def __init__(self):
        type(self).made += 1
        self.said = []

    def send(self, request):
        self.said.append(request["input"])
        return " | ".join(self.said)

    def close(self):
        type(self).closed += 1


class AsyncMemory(Memory):
    def __init__(self):
        super().__init__()
        self.loop = asyncio.get_running_loop()  # such as one needs for a client session

    async def send(self, request):
        return Memory.send(self, request)

    async def close(self):
        Memory.close(self)


@pytest.mark.parametrize("kind", [Memory, AsyncMemory])
async def test_each_conversation_has_an_instance(kind):
    kind.made = kind.closed = 0
    target = from_object(kind)
    one, two, unused = (target.session(TRIAL) for _ in range(3))
    assert (await one.send(request("a"))).text == "a"
    assert (await two.send(request("x"))).text == "x"
    assert (await one.send(request("b", turn=1))).text == "a | b"
    for session in (one, two, unused):
        await session.close()
    await target.close()
    assert (kind.made, kind.closed) == (2, 2)


class Counting:
    """An agent that runs queries: `rows` is what each gives."""

    def send(self, request):
        return {"rows": []}

    def rows(self, query):
        return query["give"]


class CountingLater(Counting):
    async def send(self, request):
        return Counting.send(self, request)

    async def rows(self, query):
        await asyncio.sleep(0)
        return Counting.rows(self, query)


@pytest.mark.parametrize("kind", [Counting, CountingLater])
async def test_a_class_may_run_reference_queries(kind):
    target = from_object(kind)
    session = target.session(TRIAL)
    assert await session.rows({"give": [{"n": 1}, {"n": 2.5}]}) == ({"n": 1}, {"n": 2.5})
    assert await session.rows({"give": ()}) == ()
    for given, words in (
        (None, "gave a value of the type NoneType; it must give a list of dicts"),
        ([5], '"rows[0]" of the answer must be an object, not a number'),
    ):
        with pytest.raises(CallError) as raised:
            await session.rows({"give": given})
        assert (raised.value.failure.code, words in str(raised.value)) == ("bad_payload", True)
    with pytest.raises(CallError) as raised:
        await session.rows({})
    assert (raised.value.failure.code, "KeyError" in str(raised.value)) == ("crashed", True)
    await session.close()
    await target.close()


async def test_the_sample_agent_runs_them_on_its_cube():
    target = from_object(Analyst)
    session = target.session(TRIAL)
    assert await session.rows({"measures": [{"name": "Units Sold"}]}) == ({"Units Sold": 35703},)
    with pytest.raises(CallError, match="there is no measure 'Footfall'"):
        await session.rows({"measures": [{"name": "Footfall"}]})
    await session.close()
    await target.close()


def test_others_run_no_queries():
    assert not hasattr(from_object(lambda question: question).session(TRIAL), "rows")
    assert not hasattr(from_object(Memory).session(TRIAL), "rows")


async def test_a_class_that_cannot_be_made_is_a_failure():
    class Broken:
        def __init__(self):
            raise KeyError("model")

        def send(self, request):
            return "never"

    failed = await failure(from_object(Broken))
    assert failed.code == "crashed"
    assert failed.message.startswith("KeyError: 'model' (test_python.py:")


# What goes wrong while it is asked


def raises_deep(question):
    return int(question)


async def async_raises(question):
    raise LookupError("no such book\x1b[31m\nin the shelf")


class Hostile(Exception):
    def __str__(self):
        raise RuntimeError("not even this")


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (SystemExit(3), "SystemExit: 3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (StopIteration("x"), "StopIteration: x"),
        (asyncio.CancelledError(), "CancelledError"),
        (TimeoutError("slow model"), "TimeoutError: slow model"),
        (Hostile(), "Hostile: <exception str() failed>"),
        (RecursionError("deep"), "RecursionError: deep"),
    ],
)
async def test_nothing_an_agent_raises_gets_out(error, says):
    def agent(_):
        raise error

    failed = await failure(from_object(agent))
    assert (failed.code, failed.retriable, failed.sent) == ("crashed", False, True)
    assert says in failed.message
    if not isinstance(error, StopIteration):  # which becomes a RuntimeError

        async def async_agent(_):
            raise error

        assert says in (await failure(from_object(async_agent))).message


async def test_a_crash_is_told_in_one_line_with_its_place():
    failed = await failure(from_object(raises_deep), "many")
    line = raises_deep.__code__.co_firstlineno + 1
    assert failed.message == f"ValueError: invalid literal for int() with base 10: 'many' (test_python.py:{line})"
    line = async_raises.__code__.co_firstlineno + 1
    failed = await failure(from_object(async_raises))
    assert failed.message == f"LookupError: no such book [31m in the shelf (test_python.py:{line})"


async def test_a_failure_that_an_agent_types_itself_is_kept():
    def agent(_):
        raise CallError(Failure(code="busy", message="later", retriable=True, answered=True))

    assert (await failure(from_object(agent))).code == "busy"


async def test_a_blocking_agent_does_not_block_the_loop_and_is_abandoned():
    release = threading.Event()
    target = from_object(lambda _: "late" if release.wait(60) else "never")
    assert target.abandons
    session = target.session(TRIAL)
    sending = asyncio.ensure_future(session.send(request()))
    for _ in range(6):
        await asyncio.sleep(0.001)  # the loop goes on meanwhile
    assert not sending.done()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(sending, 0.01)
    release.set()
    assert (await session.send(request())).text == "late"
    await target.close()


async def test_an_async_agent_is_cancelled_for_real():
    ended = []

    async def agent(_):
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    target = from_object(agent)
    assert not target.abandons
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(target.session(TRIAL).send(request()), 0.05)
    assert ended == [True]


async def test_many_blocking_calls_at_once():
    target = from_object(lambda question: time.sleep(0.01) or question)
    replies = await asyncio.gather(*(target.session(TRIAL).send(request(f"{number}")) for number in range(40)))
    assert [reply.text for reply in replies] == [f"{number}" for number in range(40)]
    await target.close()


# What can be told before it is asked


def nothing():
    return "x"


def two(question, style):
    return "x"


class NoSend:
    pass


class Needy:
    def __init__(self, key):
        self.key = key

    def send(self, request):
        return "x"


@pytest.mark.parametrize(
    ("made_of", "says"),
    [
        (nothing, "takes no argument"),
        (two, "style would never be given"),
        (lambda question, *, key: "x", "key would never be given"),
        (NoSend, "without `send(self, request)`"),
        (Needy, "cannot be made without arguments: key"),
        (Memory(), "give its class"),
        ("agent", "neither a function nor a class, but of the type str"),
        (None, "of the type NoneType"),
    ],
)
def test_what_cannot_be_an_agent_is_refused_at_once(made_of, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        from_object(made_of)


def test_a_target_at_hand_is_taken_as_it_is():
    target = from_object(lambda _: "x")
    assert from_object(target) is target


# By name


async def test_a_module_of_the_folder_is_found(folder):
    (folder / "ready.py").write_text(
        "import lazy_part\ndef answer(q):\n    import late_part\n    return lazy_part.A + late_part.B\n"
    )
    (folder / "lazy_part.py").write_text("A = 'now '\n")
    (folder / "late_part.py").write_text("B = 'later'\n")
    assert (await ask(build("ready:answer"))).text == "now later"


async def test_names_may_be_dotted(folder):
    (folder / "pack").mkdir()
    (folder / "pack" / "__init__.py").write_text("")
    (folder / "pack" / "inner.py").write_text("class Desk:\n    @staticmethod\n    def answer(q):\n        return 'desk'\n")
    assert (await ask(build("pack.inner:Desk.answer"))).text == "desk"


def test_the_folder_never_stands_in_for_modules_of_others(folder):
    (folder / "shop_agent.py").write_text("def answer(q):\n    return 'x'\n")
    build("shop_agent:answer")
    assert sys.path[-1] == str(folder)
    assert str(folder) not in sys.path[:-1]


def test_abandons_is_known_of_a_named_agent(folder):
    (folder / "both.py").write_text("def sync(q):\n    return 'x'\nasync def asynchronous(q):\n    return 'x'\n")
    assert build("both:sync").abandons is True
    assert build("both:asynchronous").abandons is False


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("good", 'target python: "good" names no agent: write MODULE:NAME, such as my_agent:answer'),
        ("good:", "names no agent"),
        (":answer", "names no agent"),
        ("good.py:answer", '"good.py" is a path; name the module as Python imports it: good:answer'),
        ("./sub/good.py:answer", "name the module as Python imports it: sub.good:answer"),
        ("goood:answer", 'and none is installed (did you mean "good"?)'),
        ("good:answr", 'good.py has no "answr" (did you mean "answer"?)'),
        ("good:NUMBER", "good:NUMBER is neither a function nor a class, but of the type int"),
        ("good.answer:x", "there is no module good.answer"),
        ("needs:answer", "needs cannot be imported: ModuleNotFoundError: No module named 'no_such_package' (needs.py:2)"),
        ("raises:answer", "raises cannot be imported: RuntimeError: no key (raises.py:3)"),
        ("syntax:answer", "(syntax.py:2)"),
        ("leaves:answer", "leaves cannot be imported: SystemExit: 3 (leaves.py:2)"),
    ],
)
def test_what_cannot_be_imported_is_a_clear_error(folder, spec, says):
    (folder / "good.py").write_text("NUMBER = 4\ndef answer(q):\n    return 'x'\n")
    (folder / "needs.py").write_text("\nimport no_such_package\n")
    (folder / "raises.py").write_text("\n\nraise RuntimeError('no key')\n")
    (folder / "syntax.py").write_text("\ndef answer(q:\n")
    (folder / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    assert says in wrong(spec)


def test_a_module_of_a_name_that_is_taken_is_refused(folder):
    (folder / "json.py").write_text("def answer(q):\n    return 'x'\n")
    message = wrong("json:answer")
    assert "another module json is loaded already" in message
    assert message.endswith("rename yours")
