"""The schema's number stands in ``alembic_version`` from now on."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Leave the number where versions that know no migrations look for it, so that they refuse the data."""
    op.execute("DELETE FROM meta WHERE name = 'schema'")
    op.execute("INSERT INTO meta (name, value) VALUES ('schema', 3)")
