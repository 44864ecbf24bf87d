"""Judges how far the best page found answers a question."""

from typing import Final

import structlog

from app.errors import EmbedderUnavailableError, PageStoreUnavailableError
from app.search.certainty import certainty, needed_score
from app.search.meaning import Meaning
from app.search.off_topic import OffTopic
from app.search.recorder import record
from app.search.records import CertaintyJudged
from app.search.types import Certainty

log: Final = structlog.get_logger(__name__)


class Answerability:
    """Compares what was found with what visitors ask of no website. Thread-safe."""

    def __init__(self, off_topic: OffTopic) -> None:
        self._off_topic = off_topic

    def judge(self, score: float, meaning: Meaning, *, is_foreign: bool) -> Certainty:
        """Judge by the best page's score. The examples are only compared where they can make a difference.
        ``meaning``: the question's. ``is_foreign``: no page found is in its language.
        """
        off_topic, thresholds = None, meaning.thresholds
        found = certainty(score, 1.0, thresholds)
        if found != "answered":
            off_topic = self._off_topic_relevance(meaning)
            found = certainty(score, off_topic, thresholds, is_foreign=is_foreign)
        needed = needed_score(thresholds, is_foreign=is_foreign)
        record(CertaintyJudged, score=score, off_topic=off_topic, threshold=needed, certainty=found)
        return found

    def _off_topic_relevance(self, meaning: Meaning) -> float:
        """How near the question is to what visitors ask of no website: 1 the same, 0 unrelated."""
        try:
            similarity = self._off_topic.similarity(meaning.vector, meaning.embedder)
            return meaning.thresholds.relevance(similarity)
        except (EmbedderUnavailableError, PageStoreUnavailableError) as error:
            log.warning("off_topic_unknown", message=str(error))
            return 0.0
