"""The source ``eurlex``: acts of EU law, from files or fetched by CELEX number or subject."""

from ingest.sources.eurlex.source import EurlexSource

__all__ = ["EurlexSource"]
