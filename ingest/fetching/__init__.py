"""The one HTTP client for pages, guarded against addresses that only this machine may reach."""

from ingest.fetching.addresses import AllowList
from ingest.fetching.client import FetchedBody, Fetcher, Limits, Validators

__all__ = ["AllowList", "FetchedBody", "Fetcher", "Limits", "Validators"]
