"""A dataset examined by Viva's engine."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from pydantic import BaseModel

from vivavoce import api
from vivavoce._agentcore.config import SimulationConfig
from vivavoce._agentcore.dataset import Dataset, Either, SimulatedScenario
from vivavoce._agentcore.invoking import AgentInvokerFn, Invoked
from vivavoce._agentcore.results import ScenarioResult, of_scenario
from vivavoce._agentcore.spans import AgentSpanCollector, asked
from vivavoce.core import plugins
from vivavoce.core.errors import PluginError, UsageError
from vivavoce.core.model import Case, Suite, Use
from vivavoce.core.place import Problems, nearest
from vivavoce.core.reply import JSON
from vivavoce.core.result import Run
from vivavoce.core.source import Source
from vivavoce.formats._agentcore.scenarios import Reading
from vivavoce.formats._agentcore.words import ours

STORE = ".viva/runs.db"
ELSEWHERE = "it exists in somebody's account alone, and nobody is asked there; `viva list evaluators` shows who can be asked"
_NAME = "agentcore"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Who judges and who plays, and where the run is kept: what a runner takes beyond the vendor's own arguments."""

    judge: str | Use | None = None
    simulator: str | None = None
    store: str | PathLike[str] = STORE
    timeout: float | None = None


class Runner:
    """What both runners are made of.

    Args:
        region: Accepted; nothing is sent to AWS.
        judge: Who answers what no rule can decide, as on the command line: `"local"`, `"openai:gpt-5-mini"`, `"none"`.
        simulator: Who plays simulated users, as on the command line.
        store: The SQLite file where the run is kept.
        timeout: Seconds a call of the invoker may take.
    """

    def __init__(
        self,
        region: str | None = None,
        *,
        judge: str | Use | None = None,
        simulator: str | None = None,
        store: str | PathLike[str] = STORE,
        timeout: float | None = None,
    ) -> None:
        self.region = region
        self._settings = Settings(judge=judge, simulator=simulator, store=store, timeout=timeout)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a runner makes its result of."""

    run: Run
    scenarios: list[ScenarioResult]
    failures: dict[str, str] = field(default_factory=dict)
    """Scenarios whose agent failed, each with what went wrong."""


def examine(
    dataset: Dataset,
    evaluator_ids: Iterable[str],
    invoker: AgentInvokerFn,
    settings: Settings,
    *,
    name: str = _NAME,
    concurrency: int,
    simulation: SimulationConfig | None,
    collector: AgentSpanCollector | None = None,
) -> Outcome:
    """Hold every scenario's conversation and evaluate it.

    Raises:
        VivaError: the dataset or an option is wrong, or an evaluator of the vendor's has no such name; nothing was called.
    """
    known, unknown = _resolved(evaluator_ids)
    invoked = Invoked(invoker, simulation.input_type if simulation is not None else None, asked(collector))
    try:
        target = invoked.target()
    except ValueError as error:
        raise UsageError(str(error)) from None
    if simulation is not None and any(isinstance(each, SimulatedScenario) for each in dataset.scenarios):
        _tell_of_unused(simulation, settings.simulator)
    more: dict[str, Any] = {} if settings.simulator is None else {"simulator": settings.simulator}  # options of the run
    run = api.evaluate(
        Suite(name=name, cases=_cases(dataset), format=_NAME),
        target=target,
        evaluators=[_asked(each) for each in dict.fromkeys(known.values())],
        judge=settings.judge,
        store=settings.store,
        concurrency=concurrency,
        timeout=settings.timeout,
        **more,
    )
    results = list(run.results)
    return Outcome(
        run=run,
        scenarios=[of_scenario(each, invoked.sessions.get(each.case, ""), known, unknown) for each in results],
        failures={each.case: each.error.message for each in results if each.error is not None},
    )


def _tell_of_unused(simulation: SimulationConfig, simulator: str | None) -> None:
    """Warn whoever runs the runner of what says how users are played, and does not here."""
    unused = ["system_prompt_template"] if simulation.system_prompt_template is not None else []
    unused += ["model_id"] if simulation.model_id is not None and simulator is None else []
    if unused:
        plays = simulator or "scripted, which asks no model,"
        message = (
            f"{', '.join(unused)} of simulation_config: not used; {plays} plays the simulated users. "
            'The runner\'s simulator="bedrock:MODEL", or another provider, names a model'
        )
        warnings.warn(message, stacklevel=4)


def _resolved(evaluator_ids: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Evaluators by id, each with its name here; and ids that mean something in the vendor's service alone, with the reason.

    Raises:
        PluginError: a built-in one has no such name, or a name is a slip of one known here.
        UsageError: none is known.
    """
    known: dict[str, str] = {}
    unknown: dict[str, str] = {}
    names = plugins.names("evaluators", installed=False)
    for each in dict.fromkeys(evaluator_ids):
        try:
            vendors = "." in each and "Builtin." not in each and ":" not in each  # foundry.Groundedness
            known[each] = plugins.known_as("evaluators", each) if vendors else ours(each)
        except PluginError:
            if "Builtin." in each or nearest(each, names):
                raise
            unknown[each] = ELSEWHERE
    if not known:
        raise UsageError(f"no evaluator is known here: {', '.join(unknown)}: {ELSEWHERE}")
    return known, unknown


def _asked(name: str) -> str:
    """An evaluator as it is asked for where vendors mean different things by its name."""
    return f"m365.{name}" if "." not in name and plugins.namesakes("evaluators", name) else name


def _cases(dataset: Dataset) -> tuple[Case, ...]:
    """The cases of a dataset, checked as those of a file are.

    Raises:
        DatasetError: it has problems; all of them are told.
    """
    problems = Problems()
    reading = Reading(Source("dataset"), problems)
    made = [reading.case(row, f"scenarios[{index}]", None, False) for index, row in enumerate(_rows(dataset))]
    problems.raise_any()
    return tuple(case for case in made if case is not None)


def _rows(dataset: Dataset) -> Iterator[dict[str, JSON]]:
    for scenario in dataset.scenarios:
        yield _row(scenario)


def _row(scenario: Either) -> dict[str, JSON]:
    """A scenario as a file has it."""
    row: dict[str, JSON] = scenario.model_dump(mode="json", exclude_unset=True)
    first = getattr(scenario, "input", None)
    return {**row, "input": first.model_dump(mode="json")} if isinstance(first, BaseModel) else row
