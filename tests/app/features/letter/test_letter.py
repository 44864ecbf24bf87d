"""The letter says what is missing, doubtful, contradictory, old and done: to each reader of what they see."""

from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from sqlalchemy import insert, update

from app.accounts.news import Line, Section
from app.console.texts import TEXTS
from app.features.letter.letter import Letter
from app.features.letter.writer import EVERYBODY
from app.features.questions.services import QuestionServices
from app.pages.database import writing
from app.pages.question_tables import citations, questions
from app.pages.tables import pages
from tests.app.console.conftest import Console
from tests.app.features.contradictions import foreign as contradictions
from tests.app.features.letter.conftest import ADDRESS, EVERYTHING, LAW, Town
from tests.app.site import XSS

LONG_AGO: Final = datetime(2020, 5, 3, tzinfo=UTC)


def written(town: Town, to: str = EVERYTHING) -> Letter:
    return town.writer.letter_to(town.letters.recipients[to], ADDRESS)


def lines(letter: Letter) -> dict[str, list[str]]:
    """Texts of the lines, by heading."""
    return {section.heading: [line.text for line in section.lines] for section in letter.sections}


def cite(town: Town, answer: str, source: str, page: str, changed: datetime) -> None:
    """Have an answer cite a page that was changed then."""
    with writing(town.services.engine) as connection:
        row = {"answer": answer, "source": source, "id": page, "language": "en"}
        connection.execute(insert(citations).values(row))
        same = pages.c.source == source, pages.c.id == page
        assert connection.execute(update(pages).where(*same).values(updated=changed)).rowcount


def fill(town: Town) -> None:
    """Give each section something to say."""
    town.ask("What does a Bauantrag cost?", "partly", absent_words=["Bauantrag"])
    cite(town, town.ask("When is the pool open?", "partly"), "town", "dog-tax", LONG_AGO)
    contradictions.add(town.services)
    done = town.ask("Is there a casino?")
    town.services.feature(QuestionServices).change_note(done, "ada", sites=None, done=True)


def test_sections_come_in_order_what_is_missing_first(town: Town) -> None:
    fill(town)
    assert lines(written(town)) == {
        "Was fehlt": ["What does a Bauantrag cost?"],
        "Zweifelhafte Antworten": ["When is the pool open?"],
        "Widersprüche": ["Otto pays 96 euros. ≠ Otto pays 105 euros."],
        "Oft zitiert, aber seit einem Jahr nicht geändert": ["Dog tax"],
        "Letzte Woche erledigt": ["Is there a casino?"],
    }
    text = written(town).text
    for said in ("„Bauantrag“ steht auf keiner Seite", "zuletzt geändert: 03.05.2020"):
        assert said in text


def test_an_editor_of_other_sources_reads_nothing_of_it(town: Town) -> None:
    fill(town)
    assert written(town, LAW).is_empty
    town.ask("Since when does the act apply?", site="law")
    assert lines(written(town, LAW)) == {"What is missing": ["Since when does the act apply?"]}


def test_five_lines_are_shown_and_a_link_leads_to_all(town: Town) -> None:
    for number in range(7):
        town.ask(f"Question {number} about nothing?")
    letter = written(town)
    assert letter.text.count("\n* ") == 5
    assert f"Alle anzeigen: {ADDRESS}/admin/questions/groups?state=open" in letter.text
    assert "Alle anzeigen</a>" in letter.html


def test_what_was_not_asked_or_done_within_a_week_is_left_out(town: Town) -> None:
    fill(town)
    town.clock.now += timedelta(days=14)
    left = lines(written(town))
    assert not {"Oft zitiert, aber seit einem Jahr nicht geändert", "Letzte Woche erledigt"} & left.keys()


def test_questions_of_the_week_before_are_left_out(town: Town) -> None:
    answer, before = town.ask("Is there a casino?"), datetime.now(UTC) - timedelta(days=8)
    with writing(town.services.engine) as connection:
        connection.execute(update(questions).where(questions.c.answer == answer).values(asked_at=before))
    assert written(town).is_empty


def test_a_group_of_this_week_is_told_however_many_larger_ones_are_older(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.features.questions.news.MOST", 1)
    before = datetime.now(UTC) - timedelta(days=8)
    answers = [town.ask("Is there a casino?"), town.ask("Is there a casino?")]
    town.numbers[answers[1]] = town.numbers[answers[0]]
    with writing(town.services.engine) as connection:
        old = update(questions).where(questions.c.answer.in_(answers))
        connection.execute(old.values(asked_at=before))
    done = town.ask("Is there a zoo?")
    town.services.feature(QuestionServices).change_note(done, "ada", sites=None, done=True)
    town.ask("Is there a harbour?")
    assert lines(written(town)) == {
        "Was fehlt": ["Is there a harbour?"],
        "Letzte Woche erledigt": ["Is there a zoo?"],
    }


def test_pages_changed_within_a_year_and_acts_are_not_old(town: Town) -> None:
    answer = town.ask("When is the pool open?", "answered")
    cite(town, answer, "town", "dog-tax", town.clock.now - timedelta(days=364))
    assert written(town).is_empty
    cite(town, town.ask("And now?", "answered"), "town", "dog-tax", LONG_AGO)
    [section] = written(town).sections
    assert section.lines[0].detail.endswith("in Antworten der letzten Woche: 2")
    with writing(town.services.engine) as connection:
        connection.execute(update(pages).where(pages.c.id == "dog-tax").values(kind="act"))
    assert written(town).is_empty


def test_every_link_of_a_letter_leads_to_a_page_of_the_console(town: Town) -> None:
    fill(town)
    console = Console(town.services).log_in("ada")
    page = BeautifulSoup(written(town).html, "lxml")
    links = [str(link["href"]) for link in page.select("ul a")]
    assert len(links) == 5
    for link in links:
        assert link.startswith(f"{ADDRESS}/admin/")
        parts = urlsplit(link)
        answer = console.client.get(f"{parts.path}?{parts.query}")
        assert answer.status_code == 200
        if parts.fragment:
            assert BeautifulSoup(answer.text, "lxml").find(id=parts.fragment)


def test_html_loads_and_runs_nothing_whatever_visitors_ask(town: Town) -> None:
    town.ask(f"How much {XSS}?")
    letter = written(town)
    page = BeautifulSoup(letter.html, "lxml")
    assert not page.select("script, img, link, style, iframe, object, svg, [src], [background]")
    assert "url(" not in letter.html
    assert not [name for element in page.select("*") for name in element.attrs if name.startswith("on")]
    assert {urlsplit(str(link["href"])).hostname for link in page.select("a")} == {"auskunft.town.example"}


def test_both_texts_say_the_same() -> None:
    line = Line("A “question” & more", "asked <twice>", "/admin/questions")
    letter = Letter(
        name="Town",
        language="en",
        texts=TEXTS["en"],
        sections=[Section(1, "Missing", "", (line,))],
        address=ADDRESS,
        stop=f"{ADDRESS}/letter?key=k",
    )
    seen = BeautifulSoup(letter.html, "lxml").get_text()
    for said in (letter.subject, "Missing", *line[:2], TEXTS["en"]["letter_why"]):
        assert said in letter.text and said in seen


def test_a_letter_without_lines_is_empty(town: Town) -> None:
    assert written(town).is_empty
    assert town.writer.letter(EVERYBODY, "", ADDRESS).is_empty
