"""The HTML report: everything is in it or said to be left out, and nothing in it acts."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from itertools import product

import pytest
from conftest_pages import ADDRESSES, GOOD, NASTY, Page, nasty_run, page_of, written
from conftest_reports import (
    HOSTILE,
    empty_run,
    exact,
    fixed_run,
    hostile_run,
    interrupted_run,
    relevance,
    repeated_run,
    run_of,
    said,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.core.model import Use
from vivavoce.core.result import Exchange, Result, Score
from vivavoce.core.visible import visible
from vivavoce.reports._html import overview
from vivavoce.reports._html.differences import marked
from vivavoce.reports._html.markup import Markup, anchor, join, tag
from vivavoce.reports._html.page import asset
from vivavoce.reports._html.spread import BINS, DISTINCT, Spread

STATIC = {"html", "head", "meta", "title", "style", "body", "script"}
WORDS = """
a svg defs pattern rect path g text header main footer section article details summary form fieldset legend label input select
option output button h1 h2 h3 h4 h5 p div span b strong bdi i code mark ol ul li dl dt dd table caption thead tbody tr th td
figure figcaption blockquote wbr
"""
TAGS = STATIC | set(WORDS.split())


def case(at, status="pass", text="yes", **more):
    score = exact(status, "as it is") if status in ("pass", "fail") else relevance(status)
    turn = Exchange(input="Is it so?", expected="yes", reply=said(text), scores=(score,))
    return Result(**{"suite": "s", "case": f"c{at}", "position": at, "status": status, "turns": (turn,), **more})


def articles(page):
    return page.of("article")


@pytest.mark.parametrize("make", [fixed_run, repeated_run, empty_run, interrupted_run, hostile_run, nasty_run])
def test_a_page_is_whole_and_names_nothing_twice(make):
    page = page_of(make())
    ids = [held["id"] for _, held in page.elements if "id" in held]
    assert len(ids) == len(set(ids))
    assert {name for name, _ in page.elements} <= TAGS
    inside = [held["href"][1:] for held in page.of("a") if held["href"].startswith("#")]
    assert set(inside) <= set(ids)
    assert page.source.startswith('<!doctype html>\n<html lang="en">\n')


@pytest.mark.parametrize("make", [fixed_run, hostile_run, nasty_run])
def test_nothing_runs_or_loads_but_the_pages_own_script_and_style(make):
    page = page_of(make())
    assert page.raw == {"script": [asset("page.js")], "style": [asset("page.css")]}
    policy = page.of("meta", **{"http-equiv": "Content-Security-Policy"})
    rules = dict(rule.split(" ", 1) for rule in policy[0]["content"].split("; "))
    for name in ("script", "style"):
        (content,) = page.raw[name]
        assert rules.pop(f"{name}-src") == f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
    assert set(rules) == {"default-src", "img-src", "base-uri", "form-action"}
    assert set(rules.values()) == {"'none'"}
    for name, held in page.elements:
        assert not [each for each in held if each.startswith("on") or each in ("style", "src", "srcset", "action", "srcdoc")]
        if "href" in held:
            assert name == "a"
            assert re.match(r"#|https?://", held["href"], re.IGNORECASE)
            if not held["href"].startswith("#"):
                assert held["rel"] == "noopener noreferrer nofollow"


def test_only_addresses_of_the_web_become_links():
    page = page_of(nasty_run())
    links = [held["href"] for held in page.of("a") if not held["href"].startswith("#")]
    assert links == [*GOOD, *GOOD]
    for address in filter(None, ADDRESSES):
        assert visible(address)[:200].strip() in page.text


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_link_to_anywhere_else_cannot_be_made(address):
    assert anchor(address, "here") == "here"
    with pytest.raises(ValueError, match="not a place"):
        tag("a", "here", href=address)


@pytest.mark.parametrize("name", ["onclick", "style", "src", "srcdoc", "action", "formaction"])
def test_an_attribute_that_would_act_cannot_be_set(name):
    with pytest.raises(ValueError, match="a report sets no"):
        tag("p", **{name: "x"})


@given(st.text(), st.text())
def test_text_stays_text(words, value):
    made = Page(tag("p", words, title=value))
    assert made.elements == [("p", {"title": visible(value).replace("\r", "\n")})]
    assert made.text == visible(words)


def test_markup_is_kept_and_joined():
    assert tag("b", tag("i", "<"), None, "", ">") == "<b><i>&lt;</i>&gt;</b>"
    assert isinstance(join("a", tag("wbr")), Markup)
    assert tag("input", checked=True, disabled=False, value=None, data_x=3) == '<input checked data-x="3">'


@settings(max_examples=30)
@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=6))
def test_whatever_is_said_is_shown_as_said(texts):
    results = [
        Result(
            suite=text,
            case=f"{at}{text}",
            category=text,
            position=at,
            status="fail",
            turns=(Exchange(input=text, expected=text, reply=said(text + "!"), scores=(exact("fail", text),)),),
        )
        for at, text in enumerate(texts)
    ]
    page = page_of(run_of(results))
    assert {name for name, _ in page.elements} <= TAGS
    for text in texts:
        assert page.text.count(visible(text).replace("\r", "\n")) >= (3 if text.strip() else 0)


def test_every_text_of_the_run_is_in_the_page():
    run = fixed_run()
    page = page_of(run)
    for result in run.results:
        assert result.case in page.text
        for turn in result.turns:
            texts = [turn.expected, turn.reply and turn.reply.text, turn.error and turn.error.message]
            texts += [turn.input] if isinstance(turn.input, str) else list(turn.input.values())
            texts += [score.reason for score in (*turn.scores, *result.scores)]
            assert [text for text in texts if text and text not in page.text] == []
    for told in ("find_order", '{"id":1007}', "https://kitchen.example/eggs", "QUERY", "kale", "pantry", "Nothing: every case"):
        assert told in page.text


def test_failures_come_first_then_errors():
    statuses = [held["data-s"] for held in articles(page_of(fixed_run()))]
    assert statuses == ["fail"] * 3 + ["error"] * 4 + ["pass", "pass", "skip", "pass"]


def test_a_status_is_never_told_by_colour_alone():
    source = written(fixed_run())
    marks = re.findall(r'<span class="mark (\w+)"><span aria-hidden="true">(.)</span>(\w+)</span>', source)
    assert len(marks) == source.count('class="mark ')
    assert {(status, sign) for status, sign, _ in marks} == {("pass", "✓"), ("fail", "✗"), ("error", "!"), ("skip", "–")}
    for held in page_of(fixed_run()).of("svg"):
        assert held.get("aria-label") or held.get("aria-hidden") == "true"


def test_all_failures_are_kept_and_the_page_says_what_is_not():
    statuses = ["pass"] * 30 + ["skip"] * 5 + ["fail"] * 40 + ["error"] * 7
    run = run_of([case(at, status) for at, status in enumerate(statuses)])
    page = page_of(run, passes=12)
    shown = [held["data-s"] for held in articles(page)]
    assert {status: shown.count(status) for status in set(shown)} == {"pass": 12, "fail": 40, "error": 7}
    assert "18 passed and 5 skipped cases are not shown, so that the page stays quick; the run document has all." in page.text
    assert "Left out are 23 passed or skipped cases, of those beyond the first 12." in page.text
    assert "12 of 35" in page.text
    assert "not shown" not in page_of(run, passes=35).text
    assert "1 skipped case is not shown" in page_of(run, passes=34).text
    assert not [held for held in articles(page_of(run, passes=0)) if held["data-s"] == "pass"]


def test_a_long_text_is_cut_and_says_so():
    run = run_of([case(0, "fail", "wörd" * 262_144), case(1, text="w" * 20_000), case(2, text="w" * 20_001)])
    page = page_of(run)
    assert "the first 20,000 of 1,048,576 characters" in page.text
    assert "the first 20,000 of 20,001 characters" in page.text
    assert "the first 20,000 of 20,000" not in page.text
    assert "the ends of 2 texts longer than 20,000 characters" in page.text
    assert len(page.source) < 150_000
    assert "the ends of 3 texts longer than 300 characters" in page_of(run, text=300).text


def test_very_many_long_texts_are_cut_shorter(monkeypatch):
    run = run_of([case(at, "fail", "w" * 30_000) for at in range(10)])
    assert "longer than 20,000 characters" in page_of(run).text
    monkeypatch.setattr(overview, "ROOM", 60_000)
    page = page_of(run)
    assert len(articles(page)) == 10
    assert "the ends of 10 texts longer than 5,000 characters" in page.text
    monkeypatch.setattr(overview, "ROOM", 10)
    assert "longer than 500 characters" in page_of(run).text


def test_long_lists_are_cut_and_say_so():
    rows = tuple({"n": at, **{f"column {each}": each for each in range(14)}} for at in range(130))
    turn = Exchange(input="All of them?", reply=replace(said("yes"), rows=rows))
    long = (Exchange(input="And again?"),) * 202
    page = page_of(run_of([Result(suite="s", case="c", status="skip", turns=(turn, *long))]))
    assert "and 30 more" in page.text
    assert "and 3 more columns" in page.text
    assert "and 3 more turns" in page.text
    assert "36 members of long lists" in page.text


def test_what_is_deep_or_no_number_is_shown():
    deep = "end"
    for _ in range(400):
        deep = [deep]
    score = Score(
        name="Odd", evaluator="Odd", status="fail", value=float("inf"), reason="", details={"n": float("nan"), "d": deep}
    )
    turn = Exchange(input={"deep": deep}, reply=said("ok"), scores=(score,))
    page = page_of(run_of([Result(suite="s", case="", status="fail", turns=(turn,))]))
    assert "null" in page.text
    assert "end" in page.text
    assert "(no id)" in page.text


def test_the_head_says_who_and_what():
    page = page_of(fixed_run())
    assert page.text.count("Failed: exam of https://agent.example/api/chat, 20260131-120000-7f3a") == 1
    for told in (
        "Exam of https://agent.example/api/chat",
        "3 of 11 cases failed, 4 errored; 3 passed (50.0 % of 6 scored); 1 skipped",
        "Pass rate 50.0 %, over the 6 cases that passed or failed.",
        "evals/kitchen.evals.json (3f3f3f3f3f3f)",
        "b2:8f14e45fceea167a5a36dedd4bea2543",
        "2026-01-31 12:00:00 UTC",
        "41 s · 14 agent calls · 400 + 120 tokens",
        "2.40 s (late-parcel)",
    ):
        assert told in page.text, told


def test_it_says_which_judge_spoke():
    told = page_of(fixed_run()).text
    assert "Judged by local (7 scores); all else by rules. A heuristic: the judge local" in told
    other = replace(relevance("pass", 4.0, "good"), judge="gpt-5-mini")
    turn = Exchange(input="?", reply=said("!"), scores=(other,))
    run = run_of([Result(suite="s", case="c", status="pass", turns=(turn,))], judge=Use(name="openai"))
    assert "Judged by gpt-5-mini (1 score); all else by rules." in page_of(run).text
    assert "heuristic" not in page_of(run).text
    assert "No judge: every score is by rules." in page_of(run_of([case(0)], judge=None)).text
    assert "The judge local gave no score; all are by rules." in page_of(run_of([case(0)])).text


def test_the_verdict_follows_the_gate():
    run = run_of([case(at, "fail" if at == 3 else "pass") for at in range(4)])
    assert "Failed: exam of" in page_of(run).text
    met = page_of(run, min_pass_rate=0.7).text
    assert "Passed: exam of" in met
    assert "3 of 4 cases passed, 75.0 %, at least the 70 % asked for" in met


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("interrupted", "This run was interrupted: 3 of 4 were not run."),
        ("stopped", "A limit stopped this run: 3 of 4 were not run."),
        ("running", "This run is still going on: 3 of 4 were not run."),
        ("complete", "This run is not whole: 3 of 4 were not run."),
    ],
)
def test_a_run_that_is_not_whole_says_so(state, told):
    text = page_of(run_of([case(0)], state=state, planned=4)).text
    assert told in text
    assert "viva resume 20260131-120000-7f3a" in text
    assert "viva resume" not in page_of(fixed_run()).text


def test_no_secret_is_shown():
    options = {
        "url": "https://user:hunter2@agent.example/?token=abc123",
        "api_key": "sk-secret",
        "headers": {"Authorization": "Bearer x"},
        "timeout": 3,
    }
    source = written(run_of([case(0)], target=Use(name="http", options=options)))
    assert not re.search("hunter2|abc123|sk-secret|Bearer", source)
    assert "timeout = 3" in source


def test_repeats_are_told():
    text = page_of(repeated_run()).text
    for told in (
        "Each case was asked 3 times.",
        "pass@3",
        "pass^3",
        "kitchen / rice-water",
        "repeat 2 of 3",
        "proof-dough and 2 more repeats",
    ):
        assert told in text
    assert 'data-noun="trials"' in written(repeated_run())
    assert 'data-noun="cases"' in written(fixed_run())


def test_skipped_checks_are_told_once_a_reason():
    text = page_of(fixed_run()).text
    assert "3 checks (Relevance): no judge is set; name one with --judge" in text


def test_errors_of_one_cause_are_told_once():
    text = page_of(fixed_run()).text
    assert text.count("oven and 1 more case") == 1
    many = [case(at, "fail", scores=(exact("fail", f"reason {at}"),), turns=()) for at in range(20)]
    assert "and 12 more failed cases below" in page_of(run_of(many)).text


def test_a_case_carries_what_the_filters_look_for():
    page = page_of(fixed_run())
    names = {select["name"]: None for select in page.of("select")}
    assert list(names) == ["suite", "category", "check"]
    (thread,) = [held for held in articles(page) if held["data-u"] == "1" and held["data-s"] == "fail"]
    # Relevance passed once, failed once, and was skipped once: the worst counts.
    assert dict(re.findall(r"(\d+)(\w)", thread["data-k"]))["1"] == "f"
    assert [held["data-c"] for held in articles(page)].count("") == 2
    assert [held.get("value") for held in page.of("option")].count("none") == 1


def test_links_to_filters_name_what_is_chosen():
    source = written(run_of([case(0, suite="a&b=c #1", category="50 % <off>"), case(1, suite="other")]))
    assert 'data-filter="status=pass&amp;suite=a%26b%3Dc%20%231"' in source
    assert 'data-filter="status=pass&amp;category=50%20%25%20%3Coff%3E"' in source


def test_an_id_of_a_case_may_stand_in_an_address():
    page = page_of(hostile_run())
    places = [held["id"] for held in page.of("div", class_="body")]
    assert len(places) == 2 * len(HOSTILE)
    assert [place for place in places if not re.fullmatch(r"case-\d+(-[A-Za-z0-9]+)*", place)] == []


def test_differences_are_marked_in_both():
    expected, got = marked("The Firefly Mini costs 29.00 euros.", "The Firefly costs 49.00 euros.")
    assert expected == "The Firefly <mark>Mini</mark> costs <mark>29.00</mark> euros."
    assert got == "The Firefly costs <mark>49.00</mark> euros."
    assert marked("<b> one", "<i> one")[0] == "&lt;<mark>b</mark>&gt; one"


@pytest.mark.parametrize(
    ("expected", "got"),
    [("", "a"), ("a", " "), ("one two three", "quite another"), ("Cut a rope.", "You may go. [1]"), ("a " * 400, "a " * 400)],
)
def test_differences_that_say_nothing_are_not_marked(expected, got):
    assert marked(expected, got) is None


def test_a_failed_match_shows_the_difference_and_a_passed_one_does_not():
    failed = run_of([case(0, "fail", "yes, but")])
    assert "<mark>, but</mark>" in written(failed)
    assert "<mark>" not in written(run_of([case(0, "pass", "yes, but")]))


class TestSpread:
    def spread(self, *values, threshold=3.0, units=True):
        made = Spread()
        for value in values:
            unit = (value - 1) / 4 if units else None
            status = "pass" if value >= threshold else "fail"
            made.add(
                Score(name="R", evaluator="R", status=status, value=value, unit_value=unit, threshold=threshold, reason="")
            )
        return made

    def test_a_scale_is_found_from_two_values(self):
        made = self.spread(2.0, 4.0, 4.0)
        assert made.scale == (1.0, 5.0)
        assert [(each.low, each.passed, each.failed) for each in made.bins()] == [
            (1, 0, 0),
            (2, 0, 1),
            (3, 0, 0),
            (4, 2, 0),
            (5, 0, 0),
        ]
        assert made.thresholds == [3.0]

    def test_fractions_go_into_twentieths(self):
        made = self.spread(0.0, 0.15, 0.5, 1.0, threshold=0.5, units=False)
        bins = made.bins()
        assert len(bins) == BINS
        assert [at for at, each in enumerate(bins) if each.total] == [0, 3, 10, 19]
        assert sum(each.failed for each in bins) == 2

    def test_a_value_that_never_varies_has_a_place(self):
        made = self.spread(7.0, 7.0, units=False)
        assert sum(each.total for each in made.bins()) == 2

    def test_what_is_no_number_is_left_out(self):
        made = self.spread(float("nan"), float("inf"))
        made.add(Score(name="R", evaluator="R", status="skip", value=3.0, reason=""))
        assert sum(each.total for each in made.bins()) == 0

    def test_only_zeros_and_ones_are_no_picture(self):
        assert self.spread(0.0, 1.0, units=False).is_plain
        assert not self.spread(0.0, 0.5, units=False).is_plain

    @given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=3 * DISTINCT))
    @settings(max_examples=50)
    def test_every_value_is_counted_in_bounded_memory(self, values):
        made = self.spread(*values, units=False)
        assert sum(each.total for each in made.bins()) == len(values)
        assert len(made._counts) <= DISTINCT + 1

    def test_so_many_values_that_near_ones_are_joined(self):
        made = self.spread(*(at / 10_000 for at in range(10_000)), threshold=0.5, units=False)
        assert len(made._counts) <= DISTINCT
        totals = [each.total for each in made.bins()]
        assert sum(totals) == 10_000
        assert max(totals) < 1_000


def palettes():
    """The colours of both themes, and of paper."""
    css = asset("page.css")
    found = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", body)) for body in re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    ]
    light, dark, paper = found
    return {"light": light, "dark": {**light, **dark}, "paper": {**light, **paper}}


def luminance(color):
    digits = color[1:] if len(color) == 7 else "".join(2 * each for each in color[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark", "paper"])
def test_colours_have_the_contrast_that_reading_needs(theme):
    colors = palettes()[theme]
    inks = ("ink", "soft", "link", "pass", "fail", "error", "skip")
    grounds = ("paper", "sheet", "well", "error-wash")
    low = {pair: contrast(colors[pair[0]], colors[pair[1]]) for pair in product(inks, grounds)}
    assert {pair: ratio for pair, ratio in low.items() if ratio < 4.5} == {}
    assert contrast(colors["mark-ink"], colors["mark"]) >= 4.5
    bars = {name: contrast(colors[f"{name}-bar"], colors["sheet"]) for name in ("pass", "fail", "error", "skip")}
    assert {name: ratio for name, ratio in bars.items() if ratio < (1.5 if name in ("skip", "error") else 3)} == {}


def test_an_empty_run_says_so():
    page = page_of(empty_run())
    assert "No case was run." in page.text
    assert "Nothing evaluated: exam of" in page.text
    assert articles(page) == []


def test_texts_that_hide_are_named():
    page = page_of(nasty_run())
    assert "<U+202E>gnp.exe<U+202C> <U+2067>right<U+2069>" in page.text
    for text in NASTY[:-1]:
        assert page.text.count(visible(text)) >= 5
