"""The words of a question that name something; all must appear where a fact is read. Pure functions."""

import re
from dataclasses import dataclass
from typing import Final

from app.chat.text.wording import wording
from app.search import analysis, dictionary
from app.search.ages import without_ages
from app.search.matching_rows import HEAD_LETTERS, AskedWords

_NUMBER: Final = re.compile(r"\d+")
_LIMIT: Final = re.compile(
    r"\b(?:unter|bis(?: zu)?|ab|über|mindestens|höchstens|under|over|from|up to|until|at least) \d+"
)
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


@dataclass(frozen=True, slots=True)
class NamedSubjects:
    """The names in a question: its ``words`` without general ones, its ``limits``, and its ``numbers``
    without ages."""

    words: AskedWords
    limits: tuple[str, ...]
    numbers: frozenset[int]

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
        return cls(AskedWords(tuple(subjects), (language, page_language)), limits, _numbers(told))

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
        )


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
    return frozenset(int(number) for number in _NUMBER.findall(text))
