"""The application: imports ingest, never workers."""
