"""Sends all pages: at the beginning, after bulk changes by scripts, or every night."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from auskunft_django import queue


class Command(BaseCommand):
    """``manage.py auskunft_send_all``."""

    help = "Sends all pages to Auskunft, and removes there what is not public any more."

    def handle(self, **_options: Any) -> None:
        """Mark all pages, and send."""
        queue.mark_all()
        call_command("auskunft_send", stdout=self.stdout, stderr=self.stderr)
