"""What ``manage.py check`` says about the settings."""

from typing import Any

from django.apps import apps
from django.core import checks
from django.db import connection

from auskunft_wagtail import config


def register() -> None:
    """Add the check to those of Django."""
    checks.register(check)


def check(**_options: Any) -> list[checks.CheckMessage]:
    """Return what is wrong, and what to do."""
    try:
        found = config.load()
    except config.ConfigError as error:
        return [checks.Error(str(error), id="auskunft_wagtail.E001")]
    if found is None:
        hint = "set AUSKUNFT = {'url': …, 'source': …, 'secret': …}"
        return [
            checks.Warning("Auskunft is not configured, nothing is sent", hint, id="auskunft_wagtail.W001")
        ]
    known = {model._meta.label_lower for model in apps.get_models()}
    messages: list[checks.CheckMessage] = [
        checks.Error(f"AUSKUNFT['exclude']: there is no page type {label!r}", id="auskunft_wagtail.E002")
        for label in found.exclude
        if label not in known
    ]
    options = connection.settings_dict.get("OPTIONS", {})
    if connection.vendor == "sqlite" and options.get("transaction_mode") != "IMMEDIATE":
        hint = "set DATABASES['default']['OPTIONS'] = {'transaction_mode': 'IMMEDIATE', 'timeout': 20}"
        said = "SQLite may refuse an editor's save while pages are being sent"
        messages.append(checks.Warning(said, hint, id="auskunft_wagtail.W002"))
    return messages
