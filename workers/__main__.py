"""``python -m workers worker`` and ``python -m workers beat``: Celery's command line with our application."""

import sys

from workers.celery_app import app

if __name__ == "__main__":
    app.start(sys.argv[1:])
