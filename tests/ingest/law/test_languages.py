"""Acts in all official languages have their units."""

import pytest

from ingest.errors import PageError
from ingest.law.model import Act
from ingest.law.parse import parse
from tests.ingest.law.samples import PAGE_HEAD, TITLE, annex, item, official_journal, text

CAPTIONS = {
    "bg": ("Член 1", "Член 2а", "ПРИЛОЖЕНИЕ I"),
    "cs": ("Článek 1", "Článek 2a", "PŘÍLOHA I"),
    "da": ("Artikel 1", "Artikel 2a", "BILAG I"),
    "de": ("Artikel 1", "Artikel 2a", "ANHANG I"),
    "el": ("Άρθρο 1", "Άρθρο 2α", "ΠΑΡΑΡΤΗΜΑ I"),
    "en": ("Article 1", "Article 2a", "ANNEX I"),
    "es": ("Artículo 1", "Artículo 2 bis", "ANEXO I"),
    "et": ("Artikkel 1", "Artikkel 2a", "I LISA"),
    "fi": ("1 artikla", "2 a artikla", "LIITE I"),
    "fr": ("Article premier", "Article 2 bis", "ANNEXE I"),
    "ga": ("Airteagal 1", "Airteagal 2a", "IARSCRÍBHINN I"),
    "hr": ("Članak 1.", "Članak 2.a", "PRILOG I."),
    "hu": ("1. cikk", "2a. cikk", "I. MELLÉKLET"),
    "it": ("Articolo 1", "Articolo 2 bis", "ALLEGATO I"),
    "lt": ("1 straipsnis", "2a straipsnis", "I PRIEDAS"),
    "lv": ("1. pants", "2.a pants", "I PIELIKUMS"),
    "mt": ("Artikolu 1", "Artikolu 2a", "ANNESS I"),
    "nl": ("Artikel 1", "Artikel 2 bis", "BIJLAGE I"),
    "pl": ("Artykuł 1", "Artykuł 2a", "ZAŁĄCZNIK I"),
    "pt": ("Artigo 1.o", "Artigo 2.o-A", "ANEXO I"),
    "ro": ("Articolul 1", "Articolul 2a", "ANEXA I"),
    "sk": ("Článok 1", "Článok 2a", "PRÍLOHA I"),
    "sl": ("Člen 1", "Člen 2a", "PRILOGA I"),
    "sv": ("Artikel 1", "Artikel 2a", "BILAGA I"),
}
PREAMBLES = {
    "de": ("gestützt auf den Vertrag,", "HAT FOLGENDE VERORDNUNG ERLASSEN:"),
    "it": ("visto il trattato,", "HA ADOTTATO IL PRESENTE REGOLAMENTO:"),
    "pl": ("uwzględniając Traktat,", "PRZYJMUJE NINIEJSZE ROZPORZĄDZENIE:"),
    "sv": ("med beaktande av fördraget,", "HAR ANTAGIT DENNA FÖRORDNING."),
}


def read(language: str, body: str) -> Act:
    html = official_journal(body, head=PAGE_HEAD.replace(">EN<", f">{language.upper()}<") + TITLE)
    return parse(html, celex="32031R0077", language=language)


def caption(words: str, identifier: str = "") -> str:
    return f'<div id="{identifier}"><p class="oj-ti-art">{words}</p>{text("Bees.")}</div>'


@pytest.mark.parametrize("language", CAPTIONS)
def test_articles_and_annexes_are_named_by_their_numbers(language: str) -> None:
    first, inserted, of_annex = CAPTIONS[language]
    act = read(language, caption(first) + caption(inserted) + annex(of_annex, text("Hives."), "x"))
    assert [unit.id for unit in act.units] == ["act", "art_1", "art_2a", "anx_I"]


def test_identifiers_name_units_whose_captions_are_not_known() -> None:
    act = read(
        "en", caption("Klausel 1", "art_1") + caption("Klausel", "art_2") + annex("BLATT I", text("a"))
    )
    assert [(unit.id, unit.label) for unit in act.units[1:]] == [
        ("art_1", "Klausel 1"),
        ("art_2", "Klausel"),
        ("anx_I", "BLATT I"),
    ]


def test_an_act_whose_captions_are_not_understood_is_refused() -> None:
    with pytest.raises(PageError, match="Klausel 1") as refused:
        read("en", caption("Klausel 1") + caption("Klausel 2"))
    assert refused.value.reason == "unsupported"


@pytest.mark.parametrize("language", PREAMBLES)
def test_recitals_and_terms_are_told_apart(language: str) -> None:
    citation, enacting = PREAMBLES[language]
    points = item("(1)", text("Bees fly.")), item("(1)", text("Keep bees."))
    act = read(language, text(citation) + points[0] + text(enacting) + points[1])
    assert [unit.id for unit in act.units] == ["act", "rct_1"]
