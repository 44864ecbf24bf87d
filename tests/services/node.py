"""What a server needs before it starts: folders, configuration, certificate and password."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from tests.services.certificate import Certificate, self_signed
from tests.services.distribution import Distribution, distribution
from tests.services.ports import free_port
from tests.services.process import ServerProcess, give_away, readable, unprivileged

USER: Final = "elastic"
PASSWORD: Final = "auskunft-tests"
JAVA_OPTIONS: Final = "-Xms512m -Xmx512m -XX:TieredStopAtLevel=1"
"""Compiled quickly, not well: a start takes two thirds of the processor time."""

_SETTINGS: Final = {
    "cluster.name": "auskunft-tests",
    "network.host": "127.0.0.1",
    # A full disk of the developer's is no business of the tests.
    "cluster.routing.allocation.disk.threshold_enabled": False,
}


_SETTINGS_FILE: Final = "config/elasticsearch.yml"

ALONE: Final = {"discovery.type": "single-node"}
"""Settings of a node that looks for no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A folder to run one server in, over and over, and what its clients must know."""

    folder: Path
    home: Path
    java_home: Path
    port: int
    basic_auth: tuple[str, str] | None
    certificate: Certificate | None
    java_options: str

    @classmethod
    def prepare(
        cls,
        version: str,
        *,
        security: bool = False,
        tls: bool = False,
        settings: Mapping[str, Any] = ALONE,
        java_options: str = JAVA_OPTIONS,
        java_home: Path | None = None,
    ) -> Self:
        """Make the folder, on a free port, with no data. ``settings``: those of ``elasticsearch.yml`` that
        differ from node to node. ``java_home``: instead of the oldest Java that will do."""
        found = distribution(version)
        folder = Path(tempfile.mkdtemp(prefix="auskunft-elasticsearch-"))
        try:
            home = _readable_home(found, folder / "home")
            shutil.copytree(home / "config", folder / "config")
            node = cls(
                folder=folder,
                home=home,
                java_home=java_home or found.java_home,
                port=free_port(),
                basic_auth=(USER, PASSWORD) if security else None,
                certificate=self_signed(folder / "config") if tls else None,
                java_options=java_options,
            )
            node._configure(settings)
        except BaseException:
            shutil.rmtree(folder)
            raise
        return node

    @property
    def output(self) -> Path:
        """What the server prints."""
        return self.folder / "output.log"

    def upgraded(self, version: str) -> Self:
        """The node in another version, with its data and settings; it must not be running."""
        found = distribution(version)
        home = _readable_home(found, self.folder / f"home-{version}")
        settings = (self.folder / _SETTINGS_FILE).read_text("utf-8")
        shutil.rmtree(self.folder / "config")
        shutil.copytree(home / "config", self.folder / "config")
        (self.folder / _SETTINGS_FILE).write_text(settings, "utf-8")
        give_away(self.folder)
        return replace(self, home=home, java_home=found.java_home)

    def launch(self) -> ServerProcess:
        """Start the server; it serves nothing yet."""
        with self.output.open("ab") as output:
            command = [self.home / "bin/elasticsearch"]
            return ServerProcess(command, folder=self.folder, env=self._environment(), output=output)

    def _configure(self, settings: Mapping[str, Any]) -> None:
        own = {
            **_SETTINGS,
            **settings,
            "http.port": self.port,
            "path.data": str(self.folder / "data"),
            "path.logs": str(self.folder / "logs"),
            "xpack.security.enabled": self.basic_auth is not None,
        }
        if self.certificate:
            own["xpack.security.http.ssl.enabled"] = True
            own["xpack.security.http.ssl.certificate"] = str(self.certificate.certificate)
            own["xpack.security.http.ssl.key"] = str(self.certificate.key)
        # JSON's scalars and lists are YAML's.
        lines = [f"{name}: {json.dumps(value)}\n" for name, value in own.items()]
        (self.folder / _SETTINGS_FILE).write_text("".join(lines), "utf-8")
        (self.folder / "tmp").mkdir()
        give_away(self.folder)
        if self.basic_auth:
            self._set_password(self.basic_auth[1])

    def _set_password(self, password: str) -> None:
        subprocess.run(
            [self.home / "bin/elasticsearch-keystore", "add", "--stdin", "--force", "bootstrap.password"],
            cwd=self.folder,
            env=self._environment(),
            input=password.encode(),
            check=True,
            **unprivileged(),
        )

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "ES_JAVA_HOME": str(self.java_home),
            "ES_JAVA_OPTS": self.java_options,
            "ES_PATH_CONF": str(self.folder / "config"),
            "ES_TMPDIR": str(self.folder / "tmp"),
        }


def _readable_home(found: Distribution, copy: Path) -> Path:
    """Where the server's user can read the distribution: if need be in a ``copy``."""
    return found.home if readable(found.home) else Path(shutil.copytree(found.home, copy))
