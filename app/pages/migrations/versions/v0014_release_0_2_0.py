"""The schema of release 0.2.0, the first that migrations start from.

A database without tables never comes by here: it gets the present tables at once.
"""

revision = "0014"
down_revision = None


def upgrade() -> None:
    """Nothing: databases of that release have these tables."""
