"""The agent is the same over HTTP, as a process, as a function and as a class."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from vivavoce.samples.desk import LONGEST, Desk, answer


def test_every_way_gives_the_same_answers(way, conversations):
    for case, said in conversations.items():
        desk, history = Desk(), []
        for turn, each in enumerate(said):
            request = {"input": each, "case": case, "turn": turn, "about": None, "history": list(history)}
            told = way(case, request)
            assert told == desk.send({"input": each}), f"{case}, turn {turn}"
            history += [{"role": "user", "content": each}, {"role": "assistant", "content": told["text"]}]


def test_sessions_do_not_mix_when_they_interleave(way):
    history = {number: [] for number in ("HW-1040", "HW-1042", "HW-1043")}
    for said in ("Where is order {}?", "What is in it?", "How much was it?"):
        for number, before in history.items():
            text = way(number, {"input": said.format(number), "history": before})["text"]
            assert number in text
            before += [{"role": "user", "content": said.format(number)}, {"role": "assistant", "content": text}]


def test_many_at_once_over_http(http):
    def converse(index: int) -> str:
        number, session = f"HW-{1031 + index % 13}", f"many-{index}"
        http.ask({"input": f"Where is order {number}?", "session_id": session})
        return http.ask({"input": "What is in it?", "session_id": session})["text"]

    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(converse, range(40)))
    assert [text.split()[1] for text in texts] == [f"HW-{1031 + index % 13}" for index in range(40)]


@pytest.mark.parametrize("path", ["/", "/api/chat"])
def test_http_has_two_doors(http, path):
    status, text = http.post(b'{"input": "Where is order HW-1036?"}', path)
    assert (status, json.loads(text)["text"]) == (200, "Order HW-1036 was cancelled.")


@pytest.mark.parametrize(
    "body", [b"", b"nope", b"[]", b'"text"', b'{"input": 7}', b"\xff\xfe", b"[" * 100_000, b'{"input": ' + b"9" * 5000 + b"}"]
)
def test_http_refuses_what_is_no_request_and_lives_on(http, body):
    status, text = http.post(body)
    assert status == 400
    assert json.loads(text)["error"]["code"] == "bad_request"
    assert http.health()["status"] == "ok"


def test_http_bounds_a_request(http):
    status, text = http.post(b'{"input": "' + b"x" * (2 * 1024 * 1024) + b'"}')
    assert (status, json.loads(text)["error"]["code"]) == (413, "too_large")
    assert http.ask({"input": "x" * (LONGEST + 1)})["text"].startswith("That is more than I can read at once.")


def test_http_streams_to_who_asks_for_it(http):
    status, text = http.post(b'{"input": "What is the return policy?"}', Accept="text/event-stream")
    *pieces, last = [event for event in text.split("\n\n") if event]
    whole = answer({"input": "What is the return policy?"})
    assert status == 200
    assert "".join(json.loads(piece.removeprefix("data: ")) for piece in pieces) == whole["text"]
    assert json.loads(last.removeprefix("event: answer\ndata: ")) == whole


def test_a_server_that_cannot_listen_says_so(http):
    port = http.url.rsplit(":", 1)[1]
    done = subprocess.run(
        [sys.executable, "-m", "vivavoce.samples.serve", "--port", port], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"cannot listen on 127.0.0.1:{port}: ")


def test_a_server_that_is_interrupted_ends_in_peace():
    command = [sys.executable, "-m", "vivavoce.samples.serve", "--port", "0", "--print-port", "--while-stdin"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert int(process.stdout.readline()) > 0
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr.read() == b""


@pytest.mark.parametrize("request_", [[], "text", {"input": 7}])
def test_stdio_refuses_what_is_no_request_and_reads_on(stdio, request_):
    assert stdio(request_)["error"]["code"] == "bad_request"
    assert stdio({"input": "Where is order HW-1036?"})["text"] == "Order HW-1036 was cancelled."


def _stdio(lines: bytes, *options: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "vivavoce.samples.stdio", *options], input=lines, capture_output=True, timeout=60, check=True
    )
    assert done.stderr == b""
    return done.stdout.decode().splitlines()


def test_stdio_bounds_a_line_and_needs_no_last_line_break():
    long, bad, good = _stdio(
        b'{"input": "'
        + b"x" * (3 * 1024 * 1024)
        + b'"}\n\nnope\n{"input": "Where is order HW-1036?", "session_id": "\xc3\xa9"}'
    )
    assert "a line has at most 1048576 bytes" in json.loads(long)["error"]["message"]
    assert json.loads(bad)["error"]["code"] == "bad_request"
    assert json.loads(good)["text"] == "Order HW-1036 was cancelled."


def test_stdio_in_plain_text_is_one_conversation():
    assert _stdio(b"Where is order HW-1042?\r\nHow much was it?\n", "--plain") == [
        "Order HW-1042 is on its way with Fellside Post and should arrive on 31 March 2026.",
        "Order HW-1042 comes to 177.00 euros.",
    ]
