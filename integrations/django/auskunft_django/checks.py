"""What ``manage.py check`` says about the settings."""

from typing import Any

from django.apps import apps
from django.core import checks
from django.db import connection

from auskunft_django import config
from auskunft_django.website import website


def register() -> None:
    """Add the check to those of Django."""
    checks.register(check)


def check(**_options: Any) -> list[checks.CheckMessage]:
    """Return what is wrong, and what to do."""
    try:
        website()
    except LookupError as error:
        return [checks.Error(str(error), id="auskunft_django.E003")]
    try:
        found = config.load()
    except config.ConfigError as error:
        return [checks.Error(str(error), id="auskunft_django.E001")]
    if found is None:
        hint = "set AUSKUNFT = {'url': …, 'source': …, 'secret': …}"
        return [
            checks.Warning("Auskunft is not configured, nothing is sent", hint, id="auskunft_django.W001")
        ]
    known = {kind.lower() for kind in website().pages.kinds()}
    messages: list[checks.CheckMessage] = [
        checks.Error(
            f"AUSKUNFT['exclude']: there is no page type or template {label!r}", id="auskunft_django.E002"
        )
        for label in found.exclude
        if label.lower() not in known
    ]
    if apps.is_installed("auskunft_pages") and not found.website:
        hint = "set AUSKUNFT['website'] = 'https://www.town.example'"
        messages.append(checks.Error("AUSKUNFT['website'] is missing", hint, id="auskunft_django.E004"))
    options = connection.settings_dict.get("OPTIONS", {})
    if connection.vendor == "sqlite" and options.get("transaction_mode") != "IMMEDIATE":
        hint = "set DATABASES['default']['OPTIONS'] = {'transaction_mode': 'IMMEDIATE', 'timeout': 20}"
        said = "SQLite may refuse an editor's save while pages are being sent"
        messages.append(checks.Warning(said, hint, id="auskunft_django.W002"))
    return messages
