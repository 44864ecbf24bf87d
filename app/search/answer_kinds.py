"""Kinds of answer that questions ask for: an amount, a time, a place, a person, a way to reach somebody, what
to bring, what is allowed.

Pure functions over pages in German and English, and over questions in more languages
(:mod:`app.search.asked_words`). A question with none of these words asks for no kind.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from app.search import asked_words

_MONTHS: Final = r"jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]"
_DATE: Final = (
    rf"\b\d{{1,2}}\.?(?:st|nd|rd|th)?\s?(?:{_MONTHS})|\b(?:{_MONTHS})\w*\s\d|\b(?:19|20)\d\d\b"
    r"|\b\d{1,2}\.\s?\d{1,2}\.(?:\d{2,4})?"
)
_HOURS: Final = (
    r"\b\d{1,2}(?:[:.]\d\d)?\s*(?:uhr\b|[ap]\.?m\b)|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|t[aä]glich|werktags)"
)
_MONEY: Final = (
    r"[€£$]\s?\d|\d\s?(?:[€£%]|euros?\b|eur\b|pounds?\b|cents?\b|percent\b|per cent\b|prozent\b)"
    r"|\bkosten(?:los|frei)|\bgeb[uü]hrenfrei|\bfree of charge\b"
)
_NUMBER: Final = (
    r"(?:\d+|eine?n?|zwei|drei|vier|f[uü]nf|sechs|acht|zehn|zw[oö]lf"
    r"|one|two|three|four|five|six|ten|twelve)"
)
_DURATION: Final = (
    rf"\b{_NUMBER}\s(?:\w+\s)?"
    r"(?:tage?n?|wochen?|monate?n?|jahre?n?|stunden?|minuten?|days?|weeks?|months?|years?|hours?|minutes?)\b"
)
_PLACE: Final = (
    r"\b\d{5}\b|stra(?:ß|ss)e\b|\bstr\.|platz\b|\bweg\s\d|\b(?:street|road|avenue|square)\b"
    r"|\b[A-Z]{1,2}\d[\dA-Z]?\s\d[A-Z]{2}\b"
)
_DOCUMENTS: Final = (
    r"mitbring|\bbringen sie\b|\bvorlegen\b|\bunterlagen\b|\bnachweis|\bsie brauchen\b|\bben[oö]tig"
    r"|\bn[oö]tig\b|\bausweis oder\b|\bbring\b|\byou need\b|\bdocuments?\b|\bproof\b|\bcertificate"
)
_PERMISSION: Final = (
    r"\bdarf\b|\bd[uü]rfen\b|\berlaubt\b|\bverboten\b|\bkeine?\b|\bnur (?:mit|in|von|wenn|f[uü]r)\b|\bonly\b"
    r"|\ballowed\b|\bprohibited\b|\bmay\b|\bmust\b"
)
_PERSON: Final = (
    r"(?-i:\b(?:Dr\.|Prof\.|Herrn?|Frau|Mr\.?|Mrs\.?|Ms\.?)\s(?:(?:Dr|Prof)\.\s)*[A-ZÄÖÜ])"
    r"|\b(?:ist|sind|is|are)\b(?:\s(?:seit|since)\s\d{4})?\s(?-i:[A-ZÄÖÜ]\w+(?:\s[A-ZÄÖÜ]\.)?\s[A-ZÄÖÜ]\w+)"
)
_REACH: Final = r"\btel(?:efon|ephone|\.|:)|\bphone\b|@|\+\d{2}|\b0\d{2,}[\s/-]\d"

_FEW_WORDS: Final = r"(?:[^\W\d_]+ ){0,4}"

_NUMBERS: Final = (
    r"\s*\d+[a-z]?(?:\s?\(\d+\))*(?:\s?(?:,|and|or|to|und|oder|bis)\s?\d+[a-z]?(?:\s?\(\d+\))*)*"
)
_REFERENCE: Final = re.compile(
    rf"^[ \t]*(?:[-*+][ \t]+)?\(?[1-9]\d{{0,2}}[a-z]?[.)]\s(?!{_MONTHS})"
    r"|\[\^[^\]\n]*\]|\b[1-9]\d{0,3}/\d{1,4}\b"
    rf"|(?:\b(?:articles?|artikeln?|paragraphs?|abs(?:atz|\.)|annex|points?|recitals?)|§){_NUMBERS}",
    re.IGNORECASE | re.MULTILINE,
)
"""The number of a paragraph, item, act or footnote. It labels a text and answers nothing."""

CACHED_TEXTS: Final = 32_768
"""Cached checks of texts for kinds, because questions find the same blocks again and again."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerKind:
    """A kind of answer. ``asked``: matches questions that ask for it and headings that announce it.
    ``found``: matches text of this kind. ``is_exact``: text without such a match is no answer. ``is_figure``:
    it is an amount, a day, an hour, a duration, a number or a way to reach somebody."""

    name: str
    asked: re.Pattern[str]
    found: re.Pattern[str]
    is_exact: bool = True
    is_figure: bool = True


_KINDS: Final = tuple(
    AnswerKind(
        name,
        re.compile(f"{asked}|{elsewhere}", re.IGNORECASE),
        re.compile(found, re.IGNORECASE),
        is_exact=found not in (_DOCUMENTS, _PERMISSION, _PERSON),
        is_figure=found not in (_DOCUMENTS, _PERMISSION, _PERSON, _PLACE),
    )
    for name, asked, found, elsewhere in (
        (
            "hours",
            r"\bge[oö]ffnet|[oö]ffnungszeit|\bgeschlossen|\buhrzeit|\bopen(?:ing)?\b|\bclosed?\b"
            r"|\bwhat time\b|\boffen\b"
            r"|\b(?:hat|haben|habt|macht|machen)\b(?=[^.!?]*\b(?:auf|zu)\s*(?:[.!?]|$))",
            _HOURS,
            asked_words.HOURS,
        ),
        (
            "price",
            r"\bwie ?viel\b|\bwie (?:hoch|teuer)\b|\bkoste(?:n|te?n?|st)?\b|\bkosten(?:los|frei|pflichtig)"
            r"|\bwas\b(?= kost\b)|geb[uü]hr|preis(?:e[ns]?|s|listen?|wert\w*)?\b|\bgratis\b"
            r"|\bumsonst\b|\bhow much\b|\bcosts?\b|\bfees?\b|\bprices?\b|\bcharges?\b|\bexpensive\b"
            rf"|\bwas\b(?= {_FEW_WORDS}(?:be)?zahl(?:en|e|t|st)\b)"
            rf"|\bwhat\b(?= {_FEW_WORDS}pay\b(?! attention))"
            r"|\bwas\b(?= (?:verlang|nehm)(?:t|en) (?:ihr|sie)\b(?![^.?!]*\b(?:mit|an|auf|ab|entgegen)\b))"
            r"|\bfree of charge\b|\bfor free\b",
            _MONEY,
            asked_words.PRICE,
        ),
        (
            "when",
            r"\bwann\b|\bfrist(?:en|gerecht\w*)?\b|\bstichtag|\bwelche\w* (?:tag|datum|jahr)|\bwhen\b"
            r"|\bdeadline|\bwh(?:at|ich) (?:date|day|year)",
            f"{_DATE}|{_HOURS}",
            asked_words.WHEN,
        ),
        (
            "how_long",
            r"\bwie (?:lange|oft|schnell)\b|\bhow (?:long|often|soon|quickly)\b",
            _DURATION,
            asked_words.HOW_LONG,
        ),
        (
            "how_many",
            r"\bwie viele\b|\banzahl\b|\bwie (?:alt|gro(?:ß|ss)|weit)\b|\bnumber of\b"
            r"|\bhow (?:many|old|big|large|far|high)\b",
            r"\d",
            asked_words.HOW_MANY,
        ),
        (
            "who",
            r"\bwer (?:ist|war|leitet|vertritt)\b"
            r"(?![^.!?]*\b(?:zust[aä]ndig|verantwortlich|berechtigt|verpflichtet))"
            r"|\bwie hei(?:ß|ss)t (?:der|die|unser)\b|\bwho(?:['’]s| is| was| runs| leads)\b"
            r"(?![^.!?]*\b(?:responsible|eligible|allowed|entitled|obliged))",
            _PERSON,
            asked_words.WHO,
        ),
        ("where", r"\bwo\b|\bwohin\b|\badresse\b|\bwhere\b|\baddress\b", _PLACE, asked_words.WHERE),
        (
            "reach",
            r"\btelefon(?:[es]|nr|nummern?|kontakte?|zeit(?:en)?|isch\w*|ier\w*)?\b|\banrufen\b"
            r"|\berreich(?:e|en|s?t|bar\w*)?\b|\be-?mail(?:s|en|adressen?)?\b"
            r"|\bkontakt(?:e[ns]?|s|daten|adressen?|nummern?|m[oö]glichkeit(?:en)?|person(?:en)?|formular\w*"
            r"|aufnahme|ier\w*)?\b"
            r"|\bphon(?:e[sd]?|ing)\b|\bcall\b|\bring\b|\bcontact(?:s|ed|ing)?\b",
            _REACH,
            asked_words.REACH,
        ),
        (
            "documents",
            r"mitbring|\bvorlegen\b|\bvorzeigen\b|\bunterlagen?\b|\bdokumente?\b|\bnachweise?\b|\bpapiere?\b"
            r"|\bwas (?:alles )?brauch|\bdocuments?\b|\bpaperwork\b|\bpapers\b|\bbring\b|\bwhat do i need\b",
            _DOCUMENTS,
            asked_words.DOCUMENTS,
        ),
        (
            "permission",
            r"\bdarf\b|\bd[uü]rfen\b|\berlaubt\b|\bverboten\b|\bmay i\b"
            r"|(?:^|[.!?,:;–-]\s*)(?:(?:and|but|so) )?can (?:i|we|he|she|they|my|our|the|an?|someone)\b"
            r"|\ballowed\b",
            _PERMISSION,
            asked_words.PERMISSION,
        ),
    )
)


def asked_kinds(question: str) -> tuple[AnswerKind, ...]:
    """Return the kinds of answer that the question asks for; often none."""
    return tuple(kind for kind in _KINDS if _is_asked(kind, question))


def asks_amount(question: str) -> bool:
    """Return True if the question asks what something costs."""
    return any(_is_asked(kind, question) for kind in _KINDS if kind.found.pattern == _MONEY)


def lacks_amount(question: str, text: str) -> bool:
    """Return True if the question asks what something costs and the text states no amount."""
    return asks_amount(question) and not re.search(_MONEY, text, re.IGNORECASE)


def kind_words(question: str) -> list[range]:
    """Return the ranges of characters in which the question says what kind of answer it asks for."""
    return [range(*found.span()) for kind in asked_kinds(question) for found in kind.asked.finditer(question)]


def share_of_kinds(kinds: tuple[AnswerKind, ...], text: str, heading: str = "") -> float:
    """Return the share of the kinds that the text has, 0 to 1; 0 without kinds. A kind counts fully only if
    the ``heading`` above the text names it too, otherwise half. Text below a heading such as "Documents" has
    its kind even without a match, unless the kind is exact, such as an amount. Numbers of paragraphs and acts
    do not count as figures."""
    if not kinds:
        return 0.0
    named = {kind for kind in kinds if _is_asked(kind, heading)}
    found = {kind for kind in kinds if _is_in(kind, text) or (kind in named and not kind.is_exact)}
    return (len(found) + len(found & named)) / (2 * len(kinds))


@lru_cache(maxsize=CACHED_TEXTS)
def _is_asked(kind: AnswerKind, text: str) -> bool:
    """Return True if a question or a heading names the kind."""
    return bool(kind.asked.search(text))


@lru_cache(maxsize=CACHED_TEXTS)
def _is_in(kind: AnswerKind, text: str) -> bool:
    """Return True if the text is of this kind."""
    return bool(kind.found.search(_REFERENCE.sub(" ", text)))
