from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import sys
from pathlib import Path

import pytest
from conftest_targets import HISTORY, TRIAL, ask, failure, request

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, CallError
from vivavoce.core.model import Use
from vivavoce.core.reply import Reply, ToolCall
from vivavoce.targets.command import Command

LOOP = "import json, os, sys, time\nfor line in sys.stdin:\n    request = json.loads(line)\n    "


def build(**options: object) -> Command:
    return plugins.build("targets", Use(name="command", options=options), lax=True)


def python(code: str, **options: object) -> Command:
    """A Python program as an agent."""
    return build(argv=[sys.executable, "-S", "-c", code], **options)


def answering(statement: str, **options: object) -> Command:
    """A program that does this with each request."""
    return python(LOOP + statement, **options)


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and only waits to be noticed does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return not Path("/proc/self").exists()


async def has_ended(pid: int) -> bool:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(20):
            while alive(pid):  # noqa: ASYNC110 # nothing tells of the end of a process that is not ours
                await asyncio.sleep(0.01)
    return not alive(pid)


# JSON lines


async def test_the_request_is_a_line_and_so_is_the_answer():
    target = answering("print(json.dumps({'text': 'é 東京', 'tool_calls': ['a'], 'request': request}, ensure_ascii=False))")
    reply = await ask(target, {"q": "é\n\u2028"}, turn=1, about={"cube": "Sales"}, history=HISTORY)
    assert (reply.text, reply.tool_calls) == ("é 東京", (ToolCall(name="a"),))
    assert reply.raw == {
        "request": {
            "input": {"q": "é\n\u2028"},
            "session_id": "s-1",
            "case": "c",
            "turn": 1,
            "about": {"cube": "Sales"},
            "history": [{"role": "user", "content": "before"}, {"role": "assistant", "content": "indeed"}],
        }
    }


async def test_a_byte_order_mark_before_an_answer_is_none_of_it():
    reply = await ask(answering("sys.stdout.buffer.write(b'\\xef\\xbb\\xbf\"ok\"\\n'); sys.stdout.flush()"))
    assert reply.text == "ok"
    plain = python("import sys; sys.stdout.buffer.write(b'\\xef\\xbb\\xbfok')", plain=True)
    assert (await ask(plain)).text == "ok"


@pytest.mark.parametrize(
    ("key", "says"), [("session_id", '"session_id" is "other", and "s-1" was'), ("case", '"case" is "other", and "c" was')]
)
async def test_an_answer_to_something_else_is_refused(key, says):
    failed = await failure(answering(f"print(json.dumps({{'text': 'x', '{key}': 'other'}}))"))
    assert failed.code == "bad_payload"
    assert says in failed.message
    assert (await ask(answering(f"print(json.dumps({{'text': 'x', '{key}': request['{key}']}}))"))).text == "x"


async def test_a_conversation_is_one_process():
    code = (
        "import json, sys\nsaid = []\nfor line in sys.stdin:\n"
        "    said.append(json.loads(line)['input'])\n    print(json.dumps(' | '.join(said)))"
    )
    target = python(code)
    one, two = target.session(TRIAL), target.session(TRIAL)
    replies = [(await one.send(request("a"))).text, (await two.send(request("x"))).text, (await one.send(request("b"))).text]
    assert replies == ["a", "x", "a | b"]
    await one.close()
    await two.close()


async def test_lines_need_not_be_flushed_and_may_be_blank():
    assert (await ask(answering("print(); print(); print(json.dumps(request['input']))"))).text == "hello"


async def test_the_last_line_needs_no_line_break():
    assert (await ask(python("input()\nprint('\"bye\"', end='')"))).text == "bye"


async def test_logs_on_standard_error_do_no_harm():
    target = answering("sys.stderr.write('x' * 300_000); print(json.dumps('ok'))")
    assert (await ask(target)).text == "ok"


async def test_a_large_request_and_a_large_answer():
    reply = await ask(answering("print(json.dumps(request['input']))"), "é" * 2_000_000)
    assert reply.text == "é" * 2_000_000


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("print('Loading the model...')", "the line is not JSON"),
        ('print(\'{"text": "hal\')', "the line is not JSON (it ends too early)"),
        ("print(42)", "the answer is a number"),
        ("print('null')", "the answer is null"),
        ("sys.stdout.buffer.write(b'\\xff\\n')", "the line is not JSON"),
    ],
)
async def test_a_line_that_is_no_answer_is_a_bad_payload(statement, says):
    failed = await failure(answering(statement))
    assert (failed.code, failed.retriable) == ("bad_payload", False)
    assert says in failed.message


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise SystemExit(3)", "ended with exit code 3 before it answered"),
        ("pass", "ended with exit code 0 before it answered"),
        ("import sys; print('no key\\x1b[0m', file=sys.stderr); sys.exit('no model')", "its last words: no key [0m no model"),
        ("raise ValueError('broken')", "ValueError: broken"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "was killed by signal 11 before it answered"),
        ("import os, time; os.close(1); time.sleep(60)", "closed its standard output before it answered"),
    ],
)
async def test_a_program_that_ends_is_a_crash(code, says):
    failed = await failure(python(code))
    assert (failed.code, failed.retriable, failed.sent) == ("crashed", False, True)
    assert says in failed.message
    assert failed.message.startswith(Path(sys.executable).name)


async def test_a_conversation_goes_on_in_a_fresh_process_after_a_failure():
    target = answering("sys.exit(1) if request['input'] == 'die' else print(json.dumps('ok'))")
    session = target.session(TRIAL)
    assert (await session.send(request())).text == "ok"
    with pytest.raises(CallError, match="exit code 1"):
        await session.send(request("die"))
    assert (await session.send(request())).text == "ok"
    await session.close()


async def test_a_second_line_is_not_taken_for_the_next_answer():
    target = answering("os.write(1, json.dumps('one').encode() + bytes([10]) + json.dumps('two').encode() + bytes([10]))")
    session = target.session(TRIAL)
    assert (await session.send(request())).text == "one"
    with pytest.raises(CallError, match='a line that answers nothing: "two"'):
        await session.send(request(turn=1))
    await session.close()


async def test_an_answer_over_the_limit_is_not_read_on():
    failed = await failure(answering("\n    while True: sys.stdout.write('x' * 65536)"))
    assert failed.code == "too_large"
    failed = await failure(answering("print(json.dumps('x' * 2000))", limit=1000))
    assert (
        failed.message
        == "what the command wrote is larger than 1,000 bytes, so reading stopped; the option `limit` allows more"
    )


# Nothing is left behind

FAMILY = (
    "child = os.fork()\n"
    "    if child == 0:\n"
    "        import signal\n"
    "        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "        time.sleep(600)\n"
    "    print(json.dumps({'text': 'ok', 'pids': [os.getpid(), child]}))\n"
)


async def test_close_ends_the_whole_family():
    session = answering(FAMILY).session(TRIAL)
    pids = (await session.send(request())).raw["pids"]
    assert all(alive(pid) for pid in pids)
    await session.close()
    assert [await has_ended(pid) for pid in pids] == [True, True]


async def test_a_program_may_end_by_itself(tmp_path):
    note = tmp_path / "note"
    target = answering(f"print(json.dumps('ok'))\nopen({str(note)!r}, 'w').write('bye')")
    await ask(target)
    assert note.read_text() == "bye"


async def test_a_program_that_ignores_its_end_is_killed():
    code = (
        "import json, os, sys, time\nsys.stdin.readline()\n"
        "print(json.dumps({'text': 'ok', 'pid': os.getpid()}))\ntime.sleep(600)"
    )
    assert await has_ended((await ask(python(code))).raw["pid"])


@pytest.mark.parametrize("plain", [False, True])
async def test_a_call_past_its_time_ends_the_whole_family(tmp_path, plain):
    note = tmp_path / "pids"
    code = (
        "import os, sys, time\nchild = os.fork()\nif child:\n"
        "    open(sys.argv[1] + '.new', 'w').write(f'{os.getpid()} {child}')\n"
        "    os.rename(sys.argv[1] + '.new', sys.argv[1])\n"
        "time.sleep(600)"
    )
    session = build(argv=[sys.executable, "-S", "-c", code, str(note)], plain=plain).session(TRIAL)
    waiting = asyncio.ensure_future(session.send(request()))
    while not note.exists():  # noqa: ASYNC110 # a file tells of itself in no other way
        await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    pids = [int(pid) for pid in note.read_text().split()]
    assert [await has_ended(pid) for pid in pids] == [True, True]
    await session.close()


@pytest.mark.parametrize("ticks", range(7))
async def test_a_call_that_ends_while_the_program_starts_leaves_nothing(tmp_path, ticks):
    mark = f"viva-{tmp_path.name}-{ticks}"
    session = build(argv=["sh", "-c", 'sh -c "sleep 600; true" "$0-child" & wait', mark]).session(TRIAL)
    waiting = asyncio.ensure_future(session.send(request()))
    for _ in range(ticks):
        await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await session.close()
    commands = (path / "cmdline" for path in Path("/proc").glob("[0-9]*"))
    running = [int(path.parent.name) for path in commands if mark.encode() in read(path)]
    assert all([await has_ended(pid) for pid in running])


def read(path: Path) -> bytes:
    """A file that may be gone meanwhile."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


async def test_a_child_that_holds_the_output_does_not_hold_up_the_failure():
    code = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(5)"
    assert "ended with exit code 0" in (await failure(python(code))).message


async def test_ctrl_c_at_the_keyboard_does_not_reach_the_agent():
    target = answering("print(json.dumps(str(os.getpgrp() == os.getpid())))")
    assert (await ask(target)).text == "True"


async def test_a_conversation_never_begun_closes():
    session = answering("pass").session(TRIAL)
    await session.close()


async def test_many_conversations_at_once():
    target = answering("print(json.dumps(request['input']))")
    replies = await asyncio.gather(*(ask(target, f"{number}") for number in range(12)))
    assert [reply.text for reply in replies] == [f"{number}" for number in range(12)]


# Plain text


@pytest.mark.parametrize(
    ("argv", "given", "text"),
    [
        ("cat", "héllo\nworld", "héllo\nworld"),
        ("tr a-z A-Z", "hello", "HELLO"),
        ("printf 'one\\n\\n'", "", "one\n"),
        ("printf 'one\\r\\n'", "", "one"),
        ("true", "", ""),
        ("cat", {"q": ["é"]}, '{"q":["é"]}'),
        ("sh -c 'read it; echo \"$it!\"'", "hello", "hello!"),
    ],
)
async def test_plain_text_in_and_out(argv, given, text):
    assert await ask(build(argv=argv, plain="true"), given) == Reply(text=text)


async def test_a_plain_program_that_fails_is_a_crash():
    failed = await failure(build(argv="sh -c 'echo half; echo why >&2; exit 4'", plain=True))
    assert failed.message == "sh ended with exit code 4 before it answered; its last words: why"


async def test_a_plain_program_that_reads_nothing():
    assert (await ask(build(argv="echo ready", plain=True), "x" * 1_000_000)).text == "ready"


async def test_plain_bytes_that_are_no_text_are_a_bad_payload():
    assert "not UTF-8" in (await failure(build(argv="printf '\\377'", plain=True))).message


async def test_plain_output_over_the_limit_is_refused():
    assert (await failure(build(argv="yes", plain=True, limit=100_000))).code == "too_large"


# Where and with what it runs


async def test_folder_and_variables(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENT_KEY", "k-123456")
    monkeypatch.setenv("INHERITED", "yes")
    code = "import os\nprint(os.getcwd(), os.environ['KEY'], os.environ['INHERITED'], os.environ['PYTHONUNBUFFERED'])"
    target = python(code, cwd=str(tmp_path), env={"KEY": "<${AGENT_KEY}>"}, plain=True)
    assert (await ask(target)).text == f"{tmp_path} <k-123456> yes 1"
    assert "k-123456" not in repr(target)


async def test_a_secret_in_the_last_words_is_not_shown(monkeypatch):
    monkeypatch.setenv("AGENT_KEY", "k-123456")
    target = build(argv="sh -c 'echo bad key $KEY >&2; exit 1'", env={"KEY": "${AGENT_KEY}"}, plain=True)
    assert (await failure(target)).message.endswith("bad key ***")


async def test_a_program_is_found_from_its_folder(tmp_path):
    (tmp_path / "agent").write_text("#!/bin/sh\ncat\n")
    (tmp_path / "agent").chmod(0o755)
    assert (await ask(build(argv="./agent", cwd=str(tmp_path), plain=True))).text == "hello"


async def test_a_program_that_is_gone_when_it_is_needed(tmp_path):
    path = tmp_path / "agent"
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o755)
    failed = await failure(build(argv=str(path)))
    assert (failed.code, failed.sent, failed.retriable) == ("not_started", False, False)
    assert failed.message == f"{path} cannot be started: No such file or directory"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"argv": "no-such-program-here --x"}, "there is no program no-such-program-here on the PATH"),
        ({"argv": "./no-such-program"}, "there is no program ./no-such-program"),
        ({"argv": "./data.txt"}, "./data.txt is not executable: chmod +x it"),
        ({"argv": "echo 'open"}, "No closing quotation; quote as in a shell"),
        ({"argv": "  "}, "names no program"),
        ({"argv": []}, "names no program"),
        ({"argv": "cat", "cwd": "no-such-folder"}, "cwd: no-such-folder is no folder"),
        ({"argv": "cat", "env": {"A": "${NO_SUCH_VARIABLE}"}}, "env A names the variable NO_SUCH_VARIABLE, which is not set"),
        ({"argv": "cat", "limit": 0}, "limit must be at least 1"),
        ({"argv": "cat", "plan": "true"}, 'unknown option "plan" (did you mean "plain"?)'),
        ({}, "argv"),
    ],
)
def test_what_is_wrong_is_told_at_once(options, says, folder, monkeypatch):
    monkeypatch.delenv("NO_SUCH_VARIABLE", raising=False)
    (folder / "data.txt").write_text("x")
    with pytest.raises(BadOptions) as raised:
        build(**options)
    assert str(raised.value).startswith("target command: ")
    assert says in str(raised.value)


def test_a_list_is_taken_as_it_is_and_a_text_is_split():
    assert build(argv=["echo", "a b"])._argv[1:] == ("a b",)
    assert build(argv=shlex.join(["echo", "a b"]))._argv[1:] == ("a b",)
