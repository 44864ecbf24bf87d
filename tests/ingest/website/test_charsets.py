"""Pages in the charset that they are in, whatever their servers say."""

import encodings
import pkgutil

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.website.pages import decoded
from tests.fakes.website import Answer, FakeWebsite
from tests.ingest.website.conftest import crawled

TEXT = "Bürgerbüro, Straße 5 – 3 €"
META = '<meta charset="{}">'


@pytest.mark.parametrize(
    ("text", "charset", "header", "meta"),
    [
        (TEXT, "utf-8", "", ""),
        (TEXT, "utf-8", "iso-8859-1", "windows-1252"),
        (TEXT, "utf-8-sig", "ascii", ""),
        (TEXT, "utf-16", "", ""),
        (TEXT, "utf-16-be", "utf-16be", "utf-16"),
        (TEXT, "cp1252", "", ""),
        (TEXT, "cp1252", "iso-8859-1", ""),
        (TEXT, "cp1252", "utf-16", ""),
        (TEXT, "cp1252", "no-such-charset", ""),
        (TEXT.replace("–", "-"), "iso-8859-15", "ISO-8859-15", "utf-8"),
        ("Городской музей", "cp1251", "windows-1251", ""),
        ("Городской музей", "koi8-r", "", "koi8-r"),
        ("市役所の開庁時間", "shift_jis", "Shift_JIS", ""),
        ("市役所の開庁時間", "euc-jp", "", "EUC-JP"),
    ],
)
def test_a_page_is_decoded(text: str, charset: str, header: str, meta: str) -> None:
    html = f"<html><head>{META.format(meta) if meta else ''}</head><p>{text}</p>"
    body = html.encode(charset)
    if charset == "utf-16-be":
        body = b"\xfe\xff" + body
    kind = f"text/html; charset={header}" if header else "text/html"
    assert text in decoded(body, kind)


def test_bytes_that_are_in_no_charset_break_nothing() -> None:
    assert "Rathaus" in decoded(b"\xff\x00\x81 Rathaus \xc3\x28", "text/html; charset=utf-8")


CODECS = [module.name for module in pkgutil.iter_modules(encodings.__path__)]


@pytest.mark.parametrize("charset", CODECS)
def test_no_codec_that_python_has_breaks_a_page(charset: str) -> None:
    body = f"<html>{META.format(charset)}<p>Rathaus".encode() + b" \xe4\xff\x81"
    assert isinstance(decoded(body, f"text/html; charset={charset}"), str)
    assert isinstance(decoded(body, "text/html"), str)


@pytest.mark.parametrize(
    "charset", ["hex", "zlib", "rot13", "idna", "undefined", "punycode", "utf-7", "aliases"]
)
def test_a_codec_that_is_no_charset_of_web_pages_counts_for_nothing(charset: str) -> None:
    assert decoded(b"<p>B\xfcrgerb\xfcro", f"text/html; charset={charset}") == "<p>Bürgerbüro"


@given(charset=st.text(), meta=st.binary(max_size=40), rest=st.binary(max_size=40))
@example(charset="\0", meta=b"hex", rest=b"\xe4")
def test_whatever_a_charset_is_called_the_page_is_read(charset: str, meta: bytes, rest: bytes) -> None:
    body = b'<meta charset="' + meta + b'">Rathaus\xe4' + rest
    assert isinstance(decoded(body, f"text/html; charset={charset}"), str)


def test_a_page_of_utf_8_with_one_broken_character_loses_that_one_alone() -> None:
    body = f"<p>{TEXT}</p>".encode() + b"\xfc"
    assert TEXT in decoded(body, "text/html; charset=utf-8")


def test_a_crawled_page_has_its_umlauts(web: FakeWebsite) -> None:
    html = f"<html lang=de><title>Bürgerbüro</title><main>{TEXT}</main>"
    web.answers["/a"] = Answer(html.encode("cp1252"), headers={"Content-Type": "text/html; charset=utf-8"})
    fields = crawled(web).pages["/a"].fields
    assert TEXT in fields["content"].text
    assert fields["title"].text == "Bürgerbüro"
