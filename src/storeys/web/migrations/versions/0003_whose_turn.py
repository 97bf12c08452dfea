"""Note whose turn it is, so that bots go on after a restart without every match being read."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column; what is there already is noted when it is next played."""
    op.add_column("tables", sa.Column("to_move", sa.Integer))


def downgrade() -> None:
    """Undo it."""
    op.drop_column("tables", "to_move")
