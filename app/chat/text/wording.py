"""The wording of follow-ups: which subjects they name, and how far they lean on earlier questions.

Pure functions for German and English. In other languages only subjects are recognised, no leaning.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

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


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_CHANGE: Final = re.compile(
    r"\b(?:(?:ganz )?(?:et)?was (?:ganz )?anderes|(?:andere|neue|n[aä]chste)s? (?:frage|thema)|themenwechsel"
    r"|something (?:completely |totally )?(?:else|different)"
    r"|(?:different|another|new|other|next) (?:topic|subject|question|one|thing|matter))"
    r"\s*[:,.;!–-]+\s*(?=\w)",
    re.IGNORECASE,
)
_REPLIES: Final = ("thx", "nein", "nee", "ja", "yes", "entschuldigung", "sorry")
"""Words that agree to what was said, or correct it."""

_OPENING: Final = re.compile(
    r"^[\s,.!–-]*(?:(?:ok(?:ay)?|gut|danke|vielen dank|thanks|thank you|alles klar|right|so|ach so|achso"
    rf"|aha?|hm+|{'|'.join(_REPLIES)}|k(?= thx)|no(?=,| sorry| i meant))\b[\s,.!–-]*){{0,3}}"
    r"(?:(?P<joins>und|oder|aber|and|or|but)\b[\s,]*)?"
    r"(?P<about>(?:was ist|wie (?:ist|sieht|steht|siehts|stehts)(?: es| das)?(?: denn)?) mit"
    r"|(?:what|how) about)?\b\s*",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(r"^(?:what if|wenn|falls|if|when it|was wenn|was,? falls)\b", re.IGNORECASE)
_PREPOSITION: Final = (
    r"(?:am|an|im|in|ins|f[uü]r|mit|ohne|auf|bei|beim|nach|ab|bis|von|vom|zu|zum|zur|[uü]ber|unter|als|vor"
    r"|w[aä]hrend|for|on|at|with|without|from|after|before|as|during|under|per|pro|je)"
)
_ELLIPSIS: Final = re.compile(
    r"^(?:how (?:much|many|long|often)|wie (?:viele?|lange|teuer|oft|hoch)|wieviel|wann|when|where|wo"
    r"|was(?! f[uü]r (?:ein|'n)))"
    rf" {_PREPOSITION}\b",
    re.IGNORECASE,
)
_FINITE: Final = _set(
    """
    ist sind war waren kann können darf dürfen muss müssen soll sollen wird werden hat haben gibt gibts geht
    gehts kostet kosten braucht brauche brauch brauchen dauert gilt gelten kommt is are was were can could
    may must should will would does do did has have need cost costs take takes
    """
)
_QUESTION_WORDS: Final = _set(
    """
    wer wen wem wessen was wann wo wohin woher womit wofür wie wieso weshalb warum welche welcher welches
    welchen welchem wieviel who whom whose what when where which why how
    """
)
_PLACES: Final = _set(
    """
    da dort dorthin dahin dafür dazu damit davon dabei darauf drauf darin drin daran daraus dagegen this
    these those dieser diese dieses diesen diesem
    """
)
_PRONOUNS: Final = _set(
    """
    es er sie ihn ihm it they them its their he she him her
    """
)
_SHORT_ES: Final = re.compile(r"t['’]s$")
"""The ending of a German verb with "es": "dauert's"."""

_ARTICLES: Final = _set(
    """
    das die der den dem des
    """
)
_OF_VERBS: Final = _set(
    """
    ich du er sie es man wir ihr die der das den dem da dort sich mein meine meinen ein eine einen auch
    """
)
"""After the first word of a question, these show that it is a verb, not a noun."""

_VERB: Final = re.compile(
    r"\b(?:i|you|we|they|he|she|it|who|nobody|somebody|someone|everybody|everyone)"
    r"(?: (?:still|also|ever|never|just|only|then|now|not|already|always))? $",
    re.IGNORECASE,
)
"""The words before an English verb."""

_EXPLETIVE: Final = re.compile(
    r"\b(?:gibt|gab|geht|g[aä]be) es\b|\bda (?:sein|ist|sind)\b|\b(?:is|are|was|were|be|will) there\b"
    r"|\bthere(?:'s|’s| is| are| was| were)\b"
    r"|\bit (?:possible|allowed|true|necessary|ok|okay|worth)\b|\bes (?:m[oö]glich|erlaubt|in ordnung|ok)\b",
    re.IGNORECASE,
)
_THAT: Final = re.compile(
    r"\b(?:for|of|to|with|about|is|was|does|do|if|than|like|after|before|on) that\b"
    r"|\bthat\s*(?:$|[?.!,])|\bthat (?:cost|take|work|include|mean|happen)\b"
    r"|\bthat (?:by|in|on|at|for|if|when|without|with|now|again|too|online|myself)\b"
    r"|^(?:does|is|can|will|would|do) that\b",
    re.IGNORECASE,
)
_ONE: Final = re.compile(
    r"\b(?:get|have|need|buy|book|order|want|use|for|on|in|with|of|apply for) ones?\b", re.IGNORECASE
)
_OTHER_ONE: Final = re.compile(r"\b(?:the \w+|which|this|that|these|those) ones?\b", re.IGNORECASE)
_ANTECEDENT: Final = re.compile(r"\b(?:an?|my|the|your|our) \w", re.IGNORECASE)
_LIGHT: Final = frozenset(_REPLIES) | _set(
    """
    brauch brauche brauchen braucht bringen mitbringen nehmen mitnehmen nimmt zahl zahle zahlen zahlt
    bezahlen kost kosten kostet dauern dauert gibts gehts lässt läuft passen passt passiert kriege kriegen
    kriegt holen heißt heissen finden findet funktioniert sagen lange länger teuer schnell früh früher spät
    später extra genau eigentlich überhaupt ganz erst gar einfach direkt gleich sofort maximal höchstens
    mindestens wirklich danke ok okay leute personen person mal cost costs take takes pay paid long longer
    often early late later soon quickly bring happen happens work works anything nothing exactly actually
    really maximum minimum least people persons still right thank till apply start end find say mean count
    counts look looking come came way no k meinte meine meint
    meant stuff things sachen rein raus hinein heraus lang already bereits top zweit dritt viert nächste
    nächsten nächster nächstes next letzte letzten last
    """
)
"""Words that name no subject: verbs and adverbs of any question, and words that agree or correct."""

_COMPARED: Final = _set(
    """
    billiger günstiger teurer schneller länger kürzer mehr weniger größer kleiner besser cheaper faster
    quicker longer shorter more less bigger smaller better
    """
)
"""These compare with what was said, if the question names only one thing."""

_CORRECTION: Final = re.compile(
    r"\b(?:meinte|meine) ich\b|\bich (?:meinte|meine)\b|\bi meant\b", re.IGNORECASE
)

_INSTEAD: Final = re.compile(
    r"^(?:(?:nein|nee|no|sorry)\b[\s,.!–-]*)?(?:nicht|net|not)\s+[^,.;:!?–]{1,40}?"
    r"\s*(?:[,.;!–-]+\s*(?:sondern\b|but\b)?|\bsondern\b|\bbut\b)\s*(?P<after>[^\W_].*)"
    r"|^(?P<before>[^,.;:!?–]{1,40}),\s*(?:(?:und|and)\s+)?(?:nicht|net|not)\s+[^,.;:!?–]{1,40}[.!?]*$",
    re.IGNORECASE,
)
"""A correction: "not the pool, the library", "the library, not the pool"."""

_ASPECTS: Final = _set(
    """
    ausnahme ausnahmen ermäßigung ermäßigungen rabatt rabatte unterlagen dokumente papiere nachweis nachweise
    voraussetzung voraussetzungen bedingung bedingungen kosten gebühr gebühren preis preise frist fristen
    dauer formular formulare öffnungszeiten adresse telefonnummer nummer kontakt ansprechpartner
    exception exceptions exemption exemptions discount discounts reduction reductions concession concessions
    document documents papers proof requirement requirements condition conditions fee fees price prices
    deadline deadlines form forms hours address phone number contact rules
    """
)
"""Aspects of a subject: nobody asks for "exceptions" alone."""

_NO_SUBJECTS: Final = _LIGHT | _COMPARED | _ASPECTS

_TIMES: Final = re.compile(
    r"(?:mon|diens|donners|frei|sams|sonn|feier|werk|wochen)tage?s?n?|mittwochs?|wochenenden?"
    r"|heute|morgen|übermorgen|abends?|morgens|mittags?|vormittags?|nachmittags?|nachts?|sommers?|winters?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun|week|holi)days?|weekends?|today|tomorrow|tonight|evenings?|mornings?"
    r"|afternoons?|summers?|winters?|uhr|days?|weeks?|months?|years?|hours?|minutes?|tage?n?|wochen?|monate?n?"
    r"|jahre?n?|stunden?|minuten?"
    r"|januar|jänner|februar|märz|april|mai|juni|juli|august|(?:septem|novem)ber|o[ck]tober|de[zc]ember"
    r"|january|february|march|may|june|july"
    r"|eins?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|two|three|four|five|six|seven|eight|nine|ten|\d+"
)
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE: Final = re.compile(r"(?:^|[.!?:]\s+)[^\w]*$")
_CLAUSE_END: Final = re.compile(r"[,.;:!?–]")


def wording(question: str, language: str | None) -> Wording:
    """Return how ``question`` is worded. ``language``: its own, or the conversation's."""
    found = list(_subjects(question, language))
    subjects = tuple(dict.fromkeys(word for word, _ in found))
    if language not in READ_LANGUAGES or SEPARATOR in question:
        return Wording(subjects=subjects, leaning="none")
    if _CHANGE.search(question):
        return Wording(subjects=subjects, leaning="none", changes=True)
    leaning = _leaning(question, language)
    verbs = [word for word, at in found if _VERB.search(question[:at])]
    if leaning in ("none", "bound") and not subjects:
        verbs = [word for word, _ in _subjects(question, language, nouns=False)]
        subjects = tuple(dict.fromkeys(verbs))
    opening = _OPENING.match(question)
    return Wording(
        subjects=subjects,
        leaning=leaning,
        verbs=frozenset(verbs),
        begins_with_conjunction=bool(opening and opening["joins"]),
        is_fragment=leaning in ("replacing", "strong") and _names_only(core(question)),
    )


def core(question: str) -> str:
    """Return the question without the opening that joins it to earlier ones, such as "and" or "I meant"."""
    changed = _CHANGE.search(question)
    rest = question[changed.end() :] if changed else question.lstrip(" ,.;:!?–-")
    opening = _OPENING.match(rest)
    rest = _CORRECTION.sub("", rest[opening.end() :] if opening else rest).strip()
    if rest == question or not _WORD.search(rest):
        return question
    return rest[:1].upper() + rest[1:]


def corrected(question: str) -> str:
    """Return a question that corrects an earlier one ("not the pool, the library") as one about the other
    thing alone ("and the library"); any other question unchanged."""
    found = _INSTEAD.match(question.strip())
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
        if match[0].casefold() in _QUESTION_WORDS or any(match.start() in span for span in spans)
    )


def without_kinds(question: str) -> str:
    """Return the question without the words that say what kind of text it asks for."""
    spans = sorted(kind_words(question), key=lambda span: span.start)
    starts = [0, *(span.stop for span in spans)]
    ends = [*(span.start for span in spans), len(question)]
    return " ".join(" ".join(question[start:end] for start, end in zip(starts, ends, strict=True)).split())


def _leaning(question: str, language: str) -> Leaning:
    opening = _OPENING.match(question)
    rest = question[opening.end() :] if opening else question
    meant = _CORRECTION.sub("", rest)
    is_opened = meant != rest or bool(opening and (opening["joins"] or opening["about"]))
    words = [match[0].casefold() for match in _WORD.finditer(meant)]
    is_condition = _CONDITION.match(rest) and (is_opened or rest.casefold().startswith("what if"))
    if is_condition and not _has_main_clause(rest):
        return "strong"
    if _ELLIPSIS.match(rest) and not _FINITE & set(words):
        return "strong"
    if _is_fragment(words):
        if re.match(rf"(?!vo[nm]\b){_PREPOSITION}\b", rest, re.IGNORECASE):
            return "strong"
        if is_opened:
            return "replacing"
    return _reference(question, language)


def _names_only(question: str) -> bool:
    """Return True for a fragment that is no condition."""
    return _is_fragment(question.casefold().split()) and not _CONDITION.match(question)


def _has_main_clause(condition: str) -> bool:
    """Return True if a question follows the condition that a text begins with."""
    clauses = [_WORD.findall(clause) for clause in condition.casefold().split(",")[1:]]
    return any(words and words[0] in _QUESTION_WORDS | _FINITE for words in clauses)


def _is_fragment(words: list[str]) -> bool:
    """Return True for a few words without a recognised verb or question word."""
    known = {*words}
    return 0 < len(words) <= MOST_FRAGMENT_WORDS and not known & _FINITE and not known & _QUESTION_WORDS


def _reference(question: str, language: str) -> Leaning:
    """Return how far the question's pronouns and adverbs refer to earlier words."""
    places = [at for _, at in _subjects(question, language)]
    if len(places) > MOST_SUBJECTS:
        return "none"
    expletives = [match.span() for match in _EXPLETIVE.finditer(question)]
    found = list(_WORD.finditer(question))
    leaning: Leaning = "none"
    for number, match in enumerate(found):
        word = match[0].casefold()
        if any(start <= match.start() < end for start, end in expletives):
            continue
        before = [at for at in places if at < match.start()]
        if word in _PLACES or word == "there":
            if not _is_explained(question[: match.start()], language):
                return "strong"
        elif _is_pronoun(question, found, number) or (language == "de" and _SHORT_ES.search(word)):
            is_own = before or (word == "das" and _is_explained(question[: match.start()], language))
            leaning = "bound" if is_own and leaning != "weak" else "weak"
    # "that" cannot stand for a verb.
    things = [at for at in places if not _VERB.search(question[:at])]
    if not things and _THAT.search(question):
        return "strong"
    if _OTHER_ONE.search(question):
        return "strong"
    one = _ONE.search(question)
    if one and not _ANTECEDENT.search(question[: one.start()]):
        return "strong"
    return "weak" if _THAT.search(question) and not _ANTECEDENT.search(question) else leaning


def _is_explained(before: str, language: str) -> bool:
    """Return True if an earlier clause of the question explains an adverb such as "there" or "dafür"."""
    clauses = _CLAUSE_END.split(before)[:-1]
    function = analysis.stop_words(language) | _LIGHT | _QUESTION_WORDS
    return any(word not in function for clause in clauses for word in analysis.folded(clause))


def _is_pronoun(question: str, found: list[re.Match[str]], number: int) -> bool:
    match = found[number]
    word = match[0].casefold()
    if word in _PRONOUNS:
        return word not in ("sie", "ihnen") or match[0].islower()
    if word not in _ARTICLES or question[: match.start()].rstrip().endswith(","):
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
        if folded in _NO_SUBJECTS or _TIMES.fullmatch(folded) or any(match.start() in span for span in kinds):
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
    return number + 1 == len(found) or found[number + 1][0].casefold() not in _OF_VERBS
