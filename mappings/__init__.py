"""Elasticsearch settings and mappings as JSON; :mod:`app.search.elastic.mapping` completes them."""
