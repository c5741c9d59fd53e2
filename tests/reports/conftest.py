"""What tests of reports share."""

from conftest_browser import chromium

__all__ = ["chromium"]
