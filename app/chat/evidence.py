"""Texts that an answer may rely on."""

from app.chat.context import Context
from app.chat.question_search import Query, QuestionResult
from app.chat.text.figure_places import SourceText
from app.chat.text.figure_subjects import FigureSubjects
from app.chat.text.figures import Evidence
from app.chat.types import SourceItem
from app.law.units import celex_of


def evidence(query: Query, context: Context) -> Evidence:
    """Return the sources as the model reads them, and what the visitor wrote."""
    asked = [turn.content for turn in query.history if turn.role == "user"]
    read = [
        f"{source.page.title}\n{source.page.url}\n{_days(source)}\n{source.text}" for source in context.used
    ]
    return Evidence([query.question, *asked, *read])


def subjects(result: QuestionResult, context: Context) -> FigureSubjects:
    """Return what the figures of the sources belong to. The question is read as asked and as meant."""
    sources = [
        SourceText(source.page.title, source.text, source.page.ref.language) for source in context.used
    ]
    question = "\n".join(filter(None, (result.query.question, result.meant)))
    return FigureSubjects(sources, question, result.language)


def _days(source: SourceItem) -> str:
    """The dates and the number of an act that the prompt shows beside a source's text."""
    page = source.page
    changed = page.updated.date() if page.updated else None
    days = [page.published, changed, source.ended, page.metadata.get("version")]
    return " ".join(map(str, filter(None, [*days, celex_of(page)])))
