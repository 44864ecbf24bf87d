"""The first paragraph of a page that is missing, by a language model: nothing unchecked stands unmarked."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.chat.source_items import SourceItem
from app.features.explain.paragraph import checked
from app.features.questions.services import QuestionServices
from app.search.types import IndexedPage
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.settings import Settings
from ingest.types import PageRef
from tests.app.console.conftest import SITES, Console
from tests.app.features.explain.test_draft_api import asked
from tests.app.features.explain.test_draft_page import text
from tests.app.web.browser import soup
from tests.fakes.llm import FakeLlm, Reply

MARK = "[please check]"
QUESTION = "Which dog tax do two dogs pay, and until when?"
TEXTS = {
    "tax": (
        "Dog tax",
        "The dog tax is 96 euros a year for the first dog and 144 euros for each further dog.",
    ),
    "pool": ("Pool [outdoor]", "The outdoor pool opens daily from 9 am to 8 pm between May and September."),
}


def source(number: int, name: str) -> SourceItem:
    title, content = TEXTS[name]
    page = IndexedPage(
        ref=PageRef(source="town", id=name, language="en"),
        document=name,
        sequence=1,
        url=f"https://town.example/{name}",
        kind="page",
        updated=None,
        fields={"title": title, "content": content},
    )
    return SourceItem(number=number, page=page, similarity=None, used=True, text=content)


SOURCES = [source(1, "tax"), source(2, "pool")]


def check(reply: str) -> str:
    return checked(reply, SOURCES, questions=[QUESTION], language="en", mark=MARK)


@pytest.mark.parametrize(
    "reply",
    [
        "The dog tax is 96 euros a year for the first dog [1].",
        "The dog tax is 96 euros a year for the first dog. [1]\n",
    ],
)
def test_a_sentence_that_its_page_says_links_to_it(reply: str) -> None:
    link = "([Dog tax](https://town.example/tax))"
    assert check(reply) == f"The dog tax is 96 euros a year for the first dog. {link}"


@pytest.mark.parametrize(
    "reply",
    [
        "The dog tax is 96 euros a year for the first dog.",
        "The dog tax is 95 euros a year for the first dog [1].",
        "The dog tax is 96 euros a year for the first dog [2].",
        "The dog tax is 144 euros a year for the first dog [1].",
        "The dog tax is 96 euros a year for the first dog [7].",
        "The outdoor pool opens daily [1].",
        "Every citizen receives wonderful presents [1].",
        "See [this page](https://evil.example) about the dog tax for the first dog [1].",
    ],
)
def test_a_sentence_that_its_page_does_not_say_is_marked(reply: str) -> None:
    assert check(reply).endswith(f" {MARK}")
    assert "](https://town" not in check(reply)


def test_each_sentence_is_checked_for_itself() -> None:
    found = check(
        "The outdoor pool opens daily from 9 am [2]. It costs 3 euros. The tax is 96 euros a year [1]."
    )
    assert found.count(MARK) == 1
    assert "([Pool outdoor](https://town.example/pool)) It costs 3 euros. [please check] The tax" in found


@pytest.mark.parametrize("reply", ["", "-", " - \n", "[1]"])
def test_a_model_that_says_nothing_writes_nothing(reply: str) -> None:
    assert check(reply) == ""


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.fixture
def services(indexed_site: Path, site_settings: Settings, tmp_path: Path, llm: FakeLlm) -> Iterator[Services]:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    model = ChatSettings(base_url=llm.base_url, model="fake")
    changes = {"data": data, "sites": SITES, "chat": model}
    with Services(Settings.model_validate(site_settings.model_dump() | changes)) as services:
        yield services


@pytest.fixture
def gap(services: Services) -> str:
    """The id of a group of one question that no page answers."""
    asked(services, "How much is the dog tax for the first dog?", "no_answer")
    questions = services.feature(QuestionServices)
    [record] = questions.questions.newest().questions
    questions.groups.keep({record.id: (1, 0)}, 0)
    return record.id


def written(editor: Console, gap: str) -> tuple[str, str]:
    """The text of the draft that the model began, and what the page says."""
    answer = editor.post("/draft/write?lang=en", gap=gap)
    assert answer.status_code == 200
    [area] = soup(answer).select("textarea")
    return area.get_text().strip(), text(answer)


def test_the_model_writes_the_first_paragraph_from_the_nearest_pages(
    editor: Console, gap: str, llm: FakeLlm
) -> None:
    llm.script(
        Reply(deltas=("The dog tax is 96 euros a year for the first dog [1]. It is due on 1 May [1].",))
    )
    draft, _ = written(editor, gap)
    [request] = llm.requests
    assert "The dog tax is 96 euros" in request["messages"][-1]["content"]
    first, heading, *_ = draft.split("\n\n")
    assert "for the first dog. ([Dog tax](" in first and first.endswith(f"It is due on 1 May. {MARK}")
    assert heading == "## What it costs"


@pytest.mark.parametrize("reply", [Reply(status=500), Reply(deltas=("-",))])
def test_where_the_model_fails_the_headings_are_there(
    editor: Console, gap: str, llm: FakeLlm, reply: Reply
) -> None:
    llm.default = reply
    draft, said = written(editor, gap)
    assert draft.startswith("[to be added]\n\n## What it costs")
    assert "The language model wrote nothing" in said


def test_a_draft_begins_without_the_model(editor: Console, gap: str, llm: FakeLlm) -> None:
    page = soup(editor.get(f"/draft?gap={gap}&lang=en"))
    assert page.select("form[action='/admin/draft/write'] button")
    assert not llm.requests
    assert editor.post("/draft/write", gap="unknown").status_code == 404
