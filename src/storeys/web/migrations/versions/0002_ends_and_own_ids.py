"""Note when a match has ended; let the poster's own ids be unique at a table, not everywhere."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

BY_COLUMN = {"uq": "%(table_name)s_%(column_0_name)s_key"}
"""How PostgreSQL names a constraint without a name; SQLite keeps none, so it is named alike."""


def upgrade() -> None:
    """Add the column, widen the constraint."""
    op.add_column("tables", sa.Column("ended", sa.Float))
    with op.batch_alter_table("events", naming_convention=BY_COLUMN) as events:
        events.drop_constraint("events_client_key", type_="unique")
        events.create_unique_constraint("events_table_client_key", ["table_id", "client"])


def downgrade() -> None:
    """Undo both."""
    with op.batch_alter_table("events", naming_convention=BY_COLUMN) as events:
        events.drop_constraint("events_table_client_key", type_="unique")
        events.create_unique_constraint("events_client_key", ["client"])
    op.drop_column("tables", "ended")
