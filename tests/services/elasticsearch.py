"""A real Elasticsearch for the tests: one node on loopback, without containers.

``python -m tests.services.elasticsearch`` holds one open until it is interrupted. The version is
``AUSKUNFT_TEST_ELASTICSEARCH_VERSION``, else :func:`newest`.
"""

import os
import shutil
import signal
import ssl
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import httpx

from tests.services import MissingServiceError, jdk
from tests.services.distribution import minimum_java
from tests.services.node import JAVA_OPTIONS, Node
from tests.services.process import ServerProcess

NEWEST: Final = "9.5.3"
OLDER: Final = "8.19.14"
"""Of the major version before, which is supported too."""

START_SECONDS: Final = 400.0
POLL_SECONDS: Final = 0.1


class Elasticsearch:
    """A server with data of its own, which ``stop`` and the end of a ``with`` block remove.

    ``security`` asks for user and password (``basic_auth``); ``tls`` asks for them too and serves HTTPS with
    a certificate that only ``ca_certs`` and ``fingerprint`` vouch for. ``java_options``: its heap and the
    like. ``java_home``: of the Java to run it with. The address is known once it started.
    """

    def __init__(
        self,
        *,
        version: str | None = None,
        security: bool = False,
        tls: bool = False,
        java_options: str = JAVA_OPTIONS,
        java_home: Path | None = None,
    ) -> None:
        self.version = version or os.environ.get("AUSKUNFT_TEST_ELASTICSEARCH_VERSION") or newest()
        self._security = security or tls
        self._tls = tls
        self._java_options = java_options
        self._java_home = java_home
        self._node: Node | None = None
        self._process: ServerProcess | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The address, without user and password."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.node.port}"

    @property
    def basic_auth(self) -> tuple[str, str] | None:
        """User and password; ``None`` without security."""
        return self.node.basic_auth

    @property
    def ca_certs(self) -> Path | None:
        """The certificate to trust, in PEM format; ``None`` without TLS."""
        return self.node.certificate.certificate if self.node.certificate else None

    @property
    def fingerprint(self) -> str | None:
        """The certificate's SHA-256 in hexadecimal; ``None`` without TLS."""
        return self.node.certificate.fingerprint if self.node.certificate else None

    @property
    def node(self) -> Node:
        """The folder and port of the server."""
        if self._node is None:
            raise RuntimeError("the server was never started, or stopped for good")
        return self._node

    @property
    def process(self) -> ServerProcess:
        """The running server."""
        if self._process is None:
            raise RuntimeError("the server is not running")
        return self._process

    def start(self) -> None:
        """Start the server, with the data and port it had if it was killed, and wait until it serves them."""
        if self._process:
            raise RuntimeError("the server is running already")
        try:
            self._node = self._node or Node.prepare(
                self.version,
                security=self._security,
                tls=self._tls,
                java_options=self._java_options,
                java_home=self._java_home,
            )
            self._process = self._node.launch()
            self._wait_until_healthy()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the server at once and remove its data; nothing happens if that was done."""
        if self._process:
            self.kill()
        if self._node:
            shutil.rmtree(self._node.folder)
        self._node = None

    def kill(self) -> None:
        """End the server as a power failure would; its data stay for ``start``."""
        self.process.kill()
        self._process = None

    def suspend(self) -> None:
        """Freeze the server: it accepts connections and answers nothing."""
        self.process.signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a frozen server go on."""
        self.process.signal(signal.SIGCONT)

    def _wait_until_healthy(self) -> None:
        """Poll, for a server says in no other way that its data can be searched."""
        deadline = time.monotonic() + START_SECONDS
        wanted = [("/_cluster/health", "yellow")]
        if self._security:
            # The server makes this index right after its first start and takes no password meanwhile.
            wanted.append(("/_cluster/health/.security", "green"))
        verify = ssl.create_default_context(cafile=self.ca_certs) if self.ca_certs else True
        with httpx.Client(base_url=self.url, auth=self.basic_auth, verify=verify, trust_env=False) as client:
            while not all(_reached(client, path, status) for path, status in wanted):
                if not self.process.running() or time.monotonic() > deadline:
                    output = self.node.output.read_text("utf-8", "replace")
                    raise RuntimeError(f"Elasticsearch {self.version} did not start:\n{output[-4000:]}")
                time.sleep(POLL_SECONDS)


def _reached(client: httpx.Client, path: str, status: str) -> bool:
    try:
        answer = client.get(path, params={"wait_for_status": status, "timeout": "1s"})
    except httpx.TransportError:
        return False
    return answer.status_code == 200


def newest() -> str:
    """The newest supported version that a Java of this machine runs."""
    try:
        jdk.lowest(minimum_java(NEWEST))
    except MissingServiceError:
        return OLDER
    return NEWEST


def main() -> None:
    """Hold a server open until SIGINT or SIGTERM, or until it ends by itself."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Elasticsearch() as server:
            sys.stdout.write(f"{server.url}\n")
            sys.stdout.flush()
            server.process.wait()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
