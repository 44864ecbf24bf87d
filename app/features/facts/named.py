"""The words of a question that name something; all must appear where a fact is read. Pure functions."""

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from app.chat.text.wording import wording
from app.search import analysis, dictionary
from app.search.ages import LIMITED, without_ages
from app.search.matching_rows import HEAD_LETTERS, AskedWords

_VALUES: Final = {
    name: value
    for value, names in enumerate(
        (
            ("zwei", "two", "beide", "beiden", "both"), ("drei", "three"), ("vier", "four"), ("fünf", "five"),
            ("sechs", "six"), ("sieben", "seven"), ("acht", "eight"), ("neun", "nine"), ("zehn", "ten"),
            ("elf", "eleven"), ("zwölf", "twelve"),
        ),
        start=2,
    )
    for name in names
}  # fmt: skip
_NUMBER: Final = re.compile(rf"\d+|\b(?:{'|'.join(_VALUES)})\b", re.IGNORECASE)
_COUNT: Final = re.compile(
    rf"(?<![\w.,:-])(?P<number>\d{{1,3}}|{'|'.join(_VALUES)})[ -](?P<thing>[^\W\d_]+)", re.IGNORECASE
)
_NOT_COUNTED: Final = frozenset(
    {"uhr", "euro", "euros", "cent", "cents", "bis", "und", "oder", "to", "and", "or"}
)
_LIMIT: Final = re.compile(rf"\b{LIMITED}[\s-]+\d+")
_GENITIVE: Final = re.compile(r"\b((?:des|eines|unseres|dieses)\s+[A-ZÄÖÜ]\w{3,})s\b")
_INFINITIVE: Final = re.compile(r"\b(ab|an|auf|aus|ein|mit|nach|um|vor|weg|zurück)zu([a-zäöüß]{2,}e?n)\b")
_CUT: Final = re.compile(r"\b([^\W\d_]{3,})-\s?(?:und|oder|/|&)\s([^\W\d_]{8,})")
_IN_S: Final = re.compile(r"\b([^\W\d_]{3,}s)(?:e[ns]?)?\b")
"""German word forms that the stemmer does not know: "des Bürgerbüros", "abzumelden", "Kurse"."""

_PERSONS: Final = frozenset({
    "tochter", "sohn", "frau", "mann", "mutter", "vater", "oma", "opa", "enkel", "enkelin", "bruder",
    "schwester", "freund", "freundin", "daughter", "son", "wife", "husband", "mother", "father", "grandma",
    "grandpa", "brother", "sister", "friend",
})  # fmt: skip
"""People on whose behalf something is asked: texts state ages, not relatives."""

SHORT_LETTERS: Final = 3
_UMLAUTS: Final = str.maketrans("äöü", "aou")
_ENDINGS: Final = frozenset({"", "e", "en", "n", "er", "ern", "em", "es", "s", "y", "ies"})


@dataclass(frozen=True, slots=True)
class NamedSubjects:
    """The names in a question: its ``words`` without general ones, its ``limits``, its ``numbers`` without
    ages, and its ``counts`` of things (at least two): "zwei Ausweise"."""

    words: AskedWords
    limits: tuple[str, ...]
    numbers: frozenset[int]
    counts: tuple[tuple[int, str], ...] = ()

    @classmethod
    def of(
        cls, question: str, language: str, page_language: str, beside: frozenset[str] = frozenset()
    ) -> "NamedSubjects":
        """Extract them from a question in ``language`` about a page in ``page_language``.

        ``beside``: words that name nothing in this kind of question.
        """
        plain = _INFINITIVE.sub(r"\1\2", _GENITIVE.sub(r"\1", question)) if language == "de" else question
        told = without_ages(plain).casefold()  # without capitals all words count, not nouns alone
        subjects = {word for word in wording(told, language).subjects if word not in _PERSONS | beside}
        limits = tuple(limit[0] for limit in _LIMIT.finditer(told))
        words = AskedWords(tuple(subjects), (language, page_language))
        return cls(words, limits, _numbers(told), _counts(told))

    def found_in(self, text: str) -> frozenset[str]:
        """Return the words that a text contains. In another language the end of a compound counts too: "dog
        tax" is in *Hundesteuer*."""
        text, languages = _GENITIVE.sub(r"\1", text), self.words.languages
        if languages[1] == "de":
            text = _INFINITIVE.sub(r"\1\2", text)
            text = "\n".join((text, *(f"{word} {word}e" for word in _IN_S.findall(text)), *whole_words(text)))
        found = self.words.words_in(text)
        if languages[0] == languages[1]:
            return found
        stems = analysis.tokens(analysis.without_targets(text), languages[1])
        heads = {
            word: tuple(form for form in dictionary.forms(word, *languages) if len(form) >= HEAD_LETTERS)
            for word in self.words.words
        }
        return found | {word for word, forms in heads.items() if any(stem.endswith(forms) for stem in stems)}

    def is_in(self, text: str) -> bool:
        """Return True if the text contains everything that the question names."""
        return (
            self.found_in(text) == frozenset(self.words.words)
            and self.numbers <= _numbers(text)
            and all(limit in text.casefold() for limit in self.limits)
            and all(self._counts(number, thing, text) for number, thing in self.counts)
        )

    def is_written_in(self, text: str) -> bool:
        """Return True if :meth:`is_in`, and a text in the question's language has every word itself.

        A compound does not count, nor another word with the same stem: "government", "governance".
        """
        if not self.is_in(text) or self.words.languages[0] != self.words.languages[1]:
            return self.is_in(text)
        written = analysis.folded(text)
        return all(any(_is_inflected(word, each) for each in written) for word in self.words.words)

    def _counts(self, number: int, thing: str, text: str) -> bool:
        """Return True if a text has this number of the thing, perhaps in a short form: "120 l"."""
        things = [told for count, told in _counts(text) if count == number]
        short = tuple(each for each in things if len(each) < SHORT_LETTERS)
        asked = AskedWords(tuple(analysis.folded(thing)), self.words.languages)
        return bool(asked.words_in(" ".join(things))) or any(map(thing.startswith, short))


def _is_inflected(word: str, other: str) -> bool:
    """Return True if two folded words differ in nothing but their endings."""
    word, other = word.translate(_UMLAUTS), other.translate(_UMLAUTS)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    return shared >= SHORT_LETTERS and {word[shared:], other[shared:]} <= _ENDINGS


def whole_words(text: str) -> list[str]:
    """Return the compounds that German shortens before "und": *Bauausschuss* for "Bau- und Umweltausschuss".

    The result also contains words that do not exist.
    """
    return [
        f"{start}{end[at:]}"
        for start, end in _CUT.findall(text)
        for at in range(HEAD_LETTERS, len(end) - HEAD_LETTERS + 1)
    ]


def _numbers(text: str) -> frozenset[int]:
    return frozenset(map(_value, _NUMBER.findall(text)))


def _value(number: str) -> int:
    return int(number) if number.isdecimal() else _VALUES[number.casefold()]


def _counts(text: str) -> tuple[tuple[int, str], ...]:
    found = ((_value(each["number"]), each["thing"].casefold()) for each in _COUNT.finditer(text))
    return tuple(each for each in found if each[0] > 1 and each[1] not in _NOT_COUNTED)
