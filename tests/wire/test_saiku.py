"""Saiku's envelopes to replies and rows, without any server."""

from __future__ import annotations

import pytest

from vivavoce.core.reply import Message
from vivavoce.wire import saiku

CUBE = {"connectionName": "c", "catalog": "a", "schema": "s", "cubeName": "Sales"}


@pytest.mark.parametrize(
    ("named", "found"),
    [
        (CUBE, CUBE),
        ({"cube": CUBE}, CUBE),
        ({"cube": "c/a/s/Sales"}, CUBE),
        ("c/a/s/Sales", CUBE),
        ({"cubeName": "Sales"}, {"cubeName": "Sales"}),
        ({"catalog": "a"}, None),
        ("c/a/s", None),
        ("c//s/Sales", None),
        ("", None),
        (None, None),
        ({"topic": "sales"}, None),
    ],
)
def test_a_cube_by_any_of_its_names(named, found):
    assert saiku.cube(named) == found


def test_cells_become_numbers_or_else_their_text():
    row = {
        "Country": "Norway",
        "Year": 2025,
        "Net Sales": {"value": 511702.5, "formatted": "€511,702.50", "unit": "EUR"},
        "Zero": {"value": 0.0, "formatted": "-"},
        "Empty": {"value": None, "formatted": ""},
        "Hidden": {"value": None, "formatted": "—", "suppressed": True},
        "Unavailable": {"value": None, "formatted": None, "unavailable": "no join path"},
        "Left out": {"unit": None},
        "Null": None,
    }
    (found,) = saiku.rows({"status": "SUCCESS", "data": [row]})
    assert found == {
        "Country": "Norway", "Year": 2025, "Net Sales": 511702.5, "Zero": 0.0, "Empty": "", "Hidden": "—", "Unavailable": None,
        "Left out": "", "Null": None,
    }  # fmt: skip


def test_no_rows_are_none_only_where_that_is_said():
    assert saiku.rows({"status": "SUCCESS", "data": []}) == ()
    assert saiku.rows({"status": "SUCCESS", "totalRows": 0}) == ()
    with pytest.raises(ValueError, match="no list of rows"):
        saiku.rows({"status": "SUCCESS", "totalRows": 3})


def test_a_refusal_is_no_failure():
    reply = saiku.reply({"degraded": True, "reason": "  OFF_TOPIC:  nothing of the cube's \n"})
    assert (reply.intent, reply.refusal, reply.text, reply.rows, reply.insight) == (
        "REFUSED",
        *["nothing of the cube's"] * 2,
        (),
        None,
    )


@pytest.mark.parametrize("reason", ["HTTP 503", "off_topic: small", "", None, 5])
def test_any_other_degraded_answer_is(reason):
    with pytest.raises(saiku.Degraded):
        saiku.reply({"degraded": True, "reason": reason})


@pytest.mark.parametrize("view", [{"viewMode": "chart"}, {"reason": None}, {}])
def test_a_change_of_view_may_give_no_reason(view):
    reply = saiku.reply({"degraded": False, "viewChange": view})
    assert (reply.intent, reply.text) == ("VIEW_CHANGE", None)


def test_nulls_are_as_good_as_absent():
    empty = {"insight": None, "viewChange": None, "emailDraft": None, "reason": None}
    reply = saiku.reply({"degraded": False, **empty, "response": {"status": "SUCCESS", "data": []}})
    assert reply.intent == "QUERY"
    assert "insight" not in reply.raw


@pytest.mark.parametrize("said", ["", "no JSON", "[]", "{}", '{"status": 400, "error": "Bad Request"}', "[" * 100_000])
def test_a_refused_request_that_says_nothing_of_the_service_s_own(said):
    assert saiku.failure(said) is None


def test_what_is_said_when_something_else_could_stand_there():
    available = [f"m{number}" for number in range(12)]
    told = saiku.failure(
        f'{{"status": "VALIDATION_ERROR", "error": "no", "field": "f", "available": {available}}}'.replace("'", '"')
    )
    assert isinstance(told, saiku.Failed)
    assert str(told) == "VALIDATION_ERROR: no; it is about f; there are m0, m1, m2, m3, m4, m5, m6, m7, m8, m9 and others"
    assert not told.busy


def test_a_question_tells_only_of_users_and_assistants():
    history = [Message(role=role, content=role) for role in ("system", "user", "tool", "assistant", "developer")]
    assert saiku.question("q", None, history)["history"] == [{"role": each, "content": each} for each in ("user", "assistant")]
    assert saiku.question("q", CUBE, ()) == {"question": "q", "cube": CUBE}
