"""Questions as people speak and chat them are read in written language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.languages import read_by_language
from app.search.written_language import as_price_question, as_sentence, in_words_of_pages, in_written_language
from tests.app.search.known_words import Pages

PHRASES = read_by_language("app.search", "spoken_words")


@pytest.mark.parametrize(
    ("language", "spoken", "written"),
    [
        ("de", "wo krieg i nen Angelschein", "wo bekomme ich einen Angelschein"),
        ("de", "Was kost des und krieg ich das wieder?", "Was kostet des und bekomme ich das wieder?"),
        ("de", "Derf man im Park net grillen?", "darf man im Park nicht grillen?"),
        ("de", "gibts sowas u wann?", "gibt es sowas und wann?"),
        ("de", "wieviel kost's für Kinder", "wie viel kostet es für Kinder"),
        ("de", "wo ist die u bahn nach san marino", "wo ist die U-Bahn nach San Marino"),
        ("de", "Wie gehts mit’m Hund?", "Wie geht es mit’m Hund?"),
        ("de", "morgn was verkaufn, nie heiratn", "morgen was verkaufen, nie heiraten"),
        ("en", "is there parkin in the station", "is there parking in the station"),
        ("en", "can u tell me whats on", "can you tell me what's on"),
        ("en", "i didnt get one, im new", "I didn't get one, I'm new"),
    ],
)
def test_dialect_and_short_forms_are_written_out(language: str, spoken: str, written: str) -> None:
    assert in_written_language(spoken, language) == written


@pytest.mark.parametrize(
    ("language", "spoken", "written"),
    [
        ("de", "achso und was kostet eine Urkunde", "was kostet eine Urkunde"),
        ("de", "Guten Tag! Wann ist geöffnet? Vielen Dank!", "Wann ist geöffnet"),
        ("de", "Hallo, mal ne Frage: wo ist das Amt? LG", "wo ist das Amt"),
        ("en", "Hi there! Quick question - where do I vote, please?", "where do I vote"),
    ],
)
def test_what_opens_or_ends_a_question_is_left_out(language: str, spoken: str, written: str) -> None:
    assert in_written_language(spoken, language) == written


@pytest.mark.parametrize("text", ["Hallo", "ja danke", "Guten Tag, Bürgeramt", "Bitte!", "?", ""])
def test_a_text_stays_whole_where_hardly_a_word_would_be_left(text: str) -> None:
    assert in_written_language(text, "de") == text


@pytest.mark.parametrize(
    "question", ["No dogs at the pool?", "Right of way where?", "Well water: who tests it?"]
)
def test_a_word_that_changes_what_is_asked_is_no_opening(question: str) -> None:
    assert in_written_language(question, "en") == question


def test_names_and_letters_of_numbers_stay() -> None:
    question = "Wohnt in Haus 5 n noch Frau Hob, und wo ist die Straße Am Uf?"
    assert in_written_language(question, "de") == question


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "U-Bahn und i-Kfz, oder un-konvention"),
        ("de", "gilt das i. d. r. und i. V. m. Art. 6 DSGVO"),
        ("de", "So-Di geschlossen"),
        ("de", "krippe u 3 oder u18"),
        ("en", "is a u-turn on r&d land allowed"),
    ],
)
def test_compounds_and_abbreviations_stay_whole(language: str, question: str) -> None:
    assert in_written_language(question, language) == question


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "ist mo, di, do offen"),
        ("de", "so und feiertags geöffnet"),
        ("de", "Grad der Behinderung beantragen"),
        ("de", "Krieg in der Ukraine, wo ist Hilfe"),
        ("de", "wo ist die vg"),
        ("de", "mein login geht nicht"),
        ("en", "no parking zones where"),
        ("en", "right of way dispute"),
        ("en", "well water testing"),
        ("en", "question time in the council"),
        ("en", "where is a form on b4 paper in vancouver bc"),
        ("en", "how to become a ta"),
    ],
)
def test_ordinary_words_stay(language: str, question: str) -> None:
    assert in_written_language(question, language) == question


@pytest.mark.parametrize(
    ("spoken", "written"),
    [
        ("Wie lange hat das Bad heute noch auf?", "Wie lange hat das Bad heute noch geöffnet?"),
        ("Ist das Amt samstags zu?", "Ist das Amt samstags geschlossen?"),
        ("Wann machen Sie auf?", "Wann öffnen Sie?"),
        ("wann macht der laden zu und wann hat er auf", "wann schließt der laden und wann hat er geöffnet"),
        ("ob das Amt heute aufhat", "ob das Amt heute geöffnet hat"),
        ("wann ihr zumacht", "wann ihr schließt"),
        ("Was kommt da auf uns zu?", "Was kommt da auf uns zu?"),
        ("Er hat dort gewohnt. Was kommt auf uns zu?", "Er hat dort gewohnt. Was kommt auf uns zu?"),
        ("Wie lange hebt ihr Sachen auf?", "Wie lange hebt ihr Sachen auf?"),
        ("Sind noch Plätze zu haben?", "Sind noch Plätze zu haben?"),
    ],
)
def test_open_and_closed_are_said_in_one_word(spoken: str, written: str) -> None:
    assert in_written_language(spoken, "de") == written


@pytest.mark.parametrize("language", ["fr", "tr", None])
def test_questions_in_other_languages_stay(language: str | None) -> None:
    question = "und derf i u pls"
    assert in_written_language(question, language) == question


@pytest.mark.parametrize("language", sorted(PHRASES))
def test_written_language_stays(language: str) -> None:
    """Also says that no spoken word is written as another spoken one."""
    for spoken in PHRASES[language]["words"]:
        written = in_written_language(f"xyz {spoken} xyz", language)
        assert written != f"xyz {spoken} xyz"
        assert in_written_language(written, language) == written


@given(st.text(max_size=200), st.sampled_from(["de", "en"]))
def test_every_text_is_read(text: str, language: str) -> None:
    assert as_sentence(in_written_language(text, language))


@pytest.mark.parametrize("part", ["ach so ", "danke ", "vielen dank im voraus ", "'", "u. "])
def test_a_long_text_is_read_in_linear_time(part: str) -> None:
    in_written_language(part * 20_000 + "x", "de")


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("was kostet ein pass", "Was kostet ein pass?"),
        ("  äpfel?? ", "Äpfel??"),
        ("Ich suche das „Bad“.", "Ich suche das „Bad“."),
        ("Er fragt: „Wann?“", "Er fragt: „Wann?“"),
    ],
)
def test_a_sentence_begins_with_a_capital_and_ends_with_a_mark(question: str, sentence: str) -> None:
    assert as_sentence(question) == sentence


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Wie hoch ist die Hundesteuer?", "was kostet die Hundesteuer?"),
        ("und wie hoch sind da die Gebühren", "und was kosten da die Gebühren"),
        ("Wie hoch ist der Wasserturm?", "Wie hoch ist der Wasserturm?"),
        ("Wie hoch darf die Hecke sein?", "Wie hoch darf die Hecke sein?"),
    ],
)
def test_who_asks_for_a_sum_asks_what_it_costs(question: str, asked: str) -> None:
    assert as_price_question(question) == asked


def test_misspelt_and_spoken_words_are_those_of_the_pages() -> None:
    pages = Pages(reisepass=2, personalausweis=3, kostet=9)
    read = in_words_of_pages("achso u was kost ein Persoalausweis", "de", pages)
    assert read == "was kostet ein personalausweis"
