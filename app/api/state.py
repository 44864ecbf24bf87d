"""The services of the running application."""

from typing import Final, cast

from flask import Flask, current_app

from app.services import Services

_KEY: Final = "auskunft"


def attach(app: Flask, services: Services) -> None:
    """Let the requests of ``app`` use ``services``."""
    app.extensions[_KEY] = services


def current_services() -> Services:
    """The services of the application that handles this request."""
    return cast(Services, current_app.extensions[_KEY])
