"""Pages of the console for editors' decisions about answers."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import request
from markupsafe import Markup
from werkzeug.wrappers import Response

from app.api.access import visible_sites
from app.api.state import current_services
from app.chat.text.plain_text import plain_text
from app.chat.text.render import BlockRenderer
from app.console.pages import current_user, form_text, go, make_blueprint, render
from app.errors import AuskunftError, BroadCurationError, InputError, NotFoundError
from app.features.curation.content import (
    FIELDS,
    KINDS,
    TEXT_CHARACTERS,
    Content,
    Entry,
    Kind,
    PinnedPage,
    read_content,
)
from app.features.curation.desk import CurationDesk
from app.features.curation.preview import Preview
from app.features.curation.services import CurationServices
from app.pages.types import PageRecord
from app.settings.sites import SiteSettings

PAGE: Final = "console_curation.page"
FORM: Final = "curation_entry.html"
LISTED: Final = 50

OFFERED: Final = 200
"""Pages offered for pinning; others are found by words in their title."""

MOST_NAMED: Final = 5
"""Pages listed in an error."""

blueprint = make_blueprint("console_curation", __name__, "/answers", templates="templates")


@blueprint.get("")
def page() -> Response:
    """The entries of a site, the newest first."""
    kind = _known_kind(request.args.get("kind", ""))
    below = request.args.get("below", type=int)
    site = request.args.get("site") or None
    visible = current_user().visible_sources
    entries = _desk().entries(site=site, kind=kind, below=below, limit=LISTED, sources=visible)
    older = entries[-1][0].number if len(entries) == LISTED else None
    return render(
        "curation.html",
        entries=entries,
        older=older,
        kinds=sorted(KINDS, key=lambda each: each != "answer"),
        kind=kind,
        site=site,
        sites=visible_sites(),
        page_of=_page_of,
        plain_text=plain_text,
    )


@blueprint.get("/new")
def new() -> Response:
    """The form for an entry of a kind. ``?phrasing=``: a question to begin with."""
    kind = _known_kind(request.args.get("kind", "")) or "answer"
    typed = {"phrasings": request.args.get("phrasing", ""), "words": request.args.get("words", "")}
    return _form(kind, request.args.get("site", ""), typed)


@blueprint.post("/new")
def add() -> Response:
    """Show what an entry would catch, or store it, by the button that was pressed."""
    kind, site = _known_kind(form_text("kind")) or "answer", form_text("site")
    user = current_user()

    def save(content: Content) -> None:
        confirmed = "confirm" in request.form
        _desk().add(site, kind, content, user.name, confirmed=confirmed, sources=user.visible_sources)

    return _preview_or_save(kind, site, None, save)


@blueprint.get("/<int:number>")
def entry(number: int) -> Response:
    """The form for a stored entry."""
    found, _ = _desk().get(number, sources=current_user().visible_sources)
    return _form(found.kind, found.site, _typed(found.content), found)


@blueprint.post("/<int:number>")
def change(number: int) -> Response:
    """Show what the changed entry would catch, or store it."""
    user = current_user()
    found, _ = _desk().get(number, sources=user.visible_sources)

    def save(content: Content) -> None:
        version, confirmed = request.form.get("version", 0, type=int), "confirm" in request.form
        _desk().update(number, version, content, user.name, confirmed=confirmed, sources=user.visible_sources)

    return _preview_or_save(found.kind, found.site, found, save)


@blueprint.post("/<int:number>/remove")
def remove(number: int) -> Response:
    """Remove an entry; the log of changes keeps what it said."""
    user = current_user()
    try:
        version = request.form.get("version", 0, type=int)
        _desk().remove(number, version, user.name, sources=user.visible_sources)
    except NotFoundError:
        raise
    except InputError as error:
        found, _ = _desk().get(number, sources=user.visible_sources)
        return _form(found.kind, found.site, _typed(found.content), found, failure=error)
    return go(PAGE, "removed")


def _preview_or_save(kind: Kind, site: str, found: Entry | None, save: Callable[[Content], None]) -> Response:
    typed = {name: request.form.get(name, "")[: 10 * TEXT_CHARACTERS] for name in request.form}
    try:
        content = read_content(_document(kind))
        if "preview" in request.form:
            seen = _desk().preview(site, kind, content, sources=current_user().visible_sources)
            typed |= {"page": _name_of(content.page)} if content.page else {}
            return _form(kind, site, typed, found, seen=seen, pinned=_page_of(content.page))
        save(content)
    except NotFoundError:
        raise
    except AuskunftError as error:
        return _form(kind, site, typed, found, failure=error)
    return go(PAGE, "saved_paused" if content.paused else "saved", site=site)


def _document(kind: Kind) -> dict[str, Any]:
    """The form's fields as the API takes them."""
    document: dict[str, Any] = {"language": form_text("language"), "owner": form_text("owner")}
    if until := form_text("until"):
        document["until"] = until
    if "paused" in request.form:
        document["paused"] = True
    for name in FIELDS[kind]:
        match name:
            case "phrasings" | "words":
                lines = request.form.get(name, "").splitlines()
                document[name] = [line for line in lines if line.strip()]
            case "page":
                document[name] = _pinned(form_text("page", 2_000))
            case "replaces":
                document[name] = name in request.form
            case _:
                document[name] = request.form.get(name, "")
    return {name: value for name, value in document.items() if value}


def _pinned(text: str) -> dict[str, str]:
    """The page with this address or ``source/id``, otherwise the only one with these words. Raises
    ``InputError``."""
    pages, sources = current_services().page_list, current_user().visible_sources
    named = (pages.named(text, sources, deleted=False) or pages.named(text, sources)) if text else []
    for ref in named:
        return {"source": ref.source, "id": ref.id}
    found = _pages(text, MOST_NAMED + 1) if text else {}
    if len(found) > 1:
        raise InputError(
            "several pages have these words: {pages}: enter the address of one",
            pages="; ".join(f"{page.title} ({_address(page)})" for page in [*found.values()][:MOST_NAMED]),
        )
    for source, page_id in found:
        return {"source": source, "id": page_id}
    raise InputError(
        "there is no such page: enter its address as shown in the browser, or words from its title"
    )


def _pages(text: str, limit: int) -> dict[tuple[str, str], PageRecord]:
    """Pages that may be pinned, by source and id: those with every word in title, address or id."""
    pages, sources = current_services().page_list, current_user().visible_sources
    found = pages.search(text, state="indexed", sources=sources, limit=limit)
    return {(page.ref.source, page.ref.id): page for page in reversed(found)}


def _address(page: PageRecord) -> str:
    """The address of a page, otherwise its source and id."""
    return page.url or f"{page.ref.source}/{page.ref.id}"


def _name_of(pinned: PinnedPage) -> str:
    """The address of a pinned page if no other has it, otherwise its source and id."""
    page, sources = _page_of(pinned), current_user().visible_sources
    if not page or not page.url:
        return f"{pinned.source}/{pinned.id}"
    named = current_services().page_list.named(page.url, sources)
    is_alone = {(ref.source, ref.id) for ref in named} == {(pinned.source, pinned.id)}
    return page.url if is_alone else f"{pinned.source}/{pinned.id}"


def _page_of(pinned: PinnedPage | None) -> PageRecord | None:
    """A pinned page, or ``None`` if it is unknown."""
    if not pinned:
        return None
    return next(iter(current_services().page_list.languages_of(pinned.source, pinned.id)), None)


def _typed(content: Content) -> dict[str, str]:
    """An entry's content as values of the form."""
    return {
        "phrasings": "\n".join(content.phrasings),
        "words": "\n".join(content.words),
        "page": _name_of(content.page) if content.page else "",
        "text": content.text,
        "contact": content.contact,
        "replaces": "on" if content.replaces else "",
        "language": content.language,
        "until": content.until.isoformat() if content.until else "",
        "paused": "on" if content.paused else "",
        "owner": content.owner,
    }


def _form(
    kind: Kind,
    site: str,
    typed: Mapping[str, str],
    found: Entry | None = None,
    *,
    seen: Preview | None = None,
    pinned: PageRecord | None = None,
    failure: AuskunftError | None = None,
) -> Response:
    sites: list[SiteSettings] = visible_sites()
    return render(
        FORM,
        failure,
        kind=kind,
        kinds=KINDS,
        site=site or (sites[0].key if sites else ""),
        sites=sites,
        typed=typed,
        entry=found,
        fields=FIELDS[kind],
        pages=_pages("", OFFERED).values() if kind == "pin" else (),
        address=_address,
        seen=seen,
        pinned=pinned,
        rendered=Markup(BlockRenderer(all_links=True).render(typed.get("text", ""))) if seen else "",
        is_broad=isinstance(failure, BroadCurationError),
    )


def _known_kind(name: str) -> Kind | None:
    return next((kind for kind in KINDS if kind == name), None)


def _desk() -> CurationDesk:
    return current_services().feature(CurationServices).desk
