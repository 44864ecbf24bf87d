"""What people decide about answers comes from a feature; the chat works without one."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from app.chat.events import DoneEvent
from app.feature import Feature
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from ingest.types import Save
from tests.fakes.databases import new_data
from tests.fakes.decisions import EXAMPLE, FIXED_ANSWER, FIXED_ANSWERS, FIXED_QUESTION
from tests.fakes.world import raw_page

SITE = SiteSettings(key="town", language="en", examples=["When does the pool open?"])


def opened(folder: Path, *features: Feature) -> Services:
    settings = load_settings(data=new_data(folder), embedder="hashing", sites=[SITE])
    services = Services(settings, features)
    page = raw_page("hall", {"title": "Town hall", "content": "Anna paints the town hall every ten years."})
    services.store.accept([Save(page=page)])
    services.indexing.indexer.sync_pages()
    return services


def answer(services: Services, question: str) -> DoneEvent:
    *_, done = services.chat.pipelines.of(SITE).answerer.stream(question, sources=frozenset({"town"}))
    assert isinstance(done, DoneEvent)
    return done


@pytest.mark.parametrize(("features", "fixed"), [((), False), ((FIXED_ANSWERS,), True)])
def test_a_feature_decides_where_there_is_one(
    tmp_path: Path, features: Sequence[Feature], fixed: bool
) -> None:
    with opened(tmp_path, *features) as services:
        done, other = answer(services, FIXED_QUESTION), answer(services, "Who is painting the hall?")
        found = services.chat.pipelines.of(SITE).search(FIXED_QUESTION, sources=frozenset({"town"}))
        examples = services.chat.examples(SITE, "en")
    assert (done.answer == FIXED_ANSWER) == fixed
    assert (done.curated is not None and done.curated.entries == (7,)) == fixed
    assert other.curated is None and "Anna paints" in other.answer
    assert [hit.page.ref.id for hit in found.hits] == ["hall"]
    assert examples == [*[EXAMPLE][: int(fixed)], *SITE.examples]
