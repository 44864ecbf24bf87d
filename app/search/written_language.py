"""Turns questions as people speak and chat into written language: German and English.

Models are trained on written sentences, and understand "und darf ich da grillen?" better than "achso u derf i
da grillen". Openings and endings that ask nothing are removed; dialect, swallowed sounds and chat
abbreviations are written out (``spoken_words/``, a file for each language). Nouns that are only spoken are
left to the thesaurus (:mod:`app.search.thesaurus`), misspelt words to :mod:`app.search.spelling`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from app.search import analysis
from app.search.dictionary import translations
from app.search.languages import read_by_language
from app.search.spelling import Words, corrected
from app.search.thesaurus import in_written_words

LEAST_WORDS: Final = 2
"""An opening or an ending is only removed if at least this many words are left."""

CLOSING_CHARACTERS: Final = 200
"""An ending is looked for in this many characters at a text's end."""

ENDING_LETTERS: Final = 5
"""A word with at least this many letters may lack some at its end; shorter ones are too often other words."""

_WORD: Final = r"['’]?[^\W_]+(?:['’.&@-][^\W_]+)*"
_VOWELS: Final = "aeiouäöü"
_NO_WORD: Final = re.compile(r"\.|\s?\d")
"""Matches what follows a letter that is not a word."""

_END: Final = re.compile(r"[?!.…]['\"”“»)]*$")
_SUM: Final = re.compile(
    r"\bwie hoch (?P<verb>ist|sind)\b(?= .*(?:steuern?|gebühr(?:en)?|beitr[aä]ge?|kosten|preise?|abgaben?"
    r"|taxe|tarife?|entgelte?|strafen?|bu(?:ß|ss)gelde?r?)\b)",
    re.IGNORECASE,
)
"""Matches a question for the amount of a fee or tax."""

_SEPARATE: Final = re.compile(
    r"\b(?P<verb>ha(?:t|ben|bt|st)|ist|sind|seid|(?:mach|sperr)(?:t|en|st))\b(?P<between>[^.?!,;:]*?)\s+"
    r"(?P<prefix>auf|zu)(?=\s*(?:[?.!,;]|$|\b(?:und|oder)\b))",
    re.IGNORECASE,
)
_JOINED: Final = re.compile(
    r"\b(?P<prefix>auf|zu)(?P<between>)(?P<verb>ha(?:t|ben)|(?:mach|sperr)(?:t|en|st))\b", re.IGNORECASE
)
_MAKES: Final = re.compile("(?:mach|sperr)(.+)", re.IGNORECASE)
_OPEN: Final = {"auf": ("öffne", "geöffnet"), "zu": ("schließ", "geschlossen")}
"""Stem and participle of the verb that means the same, by the prefix."""


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A ``language`` as it is spoken. ``word`` matches its words, and spoken phrases of several words.
    ``opening``, ``closing``: match phrases at the beginning and end of a text that ask nothing. ``words``:
    the written form of each spoken word or phrase. ``endings``: written endings by spoken ones, for unknown
    words."""

    language: str
    word: re.Pattern[str]
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    words: Mapping[str, str]
    endings: Mapping[str, str]


def in_words_of_pages(question: str, language: str | None, pages: Words) -> str:
    """Return the question in written language, with its words as pages spell and use them. Raises
    ``IndexUnavailableError``."""
    question = in_written_language(question, language)
    pages.frequencies(analysis.content_words(question, language or ""))  # one request for what follows
    return in_written_words(corrected(question, language, pages), language, pages)


def in_written_language(question: str, language: str | None) -> str:
    """Return the question as it would be written; unchanged in a language without a file."""
    if (spoken := _languages().get(language or "")) is None:
        return question
    question = written_out(question, language)
    opened = spoken.opening.sub("", question)
    for rest in (opened, opened[:-CLOSING_CHARACTERS] + spoken.closing.sub("", opened[-CLOSING_CHARACTERS:])):
        if len(analysis.words(rest)) >= LEAST_WORDS:
            question = rest
    return _with_opening_verbs(question) if language == "de" else question


def written_out(question: str, language: str | None) -> str:
    """Return the question with its words in written form; its opening and ending stay."""
    if (spoken := _languages().get(language or "")) is None:
        return question
    return spoken.word.sub(lambda found: _written(found, spoken), question)


def _with_opening_verbs(question: str) -> str:
    """Return a German question with *geöffnet* in place of *auf*: "Wann hat das Bad auf?", "Wann macht ihr
    zu?". Short prefixes far from their verb say little to models, and pages say *Öffnungszeiten*."""

    def opened(found: re.Match[str]) -> str:
        verb, is_first = found["verb"], found.start("verb") < found.start("prefix")
        stem, participle = _OPEN[found["prefix"].lower()]
        if ending := _MAKES.fullmatch(verb):
            whole = (stem + ending[1]).replace("ee", "e")
            return (whole.capitalize() if verb[0].isupper() else whole) + found["between"]
        return f"{verb}{found['between']} {participle}" if is_first else f"{participle} {verb}"

    return _JOINED.sub(opened, _SEPARATE.sub(opened, question))


def as_sentence(question: str) -> str:
    """Return the question with a capital at its beginning and a punctuation mark at its end."""
    question = question.strip()
    return question[:1].upper() + question[1:] + ("" if _END.search(question) else "?")


def as_price_question(question: str) -> str:
    """Rephrase a question for the amount of a fee or tax as one for its cost; return others unchanged. "Wie
    hoch ist die Hundesteuer?" and "Was kostet die Hundesteuer?" mean the same, but the reader understands
    them differently."""
    return _SUM.sub(lambda found: "was kostet" if found["verb"].lower() == "ist" else "was kosten", question)


def _written(found: re.Match[str], spoken: _Spoken) -> str:
    """Return the written form of a word. Names and nouns, which have a capital, stay unless they begin the
    question; so does a letter of a number ("Hauptstraße 5 n", "u 3") or of an abbreviation ("i. d. R.")."""
    word, before = found[0], found.string[: found.start()].rstrip()
    if before and (not word.islower() or before[-1].isdigit()):
        return word
    if len(word) == 1 and _NO_WORD.match(found.string, found.end()):
        return word
    written = spoken.words.get(word.lower().replace("’", "'"))
    return written or _with_ending(word, spoken)


def _with_ending(word: str, spoken: _Spoken) -> str:
    """Restore the ending of a word that speech swallows after a consonant ("heiratn"), if the dictionary has
    only the completed word."""
    if len(word) < ENDING_LETTERS or _is_known(word, spoken.language):
        return word
    stems = ((word.removesuffix(end), whole) for end, whole in spoken.endings.items() if word.endswith(end))
    others = (stem + whole for stem, whole in stems if stem[-1] not in _VOWELS)
    return next((other for other in others if _is_known(other, spoken.language)), word)


def _is_known(word: str, language: str) -> bool:
    return any(translations(stem, language) for stem in analysis.tokens(word, language))


@cache
def _languages() -> Mapping[str, _Spoken]:
    return {
        language: _Spoken(
            language,
            re.compile("|".join([*_rows(said["words"]), rf"(?<![^\W_]){_WORD}"]), re.IGNORECASE),
            re.compile(rf"^\W*+(?:(?:{_any(said['opening'])})\b(?!-\w)\W*+)++", re.IGNORECASE),
            re.compile(rf"(?:\W++(?:{_any(said['closing'])})\b)++\W*$", re.IGNORECASE),
            said["words"],
            said["endings"],
        )
        for language, said in read_by_language("app.search", "spoken_words").items()
    }


def _rows(spoken: Iterable[str]) -> Iterator[str]:
    """Yield patterns of spoken phrases of several words, because one of the words alone may mean something
    else ("Krieg")."""
    return (rf"(?<![^\W_]){re.escape(words)}\b(?!-\w)" for words in spoken if " " in words)


def _any(phrases: Sequence[str]) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))
