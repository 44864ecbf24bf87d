"""The Django app for django CMS."""

from auskunft_django.website import Website


class AuskunftConfig(Website):
    """Connects the signals."""

    default = True
    name = "auskunft_djangocms"

    def ready(self) -> None:
        """Listen to what editors do."""
        from auskunft_djangocms import handlers  # noqa: PLC0415 - models exist from here on

        handlers.connect()
