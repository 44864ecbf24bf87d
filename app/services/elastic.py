"""Converts settings to the options of Elasticsearch; imported on use, as its client takes long to import."""

from app.search.elastic import ElasticOptions
from app.settings.settings import ElasticsearchSettings


def elastic_options(settings: ElasticsearchSettings) -> ElasticOptions:
    """Return the options from the settings, with secrets in plain text."""
    return ElasticOptions(
        hosts=tuple(settings.elasticsearch_hosts),
        username=settings.elasticsearch_username,
        password=settings.elasticsearch_password.get_secret_value(),
        api_key=settings.elasticsearch_api_key.get_secret_value(),
        ca=settings.elasticsearch_ca,
        fingerprint=settings.elasticsearch_fingerprint,
        prefix=settings.elasticsearch_prefix,
        languages=settings.elasticsearch_languages,
        analysis=settings.elasticsearch_analysis,
        vectors=settings.elasticsearch_vectors,
        element_type=settings.elasticsearch_element_type,
        shards=settings.elasticsearch_shards,
        replicas=settings.elasticsearch_replicas,
        gc_deletes=settings.elasticsearch_gc_deletes,
        search_seconds=settings.elasticsearch_search_seconds,
        bulk_seconds=settings.elasticsearch_bulk_seconds,
        bulk_bytes=settings.elasticsearch_bulk_bytes,
    )
