"""Clocks of turns, faces of people, and addresses to which reminders are mailed."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add columns and tables; matches that run have no clock."""
    op.add_column("tables", sa.Column("clock", sa.Integer))
    op.add_column("tables", sa.Column("turn", sa.Integer))
    op.add_column("tables", sa.Column("began", sa.Float))
    op.add_column("tables", sa.Column("deadline", sa.Float))
    op.add_column("tables", sa.Column("mailed", sa.Integer))
    op.create_index("tables_deadline", "tables", ["deadline"])
    op.add_column("seats", sa.Column("face", sa.String(32)))
    op.create_table(
        "addresses",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("address", sa.String(254), nullable=False, index=True),
        sa.Column("token", sa.String(64), nullable=False, unique=True),
        sa.Column("lang", sa.String(8), nullable=False),
        sa.Column("asked", sa.Float, nullable=False),
        sa.Column("confirmed", sa.Float),
    )
    op.create_table(
        "mails",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False, index=True),
        sa.Column("table_id", sa.String(32)),
        sa.Column("turn", sa.Integer),
        sa.Column("due", sa.Float, nullable=False, index=True),
        sa.Column("tries", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    """Undo it."""
    op.drop_table("mails")
    op.drop_table("addresses")
    op.drop_column("seats", "face")
    op.drop_index("tables_deadline", "tables")
    for column in ("mailed", "deadline", "began", "turn", "clock"):
        op.drop_column("tables", column)
