"""Pages of visitors' questions in the console: a list with filters, groups by meaning, and each answer."""

import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, time
from functools import cache
from itertools import chain
from typing import Any, Final, Literal, get_args

from flask import Response as FlaskResponse
from flask import request
from markupsafe import Markup
from werkzeug.wrappers import Response

from app.api.access import record, require_site, require_source, visible_site_keys, visible_sites
from app.api.schemas import ref_of
from app.api.state import current_services
from app.chat.documents import stored_document
from app.chat.outcomes import GAPS, OUTCOMES, Outcome
from app.chat.text.render import renderer_of
from app.console.pages import current_user, form_text, go, make_blueprint, render
from app.console.texts import TEXTS, console_language
from app.errors import AuskunftError, InputError, NotFoundError
from app.features.questions.api import file_of
from app.features.questions.filter import QuestionFilter, RatingFilter
from app.features.questions.gap_notes import COMMENT_CHARACTERS
from app.features.questions.gaps import GapState, QuestionGroupDocument
from app.features.questions.reasons import reasons
from app.features.questions.receipt import MOST as MOST_AGAIN
from app.features.questions.replay import Replay
from app.features.questions.services import QuestionServices
from app.features.questions.store import QuestionDocument, QuestionsDocument
from ingest.types import PageRef

PAGE: Final = "console_questions.page"
GROUPS: Final = "console_questions.groups"
LISTED_GROUPS: Final = 20
TOP_GROUPS: Final = 5
"""Groups on the overview."""

STATES: Final[tuple[GapState, ...]] = get_args(GapState)

CITING: Final = 10
"""The most questions listed in the console's box about a page that their answers cite."""

GAPS_CHOICE: Final = "gaps"
RATINGS: Final[dict[str, RatingFilter]] = {"up": "up", "down": "down", "any": "any", "none": "none"}

_NO_DAY: Final = {
    "since": "since: use a day such as 2026-01-31",
    "until": "until: use a day such as 2026-01-31",
}
"""Messages by field. There is one for each, because its translation has the field's name in it."""

_NOTED: Final = {"note": "gap_noted", "done": "gap_done", "open": "gap_opened"}
"""The message after each action."""

blueprint = make_blueprint("console_questions", __name__, "/questions", templates="templates")
answer_changes = make_blueprint("console_answer_changes", __name__, "/sources", templates="templates")


@blueprint.get("")
def page() -> Response:
    """The questions that the filters find, the newest first."""
    chosen = _chosen()
    stored = _services().questions
    found = stored.newest(chosen, after=request.args.get("after") or None)
    return render(
        "questions.html",
        questions=found.questions,
        next=found.next,
        counts=stored.counts(chosen),
        outcomes=OUTCOMES,
        ratings=RATINGS,
        sites=visible_sites(),
        typed=request.args,
        filters=_filters(),
    )


@blueprint.get("/export")
def export() -> Response:
    """All questions that the filters find, as CSV that spreadsheets open without running formulas."""
    return file_of("csv", (each.to_json() for each in _services().questions.all(_chosen())))


@blueprint.get("/pool")
def pool() -> Response:
    """Download the questions that the filters find as drafts of a pool, each once, with the pages that its
    answer cites. People look at each before anything is measured with them."""
    asked: dict[str, QuestionDocument] = {}
    for each in _services().questions.all(_chosen()):
        if each.status != "running":
            asked.setdefault(each.question, each)  # the newest comes first
    return _pool_of(asked.values())


def _pool_of(asked: Iterable[QuestionDocument]) -> Response:
    response = FlaskResponse("".join(_drafts(asked)), mimetype="application/jsonl")
    response.headers["Content-Disposition"] = "attachment; filename=questions.jsonl"
    return response


def _drafts(asked: Iterable[QuestionDocument]) -> Iterator[str]:
    pages, sources = current_services().page_list, current_user().visible_sources
    named = cache(lambda url: [ref.id for ref in pages.named(url, sources, deleted=False)][:1])
    for each in asked:
        gold = list(dict.fromkeys(chain.from_iterable(map(named, filter(None, each.sources)))))
        draft = {"id": each.id, "question": each.question, "language": each.language or None, "gold": gold}
        yield json.dumps({**draft, "draft": True}, ensure_ascii=False) + "\n"


@blueprint.get("/groups")
def groups() -> Response:
    """Questions that mean the same: those not answered well, the most frequent first."""
    return _groups()


@blueprint.get("/groups/<secret:answer>")
def group(answer: str) -> Response:
    """Show one group: its different questions, and what can be done for them."""
    return _group(answer)


@blueprint.post("/groups/<secret:answer>/again")
def ask_again(answer: str) -> Response:
    """Ask the group's questions again, and show how many would be answered; nothing is stored or counted."""
    return _group(answer, again=True)


@blueprint.post("/groups/<secret:answer>")
def note(answer: str) -> Response:
    """Tick a group off, open it again, or assign it and comment on it."""
    action = request.form.get("action", "")
    _services().questions.stored(answer, sites=visible_site_keys())  # raises if there is none
    if action not in _NOTED:
        raise InputError("action: use note, done or open")
    try:
        changes: dict[str, Any] = {"done": action == "done"}
        if action == "note":
            assigned, before = form_text("assigned_to"), form_text("assigned_before")
            changes = {"comment": form_text("comment", COMMENT_CHARACTERS)}
            changes |= {} if assigned == before else {"assigned_to": assigned}  # users who are gone may stay
        _services().change_note(answer, current_user().name, sites=visible_site_keys(), **changes)
    except InputError as error:
        return _groups(error)
    if action == "note":
        return go("console_questions.group", _NOTED[action], answer=answer)
    kept = {name: request.args.get(name) or None for name in ("site", "after")}
    return go(GROUPS, _NOTED[action], state=_state(), **kept)


@blueprint.post("/groups")
def regroup() -> Response:
    """Have the questions grouped again, in the background."""
    _services().groups.request()
    record("questions.group", "questions")
    return go(GROUPS, "grouping")


@blueprint.get("/<secret:answer>")
def question(answer: str) -> Response:
    """One question with its answer as it was shown, and its sources."""
    return _question(answer)


@blueprint.get("/<secret:answer>/pool")
def pool_question(answer: str) -> Response:
    """Download one question as a draft of a pool, with the pages that its answer cites."""
    return _pool_of([_services().questions.stored(answer, sites=visible_site_keys()).record])


@blueprint.post("/<secret:answer>/replay")
def replay(answer: str) -> Response:
    """Ask the question again, and show what differs; nothing is stored or counted."""
    replayed = failure = None
    try:
        replayed = _services().replayer.ask(answer, sites=visible_site_keys())
    except NotFoundError:
        raise
    except AuskunftError as error:
        failure = error
    return _question(answer, replayed, failure)


@answer_changes.get("/<name>/messages/<job_id>")
def job(name: str, job_id: str) -> Response:
    """Show one page of a message, with the answers to frequent questions that changed after it."""
    require_source(name)
    found = current_services().deliveries.job(job_id)
    if found.source != name:
        raise NotFoundError("there is no such job in source {name!r}", name=name)
    changed = _services().answer_changes.of_job(job_id, sites=visible_site_keys())
    return render("job.html", job=found, found=changed)


def top_gaps(_subject: object) -> tuple[list[QuestionGroupDocument], bool]:
    """Return the largest open groups, and True if some are assigned to the user."""
    sites, gaps = visible_site_keys(), _services().gaps
    mine = gaps.listed(sites=sites, state="mine", user=current_user().name, limit=1).groups
    return gaps.listed(sites=sites, state="open", limit=TOP_GROUPS).groups, bool(mine)


def citing(ref: PageRef) -> QuestionsDocument:
    """Return the newest questions whose answers cite a page."""
    chosen = QuestionFilter(sites=visible_site_keys(), cited=ref)
    return _services().questions.newest(chosen, limit=CITING)


def _services() -> QuestionServices:
    return current_services().feature(QuestionServices)


def _state() -> GapState:
    chosen = request.args.get("state")
    return next((state for state in STATES if state == chosen), STATES[0])


def _groups(failure: AuskunftError | None = None) -> Response:
    site, state = request.args.get("site") or None, _state()
    if site is not None:
        require_site(site)
    visible = visible_sites()
    found = _services().gaps.listed(
        sites=[site] if site else [each.key for each in visible],
        state=state,
        user=current_user().name,
        after=request.args.get("after") or None,
        limit=LISTED_GROUPS,
    )
    return render(
        "question_groups.html",
        failure,
        found=found,
        sites=visible,
        site=site,
        state=state,
        states=STATES,
        after=request.args.get("after") or None,
        people={key: _services().people(key) for key in {group.site for group in found.groups}},
        filters=_filters(),
    )


def _group(answer: str, *, again: bool = False) -> Response:
    services, receipt, failure = _services(), None, None
    found = services.gaps.one(answer, sites=visible_site_keys())
    if again:
        try:
            receipt = services.gap_desk.ask(found)
        except AuskunftError as error:
            failure = error
    return render(
        "question_group.html",
        failure,
        group=found,
        state=None,
        site=None,
        people={found.site: services.people(found.site)},
        receipt=receipt,
        questions=receipt.questions if receipt else services.gap_desk.different(found)[:MOST_AGAIN],
        has_model=current_services().settings.chat.model,
    )


def _question(answer: str, replayed: Replay | None = None, failure: AuskunftError | None = None) -> Response:
    stored = _services().questions.stored(answer, sites=visible_site_keys())
    document = stored_document(current_services().chat.conversations.answer(stored.record.site, answer))
    made, gap = stored.provenance, None
    with suppress(NotFoundError):  # not grouped yet
        gap = _services().gaps.one(answer, sites=visible_site_keys())
    return render(
        "question.html",
        failure,
        question=stored.record,
        document=document,
        html=Markup(document["html"]),
        reasons=[*reasons(stored.record, document, TEXTS[console_language()])],
        gap=gap,
        made=made,
        read={page["number"]: page for page in made["pages"]} if made else {},
        replayed=replayed,
        replayed_html=_html(replayed) if replayed else "",
    )


def _html(replayed: Replay) -> Markup:
    """Return today's answer as safe HTML."""
    return Markup(renderer_of(replayed.answer["sources"], "now-").render(replayed.answer["answer"]))


def _chosen() -> QuestionFilter:
    """Return the filter that the address describes. Raises ``InputError`` and ``NotFoundError``."""
    site = request.args.get("site") or None
    if site is not None:
        require_site(site)
    since, until = _day("since"), _day("until")
    return QuestionFilter(
        sites=visible_site_keys(),
        site=site,
        since=datetime.combine(since, time(), UTC) if since else None,
        until=datetime.combine(until, time.max, UTC) if until else None,
        outcomes=_outcomes(request.args.get("outcome", "")),
        language=request.args.get("language") or None,
        rating=RATINGS.get(request.args.get("rating", "")),
        text=request.args.get("text", "")[:200].replace("\0", ""),
        group=request.args.get("group", type=int),
        cited=_cited(request.args.get("cited", "")),
    )


def _cited(name: str) -> PageRef | None:
    try:
        return ref_of(name) if name else None
    except ValueError:
        raise InputError("cited: use source/language/id for a page") from None


def _outcomes(name: str) -> Collection[Outcome] | None:
    if name == GAPS_CHOICE:
        return GAPS
    return [outcome for outcome in OUTCOMES if outcome == name] or None


def _day(name: Literal["since", "until"]) -> date | None:
    text = request.args.get(name, "")
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise InputError(_NO_DAY[name]) from None


def _filters() -> dict[str, str]:
    """Return the filters of the address, without the place in the list."""
    others = ("after", "lang", "done")
    return {name: value for name, value in request.args.items() if value and name not in others}
