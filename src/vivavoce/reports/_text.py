"""Other parties' texts, made safe to show: nothing hidden in them acts, and none is too long.

An agent's answer is hostile until shown otherwise. Every report that shows text to a person passes it through here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from vivavoce.core import codec
from vivavoce.core.reply import JSON, Reply
from vivavoce.core.result import USAGE, Fault, Result, Score, Stop
from vivavoce.core.visible import HIDDEN, visible

_HALVES = re.compile("[\ud800-\udfff]")


def cut(text: str, limit: int) -> str:
    """The text, at most `limit` characters long; where one ends early it says how long it is: `… [1,048,576 characters]`.

    Where the limit leaves no room to say so, the end is `…`.
    """
    if len(text) <= limit:
        return text
    note = length_note(len(text)) if limit >= 60 else "…"
    return text[: limit - len(note)] + note


def length_note(length: int) -> str:
    """The end of a text that is longer than shown."""
    return f"… [{length:,} characters]"


def line(text: str, limit: int) -> str:
    """The text on one line, visible, and cut; no more of it is looked at than is shown."""
    shown = " ".join(visible(text[: limit + 1]).split())
    if len(text) <= limit:
        return cut(shown, limit)
    return shown[: limit - 1] + "…"


def skipped(score: Score) -> str:
    """Why a check was skipped, on one line, to stand beside the check's name: so without that name at its beginning."""
    reason = line(score.reason, 300)
    rest = reason.removeprefix(score.name)
    return rest.removeprefix(":").lstrip() if rest != reason and rest.startswith((" ", ": ")) else reason


def said(value: JSON) -> str:
    """What was said to the agent: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else encoded(value)


def answered(reply: Reply) -> str:
    """What the agent answered: its text, or when it has none, the parts it reported as JSON."""
    if reply.text is not None:
        return reply.text
    parts = {
        name: getattr(reply, name)
        for name in ("intent", "refusal", "insight", "rows", "tool_calls", "citations", "retrievals")
        if getattr(reply, name) is not None
    }
    return encoded(parts) if parts else ""


ENDS: Mapping[Stop, str] = MappingProxyType(
    {
        "goal_completed": "the simulated user reached the goal",
        "max_turns": "the largest number of turns was reached",
        "gave_up": "the simulated user gave up",
        "error": "an error ended the conversation",
    }
)
"""Why a simulated conversation ended, in words."""


def ended(result: Result) -> str:
    """Why a simulated conversation ended, with the reasoning behind it; empty for a scripted one."""
    if result.stop is None:
        return ""
    why = result.simulation.reasoning if result.simulation is not None and result.stop in ("goal_completed", "gave_up") else ""
    return f"{ENDS[result.stop]}: {why}" if why else ENDS[result.stop]


def failure(fault: Fault) -> str:
    """A failure in one line: `timeout: no answer within 120 s`."""
    return f"{fault.code}: {fault.message}"


def duration(seconds: float) -> str:
    """So many seconds, in the units a person would say."""
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def money(usd: float) -> str:
    """An amount of dollars, with as many decimals as it takes to see it."""
    return f"${usd:,.4f}" if usd < 1 else f"${usd:,.2f}"


def cost(usd: float, *, unpriced: bool) -> list[str]:
    """What a run cost, if that is known to be anything; `unpriced` when a model was asked whose price is not known."""
    if not usd:
        return ["price unknown"] if unpriced else []
    return [money(usd) + (" and calls of unknown price" if unpriced else "")]


def unpriced(score: Score) -> bool:
    """Whether a judge was asked for it at a price that is not known."""
    return _is_unpriced(score.details.get(USAGE))


def unpriced_user(result: Result) -> bool:
    """Whether a model played its user at a price that is not known."""
    return result.simulation is not None and _is_unpriced(result.simulation.usage)


def _is_unpriced(took: JSON) -> bool:
    return isinstance(took, Mapping) and "cost_usd" not in took and bool(took.get("input_tokens") or took.get("output_tokens"))


def encoded(value: object) -> str:
    """Any core type, or plain data, as JSON on one line, whatever it holds.

    What would act or hide is escaped, as it may end on a terminal. Halves of characters, which another party's JSON may hold
    and UTF-8 cannot, become `\ufffd`.
    """
    try:
        text = codec.encode(value).decode()
    except UnicodeEncodeError:
        text = codec.encode(_whole(codec.plain(value))).decode()
    return inert(text)


def inert(text: str) -> str:
    """JSON on one line, with what would act or hide escaped."""
    # Most results are plain ASCII, which is told at once, and there the encoder has escaped all but one; nearly all of the
    # others have nothing that cannot be printed.
    plain = text.isascii() and "\x7f" not in text
    return text if plain or text.isprintable() else HIDDEN.sub(_escaped, text)


def _whole(value: JSON) -> JSON:
    if isinstance(value, str):
        return _HALVES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_whole(name): _whole(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(each) for each in value]
    return value


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
