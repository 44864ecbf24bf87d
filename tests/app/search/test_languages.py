"""The language of a question is told by its script, its function words and its letters."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.languages import LetterGroups, language_by_words, question_language

LATIN = ("de", "en", "es", "fr", "it", "pl", "ro", "tr")
OTHERS = ("uk", "ru", "ar", "fa", "ur", "el", "he", "hy", "ka", "th", "ko", "ja", "zh")
GROUPS = LetterGroups(
    {"de": ["straße", "schule", "anmelden", "schwimmbad"], "it": ["scuola", "piscina", "iscrizione"]}
)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wann hat das Bürgerbüro geöffnet?", "de"),
        ("When is the pool open?", "en"),
        ("Où est la mairie ?", "fr"),
        ("Kind hat Putzmittel getrunken", "de"),
        ("Hundesteuer", None),
        ("Vergiftung Kind", None),
        ("Article 6 AI Act", None),
        ("Regulation (EU) 2016/679", None),
        ("WO IST DAS AMT", "de"),
        ("Quanto costa il rinnovo della carta d'identità?", "it"),
        ("¿Cuánto cuesta el pasaporte para un niño?", "es"),
        ("Cât costă un pașaport pentru copii?", "ro"),
        ("Ile kosztuje paszport dla dziecka?", "pl"),
        ("Çocuk için pasaport ne kadar?", "tr"),
        ("Wie heißt die Straße am Markt, en bas?", "de"),
    ],
)
def test_the_language_of_a_question_is_that_of_its_stop_words(question: str, language: str | None) -> None:
    assert question_language(question) == language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Скільки коштує паспорт?", "uk"),
        ("Сколько стоит паспорт?", "ru"),
        ("Куда мне идти", "ru"),
        ("Куди мені йти", "uk"),
        ("Паспорт", None),
        ("Како се пријављује адреса?", None),
        ("كم تكلفة جواز السفر؟", "ar"),
        ("هزینه گذرنامه چقدر است؟", "fa"),
        ("Πόσο κοστίζει το διαβατήριο;", "el"),
        ("כמה עולה דרכון?", "he"),
        ("パスポートの料金はいくらですか", "ja"),
        ("東京のごみ", "ja"),
        ("护照多少钱", "zh"),
        ("여권은 얼마입니까", "ko"),
    ],
)
def test_a_script_shows_its_language_and_cyrillic_letters_and_words_which_one(
    question: str, language: str | None
) -> None:
    assert question_language(question) == language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Ile kosztuje paszport?", "pl"),
        ("ambulans lazım acil", "tr"),
        ("Хочу пожаловаться на ваше обслуживание", "ru"),
        ("Хочу подати скаргу на вашу роботу", "uk"),
        ("tennis court booking", "en"),
        ("Erzähl mal nen guten Witz", "de"),
        ("pa drethi alla i ddelio gyda nhw ar y we yn gymraeg", None),
        ("Kontakt", None),
    ],
)
def test_without_function_words_a_question_of_three_words_shows_its_language_by_its_letters(
    question: str, language: str | None
) -> None:
    assert question_language(question) == language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Як отримати Anmeldung у Bürgeramt", "uk"),
        ("أين Bürgeramt", "ar"),
        ("Was heißt паспорт auf Deutsch?", "de"),
        ("How far is Szczęśliwa Street?", "en"),
    ],
)
def test_names_in_another_script_or_language_leave_a_question_in_its_own(
    question: str, language: str
) -> None:
    assert question_language(question) == language


@pytest.mark.parametrize("question", ["bin day mill quarter", "EU-CyCLONe", "maximum bid-size"])
def test_a_word_that_is_an_everyday_one_of_another_language_shows_none_alone(question: str) -> None:
    assert question_language(question) is None


@given(st.text(max_size=200))
def test_any_text_is_in_one_language_or_none(text: str) -> None:
    assert question_language(text) in {None, *LATIN, *OTHERS}


def test_words_are_of_the_language_that_is_written_like_them() -> None:
    assert GROUPS.language(["schulanmeldung", "straßenbahn"], ("de", "it")) == "de"
    assert GROUPS.language(["piscine", "iscrizioni"], ("de", "it")) == "it"


def test_a_language_that_it_may_not_be_or_that_is_not_known_is_never_told() -> None:
    assert GROUPS.language(["piscine", "iscrizioni"], ("de", "fr")) is None
    assert GROUPS.language([], ("de", "it")) is None


def test_what_is_written_like_none_of_them_is_in_none() -> None:
    assert GROUPS.language(["anmälan", "skolan", "stockholm", "förening"], ("de", "it")) is None


def test_letters_that_both_have_tell_neither() -> None:
    assert GROUPS.language(["alma"], ("de", "it")) is None


def test_a_question_is_in_the_same_language_in_every_process() -> None:
    asking = "from app.search.languages import question_language as of; print(of('perso kosten 19 jahre'))"
    told = {
        subprocess.run(
            [sys.executable, "-c", asking],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "3")
    }
    assert len(told) == 1


@pytest.mark.parametrize(
    ("question", "guesses", "language"),
    [
        ("Gasstörung melden", ("de", "it"), "de"),
        ("potete richiamarmi?", ("de", "it"), "it"),
        ("нас грабят!", ("de", "ru"), "ru"),
        ("Gasstörung", ("de", "it"), "de"),
        ("human please", ("de", "de"), "en"),
        ("рятуйте, пожежа!", ("de", "en"), "uk"),
        ("ჩემი სახლი", ("de", "en"), "ka"),
        ("112", ("de", "en"), "de"),
    ],
)
def test_where_a_language_is_unclear_its_words_count_for_more_than_what_it_is_near_to(
    question: str, guesses: tuple[str, str], language: str
) -> None:
    assert language_by_words(question, guesses) == language
