"""The services of one pool process, built in it: connections, locks and models do not survive a fork."""

import logging
import sys
from functools import cache

import structlog
from celery.signals import worker_process_init, worker_process_shutdown

from app.services import Services
from app.settings import load_settings


@cache
def services() -> Services:
    """This process's parts, made by its first task."""
    return Services(load_settings())


@worker_process_init.connect
def _begin(**_: object) -> None:
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


@worker_process_shutdown.connect
def _end(**_: object) -> None:
    if services.cache_info().currsize:
        services().close()
