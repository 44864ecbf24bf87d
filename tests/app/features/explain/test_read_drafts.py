"""A draft is read with the question, as pages of a search are: its subject alone is no answer."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from app.features.explain.drafts import Draft, DraftAnswer
from app.features.explain.services import ExplainServices
from app.services import Services
from tests.fakes.kept_vectors import kept_vectors
from tests.fakes.sample_site import SOURCE, indexed

pytestmark = pytest.mark.slow

QUESTION = "Was kostet ein Reisepass für Kinder?"
TOLD = "<p>Ein Reisepass für Kinder kostet 37,50 Euro. Er gilt sechs Jahre.</p>"
UNTOLD = "<p>Für den Reisepass bringen Sie bitte ein aktuelles Lichtbild mit.</p>"


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """The sample site with the bundled embedder."""
    settings = indexed(tmp_path_factory.mktemp("sample"))
    with Services(settings) as made, kept_vectors(made):
        yield made


def answered(services: Services, html: str) -> DraftAnswer:
    """What a draft about passports says to the question."""
    draft = Draft(source=SOURCE, language="de", title="Reisepass für Kinder", html=html)
    [found] = services.feature(ExplainServices).drafts.ask_for_cms(draft, QUESTION).answers
    return found


def test_a_draft_that_does_not_tell_what_is_asked_is_less_sure_than_one_that_does(services: Services) -> None:
    assert answered(services, TOLD).certainty == "answered"
    assert answered(services, UNTOLD).certainty != "answered"
    assert answered(services, "<p>…</p>").certainty != "answered"


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Wer ist der Bürgermeister?"),
        ("fr", "Quand ont lieu les élections ?"),
        ("es", "¿Cuándo circula el autobús?"),
    ],
)
def test_a_draft_of_a_page_is_as_certain_as_the_page(
    services: Services, language: str, question: str
) -> None:
    asked = SimpleNamespace(question=question, language=language)
    questions: Any = SimpleNamespace(all=lambda _chosen: [asked])
    desk = replace(services.feature(ExplainServices).drafts, questions=questions)
    retriever = desk.pipelines.of(desk.inspector.site_of_source(SOURCE, "")).retriever
    found = retriever.retrieve(question, sources=frozenset({SOURCE}))
    page = found.hits[0].page
    draft = Draft(
        source=SOURCE,
        id=page.ref.id,
        language=page.ref.language,
        title=page.fields["title"],
        text=page.fields["content"],
    )
    [answer] = desk.ask(draft).unanswered
    assert answer.certainty == found.certainty == "answered"
