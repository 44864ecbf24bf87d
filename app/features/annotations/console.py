"""Console pages for cutting pages and units of law by hand and giving them references."""

import re
from typing import Final

from flask import request
from werkzeug.wrappers import Response

from app.api.state import current_services
from app.console.pages import current_user, form_text, go, make_blueprint, render
from app.errors import AuskunftError, InputError, NotFoundError
from app.features.annotations.annotations import MOST_REFERENCES
from app.features.annotations.cuts import MARK, cuts_of, marked
from app.features.annotations.desk import AnnotatedUnit, AnnotationDesk
from app.features.annotations.services import AnnotationServices
from app.features.annotations.store import LISTED
from app.indexing.page_desk import page_at
from app.search.types import IndexedPage

PAGE: Final = "console_annotations.page"
UNIT: Final = "console_annotations.unit"
TEXT_CHARACTERS: Final = 200
FORM_BYTES: Final = 1_000_000
_AFTER_CHUNK: Final = re.compile(r":\s+")
_ONE: Final = "/unit/<source>/<language>/<path:page_id>"

blueprint = make_blueprint("console_annotations", __name__, "/annotations", templates="templates")


@blueprint.before_request
def _make_room() -> None:
    """Allow large forms, because the whole text of a unit comes back with its marks."""
    request.max_content_length = request.max_form_memory_size = FORM_BYTES


@blueprint.get("")
def page() -> Response:
    """The units that have each of the words, if any are given; else what people annotated, newest first."""
    words = request.args.get("q", "")[:TEXT_CHARACTERS].replace("\0", "").strip()
    visible, below = current_user().visible_sources, request.args.get("below", type=int)
    found = [] if words else _desk().entries(below=below, sources=visible)
    newest = _desk().newest({each.key for each, _ in found})
    return render(
        "annotations.html",
        words=words,
        units=_units(words) if words else [],
        entries=[(each, state, newest.get(each.key)) for each, state in found],
        older=found[-1][0].number if len(found) == LISTED else None,
    )


@blueprint.get(_ONE)
def unit(source: str, language: str, page_id: str) -> Response:
    """A unit with its chunks and references. ``?from=``: an earlier annotation, to take over."""
    found = _desk().unit(page_at(source, page_id, language), sources=current_user().visible_sources)
    number = request.args.get("from", type=int)
    earlier = next((each for each in found.earlier if each.number == number), None)
    if earlier is None:
        return _unit(found, found.cuts, found.references)
    cuts, references = found.taken_over(earlier)
    return _unit(
        found,
        cuts,
        references,
        own_cuts=earlier.cuts is not None,
        own_references=earlier.references is not None,
    )


@blueprint.post(_ONE)
def annotate(source: str, language: str, page_id: str) -> Response:
    """Keep the cuts and references of the form; those marked as automatic are found as before."""
    ref, user = page_at(source, page_id, language), current_user()
    found = _desk().unit(ref, sources=user.visible_sources)
    written = _AFTER_CHUNK.sub(":", request.form.get("references", ""))
    references = tuple(written.split())[: MOST_REFERENCES + 1]
    own_cuts, own_references = "cut" in request.form, "refer" in request.form
    try:
        cuts = cuts_of(found.text, request.form.get("text", "")) if own_cuts else None
        if not own_cuts and not own_references:
            raise InputError("nothing is set by hand: choose chunks, references or both")
        _desk().save(
            ref,
            cuts=cuts,
            references=references if own_references else None,
            version=request.form.get("version", 0, type=int),
            actor=user.name,
            sources=user.visible_sources,
        )
    except NotFoundError:
        raise
    except AuskunftError as error:
        return _unit(
            found,
            found.cuts,
            references,
            own_cuts=own_cuts,
            own_references=own_references,
            typed=request.form.get("text", ""),
            failure=error,
        )
    current_services().wake(interactive=False)
    return go(UNIT, "annotated", source=source, language=language, page_id=page_id)


@blueprint.post("/<int:number>/remove")
def remove(number: int) -> Response:
    """Remove an annotation: chunks and references are found automatically again."""
    user, version = current_user(), request.form.get("version", 0, type=int)
    _desk().remove(number, version, user.name, sources=user.visible_sources)
    current_services().wake(interactive=False)
    return go(PAGE, "removed", q=form_text("q") or None)


def _unit(
    found: AnnotatedUnit,
    cuts: tuple[int, ...],
    references: tuple[str, ...],
    *,
    own_cuts: bool | None = None,
    own_references: bool | None = None,
    typed: str = "",
    failure: AuskunftError | None = None,
) -> Response:
    """The form with these cuts and references.

    ``own_cuts``, ``own_references``: True if set by hand; by default as in the stored annotation.
    """
    stored = found.annotation
    has_cuts, has_references = (
        stored is not None and each is not None
        for each in (stored and stored.cuts, stored and stored.references)
    )
    return render(
        "annotation.html",
        failure,
        unit=found,
        mark=MARK,
        text=typed or marked(found.text, cuts),
        chunks=len(cuts) + 1,
        references=references,
        own_cuts=has_cuts if own_cuts is None else own_cuts,
        own_references=has_references if own_references is None else own_references,
    )


def _units(words: str) -> list[IndexedPage]:
    """The first pages that the words name, or that have every word in title, address or id."""
    search = current_services().feature(AnnotationServices).unit_search
    return search.find(words, current_user().visible_sources)


def _desk() -> AnnotationDesk:
    return current_services().feature(AnnotationServices).desk
