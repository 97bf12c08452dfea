"""Note when a match has ended, who set it up and which link gave a seat.

The poster's own ids are unique at a table, not everywhere.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

BY_COLUMN = {"uq": "%(table_name)s_%(column_0_name)s_key"}
"""How PostgreSQL names a constraint without a name; SQLite keeps none, so it is named alike."""


def upgrade() -> None:
    """Add the columns, widen the constraint."""
    op.add_column("tables", sa.Column("ended", sa.Float))
    op.add_column("tables", sa.Column("host", sa.String(64)))
    op.add_column("seats", sa.Column("used", sa.String(64)))
    op.create_index("ix_seats_used", "seats", ["used"])
    with op.batch_alter_table("events", naming_convention=BY_COLUMN) as events:
        events.drop_constraint("events_client_key", type_="unique")
        events.create_unique_constraint("events_table_client_key", ["table_id", "client"])


def downgrade() -> None:
    """Undo it."""
    with op.batch_alter_table("events", naming_convention=BY_COLUMN) as events:
        events.drop_constraint("events_table_client_key", type_="unique")
        events.create_unique_constraint("events_client_key", ["client"])
    op.drop_index("ix_seats_used", "seats")
    op.drop_column("seats", "used")
    op.drop_column("tables", "host")
    op.drop_column("tables", "ended")
