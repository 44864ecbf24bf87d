"""What people did wrong is said in German where they chose German, whatever they sent."""

import re

import pytest
from werkzeug.test import TestResponse

from app.console.formats import formats
from app.console.messages import failure_text, reason_text, translated
from app.console.texts import TEXTS
from app.errors import (
    AuskunftError,
    ConflictError,
    FetchError,
    HaltReason,
    IndexUnavailableError,
    InputError,
    NotFoundError,
    SourceUnavailableError,
)
from app.pages.jobs import EXCLUDED
from app.sources.halts import in_words
from ingest.said import Said, joined
from tests.app.console.conftest import Console
from tests.app.web.browser import soup

ENGLISH = re.compile(
    r"\b(the|gives?|use|is|it|has|should|must|input|string|write|there|that|your|answers|cannot|of|to|no|and|again)\b",
    re.IGNORECASE,
)


def said(answer: TestResponse, status: int = 400) -> str:
    """What the page says was wrong."""
    assert answer.status_code == status, answer.text[:300]
    found = soup(answer).select_one("main [role=alert], main p.intro")
    assert found is not None
    return found.get_text(" ", strip=True)


@pytest.mark.parametrize(
    "path",
    [
        "/sites/town?accent=rot",
        "/pages?after=x",
    ],
)
def test_what_is_wrong_with_an_address_is_said_in_german(german: Console, path: str) -> None:
    message = said(german.get(path))
    assert not ENGLISH.search(message), message


def test_what_is_too_large_is_said_in_german(german: Console) -> None:
    message = said(german.post("/users", name="x" * 100_000), 413)
    assert "zu viel auf einmal" in message


TAKEN = ConflictError("there is already a user {name!r}", name="Adam")


def shown(failure: AuskunftError, language: str = "de") -> str:
    """What the console says of an error."""
    return failure_text(failure, TEXTS[language], language)


def test_a_message_is_translated_by_its_template_and_filled_with_its_values() -> None:
    assert shown(TAKEN) == "Es gibt schon jemanden mit dem Namen 'Adam'."
    assert shown(TAKEN, "en") == "there is already a user 'Adam'"


def test_a_language_without_a_catalogue_has_the_messages_as_they_are_written() -> None:
    assert translated(TAKEN, "fr") == "there is already a user 'Adam'"


def test_a_message_that_reads_like_a_template_is_not_translated() -> None:
    assert translated(InputError("there is already a user 'Adam'"), "de") == "there is already a user 'Adam'"


def test_values_with_braces_are_shown_as_they_are() -> None:
    taken = ConflictError("there is already a user {name!r}", name="{name} {0}")
    assert shown(taken) == "Es gibt schon jemanden mit dem Namen '{name} {0}'."


def test_an_error_among_the_values_is_translated_too() -> None:
    inner = InputError("the two passwords differ")
    outer = SourceUnavailableError("{where} cannot be reached: {error}", where="there", error=inner)
    assert shown(outer) == "there ist nicht zu erreichen (Die beiden Passwörter sind verschieden.)."


def test_of_a_word_that_somebody_typed_only_the_beginning_is_shown() -> None:
    message = shown(ConflictError("there is already a user {name!r}", name="A" * 3_000))
    assert message == f"Es gibt schon jemanden mit dem Namen '{'A' * 99}…"


def test_a_message_without_a_translation_is_shown_as_it_is_written() -> None:
    assert shown(InputError("give {count} otters", count=3)) == "give 3 otters"


def test_what_is_not_there_is_said_in_general_where_the_message_has_no_translation() -> None:
    message = shown(NotFoundError("there is no otter {name!r}", name="Otto"))
    assert message == f"{TEXTS['de']['problem_missing']}. {TEXTS['de']['problem_missing_text']}"
    assert shown(NotFoundError("there is no otter"), "en") == "there is no otter"


def test_an_address_without_use_has_its_reason_beside_a_message_without_a_translation() -> None:
    message = shown(FetchError("too_large", "{where} is an otter", where="there"))
    assert message == f"{TEXTS['de']['reason_too_large']} (there is an otter)"


def test_errors_of_the_server_are_not_told() -> None:
    later = f"{TEXTS['de']['problem_later']}. {TEXTS['de']['problem_later_text']}"
    assert shown(IndexUnavailableError("no node of {host} answers", host="search:9200")) == later


def test_a_stored_reason_is_translated_if_its_error_had_no_values() -> None:
    reason = "another worker has taken over this rebuild"
    assert reason_text(reason, "de") == "Ein anderer Worker hat diesen Neuaufbau inzwischen übernommen."
    assert reason_text(reason, "en") == reason
    assert reason_text("the {index} is away", "de") == "the {index} is away"


def test_a_reason_that_says_all_in_german_has_no_english_behind_it() -> None:
    reason = formats("de", TEXTS["de"])["reason"]
    assert reason(EXCLUDED) == "Die Seite ist aus Antworten genommen."
    assert reason("empty: the page has no visible text in any field") == "Auf der Seite steht kein Text."
    assert "zu lange" in reason("timeout: 30 s") and "30 s" in reason("timeout: 30 s")


def test_what_checks_say_is_told_in_german_with_its_numbers_and_what_is_within() -> None:
    left = Said("{count:,} pages to be indexed", count=1_234)
    both = joined([left, Said("none"), "bge-m3"])
    assert str(both) == "1,234 pages to be indexed; none; bge-m3"
    assert translated(both, "de") == "1.234 Seiten sind einzulesen; keine; bge-m3"
    assert translated(both, "en") == str(both)
    away = Said("{error} ({ago} ago)", error=TAKEN, ago="5 s")
    assert translated(away, "de") == f"{translated(TAKEN, 'de')} (vor 5 s)"


def test_numbers_of_what_halted_a_pull_are_written_as_the_reader_does() -> None:
    lost = in_words([HaltReason(code="lost", count=1_200, pages=4_100)])
    assert str(lost) == "1,200 of 4,100 pages lost much of their text"
    assert translated(lost, "de") == "1.200 von 4.100 Seiten haben viel Text verloren"


def test_the_checks_of_the_overview_are_in_german(german: Console) -> None:
    page = soup(german.get("/"))
    told = " ".join(cell.get_text(" ", strip=True) for cell in page.select("details td:last-child"))
    assert "GB frei in" in told
    assert "keines: Antworten sind wörtliche Fundstellen" in told
    assert not ENGLISH.search(re.sub(r"/\S+", "", told)), told
