"""What editors do is what the chat knows: the extensions for Drupal and TYPO3 send to a real Auskunft."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.cms.extensions import Drupal, Extension, Typo3
from tests.cms.service import SOURCE, Auskunft, running, seconds_until, secret
from tests.fakes.web_server import web_server
from tests.services import MissingServiceError, outcome

pytestmark = pytest.mark.cms

INTEGRATIONS: Final = Path(__file__).parents[2] / "integrations"
KINDS: Final[dict[str, type[Drupal | Typo3]]] = {"drupal": Drupal, "typo3": Typo3}
CODE: Final = {".php", ".module", ".install"}
KNOWN_WITHIN_SECONDS: Final = 5.0


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Auskunft]:
    """A running Auskunft; who stops it starts it again."""
    with running(tmp_path_factory.mktemp("auskunft")) as started:
        yield started


@pytest.fixture(scope="module", params=KINDS)
def cms(
    request: pytest.FixtureRequest, service: Auskunft, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Drupal | Typo3]:
    """An extension that sends to ``service``."""
    try:
        started = KINDS[request.param](tmp_path_factory.mktemp(request.param))
    except MissingServiceError as missing:
        raise outcome(missing) from None
    started.configure(service.url, SOURCE, service.secrets[0])
    try:
        yield started
    finally:
        started.close()


@pytest.fixture
def drupal(cms: Drupal | Typo3) -> Drupal:
    """Only Drupal's module."""
    return cms if isinstance(cms, Drupal) else pytest.skip("TYPO3 has no such thing")


@pytest.fixture
def typo3(cms: Drupal | Typo3) -> Typo3:
    """Only TYPO3's extension."""
    return cms if isinstance(cms, Typo3) else pytest.skip("Drupal has no such thing")


def saved(cms: Extension, name: str, number: int | None = None) -> int:
    """A page with a word of its own, sent."""
    number = cms.save(number, f"All about {name}", f"The {name} in Otterfurt costs 96 euros a year.", name)
    cms.send()
    return number


def known(service: Auskunft, name: str) -> bool:
    return service.knows(f"How much does the {name} cost?", f"All about {name}")


def word(cms: Extension, name: str) -> str:
    """A word that the other extension's pages have not."""
    return f"{name}{type(cms).__name__.lower()}"


@pytest.mark.parametrize("file", sorted(INTEGRATIONS.glob("**/*.php")), ids=lambda path: path.name)
def test_php_reads_every_file(file: Path) -> None:
    if shutil.which("php") is None:
        raise outcome(MissingServiceError("PHP is not installed: apt-get install php-cli"))
    done = subprocess.run(["php", "-l", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_chat_knows_what_an_editor_saved(cms: Extension, service: Auskunft) -> None:
    name = word(cms, "dogtax")
    number = saved(cms, name)
    seconds_until(lambda: known(service, name), KNOWN_WITHIN_SECONDS)
    assert cms.events(number)[0]["url"] == f"{cms.address}/{name}"
    assert cms.status()["waiting"] == 0


def test_a_page_with_another_address_is_linked_there(cms: Extension, service: Auskunft) -> None:
    name = word(cms, "swimming")
    number = saved(cms, name)
    seconds_until(lambda: known(service, name), KNOWN_WITHIN_SECONDS)
    cms.rename(number, f"new-{name}")
    cms.send()
    seconds_until(lambda: service.knows(name, f"/new-{name}"), KNOWN_WITHIN_SECONDS)


def test_what_is_taken_offline_is_gone_and_comes_back(cms: Extension, service: Auskunft) -> None:
    name = word(cms, "offlinefee")
    number = saved(cms, name)
    for change in (cms.publish, cms.protect):
        away, back = (
            ({"published": False}, {"published": True})
            if change == cms.publish
            else (
                {"protected": True},
                {"protected": False},
            )
        )
        seconds_until(lambda: known(service, name), KNOWN_WITHIN_SECONDS)
        change(number, **away)
        cms.send()
        seconds_until(lambda: not known(service, name), KNOWN_WITHIN_SECONDS)
        change(number, **back)
        cms.send()
    seconds_until(lambda: known(service, name), KNOWN_WITHIN_SECONDS)


def test_a_deleted_page_is_gone(cms: Extension, service: Auskunft) -> None:
    name = word(cms, "deletedfee")
    number = saved(cms, name)
    seconds_until(lambda: known(service, name), KNOWN_WITHIN_SECONDS)
    cms.delete(number)
    cms.send()
    seconds_until(lambda: not known(service, name), KNOWN_WITHIN_SECONDS)


def test_translations_come_and_go_by_themselves(cms: Extension, service: Auskunft) -> None:
    name, german = word(cms, "translatedfee"), word(cms, "gebuehr")
    number = saved(cms, name)
    cms.translate(number, f"Alles zur {german}", f"Die {german} kostet 96 Euro im Jahr.")
    cms.send()
    seconds_until(lambda: service.knows(f"Was kostet die {german}?", german), KNOWN_WITHIN_SECONDS)
    assert known(service, name)
    assert {event["language"] for event in cms.events(number)} == {"en", "de"}
    cms.untranslate(number)
    cms.send()
    seconds_until(
        lambda: not service.knows(f"Was kostet die {german}?", f"Alles zur {german}"), KNOWN_WITHIN_SECONDS
    )
    assert known(service, name)


def test_an_outage_loses_nothing_and_is_not_asked_again_at_once(cms: Extension, service: Auskunft) -> None:
    gone, new = word(cms, "goneawayfee"), word(cms, "newfee")
    number = saved(cms, gone)
    seconds_until(lambda: known(service, gone), KNOWN_WITHIN_SECONDS)
    service.stop()
    try:
        cms.delete(number)
        saved(cms, new)
        state = cms.status()
        assert state["waiting"] >= 2
        assert state["failures"] == 1
        assert state["error"]
        cms.send()
        assert cms.status()["failures"] == 1
    finally:
        service.start()
    cms.hurry()
    cms.send()
    assert cms.status()["waiting"] == 0
    assert cms.status()["error"] == ""
    seconds_until(lambda: known(service, new) and not known(service, gone), KNOWN_WITHIN_SECONDS)


def test_messages_that_come_twice_or_late_change_nothing(cms: Extension, service: Auskunft) -> None:
    name = word(cms, "latefee")
    number = saved(cms, name)
    late = cms.events(number)
    newer = word(cms, "evenlaterfee")
    saved(cms, newer, number)
    seconds_until(lambda: known(service, newer), KNOWN_WITHIN_SECONDS)
    assert [cms.post(late), cms.post(late)] == ["", ""]
    probe = word(cms, "probefee")
    saved(cms, probe)
    seconds_until(lambda: known(service, probe), KNOWN_WITHIN_SECONDS)
    assert known(service, newer)
    assert not service.knows(name, f"All about {name}")


def test_a_secret_is_changed_without_losing_a_page(cms: Extension, service: Auskunft) -> None:
    name = word(cms, "rotatedfee")
    cms.configure(service.url, SOURCE, secret("b"))
    try:
        saved(cms, name)
        assert "401" in cms.status()["error"]
        assert cms.status()["waiting"]
    finally:
        cms.configure(service.url, SOURCE, service.secrets[0])
        cms.hurry()
    cms.send()
    seconds_until(lambda: known(service, name), KNOWN_WITHIN_SECONDS)


def test_a_page_that_is_refused_is_listed_and_holds_up_no_other(cms: Extension, service: Auskunft) -> None:
    wrong, right = word(cms, "wrongfee"), word(cms, "rightfee")
    number = cms.save(None, f"All about {wrong}", "Too long an address", "a" * 5_000)
    saved(cms, right)
    seconds_until(lambda: known(service, right), KNOWN_WITHIN_SECONDS)
    assert any("url" in why for why in cms.status()["refused"])
    assert cms.status()["waiting"] == 0
    saved(cms, wrong, number)
    assert cms.status()["refused"] == []


def test_all_pages_but_a_wrong_one_are_sent_to_another_service(
    cms: Extension, tmp_path: Path, service: Auskunft
) -> None:
    name = word(cms, "everywherefee")
    saved(cms, name)
    wrong = cms.save(None, "All about a wrong page", "Too long an address", "b" * 5_000)
    cms.send()
    try:
        with running(tmp_path) as second:
            cms.configure(second.url, SOURCE, second.secrets[0])
            cms.send_all()
            cms.send()
            seconds_until(lambda: known(second, name), KNOWN_WITHIN_SECONDS)
            assert len(cms.status()["refused"]) == 1
    finally:
        cms.configure(service.url, SOURCE, service.secrets[0])
        cms.delete(wrong)
        cms.send()


def test_a_draft_answers_open_questions_and_contradicts_a_page(cms: Extension, service: Auskunft) -> None:
    name, bath = word(cms, "saunafee"), word(cms, "steambath")
    saved(cms, name)
    seconds_until(lambda: known(service, name), KNOWN_WITHIN_SECONDS)
    question = f"When does the {bath} open on Sunday?"
    service.sources(question)
    text = f"The {bath} opens on Sunday at ten. The {name} in Otterfurt costs 120 euros a year."
    shown = cms.ask(f"All about {name}", text)
    for said in (question, f"The {bath} opens on Sunday at ten.", "costs 96 euros", f"/{name}"):
        assert said in shown.replace("\\/", "/"), shown
    own = cms.ask(f"All about {name}", f"Bring towels to the {name}.", f"Must I bring towels to the {name}?")
    assert f"Bring towels to the {name}." in own
    assert "costs 96 euros" not in own


@pytest.mark.parametrize("body", [b"<html>Log in</html>", b"{}", b'"yes"', b'{"answers": 1}'])
def test_a_page_in_the_services_place_is_no_answer_to_a_draft(
    cms: Extension, service: Auskunft, body: bytes
) -> None:
    try:
        with web_server(200, body, {}) as address:
            cms.configure(address, SOURCE, service.secrets[0])
            assert f"no answer from {address}" in cms.ask("Sauna", "Text").replace("\\/", "/")
    finally:
        cms.configure(service.url, SOURCE, service.secrets[0])


def test_drupal_says_what_is_wrong_with_a_draft_and_asks_no_other_entities(
    drupal: Drupal, service: Auskunft
) -> None:
    assert "status_messages" in drupal.ask("Sauna", "Text", more=", true")
    drupal.configure(service.url, "village", service.secrets[0])
    assert "404 no source of this name" in drupal.ask("Sauna", "Text")
    drupal.configure(service.url, SOURCE, "short")
    assert drupal.ask("Sauna", "Text") == '"nothing"'
    drupal.configure(service.url, SOURCE, service.secrets[0])


def test_a_draft_of_drupal_does_not_contradict_the_page_that_it_replaces(
    drupal: Drupal, service: Auskunft
) -> None:
    number = saved(drupal, "selffee")
    seconds_until(lambda: known(service, "selffee"), KNOWN_WITHIN_SECONDS)
    text = "The selffee in Otterfurt costs 120 euros a year."
    assert "costs 96 euros" in drupal.ask("All about selffee", text)
    assert "costs 96 euros" not in drupal.ask("All about selffee", text, number=number)


def test_typo3_asks_a_page_as_it_is_in_the_editors_workspace(typo3: Typo3, service: Auskunft) -> None:
    number, _ = saved(typo3, "workfee"), saved(typo3, "workfee")
    seconds_until(lambda: known(service, "workfee"), KNOWN_WITHIN_SECONDS)
    assert "costs 120 euros" in typo3.ask_in_workspace(
        number, "The workfee in Otterfurt costs 120 euros a year."
    )


def test_every_text_of_typo3s_extension_is_german_too() -> None:
    folder = INTEGRATIONS / "typo3" / "auskunft"
    sources = "".join(
        path.read_text("utf-8") for path in folder.rglob("*") if path.suffix in (".php", ".html")
    )
    wanted = set(re.findall(r"locallang\.xlf:(\w+)", sources))
    languages = folder / "Resources" / "Private" / "Language"
    german = (languages / "de.locallang.xlf").read_text("utf-8")
    known_texts = set(re.findall(r'id="(\w+)"', (languages / "locallang.xlf").read_text("utf-8")))
    assert wanted == known_texts == set(re.findall(r'id="(\w+)"><source>.+?</source><target>.', german))


def test_drupal_sends_nothing_of_a_draft_in_a_workspace(drupal: Drupal) -> None:
    number = drupal.save(None, "All about the live fee", "It is 96 euros.", "livefee")
    event = drupal.events_in_workspace(number, "All about a draft")[0]
    assert event["title"] == "All about the live fee"
    assert "draft" not in event["html"]
    drupal.delete(number)
    drupal.send()


def test_drupal_tries_every_page_again_that_it_could_not_show(drupal: Drupal) -> None:
    drupal.break_pages(60)
    assert len(drupal.status()["refused"]) == 60
    drupal.send()
    assert len(drupal.status()["refused"]) == 60
    drupal.wait()
    drupal.send()
    assert drupal.status()["refused"] == []
    assert drupal.status()["waiting"] == 0


def test_drupal_says_so_when_auskunft_has_a_newer_version(drupal: Drupal, service: Auskunft) -> None:
    number = saved(drupal, "futurefee")
    late = [event | {"revision": event["revision"] + 10**9} for event in drupal.events(number)]
    assert drupal.post(late) == ""
    saved(drupal, "futurefee", number)
    assert "clock" in drupal.status()["refused"][0]
    drupal.forget_refused()


def test_drupal_leaves_the_chat_within_the_content_out(drupal: Drupal) -> None:
    text = 'Before <auskunft-chat site="town"><a href="/chat">Ask a question</a></auskunft-chat> after'
    number = drupal.save(None, "A page with a chat", text, "withchat")
    assert drupal.events(number)[0]["html"] == "<p>Before  after</p>"
    drupal.delete(number)
    drupal.send()


def test_typo3_sends_what_is_below_a_page_that_is_moved_or_deleted(typo3: Typo3, service: Auskunft) -> None:
    parent, child = (
        saved(typo3, "parentfee"),
        typo3.save(None, "All about childfee", "The childfee is 3.", "childfee"),
    )
    typo3.move(child, parent, "parentfee/childfee")
    typo3.send()
    seconds_until(lambda: service.knows("childfee", "/parentfee/childfee"), KNOWN_WITHIN_SECONDS)
    typo3.delete(parent)
    typo3.send()
    seconds_until(
        lambda: not known(service, "parentfee") and not known(service, "childfee"), KNOWN_WITHIN_SECONDS
    )
    typo3.undelete(parent)
    typo3.send()
    seconds_until(lambda: known(service, "parentfee"), KNOWN_WITHIN_SECONDS)


def test_typo3_sends_the_page_that_an_element_leaves_by_being_published(typo3: Typo3) -> None:
    source, target = saved(typo3, "draftedfee"), saved(typo3, "publishedfee")
    typo3.move_elements(source, target, "version")
    assert typo3.status()["waiting"] == 2
    typo3.send()


def test_typo3_sends_the_page_that_an_element_leaves(typo3: Typo3, service: Auskunft) -> None:
    source, target = saved(typo3, "sourcefee"), saved(typo3, "targetfee")
    seconds_until(lambda: known(service, "sourcefee") and known(service, "targetfee"), KNOWN_WITHIN_SECONDS)
    typo3.move_elements(source, target)
    typo3.send()
    price = "How much does the sourcefee in Otterfurt cost a year?"
    seconds_until(lambda: service.sources(price)[0]["title"] == "All about targetfee", KNOWN_WITHIN_SECONDS)
    seconds_until(
        lambda: (
            not any(
                "96" in source["snippet"]
                for source in service.sources(price)
                if source["title"] == "All about sourcefee"
            )
        ),
        KNOWN_WITHIN_SECONDS,
    )


def test_typo3_sends_a_page_when_the_clock_has_published_it(typo3: Typo3, service: Auskunft) -> None:
    number = saved(typo3, "clockfee")
    typo3.clock(number, "starttime", 3_600)
    typo3.send()
    seconds_until(lambda: not known(service, "clockfee"), KNOWN_WITHIN_SECONDS)
    typo3.send()
    assert typo3.status()["waiting"] == 0
    typo3.wait(number)
    typo3.send()
    seconds_until(lambda: known(service, "clockfee"), KNOWN_WITHIN_SECONDS)


def test_typo3_tries_a_page_again_that_the_website_could_not_show(typo3: Typo3, service: Auskunft) -> None:
    typo3.break_page("brokenfee", 500)
    number = saved(typo3, "brokenfee")
    assert "500" in typo3.status()["refused"][0]
    typo3.mend_website()
    typo3.send()
    assert typo3.status()["refused"]
    typo3.wait(number)
    typo3.send()
    seconds_until(lambda: known(service, "brokenfee"), KNOWN_WITHIN_SECONDS)
    assert typo3.status()["refused"] == []


@pytest.mark.parametrize(
    ("status", "target"),
    [(503, "/maintenance"), (401, ""), (301, "https://www.town.example/"), (302, "/faultyfee/")],
)
def test_typo3_takes_a_fault_of_the_website_for_no_reason_to_unpublish(
    typo3: Typo3, service: Auskunft, status: int, target: str
) -> None:
    number, name = saved(typo3, "faultyfee"), f"besides{status}fee"
    seconds_until(lambda: known(service, "faultyfee"), KNOWN_WITHIN_SECONDS)
    typo3.break_page("faultyfee", status, target)
    typo3.save(number, "All about faultyfee", "Another text", "faultyfee")
    saved(typo3, name)
    seconds_until(lambda: known(service, name), KNOWN_WITHIN_SECONDS)
    state = typo3.status()
    assert str(status) in state["refused"][0]
    assert state["error"] == ""
    assert known(service, "faultyfee")
    typo3.mend_website()
    typo3.delete(number)
    typo3.send()
    assert typo3.status()["refused"] == []


def test_typo3_takes_a_redirect_to_the_login_for_a_closed_page(typo3: Typo3) -> None:
    number = saved(typo3, "loginfee")
    typo3.break_page("loginfee", 302, "/login?return=/loginfee")
    assert [event["type"] for event in typo3.events(number)] == ["page.unpublished"]
    typo3.first_page(number)
    typo3.save(number, "All about loginfee", "Another text", "loginfee")
    typo3.send()
    assert "first page" in typo3.status()["refused"][0]
    typo3.first_page(0)
    typo3.mend_website()
    typo3.delete(number)
    typo3.send()


def test_typo3_sends_a_change_once_the_caches_are_cleared(typo3: Typo3) -> None:
    typo3.save(None, "All about freshfee", "The freshfee is 3.", "freshfee")
    typo3.send_now()
    assert typo3.status()["waiting"] == 1
    typo3.send()
    assert typo3.status()["waiting"] == 0


def test_typo3s_commands_tell_what_is_wrong(typo3: Typo3, service: Auskunft) -> None:
    assert "are right" in typo3.run("StatusCommand", "test")[1]
    typo3.configure(service.url, "village", service.secrets[0])
    code, text = typo3.run("StatusCommand", "test")
    assert code == 1
    assert "404 no source of this name" in text
    typo3.configure(service.url, SOURCE, "short")
    assert typo3.run("SendCommand")[0] == 2
    typo3.configure(service.url, SOURCE, service.secrets[0])
    assert typo3.run("StatusCommand", "test")[0] == 0


def test_every_text_of_drupals_module_is_german_too() -> None:
    module = INTEGRATIONS / "drupal" / "auskunft"
    sources = "".join(path.read_text("utf-8") for path in module.rglob("*") if path.suffix in CODE)
    calls = re.findall(r"""(?:\bt|TranslatableMarkup)\(('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", sources)
    texts = {ast.literal_eval(call.replace(r"\$", "$")) for call in calls}
    german = (module / "translations" / "auskunft.de.po").read_text("utf-8")
    assert len(texts) > 25
    assert {text for text in texts if f'msgid "{text}"' not in german} == {"Auskunft"}
