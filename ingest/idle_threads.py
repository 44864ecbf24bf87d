"""Makes idle threads of numerical libraries sleep: otherwise they spin and slow everything else down."""

import os


def let_idle_threads_sleep() -> None:
    """Make waiting OpenMP threads sleep. Call this before the library is loaded: it reads the environment
    only then."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
