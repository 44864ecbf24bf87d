"""The queue's table."""

from auskunft_django import models


class Entry(models.Entry):
    """A page by its id, or a view's page by its address."""
