"""A tile game: what is the same in all of them."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from storeys.kernel.components import ComponentSet
from storeys.kernel.composing import Function
from storeys.kernel.game import Game
from storeys.kernel.messages import Message
from storeys.kernel.record import Records, as_rows
from storeys.kernel.tiles import cities, draft, picture
from storeys.kernel.tiles.positions import draft_json


class TileGame(Game):
    """A game of cities and tiles; a subclass adds the facts of :class:`Game`."""

    seats = (1, 2, 3, 4)
    default_players = 4
    final_moves = ending_moves = ("draw", "end")
    cities_are_seats = True
    numbered: ClassVar[str]
    """The key of the tiles that belong to a seat from the start."""

    lit = staticmethod(picture.lit)

    def _derived_verbs(self) -> dict[str, Function]:
        """Hands, row and pile are those of all tile games."""
        return super()._derived_verbs() | {"blind": draft.blind, "redeal": cities.redeal}

    @property
    def held_fields(self) -> tuple[str, ...]:
        """The hands."""
        return ("hands",)

    @property
    def open_fields(self) -> tuple[str, ...]:
        """The row."""
        return ("row",)

    def part_to_know(self, states: Records, components: ComponentSet) -> dict[str, Any]:
        """Hands, row and pile: cities lie open."""
        return draft_json(as_rows(states)[0], components)

    def prompt(self, state: Records) -> Message:
        """What to do now."""
        return Message(f"{self.name}.prompt.{self.phases[int(state['phase'][0])]}")

    def unseen(self, view: Mapping[str, Any], components: ComponentSet) -> list[Any]:
        """The tiles that are neither laid nor in the row nor in a hand one sees."""
        seen = {*self._laid(view), *self._loose(view)}
        tiles = components.content["tiles"]
        return [t["id"] for t in tiles if self.numbered not in t and t["id"] not in seen]

    def check_conserved(
        self,
        position: Mapping[str, Any],
        components: ComponentSet,
        moves: Sequence[Mapping[str, Any]],
    ) -> None:
        """Every tile is in one place; the pieces are the game's own matter."""
        there = [*self._laid(position), *self._loose(position)]
        assert len(set(there)) == len(there), "a tile is in two places"
        out_of_play = 4 - position["players"]
        total = len(there) + position["pile"] + out_of_play
        assert total == len(components.tile_ids), f"{total} tiles"
        self.check_pieces(position, components)

    @abstractmethod
    def check_pieces(self, position: Mapping[str, Any], components: ComponentSet) -> None:
        """Assert that no piece was lost or made."""

    @staticmethod
    def _laid(position: Mapping[str, Any]) -> list[str]:
        return [tile["tile"] for city in position["cities"] for tile in city["tiles"]]

    @staticmethod
    def _loose(position: Mapping[str, Any]) -> list[Any]:
        return [*position["row"], *(tile for hand in position["hands"] for tile in hand)]
