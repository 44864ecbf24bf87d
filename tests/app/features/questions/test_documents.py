"""The documents of questions pass on what earlier versions stored."""

from datetime import UTC, datetime

from app.features.questions.differences import DifferencesDocument
from app.features.questions.documents import ReplayDocument, StoredQuestionDocument
from app.features.questions.replay import Replay
from app.features.questions.store import QuestionDocument, StoredQuestion

OLD_SOURCE = {"number": 1, "title": "Dog tax", "rank": 1}
OLD_ANSWER = {"answer": "96 euros [1].", "sources": [OLD_SOURCE], "kind": "answered"}
OLD_PROVENANCE = {"model": None, "pages": [OLD_SOURCE]}


def test_a_stored_question_has_the_sources_that_an_earlier_version_listed() -> None:
    record = QuestionDocument(
        id="a1",
        asked_at=datetime(2026, 11, 24, tzinfo=UTC),
        site="town",
        language="en",
        question="How much is it?",
        outcome="answered",
        status="answered",
        answer="96 euros [1].",
        sources=[],
        degraded=[],
        rating="",
        comment="",
    )
    stored = StoredQuestion(
        record=record, conversation="c1", number=1, document=OLD_ANSWER, provenance=OLD_PROVENANCE
    )
    document = StoredQuestionDocument.of(stored).to_json()
    assert document["listed"] == [OLD_SOURCE]
    assert document["provenance"] == OLD_PROVENANCE


def test_a_replay_compares_with_a_version_of_a_page_that_an_earlier_version_stored() -> None:
    page = {"change": "changed", "source": "town", "id": "dog-tax", "language": "en", "read": True}
    versions = {"before": {"sequence": 1}, "now": {"sequence": 2, "hash": "b2"}}
    differences = DifferencesDocument(
        text=True,
        status=False,
        degraded=False,
        order=False,
        pages=[page | versions | {"url": "https://town.example/dog-tax", "title": "Dog tax"}],
        setup={},
    )
    replayed = Replay(
        answer=OLD_ANSWER, outcome="answered", provenance=OLD_PROVENANCE, differences=differences
    )
    document = ReplayDocument.model_validate(replayed).to_json()
    assert document["answer"] == OLD_ANSWER
    [changed] = document["differences"]["pages"]
    assert {name: changed[name] for name in versions} == versions
