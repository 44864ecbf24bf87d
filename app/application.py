"""Assembles the Flask application: configuration, blueprints, errors, headers."""

from importlib.metadata import version
from pkgutil import resolve_name
from typing import Final

from apiflask import APIFlask
from werkzeug.routing import BaseConverter, IntegerConverter

from app.api import (
    admin,
    chat,
    conversations,
    events,
    feedback,
    headers,
    health,
    hosts,
    installation_admin,
    limits,
    metrics,
    page_admin,
    problem,
    reference,
    search,
    site,
    source_admin,
    user_admin,
)
from app.api.json_body import StrictJson
from app.api.state import attach
from app.console.blueprints import BLUEPRINTS as CONSOLE
from app.services import Services
from app.web import about, api_docs, error_pages, start_page, widget
from app.web import chat as chat_page

BODY_BYTES: Final = 64 * 1024


class SecretConverter(BaseConverter):
    """Matches the ids of answers and conversations in URLs; anything else is a 404."""

    regex = "[A-Za-z0-9_-]{1,64}"


class NumberConverter(IntegerConverter):
    """Matches the numbers of entries in URLs; numbers too large for a database column are a 404."""

    regex = r"\d{1,9}"


def build(services: Services) -> APIFlask:
    """The WSGI application with all its blueprints."""
    app = APIFlask(
        "app",
        title="Auskunft",
        version=version("auskunft"),
        docs_path=None,
        static_folder="web/static",
        template_folder="web/templates",
    )
    app.config.update(
        MAX_CONTENT_LENGTH=BODY_BYTES,
        AUTO_VALIDATION_ERROR_RESPONSE=False,
        AUTO_404_RESPONSE=False,
        AUTO_AUTH_ERROR_RESPONSE=False,
        AUTO_SERVERS=False,  # the document is cached, and would keep the first request's Host
    )
    app.security_schemes = {"AdminToken": {"type": "http", "scheme": "bearer"}}
    app.json = StrictJson(app)
    app.url_map.merge_slashes = False  # its redirect would repeat the request's Host, which anyone can forge
    app.url_map.converters |= {"secret": SecretConverter, "int": NumberConverter}
    attach(app, services)
    hosts.register(app, services.settings)
    limits.register(app, services.settings)
    for blueprint in (
        search.blueprint,
        chat.blueprint,
        conversations.blueprint,
        site.blueprint,
        events.blueprint,
        feedback.blueprint,
        admin.blueprint,
        page_admin.blueprint,
        source_admin.blueprint,
        user_admin.blueprint,
        installation_admin.blueprint,
        health.blueprint,
        metrics.blueprint,
        start_page.blueprint,
        chat_page.blueprint,
        about.blueprint,
        widget.blueprint,
        api_docs.blueprint,
        *CONSOLE,
        *(resolve_name(name) for feature in services.features for name in feature.blueprints),
    ):
        app.register_blueprint(blueprint)
    problem.register(app)
    reference.register(app)
    error_pages.register(app)
    headers.register(app)
    return app
