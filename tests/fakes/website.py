"""A website on loopback whose pages are given by a dictionary, or made as they are asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from tests.fakes.loopback import LoopbackServer, QuietHandler


@dataclass(slots=True)
class Answer:
    """What is at an address."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})


class FakeWebsite(LoopbackServer):
    """``answers``: what is at each path with its query; elsewhere what ``otherwise`` makes, 404 unless it is
    set. ``requests``: the paths that were asked for, with the status that came back. ``outage``: everything
    answers 503."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.clear()

    def clear(self) -> None:
        """Take everything off the website, and forget what was asked for."""
        self.answers: dict[str, Answer] = {}
        self.requests: list[tuple[str, int]] = []
        self.outage = False
        self.otherwise: Callable[[str], Answer] = lambda _path: Answer(b"nothing here", 404)

    def page(self, path: str, text: str, *links: str, head: str = "") -> None:
        """Put a page at ``path``."""
        self.answers[path] = made(path, text, *links, head=head)

    def redirect(self, path: str, target: str, status: int = 301) -> None:
        """Let ``path`` lead to ``target``."""
        self.answers[path] = Answer(status=status, headers={"Location": target})


def made(path: str, text: str, *links: str, head: str = "", language: str = "en") -> Answer:
    """Return a page with ``text`` that leads to ``links``."""
    leads = "".join(f'<a href="{link}">{link}</a>' for link in links)
    start = f"<html lang='{language}'><head><title>{path}</title>{head}</head><body><nav>{leads}</nav>"
    return Answer(f"{start}<main>{text}</main>".encode())


class _Handler(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802
        site: FakeWebsite = self.server.fake
        answer = site.answers.get(self.path) or site.otherwise(self.path)
        answer = Answer(status=503) if site.outage else answer
        tag = f'"{sha256(answer.body).hexdigest()[:16]}"'
        same = answer.status == 200 and self.headers.get("If-None-Match") == tag
        body, status = (b"", 304) if same else (answer.body, answer.status)
        site.requests.append((self.path, status))
        self.send_response(status)
        for name, value in (answer.headers | {"ETag": tag, "Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
