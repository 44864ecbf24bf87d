"""Matches questions to entries: by the words of a phrasing, or by its meaning.

Small models give similar vectors to questions that ask different things about the same subject ("When is the
office open?", "Where is the office?"). So a question must also ask for the same kind of text as the phrasing
and, in German, end in the same particle ("anmelden", "abmelden").
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np
import structlog

from app.errors import EmbedderUnavailableError, PageStoreUnavailableError
from app.features.curation.content import Entry, normalised
from app.features.curation.meaning import QuestionSpace
from app.search import analysis
from app.search.answer_kinds import AnswerKind, asked_kinds
from ingest.types import Vectors

SAME: Final = 0.75
"""From this relevance up two questions are the same (docs/quality.md). Below it, an answer would be given to
questions that it does not answer. To catch more questions, editors add more phrasings."""

EMBEDDED_AT_ONCE: Final = 16
"""Phrasings that one question embeds if they are not cached, which happens after the embedder has changed."""

PARTICLES: Final = frozenset({"an", "ab", "um", "aus", "ein", "auf", "zu", "nach", "vor", "mit"})
NEGATIONS: Final = frozenset(
    {"nicht", "kein", "keine", "keinen", "ohne", "nie", "not", "no", "without", "never"}
)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Properties of the wording that two questions must share besides their meaning."""

    kinds: frozenset[AnswerKind]
    particle: str
    is_negated: bool

    def may_mean(self, other: "Wording") -> bool:
        """Return True unless the words say that the two questions ask for different things."""
        if self.is_negated != other.is_negated:
            return False
        if self.particle and other.particle and self.particle != other.particle:
            return False
        return self.kinds == other.kinds or bool(self.kinds & other.kinds)


def wording(question: str) -> Wording:
    """Return the properties of a question's wording."""
    folded = analysis.folded(question)
    last = folded[-1] if folded else ""
    return Wording(
        kinds=frozenset(asked_kinds(question)),
        particle=last if last in PARTICLES else "",
        is_negated=not NEGATIONS.isdisjoint(folded),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    entry: Entry
    text: str
    wording: Wording


class Phrasings:
    """The phrasings of some entries. Thread-safe."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._rows = [
            _Row(entry=entry, text=text, wording=wording(text))
            for entry in entries
            for text in entry.content.phrasings
        ]
        self._by_words: dict[str, list[Entry]] = defaultdict(list)
        for row in self._rows:
            self._by_words[normalised(row.text)].append(row.entry)
        self._lock = Lock()
        self._vectors: dict[str, Vectors] = {}
        self._missing: dict[str, list[int]] = {}

    def meant(self, question: str, space: QuestionSpace | None) -> list[tuple[float, Entry]]:
        """Return the entries that match a question, nearest first, each with its relevance to the entry's
        nearest phrasing.

        The relevance is 1 if the words are the same. Without a ``space``, and for a question of one or two
        words, only the same words match.
        """
        found = {entry.number: (1.0, entry) for entry in self._by_words.get(normalised(question), ())}
        if space is not None and not analysis.is_short(question):
            for relevance, row in self._near(question, space):
                best = found.get(row.entry.number, (0.0, row.entry))[0]
                found[row.entry.number] = (max(best, relevance), row.entry)
        return sorted(found.values(), key=lambda pair: (-pair[0], pair[1].number))

    def _near(self, question: str, space: QuestionSpace) -> list[tuple[float, _Row]]:
        try:
            vectors = self._matrix(space)
            cosines = vectors @ space.vector(question)
        except (EmbedderUnavailableError, PageStoreUnavailableError) as error:
            log.warning("phrasings_not_compared", message=str(error))
            return []
        base = space.thresholds.base
        near = np.flatnonzero(cosines >= base + SAME * (1 - base))
        if not near.size:
            return []
        asked = wording(question)
        return [
            (min(space.thresholds.relevance(float(cosines[number])), 1.0), self._rows[number])
            for number in near
            if asked.may_mean(self._rows[number].wording)
        ]

    def _matrix(self, space: QuestionSpace) -> Vectors:
        """The vectors of all phrasings, shape ``(n, dims)``.

        Rows that are not embedded yet are 0, so that no question is near them. Each call embeds some more of
        them, one thread at a time.
        """
        key = space.key
        if key in self._vectors and not self._missing[key]:
            return self._vectors[key]
        if self._lock.acquire(blocking=key not in self._vectors):
            try:
                self._fill(space)
            finally:
                self._lock.release()
        return self._vectors[key]

    def _fill(self, space: QuestionSpace) -> None:
        key = space.key
        if key not in self._vectors:
            known = space.known({row.text for row in self._rows})
            vectors = np.zeros((len(self._rows), space.embedder.dims), np.float32)
            for number, row in enumerate(self._rows):
                if row.text in known:
                    vectors[number] = known[row.text]
            self._missing[key] = [number for number, row in enumerate(self._rows) if row.text not in known]
            self._vectors[key] = vectors
        some, later = self._missing[key][:EMBEDDED_AT_ONCE], self._missing[key][EMBEDDED_AT_ONCE:]
        embedded = space.embedded([self._rows[number].text for number in some])
        for number in some:
            self._vectors[key][number] = embedded[self._rows[number].text]
        self._missing[key] = later


def phrasings_of(entries: Collection[Entry]) -> Phrasings | None:
    """Return the phrasings of the entries, or ``None`` if they have none."""
    having = [entry for entry in entries if entry.content.phrasings]
    return Phrasings(having) if having else None
