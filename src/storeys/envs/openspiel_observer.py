"""What a player sees of a state of OpenSpiel, as tensors and in words."""

from typing import Any

import numpy as np
import pyspiel

from storeys.envs.openspiel_trajectory import (
    Facts,
    Trajectory,
    field_names,
    seen_fields,
    text_of_view,
)
from storeys.kernel import entry_points
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.record import IntArray

CODE_BITS = 32
FIELD_SCALE = 128
"""A number of a card, a tile or a count is one more, divided by this: 0 is for none at all."""
NOT_DEALT = "not dealt yet"


class Observer:
    """Writes what a player sees, in the manner of :mod:`open_spiel.python.observation`."""

    def __init__(self, facts: Facts, kind: Any, params: Any) -> None:
        if params or kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise BadOption(Message("storeys.envs.observer"))
        self._facts = facts
        self._public, self._recall = kind.public_info, kind.perfect_recall
        self._private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self.tensor: IntArray | None = None
        self.dict: dict[str, IntArray] = {}
        if self._public:
            self._lay_out()

    def _lay_out(self) -> None:
        """One vector, and the planes as views of it."""
        pieces = [(plane.name, plane.shape) for plane in self._facts.game.planes]
        if self._recall:
            pieces += self._pieces_of_the_past()
        sizes = [int(np.prod(shape)) for _, shape in pieces]
        self.tensor = np.zeros(sum(sizes), np.float32)
        self._planes = self.tensor[: self._facts.game.observation_size]
        at = 0
        for (name, shape), size in zip(pieces, sizes, strict=True):
            self.dict[name] = self.tensor[at : at + size].reshape(shape)
            at += size

    def _pieces_of_the_past(self) -> list[tuple[str, tuple[int, ...]]]:
        """A row for the deal and for every move that there can be."""
        game, rows = self._facts.game, self._facts.most_moves + 1
        blank = np.zeros(1, game.state_dtype)
        viewer = 0 if self._private else -1
        self._fields = [f"past_{name}" for name in field_names(game, viewer)]
        widths = [field.shape[1] for field in seen_fields(game, blank, viewer)]
        return [
            ("past_mover", (rows, max(game.seats))),
            ("past_move", (rows, CODE_BITS)),
            *((name, (rows, width)) for name, width in zip(self._fields, widths, strict=True)),
        ]

    def set_from(self, state: Any, player: int) -> None:
        """Write the tensor; before the deal it is all 0."""
        if self.tensor is None:
            return
        self.tensor.fill(0)
        trajectory = state.trajectory
        if not trajectory.past:
            return
        viewer = self._viewer(player)
        entry_points.observe(trajectory.state, trajectory.tables, viewer, self._planes)
        if self._recall:
            self._write_past(trajectory, viewer)

    def _viewer(self, player: int) -> int:
        return self._facts.check_seat(player) if self._private else -1

    def _write_past(self, trajectory: Trajectory, viewer: int) -> None:
        game, made = self._facts.game, len(trajectory.codes)
        states = np.frombuffer(b"".join(trajectory.past), game.state_dtype)
        for name, field in zip(self._fields, seen_fields(game, states, viewer), strict=True):
            self.dict[name][: made + 1] = (field + 1) / FIELD_SCALE
        if made:
            movers = (np.array(trajectory.movers) - max(viewer, 0)) % self._facts.players
            codes = np.array(trajectory.codes, np.int64)
            self.dict["past_mover"][np.arange(1, made + 1), movers] = 1
            self.dict["past_move"][1 : made + 1] = (codes[:, None] >> np.arange(CODE_BITS)) & 1

    def string_from(self, state: Any, player: int) -> str:
        """The same in words."""
        trajectory = state.trajectory
        if not trajectory.past:
            return NOT_DEALT
        viewer = self._viewer(player)
        if not self._public:
            return self._own(trajectory, viewer)
        if self._recall:
            return "\n".join(trajectory.story(viewer))
        return text_of_view(trajectory.match(), viewer)

    def _own(self, trajectory: Trajectory, seat: int) -> str:
        """What only the seat itself sees."""
        if seat < 0:
            return ""
        held = (
            f"{name} {trajectory.state[name][0, seat].tolist()}"
            for name in self._facts.game.held_fields
        )
        return "; ".join(held)
