"""``python -m workers worker`` and ``python -m workers beat``: Celery's command line with our application."""

import sys
import warnings

from celery.exceptions import SecurityWarning

from workers.celery_app import app

if __name__ == "__main__":
    # That root runs pickled tasks of others: here tasks are JSON, and nothing else is accepted.
    warnings.simplefilter("ignore", SecurityWarning)
    app.start(sys.argv[1:])
