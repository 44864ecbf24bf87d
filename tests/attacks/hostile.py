"""An installation whose pages and settings are hostile, served to a real browser."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.request import Request, urlopen

from werkzeug.serving import make_server

from app import create_app
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from ingest.text import visible
from ingest.types import FieldName, MediaType, PageRef, RawField, RawPage, Save
from tests.app.api.events import parse
from tests.attacks.payloads import ADDRESSES, PAYLOADS, Payload
from tests.fakes.databases import new_data
from tests.fakes.llm import FakeLlm

TOKEN: Final = "0f" * 32
TOWN: Final = "https://www.otterfurt.example"
QUESTION: Final = "Was kostet die Hundesteuer im Jahr?"
DOG_TAX: Final = f"{TOWN}/dog-tax"
DOG_TAX_TEXT: Final = "Die Hundesteuer beträgt 96 Euro im Jahr für den ersten Hund. Assistenzhunde sind frei."
UNKNOWN: Final = "xyzzy plugh frobnitz"
"""Words that no page holds."""

VARIANTS: Final[Mapping[str, Callable[[str], tuple[MediaType, str]]]] = {
    "Markdown": lambda text: ("text/markdown", text),
    "HTML": lambda text: ("text/html", f"<p>{text}</p>"),
    "HTML that shows it": lambda text: ("text/html", f"<p>{escape(text)}</p>"),
}
"""How a text stands in a page: its media type, and what the page holds."""

PER_PAGE: Final = 4
PER_ANSWER: Final = 3
"""Pages that an answer without a model quotes."""

CONTEXT_TOKENS: Final = 32_000
ANSWER_TOKENS: Final = 10_000
"""Room for all payloads in one answer."""

QUESTION_CHARACTERS: Final = 2_000
COMMENT_CHARACTERS: Final = 1_000
NAME_CHARACTERS: Final = 100
EXAMPLE_CHARACTERS: Final = 200
EXAMPLES: Final = 6


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """``address``: the service's. Sites: ``demo`` (the demo's, whose contact is hostile) and one for each of
    ``named``, with a name and examples."""

    address: str
    named: tuple[SiteSettings, ...]

    def ask(self, question: str, conversation: str | None = None) -> tuple[str, str]:
        """The ids of the answer and its conversation, when it is there."""
        body = {"question": question} | ({"conversation": conversation} if conversation else {})
        started = parse(self._post("/api/chat?site=demo", body))[0][1]
        return started["answer"], started["conversation"]

    def comment(self, answer: str, comment: str) -> None:
        self._post("/api/feedback?site=demo", {"answer": answer, "rating": "down", "comment": comment})

    def _post(self, path: str, body: dict[str, Any]) -> str:
        headers = {"Content-Type": "application/json"}
        with urlopen(Request(self.address + path, json.dumps(body).encode(), headers)) as response:
            return str(response.read().decode())


@contextmanager
def serving(folder: Path, website: str, llm: FakeLlm) -> Iterator[Installation]:
    """The installation in ``folder``, which pages of the origin ``website`` may ask."""
    named = tuple(_named_sites(website))
    demo = SiteSettings(
        key="demo",
        origins=[website],
        contact=" ".join(payload.line for payload in PAYLOADS),
        questions_per_minute=100_000,
    )
    settings = load_settings(
        data=new_data(folder),
        embedder="hashing",
        admin_token=TOKEN,
        log_level="error",
        sites=[demo, *named],
        chat=ChatSettings(
            base_url=llm.base_url, model="fake", context_tokens=CONTEXT_TOKENS, answer_tokens=ANSWER_TOKENS
        ),
    )
    with Services(settings) as services:
        services.store.accept(list(_pages()))
        while services.store.pending():
            services.indexing.indexer.sync_pages()
        server = make_server("127.0.0.1", 0, create_app(services=services, demo=True), threaded=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield Installation(address=f"http://127.0.0.1:{server.server_port}", named=named)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def page_groups() -> list[tuple[str, list[Payload]]]:
    """For each hostile page the variant and the payloads in it."""
    return [(variant, payloads) for variant in VARIANTS for payloads in in_groups(PAYLOADS, PER_PAGE)]


def group_word(page: int) -> str:
    """What to ask for the pages that one answer quotes."""
    return f"gruppe{page // PER_ANSWER}"


def decade_word(page: int) -> str:
    """What to search for ten pages at once."""
    return f"dekade{page // 10}"


def in_groups(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    iterator = iter(items)
    while group := list(islice(iterator, size)):
        yield group


def joined(payloads: Iterable[Payload], characters: int) -> Iterator[str]:
    """Lines of whole payloads, each of at most so many characters; payloads that are longer are left out."""
    line = ""
    for payload in payloads:
        if len(payload.line) > characters:
            continue
        if line and len(line) + 1 + len(payload.line) > characters:
            yield line
            line = ""
        line = f"{line} {payload.line}".strip()
    yield line


def _pages() -> Iterator[Save]:
    yield _page("dog-tax", DOG_TAX, {"title": "Hundesteuer", "content": DOG_TAX_TEXT}, "text/plain")
    addresses = cycle(ADDRESSES)
    for number, (variant, payloads) in enumerate(page_groups()):
        line = " ".join(payload.line for payload in payloads)
        words = f"{group_word(number)} {decade_word(number)}"
        texts = [VARIANTS[variant](f"{words}: {payload.labelled}") for payload in payloads]
        fields: dict[FieldName, str] = {"name": line, "title": line, "description": line, "keywords": line}
        fields["content"] = "\n\n".join(text for _, text in texts)
        yield _page(f"hostile-{number} {visible(payloads[0].line)}", next(addresses), fields, texts[0][0])


def _page(identifier: str, url: str, fields: dict[FieldName, str], media_type: MediaType) -> Save:
    return Save(
        page=RawPage(
            ref=PageRef(source="demo", id=identifier, language="de"),
            document=identifier,
            url=url,
            fields={
                name: RawField(text=text, media_type=media_type if name == "content" else "text/plain")
                for name, text in fields.items()
            },
        )
    )


def _named_sites(website: str) -> Iterator[SiteSettings]:
    lines: Sequence[str] = [payload.line for payload in PAYLOADS]
    names = cycle(line for line in lines if len(line) <= NAME_CHARACTERS)
    examples = [line for line in lines if len(line) <= EXAMPLE_CHARACTERS]
    for number, given in enumerate(in_groups(examples, EXAMPLES)):
        yield SiteSettings(key=f"s{number}", origins=[website], name=next(names), examples=given)
