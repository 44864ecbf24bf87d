"""Whatever a CMS sends that is wrong, the answer is a 4xx problem that names the place; nothing is stored."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from tests.app.api.cms import SECRET, Cms, deleted, saved
from tests.app.api.test_bad_input import JSON, NESTED, assert_problem
from tests.fakes.databases import new_data

NOT_JSON: Final[dict[str, bytes]] = {
    "white space": b" \n",
    "a form": b"type=page.saved&id=1",
    "cut off": json.dumps(saved()).encode()[:-5],
    "two documents": json.dumps(saved()).encode() * 2,
    "XML": b"<event/>",
    "invalid UTF-8": b'{"type": "page.deleted", "id": "\xff"}',
    "UTF-16": json.dumps(deleted()).encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + json.dumps(deleted()).encode(),
    "a key twice": b'{"type": "page.deleted", "id": "a", "id": "b"}',
    "a NUL byte": b"\0",
    "a raw NUL in a string": b'{"type": "page.deleted", "id": "a\0b"}',
    "100,000 brackets": NESTED,
    "deep lists, closed": NESTED[:45_000] + b"]" * 45_000,
    "deep objects": b'{"a":' * 15_000 + b"1" + b"}" * 15_000,
    "deep lists in events": b'{"events":' + NESTED[:45_000] + b"]" * 45_000 + b"}",
    "a number too long": b'{"revision": ' + b"9" * 5_000 + b"}",
}

WRONG: Final[dict[str, tuple[Any, str]]] = {
    "null": (None, "body"),
    "a number": (5, "body"),
    "a string": ("page.saved", "body"),
    "a list": ([saved()], "body"),
    "an empty object": ({}, "type"),
    "no events": ({"events": []}, "events"),
    "events null": ({"events": None}, "events"),
    "events an object": ({"events": saved()}, "events"),
    "too many events": ({"events": [deleted("a")] * 501}, "events"),
    "events and more": ({"events": [saved()], "source": "town"}, "source"),
    "an event null": ({"events": [saved(), None]}, "events[1]"),
    "an event a list": ({"events": [[saved()]]}, "events[0]"),
    "an event without type": ({"events": [saved(), {"id": "a"}]}, "events[1].type"),
    "a type unknown": (saved(type="page.created"), "type"),
    "a type null": (saved(type=None), "type"),
    "a type a number": (saved(type=1), "type"),
    "a type a list": (saved(type=["page.saved"]), "type"),
    "a type huge": (saved(type="x" * 50_000), "type"),
    "an unknown field": ({"events": [saved(), saved(colour="red")]}, "events[1].colour"),
    "a dunder field": (saved(__class__="x"), "__class__"),
    "a field in capitals": (saved(Title="x"), "Title"),
    "xhtml": (saved(xhtml="<p/>"), "xhtml"),
    "new_id in a save": (saved(new_id="b"), "new_id"),
    "id missing": ({"events": [{"type": "page.deleted"}]}, "events[0].id"),
    "id null": (saved(None), "id"),
    "id empty": (saved(""), "id"),
    "id a boolean": (saved(True), "id"),
    "id a fraction": (saved(1.5), "id"),
    "id a list": (saved(["a"]), "id"),
    "id with NUL": (saved("a\0b"), "id"),
    "id with a line break": (saved("a\nb"), "id"),
    "id with a lone surrogate": (saved("a\ud800"), "id"),
    "id too long": (saved("a" * 513), "id"),
    "new id empty": (saved(type="page.moved", new_id=""), "new_id"),
    "new id with NUL": (saved(type="page.moved", new_id="\0"), "new_id"),
    "language missing": ({k: v for k, v in saved().items() if k != "language"}, "language"),
    "language null": (saved(language=None), "language"),
    "language empty": (saved(language=""), "language"),
    "language in capitals": (saved(language="EN"), "language"),
    "language with region": (saved(language="de-AT"), "language"),
    "language a word": (saved(language="german"), "language"),
    "language huge": (saved(language="e" * 50_000), "language"),
    "language an asterisk": (saved(language="*"), "language"),
    "language with a line break": (saved(language="en\n"), "language"),
    "language of a delete": (deleted(language="EN"), "language"),
    "revision negative": (saved(revision=-1), "revision"),
    "revision huge": (saved(revision=2**63), "revision"),
    "revision enormous": (deleted(revision=10**1_000), "revision"),
    "revision a fraction": (saved(revision=1.5), "revision"),
    "revision whole, but a fraction": (saved(revision=1.0), "revision"),
    "revision a string": (saved(revision="3"), "revision"),
    "revision a boolean": (saved(revision=True), "revision"),
    "url missing": ({k: v for k, v in saved().items() if k != "url"}, "url"),
    "url null": (saved(url=None), "url"),
    "url empty": (saved(url=""), "url"),
    "url relative": (saved(url="/tax"), "url"),
    "url without host": (saved(url="https:///tax"), "url"),
    "url a script": (saved(url="javascript:alert(1)"), "url"),
    "url a file": (saved(url="file:///etc/passwd"), "url"),
    "url with spaces": (saved(url="https://town.example/a b"), "url"),
    "url with a line break": (saved(url="https://town.example/\r\nx"), "url"),
    "url with NUL": (saved(url="https://town.example/\0"), "url"),
    "url with a surrogate": (saved(url="https://town.example/\ud800"), "url"),
    "url broken": (saved(url="https://[::1/x"), "url"),
    "url too long": (saved(url="https://town.example/" + "x" * 5_000), "url"),
    "title a number": (saved(title=5), "title"),
    "title a list": (saved(title=["a"]), "title"),
    "html an object": (saved(html={"p": "x"}), "html"),
    "html and text": ({"events": [saved(text="x")]}, "events[0]"),
    "keywords a number": (saved(keywords=5), "keywords"),
    "keywords of numbers": (saved(keywords=["a", 5]), "keywords[1]"),
    "updated a number": (saved(updated=1_700_000_000), "updated"),
    "updated no date": (saved(updated="yesterday"), "updated"),
    "updated without zone": (saved(updated="2026-03-31T12:00:00"), "updated"),
    "updated impossible": (saved(updated="2026-02-30T12:00:00Z"), "updated"),
    "publish_from a date alone": (saved(publish_from="2026-03-31"), "publish_from"),
    "publish_until empty": (saved(publish_until=""), "publish_until"),
    "republish a number": (saved(republish=1), "republish"),
    "republish a string": (saved(republish="yes"), "republish"),
    "republish null": (saved(republish=None), "republish"),
    "a move without fields": ({"type": "page.moved", "id": "a", "new_id": "b", "language": "en"}, "url"),
    "a save without fields and language": (
        {"events": [{"type": "page.saved", "id": "a"}]},
        "events[0].language",
    ),
    "a delete with a title": (deleted(title="x"), "title"),
    "a delete that is to be republished": (deleted(republish=True), "republish"),
}

BARE: Final[dict[str, Any]] = {"type": "page.saved", "id": "a", "language": "en", "revision": 3}


def assert_nothing_stored(cms: Cms) -> None:
    assert list(cms.services.page_list.records()) == []
    assert cms.services.store.watermark() == 0


def test_a_body_that_is_no_json_is_a_problem(subtests: pytest.Subtests, cms: Cms) -> None:
    for name, body in NOT_JSON.items():
        with subtests.test(name):
            assert assert_problem(cms.post(body))["status"] == 400
            assert_nothing_stored(cms)


def test_a_key_that_is_there_twice_is_named_with_its_event(cms: Cms) -> None:
    event = json.dumps(saved("p7"))[:-1] + ', "title": "one", "title": "two"}'
    problem = assert_problem(cms.post(f'{{"events": [{event}]}}'.encode()))
    assert problem["detail"].endswith(
        "key 'title' appears twice in the object with id 'p7': keep one of them"
    )


def test_wrong_events_are_a_problem_that_names_the_place(subtests: pytest.Subtests, cms: Cms) -> None:
    for name, (document, place) in WRONG.items():
        with subtests.test(name):
            response = cms.post(document)
            problem = assert_problem(response)
            assert problem["status"] == 422
            assert place in [field["field"] for field in problem["fields"]]
            assert len(response.data) < 10_000
            assert_nothing_stored(cms)


@pytest.mark.parametrize("others", [{}, {"republish": True}])
def test_a_page_without_fields_cannot_be_pulled(cms: Cms, others: dict[str, Any]) -> None:
    problem = assert_problem(cms.post({"events": [saved(), BARE | others]}))
    assert problem["status"] == 422
    assert problem["detail"] == "events[1]: this source cannot be pulled: send the fields"
    assert_nothing_stored(cms)


def test_all_wrong_places_are_named_but_not_thousands(cms: Cms) -> None:
    problem = assert_problem(cms.post({"events": [saved(5.5, language="x", title=1)]}))
    assert {field["field"] for field in problem["fields"]} == {
        "events[0].id",
        "events[0].language",
        "events[0].title",
    }
    many = assert_problem(cms.post({"events": [{"type": "page.deleted", "id": ""}] * 500}))
    assert len(many["fields"]) == 20


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/x-www-form-urlencoded", "text/json"])
def test_a_body_that_is_not_declared_as_json_is_refused(cms: Cms, content_type: str) -> None:
    assert assert_problem(cms.post(saved(), content_type=content_type))["status"] == 415
    assert_nothing_stored(cms)


def test_nothing_sent_is_a_problem(cms: Cms) -> None:
    assert assert_problem(cms.post(b""))["status"] == 411


def test_a_body_that_is_too_large_is_refused(cms: Cms) -> None:
    assert assert_problem(cms.post(saved(html="x" * 100_000)))["status"] == 413
    assert_nothing_stored(cms)
    assert cms.post(saved(html="x" * 90_000)).status_code == 202


def test_a_body_of_20_megabytes_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    for limit, status in ((None, 413), (30_000_000, 202)):
        own = {} if limit is None else {"max_event_bytes": limit}
        sources = {"town": {"secrets": [SECRET]}}
        with Services(
            load_settings(data=new_data(tmp_path), embedder="hashing", sources=sources, **own)
        ) as services:
            sender = Cms(create_app(services=services).test_client(), services)
            response = sender.post(saved(html="x" * 20_000_000), message_id=str(limit))
            assert response.status_code == status
            if limit is None:
                assert "larger than 10,000,000 bytes" in assert_problem(response)["detail"]
                assert_nothing_stored(sender)


@pytest.mark.parametrize("query", ["", "id=", "id=%00", "page=tax", "id=tax&language=en"])
def test_a_wrong_question_about_a_page_is_a_problem(cms: Cms, query: str) -> None:
    assert assert_problem(cms.client.get(f"/api/sources/town/pages?{query}"))["status"] == 422


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_events_are_only_posted(cms: Cms, method: str) -> None:
    response = cms.client.open("/api/sources/town/events", method=method)
    assert assert_problem(response)["status"] == 405


NAMES = st.sampled_from([*saved(), "revision", "republish", "new_id", "events", "updated"])


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    JSON | st.dictionaries(NAMES, JSON) | st.builds(lambda some: saved() | some, st.dictionaries(NAMES, JSON))
)
def test_no_json_document_breaks_anything(cms: Cms, document: Any) -> None:
    response = cms.post(document)
    if response.status_code != 202:
        assert_problem(response)
