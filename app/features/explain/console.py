"""The pages "Try it" and "Check my draft" of the console.

* Try it: a question, its answer as visitors get it, and all its steps; why a page is not found
* Check my draft: the visitors' questions that a text would answer if it were published
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from flask import request
from markupsafe import Markup
from werkzeug.wrappers import Response

from app.api.access import visible_site_keys, visible_sites
from app.api.state import current_services
from app.console.pages import boxes, current_user, form_text, make_blueprint, render
from app.console.texts import TEXTS, console_language
from app.errors import AuskunftError, InputError, ModelError, NotFoundError
from app.features.explain.api import BODY_BYTES
from app.features.explain.drafts import Draft, DraftAnswer, DraftReport
from app.features.explain.inspector import TracedQuestion
from app.features.explain.services import ExplainServices
from app.features.explain.skeleton import skeleton, subject, written
from app.features.explain.trace_document import TraceDocument
from app.features.questions.filter import QuestionFilter
from app.features.questions.services import QuestionServices
from app.pages.column_types import storable
from app.settings.sites import SiteSettings
from ingest.types import MAX_URL_CHARACTERS, UNDETERMINED

QUESTIONS: Final = 40
"""The most different questions of each kind: a report of more is too long to read."""

WEEKS: Final = (1, 4, 12, 52)
FORMATS: Final = ("text", "html")
TITLE_CHARACTERS: Final = 2_000
BLANKS: Final = frozenset(texts["page_blank"] for texts in TEXTS.values())
MARKS: Final = BLANKS | {texts["page_check"] for texts in TEXTS.values()}
"""Marks in a skeleton where an editor has to write or to check something."""

LANGUAGES: Final = (UNDETERMINED, "de", "en", "fr")

try_it = make_blueprint("try_it", __name__, "/try", templates="templates")
drafts = make_blueprint("console_draft", __name__, "/draft", templates="templates")


@try_it.get("", endpoint="page")
def tried() -> Response:
    """Show the form, and the trace of the question in ``?q=``. Nothing is stored or counted."""
    question = request.args.get("q", "").replace("\0", "")
    failure, found = None, None
    if question.strip():
        try:
            found = _trace(question)
        except NotFoundError:
            raise
        except AuskunftError as error:
            failure = error
    return render(
        "try.html",
        failure,
        question=question,
        wanted=request.args.get("page", ""),
        site=request.args.get("site", ""),
        sites=visible_sites(),
        trace=found,
        read={page["number"]: page for page in found["read"]["sources"]} if found and found["read"] else {},
        html=Markup(found["answer"]["html"]) if found else "",
    )


def _trace(question: str) -> dict[str, Any]:
    """Return the question's trace as a document, with why the wanted page is not found, if one is named."""
    inspector = current_services().feature(ExplainServices).inspector
    sources = current_user().visible_sources
    traced = inspector.trace(TracedQuestion(question=question, site=request.args.get("site", "")), sources)
    wanted = request.args.get("page", "").strip().partition("#")[0].replace("\0", "")
    why = inspector.why_not(traced, wanted, sources) if wanted else None
    return TraceDocument.of(traced, why, console_language()).to_json()


@drafts.before_request
def _make_room() -> None:
    """Accept as much text as the API does."""
    request.max_content_length = request.max_form_memory_size = BODY_BYTES


@drafts.get("")
def page() -> Response:
    """Show the empty form; with ``?gap=``, a question of a group (:mod:`app.features.questions.gaps`), a
    skeleton of the page that its questions lack."""
    gap = request.args.get("gap")
    return _page(typed=None if gap is None else _begun(gap))


@drafts.post("")
def ask() -> Response:
    """Show the draft's answers to the questions; nothing of it is stored or indexed."""
    try:
        draft = _draft()
        report = current_services().feature(ExplainServices).drafts.ask(draft, current_user().visible_sources)
    except AuskunftError as error:
        return _page(failure=error)
    return _page(report)


@drafts.post("/write")
def write() -> Response:
    """Show the draft of a page that questions lack, with a first paragraph by the language model."""
    gap = form_text("gap")
    try:
        return _page(typed=_begun(gap, is_written=True))
    except NotFoundError:
        raise
    except AuskunftError as error:
        return _page(failure=error, typed=_begun(gap))


def _page(
    report: DraftReport | None = None,
    failure: AuskunftError | None = None,
    typed: Mapping[str, Any] | None = None,
) -> Response:
    services, user = current_services(), current_user()
    sites = visible_sites()
    known = [name for name in services.store.sources() if user.may_see(name)]
    places = [(site, [name for name in known if not site.sources or name in site.sources]) for site in sites]
    return render(
        "draft.html",
        failure,
        report=report,
        of_gap=_of_gap(report, request.form.get("gap", "")) if report else [],
        blanks=sum(request.form.get("text", "").count(mark) for mark in MARKS) if report else 0,
        has_author=typed is not None and services.feature(ExplainServices).author is not None,
        boxes=boxes(report.page) if report else [],
        places=[(site, names) for site, names in places if names],
        sources=known,
        typed=request.form if typed is None else typed,
        weeks=WEEKS,
        formats=FORMATS,
        languages=LANGUAGES,
    )


def _of_gap(report: DraftReport, gap: str) -> list[DraftAnswer]:
    """Return the draft's answers to the questions of the group that it was begun for."""
    asked = current_services().feature(QuestionServices)
    with suppress(NotFoundError):  # regrouped meanwhile
        group = asked.gaps.one(storable(gap), sites=visible_site_keys())
        own = {each.asked.question.casefold() for each in asked.gap_desk.different(group)}
        return [each for each in report.unanswered if each.question.casefold() in own]
    return []


def _begun(gap: str, *, is_written: bool = False) -> dict[str, Any]:
    """Return the fields of a draft for a group of questions, in their language.

    ``is_written``: with a first paragraph by the language model; the field ``failed`` is True if it wrote
    none. Raises ``NotFoundError``, and with ``is_written`` what :meth:`ParagraphAuthor.write` raises except
    ``ModelError``."""
    services = current_services()
    asked = services.feature(QuestionServices)
    group = asked.gaps.one(storable(gap), sites=visible_site_keys())
    site = next((each for each in visible_sites() if each.key == group.site), None)
    if site is None:
        raise NotFoundError("there is no such site: it is no longer in the settings")
    records = list(asked.questions.all(QuestionFilter(site=group.site, group=group.number)))
    language = next((each.language for each in records if each.language in TEXTS), console_language())
    questions = [group.question, *(each.question for each in records)]
    title, texts = subject(questions, language), TEXTS[language]
    opening = _opening(title, questions, site, language) if is_written else ""
    return {
        "gap": group.id,
        "question": group.question,
        "title": title,
        "text": skeleton(questions, texts, _contact(site), opening),
        "place": f"{group.page.source}|{group.site}" if group.page else "",
        "language": language,
        "failed": is_written and not opening,
    }


def _contact(site: SiteSettings) -> str:
    """Return the contact that every skeleton has; it is not the editor's text, and so answers no question."""
    return site.contact or current_services().settings.contact


def _opening(title: str, questions: Sequence[str], site: SiteSettings, language: str) -> str:
    """Return the first paragraph of a page; empty if the language model writes none."""
    services = current_services()
    explain, chat = services.feature(ExplainServices), services.chat
    if explain.author is None:
        return ""
    release = chat.limit.acquire()
    try:
        return explain.author.write(
            title,
            questions,
            site=site,
            retriever=chat.pipelines.of(site).retriever,
            sources=explain.inspector.searched(site, "", current_user().visible_sources),
            language=language,
            mark=TEXTS[language]["page_check"],
        )
    except ModelError:
        return ""
    finally:
        release()


def _draft() -> Draft:
    """Return the draft that the form describes. Raises ``InputError``."""
    source, _, site = form_text("place").partition("|")
    text, url = request.form.get("text", ""), form_text("url", MAX_URL_CHARACTERS)
    if "\0" in text:
        raise InputError("the text contains a NUL character: remove it")
    if not text.strip() and not url:
        raise InputError("paste a text, or enter the address of a preview")
    is_html = request.form.get("format") == "html"
    text = text if is_html else written(text, {*BLANKS, *map(_contact, visible_sites())})
    if not text.strip() and not url:
        raise InputError("the text has not been written yet: fill in the marked places")
    return Draft(
        source=source,
        site=site,
        title=form_text("title", TITLE_CHARACTERS),
        text="" if is_html or not text.strip() else text,
        html=text if is_html and text.strip() else "",
        url=url,
        language=next((each for each in LANGUAGES if each == request.form.get("language")), UNDETERMINED),
        days=7 * next((each for each in WEEKS if str(each) == request.form.get("weeks")), WEEKS[1]),
        questions=QUESTIONS,
    )
