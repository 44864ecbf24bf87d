"""What is evaluated, and where it is kept."""

from tests.browser.conftest import axe
from tests.contracts.conftest import new_database

__all__ = ["axe", "new_database"]
