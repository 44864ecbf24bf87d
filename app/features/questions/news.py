"""Groups of questions as news for editors: missing, doubtful, done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from app.accounts.news import Line, Reader, Section, Span
from app.console.addresses import PREFIX
from app.console.texts import TEXTS
from app.features.questions.services import QuestionServices

if TYPE_CHECKING:
    from app.features.questions.gaps import GapState, QuestionGroupDocument
    from app.services import Services

QUESTION_CHARACTERS: Final = 160
MOST: Final = 500
"""The most groups of a week that are looked at, the largest first."""


def news(services: Services, reader: Reader, span: Span) -> Iterator[Section]:
    """Yield the groups asked about or ticked off since ``span`` began, in three sections: open ones that are
    known to lack something, other open ones, and those that were ticked off."""
    texts, gaps = TEXTS[reader.language], services.feature(QuestionServices).gaps
    asked = gaps.listed(sites=reader.sites, state="open", since=span.start, limit=MOST).groups
    missing = [each for each in asked if each.unanswered or each.absent_words or each.lacks_price]
    doubtful = [each for each in asked if each not in missing]
    closed = gaps.listed(sites=reader.sites, state="done", since=span.start, limit=MOST).groups
    sections: Sequence[tuple[int, str, GapState, Sequence[QuestionGroupDocument]]] = (
        (10, "missing", "open", missing),
        (20, "news_doubtful", "open", doubtful),
        (90, "news_closed", "done", closed),
    )
    for order, heading, state, groups in sections:
        lines = tuple(_line(group, texts) for group in groups)
        yield Section(order, texts[heading], _address(state), lines)


def _line(group: QuestionGroupDocument, texts: Mapping[str, str]) -> Line:
    question = shorten(group.question, QUESTION_CHARACTERS, placeholder=" …")
    return Line(question, " · ".join(_details(group, texts)), f"{PREFIX}/questions/groups/{group.id}")


def _details(group: QuestionGroupDocument, texts: Mapping[str, str]) -> Iterator[str]:
    yield texts["asked_once" if group.count == 1 else "asked_times"].format(count=group.count)
    if not group.is_open:
        return
    if group.unanswered:
        yield f"{texts['outcome_unanswered']}: {group.unanswered}"
    if group.doubtful:
        yield f"{texts['outcome_doubtful']}: {group.doubtful}"
    yield from (texts["missing_word"].format(word=word) for word in group.absent_words)
    if group.lacks_price:
        yield texts["missing_price"]
    if group.assigned_to:
        yield f"{texts['assigned_to']}: {group.assigned_to}"


def _address(state: GapState) -> str:
    return f"{PREFIX}/questions/groups?state={state}"
