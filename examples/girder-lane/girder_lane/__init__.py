"""Girder Lane: the most storeys in districts of one material, in rows and in columns win."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from girder_lane import rules
from girder_lane.rules import CENTRE, FIRST_LANE, MATERIALS, ROUNDS, SIDE
from storeys.kernel.components import ComponentSet
from storeys.kernel.drawing.plots import Plot, Square
from storeys.kernel.drawing.scene import Drawn, Look, Scene
from storeys.kernel.drawing.svg import pick, picture_of
from storeys.kernel.messages import Message
from storeys.kernel.plain import PlainGame, View
from storeys.kernel.reading import Node
from storeys.kernel.setup import Setup
from storeys.kernel.verbs import Rules
from storeys.kernel.zones import NONE, zones_of

GRID = [(row, col) for row in range(SIDE) for col in range(SIDE)]


class Storeys(int):
    """So many storeys; pictures write them with the initial of their material: 3B."""

    initial = ""

    def __str__(self) -> str:
        """The number and the initial."""
        return f"{int(self)}{self.initial}"


def pickable(drawn: Drawn, towers: dict[Square, str]) -> Drawn:
    """A drawn city in which towers, given with their words, can be picked."""
    body = drawn.body
    for (row, col), words in towers.items():
        body = body.replace(picture_of(words), pick(words, square=f"{row},{col}"))
    return replace(drawn, body=body)


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
    folder = Path(__file__).parent
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

    def check_position(self, position: Node, state: Any) -> None:
        """G-4: a tower has a material, an owner and storeys."""
        for key in ("owner", "height"):
            if ((getattr(state, key) == NONE) != (state.card == NONE)).any():
                raise position[key].fail("girder-lane.position.towers", "G-4")

    def plots(self, view: View, lang: str) -> dict[Square, Plot]:
        """Towers in the colours of their seats, with the initial of their material."""
        found = {}
        for row, col in GRID:
            if (card := view["card"][row][col]) is not None:
                place = (row - CENTRE, col - CENTRE)
                storeys, material = (
                    Storeys(view["height"][row][col]),
                    self.material(card).text(lang),
                )
                storeys.initial = material[0].upper()
                plot = self.plot(place, int(storeys), view["owner"][row][col], lang)
                found[place] = replace(plot, storeys=storeys, words=f"{plot.words}, {material}")
        return found

    def material(self, card: int) -> Message:
        """What a material is called."""
        return Message(f"girder-lane.card.{MATERIALS[card]}")

    def scene(
        self,
        view: View,
        components: ComponentSet,
        names: Sequence[str],
        look: Look,
        winners: Sequence[int] = (),
    ) -> Scene:
        """G-5: the usual picture, in which one's own towers can be picked to be raised."""
        scene = super().scene(view, components, names, look, winners)
        city, seat = scene.cities[0], view.get("seat")
        own = {at: one.words for at, one in self.plots(view, look.lang).items() if one.seat == seat}
        return replace(scene, cities=[replace(city, draw=lambda: pickable(city.draw(), own))])

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
