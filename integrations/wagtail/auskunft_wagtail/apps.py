"""The Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AuskunftConfig(AppConfig):
    """Connects the signals and the checks."""

    name = "auskunft_wagtail"
    label = "auskunft_wagtail"
    verbose_name = _("Auskunft")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen to what editors do."""
        from auskunft_wagtail import checks, handlers  # noqa: PLC0415 - models exist from here on

        checks.register()
        handlers.connect()
