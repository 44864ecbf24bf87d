"""``python -m workers.health worker`` or ``beat``: checks that one runs on this machine or in this container.

It queries Redis for the keys by which these processes report that they run. ``celery inspect ping`` would ask
the workers themselves, which takes seconds and imports Celery each time.
"""

import socket
import sys

from app.errors import AuskunftError
from app.queue.broker import Broker
from app.settings.settings import load_settings


def check(kind: str) -> str:
    """Return the problem with this host's process of that kind; empty if there is none."""
    host = socket.gethostname()
    broker = Broker(load_settings().broker_url.get_secret_value())
    names = broker.workers() if kind == "worker" else broker.schedulers()
    return "" if any(name.endswith(f"@{host}") for name in names) else f"no {kind} lives on {host}"


def main() -> None:
    """Exit with 0 if it runs, otherwise with 1 and the reason on one line."""
    try:
        problem = check(sys.argv[1])
    except AuskunftError as error:
        problem = str(error)
    sys.exit(problem or 0)


if __name__ == "__main__":
    main()
