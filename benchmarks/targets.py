"""What a figure should reach, on one core unless its name says otherwise."""

from dataclasses import dataclass

import storeys

from . import load, pages, serving
from .timing import Figure, Label


@dataclass(frozen=True)
class Target:
    """A bound, from below or from above, for the median of the rounds or for the best of them."""

    bound: float
    from_below: bool
    for_best: bool = False

    def met_by(self, figure: Figure) -> bool:
        """Whether what was measured reaches it."""
        value = figure.best if self.for_best else figure.median
        return value >= self.bound if self.from_below else value < self.bound

    @property
    def sign(self) -> str:
        """How the bound is written before its number."""
        return "≥" if self.from_below else "<"


def at_least(bound: float) -> Target:
    return Target(bound, from_below=True)


def at_best(bound: float) -> Target:
    return Target(bound, from_below=True, for_best=True)


def under(bound: float) -> Target:
    return Target(bound, from_below=False)


TARGETS = {
    **{
        Label(f"{game} {what}, {view}", "ms"): under(bound)
        for game in ("cloud-city", "manhattan", "neoville")
        for view in ("plan", "skyline")
        for what, bound in (("city", 1), ("scene", 6))
    },
    **{
        Label(f"{game} in {library}", "×"): at_least(bound)
        for game in ("cloud-city", "manhattan", "neoville")
        for library, bound in (
            ("PettingZoo ÷ connect_four_v3", 3),
            ("OpenSpiel ÷ python_block_dominoes", 1.5),
        )
    },
    **{
        Label(f"{game} batch, {size} games, 2 threads ÷ 1", "×"): at_least(bound)
        for game in ("cloud-city", "manhattan", "neoville")
        for size, bound in (("256", 1.4), ("4,096", 1.6))
    },
    **{
        Label(f"{page} ÷ {serving.IMPORTED}", "×"): under(1.5)
        for page in (serving.FIRST_PAGE, serving.SECOND_PAGE)
    },
    Label(f"{serving.CROWDED_PAGE} ÷ {serving.FIRST_PAGE}", "×"): under(1.1),
    **{
        Label(f"{game} {what}", unit): under(bound)
        for game in ("cloud-city", "manhattan", "neoville")
        for what, unit, bound in (("state, p99", "ms", 50), ("match at rest", "kB", 100))
    },
    **{
        Label(f"{game} second start to the first move", "s"): under(0.5)
        for game in ("cloud-city", "manhattan", "neoville")
    },
    **{
        Label(f"{game} batch of 256 games, 4 players{dtype}", "steps/s"): at_best(bound)
        for game, bound in (
            ("cloud-city", 1_000_000),
            ("manhattan", 1_500_000),
            ("neoville", 1_000_000),
        )
        for dtype in ("", ", uint8")
    },
    Label("all games compiled", "CPU s"): under(60),
    **{load.labels_of(mode, rate)[1]: under(bound) for mode, (rate, bound) in load.GOALS.items()},
    Label(serving.ANSWERED, "s"): under(10),
    **{pages.labels_of(game)[0]: under(500) for game in storeys.game_names()},
    **{pages.labels_of(game)[1]: under(0.01) for game in storeys.game_names()},
    Label("the first move of every game, nothing compiled", "s"): under(5),
    Label("the server with all games", "MB"): under(150),
    Label("a bot's process", "MB"): under(150),
    Label("import storeys", "s"): under(0.25),
    Label("numba modules that the import loads", "modules"): under(1),
    Label("manhattan playouts, 4 players", "games/s"): at_least(35_000),
    Label("manhattan playouts ÷ OpenSpiel hearts", "×"): at_least(0.8),
    Label("manhattan playouts ÷ OpenSpiel backgammon", "×"): at_least(15),
    Label("cloud-city playouts ÷ OpenSpiel oh_hell", "×"): at_least(1.2),
    Label("manhattan playouts, 2 threads ÷ 1", "×"): at_least(1.7),
    Label("manhattan push", "moves/s"): at_least(250_000),
    Label("cloud-city playouts, 4 players", "moves/s"): at_least(2_000_000),
    Label("cloud-city best_walkways, 3×4", "ms"): under(50),
    Label("neoville playouts, 4 players", "moves/s"): at_least(2_000_000),
    Label("neoville legal moves listed", "µs"): under(10),
}
