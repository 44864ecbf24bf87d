"""The built-in rerankers (:class:`ingest.protocols.Reranker`)."""
