"""As much of Markdown as counting citations needs: which text is code, and where the links are.

Everything here takes time in proportion to the text, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# Container marks (quotes, list bullets) may stand before a fence; the quotes tell when the container, and so the block, ends.
_FENCE = re.compile(r"(?P<mark>[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?+)(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+)")
_ITEM = re.compile(r"[ \t>]*+(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
LABEL_LIMIT = 100
"""Characters of a bracket that may be the name of a definition, or a mark."""
_BRACKET = re.compile(r"\\.|[\[\]]", re.DOTALL)
_TITLE = r"""(?:"[^"\n]*+"|'[^'\n]*+'|\([^()\n]*+\))"""
_ADDRESS = re.compile(
    rf"""\(\s*+(?P<address><[^<>\n]++>|[^\s()<>]*+(?:\([^\s()]*+\)[^\s()]*+)*+)(?:\s++{_TITLE})?+\s*+\)""",
)
_DEFINITION = re.compile(
    r"^[ ]{0,3}\[(?!\^)(?P<label>[^\[\]\n]{1,100})\]:"
    rf"[ \t]*+(?P<address><[^<>\n]++>|[^\s<]\S*+)(?:[ \t]++{_TITLE})?+[ \t]*+$",
    re.MULTILINE,
)
_AUTOLINK = re.compile(r"<(?P<address>https?://[^\s<>]++)>", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """A link as it stands in a text."""

    start: int
    end: int
    text: str
    """What is shown; empty when too long to be a mark."""
    address: str
    is_image: bool = False
    inline: bool = True
    """Whether the address stands beside the text, not in a definition elsewhere."""


def without_code(text: str) -> str:
    """The text with every code block and code span taken out."""
    return "".join(_without_spans(paragraph) for paragraph in _paragraphs(text))


def definitions(text: str) -> tuple[Mapping[str, str], str]:
    """Addresses by label, of lines such as `[1]: https://...`; and the text without these lines."""
    found = {match["label"].casefold(): _bare(match["address"]) for match in _DEFINITION.finditer(text)}
    return found, _DEFINITION.sub("", text) if found else text


def links(text: str, defined: Mapping[str, str]) -> Iterator[Link]:
    """The links and images of a text without code; nothing within a link is another one."""
    opened: list[int] = []
    alt = (-1, -1)  # of an image whose address is told by a label behind it: where it begins and ends
    for match in _BRACKET.finditer(text):
        if match[0] == "[":
            opened.append(match.start())
        if match[0] != "]" or not opened:
            continue
        start, end = opened.pop(), match.end()
        shown = text[start + 1 : match.start()] if match.start() - start < LABEL_LIMIT else ""
        is_image = start == alt[1] or _is_image(text, start, shown)
        address = _ADDRESS.match(text, end)
        if address is not None and (found := _bare(address["address"])):
            yield Link(start=start, end=address.end(), text=shown, address=found, is_image=is_image)
        elif (label := shown.casefold()) in defined:
            first = alt[0] if start == alt[1] else start
            yield Link(start=first, end=end, text=shown, address=defined[label], is_image=is_image, inline=False)
        else:
            alt = (start, end) if is_image else alt
            continue
        if not is_image:
            opened.clear()
    for match in _AUTOLINK.finditer(text):
        yield Link(start=match.start(), end=match.end(), text="", address=match["address"])


def _is_image(text: str, start: int, shown: str) -> bool:
    """Whether a bracket follows the `!` of an image; after a word, and before a number, it is the end of an exclamation."""
    if text[start - 1 : start] != "!" or start == 0:
        return False
    return not (shown.isdecimal() and text[start - 2 : start - 1].isalnum())


def _bare(address: str) -> str:
    return address.strip().removeprefix("<").removesuffix(">").strip()


def _paragraphs(text: str) -> Iterator[str]:
    """Runs of lines that are not code blocks; a code span never reaches from one into the next."""
    lines: list[str] = []
    fence = quotes = ""
    in_list = in_code = False
    after_blank = True
    for line in text.splitlines(keepends=True):
        bare = line.rstrip()
        if fence:
            closing = bare.lstrip(" \t>")
            if quotes and not bare.lstrip().startswith(">"):
                fence = ""  # the quotation that held the block has ended
            else:
                fence = "" if len(closing) >= len(fence) and not closing.strip(fence[0]) else fence
                continue
        is_indented = line.startswith(("    ", "\t"))
        if is_indented and bare and not in_list and (after_blank or in_code):
            in_code = True
            continue
        if opening := _FENCE.match(bare):
            yield "".join(lines)
            lines, fence, quotes, in_code = ["\n"], opening["fence"], ">" if ">" in opening["mark"] else "", False
            after_blank = False
            continue
        if bare:
            in_code = False
            in_list = bool(_ITEM.match(line)) or (in_list and (line[0] in " \t" or not after_blank))
            lines.append(line)
        else:
            yield "".join([*lines, line])
            lines = []
        after_blank = not bare
    yield "".join(lines)


def _without_spans(text: str) -> str:
    """A paragraph without its code spans: what stands between two runs of equally many backticks."""
    if "`" not in text:
        return text
    runs = list(re.finditer(r"`++", text))
    following: list[int | None] = [None] * len(runs)
    last: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        length = len(runs[index][0])
        following[index] = last.get(length)
        last[length] = index
    kept: list[str] = []
    place = index = 0
    while index < len(runs):
        close = following[index]
        if close is None or _is_escaped(text, runs[index].start()):
            index += 1
            continue
        kept.append(text[place : runs[index].start()])
        place = runs[close].end()
        index = close + 1
    return " ".join([*kept, text[place:]])


def _is_escaped(text: str, place: int) -> bool:
    before = place
    while before > 0 and text[before - 1] == "\\":
        before -= 1
    return (place - before) % 2 == 1
