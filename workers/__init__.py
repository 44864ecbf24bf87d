"""Celery workers: thin tasks around :mod:`app`, woken through Redis. The page store is the queue."""
