"""Translations are tried in every database, and in an indexed site."""

from tests.cli.conftest import indexed
from tests.contracts.conftest import new_database

__all__ = ["indexed", "new_database"]
