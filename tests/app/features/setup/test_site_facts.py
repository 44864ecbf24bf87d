"""A website tells its name, languages, colour and whom to ask."""

import pytest

from app.features.setup.site_facts import site_facts
from ingest.types import PageRef, RawField, RawPage

START = "https://www.town.example/"


def page(head: str = "", body: str = "", *, title: str = "", path: str = "", language: str = "de") -> RawPage:
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    fields = {"content": RawField(text=html, media_type="text/x-web-page")}
    fields |= {"title": RawField(text=title, media_type="text/plain")} if title else {}
    ref = PageRef(source="town", id=f"{START}{path}", language=language)
    return RawPage(ref=ref, document=ref.id, url=ref.id, fields=fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ('<meta property="og:site_name" content="Stadt  Otterfurt">', "Stadt Otterfurt"),
        ('<meta name="application-name" content="Otterfurt">', "Otterfurt"),
        (
            '<script type="application/ld+json">{"@graph": [{"@type": "WebPage", "name": "Start"},'
            ' {"@type": "GovernmentOrganization", "name": "Town of Otterfurt"}]}</script>',
            "Town of Otterfurt",
        ),
        ('<script type="application/ld+json">{broken</script>', "Otterfurt"),
        ('<script type="application/ld+json">[{"@type": "City", "name": 7}, 3]</script>', "Otterfurt"),
    ],
)
def test_the_name_is_what_the_website_calls_itself(head: str, name: str) -> None:
    assert site_facts([page(head, title="Willkommen in Otterfurt")]).name == name


def test_else_it_is_what_most_titles_have_in_common() -> None:
    titles = ["Start | Stadt Otterfurt", "Hundesteuer | Stadt Otterfurt", "Müll – Abfuhr | Stadt Otterfurt"]
    assert site_facts([page(title=title) for title in titles]).name == "Stadt Otterfurt"
    assert site_facts([page()]).name == "www.town.example"


def test_contacts_are_found_by_words_and_paths_in_german_and_english() -> None:
    german = page(body='<a href="/service/kontakt">Wir</a> <a href="impressum.html">Impressum</a>')
    facts = site_facts([german])
    assert (facts.contact, facts.imprint) == (f"{START}service/kontakt", f"{START}impressum.html")
    links = {"/t": "Contact the tax office", "/a": "Contact", "/b": "Legal notice", "/c": "Privacy policy"}
    english = page(body="".join(f'<a href="{path}">{text}</a>' for path, text in links.items()))
    facts = site_facts([english])
    assert (facts.contact_page, facts.imprint, facts.privacy) == (f"{START}a", f"{START}b", f"{START}c")


def test_an_e_mail_address_on_the_page_with_the_contacts_is_preferred() -> None:
    start = page(body='<a href="/kontakt">Kontakt</a> <a href="/contract">Contracts</a>')
    contact = page(body='<a href="mailto:rathaus%40town.example?subject=x">Schreiben</a>', path="kontakt")
    other = page(body='<a href="mailto:pool@town.example">Pool</a>', path="pool")
    assert site_facts([start, other, contact]).contact == "rathaus@town.example"


def test_languages_are_those_of_the_pages_the_start_pages_first() -> None:
    pages = [page(language="en"), page(language="de"), page(language="de"), page(language="und")]
    assert site_facts(pages).languages == ("en", "de")


@pytest.mark.parametrize(
    ("colour", "read"), [("#7A0B3F", "#7a0b3f"), ("#abc", "#aabbcc"), ("rebeccapurple", ""), ("#12345", "")]
)
def test_the_theme_colour_is_six_digits_or_none(colour: str, read: str) -> None:
    assert site_facts([page(f'<meta name="theme-color" content="{colour}">')]).colour == read
