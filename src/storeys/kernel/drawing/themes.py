"""The palettes: one a theme, from which every colour of every picture comes."""

import functools
from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """Colours by what they are for; ``hues`` are those of pieces, by name."""

    name: str
    paper: str
    panel: str
    ink: str
    quiet: str
    line: str
    shadow: str
    lit: str
    """What is highlighted."""
    hues: dict[str, str]

    def __getitem__(self, hue: str) -> str:
        return self.hues[hue]

    def __hash__(self) -> int:
        return hash(self.name)


_PIECES = {
    "red": "#c8463c",
    "blue": "#3b78b8",
    "green": "#4d9a57",
    "yellow": "#e0ab33",
    "grass": "#8fba62",
    "stone": "#b3b1ab",
    "water": "#78b4d6",
    "park": "#2f7d4a",
    "cloud": "#e6eef5",
    "window": "#2d3d50",
    "window-lit": "#ffe9a8",
    "roof": "#f4efe6",
    "steel": "#66727f",
    "glass": "#bfe3ea",
    "back": "#5b6b7d",
}

LIGHT = Theme(
    name="light",
    paper="#f6f3ec",
    panel="#fffdf8",
    ink="#22303f",
    quiet="#5a6571",
    line="#d8d2c4",
    shadow="#22303f",
    lit="#e4572e",
    hues=_PIECES,
)

DARK = Theme(
    name="dark",
    paper="#151c26",
    panel="#1f2936",
    ink="#edf1f5",
    quiet="#9aa7b5",
    line="#374455",
    shadow="#000000",
    lit="#ffb454",
    hues=_PIECES
    | {
        "grass": "#6f9a4c",
        "stone": "#8b8a86",
        "water": "#4f8fb5",
        "park": "#57b377",
        "cloud": "#2a3747",
        "roof": "#d8d4cb",
        "back": "#43536a",
    },
)

# After Okabe and Ito: told apart with every common kind of colour blindness.
COLOUR_BLIND = Theme(
    name="colour-blind",
    paper="#ffffff",
    panel="#fbfbfb",
    ink="#1b1b1b",
    quiet="#5f5f5f",
    line="#cfcfcf",
    shadow="#1b1b1b",
    lit="#cc79a7",
    hues=_PIECES
    | {
        "grass": "#a8d5a2",
        "stone": "#bdbdbd",
        "water": "#7cc3ec",
        "park": "#00664b",
        "red": "#d55e00",
        "blue": "#0072b2",
        "green": "#009e73",
        "yellow": "#f0e442",
    },
)

THEMES = {theme.name: theme for theme in (LIGHT, DARK, COLOUR_BLIND)}


def add_hues(light: dict[str, str], dark: dict[str, str], colour_blind: dict[str, str]) -> None:
    """The hues of a game's own pieces; those of the light theme hold where no other is given."""
    for theme, own in ((LIGHT, {}), (DARK, dark), (COLOUR_BLIND, colour_blind)):
        theme.hues.update(light | own)


@functools.cache
def mixed(colour: str, other: str, share: float) -> str:
    """A colour with a share of another in it."""
    pairs = zip(_parts(colour), _parts(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def lighter(colour: str, share: float = 0.25) -> str:
    """A colour in the sun."""
    return mixed(colour, "#ffffff", share)


def darker(colour: str, share: float = 0.25) -> str:
    """A colour in the shade."""
    return mixed(colour, "#10151c", share)


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@functools.cache
def ink_on(colour: str) -> str:
    """Black or white, whichever reads better on a colour."""
    red, green, blue = (part / 255 for part in _parts(colour))
    bright = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
    return "#16202b" if bright > 0.26 else "#ffffff"
