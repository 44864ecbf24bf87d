"""Lists all pages of an index, or those that match a query, as of the beginning of the listing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

from elasticsearch import Elasticsearch

from app.search.elastic.mapping import Body

LISTED_PAGES: Final = 5_000
"""Pages per request."""

_KEEP_ALIVE: Final = "5m"
_REF_FIELDS: Final = ("source", "page", "language", "sequence")

Server = Callable[[], AbstractContextManager[Any]]


def listing(
    server: Server, client: Elasticsearch, index: str, query: Body | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the ``_REF_FIELDS`` of the pages. ``server``: a context manager that translates errors."""
    with server():
        point = client.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE)["id"]
    after: Sequence[Any] | None = None
    while hits := _listed(server, client, point, after, query):
        for hit in hits:
            yield {name: hit["fields"][name][0] for name in _REF_FIELDS}
        after = hits[-1]["sort"]
    with server():
        client.close_point_in_time(id=point)


def _listed(
    server: Server, client: Elasticsearch, point: str, after: Sequence[Any] | None, query: Body | None
) -> list[Mapping[str, Any]]:
    with server():
        answer = client.search(
            pit={"id": point, "keep_alive": _KEEP_ALIVE},
            query=query,
            size=LISTED_PAGES,
            sort=[{"_shard_doc": "asc"}],
            search_after=after,
            source=False,
            docvalue_fields=[{"field": name} for name in _REF_FIELDS],
            track_total_hits=False,
            allow_partial_search_results=False,
        )
    hits: list[Mapping[str, Any]] = answer["hits"]["hits"]
    return hits
