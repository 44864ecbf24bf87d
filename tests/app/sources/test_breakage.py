"""A website that broke is not stored over its good pages; ordinary changes go through."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.errors import NeedsAttentionError, NotFoundError
from app.pages.pulls import PullLog
from tests.app.sources.test_pull_website import Town, pulled_in_pieces
from tests.fakes.website import Answer, FakeWebsite

PAGES = 40
WORDS = (
    "Antrag",
    "Bürgeramt",
    "Gebühr",
    "Ausweis",
    "Öffnung",
    "Hund",
    "Müll",
    "Straße",
    "Bücherei",
    "Brücke",
    "Fähre",
)
PATHS = [f"/{'amt' if number < 10 else 'stadt'}/seite-{number}" for number in range(PAGES)]


def text_of(number: int, words: int = 80, seed: str = "") -> str:
    chance = random.Random(f"{seed}{number}")
    paragraphs = [" ".join(chance.choices(WORDS, k=words // 4)) for _ in range(4)]
    return "".join(f"<p>{paragraph} für {number}.</p>" for paragraph in paragraphs)


class City(Town):
    """An installation that pulls a website of ``PAGES`` pages and a start page."""

    def build(self, *, seed: str = "", body: Callable[[int, str], str] = lambda _number, text: text) -> None:
        """Show all pages, each as ``body`` makes it of its text."""
        for number, path in enumerate(PATHS):
            self.show(path, body(number, text_of(number, seed=seed)))
        self.show("/", body(PAGES, text_of(PAGES)), *PATHS)

    def show(self, path: str, main: str, *links: str, around: str = "") -> None:
        leads = "".join(f'<a href="{link}">{link}</a>' for link in links)
        head = f"<html lang='de'><head><meta charset=utf-8><title>Stadt {path}</title></head>"
        self.web.answers[path] = Answer(f"{head}<body><nav>{leads}</nav>{around}<main>{main}</main>".encode())

    def stored(self) -> dict[str, str]:
        """The text of each page that is stored."""
        found = self.store.read(self.store.refs("town"))
        return {each.ref.id: each.page.fields["content"].text for each in found if each.page}

    @property
    def pulls(self) -> PullLog:
        return PullLog(self.engine, self.clock)


@pytest.fixture(scope="module")
def web() -> Iterator[FakeWebsite]:
    with FakeWebsite() as web:
        yield web


@pytest.fixture(scope="module")
def pulled(web: FakeWebsite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of an installation that has pulled the whole website: to copy, never to open."""
    data = tmp_path_factory.mktemp("pulled")
    city = City(web, data)
    city.build()
    city.pull()
    assert len(city.stored()) == PAGES + 1
    city.engine.dispose()
    return data


@pytest.fixture
def city(web: FakeWebsite, pulled: Path, tmp_path: Path) -> Iterator[City]:
    """A copy of it, an hour later."""
    web.clear()
    city = City(web, shutil.copytree(pulled, tmp_path / "data"))
    city.clock.advance(3_600)
    city.build()
    yield city
    city.engine.dispose()


def test_a_website_that_broke_is_known_by_all_pieces_of_its_pull(city: City) -> None:
    before = city.stored()
    template_without_content(city)
    with pytest.raises(NeedsAttentionError, match=r"4\d of 41 pages lost much of their text"):
        pulled_in_pieces(city, 6)
    assert city.stored() == before
    assert city.pulls.by_source()["town"].halt == "halted"
    city.build()
    assert pulled_in_pieces(city, 6).problem() == ""
    assert (city.pulls.by_source()["town"].halt, city.stored()) == ("", before)


def test_pages_that_looked_broken_in_the_first_piece_are_stored_once_all_were_seen(city: City) -> None:
    cut = {path for path in PATHS if "/amt/" in path}
    city.build(body=lambda number, text: text[:90] if number < 10 else text)
    city.clock.advance(3_600)
    before = city.stored()
    turns = iter(range(9))
    assert city.puller.pull("town", stop=lambda: next(turns, 9) == 8).left > 0
    assert city.stored() == before
    pulled_in_pieces(city, 6)
    changed = {page for page, text in city.stored().items() if text != before[page]}
    assert {page.removeprefix(city.web.address) for page in changed} == cut


def test_what_was_held_before_a_person_takes_over_is_stored(city: City) -> None:
    cookie_wall(city)
    with pytest.raises(NeedsAttentionError):
        pulled_in_pieces(city, 6)
    city.clock.advance(3_600)
    turns = iter(range(30))
    assert city.puller.pull("town", stop=lambda: next(turns, 30) == 29).left > 0
    city.pulls.decide("town", "taken_over", "somebody")
    pulled_in_pieces(city, 6)
    assert all("Cookies" in text for text in city.stored().values())
    assert city.pulls.by_source()["town"].halt == ""


WALL = (
    "<p>Wir verwenden Cookies und ähnliche Techniken, um Inhalte zu zeigen, Besuche zu zählen und unser "
    "Angebot zu verbessern. Bitte stimmen Sie zu, oder wählen Sie aus, welche Dienste wir verwenden dürfen, "
    "bevor Sie weiterlesen können.</p><button>Zustimmen</button>"
)
SHELL = (
    b"<html lang=de><title>Stadt</title><div id=root></div><noscript>JavaScript</noscript><script>1</script>"
)


def answer_everything(city: City, made: Callable[[str], Answer]) -> None:
    """Let all addresses answer so, those that are not there, too."""
    city.web.answers.clear()
    city.web.otherwise = lambda path: Answer(status=404) if path == "/robots.txt" else made(path)


def empty_bodies(city: City) -> None:
    city.build(body=lambda _number, _text: "")


def cookie_wall(city: City) -> None:
    city.build(body=lambda _number, _text: WALL)


def cookie_wall_above_the_text(city: City) -> None:
    city.build(body=lambda _number, text: WALL + text)


def maintenance(city: City) -> None:
    page = (
        "<html lang=de><title>Wartung</title><main><p>Unsere Website wird gewartet. Kommen Sie wieder.</main>"
    )
    answer_everything(city, lambda _path: Answer(page.encode()))


def login(city: City) -> None:
    city.show("/login", "<p>Bitte melden Sie sich mit Ihrem Namen und Ihrem Kennwort an.</p>")
    for path in PATHS:
        city.web.redirect(path, "/login", status=302)


def script_shell(city: City) -> None:
    answer_everything(city, lambda _path: Answer(SHELL))


def script_shell_with_a_hint(city: City) -> None:
    page = "<html lang=de><title>{}</title><p>Bitte schalten Sie JavaScript ein.<div id=root></div>"
    answer_everything(city, lambda path: Answer(page.format(path).encode()))


def lost_pages_with_status_200(city: City) -> None:
    page = "<html lang=de><title>Seite nicht gefunden</title><main><p>Diese Seite gibt es nicht.</main>"
    for path in PATHS:
        city.web.answers[path] = Answer(page.encode())


def another_language(city: City) -> None:
    for answer in city.web.answers.values():
        answer.body = answer.body.replace(b"lang='de'", b"lang='en'")


def half_of_the_pages_gone(city: City) -> None:
    for path in PATHS[::2]:
        del city.web.answers[path]


def garbled_characters(city: City) -> None:
    for answer in city.web.answers.values():
        answer.body = answer.body.decode().encode().decode("latin-1").encode()


def template_without_content(city: City) -> None:
    city.build(body=lambda number, _text: f"<h1>Seite {number}</h1><p>Startseite, Kontakt, Impressum</p>")


def bot_check(city: City) -> None:
    page = "<html><title>Just a moment...</title><p>Checking your browser before accessing {}. Ray ID {}"
    answer_everything(city, lambda path: Answer(page.format(path, hash(path)).encode()))


def bot_check_with_status_403(city: City) -> None:
    for path in PATHS:
        city.web.answers[path] = Answer(b"<p>Are you a robot?", status=403)


@pytest.mark.parametrize(
    "break_it",
    [
        empty_bodies,
        cookie_wall,
        cookie_wall_above_the_text,
        maintenance,
        login,
        script_shell,
        script_shell_with_a_hint,
        lost_pages_with_status_200,
        another_language,
        half_of_the_pages_gone,
        garbled_characters,
        template_without_content,
        bot_check,
        bot_check_with_status_403,
    ],
    ids=lambda each: each.__name__,
)
def test_a_website_that_broke_is_not_stored(city: City, break_it: Callable[[City], None]) -> None:
    before = city.stored()
    break_it(city)
    for _ in range(2):
        with pytest.raises(NeedsAttentionError):
            city.pull()
        assert city.stored() == before
    pull = city.pulls.by_source()["town"]
    assert pull.halt == "halted"
    assert pull.halted_for
    city.web.otherwise = lambda _path: Answer(status=404)
    city.build()
    city.pull()
    assert city.pulls.by_source()["town"].halt == ""
    assert city.stored() == before


def test_a_website_that_moved_to_another_one_is_not_stored(city: City) -> None:
    before = city.stored()
    with FakeWebsite() as other:
        city.web, old = other, city.web.address  # where its address leads
        city.build()
        with pytest.raises(NeedsAttentionError, match=f"{other.address} is the website's address now"):
            city.pull()
        assert city.stored() == before
        city.pulls.decide("town", "taken_over", "ada")
        city.pull()
        assert not any(address.startswith(old) for address in city.stored())
        assert city.paths() == ["/", *sorted(PATHS)]


def notice(text: str) -> Callable[[City], None]:
    return lambda city: city.build(body=lambda _number, body: f"<p>{text}</p>{body}")


def some(numbers: range, body: Callable[[int], str]) -> Callable[[City], None]:
    def change(city: City) -> None:
        for number in numbers:
            city.show(PATHS[number], body(number))

    return change


def gone(numbers: range) -> Callable[[City], None]:
    def change(city: City) -> None:
        left = [path for number, path in enumerate(PATHS) if number not in numbers]
        for number in numbers:
            del city.web.answers[PATHS[number]]
        city.show("/", text_of(PAGES), *left)

    return change


def added(count: int, words: int = 80) -> Callable[[City], None]:
    def change(city: City) -> None:
        paths = [f"/neu/{number}" for number in range(count)]
        for number, path in enumerate(paths):
            city.show(path, text_of(1_000 + number, words))
        city.show("/", text_of(PAGES), *PATHS, *paths)

    return change


def moved(numbers: range, status: int = 301) -> Callable[[City], None]:
    def change(city: City) -> None:
        for number in numbers:
            city.show(f"/umgezogen/{number}", text_of(number))
            city.web.redirect(PATHS[number], f"/umgezogen/{number}", status=status)

    return change


def footer(city: City) -> None:
    city.build()
    for answer in city.web.answers.values():
        answer.body += (
            b"<footer><p>" + b"Impressum, Datenschutz und Barrierefreiheit der Stadt " * 8 + b"</footer>"
        )


def cookie_banner_beside_the_content(city: City) -> None:
    for number, path in enumerate(PATHS):
        city.show(path, text_of(number), around=f"<div>{WALL}</div>")


def another_template(city: City) -> None:
    city.build(
        body=lambda number, text: f"<div class=new><h1>Seite {number}</h1><section>{text}</section></div>"
    )


def nothing(_city: City) -> None:
    """Leave it as it is."""


def one_page_to_the_start(city: City) -> None:
    city.web.redirect(PATHS[3], "/", status=302)


ORDINARY: dict[str, Callable[[City], None]] = {
    "nothing": nothing,
    "a figure on each page": lambda city: city.build(body=lambda _number, text: text.replace("für", "ab", 1)),
    "one page rewritten": some(range(1), lambda number: text_of(number, seed="new")),
    "ten pages rewritten": some(range(10), lambda number: text_of(number, seed="new")),
    "all pages rewritten": lambda city: city.build(seed="new"),
    "all pages rewritten a fifth shorter": lambda city: city.build(
        body=lambda number, _text: text_of(number, 64, "new")
    ),
    "all pages twice as long": lambda city: city.build(body=lambda n, text: text + text_of(n, seed="more")),
    "a section relaunched and shortened": some(range(10), lambda n: text_of(n, 40, "new")),
    "a section emptied": some(range(10), lambda n: f"<p>Diese Seite {n} wird überarbeitet.</p>"),
    "a section under maintenance": some(range(10), lambda _number: "<p>In Wartung.</p>"),
    "a section behind a wall": some(range(8), lambda _number: WALL),
    "one page emptied": some(range(1), lambda _number: ""),
    "a new footer": footer,
    "a banner of a few words": notice("Das Rathaus ist am 24. Dezember geschlossen."),
    "a longer banner": notice(
        "Am Montag streikt der Öffentliche Dienst. Bitte rechnen Sie mit geschlossenen Ämtern."
    ),
    "a line below each page": lambda city: city.build(
        body=lambda _n, text: f"{text}<p>War das hilfreich?</p>"
    ),
    "a date on each page": lambda city: city.build(body=lambda n, text: f"{text}<p>Stand: {n}. Mai</p>"),
    "a contact on each page": lambda city: city.build(
        body=lambda n, text: f"{text}<p>Ihr Ansprechpartner: Amt {n}, Zimmer {n}, Telefon 069 90009-{n}</p>"
    ),
    "another template": another_template,
    "a cookie banner beside the content": cookie_banner_beside_the_content,
    "a page deleted": gone(range(1)),
    "four pages deleted": gone(range(4)),
    "eight pages deleted": gone(range(8)),
    "a page added": added(1),
    "thirty pages added": added(30),
    "short pages added": added(20, 8),
    "pages moved": moved(range(6)),
    "a section moved": moved(range(30, 40)),
    "pages moved for a while": moved(range(5), status=302),
    "a page that leads to the start": one_page_to_the_start,
    "a page in another language": lambda city: city.web.answers.update(
        {PATHS[5]: Answer(city.web.answers[PATHS[5]].body.replace(b"lang='de'", b"lang='en'"))}
    ),
    "a page that cannot be read": lambda city: city.web.answers.update({PATHS[7]: Answer(status=403)}),
}


def test_there_are_thirty_ordinary_changes_at_least() -> None:
    assert len(ORDINARY) >= 30


@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_change_goes_through(city: City, name: str) -> None:
    ORDINARY[name](city)
    for _ in range(2):
        city.pull()
    assert city.pulls.by_source()["town"].halt == ""
    shown = {
        f"{city.web.address}{path}": answer.body.decode()
        for path, answer in city.web.answers.items()
        if answer.status == 200 and b"<main></main>" not in answer.body
    }
    stored = city.stored()
    differing = {address for address, body in shown.items() if stored.get(address) not in (body, None)}
    assert differing == set()


@pytest.fixture
def village(tmp_path: Path) -> Iterator[City]:
    """A website of eight pages and a start page, which are pulled."""
    with FakeWebsite() as web:
        village = City(web, tmp_path)
        for number, path in enumerate(PATHS[:8]):
            village.show(path, text_of(number))
        village.show("/", text_of(PAGES), *PATHS[:8])
        village.pull()
        yield village
        village.engine.dispose()


@pytest.mark.parametrize("status", [404, 410])
def test_as_few_pages_as_the_guard_lets_go_may_be_deleted_on_a_small_website(
    village: City, status: int
) -> None:
    for path in PATHS[:4]:
        village.web.answers[path] = Answer(status=status)
    village.show("/neu", text_of(1_000))
    village.show("/", text_of(PAGES), *PATHS[4:8], "/neu")
    village.pull()
    assert len(village.pull().deleted) == 4
    assert village.paths() == ["/", *sorted(PATHS[4:8]), "/neu"]
    assert village.pulls.by_source()["town"].halt == ""


def test_pages_that_are_gone_do_not_hide_that_others_broke(city: City) -> None:
    for path in PATHS[:8]:
        del city.web.answers[path]
    for path in PATHS[8:19]:
        city.show(path, "<p>Fehler</p>")
    with pytest.raises(NeedsAttentionError, match="11 of 33 pages lost much of their text"):
        city.pull()


def test_what_a_person_takes_over_is_stored_by_the_next_pull_alone(city: City) -> None:
    template_without_content(city)
    with pytest.raises(NeedsAttentionError, match="sources take-over town"):
        city.pull()
    city.pulls.decide("town", "taken_over", "ada")
    city.pull()
    assert all("Impressum" in text for text in city.stored().values())
    assert city.pulls.by_source()["town"].halt == ""
    city.build()
    city.pull()
    template_without_content(city)
    with pytest.raises(NeedsAttentionError):
        city.pull()


def test_pages_that_are_gone_are_deleted_at_once_when_that_is_taken_over(city: City) -> None:
    half_of_the_pages_gone(city)
    with pytest.raises(NeedsAttentionError, match="20 of 41 pages"):
        city.pull()
    city.pulls.decide("town", "taken_over", "ada")
    assert len(city.pull().deleted) == 20


def test_old_pages_that_a_person_keeps_stay_without_a_problem(city: City) -> None:
    before = city.stored()
    template_without_content(city)
    with pytest.raises(NeedsAttentionError):
        city.pull()
    city.pulls.decide("town", "kept", "ada")
    assert "looks broken" in city.pull().warnings[0]
    assert city.stored() == before
    pull = city.pulls.by_source()["town"]
    assert (pull.halt, pull.problem) == ("kept", "")
    city.build()
    city.pull()
    assert city.pulls.by_source()["town"].halt == ""


def test_a_pull_that_is_interrupted_stores_nothing_that_looks_broken_and_says_nothing_yet(city: City) -> None:
    before = city.stored()
    template_without_content(city)
    turns = iter([False] * 8)
    assert city.pull(stop=lambda: next(turns, True)).left > 0
    assert city.stored() == before
    assert city.pulls.by_source()["town"].halt == ""
    with pytest.raises(NeedsAttentionError):
        city.pull()


def test_healthy_changes_are_stored_although_others_are_held(city: City) -> None:
    for path in PATHS[20:]:
        city.show(path, "<p>Fehler</p>")
    city.show(PATHS[0], text_of(0, seed="new"))
    city.web.answers = dict(sorted(city.web.answers.items(), key=lambda item: item[0] != PATHS[0]))
    with pytest.raises(NeedsAttentionError):
        city.pull()
    assert not any("Fehler" in text for text in city.stored().values())


def test_nothing_is_decided_of_a_source_that_was_not_halted(city: City) -> None:
    for name in ("town", "unknown"):
        with pytest.raises(NotFoundError, match="was halted"):
            city.pulls.decide(name, "kept", "ada")
