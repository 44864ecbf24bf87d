"""Finds the words that say what a text's figures belong to: clauses, content words and conditions.

German and English. A condition, a bound ("under 24"), a paragraph, a letter ("zone B") or another figure
nearby counts as a word, too, in a form that both languages share: ``weekday 0``, ``below 24``, ``=13``.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from app.chat.text.conditions import CONDITION_KINDS, conditions_of
from app.chat.text.figure_keys import Figure
from app.chat.text.figure_kinds import Stated, kinds_of, stated_in, with_unit
from app.chat.text.figures import figures_of
from app.chat.text.numbers import WORDS, values
from app.search import analysis

_LINK: Final = re.compile(r"\]\([^()\n]*\)|<[^<>\n]+>")
_CLAUSE_END: Final = re.compile(
    r"[€£$][\d.,]*\d\.(?=\s[^\W\d_a-z])|[,;:()–—](?=\s)|(?<=\s)[(–—]|\)(?=\W)"
    r"|\s(?=(?:und|sowie|and|but|aber)\s)|(?<!\d)\s(?=(?:oder|or)\s)|(?<=\d)\s(?=(?:oder|or)\s(?!\d))"
)
_OPEN_RANGE: Final = re.compile(r"\b(?:zwischen|between)\s(?:(?!und\s|and\s)\S+\s){1,4}\Z", re.IGNORECASE)
"""The beginning of "between 5 and 10 euros", which is one clause."""

_OPEN_LETTERS: Final = 40
"""The length in which ``_OPEN_RANGE`` is searched for."""

_PARAGRAPH: Final = re.compile(
    r"^\s*\(?(?P<begun>\d{1,2})[.)]\s|(?:Absatz|Abs\.|Nr\.|paragraph|para\.?)\s?(?P<named>\d{1,2})\b"
    r"|(?:§\s?|Artikel\s|Article\s|Art\.\s?)\d+[a-z]?\s?\((?P<bracketed>\d{1,2})\)",
    re.MULTILINE,
)
_BOUND: Final = re.compile(
    r"\b(?:(?P<below>unter|jünger als|weniger als|bis(?: zu)?|under|below|younger than|less than|up to)"
    r"|ab|über|älter als|mehr als|mindestens|from|over|above|older than|more than|at least)"
    rf"\s(?:age of\s)?[€£$]?(?P<number>\d+(?:[.,]\d+)*|(?:{'|'.join(WORDS)})\b)",
    re.IGNORECASE,
)
_HEDGES: Final = frozenset(
    {
        "regel", "regelfall", "grundsätzlich", "generell", "normalerweise", "meist", "meistens", "üblich",
        "üblicherweise", "gewöhnlich", "derzeit", "aktuell", "zurzeit", "momentan", "ungefähr", "höchstens",
        "maximal", "mindestens", "wenigstens", "lediglich", "bereits", "schon", "usually", "normally",
        "generally", "currently", "typically", "approximately", "maximum", "minimum", "most", "between",
        "never", "always", "only", "already", "vorher", "zuvor", "beforehand", "advance", "ahead",
    }
)  # fmt: skip
"""Words that say how certain or exact a figure is, or that it counts back, but nothing about its subject."""

_SHORT_DAY: Final = re.compile(r"\b(?:mo|di|mi|do|fr|sa|so|sat|sun|mon)\b")
"""Words that are days only with a capital letter."""

_DAY_NAME: Final = "mo|di|mi|do|fr|sa|sonnab|so|tu|we|th|su"
_DAYS: Final = re.compile(
    rf"\b(?P<first>{_DAY_NAME})\w*\.?\s?(?:bis|to|–|-)\s?(?P<last>{_DAY_NAME})\w*", re.IGNORECASE
)
_DAY_NUMBERS: Final = {
    name: number
    for number, names in enumerate(("mo", "di tu", "mi we", "do th", "fr", "sa sonnab", "so su"))
    for name in names.split()
}
_NO_CONDITIONS: Final = frozenset({"time", "date", "mail", "host"})
_NAMED_DAYS: Final = {"work": range(5), "end": range(5, 7), "daily": range(7)}
_WITH: Final = re.compile(
    r"\b(?:(?P<with>mit|with)|ohne|without)\s(?:an?\s|eine[mnr]?\s|den\s|the\s)?(?P<noun>[^\W\d_]+)",
    re.IGNORECASE,
)
_OTHERWISE: Final = re.compile(
    r"\b(?:darüber|darunter|sonst|ansonsten|andernfalls|danach"
    r"|above that|otherwise|beyond|after that|afterwards|later)\b",
    re.IGNORECASE,
)
OTHERS: Final = "all others"
_OTHERS: Final = re.compile(
    r"\b(?:(?:alle[nrs]?|die|den|das|für) (?:andere|übrige)[nrs]?|sonst|(?:all|the|for|any) others?"
    r"|(?:everyone|anything|everything) else|otherwise|auswärtige[nrs]?|von außerhalb)\b"
    r"|(?:^|; )(?:andere|sonstige|übrige|others?)(?= ;|$)",
    re.IGNORECASE,
)
"""Words for everything that the clause before does not name."""

_NOT: Final = re.compile(
    r"\b(?:not|no|nicht|keine?[mnrs]?)\s(?:an?\s|the\s|eine?[mnrs]?\s|de[mnr]\s|die\s)?(?P<noun>[^\W\d_]{3,})",
    re.IGNORECASE,
)
_NON: Final = re.compile(r"\b(non|nicht)-(?=[^\W\d_])", re.IGNORECASE)
"""Prefixes that are joined to the word they deny, because *non-resident* must not match *resident*."""

READ_CLAUSES: Final = 512
"""So many clauses' conditions are cached, because all clauses of a sentence are needed for each figure."""

_DAY_LETTERS: Final = len("05-31")
_ALL: Final = re.compile(
    r"\b(?:all|alle[nr]?)\s(?!others?\b|andere|übrige)(?P<noun>[^\W\d_]{3,})", re.IGNORECASE
)
_LETTER: Final = re.compile(r"(?<=\w )[A-Z](?![\w.-])")


def clauses(sentence: str, names: Iterable[Figure] = ()) -> list[str]:
    """Split a sentence into clauses that each have a figure or one of ``names``. A clause with none is joined
    to the next one, or to the last. All clauses joined are the sentence."""
    spans = sorted(figure.span for figure in (*stated_in(sentence), *names))
    cuts = [
        match.end()
        for match in _CLAUSE_END.finditer(sentence)
        if not any(start < match.end() < end for start, end in spans)
        and not _OPEN_RANGE.search(sentence, max(match.end() - _OPEN_LETTERS, 0), match.end())
    ]
    parts: list[str] = []
    begin = 0
    for start, end in pairwise((0, *cuts, len(sentence))):
        if any(start <= first < end for first, _ in spans):
            parts.append(sentence[begin:end])
            begin = end
    if begin < len(sentence):
        parts[-1:] = [(parts[-1] if parts else "") + sentence[begin:]]
    return parts


def without_addresses(text: str) -> str:
    """Return Markdown without the addresses of its links."""
    return _LINK.sub("]", text)


def words_of(text: str, language: str, *, kept: Collection[str] = ()) -> frozenset[str]:
    """Return the stems of a source's content words, and its conditions. ``kept``: kinds of addresses whose
    words count, too."""
    named = named_words(text, language, kept=kept)
    return conditions_in(text).union(*(analysis.tokens(word, language) for word in named))


def named_words(text: str, language: str, kept: Collection[str] = ()) -> list[str]:
    """Return the content words of a text, without the words of figures unless their kind is ``kept``."""
    plain = _NON.sub(r"\1", without_addresses(text))
    spans = (with_unit(figure, plain) for figure in stated_in(plain) if figure.kind not in kept)
    words = dict.fromkeys(analysis.folded(masked(plain, spans)))
    idle = analysis.stop_words(language)
    return [word for word in words if not word[0].isdigit() and word not in idle and word not in _HEDGES]


def masked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text with blanks in place of the ``spans``."""
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


@lru_cache(maxsize=READ_CLAUSES)
def conditions_in(text: str) -> frozenset[str]:
    """Return the conditions, bounds, paragraphs and letters that a text names."""
    plain = without_addresses(text)
    plain = masked(plain, (each.span for each in figures_of(plain) if each.kind in _NO_CONDITIONS))
    named = conditions_of(_SHORT_DAY.sub(" ", plain))
    found = {f"{kind} {name}" for kind, names in named.items() if kind != "bound" for name in names}
    for match in _DAYS.finditer(plain):
        found |= {f"weekday {day}" for day in _days(match["first"], match["last"])}
    for name, days in _NAMED_DAYS.items():
        if f"weekday {name}" in found:
            found.remove(f"weekday {name}")
            found |= {f"weekday {day}" for day in days}
    for match in _WITH.finditer(plain):
        found.add(f"{'with' if match['with'] else 'without'} {match['noun'].casefold()}")
    found |= {
        bound(value, below=bool(match["below"]))
        for match in _BOUND.finditer(plain)
        for value in _value(match)
    }
    found |= {f"all {match['noun'].casefold()}" for match in _ALL.finditer(plain)}
    if _OTHERS.search(plain):
        found.add(OTHERS)
    found |= {f"letter {letter}" for letter in _LETTER.findall(plain)}
    for match in _PARAGRAPH.finditer(plain):
        found.add(f"paragraph {match['begun'] or match['named'] or match['bracketed']}")
    return frozenset(found)


def turned_bounds(clause: str, earlier: str) -> str:
    """Return the bounds of an ``earlier`` text reversed if the clause is about the rest; empty otherwise.

    "Above that 14 euros" after "up to 2 metres 6 euros" is about more than 2 metres.
    """
    if not _OTHERWISE.search(clause):
        return ""
    bounds = (each.split() for each in conditions_in(earlier) if each.startswith(("below ", "from ")))
    return " ; ".join(f"{'from' if kind == 'below' else 'below'} {value}" for kind, value in bounds)


def labels(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind of each figure of a text, and the word for it as context of other figures: ``=24``."""
    stated = kinds_of(without_addresses(text))
    return ((each.kind, f"={_yearless(each)}") for each in stated if each.label)


def _yearless(stated: Stated) -> str:
    return stated.label[-_DAY_LETTERS:] if stated.kind == "date" else stated.label


def unbounded(text: str) -> str:
    """Return the text without its bounds."""
    return _BOUND.sub(" ", text)


def negated_in(text: str) -> list[str]:
    """Return the words that a text negates: *tenant* in "who is not a tenant"."""
    return [match["noun"].casefold() for match in _NOT.finditer(text)]


def is_condition(word: str) -> bool:
    """Return True for a condition of :func:`conditions_in`, and for a word that names one, because both stand
    for the same."""
    kind = word.partition(" ")[0]
    return kind in CONDITION_KINDS or any(conditions_of(word).values())


def bound(value: str, *, below: bool) -> str:
    """Return the condition that something is below a value, or from it up."""
    return f"{'below' if below else 'from'} {value}"


def _value(match: re.Match[str]) -> tuple[str, ...]:
    """Return the value of a bound; empty if it cannot be read."""
    word = WORDS.get(match["number"].casefold())
    return (str(word),) if word else values(match["number"])[-1:]


def _days(first: str, last: str) -> Iterator[int]:
    start, end = _DAY_NUMBERS[first.casefold()], _DAY_NUMBERS[last.casefold()]
    yield from (day % 7 for day in range(start, (end if end >= start else end + 7) + 1))
