"""A bot that plays at random: every legal move is as likely as any other."""

from storeys.bots.registry import Bot
from storeys.match import Match, Move


class RandomBot(Bot):
    """Plays a random legal move."""

    def choose_in(self, world: Match) -> Move:
        """Any legal move."""
        return world.random_move(self.chance_in(world))
