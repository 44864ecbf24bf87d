"""What an entry of the curation may say."""

from datetime import date, timedelta
from typing import Any

import pytest

from app.errors import InputError
from app.features.curation.content import Kind, check, normalised, read_content

TODAY = date(2026, 11, 23)
PAGE = {"source": "town", "id": "pool"}
GOOD: list[tuple[Kind, dict[str, Any]]] = [
    ("pin", {"phrasings": ["When does the pool open?"], "page": PAGE}),
    ("answer", {"phrasings": ["Wo?"], "text": "Hier.", "until": "2026-11-23", "owner": "kim"}),
    ("synonyms", {"words": ["GA", "Gewerbeamt"]}),
    ("synonyms", {"words": ["IT", "Informationstechnik"], "language": "de"}),
    ("blocked", {"phrasings": ["Wen soll ich wählen?"], "text": "Dazu nichts.", "contact": "Wahlamt"}),
    ("example", {"text": "Was kostet ein Pass?", "language": "de", "replaces": True}),
]
BAD: list[tuple[Kind, dict[str, Any], str]] = [
    ("pin", {"phrasings": ["Wann?"]}, "needs 'page'"),
    ("pin", {"page": PAGE}, "needs 'phrasings'"),
    ("pin", {"phrasings": ["Wann?"], "page": PAGE, "text": "x"}, "has no 'text'"),
    ("answer", {"phrasings": ["Wann?"], "text": "  "}, "needs 'text'"),
    ("answer", {"phrasings": ["?!"], "text": "x"}, "number 1 contains no word"),
    ("answer", {"phrasings": ["Wann?", "wann"], "text": "x"}, "appears twice"),
    ("answer", {"phrasings": ["Wann?"], "text": "x", "contact": "y"}, "has no 'contact'"),
    ("answer", {"phrasings": ["Wann?"], "text": "x", "until": "2026-11-22"}, "is in the past"),
    ("synonyms", {"words": ["GA"]}, "at least two"),
    ("synonyms", {"words": ["das", "Gewerbeamt"]}, "has no meaning by itself"),
    ("example", {"text": "x" * 201}, "at most 200 characters"),
]
UNREADABLE: list[tuple[dict[str, Any], str]] = [
    ({"phrasings": ["x" * 10_000]}, "phrasings.0"),
    ({"text": "x" * 10_000}, "text"),
    ({"text": "a\0b"}, "nul"),
    ({"text": "\ud800"}, "surrogates"),
    ({"until": "soon"}, "until"),
    ({"language": "Deutsch"}, "language"),
    ({"phrasings": ["x"] * 51}, "phrasings"),
    ({"colour": "red"}, "colour"),
    ({"page": {"source": "town"}}, "page.id"),
]


@pytest.mark.parametrize(("kind", "document"), GOOD)
def test_good_content_is_taken_as_it_is(kind: Kind, document: dict[str, Any]) -> None:
    content = read_content(document)
    check(kind, content, TODAY)
    assert content.document() == document


@pytest.mark.parametrize(("kind", "document", "message"), BAD)
def test_content_that_makes_no_entry_is_refused_with_what_to_do(
    kind: Kind, document: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        check(kind, read_content(document), TODAY)


@pytest.mark.parametrize(("document", "place"), UNREADABLE)
def test_what_is_no_content_is_refused_by_the_name_of_the_field(document: dict[str, Any], place: str) -> None:
    with pytest.raises(InputError, match=place):
        read_content(document)


def test_an_entry_counts_on_its_last_day() -> None:
    content = read_content({"words": ["a1", "b1"], "until": TODAY.isoformat()})
    check("synonyms", content, TODAY)
    with pytest.raises(InputError):
        check("synonyms", content, TODAY + timedelta(days=1))


def test_texts_with_the_same_words_are_the_same() -> None:
    assert normalised("  Wo ist das GA?!") == normalised("wo ist das ga")
    assert normalised("Wo ist das GA?") != normalised("Wo ist das Amt?")
