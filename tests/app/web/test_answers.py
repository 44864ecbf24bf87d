"""The sources below an answer, as our own chat page lists them."""

from typing import Any

import pytest

from app.web.answers import make_turn


def document(**changes: Any) -> dict[str, Any]:
    """An answer with one source."""
    source = {
        "number": 3,
        "id": "anx_I",
        "url": "https://law.example/anx_I",
        "title": "Annex I",
        "similarity": 0.714,
        "used": True,
        **changes,
    }
    return {
        "id": "a1",
        "question": "?",
        "status": "answered",
        "html": "",
        "sources": [source],
        "citations": [3],
    }


LINKED = {"reference": [1, 2], "recital": [1], "definition": [2]}


@pytest.mark.parametrize(
    ("language", "facts"),
    [
        (
            "en",
            (
                "cosine 71 %",
                "referred to by [1], [2]",
                "definition for [2]",
                "recital of the act of [1]",
            ),
        ),
        (
            "de",
            (
                "Kosinus 71 %",
                "Verweis aus [1], [2]",
                "Definition zu [2]",
                "Erwägungsgrund zum Rechtsakt von [1]",
            ),
        ),
    ],
)
def test_a_list_of_all_that_was_read_says_what_a_source_is_linked_from(
    language: str, facts: tuple[str, ...]
) -> None:
    [source] = make_turn(document(linked_from=LINKED), 1, language, "used").sources
    assert source.facts == facts


def test_what_was_cut_is_called_unread_and_has_its_links_too() -> None:
    cut = document(number=None, used=False, linked_from={"reference": [1]})
    [source] = make_turn(cut, 1, "en", "used").sources
    assert source.facts == ("cosine 71 %", "referred to by [1]", "not read")


def test_a_list_of_what_was_cited_has_neither_cosines_nor_links() -> None:
    [source] = make_turn(document(linked_from=LINKED), 1, "en", "cited").sources
    assert source.facts == ()


@pytest.mark.parametrize(
    ("kind", "origin"),
    [
        ("answer", "Written by the editors of this website."),
        ("blocked", "Written by the editors of this website."),
        ("pin", "Written by AI from the sources."),
    ],
)
def test_what_editors_wrote_does_not_claim_to_be_written_by_ai(kind: str, origin: str) -> None:
    answer = document() | {"curated": {"kind": kind, "entries": [1]}}
    assert make_turn(answer, 1, "en", "cited").origin == origin
