"""Fetching from servers that behave, that are slow, busy or broken, and that mean harm."""

import gzip
import threading
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.errors import BlockedAddressError, FetchError, GoneError, SourceUnavailableError
from ingest.fetching.pacing import Pacer, retry_after
from ingest.fetching.validators import Validators
from tests.fakes.scripted_server import ScriptedServer, redirect, reply
from tests.ingest.fetching.conftest import JSON, Names, fetcher

MEGABYTE = 1_000_000


def test_a_page_comes_with_its_address_type_and_validators(server: ScriptedServer) -> None:
    server.script(reply(b"{}", Content_Type="Application/JSON; charset=utf-8", ETag='"7"', Last_Modified="x"))
    fetched = fetcher().get(server.url("/a?b=%20c#d"), accept=JSON)
    assert (fetched.url, fetched.body, fetched.media_type) == (server.url("/a?b=%20c"), b"{}", JSON[0])
    assert fetched.validators == Validators(etag='"7"', last_modified="x", url=server.url("/a?b=%20c"))


def test_a_request_names_the_product_and_carries_nothing_else(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    server.script(reply(Set_Cookie="a=b"), reply())
    client = fetcher()
    client.get(server.url(), accept=JSON)
    client.get(server.url(), accept=JSON)
    expected = [
        "GET / HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        "User-Agent: Auskunft",
        "Accept: application/json",
        "Accept-Encoding: gzip",
    ]
    assert server.requests == [expected, expected]


def test_the_token_goes_to_the_asked_origin_alone(server: ScriptedServer) -> None:
    with ScriptedServer() as other:
        server.script(redirect("/moved"), redirect(other.url("/elsewhere")))
        other.script(reply())
        fetcher().get(server.url(), accept=JSON, token="hush")
        assert ["Authorization: Bearer hush" in request for request in server.requests] == [True, True]
        assert not any("hush" in line for request in other.requests for line in request)


def test_an_unchanged_page_is_told_by_its_validators(server: ScriptedServer) -> None:
    server.script(reply(b"", "304 Not Modified"), reply(b"[1]"))
    known = Validators(etag='"7"', last_modified="Sat, 21 Nov 2026 12:00:00 GMT")
    client = fetcher()
    assert client.get_if_changed(server.url(), known, accept=JSON) is None
    assert {'If-None-Match: "7"', f"If-Modified-Since: {known.last_modified}"} <= set(server.requests[0])
    changed = client.get_if_changed(server.url(), known, accept=JSON)
    assert changed is not None
    assert changed.body == b"[1]"


def test_validators_of_another_address_are_not_sent(server: ScriptedServer) -> None:
    server.script(reply(ETag='"7"'), reply(), reply(b"", "304 Not Modified"))
    client = fetcher()
    known = client.get(server.url("/old"), accept=JSON).validators
    assert client.get_if_changed(server.url("/new"), known, accept=JSON) is not None
    assert client.get_if_changed(server.url("/old"), known, accept=JSON) is None
    assert ['If-None-Match: "7"' in request for request in server.requests] == [False, False, True]


def test_a_language_may_be_asked_for(server: ScriptedServer) -> None:
    server.script(reply())
    fetcher().get_if_changed(server.url(), Validators(), accept=JSON, language="deu")
    assert "Accept-Language: deu" in server.requests[0]


def test_an_address_may_have_limits_of_its_own(server: ScriptedServer) -> None:
    server.script(reply(b"[" * 30), reply(b"[" * 30))
    waits: list[float] = []
    client = fetcher(waits=waits, max_bytes=20)
    first = client.get_if_changed(server.url(), Validators(), accept=JSON, max_bytes=40, per_second=0.01)
    assert first is not None
    with pytest.raises(FetchError, match="more than the 20 bytes"):
        client.get_if_changed(server.url(), Validators(), accept=JSON, per_second=0.01)
    assert len(waits) == 1
    assert 90 < waits[0] <= 100


def test_a_status_that_is_of_no_use_is_told(server: ScriptedServer) -> None:
    server.script(reply(b"", "202 Accepted"))
    with pytest.raises(FetchError) as error:
        fetcher().get(server.url(), accept=JSON)
    assert error.value.http_status == 202


def test_a_reply_304_that_nobody_asked_for_is_an_error(server: ScriptedServer) -> None:
    server.script(reply(b"", "304 Not Modified"))
    with pytest.raises(FetchError, match="304 to an unconditional request"):
        fetcher().get(server.url(), accept=JSON)


@pytest.mark.parametrize("status", ["404 Not Found", "410 Gone"])
def test_a_page_that_is_not_there_is_gone_at_once(server: ScriptedServer, status: str) -> None:
    server.script(reply(b"x", status))
    with pytest.raises(GoneError, match=status[:3]):
        fetcher().get(server.url(), accept=JSON)
    assert server.connections == 1


@pytest.mark.parametrize("status", ["400 Bad", "401 No", "403 No", "405 No", "204 Empty", "206 Part"])
def test_a_refusal_is_not_asked_again(server: ScriptedServer, status: str) -> None:
    server.script(reply(b"", status))
    with pytest.raises(FetchError, match=status[:3]) as refusal:
        fetcher().get(server.url(), accept=JSON)
    assert refusal.value.reason == "invalid"
    assert ("check the token" in str(refusal.value)) == (status[:3] in ("401", "403"))
    assert server.connections == 1


@pytest.mark.parametrize("status", ["408 Slow", "429 Busy", "500 Broken", "502 Bad", "503 Busy", "504 Slow"])
def test_a_passing_fault_is_asked_again_after_ever_longer_waits(server: ScriptedServer, status: str) -> None:
    waits: list[float] = []
    server.script(reply(b"", status), reply(b"", status), reply(b"[]"))
    assert fetcher(waits=waits).get(server.url(), accept=JSON).body == b"[]"
    assert waits == [0.5, 1.0]
    server.script(*[reply(b"", status)] * 9)
    with pytest.raises(SourceUnavailableError, match=status[:3]):
        fetcher().get(server.url(), accept=JSON)
    assert server.connections == 6


def test_retry_after_is_kept_where_it_fits_in_and_told_where_not(server: ScriptedServer) -> None:
    waits: list[float] = []
    server.script(reply(b"", "429 Busy", Retry_After="7"), reply())
    fetcher(waits=waits).get(server.url(), accept=JSON)
    assert waits == [7.0]
    server.script(reply(b"", "503 Busy", Retry_After="3600"))
    with pytest.raises(SourceUnavailableError) as refusal:
        fetcher(waits=waits).get(server.url(), accept=JSON)
    assert refusal.value.retry_seconds == 3600
    assert waits == [7.0]


@pytest.mark.parametrize(
    ("value", "seconds"), [("0", 0), ("120", 120), ("", None), ("soon", None), ("-5", None), ("1.5", None)]
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert retry_after(value, datetime.now(UTC)) == seconds


def test_retry_after_as_a_date() -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert retry_after(format_datetime(now + timedelta(seconds=90), usegmt=True), now) == 90
    assert retry_after(format_datetime(now - timedelta(seconds=90), usegmt=True), now) == 0


PARTS = st.sampled_from(
    ["Mon, ", "01 ", "Jan ", "2026 ", f"{10**20} ", "00:00:00 ", "9:", "GMT", f"+{10**20}", "-9999", "+2359"]
)


@given(value=st.lists(PARTS | st.text(max_size=4), max_size=8).map("".join))
@example(value="Mon, 01 Jan 99999999999999999999 00:00:00 GMT")
@example(value="Mon, 01 Jan 2027 00:00:00 +999999999999999999999")
@example(value="Mon, 01 Jan 0001 00:00:00 +2359")
@example(value="9" * 5_000)
def test_retry_after_of_any_kind_is_seconds_or_nothing(value: str) -> None:
    seconds = retry_after(value, datetime.now(UTC))
    assert seconds is None or 0 <= seconds < 1e12


def test_a_date_that_no_calendar_has_is_no_more_than_a_busy_server(server: ScriptedServer) -> None:
    waits: list[float] = []
    server.script(reply(b"", "503 Busy", Retry_After=f"Mon, 01 Jan {10**19} 00:00:00 GMT"), reply())
    assert fetcher(waits=waits).get(server.url(), accept=JSON).body == b"{}"
    assert waits == [0.5]


@pytest.mark.parametrize("digits", [19, 5_000])
def test_a_length_beyond_all_bounds_is_an_error_in_words(server: ScriptedServer, digits: int) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {'9' * digits}\r\n\r\n"
    server.script(*[[head.encode()]] * 3)
    with pytest.raises((FetchError, SourceUnavailableError)):
        fetcher().get(server.url(), accept=JSON)


def test_requests_to_one_host_are_spaced_evenly_and_other_hosts_do_not_wait() -> None:
    waits: list[float] = []
    pacer = Pacer(0.001, waits.append)
    for host in (b"a", b"a", b"b", b"a"):
        pacer.wait(host)
    assert [round(wait, -2) for wait in waits] == [1000, 2000]


def test_redirects_are_followed_up_to_the_fifth(server: ScriptedServer) -> None:
    server.script(*[redirect(f"/{n}", "301 Moved") for n in range(5)], reply())
    assert fetcher().get(server.url(), accept=JSON).url == server.url("/4")
    server.script(*[redirect("/round") for _ in range(9)])
    with pytest.raises(FetchError, match="redirects more than 5 times"):
        fetcher().get(server.url(), accept=JSON)
    assert server.connections == 12


@pytest.mark.parametrize("pieces", [[b"", b""], [b"\0"], [b"HTTP/9 x\r\n\r\n"], [b"garbage\r\n" * 99]])
def test_what_is_not_http_is_a_passing_fault(server: ScriptedServer, pieces: list[bytes]) -> None:
    server.script(*[pieces] * 3)
    with pytest.raises(SourceUnavailableError):
        fetcher().get(server.url(), accept=JSON)


def test_a_server_that_is_not_there_is_a_passing_fault() -> None:
    with ScriptedServer() as server:
        url = server.url()
    with pytest.raises(SourceUnavailableError, match="cannot be reached"):
        fetcher().get(url, accept=JSON)
    with pytest.raises(SourceUnavailableError, match="cannot be resolved"):
        fetcher(resolve=Names({})).get("http://nowhere.example/", accept=JSON)


def test_all_addresses_of_a_host_are_tried_until_one_answers(server: ScriptedServer) -> None:
    server.script(reply())
    names = Names({"cms.example": ["127.0.0.9", "127.0.0.1"]})
    fetcher(("127.0.0.0/8",), resolve=names).get(server.url(host="cms.example"), accept=JSON)
    assert server.connections == 1


@pytest.mark.parametrize("length", ["3", "1000000"])
def test_a_body_shorter_than_announced_is_never_taken_for_whole(server: ScriptedServer, length: str) -> None:
    server.script(*[reply(b"{}", Content_Length=length)] * 3)
    with pytest.raises(SourceUnavailableError):
        fetcher().get(server.url(), accept=JSON)
    assert server.connections == 3


def test_a_chunked_body_that_breaks_off_is_never_taken_for_whole(server: ScriptedServer) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    server.script(*[[head + b"2\r\n{}\r\n"]] * 3, [head + b"2\r\n{}\r\n0\r\n\r\n"])
    with pytest.raises(SourceUnavailableError):
        fetcher().get(server.url(), accept=JSON)
    assert fetcher().get(server.url(), accept=JSON).body == b"{}"


def test_a_large_body_is_refused_by_its_announced_length_and_while_it_comes(server: ScriptedServer) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
    sent: list[int] = []

    def endless(closing: threading.Event) -> Iterator[bytes]:
        yield head
        while not closing.is_set():
            sent.append(len(sent))
            yield b"x" * 10_000

    server.script(reply(b"", Content_Length="1000001"), endless)
    for _ in range(2):
        with pytest.raises(FetchError, match="1,000,000 bytes") as refusal:
            fetcher(max_bytes=MEGABYTE).get(server.url(), accept=JSON)
        assert refusal.value.reason == "too_large"
    assert len(sent) < 10_000


def test_packed_bodies_are_unpacked_up_to_the_limit(server: ScriptedServer) -> None:
    small, bomb = gzip.compress(b"[1]"), gzip.compress(bytes(100 * MEGABYTE))
    assert len(bomb) < MEGABYTE
    server.script(reply(small, Content_Encoding="gzip"), reply(bomb, Content_Encoding="x-gzip"))
    client = fetcher(max_bytes=MEGABYTE)
    assert client.get(server.url(), accept=JSON).body == b"[1]"
    tracemalloc.start()
    with pytest.raises(FetchError, match="1,000,000 bytes"):
        client.get(server.url(), accept=JSON)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * MEGABYTE


@pytest.mark.parametrize(
    ("body", "encoding", "complaint"),
    [
        (gzip.compress(b"[1]", mtime=0)[:-3], "gzip", "incomplete gzip"),
        (b"no gzip", "gzip", "damaged gzip"),
        (gzip.compress(gzip.compress(b"[1]", mtime=0), mtime=0), "gzip, gzip", "only gzip is supported"),
        (b"x", "br", "only gzip is supported"),
    ],
)
def test_packing_that_is_damaged_or_was_not_asked_for_is_refused(
    server: ScriptedServer, body: bytes, encoding: str, complaint: str
) -> None:
    server.script(reply(body, Content_Encoding=encoding))
    with pytest.raises(FetchError, match=complaint):
        fetcher().get(server.url(), accept=JSON)
    assert server.connections == 1


@pytest.mark.parametrize("content_type", ["text/html", "", "application/jsonp", "text/a; application/json"])
def test_another_media_type_is_refused(server: ScriptedServer, content_type: str) -> None:
    server.script(reply(Content_Type=content_type))
    with pytest.raises(FetchError, match="application/json is read") as refusal:
        fetcher().get(server.url(), accept=JSON)
    assert refusal.value.reason == "unsupported"


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\nX: ", HEAD], ids=["silent", "headers", "body"])
def test_a_server_that_drips_is_left_when_the_time_is_up(server: ScriptedServer, start: bytes) -> None:
    def drip(closing: threading.Event) -> Iterator[bytes]:
        yield start
        while not closing.wait(0.005):
            yield b"x" if start else b""

    server.script(drip)
    with pytest.raises(SourceUnavailableError, match="does not answer in time"):
        fetcher(total_seconds=0.3, read_seconds=600, attempts=9).get(server.url(), accept=JSON)


def test_headers_without_end_are_a_passing_fault(server: ScriptedServer) -> None:
    server.script(*[[b"HTTP/1.1 200 OK\r\n" + b"X: " + b"x" * 300_000]] * 3)
    with pytest.raises(SourceUnavailableError):
        fetcher().get(server.url(), accept=JSON)


@pytest.mark.parametrize("header", ["Content-Length: 2\r\nContent-Length: 3", "Content-Length: x", "Bare"])
def test_contradictory_headers_are_a_passing_fault(server: ScriptedServer, header: str) -> None:
    raw = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{header}\r\n\r\n{{}}".encode()
    server.script(*[[raw]] * 3)
    with pytest.raises(SourceUnavailableError):
        fetcher().get(server.url(), accept=JSON)


def test_messages_tell_neither_query_nor_password(server: ScriptedServer) -> None:
    server.script(reply(b"", "400 Bad"))
    with pytest.raises(FetchError) as refusal:
        fetcher().get(server.url("/a?key=hush"), accept=JSON)
    with pytest.raises(BlockedAddressError) as blocked:
        fetcher().get("http://eva:hush@cms.example/x", accept=JSON)
    assert "hush" not in f"{refusal.value} {blocked.value}"
