"""The wording of follow-ups: which subjects they name, and how far they lean on earlier questions.

Pure functions for German and English. In other languages only subjects are recognised, no leaning.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from app.chat.text import phrases
from app.chat.text.suggestions import SEPARATOR
from app.search import analysis
from app.search.answer_kinds import kind_words

READ_LANGUAGES: Final = ("de", "en")

Leaning = Literal["none", "bound", "weak", "replacing", "strong"]
"""The degree to which a question leans on earlier words.

* ``strong``: it continues them ("and on Sunday?", "what do I need for it?")
* ``replacing``: it names another thing in place of the earlier one ("and a passport?")
* ``weak``: it has a pronoun that may refer to them ("when do they collect paper?")
* ``bound``: it has a pronoun that more likely refers to the question itself ("when do sheep get it?")
"""

MOST_FRAGMENT_WORDS: Final = 5

MOST_SUBJECTS: Final = 4
"""A question with more subjects than this explains its pronouns itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The wording of a question. ``subjects``: the words that may name what it is about, folded, in order;
    ``verbs``: the subjects that say what somebody does ("how long can I *keep* it?").
    ``begins_with_conjunction``: with "and" or the like. ``changes``: it announces a new subject ("another
    question: …"). ``is_fragment``: it only names what an earlier question is asked about now ("and for
    cats?")."""

    subjects: tuple[str, ...]
    leaning: Leaning
    verbs: frozenset[str] = frozenset()
    begins_with_conjunction: bool = False
    changes: bool = False
    is_fragment: bool = False

    @property
    def is_complete(self) -> bool:
        """True if it names its subject itself."""
        return self.changes or (bool(self.subjects) and self.leaning in ("none", "bound"))


_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE: Final = re.compile(r"(?:^|[.!?:]\s+)[^\w]*$")
_CLAUSE_END: Final = re.compile(r"[,.;:!?–]")


def wording(question: str, language: str | None) -> Wording:
    """Return how ``question`` is worded. ``language``: its own, or the conversation's."""
    found = list(_subjects(question, language))
    subjects = tuple(dict.fromkeys(word for word, _ in found))
    if language not in READ_LANGUAGES or SEPARATOR in question:
        return Wording(subjects=subjects, leaning="none")
    if phrases.CHANGE.search(question):
        return Wording(subjects=subjects, leaning="none", changes=True)
    leaning = _leaning(question, language)
    verbs = [word for word, at in found if phrases.VERB.search(question[:at])]
    if leaning in ("none", "bound") and not subjects:
        verbs = [word for word, _ in _subjects(question, language, nouns=False)]
        subjects = tuple(dict.fromkeys(verbs))
    opening = phrases.OPENING.match(question)
    return Wording(
        subjects=subjects,
        leaning=leaning,
        verbs=frozenset(verbs),
        begins_with_conjunction=bool(opening and opening["joins"]),
        is_fragment=leaning in ("replacing", "strong") and _names_only(core(question)),
    )


def core(question: str) -> str:
    """Return the question without the opening that joins it to earlier ones, such as "and" or "I meant"."""
    changed = phrases.CHANGE.search(question)
    rest = question[changed.end() :] if changed else question.lstrip(" ,.;:!?–-")
    opening = phrases.OPENING.match(rest)
    rest = phrases.CORRECTION.sub("", rest[opening.end() :] if opening else rest).strip()
    if rest == question or not _WORD.search(rest):
        return question
    return rest[:1].upper() + rest[1:]


def corrected(question: str) -> str:
    """Return a question that corrects an earlier one ("not the pool, the library") as one about the other
    thing alone ("and the library"); any other question unchanged."""
    found = phrases.INSTEAD.match(question.strip())
    instead = ((found["after"] or found["before"]) if found else "").strip()
    return f"and {instead}" if instead and _names_only(instead) else question


def kinds_of(question: str) -> str:
    """Return the question words and the words that say what kind of text is asked for (an amount, a time);
    empty if it asks for no kind."""
    spans = kind_words(question)
    words = _WORD.finditer(question) if spans else ()
    return " ".join(
        match[0]
        for match in words
        if match[0].casefold() in phrases.QUESTION_WORDS or any(match.start() in span for span in spans)
    )


def without_kinds(question: str) -> str:
    """Return the question without the words that say what kind of text it asks for."""
    spans = sorted(kind_words(question), key=lambda span: span.start)
    starts = [0, *(span.stop for span in spans)]
    ends = [*(span.start for span in spans), len(question)]
    return " ".join(" ".join(question[start:end] for start, end in zip(starts, ends, strict=True)).split())


def _leaning(question: str, language: str) -> Leaning:
    opening = phrases.OPENING.match(question)
    rest = question[opening.end() :] if opening else question
    meant = phrases.CORRECTION.sub("", rest)
    is_opened = meant != rest or bool(opening and (opening["joins"] or opening["about"]))
    words = [match[0].casefold() for match in _WORD.finditer(meant)]
    is_condition = phrases.CONDITION.match(rest) and (is_opened or rest.casefold().startswith("what if"))
    if is_condition and not _has_main_clause(rest):
        return "strong"
    if phrases.ELLIPSIS.match(rest) and not phrases.FINITE & set(words):
        return "strong"
    if _is_fragment(words):
        if re.match(rf"(?!vo[nm]\b){phrases.PREPOSITION}\b", rest, re.IGNORECASE):
            return "strong"
        if is_opened:
            return "replacing"
    return _reference(question, language)


def _names_only(question: str) -> bool:
    """Return True for a fragment that is no condition."""
    return _is_fragment(question.casefold().split()) and not phrases.CONDITION.match(question)


def _has_main_clause(condition: str) -> bool:
    """Return True if a question follows the condition that a text begins with."""
    clauses = [_WORD.findall(clause) for clause in condition.casefold().split(",")[1:]]
    return any(words and words[0] in phrases.QUESTION_WORDS | phrases.FINITE for words in clauses)


def _is_fragment(words: list[str]) -> bool:
    """Return True for a few words without a recognised verb or question word."""
    known = {*words}
    return (
        0 < len(words) <= MOST_FRAGMENT_WORDS
        and not known & phrases.FINITE
        and not known & phrases.QUESTION_WORDS
    )


def _reference(question: str, language: str) -> Leaning:
    """Return how far the question's pronouns and adverbs refer to earlier words."""
    places = [at for _, at in _subjects(question, language)]
    if len(places) > MOST_SUBJECTS:
        return "none"
    expletives = [match.span() for match in phrases.EXPLETIVE.finditer(question)]
    found = list(_WORD.finditer(question))
    leaning: Leaning = "none"
    for number, match in enumerate(found):
        word = match[0].casefold()
        if any(start <= match.start() < end for start, end in expletives):
            continue
        before = [at for at in places if at < match.start()]
        if word in phrases.PLACES or word == "there":
            if not _is_explained(question[: match.start()], language):
                return "strong"
        elif _is_pronoun(question, found, number) or (language == "de" and phrases.SHORT_ES.search(word)):
            is_own = before or (word == "das" and _is_explained(question[: match.start()], language))
            leaning = "bound" if is_own and leaning != "weak" else "weak"
    # "that" cannot stand for a verb.
    things = [at for at in places if not phrases.VERB.search(question[:at])]
    if not things and phrases.THAT.search(question):
        return "strong"
    if phrases.OTHER_ONE.search(question):
        return "strong"
    one = phrases.ONE.search(question)
    if one and not phrases.ANTECEDENT.search(question[: one.start()]):
        return "strong"
    return "weak" if phrases.THAT.search(question) and not phrases.ANTECEDENT.search(question) else leaning


def _is_explained(before: str, language: str) -> bool:
    """Return True if an earlier clause of the question explains an adverb such as "there" or "dafür"."""
    clauses = _CLAUSE_END.split(before)[:-1]
    function = analysis.stop_words(language) | phrases.LIGHT | phrases.QUESTION_WORDS
    return any(word not in function for clause in clauses for word in analysis.folded(clause))


def _is_pronoun(question: str, found: list[re.Match[str]], number: int) -> bool:
    match = found[number]
    word = match[0].casefold()
    if word in phrases.PRONOUNS:
        return word not in ("sie", "ihnen") or match[0].islower()
    if word not in phrases.ARTICLES or question[: match.start()].rstrip().endswith(","):
        return False
    if number + 1 == len(found) or _CLAUSE_END.match(question[match.end() :].lstrip()):
        return True
    following = [each[0] for each in found[number + 1 : number + 4]]
    if following[0].casefold() in analysis.stop_words("de"):
        return True
    return _has_capitals(question) and not any(each[0].isupper() for each in following)


def _has_capitals(question: str) -> bool:
    return any(letter.isupper() for letter in question)


def _subjects(question: str, language: str | None, *, nouns: bool = True) -> Iterator[tuple[str, int]]:
    """Yield the words that may name a subject, folded, with their offsets. In German with capital letters
    these are only nouns, unless ``nouns`` is false; otherwise all words but stop words and the like."""
    found = list(_WORD.finditer(question))
    kinds = kind_words(question)
    names_nouns = nouns and language == "de" and _has_capitals(question)
    for number, match in enumerate(found):
        word = match[0]
        tokens = analysis.folded(word)
        if not tokens or tokens[0] in analysis.stop_words(language or ""):
            continue
        folded = word.casefold()
        if (
            folded in phrases.NO_SUBJECTS
            or phrases.TIMES.fullmatch(folded)
            or any(match.start() in span for span in kinds)
        ):
            continue
        if names_nouns and not _is_noun(question, found, number):
            continue
        yield tokens[0], match.start()


def _is_noun(question: str, found: list[re.Match[str]], number: int) -> bool:
    match = found[number]
    if not match[0][0].isupper():
        return False
    if not _SENTENCE.search(question[: match.start()]):
        return True
    return number + 1 == len(found) or found[number + 1][0].casefold() not in phrases.OF_VERBS
