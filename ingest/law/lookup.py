"""Finds texts of law that a question names: "Article 6 AI Act", "32016R0679", "DSGVO Artikel 17".

Names and CELEX numbers are first replaced by the act's printed designation, so that
:mod:`ingest.law.references` parses "Article 6 of the AI Act" like "Article 6 of Regulation (EU) 2024/1689".
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from ingest.law.act_names import ActNames
from ingest.law.groups import UNIT_KINDS, Cursor
from ingest.law.names import ORDINARY_WORDS
from ingest.law.references import Reference, references
from ingest.law.vocabulary import Kind, Token, tokens, vocabulary

MAX_QUESTION: Final = 2_000
"""The most characters of a question to look at."""

MAX_UNITS: Final = 50

_LANGUAGES: Final = ("en", "fr", "de")
_TYPES: Final[dict[str, dict[str, str]]] = {
    "en": {"R": "Regulation", "L": "Directive", "D": "Decision", "F": "Framework Decision"},
    "fr": {"R": "règlement", "L": "directive", "D": "décision", "F": "décision-cadre"},
    "de": {"R": "Verordnung", "L": "Richtlinie", "D": "Beschluss", "F": "Rahmenbeschluss"},
}
_LETTERS: Final = {name.lower(): letter for names in _TYPES.values() for letter, name in names.items()}
_TYPE_PRINTED: Final = re.compile(
    r"(?<!\w)(?:(?:Council|Commission|Implementing|Delegated)\s){0,3}"
    rf"({'|'.join(sorted(_LETTERS, key=len, reverse=True))})(?=\s(?:\([A-Z, ]{{2,10}}\)\s)?(?:No\s)?\d)",
    re.IGNORECASE,
)
_ARTICLE: Final = {"en": "Article ", "fr": "article ", "de": "Artikel "}
_CELEX: Final = re.compile(
    r"(?<!\w)(?:CELEX(?:\s?:\s?|\s))?"
    r"(?:(?P<act>3\d{4}[A-Z]\d{4})|0(?P<consolidated>\d{4}[A-Z]\d{4})(?:-\d{8})?)(?![\w(])",
    re.IGNORECASE,
)
_BRIEF_ARTICLE: Final = re.compile(r"(?<!\w)art\.?\s?(?=\d)", re.IGNORECASE)
_BRIEF_RECITAL: Final = re.compile(r"(?<!\w)(?:ErwG|ErwGr|Erw\.?\s?Gr)\.?\s?(?=\d)", re.IGNORECASE)
_CONTENT: Final[frozenset[Kind]] = frozenset(
    ("word", "number", "foreign", "amended", "this", "that", "thereof", "possessive")
)
_UNNAMED: Final = "?"
_ASKING: Final[dict[str, frozenset[str]]] = {
    "en": frozenset({
        "what", "what's", "is", "are", "was", "does", "do", "did", "say", "says", "said", "state", "states",
        "stated", "mean", "means", "provide", "provides", "contain", "contains", "regulate", "regulates",
        "cover", "covers", "require", "requires", "written", "about", "it", "there", "exactly", "show",
        "give", "tell", "read", "quote", "cite", "open", "find", "see", "explain", "summarise", "summarize",
        "summary", "me", "us", "i", "want", "need", "please", "can", "could", "you", "text", "full",
        "exact", "whole", "wording", "content", "contents", "and", "so", "then", "now",
    }),
    "fr": frozenset({
        "que", "qu", "quoi", "quel", "quelle", "est", "ce", "dit", "disent", "prévoit", "dispose",
        "stipule", "contient", "signifie", "exactement", "texte", "contenu", "teneur", "libellé", "complet",
        "montre", "montrez", "donne", "donnez", "cite", "citez", "lis", "lisez", "explique", "expliquez",
        "moi", "nous", "s", "il", "vous", "te", "plaît", "veux", "je", "lire", "voir", "parle", "et", "alors",
    }),
    "de": frozenset({
        "was", "steht", "stehen", "sagt", "sagen", "besagt", "regelt", "bestimmt", "bedeutet", "verlangt",
        "fordert", "enthält", "schreibt", "vor", "geregelt", "drin", "da", "genau", "denn", "eigentlich",
        "wie", "lautet", "heißt", "zeig", "zeige", "zeigen", "gib", "geben", "nenne", "nennen", "lies",
        "zitiere", "zitieren", "suche", "erkläre", "erklären", "erklär", "fasse", "zusammen", "sie", "du",
        "mir", "uns", "ich", "bitte", "text", "wortlaut", "volltext", "inhalt", "ganze", "ganzen", "worum",
        "geht", "es", "ist", "möchte", "will", "lesen", "sehen", "kannst", "können", "dann", "jetzt", "nun",
        "auch",
    }),
}  # fmt: skip
"""Words of questions that ask only for the text of a unit, not for anything in it."""


@dataclass(frozen=True, slots=True)
class NamedUnit:
    """An act (``unit`` empty) or one of its units (``art_6``, ``anx_III``, ``rct_53``)."""

    celex: str
    unit: str = ""


def named(question: str, names: ActNames, sole: str | None = None) -> NamedUnit | None:
    """Return the only text that the question names, or the only unit whose text it asks for; None if it names
    none or several, or has other content. ``sole``: the CELEX number assumed for units without an act."""
    return next((found for _, found in _readings(question, names, sole)), None)


def naming_language(question: str, names: ActNames) -> str | None:
    """Return the language in which the question names a text or asks for it, whatever its act; None if it
    does neither, or if several languages fit, as with "Article 6"."""
    languages = [language for language, _ in _readings(question, names, sole="")]
    return languages[0] if len(languages) == 1 else None


def _readings(question: str, names: ActNames, sole: str | None) -> Iterator[tuple[str, NamedUnit]]:
    """Yield each language in which the question names exactly one text, with that text."""
    question = question[:MAX_QUESTION]
    for language in _LANGUAGES:
        text = _designated(question, names, language, mere=True)
        is_name = _is_mere_name(text, language)
        if not is_name and not _is_mere_name(text, language, _ASKING[language]):
            continue
        found = _units(text, language, sole)
        if len(found) == 1 and (is_name or found[0].unit):
            yield language, found[0]


def mentioned(question: str, names: ActNames, sole: str | None = None) -> tuple[NamedUnit, ...]:
    """Return the units that a question mentions, and acts without units in it, in text order.

    An article without an act belongs to the act named before it, or else to the first one named after it. If
    there is none, it belongs to the act ``sole`` (a CELEX number) or is left out.
    """
    question = question[:MAX_QUESTION]
    readings = [
        _units(_designated(question, names, language, mere=False), language, sole) for language in _LANGUAGES
    ]
    return max(readings, key=lambda found: sum(bool(one.unit) for one in found))


def units_named(text: str, names: ActNames) -> tuple[NamedUnit, ...]:
    """Return the units that a text names, in text order, with an empty CELEX number if it names no act:
    "Article 6" of any act."""
    text = text[:MAX_QUESTION]
    readings = []
    for language in _LANGUAGES:
        found = references(_designated(text, names, language, mere=True), celex=_UNNAMED, language=language)
        readings.append([one for one in dict.fromkeys(_placed(found, unnamed="")) if one.unit])
    return tuple(max(readings, key=len)[:MAX_UNITS])


def _designated(question: str, names: ActNames, language: str, *, mere: bool) -> str:
    """Return the question with names and CELEX numbers replaced by printed designations, and abbreviations by
    words, in this language. ``mere``: replace names that are also ordinary words, too."""
    question = _BRIEF_ARTICLE.sub(_ARTICLE[language], question)
    question = _BRIEF_RECITAL.sub("Erwägungsgrund ", question)
    types = _TYPES[language]
    question = _TYPE_PRINTED.sub(lambda found: types[_LETTERS[found[1].lower()]], question)
    question = _CELEX.sub(lambda found: _designation(_celex(found), language) or found[0], question)

    def designated(name: str, celex: str) -> str:
        ordinary = not mere and name.islower() and name in ORDINARY_WORDS
        return name if ordinary else _designation(celex, language) or name

    return names.replaced(question, designated)


def _celex(found: re.Match[str]) -> str:
    return (found["act"] or f"3{found['consolidated']}").upper()


def _designation(celex: str, language: str) -> str:
    """Return ``Regulation (EU) 2024/1689``; empty for acts without such a designation."""
    kind = _TYPES[language].get(celex[5:6])
    if kind is None or not celex.startswith("3") or not celex[6:].isdecimal():
        return ""
    return f"{kind} (EU) {celex[1:5]}/{int(celex[6:])}"


def _is_mere_name(text: str, language: str, besides: Collection[str] = ()) -> bool:
    """Return True if ``text`` has only units, acts, the small words between them and words in ``besides``."""
    words = vocabulary(language)
    if words is None:
        return False
    cursor = Cursor(list(tokens(text, words)), words)
    while cursor.at(cursor.place) is not None:
        token = cursor.tokens[cursor.place]
        if token.kind in UNIT_KINDS:
            if not cursor.group().items:
                return False
        elif token.text.lower() not in besides and (token.kind in _CONTENT or _is_word(token)):
            return False
        else:
            cursor.place += 1
    return True


def _is_word(token: Token) -> bool:
    return token.kind == "other" and token.text.isalnum()


def _units(text: str, language: str, sole: str | None) -> tuple[NamedUnit, ...]:
    found = references(text, celex=_UNNAMED, language=language)
    placed = dict.fromkeys(_placed(found, unnamed=sole))
    with_units = {one.celex for one in placed if one.unit}
    return tuple(one for one in placed if one.unit or one.celex not in with_units)[:MAX_UNITS]


def _placed(found: tuple[Reference, ...], unnamed: str | None = None) -> Iterator[NamedUnit]:
    """Yield the units with their acts. ``unnamed``: the CELEX number for units without an act, which are left
    out by default."""
    act = next((one.celex for one in found if one.celex != _UNNAMED), unnamed)
    for one in found:
        if one.celex != _UNNAMED:
            act = one.celex
        if act is not None:
            yield NamedUnit(act, one.unit)
