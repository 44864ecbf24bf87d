"""The pages, searchable by title, address and id; each with its state, its text in the index, and actions."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, get_args

from flask import request
from werkzeug.wrappers import Response

from app.api.page_admin import cursor_of
from app.api.schemas import ref_of
from app.api.state import current_services
from app.console.page_text import part_of
from app.console.pages import boxes, current_user, form_text, go, make_blueprint, render
from app.console.texts import console_language
from app.errors import InputError
from app.indexing.page_desk import ListedPages, PageDesk, page_at
from app.monitoring.source_states import source_states
from app.pages.types import PageDetails, PageState
from app.search.fields import field_values, values_left_out
from app.settings.fields import FieldType
from ingest.types import PageRef

PAGE: Final = "page_list.page"
STATES: Final = get_args(PageState)
TEXT_CHARACTERS: Final = 200
_ONE: Final = "/<source>/<language>/<path:page_id>"

blueprint = make_blueprint("page_list", __name__, "/pages")


@blueprint.get("")
def page() -> Response:
    """The pages that contain all words, by source and id."""
    state = next((each for each in STATES if each == request.args.get("state")), None)
    found, visible = _found(request.args, state), current_user().visible_sources
    return render(
        "pages.html",
        pages=found.pages,
        after=cursor_of(found.after),
        state=state,
        states=STATES,
        sources=[each.name for each in source_states(current_services(), visible)],
        typed=request.args,
    )


@blueprint.post("/retry")
def retry() -> Response:
    """Index the failed pages of a part of the list again."""
    user = current_user()
    for each in _found(request.form, "failed").pages:
        _desk().reindex(each.ref, user.name, user.visible_sources)
    return go(PAGE, "retry", state="failed", source=form_text("source") or None)


@blueprint.get(_ONE)
def one(source: str, language: str, page_id: str) -> Response:
    """Everything known about a page, including its text as the index serves it, with chunks marked, and the
    values of declared fields. Of a long text, the part that begins at byte ``?from=``."""
    ref, start = page_at(source, page_id, language), request.args.get("from", 0, type=int)
    report = _desk().report(ref, current_user().visible_sources)
    return render(
        "page_report.html",
        report=report,
        fields=[*_fields(report.served.metadata)] if report.served else [],
        part=part_of(report.served, start) if report.served else None,
        name=f"{source}/{language}/{page_id}",
        links=[link for feature in current_services().features for link in feature.page_links],
        boxes=boxes(ref),
    )


@blueprint.post(f"{_ONE}/<any('reindex', 'take-out', 'bring-back'):action>")
def change(source: str, language: str, page_id: str, action: str) -> Response:
    """Index the page again, take it out of all answers, or bring it back."""
    changes: dict[str, Callable[..., PageDetails]] = {
        "reindex": _desk().reindex,
        "take-out": _desk().take_out,
        "bring-back": _desk().bring_back,
    }
    user = current_user()
    changes[action](page_at(source, page_id, language), user.name, user.visible_sources)
    done = action.replace("-", "_")
    return go("page_list.one", done, source=source, language=language, page_id=page_id)


def _fields(metadata: Mapping[str, str]) -> Iterator[tuple[str, str, tuple[str, ...], FieldType]]:
    """Yield each declared field's label, the page's value, the values left out of it, and its type."""
    services, language = current_services(), console_language()
    values = field_values(metadata, services.fields)
    left_out = values_left_out(metadata, services.fields)
    for name, field in services.settings.fields.items():
        value = values.get(name, "")
        text = ", ".join(value) if isinstance(value, tuple) else str(value).removesuffix(".0")
        yield field.shown(name, language), text, left_out.get(name, ()), field.type


def _found(typed: Mapping[str, str], state: PageState | None) -> ListedPages:
    """The part of the list that the address or a form asks for."""
    return _desk().search(
        typed.get("q", "")[:TEXT_CHARACTERS].replace("\0", ""),
        state=state,
        source=typed.get("source") or None,
        after=_cursor(typed.get("after", "")),
        sources=current_user().visible_sources,
    )


def _cursor(text: str) -> PageRef | None:
    try:
        return ref_of(text) if text else None
    except ValueError:
        raise InputError("there is no such place in the list: start at its first page") from None


def _desk() -> PageDesk:
    return current_services().indexing.page_desk
