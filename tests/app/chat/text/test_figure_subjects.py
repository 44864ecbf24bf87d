"""A figure that stands in the sources with something else is told from one that belongs to its subject."""

import operator
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.text.figure_closeness import EARLIER
from app.chat.text.figure_kinds import ONE, kinds_of, stated_in
from app.chat.text.figure_places import MOST_CHARACTERS, SourceText, places_of
from app.chat.text.figure_subjects import FigureSubjects
from app.chat.text.figures import figures_of, keys_of
from tests.growth import grows_with_size

TAX = SourceText(
    "Hundesteuer",
    "| Hund | Steuer im Jahr |\n| --- | --- |\n| erster Hund | 72 € |\n| zweiter Hund | 108 € |\n\n"
    "## Kontakt\n\nSteueramt, Zimmer 204\nTelefon: 069 90009-140\nE-Mail: steueramt@town.example",
    "de",
)
PASSPORTS = SourceText(
    "Bürgeramt",
    "Ein neuer Personalausweis kostet 37,00 Euro, für Personen unter 24 Jahren 22,80 Euro.\n\n"
    "## Reisepass\n\nDer Reisepass kostet 70,00 Euro und ist nach fünf Wochen fertig.\n\n"
    "| Tag | Ohne Termin |\n| --- | --- |\n| Montag | 8 bis 12 Uhr |\n| Donnerstag | 10 bis 14 Uhr |\n\n"
    "## Kontakt\n\nBürgeramt, Zimmer 1\nTelefon: 069 90009-110\nE-Mail: buergeramt@town.example",
    "de",
)
POOL = SourceText(
    "Outdoor pool",
    "| Ticket | Adults | Reduced |\n| --- | --- | --- |\n| Day ticket | €4.50 | €2.50 |\n"
    "| Season ticket | €85 | €45 |\n\n- May: 9 am to 7 pm\n- June: 9 am to 8 pm\n\n"
    "The manager is Helen Marsh. Swimming lessons are given by Daniel Okoye.",
    "en",
)
LAW = SourceText(
    "Satzung",
    "## § 4 Werbung\n\nPlakate dürfen höchstens 14 Tage hängen.\n\n"
    "## § 5 Gebühren\n\n1. Container: 12 Euro je Tag\n2. Infostände: 20 Euro je Tag\n\n"
    "## § 8 Bußgeld\n\nVerstöße gegen § 4 kosten bis zu 500 Euro.",
    "de",
)
SOURCES = [TAX, PASSPORTS, POOL, LAW]


def misplaced(sentence: str, before: str = "", question: str = "", language: str = "de") -> bool:
    return bool(FigureSubjects(SOURCES, question, language).misplaced(sentence, before))


@pytest.mark.parametrize(
    "sentence",
    [
        "Der Reisepass kostet 72 Euro.",
        "Für den zweiten Hund zahlen Sie 72 Euro.",
        "Ein Personalausweis kostet 70 Euro.",
        "Donnerstags ist von 8 bis 12 Uhr geöffnet.",
        "Das Steueramt erreichen Sie unter 069 90009-110.",
        "Schreiben Sie dem Bürgeramt: steueramt@town.example.",
        "Ein Infostand kostet 12 Euro.",
        "Plakate regelt § 5.",
        "- Ein Reisepass kostet 37,00 Euro.",
    ],
)
def test_the_figure_of_another_row_office_or_article_is_misplaced(sentence: str) -> None:
    assert misplaced(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Adults pay €2.50 for a day ticket.",
        "A season ticket for adults is €4.50.",
        "In June the pool is open from 9 am to 7 pm.",
        "Swimming lessons are given by Helen Marsh.",
    ],
)
def test_the_figure_of_another_column_or_person_is_misplaced(sentence: str) -> None:
    assert misplaced(sentence, language="en")


@pytest.mark.parametrize(
    "sentence",
    [
        "Der Reisepass kostet 70 Euro.",
        "Für den 2. Hund sind jährlich 108 € fällig, für den ersten 72 €.",
        "Unter 24 zahlen Sie für den Ausweis nur 22,80 Euro.",
        "Donnerstags können Sie von 10 bis 14 Uhr kommen.",
        "Das Steueramt (Zimmer 204) hat die Nummer 069 90009-140.",
        "Nach § 5 kostet ein Container 12 Euro am Tag.",
        "Verstöße gegen § 4 werden mit bis zu 500 Euro geahndet.",
        "A day ticket costs adults €4.50, reduced €2.50.",
        "Helen Marsh is the manager.",
        "Das sind 99 Euro.",
    ],
)
def test_a_figure_beside_its_own_subject_passes_in_other_words_too(sentence: str) -> None:
    assert not misplaced(sentence, language="en" if "ticket" in sentence or "manager" in sentence else "de")


OFFICES = SourceText(
    "Zulassung in Auenthal",
    "# Zulassung in Auenthal\n\n"
    "## Standort Auenthal\n\nGeöffnet Mo–Fr 8–12 Uhr. Leitung: Rolf Petersen, Telefon 07221 302-410.\n\n"
    "## Standort Bergheim\n\nGeöffnet samstags 9–13 Uhr. Leitung: Ines Kowalski, Telefon 07228 51-44.\n\n"
    "## Fristen\n\nEin Wunschkennzeichen gilt fünf Tage. Eine Reservierung verfällt nach 90 Tagen. "
    "Ein Fahrzeug behält sein Kennzeichen zwölf Monate lang. Die Gebühren sind am 15. Oktober fällig. "
    "Gewählt wird am 3. März 2027. Stichwahl ist am 17. März 2027.\n\n"
    "## Preise\n\nKopien kosten 0,50 Euro, Scans 2 Euro. "
    "Wasserzähler bis 3 Kubikmeter kosten 6 Euro, darüber 14 Euro.\n\n"
    "Lena Fuchs berät zur Pflege, Telefon 07221 880-310, montags 9 bis 12 Uhr. "
    "Werner Aust hilft bei Klagen, Telefon 07221 880-333, dienstags 15 bis 17 Uhr.\n\n"
    "| Tag | Mit Termin | Ohne Termin |\n| --- | --- | --- |\n| Freitag | 14 bis 16 Uhr | 10 bis 11 Uhr |",
    "de",
)
RESULTS = SourceText(
    "Clinic",
    "Test results are ready after five working days, X-rays after ten.\n\n"
    "| From | Monday to Friday | Saturday |\n| --- | --- | --- |\n| Port | 7:15 am | 9:30 am |\n\n"
    "The office is open on weekdays from 9 am to 1 pm.",
    "en",
)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Standort Auenthal: 07228 51-44", "Standort Auenthal: 07221 302-410"),
        ("Ein Kennzeichen bleibt 90 Tage.", "Reservierte Kennzeichen verfallen nach 90 Tagen."),
        ("Die Stichwahl ist am 3. März 2027.", "Die Stichwahl ist am 17. März 2027."),
        ("Die Gebühren zahlt man am 3. März.", "Die Gebühren zahlt man am 15. Oktober."),
        ("Kopien kosten 2 Euro.", "Kopien kosten 50 Cent, Scans 2 Euro."),
        ("Zähler über 3 Kubikmeter kosten 6 Euro.", "Zähler über 3 Kubikmeter kosten 14 Euro."),
        ("Freitags ohne Termin: 14 bis 16 Uhr.", "Freitags ohne Termin: 10 bis 11 Uhr."),
        ("Werner Aust berät montags 9 bis 12 Uhr.", "Lena Fuchs berät montags 9 bis 12 Uhr: 07221 880-310."),
        ("In Bergheim leitet Rolf Petersen.", "In Bergheim leitet Ines Kowalski."),
    ],
)
def test_what_stands_with_a_figure_is_told_from_what_stands_near(wrong: str, right: str) -> None:
    subjects = FigureSubjects([OFFICES, POOL], "", "de")
    assert subjects.misplaced(wrong)
    assert not subjects.misplaced(right)


def test_weekdays_are_the_days_from_monday_to_friday_and_bare_numbers_count_what_the_last_one_does() -> None:
    subjects = FigureSubjects([RESULTS], "", "en")
    assert not subjects.misplaced("On weekdays it leaves Port at 7:15 am.")
    assert subjects.misplaced("On Saturdays it leaves Port at 7:15 am.")
    assert not subjects.misplaced("X-ray results take ten working days, other test results five.")
    assert subjects.misplaced("X-rays are ready after five working days.")


SHOPS = SourceText(
    "Läden",
    "Geschäfte dürfen montags bis sonnabends von 6 bis 22 Uhr öffnen. "
    "An Sonn- und Feiertagen ist in Kurorten von 11 bis 20 Uhr offen.\n\n"
    "Fundsachen bewahren wir sechs Wochen auf, danach kommen sie ins Rathaus, das sie sechs Monate behält. "
    "Wer einen Termin versäumt, wird eine Woche gesperrt. "
    "Wer eine Arbeit ablehnt, wird drei Wochen gesperrt. "
    "Für eine Meldung gilt eine Frist von drei Monaten. Wer erst spät davon erfährt, hat drei Tage. "
    "Der Antrag auf Zulassung ist grundsätzlich zwei Jahre gültig. "
    "Eine Prüfung kann in der Regel nach vier Wochen wiederholt werden.\n\n"
    "* Energieberatung  \n  Telefon 0341 111222  \n  Di 9–18 Uhr\n"
    "* Ernährung  \n  Telefon 0341 333444  \n  Mi 13–18 Uhr\n"
    "* 0800 1110111  \n  Seelsorge für Familien\n* 0800 2255530  \n  Opfer von Missbrauch\n\n"
    "Geöffnet Di., Mi. und Fr. 16–22 Uhr, So. 14–20 Uhr.\n\n"
    "Lehrlinge bekommen einen Zuschuss von 62 Euro für die Fahrt und 11 Euro für das Essen.",
    "de",
)
CLINIC = SourceText(
    "Clinic",
    "If the book is kept for five years, the bonus rises by 20% and, after ten years, it rises by 30%.\n\n"
    "Singles get up to £82 a week, couples up to £147, families up to £211.\n\n"
    "Among us 77% of men and 63% of women in middle age are overweight. The fee is £9 to £12 a year.\n\n"
    "A fee is paid of at most 10 euros and at least 5 euros for each drug.\n\n"
    "4 May 2024: Under an order dated 2 March 2024, the firm was told to appoint a trustee. "
    "5 June 2024: The firm was told to sell its shops.\n\n"
    "Check-in closes 20 minutes before sailing for passengers and 40 minutes for vehicles.\n\n"
    "Press office\n\nMain switchboard 020 7654 8000\n\nOut of hours 020 8200 4400",
    "en",
)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            "Sonntags dürfen Läden von 6 bis 22 Uhr öffnen.",
            "Sonntags haben Läden in Kurorten 11 bis 20 Uhr auf.",
        ),
        ("Wer einen Termin versäumt, wird drei Wochen gesperrt.", "Ein versäumter Termin sperrt eine Woche."),
        ("Wer spät davon erfährt, hat drei Monate Zeit.", "Wer spät davon erfährt, hat drei Tage Zeit."),
        (
            "Die Energieberatung ist 13 bis 18 Uhr offen.",
            "Energieberatung ist dienstags 9 bis 18 Uhr.",
        ),
        ("Die Seelsorge hat die 0800 2255530.", "Die Seelsorge hat die 0800 1110111."),
        ("Am Freitag ist 14 bis 20 Uhr auf.", "Am Sonntag ist 14 bis 20 Uhr auf."),
        ("Für das Essen gibt es 62 Euro.", "Lehrlinge bekommen 11 Euro Zuschuss für Essen."),
        ("Eine Zulassung ist vier Wochen gültig.", "Die Zulassung gilt in der Regel zwei Jahre."),
    ],
)
def test_german_sources_say_in_many_forms_what_a_figure_belongs_to(wrong: str, right: str) -> None:
    subjects = FigureSubjects([SHOPS], "", "de")
    assert subjects.misplaced(wrong)
    assert not subjects.misplaced(right)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            "After ten years the bonus rises by 20%.",
            "After five years it is 20 per cent, after ten years 30.",
        ),
        ("Couples get up to £211 a week.", "Families can get £211 a week."),
        (
            "The firm was told to sell its shops on 4 May 2024.",
            "On 4 May 2024 it was told to appoint a trustee.",
        ),
        (
            "Vehicles must check in 20 minutes before sailing.",
            "Passengers check in 20 minutes before sailing.",
        ),
    ],
)
def test_english_sources_say_in_many_forms_what_a_figure_belongs_to(wrong: str, right: str) -> None:
    subjects = FigureSubjects([CLINIC], "", "en")
    assert subjects.misplaced(wrong)
    assert not subjects.misplaced(right)


RINK = SourceText(
    "Eisbahn",
    "| Tag | Öffentlicher Lauf |\n| --- | --- |\n| Montag | 9 bis 12 Uhr |\n| Dienstag | 15 bis 18 Uhr |\n\n"
    "Der Verleih ist 9 bis 12 Uhr und 14 bis 17 Uhr besetzt. "
    "Die Buslinie 4 hält beim Markt, die Linie 9 beim Bad.\n\n"
    "Eisstöcke leiht man ab 18 Jahren, alles andere ab 14 Jahren. "
    "Wer abbricht, zahlt bis 30 Minuten 2 Euro, bis zwei Stunden 3 Euro und darüber 4 Euro.\n\n"
    "Das Eishaus in der Seegasse 9 leitet Ute Kern. "
    "Beratung gibt Ole Harms, montags bis freitags 8 bis 11 Uhr. "
    "Offen für alle ist es mittwochs von 15 bis 17 Uhr. "
    "Persönlich beraten wir um 10 Uhr, telefonisch um 13 Uhr.\n\n"
    "Jeder leiht höchstens 30 Geräte, davon 5 Schlitten. "
    "Anträge nehmen wir bis zum 3. März an, Nachweise bis zum 9. Mai. "
    "Saisonkarten gelten bis zum 1. Oktober 2028, Familienkarten bis zum 1. Oktober 2030.\n\n"
    "| Halle | Vereine | Andere |\n| --- | --- | --- |\n"
    "| Seehalle | 21 € | 83 € |\n| Parkhalle | 22 € | 84 € |",
    "de",
)
GRAVES = SourceText(
    "Cemetery",
    "| Service | Residents | Non-residents |\n| --- | --- | --- |\n| Burial | £980 | £2,100 |\n"
    "| Cremation | £870 | £990 |\n\n"
    "Garages cost £13 a week for tenants and £19 for everyone else. "
    "Riders shall be at least 14 years old, riders with a passenger at least 18 years old. "
    "You wait two years for Canal Side and four for Old Orchard.\n\n"
    "There are six spaces for wheelchairs in the stalls and two in the circle. "
    "You may name up to four primary schools and up to six secondary schools. "
    "The chapel is open Tuesday to Sunday from 10am to 5pm, on Thursdays until 8pm.\n\n"
    "| Ticket | Town zone | All zones |\n| --- | --- | --- |\n| Day | £4 | £7 |\n| Week | £17 | £26 |\n\n"
    "| Site | Manager |\n| --- | --- |\n| Old Orchard | Nasreen Malik |\n| Hill Farm | Derek Olsen |",
    "en",
)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Montags ist 9 bis 18 Uhr Lauf.", "Montags ist 9 bis 12 Uhr Lauf."),
        ("Der Verleih ist 12 bis 14 Uhr besetzt.", "Der Verleih ist 9 bis 17 Uhr besetzt."),
        ("Zum Bad fährt die Linie 4.", "Zum Bad fährt die Linie 9."),
        ("Eisstöcke leiht man ab 14 Jahren.", "Alles andere leiht man ab 14 Jahren."),
        ("Wer abbricht, zahlt bis zwei Stunden 4 Euro.", "Wer abbricht, zahlt über zwei Stunden 4 Euro."),
        ("Telefonisch beraten wir um 10 Uhr.", "Telefonisch beraten wir um 13 Uhr."),
        ("Geliehen werden bis zu 30 Schlitten.", "Geliehen werden bis zu 5 Schlitten."),
        ("Nachweise nehmen wir bis zum 3. März.", "Nachweise nehmen wir bis zum 9. Mai."),
        ("Familienkarten gelten bis zum 1. Oktober 2028.", "Familienkarten gelten bis zum 1. Oktober 2030."),
        (
            "Auswärtige zahlen für die Seehalle 21 Euro.",
            "Vereine von außerhalb zahlen in der Seehalle 83 Euro.",
        ),
        (
            "Offen für alle ist 8 bis 11 Uhr.",
            "Ohne Beratung ist mittwochs 15 bis 17 Uhr in der Seegasse 9 offen.",
        ),
    ],
)
def test_german_ranges_negations_and_rests_are_of_their_own_subject(wrong: str, right: str) -> None:
    subjects = FigureSubjects([RINK], "", "de")
    assert subjects.misplaced(wrong)
    assert not subjects.misplaced(right)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Non-residents pay £870 for a cremation.", "Who is not a resident pays £990 for a cremation."),
        ("Residents pay £2,100 for a burial.", "Residents pay £980 for a burial."),
        ("A week that covers all zones is £17.", "A week in all zones is £26."),
        ("Who is not a tenant pays £13 for a garage.", "Who is not a tenant pays £19 for a garage."),
        ("With a passenger, riders must be 14 or older.", "With a passenger, riders must be 18 or older."),
        ("For Canal Side you wait four years.", "You wait two years for Canal Side, four for Old Orchard."),
        ("The circle has six spaces for wheelchairs.", "The circle has two spaces for wheelchairs."),
        ("You can name four secondary schools.", "You can name six secondary schools."),
        ("On Thursdays the chapel is open until 5pm.", "On Thursdays the chapel stays open until 8pm."),
        ("The manager at Old Orchard is Derek Olsen.", "The manager at Old Orchard is Nasreen Malik."),
    ],
)
def test_english_ranges_negations_and_rests_are_of_their_own_subject(wrong: str, right: str) -> None:
    subjects = FigureSubjects([GRAVES], "", "en")
    assert subjects.misplaced(wrong)
    assert not subjects.misplaced(right)


def test_an_answer_that_names_nothing_is_of_what_the_question_names() -> None:
    shots = "Gelbfieber impfen wir mittwochs für 52 Euro, Tollwut für 78 Euro, Typhus für 34 Euro."
    subjects = FigureSubjects([SourceText("Impfungen", shots, "de"), RINK], "Was kostet Tollwut?", "de")
    assert subjects.misplaced("52 Euro.")
    assert not subjects.misplaced("78 Euro.")


def test_a_range_is_one_clause_and_a_line_names_what_stands_below_it() -> None:
    subjects = FigureSubjects([CLINIC], "", "en")
    assert not subjects.misplaced("You pay between 5 and 10 euros for each drug, never more.")
    assert not subjects.misplaced("Outside office hours the press office has 020 8200 4400.")


def test_what_the_question_asks_for_is_no_subject() -> None:
    subjects = FigureSubjects([OFFICES], "Wie lange kann ich reservieren?", "de")
    assert not subjects.misplaced("Die Reservierung verfällt nach 90 Tagen.")


WEEK = "| Tag | Zeiten | Ort |\n| --- | --- | --- |\n| Montag | {} | Rathaus |\n| Dienstag | geschlossen | |"
SPLIT_DAY = WEEK.format("8–12 Uhr, 14–16 Uhr")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (SPLIT_DAY, "Montags von 8 bis 12 Uhr und von 14 bis 16 Uhr."),
        (SPLIT_DAY, "Montags von 8 bis 16 Uhr, außer mittags."),
        (WEEK.format("9am to 1pm, 2pm to 5pm"), "Montags von 14 bis 17 Uhr."),
        (WEEK.format("8-12"), "Montags von 8 bis 12 Uhr."),
        (WEEK.format("8.00 - 12.00"), "Montags von 8 bis 12 Uhr."),
        (WEEK.format("8.00 - 12.00 / 14.30 - 16.00 Uhr"), "Montags von 14:30 bis 16 Uhr."),
        (WEEK.format("8–12<br>14–18 Uhr"), "Montags von 14 bis 18 Uhr."),
        ("| Tag | von | bis |\n| --- | --- | --- |\n| Montag | 9.00 | 17.00 |", "Montags von 9 bis 17 Uhr."),
        (WEEK.format("Samstag, 5. Mai 2025, 10–12 Uhr"), "Der Termin ist von 10 bis 12 Uhr im Rathaus."),
        ("Montag 8:00-12:00 / 14:00-16:00 Uhr", "Montags von 14 bis 16 Uhr."),
        ("Mo. 8:00-12:00, 14:00-16:00", "Montags von 14 bis 16 Uhr."),
        ("Am Montag von 9 Uhr bis 11 Uhr und von 13 Uhr bis 15 Uhr.", "Montags von 13 bis 15 Uhr."),
        ("Monday 9.00-12.30 and 13.30-17.00", "On Mondays from 1:30 pm to 5 pm."),
        ("Das Bad öffnet um 9 Uhr. Es schließt um 17 Uhr.", "Das Bad ist von 9 bis 17 Uhr geöffnet."),
        ("Das Bad öffnet um 6 Uhr (Sport 6–8 Uhr) und schließt um 20 Uhr.", "Offen von 6 bis 20 Uhr."),
        ("Wir haben montags ab 9 geöffnet, bis 17 Uhr.", "Montags ist von 9 bis 17 Uhr geöffnet."),
        (WEEK.format("9 Uhr, Ende 17 Uhr, Zimmer 3-5, 2.50-3.50 Euro"), "Montags von 9 bis 17 Uhr."),
        (WEEK.format("Kinder (6-12 Jahre): 9 Uhr, Ende 17 Uhr"), "Montags von 9 bis 17 Uhr."),
    ],
)
def test_hours_that_a_source_has_in_any_form_are_of_their_day(source: str, sentence: str) -> None:
    language = "en" if "On" in sentence else "de"
    assert not FigureSubjects([SourceText("Amt", source, language)], "", language).misplaced(sentence)


@pytest.mark.parametrize("sentence", ["Montags von 8 bis 14 Uhr.", "Montags von 12 bis 14 Uhr."])
@pytest.mark.parametrize("source", [SPLIT_DAY, "Mo. 8:00-12:00, 14:00-16:00"])
def test_hours_that_begin_or_end_as_none_of_the_day_are_of_something_else(source: str, sentence: str) -> None:
    assert FigureSubjects([SourceText("Amt", source, "de")], "", "de").misplaced(sentence)


def test_a_number_is_not_the_day_of_a_month() -> None:
    fairs = SourceText("Feste", "Der Flohmarkt ist am 10. Mai. Die Kirmes ist am 12. Mai.", "de")
    assert FigureSubjects([fairs], "", "de").misplaced("Der Flohmarkt für 10 Stände ist am 12. Mai.")


class Unread(Sequence[SourceText]):
    """Sources that fail when they are read."""

    def __getitem__(self, _: Any) -> Any:
        raise AssertionError

    def __len__(self) -> int:
        raise AssertionError


def test_sources_are_read_for_the_first_figure_and_a_source_once_for_all_answers() -> None:
    unread = FigureSubjects(Unread(), "Was kostet das?", "de")
    assert not unread.misplaced("Das ist kostenlos, sagt das Amt.")
    with pytest.raises(AssertionError):
        unread.misplaced("Das kostet 72 Euro.")
    assert all(map(operator.is_, places_of([OFFICES, TAX]), places_of([OFFICES])))


def test_what_leads_to_a_sentence_and_the_question_say_what_it_is_about() -> None:
    assert misplaced("Er kostet 72 Euro.", before="Sie brauchen einen Reisepass.")
    assert misplaced("72 Euro.", question="Was kostet der Reisepass?")
    assert not misplaced("72 Euro.", question="Was kostet der erste Hund?")


def test_the_visitors_own_figures_are_theirs() -> None:
    assert not misplaced("Mit 108 Euro reicht es für den Reisepass.", question="Reichen 108 Euro?")


def test_what_no_word_tells_apart_passes() -> None:
    assert not misplaced("Das macht 72 Euro.")
    assert not misplaced("The passport is 72 euros.", language="en")


def test_sources_too_long_to_be_compared_in_time_tell_nothing() -> None:
    subjects = FigureSubjects([*SOURCES, SourceText("", "a " * MOST_CHARACTERS, "de")], "", "de")
    assert not subjects.misplaced("Der Reisepass kostet 72 Euro.")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["Anmeldung", "Umzug", "Sperrmüll", "Fischereischein", "Trauung", "Beglaubigung"]
            ),
            st.integers(13, 999),
        ),
        min_size=2,
        max_size=6,
        unique_by=(lambda row: row[0], lambda row: row[1]),
    ),
    st.booleans(),
)
def test_each_row_of_any_table_keeps_its_own_fee_and_no_other_row_s(
    rows: list[tuple[str, int]], as_list: bool
) -> None:
    if as_list:
        text = "\n".join(f"- {name}: {fee} Euro" for name, fee in rows)
    else:
        text = "\n".join(
            ["| Leistung | Gebühr |", "| --- | --- |", *(f"| {name} | {fee} € |" for name, fee in rows)]
        )
    subjects = FigureSubjects([SourceText("Gebühren", text, "de")], "", "de")
    (first, own), (_, other) = rows[:2]
    assert not subjects.misplaced(f"Die Gebühr für {first} beträgt {own} Euro.")
    assert subjects.misplaced(f"Die Gebühr für {first} beträgt {other} Euro.")


@given(st.text(alphabet="12 5.,:-|#*\n€§ABabMaiUhr()[]", max_size=120))
def test_any_text_can_be_read_and_a_source_s_own_sentence_belongs_to_it(text: str) -> None:
    subjects = FigureSubjects([SourceText("Seite", text, "de")], "", "de")
    assert isinstance(subjects.misplaced(text), list)


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_long_enumeration_is_read_in_time_that_grows_like_its_length(language: str) -> None:
    def read(clauses: int) -> None:
        text = ", ".join(f"nach {number} Jahren {number + 3} Euro" for number in range(clauses))
        places_of([SourceText("Tarif", f"Es kostet {text}.", language)])

    assert grows_with_size(read, 50)


@pytest.mark.parametrize("part", ["ein Pass kostet 37 Euro, ", "ein Pass kostet {} Euro, "])
def test_a_long_sentence_is_compared_in_time_that_grows_like_its_length(part: str) -> None:
    def compare(figures: int) -> None:
        text = "".join(map(part.format, range(figures)))
        FigureSubjects([SourceText("Tarif", text, "de")], "", "de").misplaced(text)

    assert grows_with_size(compare, 100)


@pytest.mark.parametrize("text", ["1 2 3 4 5 ", "5 bis ", " "])
def test_figures_are_read_in_time_that_grows_like_the_text(text: str) -> None:
    def read(times: int) -> None:
        keys_of(f"5{times * text}")
        kinds_of(f"5{times * text}")

    assert grows_with_size(read, 20_000 // len(text))


def test_a_language_without_rules_of_its_own_takes_no_clause_for_a_parallel_one() -> None:
    text = "Les célibataires reçoivent 82 euros, les couples 147 euros, les familles 211 euros."
    last = places_of([SourceText("Aides", text, "fr")])[-1]
    assert last.words["coupl"] == last.words["célibatair"] == EARLIER


def test_one_of_what_is_measured_is_a_figure_at_the_beginning_of_a_sentence_too() -> None:
    assert [figure.states for figure in stated_in("Eine Woche reicht.")] == [ONE]


def test_a_number_of_people_after_an_amount_is_no_cents() -> None:
    assert [figure.states for figure in figures_of("They paid 12 Euro 50 people said.")] != [
        figure.states for figure in figures_of("They paid 12 Euro 50.")
    ]
