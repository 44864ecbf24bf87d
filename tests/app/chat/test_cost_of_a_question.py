"""The cost of a question: few transactions and modules, and nothing of law where there are no acts."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from sqlalchemy import event

from app.chat.service import VisitorQuestion
from app.services import Services
from app.settings.settings import Settings

MOST = 7
MOST_OF_FOLLOW_UP = 8
MOST_MODULES_WITHOUT_PAGES = 66
MOST_MODULES = 80
"""Of the core and ``ingest``, of a question that searches nothing, and of one that is answered with quotes;
steps of features come on top. The first question is not counted: it loads what all share."""

TOWN = frozenset({"town"})


class Counter:
    """Counts transactions."""

    def __init__(self) -> None:
        self.count = 0

    def begun(self, *_connection: object) -> None:
        """Count one."""
        self.count += 1


@pytest.fixture
def services(indexed_site: Path, site_settings: Settings, tmp_path: Path) -> Iterator[Services]:
    """An installation that has answered a question."""
    data = shutil.copytree(indexed_site, tmp_path / "data")
    with Services(site_settings.model_copy(update={"data": data})) as services:
        ask(services, "Is there a library?")
        yield services


def ask(
    services: Services, question: str, sources: frozenset[str] = TOWN, conversation: str | None = None
) -> str:
    """Ask as a visitor of the first site. Returns the conversation."""
    asked = VisitorQuestion(question=question, conversation=conversation, sources=sources)
    exchange = services.chat.service.begin(services.chat.sites.all()[0], asked)
    assert list(exchange.events())
    return exchange.pending.conversation


def test_a_question_and_a_follow_up_take_few_transactions(services: Services) -> None:
    counter = Counter()
    event.listen(services.engine, "begin", counter.begun)
    try:
        conversation = ask(services, "How much is the dog tax for the first dog?")
        assert 0 < counter.count <= MOST
        counter.count = 0
        ask(services, "and for the second?", conversation=conversation)
        assert 0 < counter.count <= MOST_OF_FOLLOW_UP
    finally:
        event.remove(services.engine, "begin", counter.begun)


@pytest.mark.parametrize(
    ("sources", "most"), [(frozenset[str](), MOST_MODULES_WITHOUT_PAGES), (TOWN, MOST_MODULES)]
)
def test_a_question_passes_few_modules_and_none_of_law_where_there_are_no_acts(
    services: Services, sources: frozenset[str], most: int
) -> None:
    seen: set[str] = set()

    def note(frame: FrameType, what: str, _argument: object) -> None:
        name = frame.f_globals.get("__name__", "")
        is_feature = name.startswith("app.features.")
        if what == "call" and name.startswith(("app.", "ingest.")) and not is_feature:
            seen.add(name)

    sys.setprofile(note)
    try:
        ask(services, "How much is the dog tax?", sources)
    finally:
        sys.setprofile(None)
    assert "app.search.site_retriever" in seen
    assert len(seen) <= most
    assert not [name for name in seen if name.startswith(("app.law", "ingest.law"))]
