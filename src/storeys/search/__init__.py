"""Looking ahead in any game: whole turns, tried in worlds dealt afresh."""

from storeys.search.engine import TriedTurn, search_turn

__all__ = ["TriedTurn", "search_turn"]
