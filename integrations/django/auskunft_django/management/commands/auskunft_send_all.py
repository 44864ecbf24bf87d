"""Sends all pages: at the beginning, after bulk changes by scripts, or every night."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from auskunft_django import queue


class Command(BaseCommand):
    """``manage.py auskunft_send_all``."""

    help = "Sends all pages to Auskunft, and removes there what is not public any more."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take ``--remove``."""
        parser.add_argument("--remove", action="store_true", help="even if nearly all pages are gone")

    def handle(self, *, remove: bool, **_options: Any) -> None:
        """Mark all pages, and send."""
        queue.mark_all()
        if remove:  # as if editors had done it one by one
            queue.waiting().update(bulk=False)
        call_command("auskunft_send", stdout=self.stdout, stderr=self.stderr)
