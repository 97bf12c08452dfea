"""What a position of Manhattan promises: points so far, and the scorings to come on this board.

Two scorings are foreseen: that of this round, and a later one that stands for all further rounds.
A tower counts by the chance that nobody takes it until then: the blocks that others may put on it
by M-14 are counted.  Blocks not built yet are worth something too, the large ones more.
"""

import math
from typing import Any

import numpy as np

from storeys.games.manhattan.moves import seat_of_colour
from storeys.games.manhattan.observation import colours_in_play
from storeys.games.manhattan.scoring import CITY_POINTS, TALLEST_POINTS, TOWER_POINTS
from storeys.games.manhattan.state import CELLS, CITIES, NONE, OVER, PICK, SITES, SIZES, State
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray, int64

RISK_NOW = 0.07  # that a block which may take a tower this round does so
RISK_LATER = 0.03  # the same for blocks of later rounds
LEAD_NOW, LEAD_LATER = 1.2, 0.65  # how much a tower more decides a city
HEIGHT_NOW, HEIGHT_LATER = 0.8, 0.35  # how much a storey more decides the tallest tower
LATER = 0.9  # what a later scoring counts
BLOCK_VALUES = (0.2, 0.5, 0.8, 1.1)  # a block still to be built, by size
SAVED = 0.92  # a block in stock, against a picked one


@jitable
def find_blocks(state: State, now: IntArray, later: IntArray) -> None:
    """For each colour how many blocks of a size or larger come this round, and in later ones."""
    for colour in range(4):
        stock = state.stock[colour].sum()
        # Who has not picked yet is expected to take a fair share of every size.
        picks = state.phase == PICK and stock > 0 and state.picked[colour].sum() == 0
        share = state.pick_size / stock if picks else 0.0
        for size in range(SIZES - 1, -1, -1):
            held = state.stock[colour, size] * share
            now[colour, size] = state.picked[colour, size] + held
            later[colour, size] = state.stock[colour, size] - held
            if size < SIZES - 1:
                now[colour, size] += now[colour, size + 1]
                later[colour, size] += later[colour, size + 1]


@jitable
def threats(state: State, site: int, blocks: IntArray) -> float:
    """M-14: how many blocks of other seats may take a tower."""
    owner = int64(state.owner[site])
    seat = seat_of_colour(state.players, owner)
    found = 0.0
    for colour in range(colours_in_play(state)):
        if seat_of_colour(state.players, colour) != seat:
            gap = int64(state.storeys[site, owner]) - int64(state.storeys[site, colour])
            if gap <= SIZES:
                found += blocks[colour, max(gap, 1) - 1]
    return found


@jitable
def foresee(state: State, kept: IntArray, lead: float, height: float, out: IntArray) -> None:
    """M-16 … M-18: what a scoring is likely to bring each colour, by the towers that it keeps."""
    towers, leads = np.zeros(4), np.zeros(4)
    for city in range(len(CITIES)):
        towers[:] = 0
        for site in range(city * CELLS, (city + 1) * CELLS):
            if state.owner[site] != NONE:
                towers[state.owner[site]] += kept[site]
        total = 0.0
        for colour in range(colours_in_play(state)):
            leads[colour] = math.exp(lead * towers[colour])
            total += leads[colour]
        for colour in range(colours_in_play(state)):
            majority = leads[colour] / total
            out[colour] += TOWER_POINTS * towers[colour] + CITY_POINTS * majority
    foresee_tallest(state, kept, height, out)


@jitable
def foresee_tallest(state: State, kept: IntArray, height: float, out: IntArray) -> None:
    """M-16: the taller a tower, the more likely it is the tallest."""
    tallest, total, taller = int64(0), 0.0, np.zeros(SITES)
    for site in range(SITES):
        tallest = max(tallest, int64(state.height[site]))
    for site in range(SITES):
        if state.owner[site] != NONE:
            taller[site] = math.exp(height * (state.height[site] - tallest))
            total += taller[site]
    for site in range(SITES):
        if state.owner[site] != NONE:
            out[state.owner[site]] += TALLEST_POINTS * kept[site] * (taller[site] / total)


@jitable
def evaluate(state: State, tables: Any, out: IntArray) -> None:
    """Points, this round's scoring, the later ones, and the blocks left; exact at the end."""
    out[:] = 0
    for colour in range(colours_in_play(state)):
        out[seat_of_colour(state.players, colour)] += state.points[colour]
    if state.phase == OVER:
        return
    rounds = state.rounds - state.round_no
    now, later = np.zeros((4, SIZES)), np.zeros((4, SIZES))
    find_blocks(state, now, later)
    kept, kept_later = np.zeros(SITES), np.zeros(SITES)
    for site in range(SITES):
        if state.owner[site] != NONE:
            risk = RISK_NOW * threats(state, site, now)
            kept[site] = math.exp(-risk)
            kept_later[site] = math.exp(-risk - RISK_LATER * threats(state, site, later))
    this_round, later_round = np.zeros(4), np.zeros(4)
    foresee(state, kept, LEAD_NOW, HEIGHT_NOW, this_round)
    foresee(state, kept_later, LEAD_LATER, HEIGHT_LATER, later_round)
    for colour in range(colours_in_play(state)):
        worth = 0.0  # of the blocks that are not built yet
        for size in range(SIZES):
            blocks = state.picked[colour, size] + SAVED * state.stock[colour, size]
            worth += BLOCK_VALUES[size] * blocks
        promised = this_round[colour] + rounds * LATER * later_round[colour] + worth
        out[seat_of_colour(state.players, colour)] += promised
