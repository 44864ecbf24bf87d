"""Features are tried in the installation whose console people use."""

from tests.app.chat.conftest import model
from tests.app.console.conftest import admin, console, editor, german, services

__all__ = ["admin", "console", "editor", "german", "model", "services"]
