"""Examine an agent that is a program: started, written to, and read from."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from vivavoce.core import codec, secrets
from vivavoce.core.environment import expand, variables
from vivavoce.core.errors import CallError
from vivavoce.core.kinds import Session
from vivavoce.core.model import Trial
from vivavoce.core.reply import JSON, Reply, Request
from vivavoce.core.result import Failure
from vivavoce.net.failures import bad_payload, excerpt
from vivavoce.targets import _answer
from vivavoce.targets._process import Process

__all__ = ["Command"]

_BUSY = frozenset({errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""The machine has no room for one more process at the moment."""
_LAST_WORDS = 300
"""Characters of its error output that are told when a program fails."""

_BOM = b"\xef\xbb\xbf"
"""What programs of some systems begin with."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """An agent that is a program, in any language.

    Speaks: JSON lines. A conversation is a process: each turn is one line `{"input", "session_id", "case", "turn", "about",
        "history"}` on its standard input, answered with one line on its standard output: JSON text, or an object with `text`,
        `tool_calls`, `citations`, `retrievals`, `rows`, `intent`, `refusal`, `insight`, `usage`. With `plain`, a turn is a
        process: the input is its standard input, and all it writes until it ends is the answer.
    Options: `argv`, `plain`, `cwd`, `env`, `idempotent`, `limit`.
    Example: `--target 'command:node agent.js'`, or `--target 'command:tr a-z A-Z' --target-option plain=true`
    Limits: no shell reads the command, so pipes and variables need `sh -c '...'`. With `plain` nothing is remembered from turn
        to turn. Logs belong on standard error. An answer that names another `session_id` or `case` than was asked is refused.
    Source: the protocol of Viva's own.
    """

    main: ClassVar[str] = "argv"
    way: ClassVar[str] = "command:ARGV"

    argv: str | tuple[str, ...]
    """The program and its arguments: as in a shell, or as a list."""
    plain: bool = False
    """Text in, text out, one process a turn; else JSON lines, one process a conversation."""
    cwd: str | None = None
    """The folder it runs in, if not the current one."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables beside those of the environment; `${VAR}` is read from there, and never stored."""
    idempotent: bool = False
    """Whether asking the same twice does no harm, so that a call without an answer may be repeated."""
    limit: int = 16 * 1024 * 1024
    """Bytes of an answer; more is a failure."""

    def __post_init__(self) -> None:
        if self.cwd is not None and not Path(self.cwd).is_dir():
            raise ValueError(f"cwd: {self.cwd} is no folder")
        _ = self._env, self._secrets, self._argv  # what is wrong with them must be known before anything is run
        if self.limit < 1:
            raise ValueError(f"limit must be at least 1, not {self.limit}")

    def session(self, trial: Trial) -> Session:
        """A conversation of its own."""
        return _Asked(self) if self.plain else _Conversation(self)

    async def close(self) -> None:
        """Nothing is held: every conversation ends its own process."""

    async def start(self) -> Process:
        """A fresh process.

        Raises:
            CallError: it cannot be started.
        """
        try:
            return await Process.start(self._argv, cwd=self.cwd, env=self._env, limit=self.limit)
        except OSError as error:
            message = f"{self._argv[0]} cannot be started: {error.strerror or error}"
            retriable = error.errno in _BUSY
            raise CallError(Failure(code="not_started", message=message, sent=False, retriable=retriable)) from None

    async def ended(self, process: Process) -> CallError:
        """The failure for a process that ended where an answer was due."""
        code = await process.exit_code()
        if code is None:
            how = "closed its standard output"
        else:
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        # Blotted out before they are cut, since half a secret is no longer told by its value.
        words = excerpt(secrets.blot(process.last_words(), self._secrets), _LAST_WORDS, tail=True)
        message = f"{Path(self._argv[0]).name} {how} before it answered" + (f"; its last words: {words}" if words else "")
        return CallError(Failure(code="crashed", message=message))

    @cached_property
    def _argv(self) -> tuple[str, ...]:
        """The command, its program found.

        Raises:
            ValueError: it is empty, cannot be split, or there is no such program.
        """
        try:
            argv = tuple(shlex.split(self.argv)) if isinstance(self.argv, str) else self.argv
        except ValueError as error:
            raise ValueError(f"{self.argv}: {error}; quote as in a shell") from None
        if not argv or not argv[0]:
            raise ValueError("names no program: write command:PROGRAM ARGUMENTS")
        program = argv[0]
        if os.path.dirname(program):
            program = str(Path(self.cwd or ".").absolute() / program)
        found = shutil.which(program, path=self._env.get("PATH"))
        if found is None:
            if Path(program).is_file():
                raise ValueError(f"{argv[0]} is not executable: chmod +x it, or name its interpreter first")
            raise ValueError(f"there is no program {argv[0]}" + ("" if os.path.dirname(argv[0]) else " on the PATH"))
        return (os.path.abspath(found), *argv[1:])

    @cached_property
    def _env(self) -> dict[str, str]:
        # A Python program holds its lines back in a buffer while it writes to a pipe, and would be waited for in vain.
        inherited = {"PYTHONUNBUFFERED": "1", **variables()}
        return {**inherited, **{name: expand(value, f"env {name}") for name, value in self.env.items()}}

    @cached_property
    def _secrets(self) -> tuple[str, ...]:
        return secrets.values(self.env)


class _Conversation:
    """A process that is kept over turns."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._process: Process | None = None

    async def send(self, request: Request) -> Reply:
        process = self._process = self._process or await self._command.start()
        answered = False
        try:
            line = await self._exchange(process, codec.encode(request))
            answer = _answer.decode(line.removeprefix(_BOM), "the line")
            _check_meant(answer, request)
            reply = _answer.read(answer)
            answered = True
            return reply
        finally:
            if not answered:
                # Whatever it says later would be taken for the answer to something else.
                self._process = None
                process.kill()
                await process.stop()

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.stop()

    async def _exchange(self, process: Process, line: bytes) -> bytes:
        unasked = process.unasked()
        if unasked is not None:
            raise bad_payload(
                f"the command wrote a line that answers nothing: {excerpt(unasked)}; logs belong on standard error"
            )
        process.write(line + b"\n")
        while (answer := await process.line()) is not None:
            if answer.removeprefix(_BOM).strip():
                return answer
        raise await self._command.ended(process)


class _Asked:
    """A process a turn, text in and text out."""

    def __init__(self, command: Command) -> None:
        self._command = command

    async def send(self, request: Request) -> Reply:
        text = request.input if isinstance(request.input, str) else codec.encode(request.input).decode()
        process = await self._command.start()
        ended = False
        try:
            process.write(text.encode())
            process.end_input()
            answer = await process.whole()
            if await process.exit_code() != 0:
                raise await self._command.ended(process)
            ended = True
        finally:
            if not ended:
                process.kill()
            await process.stop()
        return _answer.read(_decoded(answer))

    async def close(self) -> None:
        return None


def _check_meant(answer: JSON, request: Request) -> None:
    """An answer that says what it answers must say what was asked, or it came late, or from another conversation."""
    if not isinstance(answer, dict):
        return
    for key, asked in (("session_id", request.session_id), ("case", request.case)):
        named = answer.get(key)
        if named is not None and named != asked:
            told = excerpt(codec.encode(named))
            raise bad_payload(f'the command answered something else: its "{key}" is {told}, and "{asked}" was asked')


def _decoded(answer: bytes) -> str:
    try:
        return answer.removeprefix(_BOM).decode().removesuffix("\r")
    except UnicodeDecodeError:
        raise bad_payload(f"the command wrote what is not UTF-8: {excerpt(answer)}") from None
