"""What can go wrong at the keyboard, as one tree; what goes wrong in a trial is data (`Failure`) instead.

VivaError                   exit code 2, one clear message
├── UsageError              the command line or a call of the Python API cannot be meant like this
├── ConfigError             a setting in viva.toml, the environment or an env file is wrong
├── DatasetError            dataset files have problems; carries all of them
├── PluginError             a named plugin cannot be built
│   ├── UnknownPlugin       no plugin has this name; carries the nearest
│   ├── BadOptions          its options are unknown or out of range
│   └── MissingExtra        a package it needs is not installed
├── StoreError              the store cannot be read or written
│   └── Taken               another process carries out the run
└── WorkerError             a process that carried out a part of the run ended before it was done

Signal                      spoken between a plugin and the runner, never shown raw
├── CallError               an outgoing call failed; carries a `Failure`
├── Missing                 evidence an evaluator reads is not there
└── Abstain                 a judge cannot say
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vivavoce.core.place import Problem
    from vivavoce.core.result import Failure

EXIT_OK = 0
"""Everything passed, or the gate was met."""
EXIT_FAILED = 1
"""A case failed or errored, a gate was missed, or a limit stopped the run."""
EXIT_USAGE = 2
"""Usage, dataset or configuration error, or nothing was evaluated."""
EXIT_INTERRUPTED = 130
"""Stopped by Ctrl-C; what was done is stored."""
EXIT_TERMINATED = 143
"""Stopped by SIGTERM; what was done is stored."""


class VivaError(Exception):
    """A mistake a person can mend: its message names the thing, the place and the way out."""

    exit_code = EXIT_USAGE


class UsageError(VivaError):
    """The command line or a call of the Python API cannot be meant like this."""


class ConfigError(VivaError):
    """A setting in a config file, the environment or an env file is wrong."""


class DatasetError(VivaError):
    """Dataset files have problems; nothing was called."""

    def __init__(self, problems: Sequence[Problem], total: int, beside: Sequence[str] = ()) -> None:
        self.problems = tuple(problems)
        """The first problems found, in file order."""
        self.total = total
        """How many there are in all."""
        lines = [str(problem) for problem in self.problems]
        if total > len(lines):
            lines.append(f"... and {total - len(lines)} more")
        lines += beside  # what helps to mend them
        noun = "problem" if total == 1 else "problems"
        super().__init__("\n".join([*lines, f"{total} {noun} found; nothing was run"]))


class PluginError(VivaError):
    """A named plugin cannot be built."""


class UnknownPlugin(PluginError):
    """No plugin of this kind has this name."""


class BadOptions(PluginError):
    """A plugin's options are unknown, of the wrong type or out of range."""


class MissingExtra(PluginError):
    """A package that an optional plugin needs is not installed."""


class StoreError(VivaError):
    """The store cannot be read or written, or holds no such run."""


class Taken(StoreError):
    """A run is being carried out by another process."""


class WorkerError(VivaError):
    """A process that carried out a part of the run ended before it was done; what was stored is kept."""

    exit_code = EXIT_FAILED


class Signal(Exception):
    """Spoken between a plugin and the runner, which turns it into data."""


class CallError(Signal):
    """An outgoing call failed."""

    def __init__(self, failure: Failure, usage: Mapping[str, float] = MappingProxyType({})) -> None:
        self.failure = failure
        self.usage = usage
        """What it took all the same, as in `Verdict.usage`: a judge may be paid for answers that cannot be used."""
        super().__init__(failure.message)


class Missing(Signal):
    """Evidence that an evaluator reads is not there: unknown, which is not the same as empty."""

    def __init__(self, *names: str, why: str = "") -> None:
        self.names = names
        """The names of `Evidence` of which one was needed."""
        self.why = why
        """What is the matter, where it is not simply absent."""
        super().__init__(why or " or ".join(names))


class Abstain(Signal):
    """A judge cannot say; the message gives the reason and the way out."""

    def __init__(self, why: str, usage: Mapping[str, float] = MappingProxyType({})) -> None:
        self.usage = usage
        """What it took to find that out, as in `Verdict.usage`."""
        super().__init__(why)
