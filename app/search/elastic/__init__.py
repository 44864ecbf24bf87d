"""The search index on an Elasticsearch server, 8.19 or 9.x."""

from app.search.elastic.index import ElasticIndex
from app.search.elastic.options import ElasticOptions

__all__ = ["ElasticIndex", "ElasticOptions"]
