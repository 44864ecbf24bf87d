"""``auskunft worker`` and ``auskunft beat``: the Celery processes of an installation with a broker."""

import os
import sys
from typing import Final, NoReturn

import click

from app.cli.values import WholeNumber
from app.errors import BrokerUnavailableError, InputError
from app.indexing.embedders import check_embedder
from app.presets.collection import Presets
from app.queue.broker import Broker
from app.queue.tasks import BULK, INTERACTIVE
from app.settings.settings import load_settings

QUEUES: Final = (INTERACTIVE, BULK)


@click.command()
@click.option(
    "--concurrency", type=WholeNumber(1, 64), help="Pages indexed at once (default: one per processor)."
)
@click.option(
    "--queues",
    default=",".join(QUEUES),
    show_default=True,
    help=f"Queues to listen to; with {INTERACTIVE} alone it indexes only what somebody is waiting for.",
)
def worker(concurrency: int | None, queues: str) -> None:
    """Index pages as they come in, woken through Redis, until SIGTERM or Ctrl-C."""
    unknown = sorted(set(queues.split(",")) - set(QUEUES))
    if unknown:
        raise InputError(f"unknown queue {unknown[0]!r}: choose from {', '.join(QUEUES)}")
    check_embedder(load_settings(), concurrency or os.cpu_count() or 1)
    # Several workers on one machine need different names.
    options = ["--queues", queues, "--hostname", f"auskunft-{os.getpid()}@%h"]
    options += ["--concurrency", str(concurrency)] if concurrency else []
    _become("worker", *options, "--without-gossip", "--without-mingle")


@click.command()
def beat() -> None:
    """Run the schedule: look for forgotten pages every minute. One process for all workers is enough."""
    _become("beat", "--pidfile=")


def _become(*arguments: str) -> NoReturn:
    """Replace this process by Celery's. Raises ``InputError`` if no broker is set, ``SettingsError`` if a
    preset of the operator's is invalid."""
    settings = load_settings()
    Presets(settings.presets)
    url = settings.broker_url.get_secret_value()
    if not url:
        raise InputError(
            "no broker is set: set AUSKUNFT_BROKER_URL (redis://host:6379/0), "
            "or do without workers: `auskunft serve` indexes what comes in"
        )
    try:
        Broker(url).eviction_policy()
    except BrokerUnavailableError as error:
        click.echo(f"auskunft: {error}; trying until it does", err=True)
    sys.stdout.flush()
    # SIGQUIT is Celery's soft shutdown, which lets tasks end; it reads this from the environment.
    # -P: the working folder may contain a package with the name of ours.
    command = [sys.executable, "-P", "-m", "workers", "--quiet", *arguments, "--loglevel", "warning"]
    os.execvp("env", ["env", "REMAP_SIGTERM=SIGQUIT", *command])
