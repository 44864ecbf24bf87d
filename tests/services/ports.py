"""Ports for servers on loopback."""

import random
import socket
from typing import Final

# Below the range of outgoing connections: one of those could take the port while the server is down, and a
# client that keeps trying to connect could even reach itself.
PORTS: Final = range(20_000, 32_000)


def free_port() -> int:
    """A port that nobody listens on."""
    for port in random.sample(PORTS, len(PORTS)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError(f"no free port from {PORTS.start} to {PORTS.stop - 1}")
