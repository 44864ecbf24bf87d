"""Stores groups of questions that mean the same, for editors, from each site's newest questions."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import numpy as np
from sqlalchemy import LargeBinary, and_, case, cast, delete, insert, select, update

from app.chat.outcomes import GAPS
from app.chat.provenance import read_vector, vector_bytes
from app.chat.redaction import redacted
from app.chat.text.chitchat import greeting
from app.features.questions.gap_notes import carry_on
from app.features.questions.grouping import by_centrality, grouped, joined
from app.features.questions.tables import groupings, question_groups
from app.pages.bulk import chunks
from app.pages.database import Store, reading, writing
from app.pages.question_tables import answer_records, answers, questions
from app.search.analysis import tokens
from ingest.types import Vectors

DAYS: Final = 30
MOST: Final = 5_000
"""The most questions of a site that are grouped, the newest first."""

_SLOT: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question to be grouped. ``vector``: float32, unit length, ``None`` if none of the present embedder is
    stored. ``missing``: the stems of its words that no page has, if it was not answered well."""

    answer: str
    site: str
    vector: Vectors | None
    missing: str = ""


class QuestionGroups(Store):
    """The groups in ``engine``. Every method may raise ``PageStoreUnavailableError``."""

    def request(self) -> None:
        """Have the questions grouped in the background."""
        self._note(requested_at=self._clock())

    def is_requested(self) -> bool:
        """Return True if the questions are to be grouped."""
        row = self._row(select(groupings.c.requested_at))
        return row is not None and row.requested_at is not None

    def candidates(self, recipe: str) -> list[AskedQuestion]:
        """Return each site's newest questions, the newest first. ``recipe``: the hash of the embedder's."""
        since = self._clock() - timedelta(days=DAYS)
        kept = and_(answer_records.c.answer == questions.c.answer, answer_records.c.recipe == recipe)
        vector = cast(answer_records.c.vector, LargeBinary).label("vector")  # in SQLite it may be a text
        of_gaps = case((questions.c.outcome.in_(GAPS), answers.c.document)).label("document")
        own = (questions.c.answer, questions.c.site, questions.c.language, questions.c.words)
        query = (
            select(*own, vector, of_gaps)
            .join(answers, answers.c.id == questions.c.answer)
            .join(answer_records, kept, isouter=True)
            .where(questions.c.asked_at >= since)
            .order_by(questions.c.asked_at.desc(), questions.c.answer.desc())
            .limit(MOST)
        )
        with reading(self._engine) as connection:
            sites = connection.execute(select(questions.c.site).distinct()).scalars().all()
            found = [
                row
                for site in sites
                for row in connection.execute(query.where(questions.c.site == site))
                if not greeting(row.words)
            ]
        return [
            AskedQuestion(
                answer=row.answer,
                site=row.site,
                vector=read_vector(row.vector),
                missing=_missing(row.document, row.language),
            )
            for row in found
        ]

    def texts(self, asked: Collection[str]) -> dict[str, str]:
        """Return the texts of these questions, redacted."""
        found: dict[str, str] = {}
        with reading(self._engine) as connection:
            for chunk in chunks(sorted(asked)):
                query = select(answers.c.id, answers.c.question).where(answers.c.id.in_(chunk))
                found |= {row.id: redacted(row.question) for row in connection.execute(query)}
        return found

    def keep_vectors(self, recipe: str, vectors: Mapping[str, Vectors]) -> None:
        """Store these questions' vectors, except for questions that were deleted meanwhile."""
        for chunk in chunks(sorted(vectors)):
            with writing(self._engine) as connection:
                for answer in _kept(connection, chunk):
                    values = {"recipe": recipe, "vector": vector_bytes(vectors[answer])}
                    same = answer_records.c.answer == answer
                    if not connection.execute(update(answer_records).where(same).values(values)).rowcount:
                        connection.execute(insert(answer_records).values(answer=answer, **values))

    def keep(self, groups: Mapping[str, tuple[int, int]], left: int) -> None:
        """Replace all groups by these: each question's group and rank, except for questions that were deleted
        meanwhile. ``left``: how many questions have no vector."""
        with writing(self._engine) as connection:
            connection.execute(delete(question_groups))
            for chunk in chunks(sorted(groups)):
                rows = [
                    {"answer": answer, "number": groups[answer][0], "rank": groups[answer][1]}
                    for answer in _kept(connection, chunk)
                ]
                if rows:
                    connection.execute(insert(question_groups), rows)
            carry_on(connection)
        self._note(requested_at=None, made_at=self._clock(), questions=len(groups), left=left)

    def _note(self, **values: Any) -> None:
        with writing(self._engine) as connection:
            if not connection.execute(update(groupings).values(values)).rowcount:
                connection.execute(insert(groupings).values(slot=_SLOT, **values))


def group(asked: Sequence[AskedQuestion], least: float) -> dict[str, tuple[int, int]]:
    """Return the number of each question's group and its rank within it, without questions that have no
    vector. ``least``: the lowest mean cosine of groups that are merged. Groups about the same missing words
    become one; questions of different sites never meet."""
    found: dict[str, tuple[int, int]] = {}
    first = 0
    for site in sorted({each.site for each in asked}):
        own = [each for each in asked if each.site == site and each.vector is not None]
        if not own:
            continue
        vectors = np.array([each.vector for each in own], dtype=np.float32)
        distinct, places = np.unique(vectors, axis=0, return_inverse=True)
        labels = joined(grouped(distinct, least)[places.ravel()], [each.missing for each in own])
        ranks = by_centrality(vectors, labels)
        for each, label, rank in zip(own, labels, ranks, strict=True):
            found[each.answer] = (first + int(label), int(rank))
        first += int(labels.max()) + 1
    return found


def _missing(document: str | None, language: str) -> str:
    """Return the stems of the words that an answer's ``document`` calls absent; empty without one."""
    words = json.loads(document).get("absent_words", []) if document else []
    return " ".join(sorted({stem for word in words for stem in tokens(word, language)}))


def _kept(connection: Any, asked: Sequence[str]) -> list[str]:
    """Return the questions that still exist, locked so that they stay until the transaction ends."""
    query = select(answers.c.id).where(answers.c.id.in_(asked)).with_for_update(read=True, key_share=True)
    return list(connection.execute(query).scalars())
