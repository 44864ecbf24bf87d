"""The Django app for django CMS."""

from auskunft_django.website import Website
from django.contrib import admin
from django.urls import URLPattern, path


class AuskunftConfig(Website):
    """Connects the signals."""

    default = True
    name = "auskunft_djangocms"

    def ready(self) -> None:
        """Listen to what editors do."""
        from auskunft_djangocms import handlers  # noqa: PLC0415 - models exist from here on

        handlers.connect()

    def admin_urls(self) -> list[URLPattern]:
        """Return the address of drafts."""
        from auskunft_djangocms import drafts  # noqa: PLC0415 - as above

        name = "auskunft_djangocms_entry_draft"
        return [path("draft/<int:content>/", admin.site.admin_view(drafts.view), name=name)]
