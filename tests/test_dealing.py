"""Deals of every game: nothing of what a state held before is left."""

import pytest

import storeys
from storeys.kernel import chance, entry_points
from storeys.registry import game_names

# What a state holds before it is dealt: the key, and what the options say.
KEPT = {
    "manhattan": ("pick_size", "rounds", "by_towers"),
    "cloud-city": ("long_side", "rounds", "edition", "requests"),
    "neoville": ("kinds", "rounds"),
}
JUNK, NONE = 3, -1


@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("players", [2, 3])
def test_a_deal_forgets_what_the_state_held(name: str, players: int) -> None:
    """Batches deal game after game into the same record."""
    match = storeys.new(name, players=players, seed=5)
    fresh, states = match.state(), match.state()
    names = states.dtype.names
    assert names is not None
    for field in names[1:]:
        if field not in ("players", "rules_version", "key", "filler", *KEPT[name]):
            states[field] = JUNK
    entry_points.start(states, match._tables, chance.DEALT)
    differing = [field for field in names if not (states[field] == fresh[field]).all()]
    assert differing == []


# What nobody has, has done or has laid yet.
NOTHING = {
    "manhattan": (
        "redrawn", "height", "storeys", "laid_count", "laid", "picked", "discard", "points",
        "scored", "towers",
    ),
    "cloud-city": ("span", "links", "walkway", "walkway_count", "waiting"),
    "neoville": (
        "laid", "laid_count", "places", "box", "grounds", "piece", "piece_count",
        "district_size", "skyscrapers_in",
    ),
}  # fmt: skip
NO_ONE = {
    "manhattan": ("owner", "tallest", "tallest_owner", "majority"),
    "cloud-city": (),
    "neoville": ("terrain", "district", "district_terrain"),
}
# What is empty for a fourth seat, or its colour, in a match of three.
OF_NO_SEAT = {
    "manhattan": {"stock": 0, "hands": NONE},
    "cloud-city": {
        "hands": NONE, "hand_size": 0, "shown": 0, "laid": 0, "laid_count": 0, "places": 0,
        "box": 0, "ground": NONE, "building": 0,
    },
    "neoville": {"hands": NONE, "hand_size": 0, "shown": 0, "content": 0},
}  # fmt: skip


@pytest.mark.parametrize("name", game_names())
def test_a_deal_leaves_the_rest_empty(name: str) -> None:
    states = storeys.new(name, players=3, seed=5).state()
    assert [field for field in NOTHING[name] if states[field].any()] == []
    assert [field for field in NO_ONE[name] if (states[field] != NONE).any()] == []
    for field, value in OF_NO_SEAT[name].items():
        assert (states[field][0][3] == value).all(), field


def test_a_cloud_city_begins_with_one_tile() -> None:
    state = storeys.new("cloud-city", players=2, seed=5).state()[0]
    assert not state.laid[0][1:].any()
    assert not state.building[0][2:].any()
    assert (state.ground[0] != NONE).sum() == 4
    assert state.box[0].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("name", ["cloud-city", "neoville"])
def test_a_pile_ends_where_its_tiles_end(name: str) -> None:
    state = storeys.new(name, players=3, seed=5).state()[0]
    size = int(state.pile_size)
    assert (state.pile[:size] >= 0).all()
    assert (state.pile[size:] == NONE).all()
