"""In which language a text may be written, told by its script, its letters and its most common words.

A model of languages would need a package of its own. For the languages that instructions ask for, the script alone decides
most; where several share one, letters that only some of them have and the small words of each do. What cannot be told apart
counts as either.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

_OF_SCRIPT: Mapping[str, str] = MappingProxyType(
    {
        "BENGALI": "bn",
        "GUJARATI": "gu",
        "GURMUKHI": "pa",
        "HANGUL": "ko",
        "HEBREW": "he",
        "HIRAGANA": "ja",
        "KANNADA": "kn",
        "KATAKANA": "ja",
        "MALAYALAM": "ml",
        "TAMIL": "ta",
        "TELUGU": "te",
        "THAI": "th",
        "GREEK": "el",
        "CJK": "zh",
    }
)
"""The language of a script that one language alone is written in, of those that are asked for."""

_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "en": "the of and to in is that it was for on with as are this be have from not you we they your",
        "de": "der die das und ist nicht ein eine mit auf für von zu den dem sich auch wir sie ich es wie im",
        "es": "el la los las de que y en un una es por con para no se su como más pero del al está",
        "fr": "le la les de des et en un une est que pour dans pas qui sur ce avec il je vous nous au du",
        "it": "il lo la gli di che e un una è per con non del della sono come più nel alla i le si",
        "pt": "o a os as de que e em um uma é para com não do da no na por mais como se ao você são",
        "fi": "ja on ei että se hän ovat oli mutta kun tai myös joka niin kuin voi olla tämä minä sinä",
        "pl": "i w na z do że się nie jest to o jak po dla od przez są ale czy który być tak za",
        "sw": "na ya wa kwa ni katika la za kuwa hii hiyo cha vya si ili lakini pia watu yake sana au kama",
        "vi": "là và của có không cho trong được một các với người những này đã khi để tôi bạn thì",
        "ru": "и в не на я что он с как это по но они мы вы за от для из так же бы к у",
        "uk": "і в не на я що він з як це по але вони ми ви за від для із так й та до у є",
        "bg": "и в не на аз че той с как това по но те ние вие за от са да се е ще от към ли",
        "hi": "है के में की का को से और हैं यह कि पर नहीं एक भी था ने हो लिए जो",
        "mr": "आहे आणि या हे च्या ते मध्ये आहेत साठी नाही एक की होते तो ही हा असे का मी",
        "ne": "छ र को मा छन् यो हो लागि पनि गर्न भएको हुन् छैन त्यो एक भने तर म गरेको",
        "ar": "في من على أن إلى هذا هذه التي الذي لا ما كان هو هي مع عن أو كل ذلك",
        "fa": "در از به که این را با است برای آن یک می و تا بر هم شود ها خود ما",
        "ur": "کے میں کی ہے کا سے کو اور یہ پر نے ہیں کہ ایک نہیں بھی تھا جو لیے ہو",
    }
)
_SHARED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "LATIN": ("en", "de", "es", "fr", "it", "pt", "fi", "pl", "sw", "vi"),
        "CYRILLIC": ("ru", "uk", "bg"),
        "DEVANAGARI": ("hi", "mr", "ne"),
        "ARABIC": ("ar", "fa", "ur"),
    }
)
"""Scripts that several of these languages are written in."""
_OWN: Mapping[str, str] = MappingProxyType(
    {
        "uk": "іїєґ",
        "ru": "ыэё",
        "ur": "ٹڈڑےںھ",
        "vi": "đơưạảấầẩậắằẵặẹẻẽếềểệỉịọỏốồổỗộớờởợụủứừửữựỳỵỷỹ",
        "pl": "ąęłńśźż",
        "de": "ß",
        "mr": "ळ",
    }
)
"""Letters that one language of a script has alone; each counts as a common word does."""
LANGUAGES = frozenset({*_OF_SCRIPT.values(), *_WORDS})
"""All that can be told."""


def languages(text: str) -> frozenset[str]:
    """Codes of the languages that a text may be in, by ISO 639-1; none when it has no letters."""
    scripts = Counter(unicodedata.name(each, "").partition(" ")[0] for each in text if each.isalpha())
    if not scripts:
        return frozenset()
    if scripts["HIRAGANA"] + scripts["KATAKANA"] > 0.1 * scripts["CJK"] and scripts["CJK"]:
        return frozenset({"ja"})  # Japanese also has the characters of Chinese
    script = scripts.most_common(1)[0][0]
    if script in _OF_SCRIPT:
        return frozenset({_OF_SCRIPT[script]})
    return _by_words(text, _SHARED[script]) if script in _SHARED else frozenset()


def _by_words(text: str, among: tuple[str, ...]) -> frozenset[str]:
    """Those whose common words are in a text most often."""
    lower = text.lower()
    words = Counter(re.findall(r"[^\W\d_](?:[^\W\d_]|[\u0900-\u097f\u0600-\u06ff])*", lower))
    letters = Counter(lower)
    found = {
        code: sum(words[word] for word in _WORDS[code].split()) + sum(letters[each] for each in _OWN.get(code, ""))
        for code in among
    }
    most = max(found.values())
    return frozenset(code for code, often in found.items() if often == most)
