"""Bytes that are hardly HTTP, sent to the real server: refused or dropped, never a failure."""

import gzip
import json
from collections.abc import Iterator
from typing import Final

import pytest

from app.settings.settings import Settings
from tests.attacks.server import Server, chat_request, serving, status_of
from tests.attacks.sites import QUESTION, TOKEN
from tests.fakes.llm import FakeLlm

BODY: Final = json.dumps({"question": QUESTION}).encode()
HOST: Final = b"Host: chat.example\r\n"
END: Final = b"Connection: close\r\n\r\n"


def post(*headers: bytes, body: bytes = b"") -> bytes:
    lines = (b"Content-Type: application/json", *headers)
    return b"POST /api/chat?site=town HTTP/1.1\r\n" + HOST + b"".join(h + b"\r\n" for h in lines) + END + body


def get(path: bytes, *headers: bytes, version: bytes = b"HTTP/1.1") -> bytes:
    return b"GET %b %b\r\n" % (path, version) + HOST + b"".join(h + b"\r\n" for h in headers) + END


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + end


CHUNKED: Final = b"Transfer-Encoding: chunked"

REFUSED: Final[dict[str, bytes]] = {
    "a long path": get(b"/" + b"x" * 100_000),
    "a long query": get(b"/api/search?site=town&q=" + b"x" * 100_000),
    "a query of many names": get(b"/api/site?" + b"&".join(b"a%d=1" % n for n in range(1_000))),
    "a long header": get(b"/api/site?site=town", b"X-Long: " + b"x" * 100_000),
    "many headers": get(b"/api/site?site=town", *(b"X-%d: 1" % n for n in range(5_000))),
    "many hops": get(b"/api/site?site=nowhere", b"X-Forwarded-For: " + b"10.0.0.1, " * 500),
    "a long cookie": get(b"/api/site?site=nowhere", b"Cookie: " + b"a=b; " * 1_000),
    "a method in small letters": b"get /api/site?site=town HTTP/1.1\r\n" + HOST + END,
    "a method with a space": b"GE T /api/site HTTP/1.1\r\n" + HOST + END,
    "a long method": b"X" * 5_000 + b" / HTTP/1.1\r\n" + HOST + END,
    "no version": b"GET /api/nothing\r\n\r\n",
    "version 0.9": get(b"/api/nothing", version=b"HTTP/0.9"),
    "version 3": get(b"/api/site?site=town", version=b"HTTP/3.0"),
    "a version of letters": get(b"/api/site?site=town", version=b"HTTP/x.y"),
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(50),
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500) + b"\r\n\r\n",
    "bytes": bytes(range(256)) * 8 + b"\r\n\r\n",
    "NUL": bytes(1_000) + b"\r\n\r\n",
    "a path without a slash": get(b"api/site"),
    "an asterisk": get(b"*"),
    "another server": get(b"http://evil.example/api/nothing"),
    "two slashes": get(b"//evil.example/api/site?site=town"),
    "dots": get(b"/static/../../../../etc/passwd"),
    "encoded dots": get(b"/static/%2e%2e/%2e%2e/settings.py"),
    "encoded slashes": get(b"/static/..%2f..%2fsettings.py"),
    "backslashes": get(b"/static/..\\..\\settings.py"),
    "an absolute path": get(b"/static//etc/passwd"),
    "NUL in the path": get(b"/static/page.css%00.html"),
    "a raw NUL in the path": get(b"/api/\0site"),
    "raw bytes in the path": get(b"/api/\xff\xfe"),
    "a raw space in the path": get(b"/api/site ?site=town"),
    "a fragment": get(b"/api/nothing#x"),
    "a header without a colon": get(b"/api/site?site=town", b"nonsense"),
    "a space before the colon": get(b"/api/site?site=town", b"X-A : 1"),
    "a header with NUL": get(b"/api/site?site=town", b"X-A: a\0b"),
    "a header with a lone return": get(b"/api/site?site=town", b"X-A: a\rb"),
    "a folded header": get(b"/api/site?site=town", b"X-A: a", b" b"),
    "a header without a name": get(b"/api/site?site=town", b": x"),
    "a length below zero": post(b"Content-Length: -1", body=BODY),
    "a length of letters": post(b"Content-Length: many", body=BODY),
    "a length with a sign": post(b"Content-Length: +%d" % len(BODY), body=BODY),
    "a length in hexadecimals": post(b"Content-Length: 0x10", body=BODY),
    "two lengths": post(b"Content-Length: 5", b"Content-Length: %d" % len(BODY), body=BODY),
    "a list of lengths": post(b"Content-Length: 5, 5", body=BODY),
    "a huge length": post(b"Content-Length: " + b"9" * 30, body=BODY),
    "a length too long for a number": post(b"Content-Length: " + b"9" * 5_000, body=BODY),
    "too large": post(b"Content-Length: 70000", body=b"x" * 70_000),
    "no length": post(body=BODY),
    "no type": b"POST /api/chat?site=town HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n" + END + b"{}",
    "a length and chunks": post(b"Content-Length: 5", CHUNKED, body=chunked(BODY)),
    "chunks": post(CHUNKED, body=chunked(BODY[:5], BODY[5:])),
    "chunks without an end": post(CHUNKED, body=chunked(BODY, end=b"")),
    "no chunks": post(CHUNKED, body=BODY),
    "a chunk with a wrong size": post(CHUNKED, body=b"zz\r\n{}\r\n0\r\n\r\n"),
    "a chunk below zero": post(CHUNKED, body=b"-5\r\n{}\r\n0\r\n\r\n"),
    "a huge chunk": post(CHUNKED, body=b"f" * 16 + b"\r\n{}\r\n0\r\n\r\n"),
    "many tiny chunks": post(CHUNKED, body=chunked(*[b"["] * 10_000)),
    "chunks with trailers": post(CHUNKED, body=chunked(BODY, end=b"0\r\nX-A: 1\r\n\r\n")),
    "chunks twice": post(CHUNKED, CHUNKED, body=chunked(BODY)),
    "a compressed body": post(
        b"Content-Encoding: gzip",
        b"Content-Length: %d" % len(gzip.compress(BODY, mtime=0)),
        body=gzip.compress(BODY, mtime=0),
    ),
    "brackets": post(b"Content-Length: 60000", body=b"[" * 60_000),
    "a form": b"POST /chat?site=town HTTP/1.1\r\n" + HOST + CHUNKED + b"\r\n" + END + chunked(b"q="),
    "parts without an end": (
        b"POST /chat?site=town HTTP/1.1\r\n"
        + HOST
        + b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 60000\r\n"
        + END
        + b"--x\r\nContent-Disposition: form-data; name=q\r\n\r\n".ljust(60_000, b" ")
    ),
    "many parts": (
        b"POST /chat?site=town HTTP/1.1\r\n"
        + HOST
        + b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 60000\r\n"
        + END
        + (b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" * 1_200)[:60_000]
    ),
    "an expectation": post(b"Expect: a miracle", b"Content-Length: 2", body=b"{}"),
    "another origin": get(b"/api/site?site=town", b"Origin: https://evil.example"),
    "two origins": get(b"/api/site?site=town", b"Origin: https://a.example", b"Origin: https://b.example"),
    "raw bytes as a token": get(b"/api/admin/reindex", b"Authorization: Bearer \xff\xfe"),
}
"""Requests that get a 4xx, or nothing at all."""

CUT_OFF: Final[dict[str, bytes]] = {
    "a line that does not end": b"GET /api/si",
    "headers that do not end": b"GET /api/site?site=town HTTP/1.1\r\nHost: chat",
    "a body that does not end": post(b"Content-Length: 500", body=BODY[:-1]),
    "chunks that do not end": post(CHUNKED, body=b"ff\r\n" + BODY),
}
"""What comes before the client closes its half of the connection."""


@pytest.fixture(scope="module")
def server(installed: Settings) -> Iterator[Server]:
    with FakeLlm() as llm, serving(settings_of(installed, llm)) as running:
        yield running
        assert not [line for line in running.log if "Traceback" in line]


def settings_of(installed: Settings, llm: FakeLlm, **update: object) -> dict[str, object]:
    chat = {"base_url": llm.base_url, "model": "fake"}
    sites = [site.model_dump() for site in installed.sites]
    fixed = {"data": str(installed.data), "embedder": "hashing", "host": "127.0.0.1", "port": 0}
    named = {"public_url": "http://chat.example"}
    return {**fixed, **named, "admin_token": TOKEN, "sites": sites, "chat": chat, **update}


def well(server: Server) -> bool:
    return status_of(server.ask(get(b"/healthz"))) == 200


@pytest.mark.parametrize("request_bytes", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_hardly_http_is_refused(server: Server, request_bytes: bytes) -> None:
    response = server.ask(request_bytes, half_closed=True)
    assert status_of(response) == 0 or 400 <= status_of(response) < 500, response[:200]
    assert b"Traceback" not in response
    assert b"evil.example" not in response.partition(b"\r\n\r\n")[0]
    assert well(server)


@pytest.mark.parametrize("request_bytes", CUT_OFF.values(), ids=CUT_OFF.keys())
def test_what_is_cut_off_is_dropped(server: Server, request_bytes: bytes) -> None:
    response = server.ask(request_bytes, half_closed=True)
    assert status_of(response) == 0 or 400 <= status_of(response) < 500, response[:200]
    assert well(server)


@pytest.mark.parametrize("coding", [b"xchunked", b"gzip, chunked"])
def test_an_unknown_transfer_coding_is_not_implemented(server: Server, coding: bytes) -> None:
    assert status_of(server.ask(post(b"Transfer-Encoding: " + coding, body=chunked(BODY)))) == 501
    assert well(server)


def test_a_second_request_hidden_in_a_body_is_not_answered(server: Server) -> None:
    hidden = get(b"/api/site?site=town")
    response = server.ask(post(b"Content-Length: 4", CHUNKED, body=b"0\r\n\r\n" + hidden))
    assert response.count(b"HTTP/1.1 ") <= 1
    assert b'"key"' not in response


def test_a_question_is_answered_after_all_that(server: Server) -> None:
    assert b"event: done" in server.ask(chat_request(QUESTION))
