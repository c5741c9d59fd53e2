"""Pages of the HTML report, read as a browser would, and runs that try to do more than be read."""

from __future__ import annotations

import io
from html.parser import HTMLParser

from conftest_reports import run_of, said

from vivavoce.core.reply import Citation, Reply, ToolCall
from vivavoce.core.result import Exchange, Result, Score
from vivavoce.reports.html import Html

NASTY = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    "</style><style>body { display: none }</style>",
    "<img src=x onerror='window.hacked = 1'>",
    '" onmouseover="window.hacked = 1" x=\'',
    "' autofocus onfocus='window.hacked = 1",
    "</title></textarea></details></article><svg onload=window.hacked=1>",
    "<!-- <iframe srcdoc='<script>parent.hacked = 1</script>'> --> <base href='https://evil.example/'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "&lt;script&gt; &#60;b&#62; &amp;",
    "\u202egnp.exe\u202c \u2067right\u2069 \u200fmark\u200e",
    "wörd" * 262_144,
)
"""What an agent would answer if it wanted to be more than read."""
ADDRESSES = (
    "javascript:window.hacked=1",
    "JaVaScRiPt:window.hacked=1//https://ok.example",
    " javascript:window.hacked=1",
    "data:text/html,<script>parent.hacked=1</script>",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "//evil.example/path",
    "/relative",
    'https://ok.example/" onmouseover="window.hacked=1',
    "https://ok.example/\u202efdp.exe",
    "https://" + "a" * 5_000,
    "",
)
GOOD = ("https://ok.example/a?b=c&d=e#f", "HTTP://OK.example/ünï")
# Elements that have no end.
_VOID = {"meta", "input", "br", "wbr", "link"}


class Page(HTMLParser):
    """What a browser would make of a page: its elements, its ids, its text."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.source = source
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert self._open == [], "an element is not closed"

    @property
    def text(self) -> str:
        return "".join(self.words)

    def of(self, name: str, **attributes: str) -> list[dict[str, str | None]]:
        found = [held for tag, held in self.elements if tag == name]
        return [held for held in found if all(held.get(key.rstrip("_")) == value for key, value in attributes.items())]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in self.raw:
            self.raw[self._open[-1]].append(data)
        else:
            self.words.append(data)


def written(run, **options) -> str:
    out = io.StringIO(newline="")
    Html(**options).render(run, out)
    return out.getvalue()


def page_of(run, **options) -> Page:
    return Page(written(run, **options))


def nasty_run():
    """Every place where another party's text can stand, filled with text that wants to act."""
    return run_of([*(_nasty(at, text) for at, text in enumerate(NASTY)), _linked()])


def _nasty(at: int, text: str) -> Result:
    score = Score(
        name=text[:200],
        evaluator=text[:50],
        status="fail",
        value=0.0,
        label=text[:60],
        threshold=1.0,
        reason=text,
        rubric=text[:50],
        judge=text[:50],
        details={text[:50]: text},
    )
    reply = Reply(
        text=text,
        tool_calls=(ToolCall(name=text[:300], arguments={text[:50]: text}, result=text, error=text, id=text[:9]),),
        citations=(Citation(index=1, text=text, source=text[:300]),),
        retrievals=(
            {
                "capability": text[:80],
                "status": text[:80],
                "queries": [{"queryString": text}, 7, None],
                "retrievalHits": [{"rank": 1, "webUrl": text[:300], "extracts": [{"text": text}, text]}, text[:9]],
            },
            {"queries": text[:50], "retrievalHits": None},
        ),
        rows=({text[:60]: text, "n": None},),
        intent=text,
        refusal=text,
        insight=text,
        usage={"input_tokens": text[:9], "output_tokens": 3, "cost_usd": text[:9]},
        raw={text[:50]: [text]},
    )
    turn = Exchange(input=text if at % 2 else {text[:50]: [text]}, expected=text, reply=reply, scores=(score,))
    return Result(
        suite=text[:300],
        case=f"{text[:300]} {at}",
        name=text[:300],
        category=text[:300],
        metadata={text[:50]: text},
        position=at,
        status="fail",
        turns=(turn,),
        scores=(score,),
    )


def _linked() -> Result:
    cited = tuple(Citation(index=at + 1, text=f"source {at}", source=each) for at, each in enumerate((*GOOD, *ADDRESSES)))
    hits = [{"rank": at, "webUrl": each, "extracts": []} for at, each in enumerate((*GOOD, *ADDRESSES))]
    reply = said("See below.", citations=cited, retrievals=({"queries": [], "retrievalHits": hits},))
    turn = Exchange(input="Where is that written?", reply=reply)
    return Result(suite="links", case="links", position=len(NASTY), status="pass", turns=(turn,))
