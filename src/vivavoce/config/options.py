"""Every setting there is, once: flags, environment, config file, help and documentation are made from this table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "flag", "text", "whole", "seconds", "share", "rate", "usd", "list", "plugin", "pairs", "texts", "prices", "table"
]
"""How a value is read.

`flag` yes or no; `text`; `whole` a whole number; `seconds` a number above 0; `share` a number from 0 to 1; `rate` `N/s`;
`usd` an amount above 0; `list` one text or several; `plugin` a spec, in a file a table of `spec` and options; `pairs`
`KEY=VALUE`, several; `texts` `KEY=TEXT`, several, in a file a table of texts; `prices` a table of models, each with `input`
and `output`; `table` one of another command, only checked to be a table.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One setting: its long flag is `--name`, its key in a file `name`, its variable `VIVA_NAME`."""

    name: str
    kind: Kind
    group: str
    """Heading it stands under in help; empty when it is no flag of a run."""
    help: str
    """One sentence; what follows from leaving it out stands in it."""
    metavar: str = ""
    low: int = 0
    """The least a `whole` may be."""
    answers: bool = False
    """Whether it can change an answer or a verdict; such a setting holds for a run's whole life, also when it is resumed."""
    places: frozenset[str] = frozenset({"flag", "environment", "file"})
    """Where it may be given."""

    @property
    def field(self) -> str:
        """Its name in `Settings`."""
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        """Its name in the environment."""
        return "VIVA_" + self.field.upper()


WHAT = "what is examined"
WHO = "who answers, who judges"
HOW = "how it runs"
GATE = "what decides the exit code"
OUT = "what comes out"
GROUPS = (WHAT, WHO, HOW, GATE, OUT)

_FILE = frozenset({"file"})
_TYPED = frozenset({"flag", "environment"})

OPTIONS = (
    Option(
        name="paths",
        kind="list",
        group="",
        answers=True,
        metavar="PATH",
        help="Dataset files, folders of them, or - for standard input.",
        places=frozenset({"environment", "file"}),
    ),
    Option(
        name="format",
        kind="text",
        group=WHAT,
        answers=True,
        metavar="NAME",
        help="Read every file in this format instead of telling it from the content.",
    ),
    Option(
        name="lenient",
        kind="flag",
        group=WHAT,
        answers=True,
        help="Warn of unknown fields in datasets instead of refusing them.",
    ),
    Option(
        name="traces",
        kind="list",
        group=WHAT,
        answers=True,
        metavar="FILE",
        help="Examine conversations recorded in this file of spans instead of asking an agent: each case by the one that is "
        "of it; repeatable.",
    ),
    Option(
        name="case",
        kind="list",
        group=WHAT,
        answers=True,
        metavar="GLOB",
        help="Only cases whose id matches, such as 'returns-*'; repeatable.",
    ),
    Option(
        name="category", kind="list", group=WHAT, answers=True, metavar="NAME", help="Only cases of this category; repeatable."
    ),
    Option(name="limit", kind="whole", group=WHAT, answers=True, metavar="N", low=1, help="Only the first N cases selected."),
    Option(
        name="repeat", kind="whole", group=WHAT, answers=True, metavar="N", low=1, help="Examine each case N times; default 1."
    ),
    Option(name="seed", kind="whole", group=WHAT, answers=True, metavar="N", help="What randomness follows from; default 0."),
    Option(
        name="target",
        kind="plugin",
        group=WHO,
        answers=True,
        metavar="SPEC",
        help="The agent: NAME[:ARGUMENT], such as python:my_agent:answer or https://...; "
        "default recorded, if the files hold answers. `viva list targets` shows all.",
    ),
    Option(
        name="target-option",
        kind="pairs",
        group=WHO,
        answers=True,
        metavar="KEY=VALUE",
        help="An option of the target; repeatable. ${VAR} is read from the environment and never stored.",
        places=_TYPED,
    ),
    Option(
        name="judge",
        kind="plugin",
        group=WHO,
        answers=True,
        metavar="SPEC",
        help="Who answers what needs judgement: NAME[:ARGUMENT], or none. `viva list judges` shows all.",
    ),
    Option(
        name="judge-option",
        kind="pairs",
        group=WHO,
        answers=True,
        metavar="KEY=VALUE",
        help="An option of the judge; repeatable.",
        places=_TYPED,
    ),
    Option(
        name="simulator",
        kind="plugin",
        group=WHO,
        answers=True,
        metavar="SPEC",
        help="Who plays the users of cases that have a persona: NAME[:ARGUMENT]; default scripted, which asks no model. "
        "`viva list simulators` shows all.",
    ),
    Option(
        name="simulator-option",
        kind="pairs",
        group=WHO,
        answers=True,
        metavar="KEY=VALUE",
        help="An option of the simulator; repeatable.",
        places=_TYPED,
    ),
    Option(
        name="evaluator",
        kind="list",
        group=WHO,
        answers=True,
        metavar="[NAME:]EVALUATOR[=JSON]",
        help="Examine with this evaluator too, its options as a JSON object; it replaces defaults; repeatable.",
    ),
    Option(
        name="only",
        kind="list",
        group=WHO,
        answers=True,
        metavar="NAME",
        help="Of all evaluators that apply, only those of this name; repeatable.",
    ),
    Option(
        name="map",
        kind="texts",
        group=WHO,
        answers=True,
        metavar="PARAM=EXPR",
        help="Where evaluators find a value in rows whose columns have other names, such as query={{item.question}}; "
        "repeatable.",
    ),
    Option(
        name="level",
        kind="text",
        group=WHO,
        answers=True,
        metavar="LEVEL",
        help="What of a conversation in a row is examined: turn, the last answer, or conversation, all of it; "
        "as the file says when left out.",
    ),
    Option(name="concurrency", kind="whole", group=HOW, metavar="N", low=1, help="Cases under way at once; default 10."),
    Option(
        name="timeout",
        kind="seconds",
        group=HOW,
        metavar="SECONDS",
        help="Time limit of one call of the agent; default 120, unless the target has its own.",
    ),
    Option(name="case-timeout", kind="seconds", group=HOW, metavar="SECONDS", help="Time limit of one case; default none."),
    Option(
        name="run-timeout",
        kind="seconds",
        group=HOW,
        metavar="SECONDS",
        help="Time limit of the whole run, which then stops and can be resumed; default none.",
    ),
    Option(
        name="token-budget",
        kind="whole",
        group=HOW,
        metavar="N",
        low=1,
        help="Most tokens, read and written by agent, judge and simulator, that the run may take before it stops, to be "
        "resumed with a larger budget; default none.",
    ),
    Option(
        name="money-budget",
        kind="usd",
        group=HOW,
        metavar="USD",
        help="The same in US dollars, by what agents report and by the prices of models; default none.",
    ),
    Option(
        name="retries", kind="whole", group=HOW, metavar="N", help="How often a call that may safely be repeated is; default 3."
    ),
    Option(name="rate", kind="rate", group=HOW, metavar="N/s", help="Most calls of the agent a second; default no limit."),
    Option(
        name="record",
        kind="text",
        group=HOW,
        metavar="FILE",
        help="Record every call of agent, judge and simulator in this cassette, with .gz packed; what is in it already stays "
        "until it is asked again.",
    ),
    Option(
        name="replay",
        kind="text",
        group=HOW,
        metavar="FILE",
        help="Call nobody: take every answer from this cassette; a call that it does not hold is an error.",
    ),
    Option(
        name="record-missing", kind="flag", group=HOW, help="With --replay: make the calls that it does not hold, and add them."
    ),
    Option(
        name="no-cache",
        kind="flag",
        group=HOW,
        help="Ask the judge also what it was asked before in the very same words; its verdicts are else kept in .viva/cache.",
    ),
    Option(
        name="min-pass-rate",
        kind="share",
        group=GATE,
        metavar="R",
        help="Exit 0 if pass / (pass + fail + error) is at least R, else 1; without it, everything has to pass.",
    ),
    Option(
        name="no-fail-on-regression",
        kind="flag",
        group=GATE,
        help="Exit 0 whatever the outcome; usage errors, and a run that evaluated nothing, still exit 2.",
    ),
    Option(
        name="output",
        kind="list",
        group=OUT,
        metavar="[NAME:]PATH",
        help="Also write the run here, as the suffix says or as the report or format NAME; - is standard output; repeatable.",
    ),
    Option(
        name="store",
        kind="text",
        group=OUT,
        metavar="URL",
        help="Where runs are kept: a SQLite file, or postgresql://USER@HOST/DATABASE; default .viva/runs.db.",
    ),
    Option(name="quiet", kind="flag", group=OUT, help="No progress and no report; warnings and errors remain."),
    Option(name="verbose", kind="flag", group=OUT, help="Say every result as it comes, and where an internal error arose."),
    Option(name="no-color", kind="flag", group=OUT, help="No colours; NO_COLOR in the environment does the same."),
    Option(
        name="prices",
        kind="prices",
        group="",
        help="What models cost, in USD per million tokens: a table of models, each with input and output.",
        places=_FILE,
    ),
    Option(name="serve", kind="table", group="", help="Settings of the dashboard.", places=_FILE),
)
