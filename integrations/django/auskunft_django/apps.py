"""The Django app."""

from typing import Any

from django.apps import AppConfig
from django.core.signals import request_started
from django.utils.translation import gettext_lazy as _


class AuskunftConfig(AppConfig):
    """Adds the checks, and goes on with what waits."""

    name = "auskunft_django"
    verbose_name = _("Auskunft")

    def ready(self) -> None:
        """Begin."""
        from auskunft_django import checks  # noqa: PLC0415 - models exist from here on

        checks.register()
        request_started.connect(_started)


def _started(**_given: Any) -> None:
    """Go on, in a new process of the server, with what waits since the one before."""
    from auskunft_django import sender  # noqa: PLC0415 - models exist from here on

    request_started.disconnect(_started)
    sender.wake()
