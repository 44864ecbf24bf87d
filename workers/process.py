"""The services of one pool process, built in it: connections, locks and models do not survive a fork."""

from functools import cache

from celery.signals import worker_process_shutdown

from app.services import Services
from app.settings.settings import load_settings


@cache
def services() -> Services:
    """Return this process's services, built by its first task."""
    made = Services(load_settings())
    made.start()
    return made


@worker_process_shutdown.connect
def _end(**_: object) -> None:
    if services.cache_info().currsize:
        services().close()
