"""What kind of text a question asks for."""

import pytest

from app.search.answer_kinds import asked_kinds, kind_words, share_of_kinds


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Wann hat das Bürgeramt geöffnet?", "Montag 8 bis 12 Uhr", "Bringen Sie Ihren Ausweis mit."),
        ("Wann ist der Wertstoffhof offen?", "Sonnabend bis mittags", "Der Hof liegt am Fluss."),
        ("When is the pool open?", "daily from 9 am", "The pool is heated."),
        ("Wie hoch ist die Hundesteuer?", "Der erste Hund kostet 72 €.", "Melden Sie den Hund an."),
        ("How much is a ticket?", "Adults pay £4.50.", "Adults are welcome."),
        ("Was kostet ein Reisepass?", "Das ist kostenlos.", "Kommen Sie persönlich."),
        ("Was verlangt ihr für den Gewerbeschein?", "Anmeldung 26 €", "Sie melden das Gewerbe online an."),
        ("was muss ich da zahlen", "Tageskarte 4,50 €", "Das Becken ist beheizt."),
        ("What do I pay for a guest?", "Day card €15", "Guests are welcome."),
        ("Wie lange dauert das?", "etwa drei Wochen", "im Bürgeramt"),
        ("How long may I drive?", "for six months", "with a licence"),
        ("Wie viele Wohnungen entstehen?", "381 Wohnungen", "viele Wohnungen"),
        ("Wo ist das Fundbüro?", "Marktplatz 1", "Es gibt Fundsachen."),
        ("Who do I call?", "Phone: 069 90009-110", "We help."),
        ("When is the deadline?", "until 31 October 2016", "as soon as possible"),
        ("Was muss ich mitbringen?", "Bringen Sie ein Lichtbild mit.", "Das Amt liegt am Markt."),
        ("What do I need to bring?", "Bring your passport or ID card.", "The office is open."),
        ("Darf ich im Park grillen?", "Grillen ist nur in der Zone erlaubt.", "Der Park liegt am Fluss."),
        ("Can I bring my dog?", "Dogs must be kept on a lead.", "The park is by the river."),
        ("Combien coûte une carte d’identité ?", "37,00 Euro", "Kommen Sie persönlich."),
        ("Quanto costa il biglietto?", "Erwachsene 4,50 €", "Erwachsene sind willkommen."),
        ("¿Cuánto cuesta el pasaporte?", "70 Euro", "Bringen Sie ein Foto mit."),
        ("Cât costă biletul?", "4,50 €", "Das Becken ist beheizt."),
        ("Ile kosztuje przejazd?", "€2.80", "Book a ride."),
        ("Köpek vergisi ne kadar?", "erster Hund 72 €", "Melden Sie den Hund an."),
        ("Скільки коштує реєстрація шлюбу?", "66 Euro", "Bringen Sie Ihren Ausweis mit."),
        ("Сколько стоит паспорт?", "70 Euro", "Bringen Sie ein Foto mit."),
        ("كم تكلفة جواز السفر؟", "70 Euro", "Bringen Sie ein Foto mit."),
        ("Πότε είναι ανοιχτή η πισίνα;", "täglich 9 bis 20 Uhr", "Das Becken ist beheizt."),
        ("Wer ist der Bürgermeister?", "Das ist seit 2021 Dr. Hanna Wegener.", "Gewählt wird im Mai."),
        ("Who is the mayor?", "The mayor is Hanna Wegener.", "The mayor is elected in May."),
        ("Qui est le maire ?", "Unser Bürgermeister ist Hans Weber.", "Gewählt wird im Mai."),
        ("Où est la mairie ?", "Marktplatz 1", "Es gibt Fundsachen."),
    ],
)
def test_text_of_the_kind_is_told_from_other_text(question: str, right: str, wrong: str) -> None:
    kinds = asked_kinds(question)
    assert kinds
    assert share_of_kinds(kinds, right) > share_of_kinds(kinds, wrong)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "How many members are there?",
            "3.\xa0The members are appointed under Articles 10 to 16 and paragraph 2(1).",
        ),
        ("Wie viele Mitglieder gibt es?", "(2) Die Mitglieder werden nach Artikel 5 Absatz 1 ernannt.[^6]"),
        ("From which date does it apply?", "Directive 2013/34/EU and Regulation (EU) 2015/1222 apply."),
    ],
)
def test_the_numbers_of_paragraphs_and_acts_are_no_figures(question: str, text: str) -> None:
    assert share_of_kinds(asked_kinds(question), text) == 0


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Wann beginnt es?", "1. Januar und 24. Dezember"),
        ("Wen kann ich anrufen?", "(069) 9000-110 oder 069/9000, Telefon"),
        ("How many members are there?", "3. The group has 13 members."),
        ("When did it begin?", "on 01/02/2016"),
    ],
)
def test_dates_and_telephone_numbers_are_figures_wherever_they_stand(question: str, text: str) -> None:
    assert share_of_kinds(asked_kinds(question), text) == 0.5


@pytest.mark.parametrize(
    "question",
    [
        "Wie melde ich mich um?",
        "What is a residence permit?",
        "",
        "Hund",
        "Was nehmen Sie alles mit?",
        "Was nehmen Sie am Wertstoffhof an?",
        "Was verlangen die Vorschriften?",
        "Was bedeutet die Zahl?",
        "What should I pay attention to?",
    ],
)
def test_other_questions_ask_for_no_kind(question: str) -> None:
    assert share_of_kinds(asked_kinds(question), "Montag 8 Uhr, 5 Euro, 069 90009-110") == 0


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Telefonseelsorge", "Telefonnummer"),
        ("Kontaktladen", "Kontaktdaten"),
        ("Preisverleihung", "Preisliste"),
        ("Kostenübernahme", "kostenlos"),
        ("Fristverlängerung", "Fristen"),
        ("contactless", "contacted"),
        ("Erreichung", "erreich ich"),
    ],
)
def test_a_name_that_only_begins_like_the_word_for_a_kind_asks_for_none(name: str, kind: str) -> None:
    assert not asked_kinds(name)
    assert asked_kinds(kind)


def test_may_i_is_asked_by_a_verb_in_front_and_not_by_one_behind_a_question_word() -> None:
    rule = "Dogs must be kept on a lead."
    assert share_of_kinds(asked_kinds("Hello, can my dog come in?"), rule) > 0
    assert share_of_kinds(asked_kinds("How early can we come with a dog?"), rule) == 0


def test_what_a_heading_names_counts_twice_where_the_text_has_it() -> None:
    kinds = asked_kinds("Was kostet die Hundesteuer?")
    table, elsewhere = "| erster Hund | 72 € |", "Der Ersatz kostet 5 Euro."
    assert share_of_kinds(kinds, table, "So viel kostet es") == 1.0
    assert share_of_kinds(kinds, table, "Gebühren") == 1.0
    assert share_of_kinds(kinds, elsewhere, "Anmelden") == 0.5
    assert share_of_kinds(kinds, "Fragen Sie uns.", "Kosten") == 0.0


def test_a_list_below_a_heading_that_names_what_to_bring_is_what_to_bring() -> None:
    kinds = asked_kinds("Was muss ich vorlegen?")
    listed = "- Personalausweis oder Reisepass"
    assert share_of_kinds(kinds, listed, "Unterlagen") == 1.0
    assert share_of_kinds(kinds, listed, "Kosten") == 0.0


@pytest.mark.parametrize(
    "question", ["Wer ist für Bäume zuständig?", "Wer ist zuständig?", "Who is eligible?"]
)
def test_who_may_or_must_do_something_is_no_question_for_a_person(question: str) -> None:
    assert not asked_kinds(question)


def test_a_verb_far_from_its_prefix_asks_for_hours_without_what_stands_between() -> None:
    question = "Hat der Wertstoffhof am Samstag auf?"
    assert [kind.name for kind in asked_kinds(question)] == ["hours"]
    assert [question[span.start : span.stop] for span in kind_words(question)] == ["Hat"]
