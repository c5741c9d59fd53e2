"""One turn: what was asked, expected and answered, what the agent did for it, and its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from vivavoce.core.reply import JSON, Citation, Object, Reply, ToolCall
from vivavoce.core.result import BETTER, USAGE, Exchange, Score, Status
from vivavoce.reports import _text
from vivavoce.reports._html import rows
from vivavoce.reports._html.blocks import View, block, data, figure, folded, mark
from vivavoce.reports._html.differences import marked
from vivavoce.reports._html.markup import Child, Markup, anchor, join, tag

NAME = 120
"""Characters of a name: of a tool, a label, a judge."""
COLUMNS = 12
"""Of a table an agent answered with."""
_BY_LETTER = ("exactmatch", "partialmatch")


def turn(view: View, exchange: Exchange) -> Markup:
    """A turn without its heading."""
    parts: list[Child] = [_asked(view, exchange.input), _answer(view, exchange)]
    if exchange.error is not None:
        parts.append(fault(exchange.error.code, exchange.error.message))
    if exchange.reply is not None:
        parts += _reported(view, exchange.reply)
    parts.append(scores(view, exchange.scores))
    return join(*parts)


def fault(code: str, message: str) -> Markup:
    """Why there is no answer."""
    kind: Status = "skip" if code == "not_sent" else "error"
    words = _text.line(message, 2_000)
    return tag("p", mark(kind), " ", "" if code == "not_sent" else tag("b", _text.line(code, 60), ": "), words, class_="fault")


def scores(view: View, given: Sequence[Score]) -> Markup | None:
    """What the checks said."""
    if not given:
        return None
    heads = (tag("th", name, scope="col") for name in ("Status", "Check", "Score", "Reason"))
    some, more = view.some(given)
    lines = (_row(view, score) for score in some)
    return join(tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *lines), class_="scores"), more)


def _row(view: View, score: Score) -> Markup:
    name = _text.line(score.name, NAME) + ("" if score.call is None else f", call {score.call + 1}")
    reason, note = view.begun(score.reason)
    by = [f"judge {_text.line(score.judge, NAME)}"] if score.judge is not None and score.status != "skip" else []
    by += [f"rubric {_text.line(score.rubric, NAME)}"] if score.rubric is not None else []
    by += [_text.line(score.evaluator, NAME)] if score.evaluator != score.name else []
    details = {name: value for name, value in score.details.items() if name not in (USAGE, BETTER)}
    side_by_side = rows.compared(view, details)
    if side_by_side is not None:
        details = {name: value for name, value in details.items() if name not in rows.COMPARED}
    line = tag(
        "tr",
        tag("td", mark(score.status)),
        tag("th", name, scope="row"),
        tag("td", *_grade(score)),
        tag(
            "td",
            tag("div", reason, class_="reason", dir="auto") if reason.strip() else None,
            tag("p", note, class_="cut") if note else None,
            tag("p", " · ".join(by), class_="by") if by else None,
            folded("Details", data(view, details, "Details")) if details else None,
        ),
    )
    return join(line, tag("tr", tag("td", side_by_side, colspan=4), class_="under") if side_by_side is not None else None)


def _grade(score: Score) -> Iterator[Child]:
    if score.label:
        yield tag("span", _text.line(score.label, NAME), class_="grade")
    if score.value is None or score.status not in ("pass", "fail") or score.value != score.value:
        return
    if score.threshold is None:
        if not score.label:
            yield tag("span", figure(score.value), class_="grade")
        return
    if score.lower_is_better:
        side = "at most" if score.value <= score.threshold else "above"
    else:
        side = "at least" if score.value >= score.threshold else "below"
    yield tag("span", figure(score.value), class_="grade")
    yield tag("span", f" {side} {figure(score.threshold)}", class_="side")


def _asked(view: View, said: JSON) -> Markup:
    if isinstance(said, str):
        return tag("div", block(view, said, "Asked"), class_="said asked")
    return tag("div", tag("p", "Asked", class_="label"), data(view, said, "Asked"), class_="said asked")


def _answer(view: View, exchange: Exchange) -> Markup:
    """The answer, beside what was expected."""
    expected, reply = exchange.expected, exchange.reply
    both = None
    if expected is not None and reply is not None and reply.text is not None and _by_letter(exchange.scores):
        both = marked(expected, reply.text)
    parts = []
    if expected is not None:
        parts.append(tag("div", block(view, expected, "Expected", body=both[0] if both else None), class_="said expected"))
    if reply is not None and reply.text is not None:
        parts.append(tag("div", block(view, reply.text, "Answered", body=both[1] if both else None), class_="said answered"))
    return tag("div", *parts, class_="pair" if len(parts) > 1 else None) if parts else Markup()


def _by_letter(given: Sequence[Score]) -> bool:
    """Whether a check that compares texts by their letters failed."""
    return any(
        score.status == "fail" and score.evaluator.casefold().replace("_", "").replace("-", "") in _BY_LETTER for score in given
    )


def _reported(view: View, reply: Reply) -> Iterator[Child]:
    """Everything else an answer holds. What was not reported is left out; what was reported as none says so."""
    for name, words in (("Intent", reply.intent), ("Refusal", reply.refusal), ("Insight", reply.insight)):
        if words is not None:
            yield tag("div", block(view, words, name), class_="said")
    if reply.rows:
        yield _listed("Rows", len(reply.rows), _rows(view, reply.rows))
    if reply.tool_calls:
        calls, more = view.some(reply.tool_calls)
        yield _listed("Tool calls", len(reply.tool_calls), tag("ol", *(_call(view, call) for call in calls)), more)
    if reply.citations:
        cited, more = view.some(reply.citations)
        yield _listed("Citations", len(reply.citations), tag("ol", *(_citation(view, each) for each in cited)), more)
    if reply.retrievals:
        found, more = view.some(reply.retrievals)
        yield _listed("Retrievals", len(reply.retrievals), tag("ol", *(_retrieval(view, each) for each in found)), more)
    if reply.raw:
        yield folded("What else the agent sent", data(view, reply.raw, "What else the agent sent"))
    brief = tuple(_brief(reply))
    if brief:
        yield tag("p", " · ".join(brief), class_="took")


def _brief(reply: Reply) -> Iterator[str]:
    """What was reported as none, and what the answer took."""
    parts = {"rows": reply.rows, "tool calls": reply.tool_calls, "citations": reply.citations, "retrievals": reply.retrievals}
    for name, part in parts.items():
        if part is not None and not part:
            yield f"no {name}"
    if reply.seconds is not None:
        yield _text.duration(reply.seconds)
    usage: Object = reply.usage if isinstance(reply.usage, Mapping) else {}
    tokens = [usage.get(name) for name in ("input_tokens", "output_tokens")]
    if all(isinstance(each, int) for each in tokens):
        yield f"{tokens[0]:,} + {tokens[1]:,} tokens"
    cost = usage.get("cost_usd")
    if isinstance(cost, int | float) and cost > 0:
        yield _text.money(cost)


def _listed(name: str, count: int, *content: Child) -> Markup:
    return folded(f"{name} ({count:,})", *content, class_="more listed")


def _call(view: View, call: ToolCall) -> Markup:
    return tag(
        "li",
        tag("b", _text.line(call.name, NAME), class_="mono"),
        None if call.arguments is None else data(view, call.arguments, "Arguments"),
        None if call.result is None else join(tag("p", "gave", class_="label"), _given(view, call.result)),
        None if call.error is None else tag("p", mark("error"), " ", _text.line(call.error, 2_000), class_="fault"),
    )


def _given(view: View, result: JSON) -> Markup:
    if not isinstance(result, str):
        return data(view, result, "Result")
    begun, note = view.begun(result)
    return join(tag("div", begun, class_="code", dir="auto"), tag("p", note, class_="cut") if note else None)


def _citation(view: View, each: Citation) -> Markup:
    begun, note = view.begun(each.text or "")
    source = each.source or ""
    return tag(
        "li",
        tag("span", begun, dir="auto") if begun else None,
        tag("p", note, class_="cut") if note else None,
        " " if begun and source else None,
        anchor(source, tag("span", _text.line(source, 300), class_="mono")) if source else None,
        "(no source)" if not begun and not source else None,
        value=each.index,
    )


def _retrieval(view: View, each: Object) -> Markup:
    """A search; its shape is another party's, so each part is looked at before it is trusted."""
    parts: list[Child] = [tag("b", _text.line(str(each.get("capability") or "search"), NAME))]
    status = each.get("status")
    if isinstance(status, str):
        parts.append(tag("span", " " + _text.line(status, NAME), class_="by"))
    queries, more = view.some(_objects(each.get("queries")))
    words = [str(query["queryString"]) for query in queries if query.get("queryString") is not None]
    if words:
        parts += [
            tag("p", "asked for", class_="label"),
            tag("ul", *(tag("li", view.begun(one)[0], dir="auto") for one in words)),
            more,
        ]
    if each.get("retrievalHits") is not None:
        hits, more = view.some(_objects(each["retrievalHits"]))
        parts.append(tag("p", "found" if hits else "found nothing", class_="label"))
        parts += [tag("ul", *(_hit(view, hit) for hit in hits)) if hits else None, more]
    return tag("li", *parts)


def _hit(view: View, hit: Object) -> Markup:
    address = str(hit.get("webUrl") or "")
    shown = tag("span", _text.line(address, 300), class_="mono") if address else None
    extracts, more = view.some(_objects(hit.get("extracts")))
    texts = []
    for extract in extracts:
        begun, note = view.begun(str(extract.get("text") or ""))
        texts.append(join(tag("blockquote", begun, dir="auto"), tag("p", note, class_="cut") if note else None))
    return tag("li", anchor(address, shown) if address else tag("span", "(no address)", class_="by"), *texts, more)


def _objects(value: JSON) -> list[Object]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list | tuple) else []


def _rows(view: View, rows: Sequence[Object]) -> Markup:
    some, more = view.some(rows)
    names = list(dict.fromkeys(name for row in some for name in row))
    head = (tag("th", _text.line(name, NAME), scope="col") for name in names[:COLUMNS])
    body = (tag("tr", *(tag("td", _cell(row.get(name))) for name in names[:COLUMNS])) for row in some)
    view.items += max(0, len(names) - COLUMNS)
    wide = tag("p", f"and {len(names) - COLUMNS:,} more columns", class_="cut") if len(names) > COLUMNS else None
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *body), class_="rows")
    return join(tag("div", table, class_="wide", tabindex="0", role="region", aria_label="Rows"), wide, more)


def _cell(value: JSON) -> str:
    return "" if value is None else _text.line(value if isinstance(value, str) else _text.encoded(value), 200)
