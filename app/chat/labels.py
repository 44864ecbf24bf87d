"""Sentences that explain an answer's limits and dates to visitors (:mod:`app.chat.text.catalogue`)."""

from collections.abc import Iterable, Mapping
from typing import Final

from app.chat.text.catalogue import FALLBACK_LANGUAGE, TimeNote, texts
from app.search.types import AbsentAct, Degradation, TimeFilter

UNTOLD: Final[frozenset[Degradation]] = frozenset({"rephrase_rejected"})
"""Labels of what visitors neither see nor miss: their question was searched as they asked it."""


def describe(label: Degradation, language: str = FALLBACK_LANGUAGE) -> str:
    """The sentence of the label."""
    return texts(language).degraded[label]


def visitor_sentences(labels: Iterable[Degradation], language: str = FALLBACK_LANGUAGE) -> list[str]:
    """The sentences of the labels that visitors are told."""
    return [describe(label, language) for label in labels if label not in UNTOLD]


def describe_absent(acts: Iterable[AbsentAct], language: str = FALLBACK_LANGUAGE) -> str:
    """The sentences on acts that a question is about and that are not searched; empty without any."""
    sentences = texts(language).absent_act
    return " ".join(
        sentences["since" if act.since else "until" if act.until else "unknown"].format(
            act=f"{act.name} ({act.celex})" if act.name else act.celex,
            at=act.at,
            since=act.since,
            until=act.until,
        )
        for act in acts
    )


def describe_time(time: TimeFilter, language: str = FALLBACK_LANGUAGE) -> str:
    """The notes on the time that was searched; empty for a search without a time."""
    sentences = texts(language).time
    start, end = time.published_from, time.published_before
    published: Mapping[tuple[bool, bool], TimeNote] = {
        (True, True): "between",
        (True, False): "from",
        (False, True): "before",
    }
    named: tuple[TimeNote | None, ...] = (
        "at" if time.at else None,
        published.get((bool(start), bool(end))),
    )
    return " ".join(sentences[name].format(at=time.at, start=start, end=end) for name in named if name)
