"""A CMS that sends documents: files in base64, or where to fetch them."""

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from ingest.converters.process import ConverterProcess
from ingest.types import DOCX, PageRef
from tests.app.api.cms import SECRET, Cms, saved
from tests.app.api.test_bad_input import assert_problem
from tests.fakes.databases import new_data
from tests.fakes.office import docx, odt, p
from tests.fakes.pdf import pdf
from tests.fakes.website import Answer, FakeWebsite

TAX = "The dog tax is 96 euros a year."
FILES = {
    "pdf": pdf([[(11, "A list of fees.")], [(20, "Dog tax"), (11, TAX)]]),
    "docx": docx(p("Dog tax", style="berschrift1") + p(TAX)),
    "odt": odt(f"<text:h>Dog tax</text:h><text:p>{TAX}</text:p>"),
}


@pytest.fixture
def cms(tmp_path: Path, converter: ConverterProcess) -> Iterator[Cms]:
    settings = load_settings(
        data=new_data(tmp_path),
        embedder="hashing",
        sources={"town": {"secrets": [SECRET]}},
        fetch_allow=["127.0.0.1"],
        max_event_bytes=100_000,
    )
    with Services(settings) as services:
        services.indexing.converter = converter
        yield Cms(create_app(services=services).test_client(), services)


def sent(key: str, data: bytes | str, **fields: Any) -> dict[str, Any]:
    """The event of a page whose content is this file."""
    text = data if isinstance(data, str) else b64encode(data).decode()
    return saved(html=None, title=None, **{key: text}, **fields)


@pytest.mark.parametrize("key", FILES)
def test_a_file_is_found_with_the_title_in_it(cms: Cms, key: str) -> None:
    [job] = cms.send(sent(key, FILES[key], revision=1))
    assert cms.found() == [("tax", "en")]
    assert cms.job(job)["status"] == "indexed"
    [hit] = cms.client.get("/api/search", query_string={"q": "dog tax"}).get_json()["hits"]
    assert hit["title"] == "Dog tax"
    assert hit["href"].partition("#")[0] == "https://town.example/tax"
    assert hit["href"].endswith("#page=2") == (key == "pdf")


def test_the_title_of_the_event_comes_before_that_in_the_file(cms: Cms) -> None:
    cms.send(sent("docx", FILES["docx"]) | {"title": "Fees for dogs"})
    cms.index()
    [hit] = cms.client.get("/api/search", query_string={"q": "dog tax"}).get_json()["hits"]
    assert hit["title"] == "Fees for dogs"


def test_a_broken_file_fails_alone_with_what_is_wrong(cms: Cms) -> None:
    broken, whole = cms.send(
        sent("pdf", FILES["docx"], page_id="broken"), sent("odt", FILES["odt"], page_id="tax")
    )
    assert cms.found() == [("tax", "en")]
    state = cms.job(broken)
    assert (state["status"], state["reason"].partition(",")[0]) == ("failed", "invalid: not a PDF")
    assert cms.job(whole)["status"] == "indexed"


def test_base64_in_lines_is_the_same_file(cms: Cms) -> None:
    text = b64encode(FILES["docx"]).decode()
    lines = "\r\n".join(text[start : start + 76] for start in range(0, len(text), 76))
    assert cms.statuses(sent("docx", lines, revision=1)) == ["queued"]
    assert cms.statuses(sent("docx", text, revision=1)) == ["unchanged"]


@pytest.mark.parametrize(
    ("event", "field", "said"),
    [
        (sent("pdf", "no base64!"), "events[0].pdf", "the file is not in base64"),
        (sent("pdf", FILES["pdf"], docx="UEs="), "events[0]", "has pdf and docx: use only one of them"),
        (sent("pdf", FILES["pdf"], file_url="https://town.example/a.pdf"), "events[0]", "pdf and file_url"),
        (sent("file_url", "ftp://town.example/a.pdf"), "events[0].file_url", "use an address"),
        (sent("doc", "UEs="), "events[0].doc", "unknown field"),
        (saved(type="page.moved", file_url="https://t.example/a.pdf"), "events[0].file_url", "unknown field"),
    ],
)
def test_what_is_no_file_is_refused_with_the_field(
    cms: Cms, event: dict[str, Any], field: str, said: str
) -> None:
    body = assert_problem(cms.post({"events": [event]}))
    [problem] = body["fields"]
    assert (body["status"], problem["field"]) == (422, field)
    assert said in problem["message"]


def test_half_a_character_in_the_title_of_an_awaited_file_is_accepted_as_of_any_page(cms: Cms) -> None:
    [job] = cms.send(sent("file_url", "https://town.example/a.pdf") | {"title": "Fees \ud83d"})
    assert job["status"] == "queued"


def test_a_file_larger_than_a_message_may_be_is_refused(cms: Cms) -> None:
    body = assert_problem(cms.post(sent("pdf", bytes(100_000))))
    assert (body["status"], body["detail"]) == (
        413, "the body is larger than 100,000 bytes: send fewer events at once, or a file by its file_url"
    )  # fmt: skip


def test_a_file_is_fetched_from_where_the_event_says(cms: Cms) -> None:
    with FakeWebsite() as web:
        web.answers["/tax.docx"] = Answer(FILES["docx"], headers={"Content-Type": DOCX})
        [job] = cms.send(sent("file_url", f"{web.address}/tax.docx", revision=1, keywords=["animals"]))
        assert job["status"] == "queued"
        with capture_logs():
            while cms.services.background.fetch_scheduler.fetch(lambda: False):
                pass
    assert cms.found() == [("tax", "en")]
    assert cms.job(job)["status"] == "indexed"
    [stored] = cms.services.store.read([PageRef(source="town", id="tax", language="en")])
    assert stored.page is not None
    assert stored.page.fields["keywords"].text == "animals"
    assert stored.page.metadata == {}
