"""`runevals` in a folder of its own, with the sample agent beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from vivavoce.cli.runevals import runevals as run_runevals

COMMAND = (sys.executable, "-c", "import sys; from vivavoce.cli.runevals import runevals; sys.exit(runevals())")
FOREIGN = (
    "VIVA_",
    "M365_",
    "AZURE_",
    "AGENT_ID",
    "WORKIQ_",
    "CI",
    "TF_BUILD",
    "NO_COLOR",
    "FORCE_COLOR",
    "DISPLAY",
    "WAYLAND_",
)


class Done(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty, with nothing set in the environment that could matter."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def runevals(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs `runevals` in this process."""

    def run(*argv: str) -> Done:
        code = run_runevals(list(argv))
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture
def process(folder: Path) -> Callable[..., Done]:
    """Runs `runevals` as a process of its own."""

    def run(*argv: str, stdin: str | bytes = "", **environ: str) -> Done:
        typed = stdin.encode() if isinstance(stdin, str) else stdin
        environment = {**os.environ, "PYTHONUTF8": "1", **environ}
        done = subprocess.run([*COMMAND, *argv], input=typed, capture_output=True, timeout=60, env=environment)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture(scope="session")
def agent() -> Iterator[str]:
    """The address of the sample agent."""
    command = [sys.executable, "-m", "vivavoce.samples.serve", "--port", "0", "--print-port", "--while-stdin"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        server.stdin.close()
        server.wait(30)


@pytest.fixture
def document(folder: Path) -> Callable[..., str]:
    """Writes an eval document, examined by ExactMatch, which needs no judge; gives back its name."""

    def write(name: str, *items: Mapping[str, object]) -> str:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = {"schemaVersion": "1.1.0", "default_evaluators": {"ExactMatch": {}}, "items": items or ORDERS}
        path.write_text(json.dumps(whole), encoding="utf-8")
        return name

    return write


ORDERS: Sequence[Mapping[str, object]] = (
    {
        "prompt": "Where is order HW-1042?",
        "expected_response": "Order HW-1042 is on its way with Fellside Post and should arrive on 31 March 2026.",
    },
    {"prompt": "Where is HW-1036?", "expected_response": "Order HW-1036 was cancelled."},
)
"""Two that the sample agent answers to the letter."""


@pytest.fixture
def echo(folder: Path) -> str:
    """A target that says again what it is told."""
    name = f"echo_{folder.name}"  # one process imports many of them
    (folder / f"{name}.py").write_text("def answer(said):\n    return said\n", encoding="utf-8")
    return f"python:{name}:answer"


class Terminal:
    """A command before a real terminal: what it shows, and a keyboard."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str]) -> None:
        import pty

        self.shown = ""
        self._seen = 0
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.execvpe(COMMAND[0], [*COMMAND, *argv], {**environ, "TERM": "xterm", "PYTHONUTF8": "1"})

    def expect(self, text: str, seconds: float = 60) -> None:
        """Wait until this is shown, after all that was waited for before."""
        assert self._comes(text, seconds), f"{text!r} was not shown, but:\n{self.shown}"

    def interrupt(self, text: str) -> None:
        """Press Ctrl-C, and wait for what it leads to.

        Python misses one that comes just before it begins to wait for a key; a person presses it again then.
        """
        for _ in range(10):
            self.type("\x03")
            if self._comes(text, 3):
                return
        raise AssertionError(f"{text!r} was not shown, but:\n{self.shown}")

    def _comes(self, text: str, seconds: float) -> bool:
        import select

        until = time.monotonic() + seconds
        while text not in self.shown[self._seen :]:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, until - time.monotonic()))
            data = self._read() if ready else b""
            if not data:
                return False
            self.shown += data.decode(errors="replace")
        self._seen = self.shown.index(text, self._seen) + len(text)
        return True

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def end(self) -> int:
        """Read to the end; the exit code."""
        while data := self._read():
            self.shown += data.decode(errors="replace")
        _, status = os.waitpid(self._pid, 0)
        os.close(self._fd)
        return os.waitstatus_to_exitcode(status)

    def _read(self) -> bytes:
        try:
            return os.read(self._fd, 65536)
        except OSError:  # how Linux says that nobody writes any more
            return b""


@pytest.fixture
def terminal(folder: Path) -> Callable[..., Terminal]:
    """Starts `runevals` before a terminal."""
    pytest.importorskip("pty", reason="there are no such terminals on this system")

    def start(*argv: str, **environ: str) -> Terminal:
        return Terminal(argv, {**os.environ, **environ})

    return start
