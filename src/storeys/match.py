"""One game being played: a match is its set-up, its seed and its moves.

>>> import storeys
>>> match = storeys.new("manhattan", players=4, seed=7)
>>> match.push(match.legal_moves[0])
>>> match.pop()
<manhattan move: pick red 3 3 3 4 4 4>
"""

import hashlib
import json
import secrets
import zlib
from base64 import b64decode, b64encode
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, overload

import numpy as np

from storeys.kernel import chance, entry_points
from storeys.kernel.components import ComponentSet
from storeys.kernel.drawing.scene import Cache, assemble, make_look, own_prefix
from storeys.kernel.errors import (
    BadOption,
    BadPosition,
    BadRecord,
    IllegalMove,
    NotAMove,
    StoreysError,
)
from storeys.kernel.gaining import Preview, Trials
from storeys.kernel.game import Game
from storeys.kernel.messages import DEFAULT_LANGUAGE, Message, Or
from storeys.kernel.quoting import clipped
from storeys.kernel.reading import Node, as_whole, short
from storeys.kernel.record import Records, as_rows, copy_of, fast_record, tag_of
from storeys.kernel.setup import Setup
from storeys.kernel.zones import totals_of
from storeys.registry import get_game


class Move:
    """One decision of one seat; ``str()`` is its notation, :meth:`to_json` its dict.

    >>> import storeys
    >>> move = storeys.new("cloud-city", players=2, seed=7).legal_moves[0]
    >>> str(move), move.to_json()
    ('place ss5 g5 turn 0', {'kind': 'place', 'tile': 'ss5', 'row': -1, 'col': 0, 'turn': 0})
    """

    __slots__ = ("code", "components", "game")

    def __init__(self, game: Game, components: ComponentSet, code: int) -> None:
        self.game, self.components, self.code = game, components, code

    @property
    def kind(self) -> str:
        """What kind of move it is, as its dict and its notation say.

        >>> import storeys
        >>> storeys.new("manhattan", players=2, seed=7).legal_moves[0].kind
        'pick'
        """
        return self.game.notation.kind_of(self.code).name

    def to_json(self) -> dict[str, Any]:
        """The move as a dict that ``json.dumps`` takes.

        >>> import storeys
        >>> storeys.new("manhattan", players=2, seed=7).legal_moves[0].to_json()
        {'kind': 'pick', 'colour': 0, 'blocks': [0, 0, 1, 3]}
        """
        return self.game.notation.json(self.code, self.components)

    def label(self, seat: int, lang: str = DEFAULT_LANGUAGE) -> str:
        """The move as a person reads it, made by a seat.

        >>> import storeys
        >>> move = storeys.new("manhattan", players=2, seed=7).legal_moves[0]
        >>> move.label(0), move.label(0, "de")
        ('picks red blocks: 3 4 4 4', 'wählt Bausteine in Rot: 3 4 4 4')
        """
        return self.game.move_label(self.code, self.components).text(lang)

    def __str__(self) -> str:
        return self.game.notation.text(self.code, self.components)

    def __repr__(self) -> str:
        return f"<{self.game.name} move: {self}>"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Move)
            and self.code == other.code
            and self.game is other.game
            and (self.components is other.components or str(self) == str(other))
        )

    def __hash__(self) -> int:
        return hash((self.code, self.game.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle_move, (self.game.name, self.components.to_carry, self.code)


def _unpickle_move(name: str, components: dict[str, Any] | None, code: int) -> Move:
    game = get_game(name)
    return Move(game, game.load_components(components), code)


class Moves(Sequence[Move]):
    """The legal moves of a position; each is made when it is looked at.

    >>> import storeys
    >>> moves = storeys.new("manhattan", players=2, seed=7).legal_moves
    >>> moves
    <34 legal moves: pick red 3 4 4 4, pick red 3 3 4 4, pick red 3 3 3 4…>
    >>> len(moves), moves[-1], moves[3] in moves
    (34, <manhattan move: pick red 1 1 1 1>, True)
    """

    def __init__(
        self, game: Game, components: ComponentSet, codes: list[int], actions: list[int]
    ) -> None:
        self._game, self._components = game, components
        self.codes, self.actions = codes, actions

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> list[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | list[Move]:
        if isinstance(index, slice):
            return [self._move(code) for code in self.codes[index]]
        return self._move(self.codes[index])

    def __iter__(self) -> Iterator[Move]:
        return map(self._move, self.codes)

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and move.code in self.codes and move == self._move(move.code)

    def __repr__(self) -> str:
        return f"<{len(self)} legal moves: {', '.join(map(str, self[:3]))}…>"

    def _move(self, code: int) -> Move:
        return Move(self._game, self._components, code)


Coded = tuple[int, int]
"""A move as matches keep it: its code, and the seat that made it."""


class Match:
    """A match; made by :func:`storeys.new`, :func:`storeys.load`, :func:`storeys.from_position`.

    >>> import storeys
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> match
    <manhattan match: 0 moves, seat 0 to pick>
    >>> while match.to_move is not None:
    ...     match.push(match.legal_moves[0])
    >>> match
    <manhattan match: 120 moves, over>
    """

    def __init__(
        self,
        game: Game,
        setup: Setup,
        seed: int,
        state: Records,
        names: Sequence[str],
        start: dict[str, Any] | None = None,
    ) -> None:
        self.game, self.setup, self.seed, self.names = game, setup, seed, tuple(names)
        self._state = state
        self._bytes = memoryview(state.view(np.uint8))  # type: ignore[arg-type]  # a buffer indeed
        self._components = setup.components
        self._tables = setup.components.tables
        self._start = start
        self._actions: list[int] = []
        # The states before each move: of the first ones only how they differ from the next one.
        self._packed: list[bytes] = []
        self._before: list[bytes] = []
        # Code and seat of those moves that somebody has asked for, and of all packed ones.
        self._known: list[Coded] = []
        self._changes: list[tuple[Message, ...]] = []  # of those moves that somebody has asked for
        self._legal: Moves | None = None

    # --- where the match stands

    @property
    def players(self) -> int:
        """How many seats there are.

        >>> import storeys
        >>> storeys.new("neoville", players=3).players, storeys.new("neoville").players
        (3, 4)
        """
        return self.setup.players

    def names_in(self, lang: str = DEFAULT_LANGUAGE) -> list[str]:
        """The names of the seats as people read them, those that nobody has named too.

        >>> import storeys
        >>> match = storeys.new("manhattan", names=["Ann", "seat 1", "builder 3 (bot)", "Bo"])
        >>> match.names_in("de")
        ['Ann', 'Spieler 2', 'Baumeister 3 (Bot)', 'Bo']
        """
        return [shown_name(name, seat, lang) for seat, name in enumerate(self.names)]

    def renamed(self, names: Sequence[str]) -> "Match":
        """A copy of the match whose seats have other names.

        >>> import storeys
        >>> storeys.new("manhattan", players=2).renamed(["Ann", "Bo"]).names
        ('Ann', 'Bo')
        """
        twin = self.clone()
        twin.names = tuple(names)
        return twin

    @property
    def to_move(self) -> int | None:
        """The seat to move, or None when the game is over.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.to_move
        0
        >>> match.push("pick red 1 2 3 4")
        >>> match.push("pick green 1 2 3 4")
        >>> match.to_move
        1
        """
        seat = int(self._state["to_move"][0])
        return None if seat < 0 else seat

    @property
    def phase(self) -> str:
        """The phase of the turn, one of the game's ``phases``.

        >>> import storeys
        >>> match = storeys.new("neoville", players=2, seed=7)
        >>> match.phase
        'place'
        >>> match.push(match.legal_moves[0])
        >>> match.phase
        'build'
        """
        return self.game.phases[int(self._state["phase"][0])]

    @property
    def round(self) -> int:
        """The round that is played, from 1; of a match that is over, the last one.

        >>> import storeys
        >>> storeys.arena.playouts("manhattan", 1, players=4, seed=7).match(0).round
        4
        """
        return int(self._state["round_no"][0])

    @property
    def rounds(self) -> int | None:
        """How many rounds the match has, where its game says so from the start.

        >>> import storeys
        >>> storeys.new("manhattan", players=4).rounds
        4
        """
        record = self._state[0]
        return int(record.rounds) if "rounds" in (self.game.state_dtype.names or ()) else None

    @property
    def moves_made(self) -> int:
        """How many moves were made so far.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.push("pick red 1 2 3 4")
        >>> match.moves_made
        1
        """
        return len(self._actions)

    @property
    def moves(self) -> list[Move]:
        """The moves made so far.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.push("pick red 1 2 3 4")
        >>> match.moves
        [<manhattan move: pick red 1 2 3 4>]
        """
        return [self._move(code) for code, _ in self._past()]

    @property
    def coded_moves(self) -> list[Coded]:
        """The code of every move so far, and the seat that made it.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.push("pick red 1 2 3 4")
        >>> [(code, seat)] = match.coded_moves
        >>> match.move_coded(code), seat
        (<manhattan move: pick red 1 2 3 4>, 0)
        """
        return self._past()

    def move_coded(self, code: int) -> Move:
        """The move of a code of this match, legal or not.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.move_coded(match.legal_moves[0].code) == match.legal_moves[0]
        True
        """
        return self._move(code)

    def _past(self) -> list[Coded]:
        """The code of every move so far, and the seat that made it."""
        if len(self._known) < len(self._actions):
            snapshot = bytearray(len(self._bytes))
            # One array for all moves: interpreted entry points keep those that they have seen.
            before = np.frombuffer(snapshot, self.game.state_dtype)
            for ply in range(len(self._known), len(self._actions)):
                snapshot[:] = self._before[ply - len(self._packed)]
                code = entry_points.code_of(before, self._tables, self._actions[ply])
                self._known.append((code, int(before["to_move"][0])))
        return self._known

    def changes(self) -> list[tuple[Message, ...]]:
        """What each move so far has changed for others, beside what its label says.

        >>> import storeys
        >>> match = storeys.new("neoville", players=2, seed=7)
        >>> match.push("place swww g7 turn 0")
        >>> [[change.text() for change in changes] for changes in match.changes()]
        [['now has the most sports grounds (5 points)']]
        """
        past, known, kind_of = self._past(), self._changes, self.game.notation.kind_of
        if len(known) == len(past):
            return known
        snapshot = bytearray(len(self._bytes))
        before = np.frombuffer(snapshot, self.game.state_dtype)
        for (code, _), state in zip(past[len(known) :], self._since(len(known)), strict=True):
            if kind_of(code).name not in self.game.changing_moves:
                known.append(())
                continue
            snapshot[:] = state
            move = self.game.notation.json(code, self._components)
            known.append(self.game.changes(fast_record(before), move, self._components))
        return known

    def _since(self, ply: int) -> list[bytes]:
        """The states before each move, from one on."""
        packed = len(self._packed)
        later = self._before[0] if self._before else self._bytes.tobytes()
        found: list[bytes] = []
        for differs in reversed(self._packed[ply:]):
            later = _apart(later, zlib.decompress(differs))
            found.append(later)
        return [*reversed(found), *self._before[max(ply - packed, 0) :]]

    @property
    def legal_moves(self) -> Moves:
        """What the seat to move may do; empty when the game is over.

        >>> import storeys
        >>> match = storeys.new("cloud-city", players=2, seed=7)
        >>> match.legal_moves
        <40 legal moves: place ss5 g5 turn 0, place ss5 g5 turn 1, place ss5 e7 turn 0…>
        """
        if self._legal is None:
            actions, codes = np.empty((2, self.game.actions), np.int64)
            count = entry_points.legal_codes(self._state, self._tables, actions, codes)
            self._legal = Moves(
                self.game, self._components, codes[:count].tolist(), actions[:count].tolist()
            )
        return self._legal

    def prompt(self, lang: str = DEFAULT_LANGUAGE) -> str:
        """What the seat to move has to do now, as a sentence.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.prompt(), match.prompt("nl")
        ('Pick 4 red blocks for this round.', 'Kies voor deze ronde 4 bouwstenen in de kleur rood.')
        """
        message = Message("storeys.over") if self.to_move is None else self.game.prompt(self._state)
        return message.text(lang)

    # --- playing

    def push(self, move: Move | str | Mapping[str, Any]) -> None:
        """Make a move: a move, its notation or its dict; ``IllegalMove`` says why not.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.push("pick red 1 2 3 4")
        >>> match.push({"kind": "pick", "colour": 2, "blocks": [1, 1, 1, 1]})
        >>> match.push(match.legal_moves[0])
        >>> match.push("redraw")
        Traceback (most recent call last):
            ...
        storeys.kernel.errors.IllegalMove: M-8: pick your blocks for this round first
        """
        code = self._read(move)
        before = self._bytes.tobytes()
        action = entry_points.push(self._state, self._tables, code, False)
        if action < 0:
            raise self._refused(code, -action)
        self._actions.append(action)
        self._before.append(before)
        self._legal = None

    def pop(self) -> Move:
        """Take the last move back, exactly, hidden cards and random state included.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> before = match.position()
        >>> match.push("pick red 1 2 3 4")
        >>> match.pop(), match.position() == before
        (<manhattan move: pick red 1 2 3 4>, True)
        """
        if not self._actions:
            raise StoreysError(Message("storeys.nothing-to-take-back"))
        return self._move(entry_points.code_of(self._state, self._tables, self._undo()))

    def _undo(self) -> int:
        """Go back by a move; its action."""
        self._bytes[:] = self._last_before()
        del (self._before or self._packed)[-1]
        self._legal = None
        action = self._actions.pop()
        del self._known[len(self._actions) :]
        del self._changes[len(self._actions) :]
        return action

    def _last_before(self) -> bytes:
        """The state before the last move."""
        if self._before:
            return self._before[-1]
        return _apart(self._bytes, zlib.decompress(self._packed[-1]))

    def rest(self) -> None:
        """Take as little memory as possible until the next move; nothing else changes.

        >>> import pickle, storeys
        >>> match = storeys.arena.playouts("neoville", 1, players=4, seed=7).match(0)
        >>> large = len(pickle.dumps(match))
        >>> match.rest()
        >>> large > 10 * len(pickle.dumps(match))
        True
        >>> match.pop()
        <neoville move: draw 1>
        """
        self.changes()
        later = [*self._before[1:], self._bytes.tobytes()]
        self._packed += map(_packed, self._before, later)
        self._before.clear()
        self._legal = None

    def _refused(self, code: int, reason: int) -> IllegalMove:
        rule, why = self.game.refusal(self._state[0], code, reason, self._components)
        return IllegalMove(why, rule)

    @property
    def movers(self) -> list[int]:
        """The seat that made each move so far.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> for _ in range(6):
        ...     match.push(match.legal_moves[0])
        >>> match.movers
        [0, 0, 1, 1, 0, 1]
        """
        return [seat for _, seat in self._past()]

    def can_take_back(self, seat: int) -> bool:
        """Whether the last move is this seat's own and has shown nothing hidden to anybody.

        Who takes back at a table does no more than that; :meth:`pop` takes back anything.

        >>> import storeys
        >>> match = storeys.new("cloud-city", players=2, seed=7)
        >>> match.push(match.legal_moves[0])
        >>> match.can_take_back(0), match.can_take_back(1)
        (True, False)
        >>> match.push("draw pile")
        >>> match.can_take_back(0)
        False
        """
        if not self._actions:
            return False
        code, mover = self._past()[-1]
        if mover != seat or self._move(code).kind in self.game.final_moves:
            return False
        before = np.frombuffer(self._last_before(), self.game.state_dtype)
        return _chance_used(before) == self.chance_used()

    def parse_move(self, move: Move | str | Mapping[str, Any]) -> Move:
        """Read a move, legal or not; ``NotAMove`` points at what cannot be read.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.parse_move("redraw") in match.legal_moves
        False
        >>> match.parse_move("REDRAW hand")
        Traceback (most recent call last):
            ...
        storeys.kernel.errors.NotAMove: “hand” (word 2 of “REDRAW hand”) is too much; leave it out
        """
        return self._move(self._read(move))

    def _read(self, move: Move | str | Mapping[str, Any]) -> int:
        """The code of a move, its notation or its dict."""
        if isinstance(move, str):
            return self.game.notation.read_text(move, self.setup)
        if isinstance(move, Move):
            if move.components is self._components:
                return move.code
            if move.game.name != self.game.name:
                raise NotAMove(
                    Message(
                        "storeys.other-game",
                        move=str(move),
                        other=move.game.title,
                        game=self.game.title,
                    )
                )
            move = move.to_json()
        if isinstance(move, Mapping):
            place = Node(dict(move), "move", NotAMove)
            return self.game.notation.read_json(place, self.setup)
        raise NotAMove(Message("storeys.not-a-move", found=short(move)))

    # --- actions: moves as numbers of the game's fixed action space

    def move_of(self, action: int) -> Move:
        """The move of an action that is legal now; ``IllegalMove`` if it is not.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.move_of(int(match.action_mask().argmax()))
        <manhattan move: pick red 3 4 4 4>
        """
        number, last = as_whole(action), self.game.actions - 1
        if number is None or not 0 <= number <= last:
            raise NotAMove(Message("storeys.no-such-action", found=short(action), last=last))
        if not self.action_mask()[number]:
            raise IllegalMove(Message("storeys.envs.illegal", action=number))
        return self._move(entry_points.code_of(self._state, self._tables, number))

    def action_of(self, move: Move | str | Mapping[str, Any]) -> int:
        """The action of a legal move, its notation or its dict; ``IllegalMove`` says why not.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.action_of("pick red 1 2 3 4")
        104
        """
        code = self._read(move)
        action = int(entry_points.action_of(self._state, self._tables, code))
        if action < 0:
            raise self._refused(code, -action)
        return action

    def random_move(self, rng: Records) -> Move:
        """A legal move, uniformly at random, from a generator of :mod:`storeys.kernel.chance`.

        >>> import storeys
        >>> from storeys.kernel import chance
        >>> match, rng = storeys.new("manhattan", players=2, seed=7), chance.generator(1)
        >>> match.random_move(rng), match.random_move(rng)
        (<manhattan move: pick red 2 2 2 2>, <manhattan move: pick red 3 4 4 4>)
        """
        return self._move(entry_points.sample_code(self._state, self._tables, rng))

    def chance_used(self) -> tuple[int, int]:
        """How far the match has come in its stream: it moves on when something hidden is shown.

        >>> import storeys
        >>> match = storeys.new("cloud-city", players=2, seed=7)
        >>> used = match.chance_used()
        >>> match.push(match.legal_moves[0])
        >>> match.chance_used() == used
        True
        >>> match.push("draw pile")
        >>> match.chance_used() == used
        False
        """
        return _chance_used(self._state)

    # --- looking

    def position(self) -> dict[str, Any]:
        """Everything, hidden parts included, as plain JSON.

        >>> import storeys
        >>> position = storeys.new("manhattan", players=2, seed=7).position()
        >>> position["phase"], position["to_move"], position["hands"]
        ('pick', 0, [[7, 9, 5, 4], [1, 1, 3, 8]])
        """
        return self._describe(self._state, str(self.seed))

    def view(self, seat: int | None, public: dict[str, Any] | None = None) -> dict[str, Any]:
        """The position with only what a seat may know; None for a spectator.

        Whoever has the spectator's view already gives it as ``public``: then only what not all
        see alike is worked out, and the rest is that view's own.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.view(0)["hands"]
        [[7, 9, 5, 4], [None, None, None, None]]
        >>> match.view(None)["hands"]
        [[None, None, None, None], [None, None, None, None]]
        """
        number, state = self._seat(seat), self.blinded(seat)
        if public is None:
            shown = self._describe(state, None)
        else:
            shown = public | self.game.part_to_know(state, self._components)
        return shown | {"seat": None if number < 0 else number}

    def state(self) -> Records:
        """A copy of the whole state, hidden parts included, as compiled code takes it.

        >>> import storeys
        >>> state = storeys.new("manhattan", players=2, seed=7).state()
        >>> state.shape, int(state["players"][0])
        ((1,), 2)
        """
        return copy_of(self._state)

    def blinded(self, seat: int | None) -> Records:
        """The state with only what a seat may know: what views, tensors and bots are made of.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.state()["hands"][0, 1], match.blinded(0)["hands"][0, 1]
        (array([0, 0, 2, 7], dtype=int16), array([-1, -1, -1, -1], dtype=int16))
        """
        state = copy_of(self._state)
        entry_points.blind(state, self._tables, self._seat(seat))
        return state

    def _describe(self, state: Records, seed: str | None) -> dict[str, Any]:
        to_move = int(state["to_move"][0])
        common = {
            "game": self.game.name,
            **self._older_rules(),
            "players": self.players,
            "phase": self.game.phases[int(state["phase"][0])],
            "round": int(state["round_no"][0]),
            "to_move": None if to_move < 0 else to_move,
            "seed": seed,
            "options": self.setup.to_json(),
        }
        return common | self.game.to_position(state, self._components)

    def _older_rules(self) -> dict[str, int]:
        """The version of the rules as positions name it: only where it is not the newest."""
        version = self.setup.rules_version
        return {} if version == self.game.rules_version else {"rules_version": version}

    def observe(self, seat: int | None) -> np.ndarray[Any, np.dtype[np.float32]]:
        """The observation tensor of a seat, by the game's ``planes``.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.observe(0).shape, match.observe(0).dtype
        ((538,), dtype('float32'))
        """
        out = np.empty(self.game.observation_size, np.float32)
        entry_points.observe(self._state, self._tables, self._seat(seat), out)
        return out

    def action_mask(self) -> np.ndarray[Any, np.dtype[np.int8]]:
        """1 for every action of the game's action space that is legal now.

        >>> import storeys
        >>> mask = storeys.new("manhattan", players=2, seed=7).action_mask()
        >>> mask.size, int(mask.sum())
        (320, 34)
        """
        out = np.empty(self.game.actions, np.int8)
        entry_points.mask(self._state, self._tables, np.empty(self.game.actions, np.int64), out)
        return out

    def board_text(self, seat: int | None, lang: str = DEFAULT_LANGUAGE) -> str:
        """The view of a seat as text for the terminal, in Rich's markup.

        >>> import storeys
        >>> match = storeys.new("neoville", players=1, seed=7)
        >>> print(match.board_text(0).splitlines()[0])
        [bold]City of Player 1: 0 points[/bold]
        """
        return self.game.board_text(self.view(seat), self._components, self.names_in(lang), lang)

    # --- the picture

    def svg(
        self,
        seat: int | None = None,
        *,
        view: str = "plan",
        ply: int | None = None,
        turn: int = 0,
        theme: str = "light",
        highlight: Iterable[Sequence[int]] = (),
        lang: str = DEFAULT_LANGUAGE,
        prefix: str | None = None,
        cache: Cache | None = None,
    ) -> str:
        """The picture of what a seat may see (None: a spectator), as SVG text.

        ``view`` is "plan", from above, or "skyline", from the air and to be walked around by
        quarter ``turn``s; ``ply`` shows the position after so many moves.  ``highlight`` lights up
        squares (seat, row, column) or sites.  Ids begin with ``prefix``, by default one of the
        picture's own.  A ``cache`` keeps areas that have not changed.

        >>> import storeys
        >>> match = storeys.new("neoville", players=2, seed=7)
        >>> match.svg(0, view="skyline", turn=1, theme="dark", lang="de")[:4]
        '<svg'
        """
        look = make_look(view, turn, theme, highlight, lang)
        shown = self if ply is None else self.at(ply)
        names = self.names_in(lang)
        scene = self.game.scene(shown.view(seat), self._components, names, look, shown.winners)
        return assemble(scene, look, own_prefix() if prefix is None else prefix, cache)

    def _repr_svg_(self) -> str:
        return self.svg()

    def at(self, ply: int) -> "Match":
        """The match as it was after so many moves.

        >>> import storeys
        >>> match = storeys.arena.playouts("manhattan", 1, players=2).match(0)
        >>> match, match.at(10)
        (<manhattan match: 120 moves, over>, <manhattan match: 10 moves, seat 0 to build>)
        """
        last = self.moves_made
        number = as_whole(ply)
        if number is None or not 0 <= number <= last:
            raise BadOption(Message("storeys.record.ply", last=last, found=short(ply)))
        walker = self.clone()
        while walker.moves_made > number:
            walker._undo()
        return walker

    def choices(self, lang: str = DEFAULT_LANGUAGE) -> list[dict[str, Any]]:
        """The legal moves with what has to be picked in the picture for each.

        >>> import storeys
        >>> choice = storeys.new("manhattan", players=2, seed=7).choices()[0]
        >>> choice["move"], choice["label"]
        ('pick red 3 4 4 4', 'picks red blocks: 3 4 4 4')
        >>> choice["picks"]
        {'colour': '0', 'n1': '0', 'n2': '0', 'n3': '1', 'n4': '3'}
        """
        return [self.choice(move, lang) for move in self.legal_moves]

    def choice(self, move: Move, lang: str = DEFAULT_LANGUAGE) -> dict[str, Any]:
        """One move with what has to be picked in the picture for it; the same in every match.

        >>> import storeys
        >>> match = storeys.new("cloud-city", players=2, seed=7)
        >>> match.choice(match.parse_move("draw pile"))
        {'move': 'draw pile', 'picks': {'row': 'pile'}, 'label': 'draws from the pile'}
        """
        return {
            "move": str(move),
            "picks": self.game.picks(move.to_json()),
            "label": move.label(0, lang),
        }

    def gains(self) -> list[int]:
        """What each legal move adds to its seat's total at once; 0 where it shows what is hidden.

        >>> import storeys
        >>> match = storeys.arena.playouts("cloud-city", 1, players=1, seed=3).match(0).at(7)
        >>> match.gains()
        [3, 2, 1, 1, 1, 0, 0, 0, 0]
        """
        return [gain for gain, _ in self.prospects()]

    def previews(self) -> dict[str, Preview]:
        """What legal moves change beside points, or still need, by their notation.

        >>> import storeys
        >>> match = storeys.new("neoville", players=1, seed=7)
        >>> match.push(match.legal_moves[0])
        >>> [words] = next(iter(match.previews().values())).words
        >>> words.text()
        '4, needs 3 more earth squares'
        """
        found = zip(self.legal_moves, self.prospects(), strict=True)
        return {str(move): preview for move, (_, preview) in found if preview is not None}

    def prospects(self) -> list[tuple[int, Preview | None]]:
        """What each legal move adds at once, and what else it changes; each is tried once at most.

        >>> import storeys
        >>> match = storeys.arena.playouts("cloud-city", 1, players=1, seed=3).match(0).at(7)
        >>> match.prospects()[:2]
        [(3, None), (2, None)]
        """
        if self.to_move is None:
            return []
        game, legal = self.game, self.legal_moves
        kinds = [game.notation.kind_of(code).name for code in legal.codes]
        # Those that show what is hidden are not even tried: where they are most, that is most.
        tried = {
            kind
            for kind in {*kinds}.difference(game.final_moves)
            if game.may_gain(self._state, kind)
        }
        trials = Trials(self._state, self._tables, game.seat_points)
        found: list[tuple[int, Preview | None]] = []
        for kind, code, action in zip(kinds, legal.codes, legal.actions, strict=True):
            after = trials.after(action) if kind in tried else None
            preview = None
            if kind in game.previewed_moves:
                move = game.notation.kept_json(code, self._components)
                later = partial(trials.after, action) if after is None else partial(_same, after)
                preview = game.preview(trials.before, later, move, self._components)
            found.append((0 if after is None else trials.gain_of(after), preview))
        return found

    # --- the result

    @property
    def totals(self) -> list[int]:
        """What each seat has, as if the match ended now.

        >>> import storeys
        >>> storeys.arena.playouts("manhattan", 1, players=2).match(0).totals
        [128, 146]
        """
        return totals_of(self._state, self._components)

    def score(self, lang: str = DEFAULT_LANGUAGE) -> list[dict[str, Any]]:
        """For each seat its total and the parts it is made of.

        >>> import storeys
        >>> match = storeys.arena.playouts("cloud-city", 1, players=1, seed=3).match(0)
        >>> [seat] = match.score()
        >>> seat["total"], seat["parts"][0]["rule"], seat["parts"][0]["label"]
        (10, 'C-21', 'green walkway j5 – j6')
        """
        totals, state = self.totals, fast_record(self._state)
        return [
            {"total": total, "parts": self._score_parts(state, seat, lang)}
            for seat, total in enumerate(totals)
        ]

    def score_of(self, seat: int, lang: str = DEFAULT_LANGUAGE) -> dict[str, Any]:
        """The same for one seat.

        >>> import storeys
        >>> match = storeys.arena.playouts("cloud-city", 1, players=2, seed=3).match(0)
        >>> match.score_of(1) == match.score()[1]
        True
        """
        state, tables = as_rows(self._state)[0], as_rows(self._tables)[0]
        total = int(self.game.seat_points(state, tables, self._seat(seat)))
        return {"total": total, "parts": self._score_parts(state, seat, lang)}

    def score_key(self, seat: int) -> Hashable | None:
        """What tells moments apart at which a seat's score is another, or None: nobody knows.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> before = match.score_key(0)
        >>> match.push(match.legal_moves[0])  # blocks for the round bring no points
        >>> before == match.score_key(0)
        True
        """
        return self.game.score_key(as_rows(self._state)[0], seat)

    def _score_parts(self, state: Any, seat: int, lang: str) -> list[dict[str, Any]]:
        return [
            part | {"label": part["label"].text(lang), "points": int(part["points"])}
            for part in self.game.score_parts(state, seat, self._components)
        ]

    @property
    def winners(self) -> list[int]:
        """The seats that have won, once the game is over; before that none.

        >>> import storeys
        >>> match = storeys.arena.playouts("manhattan", 1, players=2).match(0)
        >>> match.winners, match.at(10).winners
        ([1], [])
        """
        if self.to_move is not None:
            return []
        totals, won = np.zeros(self.players, np.int32), np.zeros(self.players, bool)
        entry_points.results(self._state, self._tables, totals, won)
        return [seat for seat in range(self.players) if won[seat]]

    # --- the log

    def record(self) -> dict[str, Any]:
        """The whole match as plain JSON, from which :func:`storeys.load` replays it.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> match.push("pick red 1 2 3 4")
        >>> record = match.record()
        >>> record["seed"], record["seats"], record["moves"]
        ('7', ['seat 0', 'seat 1'], ['pick red 1 2 3 4'])
        """
        record: dict[str, Any] = {
            "game": self.game.name,
            "rules_version": self.setup.rules_version,
            "players": self.players,
            "options": self.setup.to_json(),
            "components": self.setup.components.hash,
            "seed": str(self.seed),
            "seats": list(self.names),
        }
        if self._start is not None:
            record["start"] = deepcopy(self._start)
        moves = [str(move) for move in self.moves]
        return record | {"length": len(moves), "moves": moves}

    def checkpoint(self) -> str:
        """Where the match stands, for :func:`resumed` in a program of the same version.

        >>> import storeys
        >>> from storeys.match import resumed
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> twin = resumed(match.record(), [], match.checkpoint())
        >>> twin.position() == match.position()
        True
        """
        self.rest()
        whole = b"".join([zlib.compress(self._bytes, 1), *self._packed])
        facts = {
            "kernel": tag_of(self.game.state_dtype),
            "moves": _digest_of(map(str, self.moves)),
            "actions": [*map(int, self._actions)],
            "known": [(int(code), int(seat)) for code, seat in self._known],
            "sizes": [*map(len, self._packed)],
            "bytes": b64encode(whole).decode(),
        }
        return json.dumps(facts, separators=(",", ":"))

    def clone(self) -> "Match":
        """An independent copy, random state and undo included.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> twin = match.clone()
        >>> twin.push(twin.legal_moves[0])
        >>> match.moves_made, twin.moves_made
        (0, 1)
        """
        twin = Match(
            self.game, self.setup, self.seed, copy_of(self._state), self.names, self._start
        )
        twin._actions, twin._known = self._actions.copy(), self._known.copy()
        twin._changes = self._changes.copy()
        twin._packed, twin._before = self._packed.copy(), self._before.copy()
        return twin

    def __copy__(self) -> "Match":
        return self.clone()

    def __deepcopy__(self, memo: Any) -> "Match":
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        kernel = tag_of(self.game.state_dtype)
        version = self.setup.rules_version
        setup = self.players, self.setup.to_json(), version, self.seed, self.names, self._start
        past = self._packed, self._before, self._known
        log = self._bytes.tobytes(), self._actions, past
        return _unpickle_match, (self.game.name, kernel, setup, log)

    def __repr__(self) -> str:
        turn = "over" if self.to_move is None else f"seat {self.to_move} to {self.phase}"
        return f"<{self.game.name} match: {self.moves_made} moves, {turn}>"

    def _move(self, code: int) -> Move:
        return Move(self.game, self._components, code)

    def _seat(self, seat: int | None) -> int:
        number = -1 if seat is None else as_whole(seat)
        if number is None or not (seat is None or 0 <= number < self.players):
            raise StoreysError(
                Message("storeys.no-such-seat", found=short(seat), last=self.players - 1)
            )
        return number


def _same(state: Any) -> Any:
    return state


def _chance_used(state: Records) -> tuple[int, int]:
    return int(state["counter"][0]), int(state["word_at"][0])


def _apart(one: bytes | memoryview, two: bytes) -> bytes:
    """In which bits two states differ; from one of them and this, the other."""
    return np.bitwise_xor(np.frombuffer(one, np.uint8), np.frombuffer(two, np.uint8)).tobytes()


def _packed(state: bytes, later: bytes) -> bytes:
    """How a state differs from the next one, which most of it does not."""
    return zlib.compress(_apart(state, later), 1)


def _unpickle_match(name: str, kernel: str, setup: Any, log: Any) -> Match:
    game = get_game(name)
    if kernel != tag_of(game.state_dtype):
        raise StoreysError(Message("storeys.other-version", game=game.title))
    players, options, version, seed, names, start = setup
    settled = game.settle(players, options, rules_version=version)
    match = Match(game, settled, seed, game.blank_state(settled), names, start)
    match._bytes[:], match._actions, past = log
    match._packed, match._before, match._known = past
    return match


# --- making matches


def new(
    game: str,
    players: int | None = None,
    seed: int | str | None = None,
    names: Sequence[str] | None = None,
    **options: Any,
) -> Match:
    """Deal a new match; without a seed, one is drawn.

    >>> import storeys
    >>> storeys.new("manhattan", players=2, tiebreak="towers", seed=7)
    <manhattan match: 0 moves, seat 0 to pick>
    >>> storeys.new("cloud-city", requests=2, seed=1).setup.options["requests"]
    ['minimalist', 'crossed-walkways']
    """
    return make_match(game, players, seed, names, options)


def make_match(
    game: str,
    players: Any,
    seed: int | str | None,
    names: Sequence[str] | None,
    options: Mapping[str, Any],
    rules_version: int | None = None,
) -> Match:
    """Deal a new match, with the options of the game as a dict."""
    kind = get_game(game)
    number = read_seed(seed)
    setup = kind.settle(players, options, number, rules_version)
    return Match(kind, setup, number, deal(kind, setup, number), check_names(setup, names))


def deal(game: Game, setup: Setup, seed: int) -> Records:
    """The state of a match that has just been dealt."""
    state = game.blank_state(setup)
    state[0].key[:] = chance.key_of_seed(seed)
    entry_points.start(state, setup.components.tables, chance.DEALT)
    return state


def read_seed(seed: int | str | None) -> int:
    """A seed as a number; None draws one of 128 bits."""
    if seed is None:
        return secrets.randbits(128)
    if isinstance(seed, str):
        number = int(seed) if seed.isascii() and seed.isdigit() and len(seed) < 80 else None
    else:
        number = as_whole(seed)
    if number is None or not 0 <= number < 1 << chance.SEED_BITS:
        raise BadOption(Message("storeys.bad-seed", found=short(seed)))
    return number


BOT_MARK = " (bot)"
"""How the name of a seat ends that a bot plays."""


def default_name(seat: int) -> str:
    """The name of a seat that nobody has named, as records hold it in every language."""
    return f"seat {seat}"


def bot_name(bot: str, seat: int) -> str:
    """The name of a seat that a bot plays, as records hold it in every language."""
    return f"{bot} {seat + 1}{BOT_MARK}"


def shown_name(name: str, seat: int, lang: str) -> str:
    """A seat's name as people read it; whom nobody has named is called in their language."""
    if name == default_name(seat):
        return Message("storeys.play.person", number=seat + 1).text(lang)
    bot = name.removesuffix(BOT_MARK).rpartition(" ")[0]
    if name != bot_name(bot, seat):
        return name
    label = Or(f"storeys.bot.{bot}.label", bot)  # Somebody's own bot has none.
    return Message("storeys.play.bot", name=label, number=seat + 1).text(lang)


def check_names(setup: Setup, names: Sequence[str] | None) -> list[str]:
    """One name a seat."""
    if names is None:
        return [default_name(seat) for seat in range(setup.players)]
    given = list(names) if isinstance(names, list | tuple) else None
    if given is None or len(given) != setup.players or not all(map(_is_name, given)):
        raise BadOption(Message("storeys.bad-names", n=setup.players, found=short(names)))
    return given


def _is_name(name: Any) -> bool:
    """A text that can be written down (a lone surrogate cannot)."""
    return isinstance(name, str) and name.isprintable()


MAY_BE_ADDED = ("seat", "rules_version")
"""What a position dict may have beside the keys of every position of its game."""


def from_position(
    position: Mapping[str, Any],
    seed: int | str | None = None,
    names: Sequence[str] | None = None,
) -> Match:
    """A match that starts from a position dict, checked against the box and the rules.

    What the position does not know (a view has null for it) is dealt afresh from the seed; so is
    the future, which a position never holds.  The seed is the position's own unless one is given.

    >>> import storeys
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> world = storeys.from_position(match.view(0), seed=1)
    >>> match.position()["hands"], world.position()["hands"]
    ([[7, 9, 5, 4], [1, 1, 3, 8]], [[7, 9, 5, 4], [3, 4, 8, 4]])
    """
    document = dict(position) if isinstance(position, Mapping) else position
    place = Node(document, "position", BadPosition)
    game = get_game(place["game"].text())
    version = place.get("rules_version")
    return _from_position(
        place, seed, names, game.rules_version if version is None else _version_of(version, game)
    )


def _from_position(
    place: Node, seed: int | str | None, names: Sequence[str] | None, rules_version: int
) -> Match:
    game = get_game(place["game"].text())
    setup = game.settle(
        place["players"].value, _settled_options(place), rules_version=rules_version
    )
    number = read_seed(place["seed"].value if seed is None else seed)
    state = game.blank_state(setup)
    game.from_position(place, setup, state)
    viewer = place.get("seat")
    if viewer is not None:
        seat = viewer.one_of([None, *range(setup.players)])
        _deal_unknown(state, setup, seat, number)
    start, match = _begin(game, setup, number, state, names)
    place.only(*start, *MAY_BE_ADDED)
    return match


def world_of(match: Match, seat: int, seed: int) -> Match:
    """One world that agrees with what a seat knows of a match.

    The same as ``from_position(match.view(seat), seed)``, made of the blinded record.
    """
    state = match.blinded(seat)
    _deal_unknown(state, match.setup, seat, seed)
    return _begin(match.game, match.setup, seed, state, None)[1]


def _deal_unknown(state: Records, setup: Setup, seat: int | None, seed: int) -> None:
    """Deal what a seat, or a spectator, does not know."""
    viewer, rng = -1 if seat is None else seat, chance.generator(seed)
    entry_points.redeal(state, setup.components.tables, viewer, rng)


def _begin(
    game: Game, setup: Setup, seed: int, state: Records, names: Sequence[str] | None
) -> tuple[dict[str, Any], Match]:
    """A match that starts from a state into the future of a seed, and its start as a position."""
    state[0].key[:] = chance.key_of_seed(seed)
    entry_points.start(state, setup.components.tables, chance.RESUMED)
    match = Match(game, setup, seed, state, check_names(setup, names))
    match._start = match.position()
    match._start.pop("rules_version", None)  # A record says it itself.
    return match._start, match


def _settled_options(document: Node) -> dict[str, Any]:
    """The options of a document; a component set must be inside, not named by a path."""
    options = document["options"]
    carried = options.get("components")
    if carried is not None:
        carried.mapping()
    return options.mapping()


def load(record: Mapping[str, Any] | str | bytes | Path) -> Match:
    """Replay a record: a dict, its JSON text or a path; ``BadRecord`` says what is wrong.

    A str is JSON text if it begins with ``{``, as every record does; any other names a file.

    >>> import json, storeys
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> match.push("pick red 1 2 3 4")
    >>> storeys.load(json.dumps(match.record()))
    <manhattan match: 1 moves, seat 0 to pick>
    """
    place = Node(read_record(record), "record", BadRecord)
    game = get_game(place["game"].text())
    version = _version_of(place["rules_version"], game)
    try:
        match = _set_up(place, version)
    except BadRecord:
        raise
    except StoreysError as error:
        raise BadRecord(Message("storeys.record.setup", why=error)) from error
    _check_components(place, match)
    _replay(place, match)
    return match


def resumed(record: Mapping[str, Any], moves: Sequence[str], checkpoint: str) -> Match | None:
    """The match of a record after these moves, from a checkpoint instead of playing them.

    None if the checkpoint is of another version of the rules, or was made after other moves.

    >>> import storeys
    >>> from storeys.match import resumed
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> match.push("pick red 1 2 3 4")
    >>> moves = [str(move) for move in match.moves]
    >>> resumed(match.record(), moves, match.checkpoint())
    <manhattan match: 1 moves, seat 0 to pick>
    >>> print(resumed(match.record(), ["pick red 1 1 1 1"], match.checkpoint()))
    None
    """
    facts, game = json.loads(checkpoint), get_game(record["game"])
    if facts["kernel"] != tag_of(game.state_dtype) or facts["moves"] != _digest_of(moves):
        return None
    version = record["rules_version"]
    setup = game.settle(record["players"], record["options"], rules_version=version)
    if setup.components.hash != record["components"]:
        return None
    seed, names = read_seed(record["seed"]), record["seats"]
    match = Match(game, setup, seed, game.blank_state(setup), names, record.get("start"))
    whole, sizes = b64decode(facts["bytes"]), facts["sizes"]
    ends = [*accumulate(sizes, initial=len(whole) - sum(sizes))]
    match._bytes[:] = zlib.decompress(whole[: ends[0]])
    match._packed = [whole[start:end] for start, end in pairwise(ends)]
    match._actions = facts["actions"]
    match._known = [(code, seat) for code, seat in facts["known"]]
    return match


def _digest_of(moves: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(moves).encode()).hexdigest()


def read_record(record: Mapping[str, Any] | str | bytes | Path) -> Any:
    """The content of a record, however it is given; nothing in it is checked yet."""
    if isinstance(record, Mapping):
        return dict(record)
    if isinstance(record, Path) or (isinstance(record, str) and not _is_json(record)):
        record = _read_file(Path(record))
    if not isinstance(record, str | bytes):
        return record
    try:
        return json.loads(record)
    except (ValueError, RecursionError) as error:
        raise BadRecord(Message("storeys.record.not-json", why=str(error))) from None


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _read_file(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:  # a ValueError: no UTF-8, or no path at all
        why = getattr(error, "strerror", None) or str(error)
        raise BadRecord(Message("storeys.record.unreadable", path=str(path), why=why)) from None


def _version_of(version: Node, game: Game) -> int:
    """The version of the rules that a document follows; old ones are played as they were."""
    if not game.plays_rules(version.value):
        raise version.fail(
            "storeys.record.version",
            found=short(version.value),
            game=game.title,
            known=", ".join(map(str, range(game.oldest_rules, game.rules_version + 1))),
        )
    return int(version.value)


def _set_up(record: Node, rules_version: int) -> Match:
    seed, names = record["seed"].text(), [name.text() for name in record["seats"].items()]
    start = record.get("start")
    if start is not None:
        for key in ("game", "players", "options"):
            if start[key].value != record[key].value:
                raise start[key].fail("storeys.record.start", key=key)
        return _from_position(start, seed, names, rules_version)
    players, options = record["players"].value, _settled_options(record)
    return make_match(record["game"].text(), players, seed, names, options, rules_version)


def _check_components(record: Node, match: Match) -> None:
    expected, found = record["components"].text(), match.setup.components.hash
    if expected != found:
        raise record.fail("storeys.record.components", expected=expected, found=found)


def _replay(record: Node, match: Match) -> None:
    moves = list(record["moves"].items())
    length = record.get("length")
    if length is not None and length.value != len(moves):
        raise record.fail(
            "storeys.record.truncated", expected=short(length.value), found=len(moves)
        )
    for ply, move in enumerate(moves, start=1):
        try:
            match.push(move.text())
        except IllegalMove as error:
            quoted = clipped(move.value)
            raise move.fail("storeys.record.move", ply=ply, move=quoted, why=error) from None
