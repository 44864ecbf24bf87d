"""How follow-up questions are worded."""

import pytest

from app.chat.text.wording import Leaning, Wording, core, corrected, kinds_of, without_kinds, wording


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("und am Sonntag?", "de"),
        ("am Sonntag?", "de"),
        ("und für Kinder?", "de"),
        ("was brauch ich dafür alles", "de"),
        ("Wie viele Leute passen da rein?", "de"),
        ("und wenn keiner die Mehrheit kriegt?", "de"),
        ("what about in winter", "en"),
        ("and in London?", "en"),
        ("what if it rains?", "en"),
        ("how much for two adults and one child", "en"),
        ("where would the lab one be?", "en"),
        ("I’m only visiting for two weeks, can I still get one?", "en"),
        ("where do we meet for that?", "en"),
        ("nein, für Kinder", "de"),
    ],
)
def test_a_fragment_or_an_adverb_for_what_was_said_leans_on_it(question: str, language: str) -> None:
    assert wording(question, language).leaning == "strong"


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Nehmen die auch alte Reifen mit?", "de"),
        ("Was kostet das extra?", "de"),
        ("Is it heated?", "en"),
        ("wie lang dauert's, bis die marie am konto ist?", "de"),
    ],
)
def test_a_pronoun_may_stand_for_what_was_said(question: str, language: str) -> None:
    assert wording(question, language).leaning == "weak"


@pytest.mark.parametrize(
    ("question", "language", "leaning"),
    [
        ("Wie wird das Wetter morgen?", "de", "none"),
        ("wie wird das wetter morgen", "de", "none"),
        ("Was kostet eine Beglaubigung?", "de", "none"),
        ("und was kostet ein Reisepass?", "de", "none"),
        ("Wann muss der Wahlbrief da sein?", "de", "none"),
        ("Gibt es Parkplätze am Freibad?", "de", "none"),
        ("Tageskarte Waldbad, wie teuer ist die?", "de", "bound"),
        ("Wenn ich heirate, was brauche ich dafür?", "de", "none"),
        ("Thanks! And how often is the organic bin emptied?", "en", "none"),
        ("Is there a lift at the station?", "en", "none"),
        ("When is the festival and does it cost anything?", "en", "bound"),
        ("My permit runs out. When do I apply for a new one?", "en", "none"),
        ("und das Freibad?", "de", "replacing"),
        ("what about the library?", "en", "replacing"),
    ],
)
def test_a_question_that_names_its_subject_does_not_lean(
    question: str, language: str, leaning: Leaning
) -> None:
    assert wording(question, language).leaning == leaning


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie lange dauert das?", "de"),
        ("und am Samstag?", "de"),
        ("Was kostet das?", "de"),
        ("what does it cost?", "en"),
        ("Gibt es Ausnahmen?", "de"),
        ("und im Dezember?", "de"),
        ("Are there any discounts?", "en"),
        ("How long does it take?", "en"),
        ("bis wann kommt man noch rein?", "de"),
        ("ist der dann billiger?", "de"),
        ("geht es auch schneller, nächste Woche?", "de"),
        ("k thx. what stuff do i need to bring", "en"),
        ("Entschuldigung, Donnerstag meinte ich", "de"),
        ("sorry i meant saturday", "en"),
    ],
)
def test_a_question_of_any_subject_names_none(question: str, language: str) -> None:
    assert wording(question, language).subjects == ()


def test_who_corrects_the_last_question_puts_another_thing_in_its_place() -> None:
    assert wording("Entschuldigung, den Reisepass meinte ich", "de").leaning == "replacing"
    assert wording("no, I meant the library", "en").leaning == "replacing"


def test_des_stands_for_what_was_said_where_no_noun_is_behind_it() -> None:
    assert wording("was kostet des", "de").leaning == "weak"
    assert wording("was kostet die Pflege des Grabes", "de").leaning == "none"


def test_what_somebody_does_is_told_from_what_it_is_done_to() -> None:
    assert wording("how long can I keep the books?", "en").verbs == {"keep"}
    assert wording("and when will we hear about the exam?", "en").verbs == {"hear"}
    assert wording("Where is the library?", "en").verbs == frozenset()


def test_a_clause_that_says_what_is_meant_names_it_by_its_verb_where_it_has_no_noun() -> None:
    asked = wording("Danke. Wir wollen heiraten, was kostet das?", "de")
    assert asked == Wording(subjects=("heiraten",), leaning="bound", verbs=frozenset({"heiraten"}))


def test_who_pays_stays_the_subject_of_a_question_for_a_price() -> None:
    assert wording("Was muss ein Rentner zahlen?", "de").subjects == ("rentner",)
    assert "pensioners" in wording("What do pensioners pay?", "en").subjects


def test_of_german_with_capitals_nouns_alone_name_a_subject() -> None:
    assert wording("Lässt sich die Karte später verlängern?", "de").subjects == ("karte",)
    assert wording("Hebesatz Gewerbesteuer", "de").subjects == ("hebesatz", "gewerbesteuer")
    assert wording("karte verlängern", "de").subjects == ("karte", "verlängern")


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Danke. Ganz was anderes: wann wird der Christbaum abgeholt?", "de"),
        ("Anderes Thema: wann ist Wochenmarkt?", "de"),
        ("Something else: how high is the tower?", "en"),
        ("Different topic: which nursery speaks English?", "en"),
    ],
)
def test_who_says_that_the_subject_changes_is_believed(question: str, language: str) -> None:
    assert wording(question, language).changes


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("und am Samstag?", "Am Samstag?"),
        ("what about sundays", "Sundays"),
        ("Danke. Ganz was anderes: wann wird der Christbaum abgeholt?", "Wann wird der Christbaum abgeholt?"),
        ("Thanks! And how often is the bin emptied?", "How often is the bin emptied?"),
        ("Was kostet das?", "Was kostet das?"),
        ("und?", "und?"),
    ],
)
def test_what_joins_a_question_to_others_is_not_searched_for(question: str, asked: str) -> None:
    assert core(question) == asked


def test_a_question_with_a_page_behind_it_names_its_subject() -> None:
    assert wording("Was kostet das – Reisepass?", "de").leaning == "none"


def test_in_other_languages_nothing_is_seen_to_lean() -> None:
    assert wording("et le dimanche ?", "fr").leaning == "none"


def test_what_is_of_another_thing_comes_in_the_place_of_the_last() -> None:
    assert wording("und vom Bauhof?", "de").leaning == "replacing"


@pytest.mark.parametrize(
    ("question", "kinds", "rest"),
    [
        ("Was kostet ein Pass?", "Was kostet", "Was ein Pass?"),
        ("When is the library open on Sundays?", "When open", "is the library on Sundays?"),
        ("Is it heated?", "", "Is it heated?"),
    ],
)
def test_what_a_question_asks_for_is_told_from_what_it_is_about(question: str, kinds: str, rest: str) -> None:
    assert (kinds_of(question), without_kinds(question)) == (kinds, rest)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("nicht Hallenbad, Bücherei", "and Bücherei"),
        ("nicht das Hallenbad, sondern die Bücherei", "and die Bücherei"),
        ("Nein, nicht das Hallenbad. Die Bücherei!", "and Die Bücherei!"),
        ("nicht am Samstag sondern am Sonntag", "and am Sonntag"),
        ("not the pool, the library", "and the library"),
        ("the library, not the pool", "and the library"),
        ("not for me, for my son", "and for my son"),
        ("Not sure, what documents do I need?", "Not sure, what documents do I need?"),
        ("Geht das online, nicht vor Ort?", "Geht das online, nicht vor Ort?"),
        ("nicht barrierefrei?", "nicht barrierefrei?"),
    ],
)
def test_a_correction_keeps_what_is_meant_alone(question: str, meant: str) -> None:
    assert corrected(question) == meant
