"""Small results, in a line each."""

import pytest

from vivavoce.core.reply import Reply
from vivavoce.core.result import Exchange, Fault, Result, Score


def score(status="pass", name="ExactMatch", value=None, judge=None, details=None):
    if value is None and status in ("pass", "fail"):
        value = 1.0 if status == "pass" else 0.0
    return Score(name=name, evaluator=name, status=status, value=value, reason="because", judge=judge, details=details or {})


def turn(*scores, answered=True, usage=None, sent=True):
    return Exchange(
        input="Which?",
        error=None if answered else Fault(code="timeout" if sent else "not_sent", message="no answer"),
        reply=Reply(text="That.", usage=usage or {}) if answered else None,
        scores=scores,
    )


def result(case="a", status="pass", turns=None, **more):
    given = turns if turns is not None else (turn(score(status)),)
    return Result(**{"suite": "s", "case": case, "status": status, "turns": tuple(given), **more})


@pytest.fixture
def make():
    """What builds scores, turns and results."""

    class Make:
        pass

    Make.score, Make.turn, Make.result = staticmethod(score), staticmethod(turn), staticmethod(result)
    return Make
