"""View models of the chat page: turns of a conversation and their sources."""

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import structlog
from markupsafe import Markup, escape

from app.chat.documents import is_editors_text, more_html
from app.chat.events import UNANSWERED
from app.chat.exchange import Exchange
from app.chat.text import catalogue
from app.chat.text.catalogue import describe_time, visitor_sentences
from app.chat.text.suggestions import label, reading_labels
from app.errors import AuskunftError
from app.presets import ListedSources
from app.search.retrieval import TimeFilter
from app.web.links import web_link
from app.web.texts import TEXTS

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source of an answer."""

    anchor: str
    """Its id on our page."""

    number: int | None
    """None for a page outside the prompt."""

    href: str
    """Empty for a URL that browsers should not open."""

    title: str
    path: str
    snippet: str
    facts: tuple[str, ...]
    """Notes on it, such as the end of its validity."""

    version: str = ""
    """A note on the version of a text of law, the text of the link ``version_href``."""

    version_href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question with its answer."""

    id: str
    number: int
    question: str
    status: str
    html: Markup
    """The answer, sanitised; empty if it was streamed."""

    more: Markup
    """Further quotes of the page quoted first, sanitised."""

    origin: str
    """The author of the answer, in words."""

    notes: tuple[str, ...]
    """Sentences about limits and dates."""

    energy: str
    """A sentence; ``energy_parts`` has a line for each part."""

    energy_parts: tuple[str, ...]
    heading: str
    """The heading of ``sources``, which are listed below the answer."""

    sources: tuple[Source, ...]
    other_heading: str
    """The heading of ``other_pages``, the other pages found."""

    other_pages: tuple[Source, ...]
    suggestions: tuple[tuple[str, str], ...]
    """Possible next questions, each with its label."""

    other_readings: tuple[tuple[str, str], ...]
    """Other meanings of the question, as questions with labels."""

    unhelped: bool
    """True to offer further help, such as a person's."""


def anchor_of(number: int) -> str:
    """The prefix of the ids of a turn's sources."""
    return f"answer-{number}-source-"


def make_turn(document: Mapping[str, Any], number: int, language: str, listed: ListedSources) -> Turn:
    """The conversation's turn with this number, from :func:`app.chat.documents.stored_document`."""
    texts = TEXTS[language]
    sources, others = listed_sources(document, listed)
    is_guess = listed == "cited" and not document["citations"]
    notes = [_time_note(document, language)]
    readings = document.get("other_readings", ())
    notes += visitor_sentences(document.get("degraded", ()), language)
    return Turn(
        id=document["id"],
        number=number,
        question=document["question"],
        status=document["status"],
        html=Markup(_for_page(document["html"], document["sources"], number, language)),
        more=Markup(_for_page(document.get("more_html", ""), document["sources"], number, language)),
        origin=_origin(document, texts),
        notes=tuple(note for note in notes if note),
        energy=energy_sentence(document.get("energy"), language),
        energy_parts=tuple(energy_parts(document.get("energy"), language)),
        heading=texts["probable"] if is_guess else texts["sources"],
        sources=tuple(_source(source, number, language, listed) for source in sources),
        other_heading=texts["found"] if sources else texts["found_only"],
        other_pages=tuple(_source(source, number, language, listed) for source in others),
        suggestions=tuple(
            (each, label(each, _first_title(document))) for each in document.get("suggestions", ())
        ),
        other_readings=tuple(zip(readings, reading_labels(readings), strict=True)),
        unhelped=bool(document.get("unhelped")),
    )


def _first_title(document: Mapping[str, Any]) -> str:
    """The title of the answer's first source; empty without one."""
    numbers = [*document["citations"], *document.get("probable", ())]
    titles = {source["number"]: str(source["title"]) for source in document["sources"]}
    return titles.get(numbers[0], "") if numbers else ""


def _origin(document: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    """The author of the answer, in words."""
    by = "editors" if is_editors_text(document.get("curated")) else document["status"]
    return texts.get(f"origin_{by}", "")


def listed_sources(document: Mapping[str, Any], listed: ListedSources) -> tuple[list[Any], list[Any]]:
    """Split the documents of sources into the ones listed below the answer and the other pages found.

    The sources that the answer cites are listed, otherwise those that it is probably from; with ``used`` all
    sources, unless there is no answer.
    """
    sources = document["sources"]
    if listed == "used" and document["status"] not in UNANSWERED:
        return list(sources), []
    numbers = document["citations"] or document.get("probable", ())
    shown = [source for source in sources if source["number"] in numbers]
    return shown, [source for source in sources if source not in shown]


class StreamedTurn:
    """A turn whose answer is still being written: templates render its ``blocks``, then the ``finished``
    turn."""

    def __init__(self, exchange: Exchange, number: int, language: str, listed: ListedSources) -> None:
        self.number = number
        self.question = exchange.question
        self._exchange = exchange
        self._language = language
        self._listed: ListedSources = listed

    def blocks(self) -> Generator[Markup, None, None]:
        """Yield the answer's HTML, block by block. An error ends it and is logged."""
        try:
            with closing(self._exchange.rendered_events(anchor_of(self.number))) as rendered_events:
                for _, blocks, _ in rendered_events:
                    for html in blocks:
                        yield Markup(_for_page(html, self._exchange.sources, self.number, self._language))
        except AuskunftError as error:
            log.error("answer_failed", code=error.code, message=str(error))

    def finished(self) -> Turn:
        """The turn without its text, which was streamed. Only valid after the last block."""
        document, anchor = self._exchange.document, anchor_of(self.number)
        more = more_html(document.get("more", ()), self._exchange.sources, anchor)
        known = {"id": self._exchange.pending.answer, "html": "", "more_html": more or ""}
        return make_turn({**document, **known}, self.number, self._language, self._listed)


def _for_page(html: str, sources: Sequence[Mapping[str, Any]], number: int, language: str) -> str:
    """Add tooltips with the titles of cited pages, and frames in which tables scroll, to an answer's HTML.
    Patterns suffice, because our own renderer wrote it (:mod:`app.chat.text.render`)."""
    titles = {str(source["number"]): escape(_title(source)) for source in sources}

    def with_title(link: re.Match[str]) -> str:
        return f'{link[0]} title="{titles.get(link[1], "")}"'

    html = re.sub(rf'<a href="#{anchor_of(number)}(\d+)"', with_title, html)
    frame = f'<div class="table" role="group" tabindex="0" aria-label="{escape(TEXTS[language]["table"])}">'
    # The page quoted may be in another script than the answer.
    html = html.replace("<blockquote>", '<blockquote dir="auto">')
    return html.replace("<table>", f"{frame}<table>").replace("</table>", "</table></div>")


def energy_sentence(energy: Mapping[str, Any] | None, language: str) -> str:
    """A sentence on the energy of an answer; empty if it is not shown."""
    if not energy:
        return ""
    return TEXTS[language][f"energy_{energy['basis']}"].format(
        wh=two_digits(energy["wh"], language),
        dryer=two_digits(energy["hair_dryer_seconds"], language),
        phone=two_digits(energy["phone_percent"], language),
    )


def energy_parts(energy: Mapping[str, Any] | None, language: str) -> list[str]:
    """The energy of each part of the machine, and the data centre's overhead, a line each."""
    parts: dict[str, float] = dict(energy.get("parts", {})) if energy else {}
    if energy and (overhead := energy.get("pue", 1.0) - 1) > 0:
        parts["overhead"] = overhead * sum(amount for part, amount in parts.items() if part != "model")
    return [
        TEXTS[language][f"energy_{part}"].format(wh=two_digits(amount, language))
        for part, amount in parts.items()
        if amount > 0
    ]


def two_digits(number: float, language: str, digits: int = 2) -> str:
    """Return a number with this many significant digits, with the decimal separator of the language."""
    text = f"{Decimal(f'{number:.{digits}g}'):f}"
    return text.replace(".", ",") if language == "de" else text


def _title(source: Mapping[str, Any]) -> str:
    return str(source["title"] or source.get("path") or source["url"])


def _source(source: Mapping[str, Any], number: int, language: str, listed: ListedSources) -> Source:
    facts: list[str] = []
    if listed == "used" and source["similarity"] is not None:
        facts.append(TEXTS[language]["cosine"].format(percent=f"{100 * source['similarity']:.0f}"))
    if listed == "used":
        facts += _link_facts(source.get("linked_from", {}), language)
    if listed == "used" and not source["used"]:
        facts.append(TEXTS[language]["unread"])
    version = source.get("version")
    if ended := source.get("ended"):
        facts.append(catalogue.texts(language).ended.format(day=ended))
    return Source(
        anchor=f"{anchor_of(number)}{source['number']}",
        number=source["number"],
        href=web_link(source.get("href") or source["url"]),
        title=_title(source),
        path=source.get("path", ""),
        snippet=source.get("snippet", ""),
        facts=tuple(facts),
        version=catalogue.texts(language).version.format(day=version) if version else "",
        version_href=web_link(source["url"]),
    )


def _link_facts(linked: Mapping[str, Sequence[int]], language: str) -> list[str]:
    """Sentences on the sources that are linked to one, such as "referred to by [1], [3]". ``linked``: their
    numbers by kind of link."""
    return [
        TEXTS[language][f"linked_{kind}"].format(numbers=", ".join(f"[{number}]" for number in linked[kind]))
        for kind in ("reference", "definition", "recital")
        if kind in linked
    ]


def _time_note(document: Mapping[str, Any], language: str) -> str:
    """A note on the date of the law that was searched; empty if no law was found and no time asked for."""
    today = {"in_force_on": document["as_of"]} if document.get("as_of") else {}
    days: dict[str, str] = today | document.get("time", {})
    named = {name.replace("in_force_on", "at"): date.fromisoformat(day) for name, day in days.items()}
    return describe_time(TimeFilter(**named), language)
