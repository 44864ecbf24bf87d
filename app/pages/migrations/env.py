"""Run by Alembic for :func:`app.pages.schema.upgrade`, in the transaction of the connection it gives."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
