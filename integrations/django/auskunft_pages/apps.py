"""The Django app for websites without a CMS."""

from auskunft_django.website import Website


class AuskunftConfig(Website):
    """Has the table; every page is reported by ``send_page``."""

    default = True
    name = "auskunft_pages"
