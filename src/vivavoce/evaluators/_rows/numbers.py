"""Numbers as people write them in reports: `$565,238.13`, `(500)`, `12%`, `EUR 3.5`."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

_WORDS = """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP
    CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR
    ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT
    MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD
    SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND
    VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG
"""
_CODES = frozenset(_WORDS.split())
"""ISO 4217, currencies in use."""
_AROUND = r"[^\s\d.,()%+−-]{1,4}"
_NUMBER = r"(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?P<fraction>\.[0-9]*)?(?P<exponent>[eE][-+]?[0-9]{1,4})?"
_SIGNED = re.compile(
    rf"(?P<sign>[-+−]?)(?P<before>{_AROUND})?(?P<apart>\s*)(?P<inner>[-+−]?){_NUMBER}(?:\s*%)?(?:(?P<gap>\s*)(?P<after>{_AROUND}))?"
)
_BRACKETED = re.compile(rf"(?:(?P<before>{_AROUND})(?P<apart>\s*))?\((?P<inside>[^()]+)\)(?:(?P<gap>\s*)(?P<after>{_AROUND}))?")
_DIGIT = re.compile("[0-9]")
_MINUS = ("-", "−")


def read(text: str) -> Decimal | None:
    """The number that a text is, or `None`: then it is just a text.

    A sign, one currency before or after it, digits plain or in groups of three, a fraction, an exponent, `%`, which does not
    scale; or brackets for minus. Digits are 0 to 9. A whole number with a leading zero, such as `007`, is a text.
    """
    if not _DIGIT.search(text):
        return None
    text = text.strip()
    bracketed = _BRACKETED.fullmatch(text) if "(" in text else None
    if bracketed is None:
        return _signed(text)
    inside = bracketed["inside"]
    if inside != inside.strip() or inside[0] in "-+−" or not _currency_is_sound(bracketed, alone=False):
        return None
    if (bracketed["before"] or bracketed["after"]) and not (inside[0] in ".0123456789" and inside[-1] in ".%0123456789"):
        return None  # a second currency
    value = _signed(inside, bare=True)
    return None if value is None else -value


def _signed(text: str, *, bare: bool = False) -> Decimal | None:
    found = _SIGNED.fullmatch(text)
    if found is None:
        return None
    digits, fraction, sign, inner = found["digits"] or "", found["fraction"] or "", found["sign"], found["inner"]
    digits = digits.replace(",", "")
    if not digits and len(fraction) < 2:
        return None
    if len(digits) > 1 and digits[0] == "0" and not fraction and not found["exponent"]:
        return None
    if (sign and inner) or (bare and (sign or inner)) or not _currency_is_sound(found):
        return None
    value = Decimal(f"{digits or 0}{fraction}{found['exponent'] or ''}")
    return -value if (sign or inner) in _MINUS else value


def _currency_is_sound(found: re.Match[str], *, alone: bool = True) -> bool:
    """Whether what stands around a number is one currency, or nothing."""
    before, after = found["before"], found["after"]
    if before and after:
        return False
    if before:
        return _is_currency(before, apart=bool(found["apart"]))
    if alone and found["apart"]:
        return False
    return not after or _is_currency(after, apart=bool(found["gap"]))


def _is_currency(text: str, *, apart: bool) -> bool:
    """A symbol, one with a country before it as in `US$`, or a code that stands apart as a word."""
    if unicodedata.category(text[-1]) == "Sc":
        return text[:-1] == "" or (text[:-1].isascii() and text[:-1].isalpha() and text[:-1].isupper())
    return apart and text in _CODES
