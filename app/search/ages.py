"""Ages of persons in questions, and age limits in texts, in German and English.

Pure functions. Neither words nor meaning show if a rule or a price "under 24" or one "from 24" applies to a
person of 19.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

_NAMES: Final = (
    ("ein", "eins", "one"),
    ("zwei", "two"),
    ("drei", "three"),
    ("vier", "four"),
    ("fünf", "five"),
    ("sechs", "six"),
    ("sieben", "seven"),
    ("acht", "eight"),
    ("neun", "nine"),
    ("zehn", "ten"),
    ("elf", "eleven"),
    ("zwölf", "twelve"),
)
_VALUES: Final = {name: value for value, names in enumerate(_NAMES, start=1) for name in names}
_NUMBER: Final = rf"(?:\d{{1,2}}|{'|'.join(sorted(_VALUES, key=len, reverse=True))})"
_YEARS: Final = r"(?:[- ]?(?:jahre?n?\b|j[aä]hrige?\w*|years?\b|yrs?\b))"
_OF_AGE: Final = r"(?:the age of |age |aged |ages )"

_AGE: Final = re.compile(
    rf"\b(?P<a>{_NUMBER})(?:[- ]?j[aä]hrig| jahre? alt\b|[- ]years?[- ]olds?\b)|\baged (?P<b>{_NUMBER})\b"
    r"|\b(?:ist|bin|wird|werde|is|am|i['’]m|turns)"
    r"(?: (?:erst|schon|jetzt|gerade|noch|only|already|now|just))?"
    rf" (?P<c>{_NUMBER})(?=\s*(?:$|[.,;:!?)–-]|und\b|and\b|oder\b|or\b))",
    re.IGNORECASE,
)
_AGE_AND_ENDING: Final = re.compile(rf"(?:{_AGE.pattern})\w*", re.IGNORECASE)
LIMITED: Final = (
    r"(?:unter|unterhalb(?: von)?|bis(?: zu| unter)?|ab|über|mindestens|höchstens|maximal|kein\w*"
    r"|nicht|nie|fast|beinahe|knapp|bald|kaum|demnächst|als|under|below|over|above|than|from|not|never|up to"
    r"|until|at (?:least|most)|almost|nearly|soon|minimum|maximum)"
)
"""Before a number, it makes it a limit of several ages, or denies the age."""

_AFTER_LIMIT: Final = re.compile(
    rf"(?:\b{LIMITED}|\b(?:zwischen|between) {_NUMBER}(?: und| and)?|\d-? (?:bis|to)|[<>≤≥])"
    r"(?:[ -](?:age|ages|aged|the age of|als|mal|einmal|ganz|quite|yet|even|erst|die|der|den))*"
    r"[\s-]*$",
    re.IGNORECASE,
)
_BEFORE_LIMIT: Final = re.compile(
    r"\w*,? (?:(?:und|oder|and|or) (?:jünger|älter|mehr|weniger|darunter|darüber|younger|older|under|over"
    r"|more|less|below|above)|(?:bis|to|und|and)(?: zu)? \d)\b",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(
    rf"\b(?P<low>{_NUMBER})-? (?:bis|to|and|und) (?P<high>{_NUMBER}){_YEARS}"
    rf"|\b{_OF_AGE}(?P<low2>{_NUMBER}) (?:to|and|–) (?P<high2>{_NUMBER})\b",
    re.IGNORECASE,
)
_BELOW: Final = re.compile(
    rf"\b(?:unter|bis unter|j[uü]nger als) (?P<a>{_NUMBER}){_YEARS}"
    rf"|\b(?:under|below|younger than) {_OF_AGE}?(?P<b>{_NUMBER})\b(?! ?[%€])",
    re.IGNORECASE,
)
_UP_TO: Final = re.compile(
    rf"\b(?:bis(?: zu)?|h[oö]chstens|up to|until) {_OF_AGE}?(?P<a>{_NUMBER}){_YEARS}", re.IGNORECASE
)
_FROM: Final = re.compile(
    rf"\b(?:ab|mindestens|at least|from) {_OF_AGE}?(?P<a>{_NUMBER}){_YEARS}"
    rf"|\b(?:from|over|for) {_OF_AGE}(?P<b>{_NUMBER})\b(?! (?:to|and|bis)\b)"
    rf"|\b(?P<c>{_NUMBER})(?: years?)?(?: of age)? (?:or|and) (?:over|older|above)\b",
    re.IGNORECASE,
)
_OLDEST: Final = 150

CACHED_TEXTS: Final = 16_384
"""Cached limits of texts, because questions find the same blocks again and again."""


def ages_stated(question: str) -> tuple[int, ...]:
    """Return the ages of persons, in years, that a question states ("19-jährige", "my son is 4").

    Limits ("unter 24-Jährige", "not yet 24 years old") are no ages.
    """
    return tuple(_first(found) for found in _AGE.finditer(question) if not _is_limit(found))


def without_ages(question: str) -> str:
    """Return the question without the ages of persons that it states; of limits the number stays."""

    def rest(found: re.Match[str]) -> str:
        return next(filter(None, found.groups())) if _is_limit(found) else " "

    return _AGE_AND_ENDING.sub(rest, question)


def _is_limit(found: re.Match[str]) -> bool:
    before, after = found.string[: found.start()], found.string[found.end() :]
    return bool(_AFTER_LIMIT.search(before) or _BEFORE_LIMIT.match(after))


def share_within(ages: Sequence[int], text: str) -> float:
    """Return the share of the ages that are within a limit of the text, 0 to 1; 0 without ages."""
    if not ages:
        return 0.0
    limits = _limits(text)
    return sum(any(low <= age < high for low, high in limits) for age in ages) / len(ages)


def is_excluded(ages: Sequence[int], text: str) -> bool:
    """Return True if the text sets limits and one of the ages is within none of them."""
    limits = _limits(text)
    return bool(limits) and not all(any(low <= age < high for low, high in limits) for age in ages)


@lru_cache(maxsize=CACHED_TEXTS)
def _limits(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_read_limits(text))


def _read_limits(text: str) -> Iterator[tuple[int, int]]:
    """Yield the limits that the text sets, each as its first age and the age after its last."""
    for found in _RANGE.finditer(text):
        low, high = (_value(each) for each in found.groups() if each)
        yield low, high + 1
    rest = _RANGE.sub(" ", text)
    yield from ((0, _first(found)) for found in _BELOW.finditer(rest))
    yield from ((0, _first(found) + 1) for found in _UP_TO.finditer(rest))
    yield from ((_first(found), _OLDEST) for found in _FROM.finditer(rest))


def _first(found: re.Match[str]) -> int:
    return _value(next(filter(None, found.groups())))


def _value(number: str) -> int:
    return int(number) if number.isdigit() else _VALUES[number.casefold()]
