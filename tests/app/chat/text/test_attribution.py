"""An answer without citations is laid to the pages that say the same, and to none in doubt."""

import time

import pytest

from app.chat.source_items import SourceItem
from app.chat.text.attribution import MAX_SOURCES, probable_sources
from tests.app.chat.pages import page

FERRY = """The ferry to Otterfurt island leaves the northern pier every forty minutes from April to October.

## Tickets

A return ticket costs 7.50 euros for adults. Children under six travel free. Bicycles cost 3 euros extra.

| Season | Last boat |
|---|---|
| Summer | 21:40 |
"""
BEES = """Whoever keeps bees has to report every hive to the veterinary office by the end of February.

* The form asks for the number of colonies and the place of the hives.
* Reporting is free of charge.
"""
POOL = """The outdoor pool opens in May. A day ticket costs 5 euros for adults and 2 euros for children.

Season tickets are sold at the pool's cash desk from the middle of April.
"""
HIVES = """Wer Bienen hält, meldet alle Völker bis Ende Februar beim Veterinäramt an.

Die Anmeldung der Bienenvölker ist gebührenfrei und gilt für ein Jahr.
"""


def sources(*texts: str, language: str = "en") -> list[SourceItem]:
    return [
        SourceItem(
            number=number,
            page=page(f"p{number}", language=language, content=text),
            similarity=0.8,
            used=True,
            text=text,
        )
        for number, text in enumerate(texts, 1)
    ]


TOWN = sources(FERRY, BEES, POOL)


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("The ferry leaves every forty minutes from the northern pier.", (1,)),
        ("Return tickets cost 7.50 euros for adults; children under six travel for free.", (1,)),
        ("**Beekeepers** must report each hive to the veterinary office before February ends.", (2,)),
        ("The form asks how many colonies there are and where the hives' place is.", (2,)),
        ("Adults pay 5 euros for a day ticket, children 2 euros.", (3,)),
        ("- Hives are reported to the veterinary office.\n- The pool opens in May, outdoor.", (2, 3)),
    ],
)
def test_an_answer_in_other_words_is_laid_to_the_page_that_says_it(
    answer: str, numbers: tuple[int, ...]
) -> None:
    assert set(probable_sources(answer, TOWN)) == set(numbers)


@pytest.mark.parametrize(
    "answer",
    [
        "The library lends books to everybody who lives in the district.",
        "Dogs must be kept on a lead from April to October.",
        "5 euros.",
        "Yes.",
        "Please ask the town hall about it.",
        "",
        "![](x)",
    ],
)
def test_weak_overlap_names_no_source(answer: str) -> None:
    assert probable_sources(answer, TOWN) == ()


def test_one_sentence_may_sum_up_several_of_a_page() -> None:
    answer = (
        "From May on the outdoor pool is open; its cash desk sells season tickets in April, and a day ticket "
        "costs adults 5 euros."
    )
    assert probable_sources(answer, TOWN) == (3,)


def test_a_sentence_of_mostly_other_words_names_no_source() -> None:
    answer = "The northern pier ferry museum shows paintings, uniforms and photographs."
    assert probable_sources(answer, TOWN) == ()


def test_the_page_behind_most_of_the_answer_comes_first() -> None:
    answer = (
        "The outdoor pool opens in May. A day ticket costs adults 5 euros. "
        "Season tickets are sold at the cash desk from the middle of April. "
        "The ferry to the island leaves the northern pier every forty minutes."
    )
    assert probable_sources(answer, TOWN) == (3, 1)


def test_inflected_german_words_count() -> None:
    german = sources("Das Freibad öffnet im Mai.", HIVES, language="de")
    answer = "Die Anmeldung eines Bienenvolks ist für ein Jahr gültig und gebührenfrei."
    assert probable_sources(answer, german) == (2,)


def test_an_answer_in_another_language_names_no_source_rather_than_a_guess() -> None:
    answer = "Die Fähre zur Insel Otterfurt kostet 7.50 Euro für Erwachsene, Kinder unter sechs fahren frei."
    assert probable_sources(answer, TOWN) == ()


def test_sources_of_several_languages_are_compared_each_in_its_own() -> None:
    mixed = [*sources(FERRY), SourceItem(
        number=2, page=page("p2", language="de", content=HIVES), similarity=0.8, used=True, text=HIVES
    )]  # fmt: skip
    assert probable_sources("Wer Bienen hält, muss seine Völker beim Veterinäramt anmelden.", mixed) == (2,)


def test_pages_that_the_model_did_not_read_are_never_named() -> None:
    unread = SourceItem(number=None, page=page("p9", content=BEES), similarity=0.9, used=False, text="")
    assert probable_sources("Report every hive to the veterinary office by February.", [unread]) == ()


def test_at_most_three_are_named() -> None:
    many = sources(FERRY, BEES, POOL, "The museum of clocks in Otterfurt shows sundials and towers.")
    answer = f"{FERRY}\n\n{BEES}\n\n{POOL}\n\nThe museum of clocks shows sundials and towers."
    assert len(probable_sources(answer, many)) == MAX_SOURCES


@pytest.mark.parametrize(
    "text",
    ["a b c d. " * 11_000, "word" * 25_000, "[" * 30_000, "Bee hive form. " * 7_000, "\u200b" * 100_000],
)
def test_long_input_does_not_take_long(text: str) -> None:
    started = time.monotonic()
    probable_sources(text, sources(text, text, text))
    assert time.monotonic() - started < 30
