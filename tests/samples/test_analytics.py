"""The analytics agent: its numbers are those of its rows, its questions are understood, and its door lets in who should be."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.samples._cube.counting import mdx
from vivavoce.samples._cube.query import Invalid, read
from vivavoce.samples._cube.schema import CUBE, LEVELS, MEASURES, members, open_cube
from vivavoce.samples.analytics import Analyst, preview
from vivavoce.samples.desk import BadRequest

AI = "/rest/saiku/api/ai"
ADMIN = "Basic " + base64.b64encode(b"admin:admin").decode()


@pytest.fixture(scope="module")
def analyst():
    return Analyst()


@pytest.fixture
def say(analyst):
    """Ask something after other things; gives the answer."""

    def say(*said: str) -> dict:
        *before, now = said
        history = [{"role": "user", "content": each} for each in before]
        return analyst.send({"input": now, "history": history})

    return say


# Numbers


@pytest.fixture(scope="module")
def sheet():
    """Every sale, as plain data."""
    cube = open_cube()
    names = ["year", "quarter", "month", "country", "region", "shop", "family", "product", "channel", "units", "cents", "cost"]
    try:
        return [dict(zip(names, row, strict=True)) for row in cube.execute(f"SELECT {', '.join(names)} FROM sheet")]
    finally:
        cube.close()


def counted(sheet, levels, filters):
    """The four measures by hand, by the captions of these levels."""
    sums = defaultdict(lambda: [0, 0, 0])
    for sale in sheet:
        if all((sale[level.column] in names) != out for level, names, out in filters):
            for at, each in enumerate(("cents", "units", "cost")):
                sums[tuple(sale[level.column] for level in levels)][at] += sale[each]
    return {
        key: (cents / 100, units, (cents - cost) / 100, pytest.approx(cents / 100 / units, abs=0.00501))
        for key, (cents, units, cost) in sums.items()
    }


@given(st.data())
def test_a_query_counts_what_a_person_would_count_by_hand(analyst, sheet, data):
    levels = data.draw(st.lists(st.sampled_from(LEVELS), unique=True, max_size=2))
    filters = []
    for level in data.draw(st.lists(st.sampled_from(LEVELS), unique=True, max_size=2)):
        names = data.draw(st.lists(st.sampled_from(members(level)), unique=True, min_size=1, max_size=3))
        filters.append((level, names, data.draw(st.booleans())))
    query = {
        "cube": dict(CUBE),
        "measures": [{"name": each.name} for each in MEASURES],
        "rows": [{"dimension": each.dimension, "hierarchy": each.hierarchy, "level": each.name} for each in levels],
        "filters": [
            {"dimension": level.dimension, "level": level.name, "op": "not_in" if out else "in", "members": names}
            for level, names, out in filters
        ],
    }
    found = {
        tuple(row[each.name] for each in levels): tuple(row[each.name] for each in MEASURES) for row in analyst.rows(query)
    }
    assert found == counted(sheet, levels, filters)
    assert read(read(query).told()) == read(query)


def test_the_cube_cannot_be_written_to():
    cube = open_cube()
    with pytest.raises(Exception, match="readonly"):
        cube.execute("DELETE FROM sales")
    cube.close()


@pytest.mark.parametrize(
    ("change", "field", "offered"),
    [
        ({"cube": None}, "cube", "hollinwake/Shops/Shops/Sales"),
        ({"cube": {"cubeName": "Budget"}}, "cube", "hollinwake/Shops/Shops/Sales"),
        ({"measures": []}, "measures", "Net Sales"),
        ({"measures": "Net Sales"}, "measures", None),
        ({"measures": [{"name": "Footfall"}]}, "measures[].name", "Units Sold"),
        ({"measures": [5]}, "measures[].name", "Units Sold"),
        ({"rows": [{"dimension": "Weather"}]}, "rows[].dimension", "Channel"),
        ({"rows": [{"dimension": "Shop", "hierarchy": "Owners"}]}, "rows[].hierarchy", "Places"),
        ({"rows": [{"dimension": "Shop", "level": "Town"}]}, "rows[].level", "Region"),
        ({"columns": [{"dimension": "Shop", "level": "Shop"}]}, "columns", None),
        ({"filters": [{"dimension": "Shop", "level": "Country", "members": ["Wales"]}]}, "filters[0].members", None),
        ({"filters": [{"dimension": "Shop", "level": "Country", "members": []}]}, "filters[0].members", None),
        ({"filters": [{"dimension": "Time", "level": "Year", "op": "between"}]}, "filters[0].op", "not_in"),
        ({"order": [{"by": "Net Sales", "direction": "up"}]}, "order[].direction", "asc"),
        ({"order": [{"by": "Footfall"}]}, "order[].by", "Net Sales"),
        ({"limit": "3"}, "limit", None),
        ({"limit": True}, "limit", None),
    ],
)
def test_a_query_that_cannot_be_meant(change, field, offered):
    with pytest.raises(Invalid) as raised:
        read({"cube": "hollinwake/Shops/Shops/Sales", "measures": [{"name": "revenue"}], **change})
    assert raised.value.field == field
    assert offered is None or offered in raised.value.available


def test_a_query_as_an_analyst_would_read_it(analyst):
    asked = analyst.asked("top 3 products by margin in Norway", [])
    assert mdx(asked.query) == (
        "SELECT NON EMPTY {[Measures].[Gross Margin]} ON COLUMNS,\n"
        "NON EMPTY TopCount([Product].[Products].[Product].Members, 3, [Measures].[Gross Margin]) ON ROWS\n"
        "FROM [Sales]\n"
        "WHERE ({[Shop].[Places].[Country].&[Norway]})"
    )
    assert preview(asked.query.told()) == {"status": "PREVIEW", "generatedMdx": mdx(asked.query)}


# Questions


@pytest.mark.parametrize(
    ("question", "measures", "levels", "filters", "limit"),
    [
        ("Show me net sales by country", ["Net Sales"], ["Country"], {}, 0),
        ("REVENUE AND UNITS PER QUARTER", ["Net Sales", "Units Sold"], ["Quarter"], {}, 0),
        ("units and revenue, by year and region", ["Units Sold", "Net Sales"], ["Year", "Region"], {}, 0),
        ("average price by product family", ["Average Price"], ["Product Family"], {}, 0),
        ("What was the profit in Norway in 2025?", ["Gross Margin"], [], {"Country": ["Norway"], "Year": ["2025"]}, 0),
        (
            "How many Ember flasks were sold in Svolvær?",
            ["Units Sold"],
            [],
            {"Shop": ["Svolvær"], "Product": ["Ember flask"]},
            0,
        ),
        ("Firefly Mini lanterns by shop", ["Net Sales"], ["Shop"], {"Product": ["Firefly Mini lantern"]}, 0),
        ("sales in Q3 2024 by channel", ["Net Sales"], ["Channel"], {"Quarter": ["2024 Q3"]}, 0),
        ("sales in March of 2025", ["Net Sales"], [], {"Month": ["2025-03"]}, 0),
        ("Ireland and Iceland by month", ["Net Sales"], ["Month"], {"Country": ["Iceland", "Ireland"]}, 0),
        ("top five products by revenue", ["Net Sales"], ["Product"], {}, 5),
        ("Which shop sells most?", ["Net Sales"], ["Shop"], {}, 1),
        ("turnover", ["Net Sales"], [], {}, 0),
    ],
)
def test_what_a_question_asks_for(analyst, question, measures, levels, filters, limit):
    asked = analyst.asked(question, [])
    assert asked.kind == "query"
    assert [each.name for each in asked.query.measures] == measures
    assert [each.name for each in asked.query.rows] == levels
    assert {each.level.name: list(each.members) for each in asked.query.filters} == filters
    assert asked.query.limit == limit


def test_a_question_follows_on_those_before(say):
    assert [*say("net sales by country in 2025", "and by region?")["rows"][0]] == ["Region", "Net Sales"]
    assert sum(row["Net Sales"] for row in say("net sales by country in 2025", "and by region?")["rows"]) == 857201.0
    assert say("net sales by country", "in units, please")["rows"][0] == {"Country": "Iceland", "Units Sold": 2134}
    assert say("net sales by country", "only Norway", "and 2024?")["rows"] == [{"Country": "Norway", "Net Sales": 229029.5}]
    assert say("units by product", "What is the meaning of life?", "top 1")["rows"] == [
        {"Product": "Ember flask", "Units Sold": 6545}
    ]


def test_insights_and_views(say):
    assert say("is revenue growing?")["insight"].splitlines() == [
        "**Net Sales, year by year**: €594,561.50 in 2024, €857,201.00 in 2025; up 44.2%.",
        "",
        "- Highest quarter: 2025 Q4, €297,882.00",
    ]
    assert "Highest country: Ireland" in say("net sales by country", "why?")["insight"]
    assert say("summarise units in 2025")["insight"].startswith(
        "**Units Sold, year by year**: 20,763 in 2025.\n\n- Highest quarter: "
    )
    assert say("net sales by country", "show it as a bar chart")["intent"] == "VIEW_CHANGE"
    assert say("show it as a bar chart")["intent"] == "REFUSED"
    assert say("explain sales in Vík in 2024")["insight"] == "**Net Sales**: nothing was sold."


@pytest.mark.parametrize("question", ["Who won the election?", "Write me a poem.", "?", "DROP TABLE sales; --", "🦊"])
def test_what_is_not_of_the_cube_is_refused(say, question):
    # `sales` is a word of the cube's, whatever stands around it: nothing of it reaches the database.
    answer = say(question)
    assert answer["intent"] == ("QUERY" if "sales" in question else "REFUSED")
    assert answer.get("refusal") == (answer["text"] if answer["intent"] == "REFUSED" else None)


def test_its_known_weaknesses(say):
    assert [row["Country"] for row in say("net sales by country except Norway")["rows"]] == ["Norway"]
    assert say("which region has the worst margin?")["rows"][0]["Region"] == "Munster"
    assert say("What is the weather in Norway?")["intent"] == "QUERY"
    assert "week" not in say("are sales going up week on week?")["insight"]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"input": 5}, "`input` is text"),
        ([], "`input` is text"),
        ({"input": "  "}, "blank"),
        ({"input": "a" * 2001}, "at most 2000 characters"),
        ({"input": "sales", "history": {"role": "user"}}, "`history` is a list"),
    ],
)
def test_a_request_that_is_none(analyst, request_, words):
    with pytest.raises(BadRequest, match=words):
        analyst.send(request_)


# The door


def call(http, path: str, body: object = None, **headers: str) -> tuple[int, object]:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Authorization": ADMIN, **headers}
    try:
        with urllib.request.urlopen(urllib.request.Request(http.url + path, data, headers), timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_what_there_is_to_ask_about(http):
    status, (cube,) = call(http, f"{AI}/cubes")
    assert (status, cube["cubeName"], cube["measureCount"]) == (200, "Sales", 4)
    assert call(http, f"{AI}/ask/health") == (200, {"configured": True})
    status, described = call(http, f"{AI}/schema/hollinwake/Shops/Shops/Sales")
    assert (status, [*described["dimensions"]]) == (200, ["time", "shop", "product", "channel"])
    country = described["dimensions"]["shop"]["hierarchies"]["places"]["levels"]["country"]
    assert country["sampleMembers"][0] == {"caption": "Iceland", "uniqueName": "[Shop].[Places].[Country].&[Iceland]"}
    assert call(http, f"{AI}/schema/a/b/c/Budget")[0] == 400


@pytest.mark.parametrize("path", ["/rest/saiku/api/info", "/saiku/api/info"])
def test_anybody_may_know_that_it_is_there(http, path):
    assert call(http, path, Authorization="")[0] == 200


@pytest.mark.parametrize("shown", ["", "Basic", "Basic ???", "Basic YWRtaW46bm8=", "Bearer x"])
def test_who_shows_no_password_is_not_let_in(http, shown):
    for path, body in ((f"{AI}/cubes", None), (f"{AI}/ask", {"question": "sales", "cube": {"cubeName": "Sales"}})):
        assert call(http, path, body, Authorization=shown) == (401, {"error": "sign in first"})


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ([], 400, "a request is a JSON object"),
        ({"question": "sales"}, 400, "`cube` names the cube"),
        ({"question": " ", "cube": {"cubeName": "Sales"}}, 400, "blank"),
        ({"question": "sales" * 300_000, "cube": {"cubeName": "Sales"}}, 413, "bytes"),
    ],
)
def test_a_question_that_is_refused(http, body, status, words):
    got, told = call(http, f"{AI}/ask", body)
    assert got == status
    assert words in told["error"]


def test_a_query_and_what_it_would_be(http):
    query = {"cube": "hollinwake/Shops/Shops/Sales", "measures": [{"name": "profit"}]}
    status, response = call(http, f"{AI}/query", query)
    assert (status, response["status"], response["totalRows"]) == (200, "SUCCESS", 1)
    assert response["data"] == [{"Gross Margin": {"value": 716612.6, "formatted": "€716,612.60", "unit": "EUR"}}]
    assert call(http, f"{AI}/query/preview", query)[1]["status"] == "PREVIEW"
    for path in ("query", "query/preview"):
        status, response = call(http, f"{AI}/{path}", {**query, "measures": [{"name": "Footfall"}]})
        assert (status, response["status"], response["field"]) == (400, "VALIDATION_ERROR", "measures[].name")
        assert call(http, f"{AI}/{path}", {**query, "cube": "a/b/c/Budget"})[0] == 404


def test_failures_are_on_demand_and_a_word_that_demands_none_is_a_question(http):
    cube = {"cubeName": "Sales"}
    assert call(http, f"{AI}/ask", {"question": "!degraded", "cube": cube})[1]["degraded"] is True
    assert call(http, f"{AI}/ask", {"question": "!slow 0 units by year", "cube": cube})[1]["response"]["totalRows"] == 2
    assert call(http, f"{AI}/ask", {"question": "!slow 0", "cube": cube})[1]["response"]["totalRows"] == 1
    assert call(http, f"{AI}/ask", {"question": "!sloww 9", "cube": cube})[1]["reason"].startswith("OFF_TOPIC")


def test_a_kind_of_answer_can_be_forced(http):
    cube = {"cubeName": "Sales"}
    _, told = call(http, f"{AI}/ask", {"question": "sales by country", "cube": cube, "forceTool": "insight"})
    assert "Highest country" in told["insight"]["markdown"]
    _, told = call(http, f"{AI}/ask", {"question": "is revenue growing?", "cube": cube, "forceTool": "query"})
    assert told["response"]["data"][0]["Net Sales"]["value"] == 1451762.5


def test_a_stream_tells_the_kind_and_the_text_first(http):
    body = json.dumps({"question": "is revenue growing?", "cube": {"cubeName": "Sales"}}).encode()
    status, text = http.post(body, f"{AI}/ask/stream", Authorization=ADMIN)
    events = [each.partition("\ndata: ")[::2] for each in text.strip().split("\n\n")]
    assert (status, events[0], events[1]) == (
        200,
        ("event: model", '{"model": "sales-rules-1"}'),
        ("event: intent", '{"kind": "INSIGHT"}'),
    )
    final = json.loads(events[-1][1])
    assert events[-1][0] == "event: final"
    assert "".join(json.loads(data)["delta"] for kind, data in events if kind == "event: chunk") == final["insight"]["markdown"]


def test_a_refusal_in_a_stream_is_an_error_and_then_the_whole(http):
    body = json.dumps({"question": "Who won?", "cube": {"cubeName": "Sales"}}).encode()
    _, text = http.post(body, f"{AI}/ask/stream", Authorization=ADMIN)
    assert [each.partition("\n")[0] for each in text.strip().split("\n\n")] == ["event: model", "event: error", "event: final"]
