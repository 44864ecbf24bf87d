"""Acts are distinguished from the notices that the site sends instead."""

import pytest

from ingest.errors import PageError
from ingest.law.checks import check, is_challenge
from ingest.law.parse import parse
from tests.fakes.eurlex import oj_text
from tests.ingest.law.samples import article, official_journal, text

UNMARKED = "<html><head><title>{title}</title></head><body><h1>{heading}</h1><p>{text}</p></body></html>"


@pytest.mark.parametrize(
    "said",
    [
        "A page 'The requested document does not exist' with gokuProps counts as an error.",
        "An error has occurred in Annex I; it is replaced.",
        "Where JavaScript is disabled, lamps are lit by hand. Service unavailable. Access denied.",
        "The register is only available in PDF.",
    ],
)
def test_an_act_may_say_anything(said: str) -> None:
    act = oj_text(1, said)
    check(act)
    assert not is_challenge(act)
    assert parse(official_journal(article("1", text(said))))


@pytest.mark.parametrize(
    "title",
    [
        "Council Regulation (EC) No 4/2009 on maintenance obligations",
        "Council Decision 2010/404/EU on gateways and errors",
        "Directive 98/500/EC",
        "Service",
        "",
    ],
)
def test_a_page_whose_title_has_more_in_it_than_an_error_is_no_error_page(title: str) -> None:
    check(UNMARKED.format(title=title, heading="", text="An error has occurred in Annex I."))


@pytest.mark.parametrize(
    "title",
    [
        "503 Service Unavailable",
        "EUR-Lex - Error",
        "404",
        "HTTP Status 404 – Not Found",
        "Access Denied",
        "Scheduled maintenance",
        "An error has occurred",
        "Erreur 500",
    ],
)
def test_a_page_that_only_names_an_error_is_refused(title: str) -> None:
    for page in (
        UNMARKED.format(title=title, heading="", text="Sorry."),
        UNMARKED.format(title="EUR-Lex", heading=title, text="Sorry."),
    ):
        with pytest.raises(PageError, match="an error page"):
            check(page)


def test_a_complete_page_may_end_in_comments() -> None:
    check(oj_text(1, "Lamps.") + f"\n<!-- {'x' * 3_000} --> \n<!-- {'y' * 3_000} -->")


@pytest.mark.parametrize("behind", [" ", "<p>" + "x" * 3_000, f"<!-- x --><html>{'x' * 3_000}"])
def test_a_page_that_breaks_off_is_refused(behind: str) -> None:
    text = oj_text(1, "Lamps.")
    with pytest.raises(PageError, match="truncated"):
        check(text[:-20] if behind == " " else text + behind)


def test_many_beginnings_of_comments_take_no_time() -> None:
    check(oj_text(1, "Lamps.") + "<!--" * 500_000)
