"""The application: imports ingest, never workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from apiflask import APIFlask

    from app.feature import Feature
    from app.services import Services
    from app.settings.settings import Settings


def create_app(
    settings: Settings | None = None,
    services: Services | None = None,
    *,
    features: Sequence[Feature] | None = None,
    demo: bool = False,
) -> APIFlask:
    """The WSGI application over ``services``, or over new ones made from ``settings`` (default: the
    effective ones). A caller that passes ``services`` closes them. ``features``: those of new services, by
    default all that are installed. ``demo``: True to serve the sample site."""
    # Imported here, so that `import app.errors` or a command that serves nothing does not import Flask.
    from app.application import build  # noqa: PLC0415
    from app.services import Services  # noqa: PLC0415
    from app.settings.settings import load_settings  # noqa: PLC0415

    app = build(services or Services(settings or load_settings(), features))
    if demo:
        from app.web import town  # noqa: PLC0415

        app.register_blueprint(town.blueprint)
    return app
