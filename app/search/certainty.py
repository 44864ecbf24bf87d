"""Judgement of the best page found: it answers the question, comes near, or is far.

The cosines of small models do not distinguish near misses from answers. They do distinguish small talk and
nonsense: by the best page's score minus the question's relevance to off-topic examples
(:mod:`app.search.examples`).
"""

import re
from collections.abc import Sequence
from typing import Final

import structlog

from app.errors import EmbedderUnavailableError, PageStoreUnavailableError
from app.presets import Thresholds
from app.search.block_reader import LIKELY
from app.search.examples import OffTopic
from app.search.query import Meaning
from app.search.recorder import CertaintyJudged, record
from app.search.retrieval import Certainty, Hit, Retrieval, is_law_best

log = structlog.get_logger(__name__)

SURE_SHARE: Final = 1.08
"""At this multiple of ``Thresholds.answer`` the score alone makes a question count as answered. Words that no
page has are a separate matter (:mod:`app.search.absent_words`)."""

FOREIGN_SHARE: Final = 0.5
FOREIGN_SURE_SHARE: Final = 0.88
"""Multiples of ``Thresholds.answer`` from which a question comes near, and counts as answered, if no page
found is in its language: pages then have its words only in translation. Measured on a website
(docs/quality.md)."""

BLOCK_SHARE: Final = 0.5
"""The needed score is multiplied by this if one block alone counts as an answer, because a single paragraph
of a long page about many things may answer."""

UNLIKELY: Final = 0.2
FOREIGN_UNLIKELY: Final = 0.06
SURELY: Final = 0.65
"""Likelihoods of the likeliest block (:mod:`app.search.block_reader`) that change the judgement:

* below ``UNLIKELY`` (``FOREIGN_UNLIKELY`` if no page found is in the question's language, because the reader
  is then less sure), "answered" becomes "near";
* from ``LIKELY`` up, "near" becomes "answered";
* from ``SURELY`` up, "far" becomes "near".

Measured on ten pools (docs/quality.md). For law ``LIKELY`` alone decides, because scores say little there."""

OFF_TOPIC_WEIGHT: Final = 0.5
"""Measured on two websites (docs/quality.md)."""


_YEAR: Final = re.compile(r"(?<![\w/])((?:19|20)\d\d)(?:\s?[/–-]\s?(\d\d))?(?![\w/])")
"""A year alone, in a date or with the end of a season (2026/27), but not in an act's number (2016/679)."""


def answer_score(score: float, off_topic: float) -> float:
    """Return the best page's score less a share of the question's ``off_topic`` relevance (0 to 1)."""
    return score - OFF_TOPIC_WEIGHT * max(0.0, off_topic)


def needed_score(thresholds: Thresholds, *, is_foreign: bool, block: float = 0.0) -> float:
    """Return the score that a question needs to come near the best page. ``is_foreign``: no page found is in
    its language. ``block``: the relevance of the best of the blocks that were compared with the question; on
    a cold start there may be no time to compare them all."""
    needed = thresholds.answer * (FOREIGN_SHARE if is_foreign else 1.0)
    return needed * BLOCK_SHARE if block >= thresholds.answer * SURE_SHARE else needed


def certainty(
    score: float, off_topic: float, thresholds: Thresholds, *, is_foreign: bool = False, block: float = 0.0
) -> Certainty:
    """Judge the best page by its score; always "answered" if no threshold is known. ``is_foreign`` and
    ``block``: as for :func:`needed_score`."""
    reached = answer_score(score, off_topic)
    sure = thresholds.answer * (FOREIGN_SURE_SHARE if is_foreign else SURE_SHARE)
    if not thresholds.answer or reached >= sure:
        return "answered"
    return "near" if reached >= needed_score(thresholds, is_foreign=is_foreign, block=block) else "far"


def corrected_by_reader(
    found: Certainty, answers: float | None, *, is_foreign: bool = False, is_law: bool = False
) -> Certainty:
    """Return the certainty ``found`` by scores, corrected by the reader. ``answers``: the likelihood of the
    likeliest block, 0 to 1; ``None`` if none was read. ``is_foreign``: as for :func:`needed_score`.
    ``is_law``: the best page is a unit of law."""
    if answers is None:
        return found
    if is_law:
        return "answered" if answers >= LIKELY else "near"
    match found:
        case "answered":
            return "near" if answers < (FOREIGN_UNLIKELY if is_foreign else UNLIKELY) else found
        case "near":
            return "answered" if answers >= LIKELY else found
        case "far":
            return "near" if answers >= SURELY else found


def judged(
    score: float,
    off_topic: float | None,
    answers: float | None,
    thresholds: Thresholds,
    *,
    is_foreign: bool,
    is_law: bool = False,
    block: float = 0.0,
) -> Certainty:
    """Return the certainty by scores (:func:`certainty`), corrected by the reader
    (:func:`corrected_by_reader`). ``off_topic``: counts as 1 if it is unknown."""
    off_topic = 1.0 if off_topic is None else off_topic
    found = certainty(score, off_topic, thresholds, is_foreign=is_foreign, block=block)
    return corrected_by_reader(found, answers, is_foreign=is_foreign, is_law=is_law)


def names_another_year(question: str, page: str) -> bool:
    """Return True if the page's text has years, but none that the question names: the fees of 2027 do not say
    what was due in 2024. A season has both of its years."""
    asked, stated = _years(question), _years(page)
    return bool(asked and stated and asked.isdisjoint(stated))


def _years(text: str) -> set[str]:
    seasons = ((year, year[:2] + end if end else year) for year, end in _YEAR.findall(text))
    return {year for season in seasons for year in season}


def is_unsure(retrieval: Retrieval) -> bool:
    """Return True if the pages found may not answer the question. "far" does not count for law, because its
    thresholds are calibrated on websites."""
    if retrieval.certainty == "far":
        return not is_law_best(retrieval.hits)
    return retrieval.certainty == "near"


class Answerability:
    """Judges if the pages found answer a question, with off-topic examples as contrast. Thread-safe."""

    def __init__(self, off_topic: OffTopic) -> None:
        self._off_topic = off_topic

    def judge(self, score: float, meaning: Meaning, hits: Sequence[Hit], *, is_foreign: bool) -> Certainty:
        """Judge by the best page's score, and by the hits' blocks that were compared with the question and
        read. The question is compared with the off-topic examples only if they can make a difference.
        ``meaning``: the question's. ``is_foreign``: no page found is in its language.
        """
        block = max((block.relevance for hit in hits for block in hit.compared_blocks), default=0.0)
        answers = max((answers for hit in hits for answers in hit.likelihoods.values()), default=None)
        is_law, thresholds = is_law_best(hits), meaning.thresholds
        is_sure = certainty(score, 1.0, thresholds) == "answered"
        off_topic = None if is_sure else self._off_topic_relevance(meaning)
        found = judged(
            score, off_topic, answers, thresholds, is_foreign=is_foreign, is_law=is_law, block=block
        )
        needed = needed_score(thresholds, is_foreign=is_foreign, block=block)
        record(
            CertaintyJudged,
            score=score,
            off_topic=off_topic,
            threshold=needed,
            answers=answers,
            certainty=found,
        )
        return found

    def _off_topic_relevance(self, meaning: Meaning) -> float:
        """Return the question's relevance to off-topic examples: 1 the same, 0 unrelated or unknown."""
        try:
            similarity = self._off_topic.similarity(meaning.vector, meaning.embedder)
            return meaning.thresholds.relevance(similarity)
        except (EmbedderUnavailableError, PageStoreUnavailableError) as error:
            log.warning("off_topic_unknown", message=str(error))
            return 0.0
