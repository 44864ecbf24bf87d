"""``python -m workers worker`` and ``python -m workers beat``: Celery's command line with our application."""

import sys
import warnings

from celery.exceptions import CPendingDeprecationWarning, SecurityWarning

from workers.celery_app import app

if __name__ == "__main__":
    # It warns of running pickled tasks as root, but our tasks are JSON, and nothing else is accepted.
    warnings.simplefilter("ignore", SecurityWarning)
    # It warns of a setting that we chose deliberately (workers.celery_app).
    warnings.simplefilter("ignore", CPendingDeprecationWarning)
    app.start(sys.argv[1:])
