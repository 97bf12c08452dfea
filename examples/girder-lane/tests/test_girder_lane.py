"""Girder Lane goes through the suite that every game must pass."""

import pytest

from storeys.testing import check_game


@pytest.mark.parametrize("players", [2, 3, 4])
def test_game(players: int) -> None:
    """With every number of players."""
    check_game("girder-lane", players=players)
