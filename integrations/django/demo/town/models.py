"""What the demo site shows."""

from typing import Any

from auskunft_django.changes import delete_page, send_page
from django.db import models
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.urls import reverse


class Event(models.Model):
    """An event with a page of its own."""

    title = models.CharField(max_length=200)
    cancelled = models.BooleanField(default=False)

    def get_absolute_url(self) -> str:
        """Return the path of its page."""
        return reverse("event", args=[self.pk])


@receiver(post_save, sender=Event)
def _saved(instance: Event, **_given: Any) -> None:
    send_page(instance.get_absolute_url())


@receiver(post_delete, sender=Event)
def _deleted(instance: Event, **_given: Any) -> None:
    delete_page(instance.get_absolute_url())
