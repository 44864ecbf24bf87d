"""The connection to the server, its options, and the one place that translates the client's errors."""

import ssl
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any, Final

from elastic_transport import ConnectionError as UnreachableError
from elastic_transport import ConnectionTimeout, TlsError, TransportError
from elasticsearch import (
    ApiError,
    AuthenticationException,
    Elasticsearch,
    NotFoundError,
    OrjsonSerializer,
    UnsupportedProductError,
)

from app.errors import IndexDamagedError, IndexUnavailableError, SettingsError

_CLIENT: Final = installed_version("elasticsearch")
OLDEST: Final = (8, 19)
HALF_VECTORS: Final = (9, 3)
"""The first version that stores vectors as bfloat16."""

EXACT_INNER_HITS: Final = (9, 5)
"""The first version that scores inner hits by the whole vectors instead of the quantised ones (Elasticsearch
pull request 156332)."""

BLOCKED: Final = "cluster_block_exception"
_OLDER_SERVER: Final = "media_type_header_exception"
"""The server's answer to a client of a newer major version."""

_CLOSED: Final = "index_closed_exception"
_FLOOD: Final = "TOO_MANY_REQUESTS/12/"
"""The flood-stage block, the one block that the server sets and removes by itself."""

_NO_TLS: Final = "WRONG_VERSION_NUMBER"
_CONNECTIONS: Final = 64
"""The number of questions that a server process answers at once."""

_RECONNECTS: Final = 2
"""How often a request is sent again if a connection breaks, plus once for each further host. All our requests
are idempotent."""

_CLUSTER: Final = "and `monitor` and `manage_index_templates` on the cluster"
_EXPLANATIONS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (TlsError, "has a certificate that is not trusted ({cause}): set AUSKUNFT_ELASTICSEARCH_CA"),
    (ConnectionTimeout, "does not answer in time: check its load, then try again"),
    (UnreachableError, "cannot be reached ({cause}): start it, or correct AUSKUNFT_ELASTICSEARCH_URL"),
    (
        AuthenticationException,
        "refuses the credentials: check AUSKUNFT_ELASTICSEARCH_USERNAME and _PASSWORD, or _API_KEY",
    ),
    (UnsupportedProductError, "is not Elasticsearch: correct AUSKUNFT_ELASTICSEARCH_URL"),
    (TransportError, "gives an answer that cannot be read ({cause})"),
)
"""The message after the server's address, by error; the first that fits."""

_KINDS: Final = {
    BLOCKED: "is blocked for writing ({reason}): lift the block; what waits goes on by itself",
    _CLOSED: "cannot use what is closed ({reason}): open the index again",
}
_STATUSES: Final = {
    403: f"forbids this to the user or key ({{reason}}): grant `all` on the prefix's indices, {_CLUSTER}",
    404: "lacks what was asked for ({reason}): try again, or build the index by `auskunft reindex`",
    429: "is overloaded ({kind}): try again later",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ElasticOptions:
    """Options of the server and its indices. Times are in seconds, sizes in bytes; empty means not set.

    ``hosts``: of one cluster. ``fingerprint``: SHA-256 of the server's certificate, instead of the CA file
    ``ca``. ``prefix``: of the indices' names, and the alias of the live one. ``languages``: the analyzer for
    each language of pages. ``analysis``: a JSON file with further analyzers, filters and synonyms.
    ``vectors``: the type of ``index_options`` for the content's vectors; ``auto`` chooses by their number.
    ``element_type``: of all vectors; ``auto`` is bfloat16 if every node can store it.
    """

    hosts: tuple[str, ...]
    username: str
    password: str = field(repr=False)
    api_key: str = field(repr=False)
    ca: Path | None
    fingerprint: str
    prefix: str
    languages: Mapping[str, str]
    analysis: Path | None
    vectors: str
    element_type: str
    shards: int
    replicas: int
    gc_deletes: str
    search_seconds: float
    bulk_seconds: float
    bulk_bytes: int

    @property
    def server(self) -> str:
        """The hosts as shown in messages."""
        return ",".join(self.hosts)


def connect(options: ElasticOptions) -> Elasticsearch:
    """Return a client for the hosts. Nothing is sent yet. Raises ``SettingsError``."""
    login = f"{options.username}:{options.password}" if options.username else ""
    security: dict[str, Any] = {
        "basic_auth": b64encode(login.encode()).decode(),
        "api_key": options.api_key,
        "ca_certs": str(options.ca) if options.ca else "",
        "ssl_assert_fingerprint": options.fingerprint,
    }
    try:
        if options.ca:
            ssl.create_default_context(cafile=options.ca)  # the client would read it later
        return Elasticsearch(
            list(options.hosts),
            serializer=OrjsonSerializer(),
            connections_per_node=_CONNECTIONS,
            request_timeout=options.search_seconds,
            max_retries=_RECONNECTS + len(options.hosts) - 1,
            retry_on_status=(),
            retry_on_timeout=False,
            **{name: value for name, value in security.items() if value},
        )
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"settings elasticsearch_url and elasticsearch_ca cannot be used: {error}"
        ) from error


Version = tuple[int, int]
"""Major and minor version."""


def server_version(client: Elasticsearch, server: str) -> Version:
    """Return the version of the node that answers.

    Raises ``IndexUnavailableError`` if it is not Elasticsearch, or a version that we or its client do not
    support.
    """
    try:
        answer = client.nodes.info(node_id="_local", metric="_none", filter_path="nodes.*.version").body
        version: str = next(iter(answer["nodes"].values()))["version"]
        found = _version(version)
    except (ApiError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, ApiError) and not isinstance(error, NotFoundError) and _explained(error):
            raise
        raise IndexUnavailableError(
            f"the server at {server} is not Elasticsearch: correct AUSKUNFT_ELASTICSEARCH_URL"
        ) from error
    if found < OLDEST or found[0] > OLDEST[0] + 1:
        raise IndexUnavailableError(f"Elasticsearch {version} is not supported: use 8.19 or 9.x")
    return found


def oldest_node(client: Elasticsearch) -> Version:
    """Return the lowest version among the cluster's nodes, which may be upgraded one by one."""
    answer = client.cluster.state(metric="nodes", filter_path="nodes.*.version").body
    return min(_version(node["version"]) for node in answer["nodes"].values())


def _version(text: str) -> Version:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


@contextmanager
def translated_errors(server: str) -> Iterator[None]:
    """Raise ``IndexUnavailableError`` for errors of the server and the connection.

    Errors that are bugs of ours (status 400) pass unchanged.
    """
    try:
        yield
    except (TransportError, ApiError, UnsupportedProductError) as error:
        explanation = _explained(error)
        if explanation is None:
            raise
        closed = isinstance(error, ApiError) and error.message == _CLOSED
        kind = IndexDamagedError if closed else IndexUnavailableError
        raise kind(f"Elasticsearch at {server} {explanation}") from error


def failure(status: int, error: Mapping[str, Any]) -> IndexUnavailableError | None:
    """Return our error for an error inside a response of status 200; ``None`` if it is a bug of ours."""
    reason = _status_explained(status, str(error.get("type", "")), str(error.get("reason", "")))
    return IndexUnavailableError(f"Elasticsearch {reason}") if reason else None


def _explained(error: Exception) -> str | None:
    if isinstance(error, TlsError) and _NO_TLS in str(error):
        return "speaks no TLS: begin AUSKUNFT_ELASTICSEARCH_URL with http://, or switch TLS on"
    if found := next((text for kind, text in _EXPLANATIONS if isinstance(error, kind)), None):
        return found.format(cause=_short(error))
    if isinstance(error, ApiError):
        if error.message == _OLDER_SERVER:
            return f"is older than its client {_CLIENT}: `pip install 'elasticsearch<9'`, or upgrade it"
        return _status_explained(error.status_code, error.message, reason_of(error))
    return None


def _status_explained(status: int, kind: str, reason: str) -> str | None:
    if status >= 500:
        return f"fails ({status} {kind}): look into its log"
    if kind == BLOCKED and _FLOOD in reason:
        return f"takes no writes now ({reason}): free disk space; what waits goes on by itself"
    found = _KINDS.get(kind) or _STATUSES.get(status)
    return found.format(kind=kind, reason=reason) if found else None


def reason_of(error: ApiError) -> str:
    """Return the server's ``reason``; empty if it gives none."""
    body = error.body
    causes = body.get("error", {}) if isinstance(body, dict) else {}
    return str(causes.get("reason", "")) if isinstance(causes, dict) else str(causes)


def _short(error: Exception) -> str:
    """Return the innermost cause, which is at the end of the message."""
    message = str(getattr(error, "message", None) or error)
    return " ".join(message.rpartition(": ")[2].split())[:200]
