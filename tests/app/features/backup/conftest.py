"""What is saved and brought back is the site of the tests of commands."""

from tests.cli.conftest import indexed, town

__all__ = ["indexed", "town"]
