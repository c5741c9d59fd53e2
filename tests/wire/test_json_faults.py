"""What people get wrong in JSON is told in their words, at its place."""

from __future__ import annotations

import json

import pytest

from vivavoce.wire.json_faults import fault

FAULTS = [
    ('{"a": 1,}', 7, "a comma stands before }, and nothing follows it; leave it out"),
    ("[1, 2,\n]", 5, "a comma stands before ], and nothing follows it; leave it out"),
    ('{"a": [1, 2,]}', 11, "a comma stands before ], and nothing follows it; leave it out"),
    ('{"a": 1\n "b": 2}', 9, 'a comma is missing before "b"'),
    ("[1 2]", 3, "a comma is missing before 2"),
    ('[{"a": 1} {"b": 2}]', 10, "a comma is missing before {"),
    ('{"a" 1}', 5, "a colon is missing between a name and its value"),
    ("{'a': 1}", 1, "single quotes; JSON takes double quotes"),
    ("{\"a\": 'x'}", 6, "single quotes; JSON takes double quotes"),
    ('{"a": “x”}', 6, 'typographic quotes; JSON takes straight ones, "'),
    ("{a: 1}", 1, "a name in double quotes belongs here, not a"),
    ("{1: 1}", 1, "a name in double quotes belongs here, not 1"),
    ("[True]", 1, "True is no value; write true"),
    ("[None]", 1, "None is no value; write null"),
    ("[undefined]", 1, "undefined is no value; write null"),
    ("[yes please]", 1, "yes is no value; a text stands in double quotes"),
    ("[,1]", 1, "a value belongs here, not ,"),
    ("[1] // done", 4, "a comment; JSON has none"),
    ("[ # one\n1]", 2, "a comment; JSON has none"),
    ("{/* one */}", 1, "a comment; JSON has none"),
    ("[1, // one\n 2]", 4, "a comment; JSON has none"),
    ("[", 0, "the [ that opens here is never closed by ]"),
    ('{"a": [1, 2}', 11, "] is missing before }"),
    ('{"a": [1, 2]', 0, "the { that opens here is never closed by }"),
    ('{"a": "]",\n"b": [', 16, "the [ that opens here is never closed by ]"),
    ('{"a": ', 0, "the { that opens here is never closed by }"),
    ('{"a": 1, ', 0, "the { that opens here is never closed by }"),
    ("", 0, "there is nothing where a value belongs"),
    (" \n", 2, "there is nothing where a value belongs"),
    ('["a', 1, "the text that begins here has no closing quote"),
    ('["a\n"]', 3, "a text ends with its line: close its quote, or write a line break in it as \\n"),
    ('["a\tb"]', 3, "a tab stands in a text; write it as \\t"),
    ('["a\x01b"]', 3, "the control character U+0001 stands in a text; write it as \\u0001"),
    (r'["C:\data"]', 4, r"a backslash in a text is written twice, \\, or begins an escape such as \n or \u00e9"),
    ('{"a": 1}}', 8, "} closes what is not open"),
    ('{"a": 1} {"a": 2}', 9, "more follows after the end of the value; one file, or one line of JSON lines, holds one"),
]


@pytest.mark.parametrize(("text", "at", "told"), FAULTS, ids=[text for text, _, _ in FAULTS])
def test_a_fault_is_told_in_plain_words_at_its_place(text, at, told):
    with pytest.raises(json.JSONDecodeError) as raised:
        json.loads(text)
    assert fault(text, raised.value) == (told, at)
