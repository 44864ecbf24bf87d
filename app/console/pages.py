"""Common parts of all console pages: log-in, layout, messages, headers."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from operator import attrgetter
from pkgutil import resolve_name
from typing import Any, Final, NamedTuple

import structlog
from apiflask import APIBlueprint
from flask import Response as FlaskResponse
from flask import current_app, g, make_response, redirect, render_template, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from app.accounts.types import User
from app.api.access import SAFE_METHODS, find_user, require_own_page
from app.api.headers import HEADERS
from app.api.problem import retry_headers
from app.api.state import current_services
from app.chat.sites import DEFAULT_KEY
from app.chat.text.catalogue import describe
from app.console.addresses import PREFIX
from app.console.formats import formats
from app.console.messages import failure_text, reason_text, translated
from app.console.texts import LANGUAGE_COOKIE, TEXTS, console_language
from app.console.unsent import UnsentForm, typed_fields
from app.errors import AuskunftError, ForbiddenError, InputError, LoginError, NotFoundError
from app.feature import MenuEntry
from app.web.rendering import requested_address
from app.web.texts import LANGUAGES

LOGIN: Final = "login.form"
UNSENT: Final = "login.unsent"
PROBLEM: Final = "problem.html"

_NO_FRAMES: Final = {
    "Content-Security-Policy": HEADERS["Content-Security-Policy"].replace(
        "frame-ancestors 'self'", "frame-ancestors 'none'; frame-src 'self'"
    ),
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
}
_YEAR: Final = 365 * 24 * 3600
_HTTP_TEXTS: Final = {404: "missing", 405: "missing", 413: "long"}
"""Names of texts, by status."""

log = structlog.get_logger(__name__)


class MenuSection(NamedTuple):
    """Lines of the menu under a heading. ``name``: the name of the heading's text, without ``menu_``."""

    name: str
    entries: tuple[MenuEntry, ...]


MENU_GROUPS: Final = ("content", "running")

MENU: Final = (
    MenuEntry("overview.page", "menu_overview", order=10),
    MenuEntry("page_list.page", "menu_pages", order=60),
    MenuEntry("sources.page", "menu_sources", order=10, group="running"),
    MenuEntry("sites.page", "menu_sites", order=20, group="running"),
    MenuEntry("search_index.page", "menu_index", order=30, group="running", for_admins=True),
    MenuEntry("users.page", "menu_users", order=50, group="running", for_admins=True),
    MenuEntry("settings.page", "menu_settings", order=60, group="running", for_admins=True),
    MenuEntry("log.page", "menu_log", order=70, group="running", for_admins=True),
)
"""The console's own entries; features add theirs."""

blueprint = APIBlueprint(
    "console",
    __name__,
    enable_openapi=False,
    template_folder="templates",
    static_folder="static",
    static_url_path=f"{PREFIX}/static",
)


def make_blueprint(
    name: str, module: str, path: str = "", *, for_admins: bool = False, templates: str | None = None
) -> APIBlueprint:
    """Return a blueprint for pages below ``/admin`` that require a log-in. ``templates``: a feature's
    template folder beside ``module``; its subfolder ``console`` has the templates."""
    made = APIBlueprint(
        name, module, url_prefix=f"{PREFIX}{path}", enable_openapi=False, template_folder=templates
    )
    made.before_request(_require_login)
    if for_admins:
        made.before_request(_require_admin)
    prepare_responses(made)
    return made


def prepare_responses(blueprint: APIBlueprint) -> None:
    """Add the console's headers to a blueprint's responses, and show its errors as console pages."""
    blueprint.after_request(add_headers)
    show_problems(blueprint)


def show_problems(blueprint: APIBlueprint) -> None:
    """Show all errors of a blueprint as console pages."""
    blueprint.register_error_handler(AuskunftError, _problem)
    blueprint.register_error_handler(HTTPException, _http_problem)
    blueprint.register_error_handler(Exception, _unexpected_problem)


def add_headers(response: FlaskResponse) -> FlaskResponse:
    """Forbid frames and caching, and store a language that was chosen outside a frame in a cookie."""
    is_framed = "X-Frame-Options" in response.headers
    for name, value in _NO_FRAMES.items():
        response.headers.setdefault(name, value)
    if request.args.get("lang") in LANGUAGES and not is_framed:
        chosen = request.args["lang"]
        response.set_cookie(LANGUAGE_COOKIE, chosen, max_age=_YEAR, httponly=True, samesite="Lax")
    return response


def current_user() -> User:
    """Return the user who is logged in. Raises ``LoginError`` if nobody is."""
    user = find_user()
    if user is None:
        raise LoginError("log in first")
    return user


def render(
    template: str, failure: AuskunftError | None = None, *, is_done: bool = False, **content: Any
) -> Response:
    """Render a page in the user's language. ``failure``: sets the status; its message is shown above the
    page. ``is_done``: True if the form changed something and must not be sent again."""
    language = console_language()
    texts, user = TEXTS[language], user_or_none()
    is_form = request.method not in SAFE_METHODS
    is_refused = template == PROBLEM or _is_log_in()
    can_be_repeated = not is_refused and not is_done
    languages = LANGUAGES if can_be_repeated or not is_form else ()
    if failure and failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _note(failure)
    html = render_template(
        f"console/{template}",
        texts=texts,
        language=language,
        in_languages={each: requested_address(lang=each) for each in languages},
        repeated=typed_fields() if is_form and can_be_repeated else None,
        user=user,
        menu=_menu(user),
        here=_here(),
        logout_is_ours=not current_services().settings.console.user_header,
        logout_url=current_services().settings.console.logout_url,
        done=texts.get(f"done_{request.args.get('done', '')}", ""),
        failure=failure_text(failure, texts, language),
        describe=describe,
        reason_text=lambda reason: reason_text(reason, language),
        told=lambda said: translated(said, language),
        site_name=_site_names(texts),
        edit_url=_edit_url,
        has_page=lambda endpoint: endpoint in current_app.view_functions,
        **formats(language, texts),
        **content,
    )
    return make_response(html, failure.status, retry_headers(failure)) if failure else make_response(html)


def boxes(subject: object) -> list[tuple[str, Any]]:
    """Return features' additions to this page, which is about ``subject``: templates with their content."""
    added = (box for feature in current_services().features for box in feature.boxes)
    return [
        (box.template, resolve_name(box.content)(subject))
        for box in added
        if box.endpoint == request.endpoint
    ]


def _note(failure: AuskunftError) -> None:
    """Log a failure of which the page only says that it does not work now."""
    log.error("request_failed", code=failure.code, message=str(failure))


def go(endpoint: str, done: str = "", **values: Any) -> Response:
    """Redirect after a form, so that reloading does not send it again. ``done``: the name of the text that
    says what was done, without ``done_``."""
    if done:
        values["done"] = done
    return redirect(url_for(endpoint, **values), 303)


def form_text(name: str, characters: int = 200) -> str:
    """Return a field of the form, stripped. Raises ``InputError`` if it is too long or contains NUL."""
    text = request.form.get(name, "").strip()
    if "\0" in text:
        raise InputError("{name} contains a NUL character: remove it", name=name)
    if len(text) > characters:
        raise InputError("{name} is too long: use up to {count} characters", name=name, count=characters)
    return text


def _require_login() -> Response | None:
    require_own_page()
    if user_or_none() is not None:
        return None
    wanted = request.full_path.rstrip("?")
    if request.method == "POST":
        return _with_body(url_for(UNSENT, to=wanted))
    if request.method not in SAFE_METHODS:
        return go(LOGIN, "expired")
    return redirect(url_for(LOGIN, next=wanted if wanted != f"{PREFIX}/" else None), 303)


def _with_body(address: str) -> Response:
    """Redirect so that the browser sends the same body. Without the referrer policy, older browsers would
    no longer show that it comes from our own pages."""
    response = redirect(address, 307)
    response.headers["Referrer-Policy"] = "same-origin"
    return response


def user_or_none() -> User | None:
    """Return the user who is logged in, or None."""
    try:
        return find_user()
    except LoginError:
        return None


def _require_admin() -> None:
    if not current_user().is_admin:
        raise ForbiddenError("only admins may see this page")


def _problem(error: AuskunftError) -> Response:
    """An error of ours as a page."""
    language = console_language()
    texts = TEXTS[language]
    if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _note(error)
        response = _problem_page(error.status, texts["problem_later"], texts["problem_later_text"])
    elif isinstance(error, NotFoundError):
        response = _problem_page(error.status, texts["problem_missing"], texts["problem_missing_text"])
    else:
        response = _problem_page(error.status, texts["problem_title"], failure_text(error, texts, language))
    response.headers.update(retry_headers(error))
    return response


def _http_problem(error: HTTPException) -> Response:
    """An HTTP error as a page, worded by its status, because Werkzeug's messages are English and for
    developers."""
    texts, status = TEXTS[console_language()], error.code or HTTPStatus.BAD_REQUEST
    name = _HTTP_TEXTS.get(status, "request")
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        name = "later"
    title = texts.get(f"problem_{name}", texts["problem_title"])
    response = _problem_page(status, title, texts[f"problem_{name}_text"])
    response.headers.update({name: value for name, value in error.get_headers() if name == "Retry-After"})
    return response


def _unexpected_problem(error: Exception) -> Response:
    """Log an unexpected error; the page only says that something broke."""
    log.error("request_broke", exc_info=error)
    g.setdefault("user", None)  # because finding the user may have raised the error
    texts = TEXTS[console_language()]
    return _problem_page(
        HTTPStatus.INTERNAL_SERVER_ERROR, texts["problem_broken"], texts["problem_broken_text"]
    )


def _problem_page(status: int, title: str, text: str) -> Response:
    with suppress(AuskunftError):
        find_user()
    g.setdefault("user", None)  # a refused user has no menu
    response = render(PROBLEM, title=title, text=text, unsent=_unsent(status))
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"  # also in the place of a static file
    return response


def _unsent(status: int) -> UnsentForm | None:
    """The text typed into a form that failed, if a later attempt may succeed. Forms that another website made
    a browser send never get here, because they are refused before."""
    if request.method != "POST" or status < HTTPStatus.INTERNAL_SERVER_ERROR or _is_log_in():
        return None
    with suppress(HTTPException):  # the form is too large
        return UnsentForm.failed()
    return None


def _is_log_in() -> bool:
    return request.blueprint == LOGIN.partition(".")[0]


def _menu(user: User | None) -> list[MenuSection]:
    """The entries that the user may see."""
    if user is None:
        return []
    seen = [entry for entry in _entries() if _sees(user, entry)]
    sections = [
        MenuSection(name, tuple(entry for entry in seen if entry.group == name)) for name in MENU_GROUPS
    ]
    return [section for section in sections if section.entries]


def _sees(user: User, entry: MenuEntry) -> bool:
    if (entry.for_admins and not user.is_admin) or entry.endpoint not in current_app.view_functions:
        return False
    return not entry.is_shown or bool(resolve_name(entry.is_shown)(current_services()))


def _entries() -> list[MenuEntry]:
    """All entries of the menu, in their order."""
    added = (entry for feature in current_services().features for entry in feature.menu)
    return sorted([*MENU, *added], key=attrgetter("order"))


def _here() -> str:
    """The endpoint of the menu entry that the page belongs to: its blueprint has the same address prefix."""
    own = request.blueprint or ""
    beginnings = {name: each.url_prefix for name, each in current_app.blueprints.items()}
    beginning = beginnings.get(own)
    alike = {own} if beginning == PREFIX else {name for name, each in beginnings.items() if each == beginning}
    return next((each.endpoint for each in _entries() if each.endpoint.split(".")[0] in alike), "")


def _site_names(texts: Mapping[str, str]) -> Callable[[str], str]:
    """A function that names sites by key. It looks the names up once for a page, on first use."""

    @cache
    def names() -> dict[str, str]:
        services = current_services()
        return {site.key: site.name for site in (*services.settings.sites, *services.chat.sites.all())}

    return lambda key: names().get(key) or (texts["site_default"] if key == DEFAULT_KEY else key)


def _edit_url(source: str, page_id: str, url: str) -> str:
    """The URL at which the CMS edits a page; empty if the settings have none."""
    table = current_services().settings.sources.get(source)
    return table.edit_address(page_id, url) if table else ""


show_problems(blueprint)
