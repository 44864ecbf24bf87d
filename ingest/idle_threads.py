"""Idle threads of numerical libraries sleep: they would spin, and slow everything else down."""

import os


def let_idle_threads_sleep() -> None:
    """Have threads of OpenMP sleep while they wait. Before the library is loaded, which reads it from the
    environment alone."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
