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
from app.search.types import TimeFilter
from app.web.links import web_link
from app.web.texts import TEXTS

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source of an answer. ``anchor``: its id on our page. ``number``: ``None`` for a page outside the
    prompt. ``href``: empty for a URL that browsers should not open. ``facts``: what is known of it, such as
    the end of validity. ``version``: of a text of law the note on which one it is, a link to it."""

    anchor: str
    number: int | None
    href: str
    title: str
    path: str
    snippet: str
    facts: tuple[str, ...]
    version: str = ""
    version_href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question with its answer. ``html``: sanitised; empty if it was streamed. ``more``: what else the page
    quoted has, sanitised. ``origin``: names the
    author, the model or the service. ``notes``: sentences about limits and dates. ``energy``: a sentence,
    with a line for each of ``energy_parts``. ``sources``: those listed below the answer, under ``heading``;
    ``other_pages``: the others that were found, under ``other_heading``. ``suggestions``: questions that may
    follow, each with its label. ``other_readings``: the question as it may be meant instead, likewise.
    ``unhelped``: True if a person may help where the answer does not."""

    id: str
    number: int
    question: str
    status: str
    html: Markup
    more: Markup
    origin: str
    notes: tuple[str, ...]
    energy: str
    energy_parts: tuple[str, ...]
    heading: str
    sources: tuple[Source, ...]
    other_heading: str
    other_pages: tuple[Source, ...]
    suggestions: tuple[tuple[str, str], ...]
    other_readings: tuple[tuple[str, str], ...]
    unhelped: bool


def anchor_of(number: int) -> str:
    """The beginning of the ids of a turn's sources."""
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
    """The title of the page that the answer is of; empty without one."""
    numbers = [*document["citations"], *document.get("probable", ())]
    titles = {source["number"]: str(source["title"]) for source in document["sources"]}
    return titles.get(numbers[0], "") if numbers else ""


def _origin(document: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    """Who wrote the answer."""
    by = "editors" if is_editors_text(document.get("curated")) else document["status"]
    return texts.get(f"origin_{by}", "")


def listed_sources(document: Mapping[str, Any], listed: ListedSources) -> tuple[list[Any], list[Any]]:
    """The documents of the sources below an answer, and those of the other pages that were found.

    Below it are those that it cites, else those that it is probably from; with ``used`` all, unless there
    is no answer.
    """
    sources = document["sources"]
    if listed == "used" and document["status"] not in UNANSWERED:
        return list(sources), []
    numbers = document["citations"] or document.get("probable", ())
    shown = [source for source in sources if source["number"] in numbers]
    return shown, [source for source in sources if source not in shown]


class StreamedTurn:
    """A turn whose answer is still being written: templates read its ``blocks``, then the ``finished``
    turn."""

    def __init__(self, exchange: Exchange, number: int, language: str, listed: ListedSources) -> None:
        self.number = number
        self.question = exchange.question
        self._exchange = exchange
        self._language = language
        self._listed: ListedSources = listed

    def blocks(self) -> Generator[Markup, None, None]:
        """The answer's HTML, block by block. An error ends it and is logged."""
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
    """An answer's HTML with the titles of cited pages as tooltips, and tables that scroll in a frame of their
    own. It has a closed form (:mod:`app.chat.text.render`)."""
    titles = {str(source["number"]): escape(_title(source)) for source in sources}

    def with_title(link: re.Match[str]) -> str:
        return f'{link[0]} title="{titles.get(link[1], "")}"'

    html = re.sub(rf'<a href="#{anchor_of(number)}(\d+)"', with_title, html)
    frame = f'<div class="table" role="group" tabindex="0" aria-label="{escape(TEXTS[language]["table"])}">'
    html = html.replace("<blockquote>", '<blockquote dir="auto">')  # a page in another script than the answer
    return html.replace("<table>", f"{frame}<table>").replace("</table>", "</table></div>")


def energy_sentence(energy: Mapping[str, Any] | None, language: str) -> str:
    """What an answer took of energy; empty where that is not told."""
    if not energy:
        return ""
    return TEXTS[language][f"energy_{energy['basis']}"].format(
        wh=two_digits(energy["wh"], language),
        dryer=two_digits(energy["hair_dryer_seconds"], language),
        phone=two_digits(energy["phone_percent"], language),
    )


def energy_parts(energy: Mapping[str, Any] | None, language: str) -> list[str]:
    """What each part of the machine took, and what the data centre adds to it, in a line each."""
    parts: dict[str, float] = dict(energy.get("parts", {})) if energy else {}
    if energy and (overhead := energy.get("pue", 1.0) - 1) > 0:
        parts["overhead"] = overhead * sum(amount for part, amount in parts.items() if part != "model")
    return [
        TEXTS[language][f"energy_{part}"].format(wh=two_digits(amount, language))
        for part, amount in parts.items()
        if amount > 0
    ]


def two_digits(number: float, language: str, digits: int = 2) -> str:
    """The number in so many significant digits, as people write it."""
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
    """Which sources are linked to one, such as "referred to by [1], [3]". ``linked``: their numbers by kind
    of link."""
    return [
        TEXTS[language][f"linked_{kind}"].format(numbers=", ".join(f"[{number}]" for number in linked[kind]))
        for kind in ("reference", "definition", "recital")
        if kind in linked
    ]


def _time_note(document: Mapping[str, Any], language: str) -> str:
    """The time of the law that was searched; empty where none of it was found and no time was asked for."""
    today = {"in_force_on": document["as_of"]} if document.get("as_of") else {}
    days: dict[str, str] = today | document.get("time", {})
    named = {name.replace("in_force_on", "at"): date.fromisoformat(day) for name, day in days.items()}
    return describe_time(TimeFilter(**named), language)
