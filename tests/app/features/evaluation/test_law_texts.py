"""Gold spans of law get their texts from the index."""

from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Final

from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.run import span_texts
from app.features.evaluation.spans import LawSpan
from app.search.embedded import EmbeddedIndex
from ingest.types import PageRef
from tests.contracts.embedded_pages import RECIPE, embedded

OLD: Final = "32022R2065@2022-10-19/art_20"
NEW: Final = "32022R2065@2024-01-01/art_20"
SPAN: Final = LawSpan(
    celex="32022R2065", unit="art_20", version=date(2022, 10, 19), language="en", start=7, end=17
)


def page(identifier: str, language: str) -> PageRef:
    return PageRef(source="law", id=identifier, language=language)


def test_a_span_of_law_is_looked_up_in_its_version_and_language(tmp_path: Path) -> None:
    french, newer = (
        SPAN.model_copy(update={"language": "fr"}),
        SPAN.model_copy(update={"version": date(2024, 1, 1)}),
    )
    too_far, other = SPAN.model_copy(update={"end": 19}), SPAN.model_copy(update={"unit": "art_2"})
    blank = SPAN.model_copy(update={"start": 6, "end": 7})
    with closing(EmbeddedIndex(tmp_path)) as index:
        generation = index.create(RECIPE).number
        index.promote(generation)
        index.write(
            generation,
            [
                embedded(page(OLD, "en"), content="Within six months."),
                embedded(page(OLD, "fr"), content="Durant six mois au moins."),
                embedded(page(NEW, "en"), content="Within one month."),
            ],
        )
        served = [ref for ref, _ in index.refs(generation)]
        questions = [
            PoolQuestion(question="a", spans=(SPAN, french)),
            PoolQuestion(question="b", spans=(newer, too_far, other, blank)),
        ]
        assert span_texts(index, served, questions) == {
            SPAN: "six months",
            french: "six mois a",
            newer: "one month.",
        }
        without_old = [ref for ref in served if ref.id == NEW]
        assert span_texts(index, without_old, questions) == {newer: "one month."}
