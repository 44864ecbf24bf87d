"""The queue's table."""

from auskunft_django import models


class Entry(models.Entry):
    """A view's page by its address."""
