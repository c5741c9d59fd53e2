"""The dashboard as people meet it: in Chromium, with mouse and keyboard, in both themes, on a phone, and under attack."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import partial

import pytest
from conftest_dashboard import LET_GO, history, project, see_to, served
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

CASE = "/runs/run-004/case?in=sales&case=sales-by-product&repeat=0&at=11"
PAGES = ("/", "/suites/kitchen", "/runs/run-004", CASE, "/compare?a=run-003&b=run-004", "/runs/none")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server over a store with some history."""
    folder = tmp_path_factory.mktemp("site")
    see_to(partial(history, folder / "runs.db", 8))
    with served(project(folder, folder / "runs.db")) as url:
        yield url


@pytest.fixture
def look(chromium, site):
    """Open a page, and fail if anything outside is asked for, said or complained of."""
    expect.set_options(timeout=30_000)

    @contextmanager
    def opened(path, *, complaints=0, **context):
        asked, said = [], []
        with chromium.new_context(**{"viewport": {"width": 1200, "height": 800}, **context}) as browser:
            page = browser.new_page()
            page.on("request", lambda request: asked.append(request.url))
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
            page.goto(site + path)
            yield page
            assert all(each.startswith(site) for each in asked)
            assert len(said) == complaints, said

    return opened


def test_from_the_suites_down_to_the_rows_of_a_case(look):
    with look("/") as page:
        page.get_by_role("link", name="sales", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("sales")
        page.locator(".history").get_by_role("link").nth(2).click()
        page.get_by_role("link", name="sales-by-product").click()
        expect(page.locator(".compared mark")).to_have_count(4)
        page.get_by_text("Tool calls (1)").click()
        expect(page.get_by_text("run_query")).to_be_visible()
        page.get_by_role("link", name="Beside the run before").click()
        expect(page.locator(".beside > section")).to_have_count(2)


def test_filters_work_while_they_are_chosen_and_stay_in_the_address(look):
    with look("/runs/run-000") as page:
        page.locator("[name=status][value=fail]").check()
        expect(page.locator("#filters output")).to_have_text("4 cases")
        page.get_by_label("Check").select_option("RowComparison")
        expect(page.locator("legend")).to_have_text("Status of RowComparison")
        expect(page).to_have_url(re.compile(r"\?status=fail&check=RowComparison$"))
        page.get_by_role("link", name="Show all cases").click()
        expect(page.locator("#filters output")).to_have_text("12 cases")
        expect(page.locator("#filters.at-once")).to_be_visible()
        page.keyboard.press("/")
        page.keyboard.type("oven")
        expect(page.locator(".cases tbody tr")).to_have_count(1)
        page.locator(".cases a").click()
        expect(page.get_by_text("1 of 1 that are like this")).to_be_visible()


def test_the_keyboard_is_enough(look):
    with look(CASE) as page:
        page.keyboard.press("Tab")
        expect(page.locator(".skip-link")).to_be_focused()
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        for key, heading in (("k", "slugs"), ("j", "sales-by-product"), ("g", "Suites")):
            page.keyboard.press(key)
            expect(page.get_by_role("heading", level=1)).to_have_text(heading)
            page.wait_for_load_state()  # A heading is there before the script that hears the next key.


def test_a_trend_is_looked_into(look):
    with look("/suites/kitchen") as page:
        chart, tip = page.locator("svg.canvas"), page.locator(".tip")
        chart.hover(position={"x": 2, "y": 50})
        expect(tip).to_contain_text("2026-01-01")
        expect(tip).to_contain_text("revision")
        page.get_by_role("button", name="Zoom in").click()
        expect(page.locator("circle.point[visibility=visible]")).to_have_count(5)
        chart.focus()
        page.keyboard.press("0")
        page.keyboard.press("End")
        expect(tip).to_contain_text("2026-01-08")
        page.keyboard.press("ArrowLeft")
        expect(tip).to_contain_text("2026-01-07")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("/runs/run-006"))


def test_two_chosen_runs_are_compared(look):
    with look("/suites/sales") as page:
        page.get_by_label("Earlier: 2026-01-04 12:00 UTC").check()
        page.get_by_label("Later: 2026-01-05 12:00 UTC").check()
        page.get_by_role("button", name="Compare the two chosen runs").click()
        expect(page.locator("#broke")).to_contain_text("sales-by-product")
        page.locator(".by-check").get_by_role("link", name="RowComparison").click()
        expect(page.locator(".changes li p.line")).to_have_count(1)


def test_a_run_is_started_and_watched_to_its_end(look):
    with look("/") as page:
        page.get_by_role("button", name="Run live").click()
        expect(page.locator("[data-live]")).to_be_visible()
        expect(page.locator("[data-live-count]")).to_contain_text("of 20 done")
        expect(page.locator(".latest li").first).to_be_visible()
        expect(page.locator(".verdict")).to_contain_text("7 of 20 cases failed")
        page.get_by_role("link", name="q0").click()
        expect(page.get_by_text("window.hacked").first).to_be_visible()
        assert page.evaluate("window.hacked") is None


def test_the_list_of_cases_grows_while_a_run_is_under_way_and_its_end_is_shown_though_a_case_had_no_answer(look):
    with look("/") as page:
        page.get_by_role("button", name="Run held").click()
        expect(page.locator("[data-live]")).to_be_visible()
        expect(page.locator(".nothing")).to_have_text("No result yet.")
        rows = page.locator(".cases tbody tr")
        for done, status in enumerate(("passed", "error"), start=1):
            LET_GO.release()
            expect(rows).to_have_count(done)
            expect(rows.last).to_contain_text(status)
            if done == 1:
                rows.first.get_by_role("link").focus()
        expect(rows.first.get_by_role("link")).to_be_focused()
        page.locator("[name=status][value=error]").check()
        expect(rows).to_have_count(1)
        LET_GO.release()
        expect(page.locator(".verdict")).to_contain_text("1 of 3 cases errored")
        expect(rows).to_have_count(1)


def test_a_refused_start_says_why(look):
    with look("/", complaints=1) as page:
        page.evaluate("document.querySelector('meta[name=viva-token]').content = 'old'")
        page.reload()
        page.route("**/api/runs", lambda route: route.continue_(headers={**route.request.headers, "x-viva-token": "old"}))
        page.get_by_role("button", name="Run live").click()
        expect(page.locator("[data-told]")).to_contain_text("load it anew")


def test_a_server_that_is_gone_is_told(look):
    with look("/", complaints=1) as page:
        page.route("**/api/runs", lambda route: route.abort())
        page.get_by_role("button", name="Run live").click()
        expect(page.locator("[data-told]")).to_contain_text("does not answer")


def test_the_theme_is_chosen_and_remembered(look):
    background = "getComputedStyle(document.body).backgroundColor"
    with look("/", color_scheme="light") as page:
        light = page.evaluate(background)
        button = page.locator("[data-theme-toggle]")
        button.click()
        expect(button).to_have_text(re.compile("Light"))
        button.click()
        dark = page.evaluate(background)
        assert dark != light
        page.get_by_role("link", name="Compare").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Two runs side by side")
        expect(button).to_have_text(re.compile("Dark"))
        assert page.evaluate(background) == dark
        button.click()
        assert page.evaluate(background) == light


def test_what_an_agent_said_does_nothing(look):
    with look("/runs/run-hostile") as page:
        for at in range(page.locator(".cases tbody a").count()):
            page.goto(page.url)
            page.locator(".cases tbody a").nth(at).click()
            page.wait_for_load_state()
            assert page.evaluate("window.hacked") is None
            assert page.locator("iframe, img, object, embed, base").count() == 0
            page.go_back()


def test_pages_are_read_without_script(look):
    with look("/", java_script_enabled=False) as page:
        expect(page.locator("[data-theme-toggle]")).to_be_hidden()
        page.get_by_role("link", name="kitchen", exact=True).click()
        expect(page.locator("circle.point")).to_have_count(8)
        page.locator(".history").get_by_role("link").first.click()
        page.locator("[name=status][value=skip]").check()
        page.get_by_role("button", name="Filter").click()
        expect(page.locator(".cases tbody tr")).to_have_count(1)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 1200), ("dark", 360)])
def test_no_rule_of_accessibility_is_broken(look, path, scheme, width):
    from axe_playwright_python.sync_playwright import Axe

    complaints = 1 if path.endswith("none") else 0
    with look(path, complaints=complaints, color_scheme=scheme, viewport={"width": width, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page).response
        assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []


def test_on_paper_there_is_no_furniture(look):
    with look("/runs/run-004") as page:
        page.emulate_media(media="print")
        expect(page.locator("#filters")).to_be_hidden()
        expect(page.locator(".cases")).to_be_visible()
        assert page.pdf(format="A4").startswith(b"%PDF")
