"""Pages that no CMS knows: a view's, by their address."""

from django.conf import settings
from django.utils.translation import get_language_from_path

from auskunft_django.website import Version, two_letters


def is_address(page: str) -> bool:
    """Tell an entry's address from the id of a CMS."""
    return page.startswith("/")


def version(path: str, website: str) -> Version:
    """Return the page at a path of the website at an address, in the language that the path begins with."""
    code = get_language_from_path(path) or settings.LANGUAGE_CODE
    return Version(id=path, language=two_letters(code), url=website.rstrip("/") + path, code=code)
