"""What was set, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vivavoce.core.reply import JSON, Object

DEFAULT = "default"
"""The source of a setting that nobody gave."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Every setting, and where it came from. The fields are the options of `config.options`."""

    paths: tuple[str, ...] = ()
    format: str | None = None
    lenient: bool = False
    traces: tuple[str, ...] = ()
    case: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    limit: int | None = None
    repeat: int = 1
    seed: int = 0
    target: str | None = None
    target_option: Mapping[str, JSON] = field(default_factory=dict)
    judge: str | None = None
    judge_option: Mapping[str, JSON] = field(default_factory=dict)
    simulator: str | None = None
    simulator_option: Mapping[str, JSON] = field(default_factory=dict)
    evaluator: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    map: Mapping[str, str] = field(default_factory=dict)
    level: str | None = None
    concurrency: int = 10
    timeout: float | None = None
    case_timeout: float | None = None
    run_timeout: float | None = None
    token_budget: int | None = None
    money_budget: float | None = None
    retries: int = 3
    rate: float | None = None
    record: str | None = None
    replay: str | None = None
    record_missing: bool = False
    no_cache: bool = False
    min_pass_rate: float | None = None
    no_fail_on_regression: bool = False
    output: tuple[str, ...] = ()
    store: str = ".viva/runs.db"
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    serve: Object = field(default_factory=dict)

    sources: Mapping[str, str] = field(default_factory=dict)
    """Where each option came from, by its name; options of target, judge and simulator as `target-option.KEY`."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The variables that `${VAR}` may name: the process's own, over those of env files."""
    warnings: tuple[str, ...] = ()

    def source(self, name: str) -> str:
        """Where an option came from: `flag`, a variable, a file with its line, or `default`."""
        return self.sources.get(name, DEFAULT)
