"""Sentences that explain an answer's limits and dates to visitors, in German and English."""

from collections.abc import Iterable, Mapping
from typing import Final

from app.search.types import AbsentAct, Degradation, TimeFilter

_SENTENCES: Final[Mapping[str, Mapping[Degradation, str]]] = {
    "en": {
        "daily_limit": "The answers by the language model that this website has for a day are used up.",
        "rephrase_failed": "The question could not be rephrased; it was searched as asked.",
        "rephrase_rejected": "The rephrased question was not trusted; it was searched as asked.",
        "time_dropped": "A time that the question seemed to name was left aside.",
        "embedder_unavailable": "Search by meaning is not available; only words were searched.",
        "reranker_unavailable": "The pages found could not be compared more closely.",
        "model_unavailable": "The language model did not answer, or not to the end.",
        "keyword_any_word": "No page has all the words; these have some of them.",
        "keyword_no_match": "No page has all these words; these come closest in meaning.",
    },
    "de": {
        "daily_limit": "Die Antworten des Sprachmodells, die diese Website je Tag hat, sind aufgebraucht.",
        "rephrase_failed": "Die Frage konnte nicht umformuliert werden; gesucht wurde im Wortlaut.",
        "rephrase_rejected": "Der umformulierten Frage wurde nicht getraut; gesucht wurde im Wortlaut.",
        "time_dropped": "Eine Zeitangabe, die in der Frage vermutet wurde, blieb unbeachtet.",
        "embedder_unavailable": "Die Suche nach Bedeutung fehlt gerade; gesucht wurde nur nach Wörtern.",
        "reranker_unavailable": "Die gefundenen Seiten konnten nicht genauer verglichen werden.",
        "model_unavailable": "Das Sprachmodell hat nicht oder nicht bis zum Ende geantwortet.",
        "keyword_any_word": "Keine Seite enthält alle Wörter; diese enthalten einige davon.",
        "keyword_no_match": "Keine Seite enthält alle diese Wörter; diese kommen der Bedeutung am nächsten.",
    },
}


def describe(label: Degradation, language: str = "en") -> str:
    """The sentence of the label in ``language``, or in English."""
    return _SENTENCES.get(language, _SENTENCES["en"])[label]


UNTOLD: Final[frozenset[Degradation]] = frozenset({"rephrase_rejected"})
"""Labels of what visitors neither see nor miss: their question was searched as they asked it."""


def visitor_sentences(labels: Iterable[Degradation], language: str = "en") -> list[str]:
    """The sentences of the labels that visitors are told, in ``language`` or in English."""
    return [describe(label, language) for label in labels if label not in UNTOLD]


_TIMES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "at": "The law as of {at}.",
        "from": "Only acts published since {start}.",
        "before": "Only acts published before {end}.",
        "between": "Only acts published from {start} on and before {end}.",
    },
    "de": {
        "at": "Rechtsstand {at}.",
        "from": "Nur Rechtsakte, die ab {start} veröffentlicht wurden.",
        "before": "Nur Rechtsakte, die vor {end} veröffentlicht wurden.",
        "between": "Nur Rechtsakte, die ab {start} und vor {end} veröffentlicht wurden.",
    },
}


_ENDED: Final[Mapping[str, str]] = {
    "en": "no longer applies since {day}",
    "de": "gilt seit {day} nicht mehr",
}


def ended_sentence(language: str = "en") -> str:
    """The note on a text of law that no longer applies, with the placeholder ``{day}``."""
    return _ENDED.get(language, _ENDED["en"])


def time_sentences(language: str = "en") -> Mapping[str, str]:
    """The notes on the time of the law that was searched, by ``at``, ``from``, ``before`` and ``between``,
    with the placeholders ``{at}``, ``{start}`` and ``{end}``."""
    return _TIMES.get(language, _TIMES["en"])


_ABSENT: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "unknown": "Not among the texts searched here: {act}.",
        "since": "On {at} {act} did not apply yet: its first text here is of {since}.",
        "until": "On {at} {act} no longer applied: it ended on {until}.",
    },
    "de": {
        "unknown": "Nicht unter den Texten, die hier durchsucht werden: {act}.",
        "since": "Am {at} galt {act} noch nicht: Der erste Text, den es hier gibt, ist vom {since}.",
        "until": "Am {at} galt {act} nicht mehr: Das Ende war am {until}.",
    },
}


def describe_absent(acts: Iterable[AbsentAct], language: str = "en") -> str:
    """The sentences on acts that a question is about and that are not searched, in ``language`` or English;
    empty without any."""
    sentences = _ABSENT.get(language, _ABSENT["en"])
    return " ".join(
        sentences["since" if act.since else "until" if act.until else "unknown"].format(
            act=f"{act.name} ({act.celex})" if act.name else act.celex,
            at=act.at,
            since=act.since,
            until=act.until,
        )
        for act in acts
    )


def describe_time(time: TimeFilter, language: str = "en") -> str:
    """The notes on the time that was searched, in ``language`` or English; empty for a search without a
    time."""
    sentences = time_sentences(language)
    start, end = time.published_from, time.published_before
    published = {(True, True): "between", (True, False): "from", (False, True): "before"}
    named = ["at" if time.at else None, published.get((bool(start), bool(end)))]
    return " ".join(sentences[name].format(at=time.at, start=start, end=end) for name in named if name)
