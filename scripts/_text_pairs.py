"""Pairs of texts for the differential test: ordinary answers in other words, and all that tokenizers trip over."""

from __future__ import annotations

import random
from collections.abc import Iterator

import _word_sources as sources

SENTENCES = (
    "You can return any item within thirty days of delivery.",
    "The refund reaches your account after five to seven working days.",
    "Dr. Meyer from the Oslo office isn't available until Mon. 14 Oct., but her deputy is.",
    "Our offices open at 9 a.m. and close at 5.30 p.m. on weekdays.",
    "Is the larger model heavier? No, it weighs 1.2 kg less!",
    "We've shipped your order (no. 4711); it should arrive by Friday.",
    'He said, "The price won\'t change before July."',
    "Parental leave is 14 weeks, paid at 80% of salary, up to $6,500 a month.",
    "Please contact J. Brown, U.S. Sales, at help@example.com for details.",
    "Cars, bikes and buses were running again by noon.",
    "They're studying how quickly children learn new languages.",
    "The meeting was moved to Room B-12 because the projector had failed...",
    "I cannot open the file: it's 3,400 MB large.",
    "She loves reading mysteries; her brothers prefer maps.",
    "First, restart the router. Then wait two minutes. Finally, reconnect.",
    "The answer is 42.",
    "Yes.",
    "No. That is not covered.",
    "Employees must book flights through the travel desk at least 21 days ahead.",
    "The bridge, built in 1932, carries 160,000 vehicles a day.",
)
INTERNATIONAL = (
    "El envío tarda de 3 a 5 días hábiles; cuesta 4,99 €.",
    "“Never again”, she said – and left.",
    "東京の天気は晴れです。明日は雨が降るでしょう。",
    "Возврат возможен в течение 30 дней.",
    "The café’s résumé: 100 % naïve, £5.50.",
    "Überweisung bis 1.3.2024 – danach fällt eine Gebühr an!",
    "환불은 7일 이내에 처리됩니다.",
    "ठीक है, धन्यवाद।",
    "Temperature: −4 °C … +7 °C ≈ mild 🙂.",
    "A &amp; B &lt;tag&gt; ça va",
)
ODD = (
    *(
        "",
        " ",
        "a",
        "the",
        ".",
        "...",
        ". . .",
        "?!",
        "!!!",
        "--",
        "---",
        "'",
        '"',
        "''",
        "``",
        "`x`",
        "''x''",
        '"x"',
        "(x.)",
        '(x.")',
    ),
    *(
        "don't",
        "CAN'T",
        "cannot",
        "gonna",
        "wanna go",
        "gimme",
        "d'ye",
        "more'n",
        "'tis",
        "'Twas",
        "'em",
        "'80s",
        "dogs'",
        "s's",
    ),
    *(
        "3.14",
        "1,000",
        "1,000.",
        "$5",
        "50%",
        "#1",
        "a@b.c",
        "http://x.y/z?a=b&c=d",
        "U.S.",
        "e.g. Bach",
        "J. S. Bach",
        "p.m. The",
    ),
    *(
        "No. 5",
        "etc. And",
        "x.y.z",
        "A. B. C.",
        "I. The",
        "1. One",
        "2. two",
        "a,b",
        "a:b",
        ",,",
        ":,",
        "1:30",
        "*bold*",
        "[1]",
        "{x}",
    ),
    *(
        "<b>",
        "snake_case",
        "new_york",
        "well-known",
        "rock'n'roll",
        "o'clock",
        "tab\there",
        "line\nbreak",
        "two\n\nlines",
        "x.\ny",
        "y'\tz",
    ),
    *(
        "men",
        "geese",
        "better",
        "children",
        "was",
        "went",
        "einstein",
        "does",
        "tens",
        "hous",
        "running",
        "happily",
        "relational",
        "skies",
    ),
)


def generate(count: int, seed: int, wordnet: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    """So many pairs of an answer and an expected response, the same for the same seed."""
    dice = random.Random(seed)
    related = [words for part in sources.PARTS for words in sources.synsets(wordnet[f"data.{part}"]) if len(words) > 1]
    for index in range(count):
        kind = index % 10
        if kind < 5:
            expected = " ".join(dice.sample(SENTENCES, dice.randint(1, 3)))
            yield changed(expected, dice, related), expected
        elif kind < 6:
            yield " ".join(dice.sample(SENTENCES, dice.randint(1, 4))), " ".join(dice.sample(SENTENCES, dice.randint(1, 4)))
        elif kind < 7:
            expected = " ".join(dice.sample((*INTERNATIONAL, *SENTENCES[:4]), 2))
            yield changed(expected, dice, related), expected
        elif kind < 8:
            chosen = dice.sample(related, 8)
            yield " ".join(dice.choice(words) for words in chosen), " ".join(dice.choice(words) for words in chosen)
        else:
            yield odd(dice), odd(dice)


def changed(text: str, dice: random.Random, related: list[tuple[str, ...]]) -> str:
    """A text with some words gone, doubled, moved, inflected, or replaced."""
    words = text.split(" ")
    for _ in range(dice.randint(0, 1 + len(words) // 3)):
        place = dice.randrange(len(words))
        match dice.randrange(7):
            case 0:
                del words[place]
                words = words or ["x"]
            case 1:
                words.insert(place, words[dice.randrange(len(words))])
            case 2:
                words.insert(dice.randrange(len(words)), words.pop(place))
            case 3:
                words[place] += dice.choice(("s", "ed", "ing", "ly", "er", "est", "'s"))
            case 4:
                words[place] = dice.choice(dice.choice(related)).replace("_", " ")
            case 5:
                words[place] = words[place].swapcase()
            case _:
                words[place] = dice.choice((*ODD, words[place].strip(".,;")))
    return " ".join(words)


def odd(dice: random.Random) -> str:
    """A text of pieces that rules are about, and of white space."""
    pieces = dice.choices((*ODD, "the", "and", "He", "mat.", "Then,", "cats"), k=dice.randint(0, 12))
    return "".join(piece + dice.choice((" ", " ", " ", "  ", "\n", "\t", "")) for piece in pieces)
