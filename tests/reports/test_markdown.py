import io
from html.parser import HTMLParser

import pytest
from conftest_reports import HOSTILE, empty_run, fixed_run, hostile_run, interrupted_run
from markdown_it import MarkdownIt

from vivavoce.reports.markdown import Markdown

OURS = {"h2", "h3", "p", "code", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "ul", "li", "em", "strong"}


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = set()
        self.text = []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert all(name == "style" and value.startswith("text-align:") for name, value in attrs), attrs

    def handle_data(self, data):
        self.text.append(data)


def page(run, **options):
    out = io.StringIO(newline="")
    Markdown(**options).render(run, out)
    tags = Tags()
    tags.feed(MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(out.getvalue()))
    return out.getvalue(), tags


@pytest.mark.parametrize("make", [fixed_run, hostile_run, empty_run, interrupted_run])
def test_nothing_but_our_own_markup_comes_of_it(make):
    written, tags = page(make())
    assert tags.tags <= OURS
    assert "https://" not in written
    assert "@" not in written.replace("pass@", "")


def test_hostile_texts_are_there_to_be_read():
    text = " ".join("".join(page(hostile_run())[1].text).split())
    assert "<script>alert(1)</script><img src=x onerror=alert(1)> ]]> &amp; | a | `code` | </textarea>" in text
    assert '=HYPERLINK("https://evil.example","click")' in text
    assert len(HOSTILE) > 3


def test_it_tells_the_verdict_the_numbers_and_what_failed():
    written, tags = page(fixed_run())
    text = "".join(tags.text)
    assert written.startswith("## ❌ FAILED: 3 of 11 cases failed")
    assert "rice-water" in text
    assert 'expected "Two cups.", got' in text
    assert "no judge is set" in text
    assert page(fixed_run(), min_pass_rate=0.2)[0].startswith("## ✅ PASSED")


def test_failures_beyond_the_limit_are_counted():
    written, _ = page(fixed_run(), failures=1)
    assert "… and 2 more cases." in written
    assert written.count("<details>") == 2
