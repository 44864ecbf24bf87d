"""Acts of EU law from folders and from the Publications Office, good ones and what comes in their stead."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import PageError, SourceError, SourceUnavailableError
from ingest.fetching.validators import Validators
from ingest.sources.eurlex import EurlexSource
from ingest.sources.eurlex.names import TextName, in_file_name, is_celex, of_celex
from ingest.types import PageRef
from tests.fakes.eurlex import CHALLENGE, Answer, FakeEurlex, consolidated_text, oj_text, shell
from tests.ingest.fetching.conftest import fetcher

OJ = oj_text(1, "Lamps are lit.", "Keepers sleep by day.", recitals=("Ships need light.",))
NEW = consolidated_text(1, "27.07.2026", "Lamps are lit at dusk.", "Keepers sleep by day.")
TODAY = date(2026, 11, 1)
NOTHING_KNOWN = Validators()


@pytest.fixture
def eurlex() -> Iterator[FakeEurlex]:
    with FakeEurlex() as eurlex:
        eurlex.texts["32024R0001", "eng"] = OJ
        eurlex.texts["02024R0001-20260727", "eng"] = NEW
        yield eurlex


def fetching(eurlex: FakeEurlex, waits: list[float] | None = None, **options: Any) -> EurlexSource:
    given = eurlex.options(**{"acts": "32024R0001", "text": "oj", "today": lambda: TODAY, **options})
    return EurlexSource(name="law", fetcher=fetcher(waits=waits), **given)


def ref(celex: str = "32024R0001", language: str = "en") -> PageRef:
    return PageRef(source="law", id=celex, language=language)


def treaty_article(language: str) -> str:
    """An article of a treaty as the site has old ones, in Spanish."""
    return (
        f'<html><head><title>x</title><meta name="DC.language" content="{language}"></head><body>'
        "<div id='TexteOnly'><p><TXT_TE><p>Artículo 44</p><p>Los faros se encienden cada tarde antes de que "
        "se ponga el sol.</p></TXT_TE></p></div></body></html>"
    )


def failure(source: EurlexSource, document: str) -> PageError:
    with pytest.raises(PageError) as error:
        source.pages(document)
    assert "\n" not in str(error.value)
    return error.value


@pytest.mark.parametrize(
    ("stem", "celex", "version", "language"),
    [
        ("32024R1689_2024-06-13_en", "32024R1689", date(2024, 6, 13), "en"),
        ("12012JN03-08_2011-12-09_fr", "12012JN03-08", date(2011, 12, 9), "fr"),
        ("32018L2001R(04)_2020-09-25_en", "32018L2001R(04)", date(2020, 9, 25), "en"),
        ("11997E083_1957-03-25_en", "11997E083", date(1957, 3, 25), "en"),
        ("CELEX_02024R1689-20260727_DE_TXT", "32024R1689", date(2026, 7, 27), "de"),
        ("32024R1689", "32024R1689", None, ""),
        ("32024R1689_2024-13-13_xx", "32024R1689", None, ""),
        ("L_202401689EN", "", None, ""),
        ("notes", "", None, ""),
    ],
)
def test_files_are_known_by_their_names(stem: str, celex: str, version: date | None, language: str) -> None:
    assert in_file_name(stem) == TextName(celex=celex, version=version, language=language)


def test_celex_numbers_are_told_from_other_text() -> None:
    good = ["32024R1689", "32018L2001R(04)", "12012E/TXT", "02024R1689-20260727", "12012JN03-08"]
    assert [celex for celex in good if not is_celex(celex)] == []
    assert [text for text in ("", "2024/1689", "32024R", "32024R1689 ", "../x") if is_celex(text)] == []
    assert of_celex("02024R1689-20260727") == ("32024R1689", date(2026, 7, 27))


def test_a_folder_gives_each_act_as_a_document_of_many_pages(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "32024R0001_2024-06-13_en.xhtml").write_text(OJ, "utf-8")
    (tmp_path / "named otherwise.html").write_text(NEW, "utf-8")
    (tmp_path / "index.tsv").write_text("not an act", "utf-8")
    source = EurlexSource(name="law", path=str(tmp_path))
    assert list(source.documents()) == ["32024R0001@2024-06-13/en", "32024R0001@2026-07-27/en"]
    pages = source.pages("32024R0001@2024-06-13/en") or ()
    units = ["rct_1", "art_1", "art_2", "act"]
    assert [page.ref.id for page in pages] == [f"32024R0001@2024-06-13/{unit}" for unit in units]
    assert {page.document for page in pages} == {"32024R0001@2024-06-13/en"}
    assert [page.kind for page in source.pages("32024R0001@2026-07-27/en") or ()] == ["article"] * 2 + ["act"]


def test_a_text_that_is_there_twice_is_told(tmp_path: Path) -> None:
    for name in ("a_32024R0001_2024-06-13_en.html", "b_32024R0001_2024-06-13_en.html"):
        (tmp_path / name).write_text(OJ, "utf-8")
    source = EurlexSource(name="law", path=str(tmp_path))
    first, second = source.documents()
    assert source.pages(first)
    assert "32024R0001@2024-06-13/en appears twice: it is also in 'a_32024R0001" in str(
        failure(source, second)
    )


@pytest.mark.parametrize(
    ("name", "content", "reason", "message"),
    [
        ("a.html", CHALLENGE, "invalid", "challenge for browsers"),
        ("a.html", shell("The requested document does not exist."), "invalid", "check the CELEX number"),
        (
            "a.html",
            shell("The HTML format is unavailable in your User interface language"),
            "unsupported",
            "only PDF at most",
        ),
        ("a.html", b"<html><title>503 Service Unavailable</title><p>x</html>", "invalid", "an error page"),
        ("a.html", shell("Nothing here"), "invalid", "does not say which act"),
        ("32024R0001_2024-06-13_en.html", shell("Nothing here"), "invalid", "not an act"),
        (
            "32024R0001_2024-06-13_en.html",
            b"<html><body><h1>Recipes</h1><p>Boil the eggs.</p></body></html>",
            "invalid",
            "not an act",
        ),
        ("32024R0001_2024-06-13_en.html", OJ[:-300].encode(), "invalid", "truncated"),
        ("a.html", b"", "empty", "empty"),
        ("a.html", b"%PDF-1.7 ...", "unsupported", "binary file"),
        ("a.pdf", b"%PDF-1.7 ...", "unsupported", "use the HTML"),
        ("a.html", b"<html>" + b" " * 5_000, "too_large", "5,006 bytes, but at most 5,000 are allowed"),
    ],
)
def test_what_is_no_act_fails_alone_with_its_reason(
    tmp_path: Path, name: str, content: bytes, reason: str, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    good = tmp_path / "32024R0002_2024-06-13_en.html"
    good.write_text(oj_text(2, "Short."), "utf-8")
    source = EurlexSource(
        name="law", path=str(tmp_path), max_bytes=5_000 if reason == "too_large" else 50_000
    )
    documents = set(source.documents())
    [bad] = documents - {"32024R0002@2024-06-13/en"}
    error = failure(source, bad)
    assert (error.reason, message in str(error)) == (reason, True), error
    assert source.pages("32024R0002@2024-06-13/en")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (oj_text(1, "Lamps are lit.", language="12"), "language of the act is not printed"),
        (
            oj_text(1, "Lamps are lit.", language="").replace("<html", '<html lang="--"'),
            "language of the act",
        ),
        (oj_text(1, "Lamps.").replace("Article 1<", f"Article {'1' * 5000}<"), ""),
    ],
)
def test_a_text_that_cannot_be_read_leaves_the_others_as_they_are(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "a.html").write_text(text, "utf-8")
    (tmp_path / "b_32024R0002_2024-06-13_en.html").write_text(oj_text(2, "Short."), "utf-8")
    source = EurlexSource(name="law", path=str(tmp_path))
    bad, good = source.documents()
    assert source.pages(good)
    if message:
        error = failure(source, bad)
        assert (error.reason, message in str(error)) == ("invalid", True)


def test_a_language_that_is_not_wanted_is_left_out_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "32024R0001_2024-06-13_fr.html").write_text(OJ, "utf-8")
    source = EurlexSource(name="law", path=str(tmp_path), languages="en, de")
    error = failure(source, "32024R0001@2024-06-13/fr")
    assert (error.reason, str(error)) == ("unsupported", "in language 'fr': the source reads only en, de")


def test_a_text_in_another_language_than_its_name_says_is_refused(tmp_path: Path) -> None:
    spanish = oj_text(
        1,
        "Los faros se encienden cada tarde antes de que se ponga el sol, y los guardas los vigilan hasta que "
        "amanece y los barcos han llegado al puerto.",
    )
    (tmp_path / "32024R0001_2024-06-13_en.html").write_text(spanish, "utf-8")
    error = failure(EurlexSource(name="law", path=str(tmp_path)), "32024R0001@2024-06-13/en")
    assert (error.reason, "declared as 'en', but the text is in 'es'" in str(error)) == ("invalid", True)


def test_a_page_in_another_language_than_the_one_asked_for_is_refused(tmp_path: Path) -> None:
    """The site gives some treaties in another language where it lacks the one asked for."""
    for name in ("12006E044_1957-03-25_en.html", "12006E044_1957-03-25_fr.html"):
        (tmp_path / name).write_text(treaty_article("es"), "utf-8")
    source = EurlexSource(name="law", path=str(tmp_path))
    for document in source.documents():
        error = failure(source, document)
        assert (error.reason, "the text is in 'es'" in str(error)) == ("invalid", True)
    (tmp_path / "12006E044_1957-03-25_es.html").write_text(treaty_article("es"), "utf-8")
    assert source.pages("12006E044@1957-03-25/es") is None
    assert list(source.documents())[1] == "12006E044@1957-03-25/es"
    assert source.pages("12006E044@1957-03-25/es")


def test_a_text_that_changed_since_it_was_listed_is_read_under_its_new_name_only(tmp_path: Path) -> None:
    file = tmp_path / "lamps.html"
    file.write_text(oj_text(1, "Lamps."), "utf-8")
    (tmp_path / "other.html").write_text(oj_text(2, "Boats."), "utf-8")
    source = EurlexSource(name="law", path=str(tmp_path))
    assert len(list(source.documents())) == 2
    file.write_text(oj_text(3, "Nets."), "utf-8")
    error = failure(source, "32024R0001@2024-06-13/en")
    assert (error.reason, "now 32024R0003@2024-06-13/en" in str(error)) == ("invalid", True)


def test_a_folder_without_texts_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="contains no texts"):
        list(EurlexSource(name="law", path=str(tmp_path)).documents())
    with pytest.raises(SourceError, match="no such file or folder"):
        list(EurlexSource(name="law", path=str(tmp_path / "nowhere")).documents())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"acts": ""}, "option 'acts': set CELEX numbers"),
        ({"acts": "32024R0001,2024/1689"}, "'2024/1689' is not a CELEX number"),
        ({"languages": "en,tlh"}, "language 'tlh': use one of bg, cs"),
        ({"text_url": "http://eur-lex.example/"}, "option 'text_url'"),
        ({"text": "all"}, "option 'text'"),
        ({"unknown": 1}, "unknown option 'unknown'"),
    ],
)
def test_wrong_options_are_named(eurlex: FakeEurlex, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"option|language") as error:
        fetching(eurlex, **options)
    assert message in str(error.value)


def test_an_act_is_fetched_in_the_language_and_format_that_are_asked_for(eurlex: FakeEurlex) -> None:
    document = fetching(eurlex).fetch(ref(), NOTHING_KNOWN)
    assert document is not None
    assert (document.name, len(document.pages)) == ("32024R0001@2024-06-13/en", 4)
    path, headers = eurlex.requests[0]
    assert (path, headers["accept-language"]) == ("/resource/celex/32024R0001", "eng")
    assert headers["accept"] == "application/xhtml+xml, text/html"


def test_the_edition_newest_adds_the_newest_consolidated_text_that_applies_already(
    eurlex: FakeEurlex,
) -> None:
    eurlex.texts["02024R0001-20250101", "eng"] = "an older one"
    eurlex.texts["02024R0001-20270101", "eng"] = "a later one"
    eurlex.texts["02024R0001-20260801", "fra"] = "another language"
    source = fetching(eurlex, text="newest")
    assert source.wanted() == [ref(), ref("02024R0001")]
    assert list(source.documents()) == ["32024R0001@2024-06-13/en", "32024R0001@2026-07-27/en"]
    assert eurlex.asked() == ["32024R0001", "sparql", "02024R0001-20260727"]


def test_an_act_that_was_never_consolidated_has_its_text_of_the_official_journal(eurlex: FakeEurlex) -> None:
    del eurlex.texts["02024R0001-20260727", "eng"]
    source = fetching(eurlex, text="newest")
    assert source.fetch(ref("02024R0001"), NOTHING_KNOWN) is None
    assert list(source.documents()) == ["32024R0001@2024-06-13/en"]


def test_one_consolidated_text_can_be_asked_for(eurlex: FakeEurlex) -> None:
    source = fetching(eurlex, acts=["02024R0001-20260727"], text="newest")
    assert list(source.documents()) == ["32024R0001@2026-07-27/en"]
    assert eurlex.asked() == ["02024R0001-20260727"]


def test_reading_a_document_asks_for_its_text_once(eurlex: FakeEurlex) -> None:
    source = fetching(eurlex)
    for document in source.documents():
        assert source.pages(document)
    assert eurlex.whole == ["32024R0001"]


def test_an_unchanged_text_is_not_sent_again_and_a_changed_one_is(eurlex: FakeEurlex) -> None:
    source = fetching(eurlex)
    document = source.fetch(ref(), NOTHING_KNOWN)
    assert document is not None
    assert source.fetch(ref(), document.validators) is None
    eurlex.texts["32024R0001", "eng"] = oj_text(1, "Lamps are electric.")
    changed = source.fetch(ref(), document.validators)
    assert changed is not None
    assert len(changed.pages) == 2
    assert len(eurlex.whole) == 2


def test_a_newer_consolidated_text_is_asked_for_without_the_older_ones_validators(eurlex: FakeEurlex) -> None:
    source = fetching(eurlex, text="newest")
    old = source.fetch(ref("02024R0001"), NOTHING_KNOWN)
    assert old is not None
    eurlex.texts["02024R0001-20261001", "eng"] = consolidated_text(1, "01.10.2026", "New.")
    new = source.fetch(ref("02024R0001"), old.validators)
    assert new is not None
    assert new.name == "32024R0001@2026-10-01/en"
    assert "if-none-match" not in eurlex.requests[-1][1]


HTML = {"Content-Type": "text/html;charset=UTF-8"}


@pytest.mark.parametrize(
    ("answer", "reason", "message"),
    [
        (Answer(status=404), "invalid", "there is no such text: check the CELEX number"),
        (Answer(status=410), "invalid", "there is no such text"),
        (Answer(status=406), "unsupported", "only PDF at most"),
        (Answer(status=300, body=b"<ul></ul>"), "unsupported", "several files"),
        (
            Answer(body=b"%PDF-", headers={"Content-Type": "application/pdf"}),
            "unsupported",
            "application/pdf",
        ),
        (
            Answer(body=shell("The requested document does not exist"), headers=HTML),
            "invalid",
            "CELEX number",
        ),
        (
            Answer(body=shell("The HTML format is unavailable"), headers=HTML),
            "unsupported",
            "only PDF at most",
        ),
        (Answer(body=b"<html><body></body></html>", headers=HTML), "empty", "no text"),
        (Answer(body=OJ[:-300].encode(), headers=HTML), "invalid", "truncated"),
        (Answer(body=b"<html>" + b"x" * 60_000, headers=HTML), "too_large", "50,000 bytes"),
        (Answer(status=302, headers={"Location": "http://10.0.0.1/"}), "invalid", "10.0.0.1"),
    ],
)
def test_what_can_never_be_read_is_a_failure_of_that_text(
    eurlex: FakeEurlex, answer: Answer, reason: str, message: str
) -> None:
    eurlex.wrong["32024R0001"] = [answer]
    with pytest.raises(PageError) as error:
        fetching(eurlex, max_bytes=50_000).fetch(ref(), NOTHING_KNOWN)
    assert (error.value.reason, message in str(error.value)) == (reason, True), error.value
    assert len(eurlex.asked()) == 1


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=202),
        Answer(status=202, body=CHALLENGE, headers=HTML),
        Answer(status=200, body=CHALLENGE, headers=HTML),
        Answer(status=403, body=CHALLENGE, headers=HTML),
    ],
)
def test_a_challenge_is_an_outage_and_is_not_asked_again_at_once(eurlex: FakeEurlex, answer: Answer) -> None:
    eurlex.wrong["32024R0001"] = [answer]
    with pytest.raises(SourceUnavailableError, match="asks for a browser"):
        fetching(eurlex).fetch(ref(), NOTHING_KNOWN)
    assert len(eurlex.requests) == 1


def test_passing_faults_are_asked_again_and_retry_after_is_kept(eurlex: FakeEurlex) -> None:
    eurlex.wrong["32024R0001"] = [
        Answer(status=503),
        Answer(status=429, headers={"Retry-After": "7"}),
        Answer(status=303, headers={"Location": "/cellar/32024R0001"}),
    ]
    waits: list[float] = []
    assert fetching(eurlex, waits=waits, per_second=1e9).fetch(ref(), NOTHING_KNOWN)
    assert waits == [0.5, 7]


def test_a_fault_that_lasts_is_an_outage(eurlex: FakeEurlex) -> None:
    eurlex.wrong["32024R0001"] = [Answer(status=500)]
    with pytest.raises(SourceUnavailableError, match="HTTP 500"):
        fetching(eurlex).fetch(ref(), NOTHING_KNOWN)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=503),
        Answer(status=202),
        Answer(body=b"{", headers={"Content-Type": "application/json"}),
        Answer(body=b"[]", headers={"Content-Type": "application/json"}),
    ],
)
def test_without_the_list_of_consolidated_texts_only_these_have_to_wait(
    eurlex: FakeEurlex, answer: Answer
) -> None:
    eurlex.wrong["sparql"] = [answer]
    source = fetching(eurlex, text="newest")
    with pytest.raises(SourceUnavailableError):
        source.fetch(ref("02024R0001"), NOTHING_KNOWN)
    assert source.fetch(ref(), NOTHING_KNOWN)


def test_requests_are_spaced_as_the_source_says(eurlex: FakeEurlex) -> None:
    waits: list[float] = []
    source = fetching(eurlex, waits=waits, per_second=0.01)
    source.fetch(ref(), NOTHING_KNOWN)
    source.fetch(ref(), NOTHING_KNOWN)
    assert len(waits) == 1
    assert 60 < waits[0] <= 100


def test_a_folder_is_not_pulled(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="use `auskunft index`"):
        EurlexSource(name="law", path=str(tmp_path)).wanted()
