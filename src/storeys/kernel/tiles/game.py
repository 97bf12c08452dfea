"""A tile game: what is the same in all of them, over the modules that each brings."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, ClassVar

from storeys.kernel.components import ComponentSet
from storeys.kernel.errors import StoreysError
from storeys.kernel.game import Game, Setup
from storeys.kernel.messages import Message
from storeys.kernel.reading import Place
from storeys.kernel.record import Records, lens


class TileGame(Game):
    """A game of cities and tiles; a subclass names its modules and the facts of :class:`Game`."""

    final_moves = ("draw", "end")
    cities_are_seats = True
    held_fields = ("hands",)
    open_fields = ("row",)
    numbered: ClassVar[str]
    """The key of the tiles that belong to a seat from the start."""

    board: ClassVar[ModuleType]
    box: ClassVar[ModuleType]
    moves: ClassVar[ModuleType]
    parts: ClassVar[ModuleType]
    positions: ClassVar[ModuleType]
    refusals: ClassVar[ModuleType]

    def read_components(
        self, document: Place, problems: list[StoreysError]
    ) -> tuple[dict[str, Any], Records]:
        """What the box prints."""
        content: dict[str, Any]
        content, tables = self.box.read_components(document, problems)
        return content, tables

    def components_text(self, components: ComponentSet, lang: str) -> str:
        """Tiles and pieces."""
        return str(self.box.components_text(components.content, lang))

    def move_json(self, code: int, components: ComponentSet) -> dict[str, Any]:
        """The dict of a move code."""
        move: dict[str, Any] = self.moves.move_json(code, components)
        return move

    def move_text(self, code: int, components: ComponentSet) -> str:
        """The notation of a move code."""
        return str(self.moves.move_text(code, components))

    def read_move(self, move: str | Place, state: Records, components: ComponentSet) -> int:
        """The move code of a notation or a dict."""
        read = self.moves.read_text if isinstance(move, str) else self.moves.read_json
        return int(read(move, components))

    def refusal(
        self, state: Records, code: int, reason: int, components: ComponentSet
    ) -> tuple[str, Message]:
        """Why a move is not legal."""
        rule, message = self.refusals.explain(lens(state), code, reason, components)
        return rule, message

    def move_label(self, code: int, seat: int, components: ComponentSet) -> Message:
        """A move as a person reads it."""
        label: Message = self.moves.move_label(code, components)
        return label

    def prompt(self, state: Records) -> Message:
        """What to do now."""
        return Message(f"{self.name}.prompt.{self.phases[int(state['phase'][0])]}")

    def to_position(self, state: Records, components: ComponentSet) -> dict[str, Any]:
        """The game's own part of a position."""
        position: dict[str, Any] = self.positions.to_position(state, components)
        return position

    def from_position(self, position: Place, setup: Setup) -> Records:
        """The state of a position or a view."""
        states = self.blank_state(setup)
        self.positions.from_position(position, setup, states)
        return states

    def score_parts(
        self, state: Records, seat: int, components: ComponentSet
    ) -> list[dict[str, Any]]:
        """What scored, and what it counted."""
        found: list[dict[str, Any]] = self.parts.score_parts(state[0], seat, components)
        return found

    def board_text(
        self, view: Mapping[str, Any], components: ComponentSet, names: Sequence[str], lang: str
    ) -> str:
        """The cities in the terminal."""
        return str(self.board.board_text(view, components, names, lang))

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
