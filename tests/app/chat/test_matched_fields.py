"""What a page says beside its content is read and quoted: in every preset, with a model and without."""

import json
from collections.abc import Iterator
from typing import Final

import pytest

from app.background.importer import Importer
from app.chat.events import DoneEvent
from app.presets.collection import Presets
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from ingest.sources.files import FilesSource
from tests.fakes.kept_vectors import kept_vectors
from tests.fakes.llm import FakeLlm, Reply

pytestmark = pytest.mark.slow

SOURCE: Final = "town"
QUESTION: Final = "Wie hoch ist die Gebühr für den Reisepass?"
PRICE: Final = "70 Euro"
SAID: Final = {
    "description": f"Die Gebühr für den Reisepass beträgt {PRICE}, die Bearbeitung dauert fünf Wochen.",
    "keywords": f"Reisepass, Gebühr {PRICE}, Expresspass",
    "name": f"Gebühr für den Reisepass: {PRICE}",
    "title": f"Reisepass, Gebühr {PRICE}",
}
CONTENT: Final = """## Antrag

Den Reisepass beantragen Sie persönlich im Bürgeramt. Bitte bringen Sie ein Foto und den alten Pass mit.

## Gebühr

Für den Reisepass wird eine Gebühr erhoben. Sie ist beim Antrag zu zahlen, bar oder mit Karte.

## Abholung

Der Reisepass liegt nach fünf Wochen zur Abholung bereit. Eine Vollmacht genügt.
"""


@pytest.fixture(scope="module")
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        fake.repeats_questions = True
        fake.default = Reply(deltas=("STATUS: answered\nSiehe dort [1].",))
        yield fake


@pytest.fixture(scope="module", params=SAID)
def services(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, llm: FakeLlm
) -> Iterator[Services]:
    """A site of two pages, one of which says the price in this field alone."""
    folder = tmp_path_factory.mktemp("site")
    page = {"id": "pass", "language": "de", "url": "https://town.example/pass", "title": "Reisepass"}
    other = {"id": "hund", "language": "de", "url": "https://town.example/hund", "title": "Hundesteuer"}
    records = [
        {**page, "markdown": CONTENT, request.param: SAID[request.param]},
        {**other, "markdown": "Die Hundesteuer beträgt 72 Euro im Jahr."},
    ]
    file = folder / "pages.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    settings = load_settings(data=folder / "data", embedder="e5")
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    with Services(settings.model_copy(update={"chat": chat})) as made, kept_vectors(made):
        importer = Importer(store=made.store, indexer=made.indexing.indexer, show=lambda *_: None)
        assert importer.run(FilesSource(SOURCE, str(file))).failures == {}
        yield made


@pytest.mark.parametrize("preset", Presets().names())
def test_what_a_field_says_is_in_the_prompt_and_in_the_answer_without_a_model(
    services: Services, llm: FakeLlm, preset: str
) -> None:
    answerer = services.chat.pipelines.of(SiteSettings(key=preset, preset=preset)).answerer
    llm.requests.clear()
    list(answerer.stream(QUESTION, sources=frozenset({SOURCE})))
    prompt = "\n".join(message["content"] for message in llm.requests[-1]["messages"])
    assert PRICE in prompt
    *_, done = answerer.stream(QUESTION, sources=frozenset({SOURCE}), model_disabled="daily_limit")
    assert isinstance(done, DoneEvent)
    titles = [source.page.title for source in done.sources if source.number in done.citations]
    assert PRICE in "\n".join([done.answer, *titles])
