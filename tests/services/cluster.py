"""A cluster of Elasticsearch nodes on loopback, which tests kill and start again."""

import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4

import httpx
from elasticsearch import Elasticsearch

from tests.services.elasticsearch import POLL_SECONDS, START_SECONDS, newest
from tests.services.node import Node
from tests.services.ports import free_port
from tests.services.process import ServerProcess

NODES: Final = 3
JAVA_OPTIONS: Final = "-Xms256m -Xmx256m -XX:TieredStopAtLevel=1"
GREEN_SECONDS: Final = 300


class Cluster:
    """Nodes ``node0``, ``node1``, ...; use as a context manager, which removes their data at the end."""

    def __init__(self, size: int = NODES, version: str | None = None) -> None:
        self._version = version or newest()
        names = [f"node{number}" for number in range(size)]
        ports = {name: free_port() for name in names}
        self._name = f"auskunft-{uuid4().hex[:12]}"
        self._seeds = [f"127.0.0.1:{port}" for port in ports.values()]
        self._nodes: dict[str, Node] = {}
        self._processes: dict[str, ServerProcess] = {}
        self._ports = ports

    def __enter__(self) -> Self:
        try:
            for name in self._ports:
                self._nodes[name] = Node.prepare(
                    self._version, settings=self._settings(name), java_options=JAVA_OPTIONS
                )
            for name in self._ports:
                self.start(name)
            self.client = Elasticsearch(self.urls, request_timeout=2 * GREEN_SECONDS)
            self._wait_until_joined()
            self.wait_until_green()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()
        self._stop()

    @property
    def urls(self) -> list[str]:
        """The addresses of all nodes."""
        return [f"http://127.0.0.1:{node.port}" for node in self._nodes.values()]

    def start(self, name: str) -> None:
        """Start a node, with the data it had if it was killed; :meth:`wait_until_green` waits for it."""
        self._processes[name] = self._nodes[name].launch()

    def kill(self, name: str) -> None:
        """End a node as a power failure would."""
        self._processes.pop(name).kill()

    def upgrade(self, name: str, version: str) -> None:
        """Ask a node to end, and start it in another version; :meth:`wait_until_green` waits for it."""
        self._processes.pop(name).terminate()
        # Until the others have noticed, they take it for one of three, and the cluster for green.
        others = [url for each, url in zip(self._nodes, self.urls, strict=True) if each != name]
        with Elasticsearch(others, request_timeout=2 * GREEN_SECONDS) as client:
            client.cluster.health(wait_for_nodes=str(len(others)), timeout=f"{GREEN_SECONDS}s")
        self._nodes[name] = self._nodes[name].upgraded(version)
        self.start(name)

    @property
    def names(self) -> list[str]:
        """The nodes."""
        return list(self._nodes)

    def restore(self) -> None:
        """Start the nodes that were killed, and wait until every shard has its copies again."""
        for name in self._nodes.keys() - self._processes.keys():
            self.start(name)
        self.wait_until_green()

    def wait_until_green(self) -> None:
        """Wait until all nodes are there and every shard has its copies; the cluster tells when."""
        health = self.client.options(ignore_status=408).cluster.health(
            wait_for_nodes=str(len(self._nodes)),
            wait_for_status="green",
            wait_for_no_relocating_shards=True,
            timeout=f"{GREEN_SECONDS}s",
        )
        assert not health["timed_out"], f"not green within {GREEN_SECONDS} s:\n{self._output()}"

    def master(self) -> str:
        """The node that the others have elected."""
        state = self.client.cluster.state(metric="master_node,nodes")
        name: str = state["nodes"][state["master_node"]]["name"]
        return name

    def primary(self, index: str) -> str:
        """The node that writes the first shard of an index."""
        shards: Any = self.client.cat.shards(index=index, h="shard,prirep,node", format="json").body
        return next(str(row["node"]) for row in shards if (row["shard"], row["prirep"]) == ("0", "p"))

    def _settings(self, name: str) -> Mapping[str, Any]:
        return {
            "cluster.name": self._name,
            "node.name": name,
            "transport.port": self._ports[name],
            "discovery.seed_hosts": self._seeds,
            "cluster.initial_master_nodes": list(self._ports),
        }

    def _wait_until_joined(self) -> None:
        """Poll, for the nodes say in no other way that they listen."""
        deadline = time.monotonic() + START_SECONDS
        while not self._joined():
            running = all(process.running() for process in self._processes.values())
            if not running or time.monotonic() > deadline:
                raise RuntimeError(f"the cluster did not start:\n{self._output()}")
            time.sleep(POLL_SECONDS)

    def _joined(self) -> bool:
        wanted = {"wait_for_nodes": str(len(self._nodes)), "timeout": "1s"}
        with suppress(httpx.TransportError):
            return all(
                httpx.get(f"{url}/_cluster/health", params=wanted, trust_env=False).is_success
                for url in self.urls
            )
        return False

    def _output(self) -> str:
        return "\n".join(node.output.read_text("utf-8", "replace")[-2_000:] for node in self._nodes.values())

    def _stop(self) -> None:
        for name in list(self._processes):
            self.kill(name)
        for node in self._nodes.values():
            shutil.rmtree(node.folder)
