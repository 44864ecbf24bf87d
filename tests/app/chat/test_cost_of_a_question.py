"""The cost of a question: few transactions, and nothing of law where there are no acts."""

import shutil
import sys
from pathlib import Path
from types import FrameType

from sqlalchemy import event

from app.chat.service import VisitorQuestion
from app.services import Services
from app.settings.settings import Settings

MOST = 5
MOST_OF_FOLLOW_UP = 5


class Counter:
    """Counts transactions."""

    def __init__(self) -> None:
        self.count = 0

    def begun(self, *_connection: object) -> None:
        """Count one."""
        self.count += 1


def test_a_question_and_a_follow_up_take_few_transactions(
    indexed_site: Path, site_settings: Settings, tmp_path: Path
) -> None:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    with Services(site_settings.model_copy(update={"data": data})) as services:
        site = services.chat.sites.all()[0]

        def transactions(question: str, conversation: str | None = None) -> tuple[int, str]:
            counter = Counter()
            asked = VisitorQuestion(question=question, conversation=conversation)
            event.listen(services.engine, "begin", counter.begun)
            try:
                exchange = services.chat.service.begin(site, asked)
                assert list(exchange.events())
            finally:
                event.remove(services.engine, "begin", counter.begun)
            return counter.count, exchange.pending.conversation

        transactions("Is there a library?")
        count, conversation = transactions("How much is the dog tax for the first dog?")
        assert 0 < count <= MOST
        assert 0 < transactions("and for the second?", conversation)[0] <= MOST_OF_FOLLOW_UP


def test_a_site_without_acts_is_searched_without_law(site_services: Services) -> None:
    seen: set[str] = set()

    def note(frame: FrameType, *_what: object) -> None:
        seen.add(frame.f_globals.get("__name__", ""))

    answerer = site_services.chat.default.answerer
    sys.setprofile(note)
    try:
        assert list(answerer.stream("How much is the dog tax?", sources=frozenset({"town"})))
    finally:
        sys.setprofile(None)
    assert "app.search.site_retriever" in seen
    assert not [name for name in seen if name.startswith(("app.law", "ingest.law"))]
