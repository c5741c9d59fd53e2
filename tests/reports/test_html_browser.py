"""The HTML report as people meet it: in a browser, with and without script, on a phone, on paper, and under attack."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace

import pytest
from conftest_pages import nasty_run, written
from conftest_reports import fixed_run, hostile_run, interrupted_run, repeated_run, run_of
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

LATE = "#case-7-late-parcel"
SHOWN = "article.case:visible"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder of pages, each written once."""
    return tmp_path_factory.mktemp("pages")


@pytest.fixture
def look(chromium, place):
    """Open a page, and fail if anything but the page itself is asked for, said or complained of."""

    # Long enough for a machine that is busy with other tests.
    expect.set_options(timeout=30_000)

    @contextmanager
    def opened(run, name, *, address="", source=None, quiet=True, **context):
        path = place / f"{name}.html"
        if source is not None or not path.exists():
            path.write_text(source or written(run), encoding="utf-8", newline="")
        asked, stopped, said = [], [], []
        with chromium.new_context(**{"viewport": {"width": 1100, "height": 800}, **context}) as browser:
            page = browser.new_page()
            page.on("request", lambda request: asked.append(request.url))
            page.on("requestfailed", lambda request: request.failure == "csp" and stopped.append(request.url))
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
            page.goto(path.as_uri() + address)
            yield page
            assert {each.partition("#")[0] for each in asked} - set(stopped) == {path.as_uri()}
            assert (stopped, said) == ([], []) or not quiet

    return opened


def box(page, status):
    return page.locator(f"[name=status][value={status}]")


def count(page):
    return page.locator(SHOWN).count()


@pytest.mark.parametrize("make", [nasty_run, hostile_run])
def test_no_answer_acts(look, make):
    with look(make(), make.__name__) as page:
        page.get_by_role("button", name="Open all").click()
        page.wait_for_timeout(100)
        for element in page.locator("article summary").all()[:20]:
            element.hover()
        assert page.evaluate("window.hacked") is None
        assert page.locator("script").count() == 1
        assert page.locator("iframe, img, object, embed, base, link").count() == 0
        assert page.evaluate("getComputedStyle(document.body).display") == "block"


def test_no_script_runs_even_if_one_came_in(look):
    # As if escaping had failed: the page's policy stops it all the same.
    attack = (
        "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'><style>h1 { display: none }</style>"
        "<a href='javascript:window.hacked = 3' id=bad>here</a><img src='https://evil.example/pixel'>"
        "<form action='https://evil.example/' id=form><button id=send>send</button></form><iframe srcdoc='x'></iframe>"
    )
    source = written(fixed_run()).replace("<main>", "<main>" + attack, 1)
    with look(None, "attacked", source=source, quiet=False) as page:
        expect(page.locator(SHOWN)).to_have_count(11)
        page.click("#bad")
        page.evaluate("document.getElementById('send').click()")
        page.wait_for_timeout(200)
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("document.querySelector('h1').checkVisibility()")


def test_filters_by_status_suite_category_and_check(look):
    with look(fixed_run(), "fixed") as page:
        tally = page.locator("output")
        assert tally.text_content() == "11 cases"
        assert tally.get_attribute("aria-live") == "polite"
        box(page, "fail").check()
        expect(page.locator(SHOWN)).to_have_count(3)
        box(page, "error").check()
        expect(tally).to_have_text("7 of 11 cases")
        page.get_by_label("Suite").select_option("garden")
        expect(page.locator(SHOWN)).to_have_count(2)
        page.get_by_label("Category").select_option("(none)")
        expect(page.locator(SHOWN)).to_have_count(1)
        expect(page.locator(SHOWN)).to_have_attribute("data-s", "fail")
        page.get_by_label("Category").select_option("cooking")
        expect(page.locator(SHOWN)).to_have_count(0)
        assert page.get_by_text("No case is like that.").is_visible()
        page.get_by_role("button", name="Show all cases").click()
        expect(page.locator(SHOWN)).to_have_count(11)
        page.get_by_label("Check").select_option("Relevance")
        expect(page.locator("legend")).to_have_text("Status of Relevance")
        box(page, "fail").check()
        # Cases in which this check failed; another case failed by other checks alone.
        expect(page.locator(f"{SHOWN} h4")).to_have_text(["late-parcel"])
        expect(page.locator(".group:visible h3")).to_have_text(["Failed 1 of 3"])


def test_search_finds_words_anywhere_in_a_case(look):
    with look(fixed_run(), "fixed") as page:
        search = page.get_by_label("Search")
        for words, found in (
            ("FIND_ORDER", ["late-parcel"]),
            ("egg hard", ["boil-egg"]),
            ("ターメリック", ["saffron"]),
            ("monday parcel", ["late-parcel"]),
            ("nowhere", []),
        ):
            search.fill(words)
            expect(page.locator(f"{SHOWN} h4")).to_have_text(found)


def test_the_address_keeps_the_filters(look):
    with look(fixed_run(), "fixed") as page:
        box(page, "fail").check()
        page.get_by_label("Category").select_option("after sales")
        page.get_by_label("Search").fill("refund")
        expect(page).to_have_url(re.compile("q=refund$"))
        address = page.evaluate("location.hash")
    assert address == "#status=fail&category=after+sales&q=refund"
    with look(fixed_run(), "fixed", address=address) as page:
        expect(page.locator(f"{SHOWN} h4")).to_have_text(["late-parcel"])
        assert box(page, "fail").is_checked()
        assert page.get_by_label("Search").input_value() == "refund"
        page.get_by_role("button", name="Show all cases").click()
        assert page.evaluate("location.hash") == ""


def test_numbers_lead_to_what_they_count(look):
    with look(fixed_run(), "fixed") as page:
        page.locator(".tile.error a").click()
        expect(page.locator(SHOWN)).to_have_count(4)
        page.locator("table.counts a[href='#status=fail&check=ToolChoice']").click()
        expect(page.locator(f"{SHOWN} h4")).to_have_text(["late-parcel"])
        expect(page.locator("#cases")).to_be_in_viewport()


def test_a_link_to_a_case_opens_it_whatever_is_filtered(look):
    with look(fixed_run(), "fixed", address="#status=pass") as page:
        expect(page.locator(SHOWN)).to_have_count(3)
        page.get_by_role("link", name="late-parcel").click()
        assert page.locator(f"{LATE} >> text=Turn 2 of 3").is_visible()
        expect(page.locator(SHOWN)).to_have_count(11)
    with look(fixed_run(), "fixed", address=LATE) as page:
        assert page.locator(f"{LATE} >> text=Turn 2 of 3").is_visible()


def test_names_that_look_like_filters_work(look):
    results = [replace(each, suite=f"a&b=c#{at % 2} <i>", position=at) for at, each in enumerate(fixed_run().results)]
    with look(run_of(results), "names") as page:
        page.locator("table.counts").first.locator("td.fail a").first.click()
        shown = count(page)
        assert 0 < shown < 3
        address = page.evaluate("location.hash")
    with look(None, "names", address=address) as page:
        expect(page.locator(SHOWN)).to_have_count(shown)


def test_it_is_used_with_the_keyboard_alone(look):
    with look(fixed_run(), "fixed") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Go to the cases"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.value") == "fail"
        page.keyboard.press("Space")
        expect(page.locator(SHOWN)).to_have_count(3)
        outline = page.evaluate("getComputedStyle(document.activeElement.closest('label')).outlineStyle")
        assert outline == "solid"
        page.locator("article summary").first.focus()
        page.keyboard.press("Enter")
        assert page.locator("article details").first.evaluate("each => each.open")


def test_it_is_read_without_script(look):
    with look(fixed_run(), "fixed", java_script_enabled=False) as page:
        assert not page.locator("#filters").is_visible()
        assert page.locator(".tile a").count() == 0
        expect(page.locator(SHOWN)).to_have_count(11)
        for summary in page.locator("article > details > summary").all():
            summary.click()
        for words in ("About one and a half cups", "Offer a refund", "ターメリックを少し使うと", "database is locked"):
            assert page.get_by_text(words).first.is_visible()
    with look(fixed_run(), "fixed", java_script_enabled=False) as page:
        page.get_by_role("link", name="late-parcel").click()
        expect(page.get_by_text("Offer a refund")).to_be_visible()


@pytest.mark.parametrize("make", [fixed_run, hostile_run, nasty_run, repeated_run, interrupted_run])
def test_a_phone_needs_no_sideways_scrolling(look, make):
    with look(make(), make.__name__, viewport={"width": 360, "height": 740}) as page:
        page.get_by_role("button", name="Open all").click()
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("width", [600, 768, 900, 1000, 1100, 1600])
def test_names_in_tables_have_room_at_every_width(look, width):
    with look(fixed_run(), "fixed", viewport={"width": width, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("table.counts tbody th").first.bounding_box()["width"] > 120


def test_on_paper_failures_are_unfolded_and_filters_gone(look):
    with look(fixed_run(), "fixed") as page:
        page.emulate_media(media="print")
        assert not page.locator("#filters").is_visible()
        assert page.get_by_text("Offer a refund or a second parcel.").is_visible()
        assert page.locator("#case-1-boil-egg").evaluate("each => !each.checkVisibility({contentVisibilityAuto: true})")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("article.fail details[open], article.error details[open]").count() >= 7
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator("details[open]").count() == 0
        assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system(look, scheme):
    with look(fixed_run(), "fixed", color_scheme=scheme) as page:
        red = int(page.evaluate("getComputedStyle(document.body).backgroundColor").removeprefix("rgb(").split(",")[0])
        assert (red < 60) == (scheme == "dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("make", [fixed_run, repeated_run, interrupted_run])
def test_no_rule_of_accessibility_is_broken(look, make, scheme):
    from axe_playwright_python.sync_playwright import Axe

    with look(make(), make.__name__, color_scheme=scheme) as page:
        page.get_by_role("button", name="Open all").click()
        found = Axe().run(page).response
        assert len(found["passes"]) > 30
        assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []


@pytest.mark.slow
def test_two_thousand_cases_are_filtered_at_once(look):
    base = list(fixed_run().results)
    results = [replace(base[at % 11], case=f"c{at}", category=f"part {at % 7}", position=at) for at in range(2_000)]
    with look(run_of(results), "large") as page:
        assert page.locator("output").text_content() == "2,000 cases"
        assert page.locator("details[open]").count() == 0
        box(page, "fail").check()
        page.get_by_label("Category").select_option("part 3")
        wanted = sum(each.status == "fail" and each.category == "part 3" for each in results)
        expect(page.locator("output")).to_have_text(f"{wanted} of 2,000 cases")
        assert page.locator("article:not([hidden])").count() == wanted
        page.get_by_label("Search").fill("second parcel")
        expect(page).to_have_url(re.compile("q=second"))
        found = page.locator("article:not([hidden]) h4").all_text_contents()
        assert found == [each.case for each in results if each.category == "part 3" and each.name == "A parcel that is late"]
