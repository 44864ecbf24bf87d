"""Commands run on a small site."""

from tests.cli.conftest import indexed, town

__all__ = ["indexed", "town"]
