"""The names of the games in other people's registries; nothing here loads the compiler."""

from importlib.util import find_spec

from storeys.registry import game_names

NAMESPACE = "storeys"
VERSION = 0


def gymnasium_id(name: str) -> str:
    """A game's id in Gymnasium's registry, e.g. ``storeys/CloudCity-v0``."""
    title = "".join(word.capitalize() for word in name.split("-"))
    return f"{NAMESPACE}/{title}-v{VERSION}"


def plain_name(name: str) -> str:
    """A game's name for PettingZoo and OpenSpiel, e.g. ``storeys_cloud_city``."""
    return f"{NAMESPACE}_{name.replace('-', '_')}"


def register_with_gymnasium() -> None:
    """Make every game known to Gymnasium, if that is installed."""
    if find_spec("gymnasium") is None:
        return
    import gymnasium

    for name in game_names():
        if gymnasium_id(name) not in gymnasium.registry:
            gymnasium.register(
                gymnasium_id(name),
                entry_point="storeys.envs.gymnasium:MatchEnv",
                vector_entry_point="storeys.envs.vector:VectorMatchEnv",
                kwargs={"game": name},
            )
