"""The page store: what came in, which revision, what became of it. System of record and durable queue."""
