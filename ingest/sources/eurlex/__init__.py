"""The source ``eurlex``: acts of EU law, from files and folders or fetched by CELEX number."""

from ingest.sources.eurlex.source import EurlexSource

__all__ = ["EurlexSource"]
