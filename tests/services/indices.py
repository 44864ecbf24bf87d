"""Search indices on a test server, each with names of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from elasticsearch import Elasticsearch

from app.search.elastic import ElasticIndex
from app.services.elastic import elastic_options
from app.settings.settings import Settings


def elastic_settings(url: str, **settings: Any) -> Settings:
    """Settings for a prefix that nobody else uses."""
    prefix = f"t{uuid4().hex[:12]}"
    return Settings(index="elasticsearch", elasticsearch_url=url, elasticsearch_prefix=prefix, **settings)


@contextmanager
def elastic_index(url: str, **settings: Any) -> Iterator[ElasticIndex]:
    """An empty index on a server without security; everything it made is deleted at the end."""
    chosen = elastic_settings(url, **settings)
    index = ElasticIndex(elastic_options(chosen))
    yield index
    index.close()
    with Elasticsearch(url) as client:
        delete_prefix(client, chosen.elasticsearch_prefix)


def delete_prefix(client: Elasticsearch, prefix: str) -> None:
    """Delete every index of a prefix."""
    for name in client.indices.get(index=f"{prefix}-*", filter_path="*.aliases", expand_wildcards="all").body:
        client.indices.delete(index=name, ignore_unavailable=True)
    client.options(ignore_status=404).indices.delete_index_template(name=f"{prefix}-generations")
