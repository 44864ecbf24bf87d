"""The preview of a source below its title: its path, and a snippet around the question's words."""

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from itertools import islice, pairwise
from operator import itemgetter
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from app.chat.text.plain_text import CELL_SEPARATOR, LONGEST_WORD, TextUnit, text_units, with_table_header
from app.search import analysis
from app.search.highlight import highlights
from ingest.text import sentences, visible

PATH_CHARACTERS: Final = 80
SNIPPET_CHARACTERS: Final = 200
SEPARATOR: Final = " › "
ELLIPSIS: Final = "…"

READ_PASSAGES: Final = 10
READ_CHARACTERS: Final = 20_000
READ_SENTENCES: Final = 200
"""Limits of the text that is searched for a snippet, which bound the time."""

READ_AROUND: Final = 400
"""So many characters of Markdown are parsed, rounded up to the end of the line: enough for a snippet."""

CACHED_WORDS: Final = 65_536

EUR_LEX: Final = "eur-lex.europa.eu"

_FILE: Final = re.compile(r"(?i)\.(?:x?html?|php\d?|aspx?|jsp|cgi|md|txt)$")
_INDEXES: Final = frozenset({"index", "default"})
_CELEX: Final = re.compile(r"(?i)celex:(\S+)")
_DESTINATION: Final = re.compile(r"\]\([^)\n]*\)")
_ENDS: Final = (".", "!", "?", "…", ":", '"', "“", "”", "»", ")")


def path(url: str) -> str:
    """Return the URL for people, such as ``otterfurt.example › leisure › pool``, of at most
    ``PATH_CHARACTERS``; for an act on EUR-Lex with its CELEX number and unit. Empty for an invalid URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2].lower().removeprefix("www.")
    places = _act(parts) if host == EUR_LEX else None
    return _fitting([part for part in (_tidy(host), *(places or _segments(parts.path))) if part])


def _segments(address_path: str) -> list[str]:
    *folders, last = address_path.split("/")
    name = _FILE.sub("", _tidy(unquote(last)))
    return [*(_tidy(unquote(folder)) for folder in folders), "" if name.lower() in _INDEXES else name]


def _act(parts: SplitResult) -> list[str] | None:
    """Return the CELEX number and the unit, or None for other URLs."""
    named = parse_qs(parts.query, max_num_fields=50).get("uri", [""])[0]
    celex = _CELEX.match(named)
    return [_tidy(celex[1]), _tidy(unquote(parts.fragment))] if celex else None


def _fitting(parts: Sequence[str]) -> str:
    """Return the parts joined: the first one and as many of the last ones as fit."""
    whole = SEPARATOR.join(parts)
    if len(whole) <= PATH_CHARACTERS:
        return whole
    room = PATH_CHARACTERS - len(SEPARATOR.join([parts[0], ELLIPSIS]))
    kept: list[str] = []
    for part in reversed(parts[1:]):
        room -= len(SEPARATOR) + len(part)
        if room < 0:
            break
        kept.insert(0, part)
    if kept:
        return SEPARATOR.join([parts[0], ELLIPSIS, *kept])
    ends = [parts[0], *parts[-1:]] if len(parts) == 2 else [parts[0], ELLIPSIS, *parts[-1:]]
    return _cut(SEPARATOR.join(ends), PATH_CHARACTERS, "")


def snippet(passages: Iterable[str], question: str, language: str) -> str:
    """Return plain text of the passages (Markdown) around the question's words, at most
    ``SNIPPET_CHARACTERS``.

    It begins with the first sentence that contains most of them, in any form of the passages' ``language``;
    if none contains any, with the first whole sentence. Words that a passage cuts at its start or end are
    left out.
    """
    words = analysis.content_words(question, language)
    wanted = [analysis.forms(word, (language,)) for word in words]
    texts = [
        _DESTINATION.sub("]()", visible(passage[:READ_CHARACTERS]))
        for passage in islice(passages, READ_PASSAGES)
    ]
    units = _units(*_best_line(texts, wanted, language))
    if not units:
        return ""
    ranks = [(_matched(unit.text, wanted, language), not unit.text.startswith(ELLIPSIS)) for unit in units]
    first = ranks.index(max(ranks))
    text = _joined(units[first : _run_end(units, first)])
    return shortened_around(text, words, language)


@lru_cache(maxsize=CACHED_WORDS)
def _stems(word: str, language: str) -> frozenset[str]:
    return frozenset(analysis.tokens(word, language))


def _matched(text: str, wanted: Sequence[Set[str]], language: str) -> int:
    """Return how many of the words the text contains, each in any of its forms."""
    present = frozenset[str]().union(*(_stems(word, language) for word in text.split()))
    return sum(not present.isdisjoint(forms) for forms in wanted)


def _best_line(texts: Sequence[str], wanted: Sequence[Set[str]], language: str) -> tuple[str, int]:
    """Return the text and the offset of the line that the snippet begins with. Because parsing is slow, the
    raw Markdown is compared, and only in lines that may be better than the best so far."""
    forms = frozenset[str]().union(*wanted)
    best, place = (-1, False), ("", 0)
    for text in texts:
        holding = {word for word in set(text.split()) if not forms.isdisjoint(_stems(word, language))}
        start = 0
        for line in text.split("\n"):
            words = line.split()
            if best < (len(holding.intersection(words)), True) and _is_prose(words):
                is_whole = start > 0 or not line[0].islower()
                rank = max(
                    (_matched(sentence, wanted, language), is_whole or number > 0)
                    for number, sentence in enumerate(sentences(line))
                )
                best, place = max((best, place), (rank, (text, start)), key=itemgetter(0))
            start += len(line) + 1
    return place


def _is_prose(words: Sequence[str]) -> bool:
    """Return True if the line has text and is not a heading."""
    return (
        bool(words)
        and words[0][0] != "#"
        and max(map(len, words)) <= LONGEST_WORD
        and any(map(_has_text, words))
    )


def _units(text: str, start: int) -> list[TextUnit]:
    """Return the sentences from a line on, as many as a snippet may need, without cut words at the ends."""
    line = text.find("\n", start)
    stop = text.find("\n", max(line, start + READ_AROUND)) if line >= 0 else -1
    end = stop if stop >= 0 else len(text)
    piece = text[start:end].lstrip()
    units = list(islice(text_units(with_table_header(piece)), READ_SENTENCES))
    texts = [unit.text for unit in units]
    if units and not start and not units[0].listed and texts[0][0].islower():
        texts[0] = f"{ELLIPSIS} {texts[0].partition(' ')[2]}"
    if len(texts) > 1 and end == len(text) and not units[-1].listed and not texts[-1].endswith(_ENDS):
        texts[-1] = f"{texts[-1].rpartition(' ')[0]} {ELLIPSIS}"
    paired = zip(units, texts, strict=True)
    return [replace(unit, text=text) for unit, text in paired if _has_text(text)]


def _has_text(text: str) -> bool:
    return any(map(str.isalnum, text))


def _joined(units: Sequence[TextUnit]) -> str:
    """Return the units as one text, with a separator between list items and rows."""
    parts = [
        f"{CELL_SEPARATOR if unit.listed and before.listed else ' '}{unit.text}"
        for before, unit in pairwise(units)
    ]
    return "".join([units[0].text, *parts])


def _run_end(units: Sequence[TextUnit], start: int) -> int:
    """Return the end of the run of sentences from ``start`` that are under one heading and fit, at least
    one."""
    room, end = SNIPPET_CHARACTERS, start
    while end < len(units) and units[end].heading == units[start].heading:
        room -= len(units[end].text) + (len(CELL_SEPARATOR) if end > start else 0)
        if room < 0:
            break
        end += 1
    return max(end, start + 1)


def shortened_around(text: str, words: Sequence[str], language: str) -> str:
    """Return a text; if it is longer than ``SNIPPET_CHARACTERS``, the piece with most of the words, otherwise
    the beginning."""
    if len(text) <= SNIPPET_CHARACTERS:
        return text
    pieces = highlights(text, words, language)
    if not pieces:
        return _cut(text, SNIPPET_CHARACTERS, " ")
    piece = max(pieces, key=lambda found: len(found.marks)).text
    before = "" if text.startswith(piece) else f"{ELLIPSIS} "
    after = "" if text.endswith(piece) else f" {ELLIPSIS}"
    return _cut(f"{before}{piece.strip()}{after}", SNIPPET_CHARACTERS, " ")


def _cut(text: str, characters: int, space: str) -> str:
    """Return the text cut to ``characters``, after a word if possible, with an ellipsis."""
    if len(text) <= characters:
        return text
    kept = text[: characters - len(ELLIPSIS) - len(space) + 1]
    whole = kept.rpartition(" ")[0] if space else ""
    return f"{(whole or kept[:-1]).rstrip(' -_›')}{space}{ELLIPSIS}"


def _tidy(text: str) -> str:
    return " ".join(visible(text).split())
