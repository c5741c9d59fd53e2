"""Numbers as people write them, and what is none."""

from __future__ import annotations

import sys
import unicodedata
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.evaluators._rows.numbers import read


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("500", "500"),
        ("500.0", "500"),
        ("$565,238.13", "565238.13"),
        ("(500)", "-500"),
        ("12%", "12"),
        ("12 %", "12"),
        ("($1,200.50)", "-1200.5"),
        ("(12%)", "-12"),
        ("$(500)", "-500"),
        ("(500) €", "-500"),
        ("(USD 500)", "-500"),
        ("1.5E-3", "0.0015"),
        ("1e3", "1000"),
        ("+5", "5"),
        ("-5", "-5"),
        ("\u22125", "-5"),
        ("-$5", "-5"),
        ("$-5", "-5"),
        ("$ \u22125", "-5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("-.5", "-0.5"),
        ("0", "0"),
        ("0.50", "0.5"),
        ("007.5", "7.5"),
        ("1,234,567.89", "1234567.89"),
        ("123,456", "123456"),
        ("US$5", "5"),
        ("R$ 5", "5"),
        ("5 €", "5"),
        ("5€", "5"),
        ("\u20b95", "5"),
        ("USD 5", "5"),
        ("5 USD", "5"),
        ("-USD 5", "-5"),
        ("USD -5", "-5"),
        ("5\u00a0%", "5"),
        ("\u00a05\u202f€ ", "5"),
    ],
)
def test_numbers(text, number):
    assert read(text) == Decimal(number)
    assert read(f"  {text}\t") == Decimal(number)


@pytest.mark.parametrize(
    "text",
    [
        *("", "$", "()", "%", ".", "-", "e5", "5e", "abc", "NaN", "nan", "Infinity", "inf", "1F", "3D", "0x1F"),
        *("(-500)", "( 500 )", "(500)%", "-(500)", "((5))", "(5", "5)", "(5)(6)", "($5) €", "$($5)", "(5) 6"),
        *("565.238,13", "1,5", "1.234,56 €", "12,34", "1,2345", "1,23,456", ",5", "1 234", "1_000", "1.2.3"),
        *("01234", "007", "-07", "00", "01,234", "$007", "(007)", "007%"),
        *("USD5", "5USD", "usd 5", "ABC 5", "$5 €", "$5 USD", "$$5", "us$5", "+-5", "-$-5", "- 5", "5-", "%5", "5%%"),
        *("\u0665", "\uff15", "5 apples", "Q1 5", "1e99999", "2024-01-01", "1:30"),
    ],
)
def test_texts(text):
    assert read(text) is None


def test_every_currency_symbol():
    symbols = [chr(code) for code in range(sys.maxunicode) if unicodedata.category(chr(code)) == "Sc"]
    assert len(symbols) > 60
    texts = [text for each in symbols for text in (f"{each}5", f"5 {each}", f"US{each} 5")]
    assert [text for text in texts if read(text) != 5] == []


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12))
def test_however_a_number_is_written_it_is_the_same(number):
    size = abs(number)
    assert read(str(number)) == read(f"{number:e}") == read(f"{number:,}") == number
    assert read(f"({size:,})") == read(f"(${size})") == read(f"-{size:,} EUR") == -size


@given(st.text(alphabet="0123456789.,()%$€-+eE USD\u2212\u00a0"))
def test_no_text_breaks_it(text):
    assert isinstance(read(text), Decimal | None)
