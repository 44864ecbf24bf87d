"""Sends what waits; for cron, every minute."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from auskunft_django import client, config, queue, sender


class Command(BaseCommand):
    """``manage.py auskunft_send``."""

    help = "Sends to Auskunft what is due. Run it every minute by cron."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take ``--now``."""
        parser.add_argument("--now", action="store_true", help="send also what is put off for later")

    def handle(self, *, now: bool, **_options: Any) -> None:
        """Send; fail if Auskunft is away."""
        if now:
            queue.hurry()
        try:
            sent = sender.send_due()
        except (client.AwayError, config.ConfigError, sender.NotConfiguredError) as error:
            raise CommandError(str(error)) from error
        left = queue.waiting().count()
        self.stdout.write(_("%(sent)s pages sent, %(left)s wait") % {"sent": sent, "left": left})
