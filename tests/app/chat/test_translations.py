"""A question in a language that pages are not in is searched for in theirs, as the model translates it."""

from collections.abc import Sequence
from datetime import date

import pytest

from app.chat.answer import Answerer
from app.chat.events import DoneEvent, SourcesEvent
from app.chat.model.client import ChatModel
from app.chat.options import ChatOptions
from app.chat.site_search import SiteSearch
from app.search.examples import QuestionExamples, Texts
from app.search.filters import Filters
from app.search.retrieval import ANY_TIME, Hit, Retrieval, TimeFilter
from tests.app.chat.pages import hit, page, retrieval
from tests.fakes.llm import FakeLlm, Reply, rewriting

QUESTION = "Wann öffnet das Freibad im Sommer?"
TRANSLATED = "When does the open-air pool open in summer?"
ANSWER = Reply(deltas=("Nine [1].",))
POOL = hit(page("pool", title="Pool", content="The pool opens at nine."))
TICKETS = hit(page("tickets", title="Tickets", content="Tickets for the pool."), rank=2)
FERRY = hit(page("ferry", title="Ferry", content="The ferry leaves at ten."))
BUS = hit(page("bus", title="Bus", content="The bus is always there."), rank=2)


class Pages(SiteSearch):
    """Retrieval that finds the pool for the translated question, and the ferry for any other one."""

    def __init__(self, languages: Sequence[str] = ("en", "fr", "und"), similarity: float = 0.6) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self._languages = languages
        self._similarity = similarity

    def languages(self) -> Sequence[str]:
        return self._languages

    def similarity(self, question: str, texts: Texts) -> list[float]:
        assert not isinstance(texts, QuestionExamples)
        return [self._similarity] * len(texts)

    def retrieve(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None = None,
        limit: int | None = None,
        keywords: Sequence[str] = (),
        time: TimeFilter = ANY_TIME,
        filters: Filters = (),
    ) -> Retrieval:
        self.asked.append((question, language))
        found: tuple[Hit, ...] = (POOL, TICKETS) if question == TRANSLATED else (FERRY, BUS)
        return retrieval(question, *found)


def found_with(
    pages: Pages, model: ChatModel, *, question: str = QUESTION, translate: bool = True
) -> tuple[list[str], DoneEvent]:
    """The ids of the sources, best first."""
    answerer = Answerer(
        pages,
        model=model,
        options=ChatOptions(rephrase=False, translate=translate),
        today=lambda: date(2026, 11, 23),
    )
    events = list(answerer.stream(question, sources=frozenset({"site"})))
    [found] = [event for event in events if isinstance(event, SourcesEvent)]
    done = events[-1]
    assert isinstance(done, DoneEvent)
    return [source.page.ref.id for source in found.sources], done


def test_a_foreign_question_is_searched_for_in_the_pages_languages(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(rewriting(QUESTION, translations={"en": TRANSLATED, "es": "¿Cuándo abre?"}), ANSWER)
    pages = Pages()
    found, done = found_with(pages, model)
    assert pages.asked == [(QUESTION, "de"), (TRANSLATED, "en")]
    assert (found, done.degraded) == (["pool", "ferry"], ())
    assert "(ISO 639-1) an: en, fr." in llm.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("languages", "translate"), [(("de", "en"), True), ((), True), (("und",), True), (("en",), False)]
)
def test_where_pages_are_in_its_language_or_the_preset_says_so_the_model_is_not_asked(
    llm: FakeLlm, model: ChatModel, languages: Sequence[str], translate: bool
) -> None:
    llm.script(ANSWER)
    pages = Pages(languages)
    found_with(pages, model, translate=translate)
    assert (pages.asked, len(llm.requests)) == ([(QUESTION, "de")], 1)


@pytest.mark.parametrize(
    "reply",
    [
        rewriting(QUESTION),
        rewriting(QUESTION, translations=None),
        rewriting(QUESTION, translations="When?"),
        rewriting(QUESTION, translations={"en": 7, "fr": ""}),
        rewriting(QUESTION, translations={"en": QUESTION}),
        rewriting(QUESTION, translations={"en": f"{TRANSLATED} In 2031?"}),
        rewriting(QUESTION, translations={"en": TRANSLATED + " very" * 200}),
        Reply(deltas=(TRANSLATED,)),
        Reply(status=500),
    ],
)
def test_a_translation_that_is_none_is_not_searched_for(llm: FakeLlm, model: ChatModel, reply: Reply) -> None:
    llm.script(reply, ANSWER)
    pages = Pages()
    found, _ = found_with(pages, model)
    assert ({asked for asked, _ in pages.asked}, found) == ({QUESTION}, ["ferry", "bus"])


def test_a_translation_that_means_something_else_is_not_searched_for(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(rewriting(QUESTION, translations={"en": TRANSLATED}), ANSWER)
    pages = Pages(similarity=0.2)
    found_with(pages, model)
    assert pages.asked == [(QUESTION, "de")]
