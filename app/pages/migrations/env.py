"""Script that Alembic runs for :func:`app.pages.schema.upgrade`, in that function's transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
