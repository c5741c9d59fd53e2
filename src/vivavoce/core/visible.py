"""Other parties' texts, made safe for a screen: nothing hidden in them acts."""

from __future__ import annotations

import re

# What a screen obeys instead of showing (control characters, line and paragraph separators), what reorders or hides the
# text around it (marks of direction, invisible operators and tags), and halves of characters, which cannot be written.
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """The text with everything in it that would act made visible: `␛` for escape, `<U+202E>` for a mark of direction.

    Line breaks (as one `\\n` each) and tabs stay.
    """
    return HIDDEN.sub(_named, text.replace("\r\n", "\n"))


def _named(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"
