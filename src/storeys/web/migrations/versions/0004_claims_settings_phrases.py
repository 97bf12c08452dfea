"""Room for several server processes, identities that can be carried over, and an end to tables."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add columns and tables; a table that is there was last touched by its last event."""
    op.add_column("tables", sa.Column("touched", sa.Float))
    op.add_column("tables", sa.Column("claimant", sa.String(64)))
    op.add_column("tables", sa.Column("claimed_until", sa.Float))
    op.execute(
        "UPDATE tables SET touched = coalesce("
        "(SELECT max(events.created) FROM events WHERE events.table_id = tables.id), created)"
    )
    op.create_index("tables_touched", "tables", ["touched"])
    op.create_index("tables_host", "tables", ["host"])
    op.create_table(
        "settings",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "phrases",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("until", sa.Float, nullable=False),
    )


def downgrade() -> None:
    """Undo it."""
    op.drop_table("phrases")
    op.drop_table("settings")
    op.drop_index("tables_host", "tables")
    op.drop_index("tables_touched", "tables")
    op.drop_column("tables", "claimed_until")
    op.drop_column("tables", "claimant")
    op.drop_column("tables", "touched")
