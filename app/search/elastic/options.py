"""Options of an Elasticsearch index."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ElasticOptions:
    """Where the server is and what its indices are like. Times are seconds, sizes bytes; empty is not set.

    ``hosts``: of one cluster. ``fingerprint``: SHA-256 of the server's certificate, instead of the CA file
    ``ca``. ``prefix``: of the indices' names; as an alias it is the live one. ``languages``: the analyzer for
    each language of pages. ``analysis``: a JSON file with further analyzers, filters and synonyms.
    ``vectors``: the type of ``index_options`` for the content's vectors; ``auto`` chooses by their number.
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
    shards: int
    replicas: int
    gc_deletes: str
    search_seconds: float
    bulk_seconds: float
    bulk_bytes: int

    @property
    def server(self) -> str:
        """The hosts as messages name them."""
        return ",".join(self.hosts)
