"""A browser, to look at pages with."""

from __future__ import annotations

import os
import shutil

import pytest


@pytest.fixture(scope="module")  # it leaves an event loop in the thread while it is open, which async tests cannot have
def chromium():
    """Debian's Chromium. Where there is none the tests that need it are not run, unless `VIVA_BROWSER=required`."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        missing = (
            "Chromium is not installed (on Debian: apt-get install chromium), so what a browser makes of pages is not tested"
        )
        if os.environ.get("VIVA_BROWSER") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    quiet = ("--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=quiet)
        yield browser
        browser.close()
