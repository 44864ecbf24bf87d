"""Tokenises the words in which acts of EU law refer to each other, in English, French and German.

One regular expression per language cuts a text into tokens. Each of its alternatives has a bounded length, so
that this takes linear time, whatever the text. :mod:`ingest.law.groups` and :mod:`ingest.law.references`
interpret the tokens.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, get_args

from ingest.law.captions import ORDINALS
from ingest.law.celex import WITHOUT_YEAR, ActType

Kind = Literal[
    "break",  # another paragraph
    "skip",  # emphasis, footnote marks
    "clause",  # "first subparagraph": a part of a paragraph, without a number
    "cited",  # "(EU) 2016/679", "95/46/EC"
    "treaty",
    "foreign",  # an instrument without a CELEX number of its own: a convention, an agreement
    "type",  # "Regulation"
    "article",
    "annex",
    "recital",
    "sub",  # "paragraph", "point", "Part": words before the number of a part of a unit
    "amended",  # "is amended as follows"
    "thereof",
    "possessive",  # "notamment son", "insbesondere auf": the act was named before
    "this",
    "that",
    "and",
    "to",
    "of",
    "determiner",
    "number",
    "bracket",  # "(2)", "(a)", "a)"
    "comma",
    "word",
    "other",
]


@dataclass(frozen=True, slots=True)
class Token:
    """A token; ``text`` is the source between ``start`` and ``end``."""

    kind: Kind
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Patterns of one language: ``pattern`` for all words, ``plural`` for plurals, ``letters`` for letters or
    Roman numbers that number a part without brackets.

    ``commas``: True if a comma may precede the qualifier ("l'article 6, paragraphe 2, du").
    """

    pattern: re.Pattern[str]
    plural: re.Pattern[str]
    letters: re.Pattern[str]
    commas: bool


_COMMUNITY: Final = r"EC|EEC|EU|JHA|CFSP|Euratom|ECSC|ECB|CE|CEE|UE|JAI|PESC|CECA|BCE|EG|EWG|JI|GASP|EGKS|EZB"
_CITED: Final = (
    rf"(?:\(\s?(?:{_COMMUNITY})(?:\s?[,/]\s?(?:{_COMMUNITY})){{0,3}}\s?\)\s{{0,2}})?"
    rf"(?:(?i:no\.?|n\s?[o°º]|nr\.?)\s{{0,2}})?\d{{1,4}}/\d{{1,4}}(?:/(?:{_COMMUNITY}))?(?!\w)"
    rf"|(?i:no\.?|n\s?[o°º]|nr\.?)\s{{0,2}}(?:{'|'.join(WITHOUT_YEAR)})(?![\w/])"
)
_SUFFIX: Final = rf"(?:\s?(?i:{'|'.join(ORDINALS)})\b)"

_INSERTED: Final = r"\d{3}\s[A-Z](?![\w'’])"
_DECIMALS: Final = r"(?:\.\d{1,3}){0,3}(?!\w)"

_SHARED: Final[dict[Kind, str]] = {
    "break": r"\n[^\S\n]*(?:\n|(?=[-*|#>(►▼]))",
    "skip": r"[*_\\]|\[\^\w{1,8}\]",
    "cited": _CITED,
    "bracket": r"\(\s?(?:\d{1,3}[a-z]{0,2}|[a-z]{1,2}|[ivxl]{1,6}|[A-Z])\s?\)|\b(?:[a-z]{1,2}|[ivx]{1,5})\)",
    "comma": r",",
    "word": r"\w+",
    "other": r"\S",
}


def _clause(ordinals: str, conjunctions: str, nouns: str) -> str:
    """Return a pattern for "first subparagraph", "second and third indents"."""
    return rf"(?:{ordinals})(?:\s(?:{conjunctions})\s(?:{ordinals})){{0,2}}\s(?:{nouns})"


_ENGLISH: Final[dict[Kind, str]] = {
    "clause": _clause(
        r"first|second|third|fourth|fifth|sixth|last|final|introductory|concluding",
        r"and|or|to",
        r"subparagraphs?|paragraphs?|indents?|sentences?|part|wording|phrase|subpoint",
    ),
    "treaty": r"(?P<E>TFEU|Treaty\son\sthe\sFunctioning\sof\sthe\sEuropean\sUnion)"
    r"|(?P<M>TEU|Treaty\son\sEuropean\sUnion)"
    r"|(?P<A>Euratom\sTreaty|Treaty\sestablishing\sthe\sEuropean\sAtomic\sEnergy\sCommunity)"
    r"|(?P<C>EE?C\sTreaty|TEC|Treaty\sestablishing\sthe\sEuropean\s(?:Economic\s)?Community)"
    r"|(?P<P>Charter(?:\sof\sFundamental\sRights(?:\sof\sthe\sEuropean\sUnion)?)?)"
    r"|(?P<G>(?:Treaties|Treaty)(?!\s(?:of|between|on|establishing)\b))",
    "foreign": r"Conventions?|Agreements?|Protocols?|Statutes?|Rules\sof\sProcedure|Acts?\sof\sAccession"
    r"|Treaty|Staff\sRegulations|Financial\sRegulation|Constitution|Covenant|Codes?|Laws?|Conditions\sof"
    r"\sEmployment|UN/?ECE|Guidelines?|Concordat|Arrangement",
    "type": r"(?:(?:Council|Commission|European\sParliament\sand(?:\sof\sthe)?\sCouncil|Implementing"
    r"|Delegated)\s){0,3}(?:Regulations?|Directives?|Framework\sDecisions?|Decisions?|Recommendations?|Common\sPositions?"
    r"|Joint\sActions?)",
    "article": r"Articles?|Arts?\.",
    "annex": r"Annex(?:es)?",
    "recital": r"recitals?",
    "sub": r"paragraphs?|subparagraphs?|points?|subpoints?|parts?|sections?|indents?|sentences?|appendix"
    r"|appendices|tables?|columns?|entry|entries|items?|rows?|headings?|chapters?|titles?|lit\.",
    "amended": r"(?:is|are|shall\sbe)(?:\shereby)?\samended\s(?:as\sfollows|by\sthe\sfollowing)",
    "thereof": r"thereof|thereto|therein",
    "this": r"this|the\spresent",
    "that": r"that|those|(?:the\s)?(?:said|aforementioned|aforesaid|abovementioned)|the\s(?:same|latter)",
    "and": r"and/or|and|or|as\swell\sas",
    "to": r"to(?=\s)",
    "of": r"of|in|under",
    "determiner": r"the",
    "number": rf"{_INSERTED}|\d{{1,4}}(?:{_SUFFIX}|[a-zA-Z]{{1,2}}(?!\w))?{_DECIMALS}",
}

_FRENCH: Final[dict[Kind, str]] = {
    "clause": _clause(
        r"premiers?|premières?|deuxièmes?|seconde?s?|troisièmes?|quatrièmes?|cinquièmes?|sixièmes?|derniers?"
        r"|dernières?",
        r"et|ou|à",
        r"alinéas?|tirets?|phrases?|partie(?:\sde\sphrase)?",
    )
    + r"|(?:phrase|partie)\s(?:introductive|liminaire)",
    "treaty": r"(?P<E>TFUE|traité\sFUE|traité\ssur\sle\sfonctionnement\sde\sl['’]\s?Union(?:\seuropéenne)?)"
    r"|(?P<M>TUE|traité\sUE|traité\ssur\sl['’]\s?Union\seuropéenne)"
    r"|(?P<A>traité\sEuratom|traité\sinstituant\sla\sCommunauté\seuropéenne\sde\sl['’]énergie\satomique)"
    r"|(?P<C>TCE|traité\sCEE?|traité\sinstituant\sla\sCommunauté\s(?:économique\s)?européenne)"
    r"|(?P<P>charte(?:\sdes\sdroits\sfondamentaux(?:\sde\sl['’]Union\seuropéenne)?)?)"
    r"|(?P<G>(?:traité|traités)(?!\s(?:de|d['’]|entre|sur|instituant)))",
    "foreign": r"conventions?|accords?|protocoles?|statuts?|règlement\s(?:intérieur|financier|de\sprocédure)"
    r"|actes?\sd['’]adhésion|traité|constitution|codes?|lois?|régime\sapplicable|arrangement|CEE-ONU"
    r"|acte\srelatif|lignes\sdirectrices",
    "type": r"(?:règlements?|directives?|décisions?-cadres?|décisions?|recommandations?|positions?\scommunes?"
    r"|actions?\scommunes?)(?:\s(?:déléguée?s?|d['’]exécution))?"
    r"(?:\s(?:du\sParlement\seuropéen\set\s)?du\sConseil(?=\s(?:\(|n|\d))|\sde\sla\sCommission(?=\s(?:\(|n|\d)))?",
    "article": r"articles?|art\.",
    "annex": r"annexes?",
    "recital": r"considérants?",
    "sub": r"paragraphes?|points?|sous|parties?|sections?|alinéas?|tirets?|phrases?|appendices?|tableaux?"
    r"|colonnes?|rubriques?|chapitres?|titres?|lettres?|lit\.|entrées?|postes?",
    "amended": r"(?:est|sont)(?:\s(?:ainsi|donc))?\smodifiée?s?\s(?:comme\ssuit|ainsi)",
    "thereof": r"de\sceux-ci|de\scelle-ci|de\scelui-ci|de\scelles-ci",
    "possessive": r"son|ses",
    "this": r"(?:(?:du|de\sla|des|le|la|les|au|à\sla)\s)?présente?s?",
    "that": r"dudit|desdite?s|(?:de\s)?ladite|ledit|lesdite?s|audit|(?:de\s)?(?:ce|cet|cette|ces)"
    r"|(?:(?:du|de\sla|des|le|la|les|au|à\sla)\s)?mêmes?",
    "and": r"et/ou|et|ou|ainsi\sque",
    "to": r"à|aux?",
    "of": r"du|des|de|d['’]|dans|en",
    "determiner": r"les?|la|l['’]",
    "number": rf"premier(?!\s(?:alinéa|tiret))|{_INSERTED}"
    rf"|\d{{1,4}}(?:er\b|{_SUFFIX}|[a-zA-Z]{{1,2}}(?!\w|\)))?{_DECIMALS}",
}

_GERMAN: Final[dict[Kind, str]] = {
    "clause": _clause(
        r"(?:erste|zweite|dritte|vierte|letzte|einleitende)[rsnm]?",
        r"und|oder|bis",
        r"Unterabsatz(?:es)?|Gedankenstrich(?:s|es)?|Satz(?:es)?|Satzteil(?:s|es)?",
    ),
    "treaty": r"(?P<E>AEUV|Vertrag(?:e?s)?\süber\sdie\sArbeitsweise\sder\sEuropäischen\sUnion)"
    r"|(?P<M>EUV|Vertrag(?:e?s)?\süber\sdie\sEuropäische\sUnion)"
    r"|(?P<A>Euratom-Vertrag(?:e?s)?|Vertrag(?:e?s)?\szur\sGründung\sder\sEuropäischen\sAtomgemeinschaft)"
    r"|(?P<C>EGV|EW?G-Vertrag(?:e?s)?"
    r"|Vertrag(?:e?s)?\szur\sGründung\sder\sEuropäischen\s(?:Wirtschaftsg|G)emeinschaft)"
    r"|(?P<P>(?:EU-)?(?:Grundrechte-)?Charta(?:\sder\sGrundrechte(?:\sder\sEuropäischen\sUnion)?)?)"
    r"|(?P<G>Vertrag(?:e?s)?(?!\s(?:von|über|zur|zwischen)\b))",
    "foreign": r"Übereinkommens?|Abkommens?|Protokolls?|Satzung|Statuts?|Geschäftsordnung|Beitrittsakte"
    r"|Haushaltsordnung|Vertrag(?:e?s)?|Verfassung|Gesetz(?:es)?|Gesetzbuch(?:e?s)?|UN-?/?ECE|Leitlinien"
    r"|\w{0,30}(?:übereinkommens?|abkommens?)",
    "type": r"(?:Delegierten?r?\s)?(?:(?:Durchführungs)?(?:Verordnung(?:en)?|Richtlinien?"
    r"|Beschl(?:uss|uß|üsse)(?:es|n)?)|Rahmenbeschl(?:uss|üsse)(?:es|n)?|Entscheidung(?:en)?|Empfehlung(?:en)?"
    r"|Gemeinsame[rn]?\sStandpunkte?s?)",
    "article": r"Artikel[ns]?|Art\.",
    "annex": r"Anhang(?:e?s)?|Anhänge[n]?",
    "recital": r"Erwägungsgr(?:und|undes|ünde|ünden)",
    "sub": r"Absatz(?:es)?|Absätzen?|Abs\.|Unterabsatz(?:es)?|Unterabsätzen?|Buchstaben?|lit\.|Nummern?"
    r"|Nrn?\.|Ziffern?|Satz(?:es)?|Sätzen?|Spiegelstrich(?:e?s)?|Gedankenstrich(?:e?s)?|Teil(?:e?s)?"
    r"|Abschnitt(?:e?s)?|Kapitels?|Titels?|Anlage|Tabellen?|Punkte?s?|Unterabs\.|UAbs\.",
    "amended": r"(?:wird|werden)\swie\sfolgt\sgeändert",
    "thereof": r"davon",
    "possessive": r"insbesondere\sauf(?:\s(?:die|den))?",
    "this": r"diese[rsmn]?|vorliegende[rsmn]?",
    "that": r"jene[rsmn]?|(?:(?:der|des|dem|den|die|das)\s)?(?:genannten?|besagten?|gleichen)"
    r"|(?:der|des|dem|den)selben",
    "and": r"und/oder|und|oder|sowie|bzw\.",
    "to": r"bis",
    "of": r"der|des|dem|den|die|das|im|in|zu[rm]?|von|vom",
    "number": rf"{_INSERTED}|\d{{1,4}}(?:[a-zA-Z]{{1,2}}(?!\w))?{_DECIMALS}",
}

_PLURAL: Final = {
    "en": r"(?i).*s\.?",
    "fr": r"(?i).*s",
    "de": r"(?i)artikeln?|art\.|.*[äü].*|.*(?:ben|mern|fern|nrn\.)",
}
_CAPITALS: Final = r"[A-Z]|[IVXLC]{1,6}"
_LETTERS: Final = {"en": _CAPITALS, "fr": _CAPITALS, "de": rf"{_CAPITALS}|[a-z]|([a-z])\1|[ivx]{{1,5}}"}
_WORDS: Final = {"en": _ENGLISH, "fr": _FRENCH, "de": _GERMAN}


@cache
def vocabulary(language: str) -> Vocabulary | None:
    """Return the words of a language (its first two letters count), or None if it is not known."""
    code = language[:2].lower()
    words = _WORDS.get(code)
    if words is None:
        return None
    known = {**_SHARED, **words}
    alternatives = [f"(?P<{kind}>{_bounded(kind, known[kind])})" for kind in get_args(Kind) if kind in known]
    return Vocabulary(
        pattern=re.compile("|".join(alternatives)),
        plural=re.compile(_PLURAL[code]),
        letters=re.compile(_LETTERS[code]),
        commas=code != "de",
    )


def tokens(text: str, words: Vocabulary) -> Iterator[Token]:
    """Yield the tokens of ``text`` in order, without those of kind ``skip``."""
    for found in words.pattern.finditer(text):
        kind = _kind(found)
        if kind != "skip":
            yield Token(kind, found[0], found.start(), found.end())


def act_type(word: str) -> ActType:
    """Return the descriptor of ``Council Framework Decision``, ``règlement d'exécution`` ..."""
    lower = word.lower()
    for descriptor, pattern in _TYPES.items():
        if re.search(pattern, lower):
            return descriptor
    raise ValueError(f"not a type of act: {word}")


def treaty(word: str) -> str:
    """Return the treaty's letter, for :func:`~ingest.law.treaties.treaty_prefix`."""
    for words in _WORDS.values():
        if (found := re.fullmatch(words["treaty"], word, re.IGNORECASE)) and found.lastgroup:
            return found.lastgroup
    raise ValueError(f"not a treaty: {word}")


def latin_letter(word: str) -> str:
    """Return ``a`` for ``bis``, ``b`` for ``ter``, as in French inserted articles; empty for other words."""
    return ORDINALS.get(word, "")


_TYPES: Final[dict[ActType, str]] = {
    "F": r"framework|-cadre|rahmen",
    "R": r"regulation|règlement|verordnung",
    "L": r"directive|richtlinie",
    "D": r"decision|décision|beschl|entscheidung",
    "H": r"recommendation|recommandation|empfehlung",
    "E": r"position|action|standpunkt",
}
_WORD_KINDS: Final = frozenset(get_args(Kind)) - frozenset(_SHARED) - {"number"}


def _bounded(kind: Kind, pattern: str) -> str:
    if kind not in _WORD_KINDS:
        return rf"(?<!\w)(?:{pattern})" if kind in ("cited", "number") else pattern
    if kind == "treaty":
        pattern = re.sub(r"\(\?P<\w>", "(?:", pattern)
    dash = "|[-–—]" if kind == "to" else ""
    return rf"(?<!\w)(?i:{pattern})(?:(?<=\W)|(?!\w)){dash}"


def _kind(found: re.Match[str]) -> Kind:
    return found.lastgroup  # type: ignore[return-value]
