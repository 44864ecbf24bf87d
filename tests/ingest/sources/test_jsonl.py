"""JSON Lines: one page a line, broken lines named by their number, the others read."""

import json
import tracemalloc
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import PageError
from ingest.sources.files import FilesSource
from ingest.types import FIELDS, ODT, RawField, RawPage
from tests.shared import PAGES, needs

GOOD = {"id": "good", "html": "<p>x"}


def source_of(folder: Path, *lines: object, max_bytes: int = 10_000_000) -> FilesSource:
    """A source of these lines: bytes as they are, anything else as JSON."""
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    (folder / "pages.jsonl").write_bytes(b"\n".join(raw))
    return FilesSource("govuk", str(folder / "pages.jsonl"), max_bytes=max_bytes)


def only_page(folder: Path, record: dict[str, Any]) -> RawPage:
    """The page of a source with this record alone."""
    source = source_of(folder, {"id": "p", **record})
    pages = source.pages("p")
    assert pages is not None
    (page,) = pages
    return page


def failures(source: FilesSource) -> dict[str, str]:
    """Every document that fails, with its message; the good line must be there and must not."""
    failed = {}
    documents = list(source.documents())
    for document in documents:
        try:
            source.pages(document)
        except PageError as error:
            failed[document] = f"{error.reason}: {error}"
    assert "good" in documents
    assert "good" not in failed
    return failed


def test_a_line_becomes_a_page(tmp_path: Path) -> None:
    page = only_page(
        tmp_path,
        {
            "url": "https://example.org/contact",
            "language": "en-GB",
            "name": "contact",
            "title": "Contact\u200b us",
            "description": None,
            "keywords": ["tax", "phone"],
            "updated": "2024-11-12T14:00:46+01:00",
            "revision": 7,
            "html": "<p>x",
            "document_type": "answer",
            "order": 3,
            "draft": False,
            "none": None,
        },
    )
    assert (page.ref.source, page.ref.id, page.ref.language, page.document) == ("govuk", "p", "en", "p")
    assert page.url == "https://example.org/contact"
    assert {name: field.text for name, field in page.fields.items()} == {
        "name": "contact",
        "title": "Contact us",
        "keywords": "tax, phone",
        "content": "<p>x",
    }
    assert {page.fields[name].media_type for name in ("name", "title", "keywords")} == {"text/html"}
    assert page.updated == datetime(2024, 11, 12, 14, 0, 46, tzinfo=timezone(timedelta(hours=1)))
    assert page.revision == 7
    assert page.metadata == {"document_type": "answer", "order": "3", "draft": "false"}


def test_pages_of_a_printed_text_stay_apart(tmp_path: Path) -> None:
    page = only_page(tmp_path, {"title": "one\ftwo", "text": "last word\n\ffirst word"})
    assert page.fields["title"].text == "one\ntwo"
    assert page.fields["content"].text == "last word\n\nfirst word"


@pytest.mark.parametrize(
    ("key", "media_type"),
    [
        ("html", "text/html"),
        ("xhtml", "application/xhtml+xml"),
        ("markdown", "text/markdown"),
        ("text", "text/plain"),
    ],
)
def test_the_contents_key_says_what_it_is(tmp_path: Path, key: str, media_type: str) -> None:
    assert only_page(tmp_path, {key: "x"}).fields["content"].media_type == media_type


def test_a_file_in_base64_says_no_language(tmp_path: Path) -> None:
    page = only_page(tmp_path, {"odt": "dGhl\nIGRvZyB0YXg="})
    assert page.fields["content"] == RawField(text="dGhlIGRvZyB0YXg=", media_type=ODT)
    assert page.ref.language == "und"
    assert (
        only_page(
            tmp_path,
            {"odt": "dGhl", "title": "Die Satzung über die Hundesteuer der Stadt und ihre Gebühren im Jahr"},
        ).ref.language
        == "de"
    )
    with pytest.raises(PageError, match="line 1: the file is not in base64: encode it"):
        only_page(tmp_path, {"pdf": "files/fees.pdf"})


def test_what_a_line_does_not_say_is_filled_in(tmp_path: Path) -> None:
    text = "<html lang=cy><p>x"
    page = only_page(tmp_path, {"id": 12, "html": text, "updated": "2024-11-12"} | {"id": "p"})
    assert page.url == "p"
    assert (page.ref.language, page.updated) == ("cy", datetime(2024, 11, 12, tzinfo=UTC))
    assert (page.revision, dict(page.metadata), set(page.fields)) == (None, {}, {"content"})


def test_the_language_that_a_pages_html_states_goes_before_the_given_one(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text('{"id": "p", "html": "<html lang=fr><p>x"}\n{"id": "q", "html": "<p>x"}', "utf-8")
    source = FilesSource("town", str(path), language="de-AT")
    languages = [page.ref.language for name in source.documents() for page in source.pages(name) or ()]
    assert languages == ["fr", "de"]


def test_a_number_is_an_id_and_a_page_without_content_is_a_page(tmp_path: Path) -> None:
    pages = source_of(tmp_path, {"id": 12, "title": "Only a title"}).pages("12")
    assert pages is not None
    assert set(pages[0].fields) == {"title"}


@pytest.mark.parametrize(
    ("line", "failure"),
    [
        (b'{"id": "x"', "invalid: line 2: not JSON: "),
        (b"[1]", "invalid: line 2: not a JSON object"),
        (b"[" * 100_000, "invalid: line 2: not JSON: "),
        (b'{"id": "\xff"}', "invalid: line 2: the id is not UTF-8: save"),
        (b'{"id": "x", "title": "a", "title": "b"}', "invalid: line 2: key 'title' appears twice in the "),
        (b'{"id": "x", "id": "y"}', "invalid: line 2: key 'id' appears twice: keep one of them"),
        (
            b'{"id": "x", "more": {"a": 1, "a": 1}}',
            "invalid: line 2: key 'a' appears twice: keep one of them",
        ),
        ({"html": "x"}, "invalid: line 2: has no id"),
        ({"id": ""}, "invalid: line 2: has no id"),
        ({"id": True}, "invalid: line 2: id is true: must be text"),
        ({"id": "a\nb"}, "invalid: line 2: id 'a\\nb': use "),
        ({"id": "\ud800"}, "invalid: line 2: id '\\ud800': use "),
        ({"id": "x" * 513}, "invalid: line 2: id 'xxx"),
        ({"id": "good"}, "invalid: line 2: duplicate id 'good', first on line 1"),
        ({"id": "big", "html": "x" * 2_000}, "too_large: line 2: longer than 1,000 bytes: split the page"),
    ],
)
def test_a_broken_line_is_named_by_its_number_and_the_others_go_in(
    tmp_path: Path, line: object, failure: str
) -> None:
    source = source_of(
        tmp_path, GOOD, line, {"id": "after", "text": "x"}, max_bytes=1_000 if "big" in str(line) else 10**6
    )
    failed = failures(source)
    assert list(failed) == ["pages.jsonl:2"]
    assert failed["pages.jsonl:2"].startswith(failure)
    after = source.pages("after")
    assert after
    assert after[0].fields["content"].text == "x"


@pytest.mark.parametrize(
    ("record", "failure"),
    [
        ({"title": 5}, "title is 5: must be text"),
        ({"language": "deutsch"}, "language 'deutsch': use an ISO 639-1 code such as 'de', or leave it out"),
        ({"language": "deu"}, "language 'deu': use an ISO 639-1 code such as 'de', or leave it out"),
        ({"url": "https://town.example/" + "x" * 5_000}, "url 'https://town.example/xxx"),
        ({"html": ["x"]}, 'html is ["x"]: must be text'),
        ({"html": "a", "text": "b"}, "has html and text: use only one of them"),
        ({"keywords": [1]}, "keywords is [1]: must be text or a list of texts"),
        ({"updated": "yesterday"}, "updated 'yesterday': use a date such as 2026-03-31T12:00:00Z"),
        ({"revision": "3"}, "revision is 3: must be a whole number"),
        ({"revision": True}, "revision is true: must be a whole number"),
        (
            {"url": "javascript:alert(1)"},
            "url 'javascript:alert(1)': use an address with http:// or https://",
        ),
        (
            {"url": "java\nscript:alert(1)"},
            "url 'javascript:alert(1)': use an address with http:// or https://",
        ),
        ({"url": "/contact"}, "url '/contact': use an address"),
        ({"url": "http://["}, "url 'http://[': use an address"),
    ],
)
def test_a_page_with_a_wrong_value_fails_with_line_and_key(
    tmp_path: Path, record: dict[str, object], failure: str
) -> None:
    failed = failures(source_of(tmp_path, GOOD, {"id": "bad", **record}))
    assert list(failed) == ["bad"]
    assert failed["bad"].startswith(f"invalid: line 2: {failure}")


def test_a_damaged_line_is_read_with_a_warning_that_names_it(tmp_path: Path) -> None:
    source = source_of(tmp_path, GOOD, b'{"id": "p", "text": "caf\xe9"}')
    (read,) = source.pages("p") or ()
    assert read.fields["content"].text == "caf\ufffd"
    assert source.warnings() == [
        "p: line 2: not UTF-8 in 1 place, first at byte 24: U+FFFD stands there, save the file as UTF-8"
    ]


def test_ids_are_unique_over_all_files_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('\ufeff{"id": "good"}\n\n{"id": "b.html"}\r\n', "utf-8")
    (tmp_path / "b.html").write_text("x", "utf-8")
    (tmp_path / "c.jsonl").write_text('{"id": "good"}', "utf-8")
    assert failures(FilesSource("town", str(tmp_path))) == {
        "b.html (again)": "invalid: 'b.html' is also the id of another page: rename one",
        "c.jsonl:1": "invalid: line 1: duplicate id 'good', first in another file",
    }


def test_a_file_that_changes_while_it_is_read_never_gives_a_page_the_wrong_name(tmp_path: Path) -> None:
    source = source_of(tmp_path, {"id": "a", "text": "x"}, {"id": "b", "text": "y"})
    assert list(source.documents()) == ["a", "b"]
    source_of(tmp_path, {"id": "b", "text": "y"}, {"id": "a", "text": "x"})
    with pytest.raises(PageError, match="line 1: the file changed while it was read"):
        source.pages("a")


def test_a_large_file_is_never_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for number in range(300):
            out.write(json.dumps({"id": f"page-{number}", "language": "en", "text": "x" * 100_000}) + "\n")
    source = FilesSource("big", str(path))
    tracemalloc.start()
    count = sum(len(source.pages(document) or ()) for document in source.documents())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 300
    assert peak < 5_000_000


@needs(PAGES)
def test_real_pages_of_a_website_are_all_read() -> None:
    source = FilesSource("govuk", str(PAGES))
    pages = [page for document in source.documents() for page in source.pages(document) or ()]
    assert len({page.ref for page in pages}) == 92
    assert {page.ref.language for page in pages} >= {"en", "cy", "ar"}
    assert all(page.url.startswith("https://www.gov.uk/") for page in pages)
    assert all(
        page.updated and set(page.fields) <= set(FIELDS) and "content" in page.fields for page in pages
    )
