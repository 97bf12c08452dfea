"""Girder Lane: the most storeys in districts of one material, in rows and in columns win."""

from typing import Any, ClassVar

from girder_lane import rules
from girder_lane.rules import CENTRE, FIRST_LANE, MATERIALS, ROUNDS, SIDE
from storeys.kernel.components import ComponentSet
from storeys.kernel.drawing.plots import Plot, Square
from storeys.kernel.messages import Message
from storeys.kernel.plain import PlainGame, View
from storeys.kernel.reading import Node
from storeys.kernel.setup import Setup
from storeys.kernel.verbs import Rules
from storeys.kernel.zones import NONE, zones_of

GRID = [(row, col) for row in range(SIDE) for col in range(SIDE)]


class Game(PlainGame):
    """Girder Lane for 2 to 4 players."""

    name = "girder-lane"
    rules_version = 1
    seats = (2, 3, 4)
    default_players = 3
    options = ()
    phases = rules.PHASES
    final_moves = ("build", "raise", "order")  # they draw a card
    final_rule, end_rule, score_rule = "G-7", "G-8", "G-11"
    buttons = ("order",)
    notation = rules.NOTATION
    refusals = rules.REFUSALS
    state_dtype = rules.STATE
    zones = zones_of(rules.State)
    actions = rules.ACTIONS
    observation = rules.OBSERVATION
    box = rules.BOX
    tables_dtype = rules.TABLES
    rules: ClassVar[Rules] = rules

    def write_options(self, state: Any, setup: Setup) -> None:
        """G-8: the number of rounds follows from that of players."""
        super().write_options(state, setup)
        state.rounds = ROUNDS[setup.players]

    def most_moves(self, setup: Setup) -> int:
        """G-8: a move a seat and round."""
        return ROUNDS[setup.players] * setup.players

    def range_of_totals(self, setup: Setup) -> tuple[int, int]:
        """G-9, G-10: a point for each square that can be built on, and all lanes."""
        return 0, self.most_moves(setup) + 2 * SIDE * rules.LANE_PRIZE

    def check_position(self, position: Node, state: Any, tables: Any) -> None:
        """G-4: a tower has a material, an owner and storeys."""
        for key in ("owner", "height"):
            if ((getattr(state, key) == NONE) != (state.card == NONE)).any():
                raise position[key].fail("girder-lane.position.towers", "G-4")

    def plots(self, view: View, lang: str) -> dict[Square, Plot]:
        """Towers in the colours of their seats; G-5: one's own can be picked to be raised."""
        found = {}
        for row, col in GRID:
            if (card := view["card"][row][col]) is not None:
                place, owner = (row - CENTRE, col - CENTRE), view["owner"][row][col]
                material, own = self.material(card).text(lang), owner == view.get("seat")
                storeys = view["height"][row][col]
                found[place] = self.plot(place, storeys, owner, lang, material, own)
        return found

    def material(self, card: int) -> Message:
        """What a material is called."""
        return Message(f"girder-lane.card.{MATERIALS[card]}")

    def score_parts(self, state: Any, seat: int, components: ComponentSet) -> list[dict[str, Any]]:
        """G-11: a part for each district and lane that gives points."""
        first = rules.districts(state)
        sizes = rules.measure(state, first)
        parts = []
        for area in range(rules.AREAS):
            if points := int(rules.points(sizes, area, seat, state.players)):
                towers = (at for at in GRID if state.card[at] != NONE)
                places = [at for at in towers if area in rules.areas_of(first, *at)]
                rule, name = ("G-9", "district") if area < FIRST_LANE else ("G-10", "lane")
                storeys = sizes[area, : state.players].tolist()
                said = {"n": len(places), "own": storeys.pop(seat), "rival": max(storeys)}
                material = self.material(state.card[places[0]])
                label = Message(f"girder-lane.part.{name}", material=material, **said)
                squares = [[row - CENTRE, col - CENTRE] for row, col in places]
                parts.append({"rule": rule, "label": label, "points": points, "squares": squares})
        return parts


GAME = Game()
