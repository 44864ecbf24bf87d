"""Recognises questions that only greet, thank or say goodbye, in German, English or French.

The whole question must consist of such phrases and the words that go with them. Punctuation, smileys,
drawn-out letters and the spelling of umlauts do not matter. ``Hallo, was kostet ein Pass?`` is a question.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from app.search import analysis
from ingest.text import visible

Greeting = Literal["hello", "thanks", "bye"]

MAX_CHARACTERS: Final = 200
"""A longer text is no greeting."""

_EVERYWHERE: Final = ""
_PHRASES: Final[Mapping[Greeting, Mapping[str, str]]] = {
    "thanks": {
        "de": "danke, dankeschön, danke schön, vielen dank, herzlichen dank, besten dank, tausend dank"
        ", lieben dank, großen dank, schönen dank, dank dir, dank ihnen, dank euch, vergelts gott"
        ", vergelt's gott, merci vilmal, merci vielmal, merci vielmals, danke vilmal, dank schön",
        "en": "thank you, thank u, thankyou, thanks, thx, many thanks, cheers, much appreciated",
        "fr": "merci beaucoup, merci bien, merci infiniment, mille mercis, un grand merci",
        _EVERYWHERE: "merci",
    },
    "bye": {
        "de": "tschüss, tschüssi, tschö, tschau, ade, auf wiedersehen, wiedersehen, auf wiederschauen"
        ", wiederschauen, auf wiederhören, uf wiederluege, baba, pfiat di, pfiat eich, pfiat euch"
        ", pfiati, pfüat di, pfüat euch, pfüat gott, behüt gott, servus baba, bis bald, bis dann, bis später"
        ", bis morgen, bis demnächst, bis zum nächsten mal, bis nächstes mal, mach's gut, machs gut"
        ", macht's gut, machen sie es gut, gute nacht, schönen tag, schönen tag noch, schönen abend"
        ", schönen abend noch, schönes wochenende, schönen feierabend, lebe wohl"
        ", leben sie wohl, lebewohl, alles gute, grüße, viele grüße, liebe grüße, beste grüße"
        ", schöne grüße, lg, mfg, mit freundlichen grüßen, freundliche grüße, hau rein, haut rein",
        "en": "bye, bye-bye, goodbye, good bye, good-bye, see you, see ya, take care, good night, farewell"
        ", so long, have a nice day, have a good day, have a great day, have a nice evening"
        ", have a good evening, have a nice weekend, have a good weekend, have a good one, best regards"
        ", kind regards",
        "fr": "au revoir, à bientôt, à plus, à plus tard, à demain, bonne journée, bonne soirée, bonne nuit",
        _EVERYWHERE: "ciao, ciao ciao, adieu",
    },
    "hello": {
        "de": "hallo, hallöchen, halli hallo, hallihallo, guten tag, guten morgen, guten abend, guten mittag"
        ", schönen guten tag, schönen guten morgen, schönen guten abend, morgen, tach, tag auch, mahlzeit"
        ", moin, moin-moin, mojn, grüß gott, grüßgott"
        ", grüß dich, grüß sie, grüß euch, grüß di, griaß di, griaß eich, griaß god, griaß enk, grüezi"
        ", grüessech, hoi, sali, salü, servus, seavas, habe die ehre, habedere, glück auf, gott zum gruß"
        ", wie geht's, wie gehts, wie geht es dir, wie geht es ihnen, wie geht es euch"
        ", sehr geehrte damen und herren",
        "en": "hello, good morning, good afternoon, good evening, good day, greetings, howdy, how are you"
        ", how do you do, dear sir or madam",
        "fr": "bonjour, bonsoir, coucou, comment allez-vous, ça va, comment ça va",
        _EVERYWHERE: "hi, hey, hej, heya, salut",
    },
}
"""Phrases by kind and language. Of several kinds in one question the first here counts."""

_WITH_ANY: Final = (
    "und and et ok okay oki gut super toll prima perfekt klasse wunderbar spitze alles klar na ja nein great"
    " perfect nice cool fine good no oh ach so nochmal nochmals wieder again noch a ganz sehr auch"
    " liebe lieber liebes dear ihr du sie you zusammen miteinander mitenand zäme zämä alle allen allerseits"
    " leute team bot chatbot assistent assistant there all everyone everybody folks guys tous toutes tout le"
    " monde à monsieur madame mesdames messieurs"
)
_WITH: Final[Mapping[Greeting, str]] = {
    "hello": "einen",
    "thanks": (
        "für die das den deine ihre eure dir ihnen euch schnelle gute tolle nette freundliche rasche prompte"
        " hilfe info infos information informationen auskunft auskünfte antwort antworten unterstützung mühe"
        " rückmeldung beratung war hat mir uns weitergeholfen geholfen hilfreich schon im voraus"
        " for your the that this is was it very much so a lot help helping information answer answers reply"
        " quick kind support helpful useful that's pour votre vos ton l'aide aide réponse réponses"
        " renseignements"
    ),
    "bye": "einen now then for later soon tomorrow dann erst mal",
}

# Letters in smileys: ``:D``, ``;-P``, ``xD``.
_SMILEY: Final = re.compile(r"(?<!\w)(?:[:;=][-^']?[dpo3x]+|xd+|<3+)(?!\w)", re.IGNORECASE)
_MARKS: Final = re.compile("[\u0300-\u036f]+")
_REPEATED: Final = re.compile(r"(\w)\1+")
_SPELT_OUT: Final = re.compile("(?<=[aou])e")


def greeting(question: str) -> Greeting | None:
    """The kind of a question that is only a greeting, else ``None``; ``Danke, tschüss`` is thanks."""
    kinds = {kind for kind, _ in _phrases(question)}
    return next((kind for kind in _PHRASES if kind in kinds), None)


def greeting_language(question: str) -> str | None:
    """The language of a greeting (ISO 639-1); ``None`` for other questions and for ``Hi``."""
    return next((language for _, language in _phrases(question) if language), None)


def _phrases(question: str) -> list[tuple[Greeting, str]]:
    """The greetings in the question with their languages, in its order; empty if it contains anything
    else."""
    text = visible(question).strip()
    if len(text) > MAX_CHARACTERS:
        return []
    words = _words(_SMILEY.sub(" ", text))
    found: list[tuple[Greeting, str]] = []
    others: set[str] = set()
    while words:
        length = next((n for n in range(_LONGEST, 0, -1) if words[:n] in _KNOWN), 0)
        if length:
            found.append(_KNOWN[words[:length]])
        else:
            others.add(words[0])
        words = words[length or 1 :]
    accompanying = _ACCOMPANYING_ANY.union(*(_ACCOMPANYING[kind] for kind, _ in found))
    return found if others <= accompanying else []


def _words(text: str) -> tuple[str, ...]:
    """The words, folded so that ``Tschüß``, ``tschuess`` and ``Tschüüüss`` are equal."""
    folded = unicodedata.normalize("NFD", text.replace("’", "'").casefold())
    folded = _SPELT_OUT.sub("", _REPEATED.sub(r"\1", _MARKS.sub("", folded)))
    return tuple(analysis.words(folded))


def _known() -> Iterable[tuple[tuple[str, ...], tuple[Greeting, str]]]:
    for kind, languages in _PHRASES.items():
        for language, phrases in languages.items():
            for phrase in phrases.split(", "):
                yield _words(phrase), (kind, language)


_KNOWN: Final = dict(_known())
_LONGEST: Final = max(map(len, _KNOWN))
_ACCOMPANYING_ANY: Final = frozenset(_words(_WITH_ANY))
_ACCOMPANYING: Final = {kind: frozenset(_words(words)) for kind, words in _WITH.items()}
