"""The page store: accepted pages, their revisions, and their progress. System of record and durable queue."""
