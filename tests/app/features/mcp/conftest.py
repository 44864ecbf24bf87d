"""The command serves an indexed site."""

from tests.cli.conftest import indexed

__all__ = ["indexed"]
