"""What the curation keeps and finds is tried in every database and index."""

from tests.contracts.conftest import index, new_database

__all__ = ["index", "new_database"]
