"""The search index on an Elasticsearch server, 8.19 or 9.x."""

from app.search.elastic.client import ElasticOptions
from app.search.elastic.index import ElasticIndex

__all__ = ["ElasticIndex", "ElasticOptions"]
