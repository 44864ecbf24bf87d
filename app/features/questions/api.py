"""Visitors' questions, for editors: ``GET /api/admin/questions`` with ``/counts`` and ``/groups``."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final, Literal

from flask import Response

from app.api.access import record, require_site, require_source, require_user, visible_site_keys
from app.api.admin_blueprint import AdminBlueprint
from app.api.csv import csv_lines
from app.api.state import current_services
from app.features.questions.answer_changes import JobAnswersDocument
from app.features.questions.documents import (
    GapNoteRequest,
    QuestionFilterQuery,
    QuestionGroupsQuery,
    QuestionSiteQuery,
    QuestionsQuery,
    ReplayDocument,
    StoredQuestionDocument,
)
from app.features.questions.filter import QuestionFilter
from app.features.questions.gaps import QuestionGroupsDocument
from app.features.questions.services import QuestionServices
from app.features.questions.store import COLUMNS, QuestionCountsDocument, QuestionsDocument

CSV: Final = "text/csv"
JSON_LINES: Final = "application/jsonl"

_FILES: Final = {"content": {media_type: {"schema": {"type": "string"}} for media_type in (CSV, JSON_LINES)}}

blueprint = AdminBlueprint("questions", __name__)


@blueprint.get("/questions")
@blueprint.input(QuestionsQuery, location="query")
@blueprint.output(QuestionsDocument, description="The newest first")
@blueprint.operation("What visitors asked", 400, 404, 422, responses={200: _FILES})
def questions(query_data: QuestionsQuery) -> QuestionsDocument | Response:
    """A part of the list, the newest first; give its ``next`` as ``after`` to get the part that follows. CSV,
    which spreadsheets open without running formulas, and JSON Lines have all questions."""
    chosen = _checked(query_data)
    stored = _services().questions
    if query_data.format == "json":
        return stored.newest(chosen, after=query_data.after, limit=query_data.limit)
    rows = (each.to_json() for each in stored.all(chosen))
    return file_of(query_data.format, rows)


@blueprint.get("/questions/counts")
@blueprint.input(QuestionFilterQuery, location="query")
@blueprint.output(QuestionCountsDocument, description="How many each choice would find")
@blueprint.operation("How many questions each filter finds", 400, 404, 422)
def counts(query_data: QuestionFilterQuery) -> QuestionCountsDocument:
    """By site, outcome, language and rating: how many each value would find in place of the one chosen."""
    return _services().questions.counts(_checked(query_data))


@blueprint.get("/questions/groups")
@blueprint.input(QuestionGroupsQuery, location="query")
@blueprint.output(QuestionGroupsDocument, description="The largest groups first")
@blueprint.operation("Questions that mean the same", 400, 404, 422)
def groups(query_data: QuestionGroupsQuery) -> QuestionGroupsDocument:
    """Each group with its most central question, how many there are and were not answered well, what the
    answer lacks, and what editors noted. ``GET /api/admin/questions?group=NUMBER`` lists a group's
    questions."""
    sites = _group_sites(query_data.site)
    user = require_user().name
    return _services().gaps.listed(
        sites=sites, state=query_data.state, user=user, after=query_data.after, limit=query_data.limit
    )


@blueprint.put("/questions/groups/<secret:answer>/note")
@blueprint.input(GapNoteRequest)
@blueprint.output({}, status_code=204)
@blueprint.operation("Tick a group of questions off, assign it, comment on it", 400, 404, 422)
def note(answer: str, json_data: GapNoteRequest) -> tuple[str, int]:
    """The group is named by its `id`, or by that of any of its questions. A group that was ticked off opens
    again when one of its questions comes again and is not answered well."""
    user, sites = require_user(), visible_site_keys()
    _services().change_note(answer, user.name, sites=sites, **json_data.model_dump())
    return "", 204


@blueprint.get("/jobs/<secret:job_id>/answers")
@blueprint.output(JobAnswersDocument, description="The questions whose answer without a model changed")
@blueprint.operation("Which answers a saved page changed", 404)
def job_answers(job_id: str) -> JobAnswersDocument:
    """Only the most frequent questions are compared; ``compared_at`` is null until they were."""
    services = current_services()
    require_source(services.deliveries.job(job_id).source)
    return services.feature(QuestionServices).answer_changes.of_job(job_id, sites=visible_site_keys())


@blueprint.get("/questions/<secret:answer>")
@blueprint.output(StoredQuestionDocument, description="The answer as it was shown")
@blueprint.operation("A question with what its answer was made of", 404)
def question(answer: str) -> StoredQuestionDocument:
    """With all sources that were listed, and the pages' versions, scores, thresholds, preset, prompt and
    model."""
    stored = _services().questions.stored(answer, sites=visible_site_keys())
    return StoredQuestionDocument.of(stored)


@blueprint.post("/questions/<secret:answer>/replay")
@blueprint.output(ReplayDocument, description="Today's answer, and how it differs")
@blueprint.operation("Ask a question again, and compare", 404, 409, 429)
def replay(answer: str) -> ReplayDocument:
    """Nothing is stored or counted. A language model is asked if the site has one."""
    replayed = _services().replayer.ask(answer, sites=visible_site_keys())
    return ReplayDocument.model_validate(replayed)


@blueprint.post("/questions/groups")
@blueprint.input(QuestionSiteQuery, location="query")
@blueprint.output(
    QuestionGroupsDocument, status_code=202, description="Asked for; `made_at` tells when it is done"
)
@blueprint.operation("Group the questions anew, in the background", 400, 404, 422)
def regroup(query_data: QuestionSiteQuery) -> QuestionGroupsDocument:
    """This is also done every night, and always for all sites. ``site``: whose present groups to return."""
    sites = _group_sites(query_data.site)
    _services().groups.request()
    record("questions.group", "questions")
    return _services().gaps.listed(sites=sites)


def _services() -> QuestionServices:
    return current_services().feature(QuestionServices)


def _checked(query: QuestionFilterQuery) -> QuestionFilter:
    """Return the filter of a query, within what the user may see. Raises ``InputError`` for an unknown
    site."""
    _check_site(query.site)
    return replace(query.chosen(), sites=visible_site_keys())


def _check_site(site: str | None) -> None:
    if site is None:
        return
    require_site(site)
    _services().questions.check(site, [each.key for each in current_services().settings.sites])


def _group_sites(site: str | None) -> Sequence[str] | None:
    """Return the sites whose groups are listed, ``None`` for all. Raises ``InputError`` and
    ``NotFoundError``."""
    _check_site(site)
    return visible_site_keys() if site is None else [site]


def file_of(kind: Literal["csv", "jsonl"], rows: Iterator[Mapping[str, Any]]) -> Response:
    """Stream rows as a file. The first one is loaded before, so that an error is answered as a problem."""
    rows = chain([first] if (first := next(rows, None)) else [], rows)
    lines = csv_lines(COLUMNS, rows) if kind == "csv" else map(_json_line, rows)
    response = Response(lines, mimetype=CSV if kind == "csv" else JSON_LINES)
    response.headers["Content-Disposition"] = f"attachment; filename=questions.{kind}"
    return response


def _json_line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
