"""Folders and single files: what is read from them, and what fails how."""

import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.errors import PageError, SourceError
from ingest.sources.files import FilesSource
from ingest.types import RawPage

GOOD_FILES = ("z.html", "a/b.md", "a/B.HTM", "a/c.txt", "x.xhtml", "y.markdown")
GERMAN = "Das Rathaus ist von Montag bis Freitag geöffnet, am Samstag nur nach Anmeldung."


def read(path: Path, language: str | None = None) -> dict[str, RawPage | str]:
    """Every document with its page, or with its failure as ``reason: message``."""
    source = FilesSource("town", str(path), language)
    found: dict[str, RawPage | str] = {}
    for document in source.documents():
        try:
            pages = source.pages(document)
            assert pages is not None
            (found[document],) = pages
        except PageError as error:
            found[document] = f"{error.reason}: {error}"
    return found


def page(folder: Path, name: str, content: str | bytes, language: str | None = None) -> RawPage | str:
    """The page in one file of that content."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read(path, language)[name]


def good(found: RawPage | str) -> RawPage:
    """The page, which must not have failed."""
    assert isinstance(found, RawPage), found
    return found


def texts(found: RawPage | str) -> dict[str, str]:
    """The page's fields but the content."""
    return {name: field.text for name, field in good(found).fields.items() if name != "content"}


@pytest.mark.parametrize(
    ("file", "address"),
    [
        ("index.html", "https://www.town.example/"),
        ("a/index.html", "https://www.town.example/a/"),
        ("a/INDEX.HTM", "https://www.town.example/a/"),
        ("a/b.html", "https://www.town.example/a/b.html"),
        ("a/b.md", "https://www.town.example/a/b/"),
        ("a/index.md", "https://www.town.example/a/"),
        ("a/_index.md", "https://www.town.example/a/"),
        ("a/README.md", "https://www.town.example/a/README/"),
        ("a/b.txt", "https://www.town.example/a/b.txt"),
        ("Müll & mehr.html", "https://www.town.example/M%C3%BCll%20%26%20mehr.html"),
    ],
)
@pytest.mark.parametrize("base", ["https://www.town.example", "https://www.town.example/"])
def test_with_the_folders_address_a_file_has_that_of_a_static_website(
    tmp_path: Path, base: str, file: str, address: str
) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("Town hall: open on Monday.", "utf-8")
    source = FilesSource("town", str(tmp_path), base_url=base)
    (found,) = source.pages(file) or ()
    assert found.url == address


@pytest.mark.parametrize(
    "base", ["http://", "http://[", "https://x y", "www.town.example", "https://town.example/?a=b"]
)
def test_an_address_of_a_folder_that_would_break_those_of_its_pages_is_refused(
    tmp_path: Path, base: str
) -> None:
    with pytest.raises(SourceError, match="give the address of the folder, such as https://www"):
        FilesSource("town", str(tmp_path), base_url=base)


def test_an_address_that_a_page_names_itself_is_kept(tmp_path: Path) -> None:
    canonical = '<link rel="canonical" href="https://town.example/pool"><p>The pool is open.</p>'
    (tmp_path / "a.html").write_text(canonical, "utf-8")
    (tmp_path / "b.md").write_text("---\nurl: https://town.example/hall\n---\nThe hall is open.", "utf-8")
    source = FilesSource("town", str(tmp_path), base_url="https://www.town.example")
    pages = [page for document in source.documents() for page in source.pages(document) or ()]
    assert [page.url for page in pages] == ["https://town.example/pool", "https://town.example/hall"]


def test_a_folder_gives_its_pages_in_order_and_leaves_out_what_is_none(tmp_path: Path) -> None:
    outside = tmp_path / "outside.html"
    outside.write_text("secret", "utf-8")
    root = tmp_path / "root"
    for name in (*GOOD_FILES, "doc.pdf", "style.css", "README", ".hidden.html", ".git/x.html", "image.jpg"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"text of {name}", "utf-8")
    (root / "leads-out.html").symlink_to(outside)
    (root / "stays-in.html").symlink_to(root / "z.html")
    (root / "nowhere.html").symlink_to(root / "missing")
    (root / "folder.html").mkdir()
    os.mkfifo(root / "pipe.html")
    found = read(root)
    assert list(found) == [
        "doc.pdf",
        "leads-out.html",
        "nowhere.html",
        "stays-in.html",
        "x.xhtml",
        "y.markdown",
        "z.html",
        "a/B.HTM",
        "a/b.md",
        "a/c.txt",
    ]
    assert str(found["doc.pdf"]).startswith("invalid: not a PDF, whatever its name says")
    assert str(found["leads-out.html"]).startswith("invalid: links that lead out of the folder")
    assert str(found["nowhere.html"]).startswith("invalid: a link that leads nowhere")
    kinds = {name: good(found[name]).fields["content"].media_type for name in list(found)[3:]}
    assert kinds["x.xhtml"] == "application/xhtml+xml"
    assert {kinds[name] for name in ("a/B.HTM", "z.html")} == {"text/html"}
    assert {kinds[name] for name in ("a/b.md", "y.markdown")} == {"text/markdown"}
    assert kinds["a/c.txt"] == "text/plain"
    assert good(found["a/b.md"]).ref.id == good(found["a/b.md"]).document == "a/b.md"
    assert good(found["a/b.md"]).url == "a/b.md"


def test_an_html_file_says_about_itself_what_stands_in_its_head(tmp_path: Path) -> None:
    html = """<!DOCTYPE html><html lang="de-AT"><head><title> Das
        Rathaus &amp; mehr </title><meta name="Description" content="Wo es ist">
        <meta name=keywords content="Amt, Pass"><link rel="stylesheet canonical" href="https://example.org/rathaus">
        </head><body><svg><title>no</title></svg>x"""
    found = good(page(tmp_path, "rathaus.html", html))
    assert texts(found) == {
        "name": "rathaus",
        "title": "Das Rathaus & mehr",
        "description": "Wo es ist",
        "keywords": "Amt, Pass",
    }
    assert (found.ref.language, found.url) == ("de", "https://example.org/rathaus")
    assert found.fields["content"].text == html


def test_a_page_without_title_is_called_by_its_first_heading(tmp_path: Path) -> None:
    assert texts(page(tmp_path, "a.html", "<p>x<h2>First <b>one</b></h2><h1>Second"))["title"] == "First one"
    assert texts(page(tmp_path, "a.md", "intro\n\n## First one ##\n\n# Second"))["title"] == "First one"
    assert texts(page(tmp_path, "b.md", "First one\n=========\n"))["title"] == "First one"
    assert "title" not in texts(page(tmp_path, "c.md", "```\n# comment\n```"))
    assert "title" not in texts(page(tmp_path, "c.txt", "# text"))


def test_front_matter_says_what_a_markdown_page_is(tmp_path: Path) -> None:
    markdown = """---
title: "The town hall: hours"
description: 'Open daily'
tags: [a, "b"]
keywords:
  - passport
  - identity card
lang: en-GB
url: https://example.org/hall
updated: 2026-03-31
nested:
  key: value
html: not a record's own part
pdf: hall.pdf
id: other
---
# Heading
"""
    found = good(page(tmp_path, "hall.md", markdown))
    assert texts(found) == {
        "name": "hall",
        "title": "The town hall: hours",
        "description": "Open daily",
        "keywords": "passport, identity card",
    }
    assert found.fields["content"].text == "# Heading\n"
    assert found.updated == datetime(2026, 3, 31, tzinfo=UTC)
    assert (found.ref.id, found.ref.language, found.url) == ("hall.md", "en", "https://example.org/hall")
    assert found.metadata == {"tags": '["a", "b"]'}


def test_a_text_file_may_have_front_matter_too(tmp_path: Path) -> None:
    found = good(page(tmp_path, "sirens.txt", "---\nurl: https://example.org/sirens\n---\n# Sirens\n"))
    assert found.url == "https://example.org/sirens"
    assert found.fields["content"].text == "# Sirens\n"
    assert texts(found) == {"name": "sirens"}


@pytest.mark.parametrize("markdown", ["---\n\ntext\n", "---\ntitle: x\n", "text\n---\ntitle: x\n---\n"])
def test_a_rule_is_not_front_matter(tmp_path: Path, markdown: str) -> None:
    assert good(page(tmp_path, "a.md", markdown)).fields["content"].text == markdown


@pytest.mark.parametrize(
    ("html", "given", "language"),
    [
        ("<html lang=fr><p>x", "de", "fr"),
        ("<html lang='x-klingon'><p>x", "de-AT", "de"),
        ("<p>x", "de", "de"),
        (f"<script>English words that nobody sees at all</script><p>{GERMAN}", "", "de"),
        ("<p>Hallo", "", "und"),
        ("<p>12 34 56 78 90 12 34 56 78 90 +43 1 2345678", "", "und"),
    ],
)
def test_a_pages_own_language_goes_before_the_given_one_and_that_before_guessing(
    tmp_path: Path, html: str, given: str, language: str
) -> None:
    assert good(page(tmp_path, "a.html", html, given or None)).ref.language == language


@pytest.mark.parametrize(
    ("name", "content", "failure"),
    [
        ("a.txt", b"\xff\xfea", "invalid: not UTF-16 at byte 2: save the file as UTF-8"),
        ("a.html", b"<meta charset=shift_jis>\xff", "invalid: not SHIFT_JIS at byte 24"),
        ("a.html", b"%PDF-1.7 renamed", "unsupported: a binary file"),
        ("a.txt", b"PK\x03\x04 a zip", "unsupported: a binary file"),
        ("a.txt", b"text\x00text", "unsupported: a binary file"),
        ("a.doc", b"PK", "unsupported: DOC files are not read: save it as .docx or PDF"),
        (
            "a.md",
            "---\nupdated: soon\n---\n",
            "invalid: updated 'soon': use a date such as 2026-03-31T12:00:00Z",
        ),
    ],
)
def test_a_file_that_is_no_page_fails_with_a_reason(
    tmp_path: Path, name: str, content: bytes, failure: str
) -> None:
    found = page(tmp_path, name, content)
    assert isinstance(found, str)
    assert found.startswith(failure)


@pytest.mark.parametrize(
    ("name", "content", "text", "warning"),
    [
        ("a.html", b"<p>caf\xe9 au lait", "<p>caf\ufffd au lait", "in 1 place, first at byte 6"),
        (
            "a.html",
            b"<meta charset=punycode>\xe9",
            "<meta charset=punycode>\ufffd",
            "in 1 place, first at byte 23",
        ),
        ("a.md", b"<meta charset=latin1>\xe9", "<meta charset=latin1>\ufffd", "in 1 place, first at byte 21"),
        (
            "a.txt",
            "a\ufffd".encode() + b"b\xffc\xfed",
            "a\ufffdb\ufffdc\ufffdd",
            "in 2 places, first at byte 5",
        ),
    ],
)
def test_a_byte_that_is_not_utf8_costs_a_character_and_a_warning(
    tmp_path: Path, name: str, content: bytes, text: str, warning: str
) -> None:
    (tmp_path / name).write_bytes(content)
    source = FilesSource("town", str(tmp_path))
    (read,) = source.pages(name) or ()
    assert read.fields["content"].text == text
    assert source.warnings() == [f"{name}: not UTF-8 {warning}: U+FFFD stands there, save the file as UTF-8"]


@pytest.mark.parametrize(
    "canonical", [f"https://town.example/{'x' * 5_000}", "http://[::bad/", "https://", "javascript:alert(1)"]
)
def test_an_address_in_a_page_that_is_no_address_of_a_page_is_left_out(
    tmp_path: Path, canonical: str
) -> None:
    found = good(page(tmp_path, "a.html", f'<link rel=canonical href="{canonical}"><html lang=klingon><p>x'))
    assert (found.url, found.ref.language) == ("a.html", "und")


@pytest.mark.parametrize(
    "content",
    [
        "<p>café",
        "<p>café".encode("utf-8-sig"),
        "<p>café".encode("utf-16"),
        "<p>café".encode("utf-32"),
        b"<meta charset=iso-8859-1><p>caf\xe9",
        b"<meta http-equiv=content-type content='text/html; charset=windows-1252'><p>caf\xe9",
        b"<?xml version='1.0' encoding='ISO-8859-15'?><p>caf\xe9",
        "<meta charset=utf-16><p>café",
        "<meta charset=unicode-1-1-utf-8><p>café",
    ],
)
def test_a_file_is_read_in_the_charset_that_it_declares(tmp_path: Path, content: str | bytes) -> None:
    assert good(page(tmp_path, "a.html", content)).fields["content"].text.endswith("café")


def test_a_page_that_is_too_large_fails_alone_without_being_read(tmp_path: Path) -> None:
    with (tmp_path / "big.html").open("wb") as sparse:
        sparse.truncate(50_000_000)
    (tmp_path / "small.html").write_text("small", "utf-8")
    found = read(tmp_path)
    problem = "too_large: 50,000,000 bytes, but at most 10,000,000 are allowed: split the page"
    assert found["big.html"] == problem
    assert good(found["small.html"])


def test_a_file_that_vanished_since_it_was_listed_is_gone(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("a", "utf-8")
    source = FilesSource("town", str(tmp_path))
    for document in source.documents():
        (tmp_path / document).unlink()
        assert source.pages(document) is None


def test_names_that_are_not_utf8_or_not_fit_for_an_id_are_no_trouble(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.html")).write_text("x", "utf-8")
    (tmp_path / "two\nlines.html").write_text("x", "utf-8")
    found = read(tmp_path)
    assert good(found["caf\\xe9.html"]).ref.id == "caf\\xe9.html"
    assert str(found["two\nlines.html"]).startswith("invalid: id 'two\\nlines.html'")


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder of a user without privileges, whom the test is for its time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        user = os.geteuid()
        if user == 0:
            os.chown(folder, 65534, 65534)
            os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(user)


def test_what_may_not_be_read_fails_alone(unprivileged: Path) -> None:
    (unprivileged / "shut").mkdir()
    for name in ("shut.html", "shut.jsonl", "open.html", "shut/a.html"):
        (unprivileged / name).write_text("x", "utf-8")
    for name in ("shut.html", "shut.jsonl", "shut"):
        (unprivileged / name).chmod(0)
    found = read(unprivileged)
    (unprivileged / "shut").chmod(0o700)
    assert good(found.pop("open.html"))
    assert found == {
        "shut.html": "invalid: cannot be read: permission denied",
        "shut.jsonl": "invalid: cannot be read: permission denied",
        "shut": "invalid: the folder cannot be read: permission denied",
    }


@pytest.mark.parametrize("inside", ["", "pages.jsonl", "folder/a.html"])
def test_a_source_that_may_not_be_read_says_so(unprivileged: Path, inside: str) -> None:
    shut = unprivileged / "shut"
    (shut / "folder").mkdir(parents=True)
    (shut / "pages.jsonl").write_text("{}", "utf-8")
    (shut / "pages.jsonl").chmod(0)
    shut.chmod(0o700 if inside == "pages.jsonl" else 0)
    with pytest.raises(SourceError, match="cannot be read: permission denied"):
        read(shut / inside)
    shut.chmod(0o700)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "no such file or folder: check the path"),
        ("nul\x00", "no such file or folder: check the path"),
        (
            "empty",
            r"no pages in it: give .html, .htm, .*, .txt, .pdf, .docx, .odt or .jsonl files",
        ),
        ("image.png", "not a kind of file that is read"),
        ("empty.jsonl", "no pages in it"),
    ],
)
def test_a_source_without_pages_says_what_to_do(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "style.css").touch()
    (tmp_path / "image.png").touch()
    (tmp_path / "empty.jsonl").write_text("\n\n", "utf-8")
    with pytest.raises(SourceError, match=message) as raised:
        read(tmp_path / name)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("name", "language"), [("Not a name", None), ("town", "german")])
def test_wrong_options_are_the_callers_to_mend(tmp_path: Path, name: str, language: str | None) -> None:
    with pytest.raises(SourceError, match="use "):
        FilesSource(name, str(tmp_path), language)


@pytest.mark.parametrize("name", ["a.html", "a.md", "a.txt"])
@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_file_has_no_field_with_text_not_even_its_name(
    tmp_path: Path, name: str, content: str
) -> None:
    assert not any(field.text.strip() for field in good(page(tmp_path, name, content)).fields.values())


def test_a_page_with_markup_and_nothing_to_see_has_no_name_but_one_with_a_title_has(tmp_path: Path) -> None:
    assert texts(page(tmp_path, "a.html", "<body><script>x()</script></body>")) == {}
    assert texts(page(tmp_path, "a.html", "<title>T</title>")) == {"name": "a", "title": "T"}
