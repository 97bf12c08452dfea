"""Alembic's environment: migrations run on the connection that the store hands over."""

from alembic import context

from storeys.web.store import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
