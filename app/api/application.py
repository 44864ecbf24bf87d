"""Puts the web application together: configuration, blueprints, errors, headers."""

from importlib.metadata import version
from typing import Final

from apiflask import APIFlask

from app.api import admin, chat, events, feedback, headers, health, metrics, problem, questions, search
from app.api.json import StrictJson
from app.api.state import attach
from app.services import Services
from app.web import page

BODY_BYTES: Final = 64 * 1024


def build(services: Services) -> APIFlask:
    """The application; nothing of it needs a request to be built."""
    app = APIFlask(
        "app",
        title="Auskunft",
        version=version("auskunft"),
        docs_path=None,
        static_folder="web/static",
        template_folder="web/templates",
    )
    app.config.update(
        MAX_CONTENT_LENGTH=BODY_BYTES, AUTO_VALIDATION_ERROR_RESPONSE=False, AUTO_404_RESPONSE=False
    )
    app.security_schemes = {"AdminToken": {"type": "http", "scheme": "bearer"}}
    app.json = StrictJson(app)
    attach(app, services)
    for blueprint in (
        search.blueprint,
        chat.blueprint,
        events.blueprint,
        feedback.blueprint,
        admin.blueprint,
        questions.blueprint,
        health.blueprint,
        metrics.blueprint,
        page.blueprint,
    ):
        app.register_blueprint(blueprint)
    problem.register(app)
    headers.register(app)
    return app
