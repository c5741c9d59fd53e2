"""The pages as they are answered, without a browser: what they hold, and what they say when there is nothing to show."""

from __future__ import annotations

import urllib.error
import urllib.request
from dataclasses import replace

import pytest
from conftest_dashboard import fill, history, project, see_to, served
from conftest_pages import Page
from conftest_reports import fixed_run


def ask(url):
    """Status, headers and body, of an error too."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def page(url):
    """A page that is one."""
    status, headers, body = ask(url)
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    return Page(body)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server over a store with some history, and a large run."""
    folder = tmp_path_factory.mktemp("site")
    results = list(fixed_run().results)
    large = [replace(results[at % 11], case=f"case {at}", position=at) for at in range(230)]

    async def filled():
        await history(folder / "runs.db", 6)
        await fill(folder / "runs.db", "large", large)
        await fill(folder / "runs.db", "going", results[:4], ends=False)

    see_to(filled)
    with served(project(folder, folder / "runs.db")) as url:
        yield url


ROWS = "in=sales&case=sales-by-product&repeat=0"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/runs",
        "/suites/kitchen",
        "/runs/run-004",
        f"/runs/run-004/case?{ROWS}&at=11",
        "/compare",
        "/compare?a=run-003&b=run-004",
        f"/compare/case?a=run-003&b=run-004&{ROWS}",
        "/runs/going",
        "/runs/run-hostile",
        "/suites/hostile",
        "/suites/live",
    ],
)
def test_every_page_is_well_formed_and_its_scripts_are_files(site, path):
    found = page(site + path)
    assert all(each.get("src", "").startswith("/assets/") for each in found.of("script"))
    assert not found.raw["style"]
    assert not found.raw["script"]
    assert not any(name.startswith("on") or name == "style" for _, held in found.elements for name in held)
    assert found.of("a", class_="skip-link")
    assert len(found.of("h1")) == 1


def test_assets_are_asked_for_again_only_when_they_are_others(site):
    for name in ("page.css", "dashboard.css", "theme.js", "chart.js"):
        status, headers, _ = ask(f"{site}/assets/{name}")
        assert (status, headers["cache-control"], bool(headers["etag"])) == (200, "no-cache", True)
    assert ask(f"{site}/assets/../pages.py")[0] == 404


@pytest.mark.parametrize("path", ["/runs/unknown", "/suites/unknown", "/nothing", "/runs/run-004/case", "/compare?a=x&b=y"])
def test_what_is_not_there_is_told_by_a_page(site, path):
    status, _, body = ask(site + path)
    assert status == 404
    found = Page(body)
    assert "There is no such thing" in found.text
    assert found.of("a", href="/")


def test_a_case_that_is_not_in_the_run_is_told_by_a_page(site):
    status, _, body = ask(f"{site}/runs/run-004/case?in=sales&case=other&repeat=0")
    assert (status, "no result of case other" in body) == (404, True)


def test_an_empty_store_says_how_to_begin(tmp_path):
    given = project(tmp_path, tmp_path / "none.db")
    with served(replace(given, selection=replace(given.selection, paths=()))) as url:
        assert "Nothing was run yet" in page(url).text
        assert "Nothing was run yet" in page(f"{url}/runs").text
        assert "not two runs yet" in page(f"{url}/compare").text


def test_a_suite_that_was_never_run_can_be_started(tmp_path):
    with served(project(tmp_path, tmp_path / "none.db")) as url:
        found = page(url)
        assert "not run yet" in found.text
        assert found.of("button", **{"data-suite": "live"})


def test_a_store_that_cannot_be_read_is_told_by_a_page(tmp_path):
    (tmp_path / "runs.db").write_text("no database " * 1000)
    with served(project(tmp_path, tmp_path / "runs.db")) as url:
        status, _, body = ask(url)
        assert (status, "The store cannot be read" in body) == (503, True)
        assert "Try again" in body


def test_files_that_cannot_be_run_are_named(tmp_path):
    given = project(tmp_path, tmp_path / "none.db")
    (tmp_path / "live.eval.yaml").write_text("suite: live\ncases: 7\n")
    with served(given) as url:
        found = page(url).text
    assert "Files that cannot be run" in found
    assert "live.eval.yaml" in found


def test_cases_come_a_hundred_at_a_time(site):
    first, last = page(f"{site}/runs/large"), page(f"{site}/runs/large?page=3")
    assert "Page 1 of 3" in first.text
    assert ("case 99" in first.text, "case 100" in first.text) == (True, False)
    assert ("case 229" in last.text, last.of("a", rel="next")) == (True, [])


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("status=fail", "4 cases"),
        ("q=OVEN", "1 case"),
        ("check=RowComparison&status=fail", "1 case"),
        ("category=cooking&suite=kitchen&status=error", "1 case"),
        ("q=nowhere", "0 cases"),
        ("status=odd&page=-1", "12 cases"),
    ],
)
def test_filters_choose_cases(site, query, count):
    assert count in page(f"{site}/runs/run-000?{query}").text


def test_a_shortened_id_leads_to_the_run(site):
    assert "run-hostile" in page(f"{site}/runs/run-h").text


def test_what_an_agent_said_is_text(site):
    for path in ("/runs/run-hostile", "/suites/hostile"):
        found = page(site + path)
        assert not found.of("img")
        assert not found.of("iframe")
        assert not found.of("meta", **{"http-equiv": "refresh"})
        assert not any(str(value).lower().startswith("javascript:") for _, held in found.elements for value in held.values())
