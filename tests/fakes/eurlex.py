"""The Publications Office's repository and its list of consolidated texts, on loopback.

Replies have the shapes of real ones: a redirection to the text, validators, refusals of languages and
formats, SPARQL results in JSON. What it does wrong is switched on by its attributes.
"""

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from tests.fakes.loopback import LoopbackServer, QuietHandler

CHALLENGE: Final = (
    b"<!DOCTYPE html><html lang='en'><head><title></title><script>window.awsWafCookieDomainList = [];"
    b"window.gokuProps = {};</script><script src='/challenge.js'></script></head><body>"
    b"<div id='challenge-container'></div><noscript><h1>JavaScript is disabled</h1>In order to continue, we "
    b"need to verify that you're not a robot.</noscript></body></html>"
)


def shell(notice: str) -> bytes:
    """A page of the website: menus, a notice where the text would be, a footer."""
    menu = "".join(f"<li><a href='/{number}'>Menu entry {number}</a></li>" for number in range(100))
    return (
        "<!DOCTYPE html><html lang='en'><head><title>EUR-Lex - 32024R0001 - EN - EUR-Lex</title></head>"
        "<body>"
        f"<nav><ul>{menu}</ul></nav><div class='alert'>{notice}</div>"
        f"<footer>This site is managed by the Publications Office. Help pages</footer></body></html>"
    ).encode()


def oj_text(number: int, *articles: str, recitals: tuple[str, ...] = (), language: str = "EN") -> str:
    """The text of Regulation (EU) 2024/``number`` of 13 June 2024 as the Official Journal has it."""
    before = "".join(
        f'<div class="eli-subdivision" id="rct_{n}"><table><tbody><tr><td><p class="oj-normal">({n})</p></td>'
        f'<td><p class="oj-normal">{text}</p></td></tr></tbody></table></div>'
        for n, text in enumerate(recitals, start=1)
    )
    units = "".join(
        f'<div class="eli-subdivision" id="art_{n}"><p class="oj-ti-art">Article {n}</p>'
        f'<p class="oj-normal">{text}</p></div>'
        for n, text in enumerate(articles, start=1)
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head>
<meta http-equiv="content-type" content="text/html; charset=utf-8"/>
<title>L_2024{number:04}{language}.xml</title>
</head><body>
<table><tbody><tr><td><p class="oj-hd-date">12.7.2024</p></td><td><p class="oj-hd-lg">{language}</p></td>
<td><p class="oj-hd-ti">Official Journal of the European Union</p></td></tr></tbody></table>
<div class="eli-container"><div class="eli-main-title" id="tit_1">
<p class="oj-doc-ti">REGULATION (EU) 2024/{number} OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL</p>
<p class="oj-doc-ti">of 13 June 2024</p><p class="oj-doc-ti">on the keeping of lighthouses</p></div>
<div class="eli-subdivision" id="pbl_1"><p class="oj-normal">Whereas:</p>{before}
<p class="oj-normal">HAVE ADOPTED THIS REGULATION:</p></div>
<div class="eli-subdivision" id="enc_1">{units}</div>
<div class="eli-subdivision" id="fnp_1"><div class="oj-final">
<p class="oj-normal">This Regulation shall be binding in its entirety.</p>
<p class="oj-normal">Done at Brussels, 13 June 2024.</p></div></div></div></body></html>"""


def consolidated_text(number: int, day: str, *articles: str) -> str:
    """The same, consolidated as of ``day`` (``27.07.2026``)."""
    units = "".join(
        f'<div class="eli-subdivision" id="art_{n}"><p class="title-article-norm">Article {n}</p>'
        f'<p class="norm">{text}</p></div>'
        for n, text in enumerate(articles, start=1)
    )
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML//EN" "xhtml-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8"/>
<title>Consolidated TEXT: 32024R{number:04} — EN — {day}</title></head><body>
<p class="reference">02024R{number:04} — EN — {day} — 001.001</p>
<p class="disclaimer">This text is meant purely as a documentation tool and has no legal effect.</p>
<div class="eli-container"><div class="eli-main-title">
<p class="title-doc-first">REGULATION (EU) 2024/{number} OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL</p>
<p class="title-doc-first">of 13 June 2024</p>
<p class="title-doc-last">on the keeping of lighthouses</p></div>
<p class="norm">HAVE ADOPTED THIS REGULATION:</p>{units}</div></body></html>"""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Sent instead of what is right."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class FakeEurlex(LoopbackServer):
    """The server; use as a context manager.

    ``subjects``: the acts on each subject or code, and for ``query`` those of any other query.
    ``texts``: by CELEX number and language; ``wrong``: answers in turn to a CELEX number (``sparql`` for the
    list), the last one for good; ``requests``: what was asked for, with its headers in small letters;
    ``whole``: texts that were sent; ``queries``: what the list was asked with.
    """

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.texts: dict[tuple[str, str], str] = {}
        self.subjects: dict[str, list[str]] = {}
        self.wrong: dict[str, list[Answer]] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.whole: list[str] = []
        self.queries: list[str] = []

    @property
    def url(self) -> str:
        """Its address."""
        return self.address

    def options(self, **others: Any) -> dict[str, Any]:
        """What a source of it is made with."""
        addresses = {"text_url": f"{self.url}/resource/celex/{{celex}}", "versions_url": f"{self.url}/sparql"}
        return {**addresses, "per_second": 1000, **others}

    def asked(self) -> list[str]:
        """The paths of the texts that were asked for, and ``sparql``."""
        return [path.rpartition("/")[2] for path, _ in self.requests if not path.startswith("/cellar/")]

    def answer(self, path: str, query: dict[str, list[str]], headers: dict[str, str]) -> Answer:
        """What is right, or else what is ``wrong``."""
        celex = unquote(path.rpartition("/")[2])
        language = headers.get("accept-language", "")
        if not path.startswith("/cellar/") and (wrong := self.wrong.get(celex)):
            return wrong.pop(0) if len(wrong) > 1 else wrong[0]
        if celex == "sparql":
            self.queries.append(query["query"][0])
            return self._versions(query["query"][0])
        if path.startswith("/cellar/"):
            return self._text(self.texts[celex, language], celex, headers)
        if not any(known == celex for known, _ in self.texts):
            return Answer(status=404)
        if (celex, language) not in self.texts:
            return Answer(status=406)
        return Answer(status=303, headers={"Location": f"/cellar/{path.rpartition('/')[2]}"})

    def _text(self, text: str, celex: str, headers: dict[str, str]) -> Answer:
        etag = f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"'
        if headers.get("if-none-match") == etag:
            return Answer(status=304)
        self.whole.append(celex)
        kind = {"Content-Type": "application/xhtml+xml;charset=UTF-8", "ETag": etag}
        return Answer(body=text.encode(), headers=kind)

    def _versions(self, query: str) -> Answer:
        if "LIMIT" in query:
            return self._acts(query)
        act = re.search(r"resource/celex/3(\w+)>", query)
        language = re.search(r"authority/language/(\w{3})>", query)
        assert act and language
        found = [
            celex
            for celex, known in self.texts
            if celex.startswith(f"0{act[1]}-") and known == language[1].lower()
        ]
        return self._results(found)

    def _acts(self, query: str) -> Answer:
        """What comes behind the last one, as the query says; the server sorts no more than 10,000 rows."""
        named = re.findall(r"eurovoc\.europa\.eu/(\w+)>", query) + re.findall(r', "(\d+)"\)', query)
        after = re.search(r'FILTER\(STR\(\?celex\) > "([^"]*)"\)', query)
        limit = re.search(r"LIMIT (\d+)\Z", query)
        assert after and limit and "OFFSET" not in query
        found = {celex for name in named or ["query"] for celex in self.subjects.get(name, ())}
        return self._results(sorted(celex for celex in found if celex > after[1])[: int(limit[1])])

    def _results(self, found: list[str]) -> Answer:
        bindings = [{"celex": {"type": "literal", "value": celex}} for celex in found]
        document = {"head": {"vars": ["celex"]}, "results": {"bindings": bindings}}
        kind = {"Content-Type": "application/sparql-results+json"}
        return Answer(body=json.dumps(document).encode(), headers=kind)


class _Handler(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802 - http.server names it
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.fake.requests.append((parts.path, headers))
        answer = self.server.fake.answer(parts.path, parse_qs(parts.query), headers)
        self.send_response(answer.status)
        for name, value in ({"Content-Type": "text/html"} | answer.headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)
