"""The texts of a site that admins write here to replace those of the settings."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import request, url_for
from markupsafe import Markup
from pydantic import Field, ValidationError
from werkzeug.wrappers import Response

from app.api.headers import HEADERS
from app.api.state import current_services
from app.chat.text.catalogue import no_answer
from app.chat.text.render import BlockRenderer
from app.console.pages import current_user, go, make_blueprint, render
from app.console.sites import site_of
from app.console.texts import TEXTS, console_language
from app.errors import AuskunftError, ConflictError, InputError
from app.pages.column_types import storable
from app.pages.site_texts import UNCHANGED, SiteTextRecord
from app.settings.sites import MOST_EXAMPLES, SiteSettings, SiteTexts
from app.web.chat import render_chat
from ingest.text import visible

PAGE: Final = "site_texts.page"
FIELDS: Final = ("site_name", "subject", "contact", "examples")
"""The form's fields."""

MOST_CHARACTERS: Final = 100_000
"""Characters kept of a field: more than can be saved, so that nothing valid is cut."""

blueprint = make_blueprint("site_texts", __name__, "/sites", for_admins=True)


class WrittenTexts(SiteTexts):
    """Texts as they may be written here. ``contact`` is short, because every refusal repeats it."""

    contact: str = Field(default="", max_length=500)


@blueprint.get("/<key>/texts")
def page(key: str) -> Response:
    """The form. ``?preview``: with the typed texts, and the chat as it would look."""
    site = site_of(key)
    if "preview" not in request.args:
        return _form(site, SiteTexts.model_validate(site, from_attributes=True).model_dump())
    typed = _typed(request.args)
    problems = _problems(site, typed)
    return _form(site, typed, problems, shows_preview=not problems)


@blueprint.post("/<key>/texts")
def change(key: str) -> Response:
    """Store the texts that differ from the settings."""
    site, typed = site_of(key), _typed(request.form)
    if problems := _problems(site, typed):
        failure = InputError("some fields cannot be saved: correct those that are marked")
        return _form(site, typed, problems, failure)
    try:
        _save(site, typed)
    except ConflictError as error:
        return _form(site, typed, failure=error)
    return go(PAGE, "site_texts", key=key)


@blueprint.post("/<key>/texts/back")
def restore(key: str) -> Response:
    """Return to the settings' texts."""
    site = site_of(key)
    try:
        _save(site, {})
    except ConflictError as error:
        return _form(site, site.model_dump(), failure=error)
    return go(PAGE, "site_texts_back", key=key)


@blueprint.get("/<key>/texts/preview")
def preview(key: str) -> Response:
    """The chat with the typed texts, for a frame of the console; its forms send nothing."""
    site, typed = site_of(key), _typed(request.args)
    response = render_chat(site.model_copy(update={} if _problems(site, typed) else typed))
    policy = HEADERS["Content-Security-Policy"].replace("form-action 'self'", "form-action 'none'")
    response.headers["Content-Security-Policy"] = policy
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def _save(site: SiteSettings, typed: Mapping[str, Any]) -> None:
    """Store the texts that differ from the settings. Raises ``ConflictError``."""
    services, declared = current_services(), _declared(site)
    texts = {name: value for name, value in typed.items() if value != declared[name]}
    record = _record(site)
    if texts == record.texts:
        return
    version = request.form.get("version", 0, type=int)
    services.site_texts.save(
        site.key,
        texts,
        current_user().name,
        version=version,
        before={**declared, **record.texts},
        after=declared | texts,
    )


def _typed(form: Mapping[str, str]) -> dict[str, Any]:
    """The form's texts, by the names of settings."""
    name, subject, contact, examples = (form.get(field, "") for field in FIELDS)
    return _clean(name, subject, contact, _text(examples).splitlines())


def _clean(name: str, subject: str, contact: str, examples: Sequence[str]) -> dict[str, Any]:
    """Strip the texts, and remove duplicate examples."""
    lines = [*dict.fromkeys(filter(None, map(_line, examples)))]
    return {"name": _line(name), "subject": _line(subject), "contact": _text(contact), "examples": lines}


def _problems(site: SiteSettings, typed: Mapping[str, Any]) -> dict[str, str]:
    """The fields that cannot be saved, each with the reason. Texts equal to the settings' are not checked."""
    texts, declared = TEXTS[console_language()], _declared(site)
    try:
        WrittenTexts.model_validate({name: text for name, text in typed.items() if text != declared[name]})
    except ValidationError as error:
        found = {}
        for each in error.errors():
            field, *place = each["loc"]
            problem = texts[f"site_texts_{each['type']}"].format(**each["ctx"])
            line = texts["site_texts_line"].format(number=int(place[0]) + 1, problem=problem) if place else ""
            found[str(field)] = line or problem
        return found
    return {}


def _form(
    site: SiteSettings,
    typed: Mapping[str, Any],
    problems: Mapping[str, str] | None = None,
    failure: AuskunftError | None = None,
    *,
    shows_preview: bool = False,
) -> Response:
    language, record = console_language(), _record(site)
    contact = typed["contact"] or current_services().settings.contact
    answer = no_answer(language, has_sources=False, contact=contact)
    names = {"site_name": typed["name"], "examples": "\n".join(typed["examples"])}
    return render(
        "site_texts.html",
        failure,
        site=site,
        typed={"subject": typed["subject"], "contact": typed["contact"], **names},
        declared={name: _declared(site)[name] for name in record.texts},
        record=record,
        version=request.values.get("version") or record.version,
        problems=problems or {},
        most_examples=MOST_EXAMPLES,
        frame=_frame(site, request.args) if shows_preview else "",
        rendered=Markup(BlockRenderer(all_links=True).render(answer)),
    )


def _frame(site: SiteSettings, form: Mapping[str, str]) -> str:
    fields: dict[str, Any] = {name: form.get(name, "") for name in FIELDS}
    return url_for("site_texts.preview", key=site.key, lang=console_language(), **fields)


def _record(site: SiteSettings) -> SiteTextRecord:
    return current_services().site_texts.all().get(site.key, UNCHANGED)


def _declared(site: SiteSettings) -> dict[str, Any]:
    """The texts as the settings have them."""
    found = current_services().chat.sites.declared(site.key)
    return _clean(found.name, found.subject, found.contact, found.examples)


def _line(text: str) -> str:
    return " ".join(_text(text).split())


def _text(text: str) -> str:
    return visible(storable(text[:MOST_CHARACTERS].replace("\r\n", "\n"))).strip()
