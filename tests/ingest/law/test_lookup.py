"""Which questions only name a text, and which texts a question mentions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.law.act_names import ActNames
from ingest.law.lookup import NamedUnit, mentioned, named, naming_language
from ingest.law.names import customary_names, short_name
from ingest.sources.eurlex.names import is_celex

CUSTOMARY = customary_names()
NAMES = ActNames(CUSTOMARY)

MERE_NAMES = {
    "32016R0679": NamedUnit("32016R0679"),
    "32016r0679": NamedUnit("32016R0679"),
    "CELEX 32016R0679": NamedUnit("32016R0679"),
    "CELEX:32016R0679": NamedUnit("32016R0679"),
    "Article 6, CELEX: 32016R0679": NamedUnit("32016R0679", "art_6"),
    "02016R0679-20160504": NamedUnit("32016R0679"),
    "32024R1689 art 6": NamedUnit("32024R1689", "art_6"),
    "Article 6 AI Act": NamedUnit("32024R1689", "art_6"),
    "article 6(2) of the ai act?": NamedUnit("32024R1689", "art_6"),
    "Art. 6 KI-Verordnung": NamedUnit("32024R1689", "art_6"),
    "Art. 6 Abs. 2 der KI Verordnung": NamedUnit("32024R1689", "art_6"),
    "AI Act Annex III": NamedUnit("32024R1689", "anx_III"),
    "AI Act Annex IA": NamedUnit("32024R1689", "anx_Ia"),
    "AI Act Article 7A": NamedUnit("32024R1689", "art_7a"),
    "article 7 BIS AI Act": NamedUnit("32024R1689", "art_7a"),
    "AI Act, Article 6": NamedUnit("32024R1689", "art_6"),
    "recital 53 of the AI Act": NamedUnit("32024R1689", "rct_53"),
    "ErwG 53 KI-VO": NamedUnit("32024R1689", "rct_53"),
    "Article 6 of Regulation (EU) 2024/1689": NamedUnit("32024R1689", "art_6"),
    "article 6 du règlement (UE) 2024/1689": NamedUnit("32024R1689", "art_6"),
    "article 6 du règlement sur l’IA": NamedUnit("32024R1689", "art_6"),
    "l'annexe III du RGPD": NamedUnit("32016R0679", "anx_III"),
    "GDPR": NamedUnit("32016R0679"),
    "the Digital Services Act": NamedUnit("32022R2065"),
    "DSGVO Artikel 17": NamedUnit("32016R0679", "art_17"),
    "NIS 2": NamedUnit("32022L2555"),
    "reach": NamedUnit("32006R1907"),
    "Directive 95/46/EC": NamedUnit("31995L0046"),
    "point (a) of Article 5 GDPR": NamedUnit("32016R0679", "art_5"),
    "Article 114 TFEU": NamedUnit("12016E114", "art_114"),
}
QUESTIONS = (
    "What does Article 6 AI Act say about profiling?",
    "GDPR fines",
    "Article 6",
    "Annex III",
    "",
    "?",
    "Article 6 and Article 7 AI Act",
    "AI Act or GDPR",
    "Wann gilt die DSGVO?",
    "What is the AI Act?",
    "Article 5 of that Regulation",
)


@pytest.mark.parametrize(("question", "expected"), MERE_NAMES.items())
def test_a_mere_name_is_looked_up(question: str, expected: NamedUnit) -> None:
    assert named(question, NAMES) == expected


REQUESTS = {
    "What does Article 27 of the AI Act say?": NamedUnit("32024R1689", "art_27"),
    "what is in annex III of the AI Act": NamedUnit("32024R1689", "anx_III"),
    "What is Article 17 GDPR about?": NamedUnit("32016R0679", "art_17"),
    "Please show me the full text of Art. 6 AI Act": NamedUnit("32024R1689", "art_6"),
    "Was steht in Artikel 27 der KI-Verordnung?": NamedUnit("32024R1689", "art_27"),
    "Was genau regelt denn Art. 17 DSGVO?": NamedUnit("32016R0679", "art_17"),
    "Wie lautet Erwägungsgrund 53 der KI-VO?": NamedUnit("32024R1689", "rct_53"),
    "Zeigen Sie mir bitte den Wortlaut von Artikel 6 KI-Verordnung": NamedUnit("32024R1689", "art_6"),
    "Worum geht es in Anhang III der KI-Verordnung?": NamedUnit("32024R1689", "anx_III"),
    "Que dit l'article 17 du RGPD ?": NamedUnit("32016R0679", "art_17"),
    "What does Article 27 say – AI Act?": NamedUnit("32024R1689", "art_27"),
    "And what does Article 27 of the AI Act say?": NamedUnit("32024R1689", "art_27"),
    "Was steht in Artikel 2 – Commission Implementing Regulation (EU) 2026/2?": NamedUnit(
        "32026R0002", "art_2"
    ),
    "Artikel 1 – Directive (EU) 2021/2": NamedUnit("32021L0002", "art_1"),
    "Que dit l'article 3 – Regulation (EC) No 1310/97 ?": NamedUnit("31997R1310", "art_3"),
    "Quel est le texte de l’article 6 du règlement sur l’IA ?": NamedUnit("32024R1689", "art_6"),
    "Qu'est-ce que prévoit l'article 17 du RGPD ?": NamedUnit("32016R0679", "art_17"),
}
OTHER_QUESTIONS = (
    "What does Article 27 of the AI Act say about deployers?",
    "When does Article 5 of the AI Act apply?",
    "Was muss ich nach Artikel 27 der KI-Verordnung tun?",
    "What does the GDPR say?",
    "Was steht in der DSGVO?",
    "What does Article 6 say?",
    "Que dit l'article 17 du RGPD sur les enfants ?",
)


@pytest.mark.parametrize(("question", "expected"), REQUESTS.items())
def test_a_question_that_asks_for_nothing_but_the_text_of_a_unit_is_looked_up(
    question: str, expected: NamedUnit
) -> None:
    assert named(question, NAMES) == expected


@pytest.mark.parametrize("question", OTHER_QUESTIONS)
def test_a_question_about_something_in_a_unit_or_about_a_whole_act_is_no_request_for_a_text(
    question: str,
) -> None:
    assert named(question, NAMES) is None


@pytest.mark.parametrize(
    "question",
    ["Article 27", "What does Article 27 say?", "Was steht in Artikel 27?", "art 27", "Art. 27 Abs. 1"],
)
def test_a_unit_without_an_act_is_of_the_only_act_that_there_is(question: str) -> None:
    assert named(question, NAMES) is None
    assert named(question, NAMES, sole="32024R1689") == NamedUnit("32024R1689", "art_27")


def test_a_unit_of_another_act_or_instrument_is_not_of_the_only_act_that_there_is() -> None:
    assert named("Article 17 GDPR", NAMES, sole="32024R1689") == NamedUnit("32016R0679", "art_17")
    assert named("Article 8 of the Convention", NAMES, sole="32024R1689") is None
    assert named("Article 8 of that Regulation", NAMES, sole="32024R1689") is None
    assert named("32016R0679", NAMES, sole="32024R1689") == NamedUnit("32016R0679")


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_that_says_more_or_less_is_no_mere_name(question: str) -> None:
    assert named(question, NAMES) is None


def test_a_question_mentions_units_of_the_act_it_names() -> None:
    assert mentioned("What does Article 6 AI Act say about profiling?", NAMES) == (
        NamedUnit("32024R1689", "art_6"),
    )
    assert mentioned("Was steht in Anhang III der KI-Verordnung?", NAMES) == (
        NamedUnit("32024R1689", "anx_III"),
    )
    assert mentioned("Que disent les articles 5 à 7 du RGPD ?", NAMES) == (
        NamedUnit("32016R0679", "art_5"), NamedUnit("32016R0679", "art_6"), NamedUnit("32016R0679", "art_7"),
    )  # fmt: skip


def test_each_unit_is_of_the_act_beside_it() -> None:
    question = "How do Article 10 AI Act and Article 9 of the GDPR fit together?"
    assert mentioned(question, NAMES) == (NamedUnit("32024R1689", "art_10"), NamedUnit("32016R0679", "art_9"))


def test_acts_without_a_unit_are_mentioned_as_a_whole() -> None:
    assert mentioned("Does the GDPR apply beside Directive 2002/58/EC?", NAMES) == (
        NamedUnit("32016R0679"), NamedUnit("32002L0058"),
    )  # fmt: skip


def test_a_unit_without_an_act_and_an_ordinary_word_are_no_mention() -> None:
    assert mentioned("What does Article 6 say?", NAMES) == ()
    assert mentioned("How far does a fine reach?", NAMES) == ()
    assert mentioned("Does REACH apply?", NAMES) == (NamedUnit("32006R1907"),)


def test_without_names_numbers_are_still_known() -> None:
    assert named("32024R1689 art 6", ActNames({})) == NamedUnit("32024R1689", "art_6")
    assert named("GDPR", ActNames({})) is None


def test_every_customary_name_finds_its_act() -> None:
    found = {name: named(name, NAMES) for name in CUSTOMARY}
    assert found == {name: NamedUnit(act) for name, act in CUSTOMARY.items()}
    assert all(is_celex(act) for act in CUSTOMARY.values())


def test_short_names_are_in_the_language_asked_for_or_in_english() -> None:
    assert [short_name("32016R0679", code) for code in ("en", "de", "fr", "cy")] == [
        "GDPR",
        "DSGVO",
        "RGPD",
        "GDPR",
    ]
    assert short_name("31991R1534", "en") == ""


@given(st.text() | st.lists(st.sampled_from([*CUSTOMARY, *MERE_NAMES, "and", "what"])).map(" ".join))
def test_any_question_is_read(question: str) -> None:
    one = named(question, NAMES)
    assert one is None or one.celex
    assert all(found.celex for found in mentioned(question, NAMES))


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Was sagt Artikel 27?", "de"),
        ("Artikel 27", "de"),
        ("Que dit l'article 27 ?", "fr"),
        ("What says Article 27?", "en"),
        ("Article 27", None),
        ("Who may ride on trams?", None),
    ],
)
def test_the_language_is_told_in_which_a_question_names_a_text(question: str, language: str | None) -> None:
    assert naming_language(question, NAMES) == language
