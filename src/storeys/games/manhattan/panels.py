"""The panels of Manhattan's picture: scores and their track, cards, blocks."""

from collections.abc import Iterator, Sequence

from storeys.games.manhattan.art import (
    hue_of,
)
from storeys.games.manhattan.marks import (
    View,
    block_words,
    colour_words,
    colours_in,
    colours_of,
    mark_of,
    on_turn,
    played_by_cell,
    totals_of,
)
from storeys.games.manhattan.moves import (
    CELL_NAMES,
)
from storeys.games.manhattan.state import CELL_OF_CARD, SIZES
from storeys.kernel.drawing.panels import (
    FINGER,
    PAD,
    WIDTH,
    panel,
    reach,
    scores_panel,
    shorten,
)
from storeys.kernel.drawing.scene import Drawn, Look
from storeys.kernel.drawing.svg import (
    moved,
    number,
    pick,
    picture_of,
    text,
    use,
)
from storeys.kernel.drawing.themes import Theme, mixed
from storeys.kernel.messages import Message

INNER = WIDTH - 2 * PAD
OWN_LEFT = 28.0
CARD_CELLS: list[list[int]] = CELL_OF_CARD.tolist()


# --- scores


def scores_area(view: View, names: Sequence[str], look: Look, winners: Sequence[int]) -> Drawn:
    """The points of each seat, with its colours."""
    marks = [_seat_marks(view, seat, look) for seat in range(view["players"])]
    return scores_panel(names, totals_of(view), view["to_move"], winners, look, marks)


def _seat_marks(view: View, seat: int, look: Look) -> str:
    """The marks of a seat's colours, 26 wide at most."""
    colours = colours_of(view, seat)
    if len(colours) == 1:
        return mark_of(colours[0], look, 2, -3, 20)
    return "".join(mark_of(c, look, nth * 14, 0.5, 13) for nth, c in enumerate(colours))


def score_track(view: View, names: Sequence[str], look: Look) -> Drawn:
    """The score track: a lane for each colour, which its marker walks along."""
    theme, colours = look.theme, colours_in(view)
    most = max(40, -(-(max(view["scores"]) + 2) // 10) * 10)
    left, lane = 10.0, 18.0
    unit, deep = (INNER - 2 * left) / most, lane * len(colours)
    parts = []
    for points_so_far in range(0, most + 1, 10 if most <= 80 else 20):
        x = left + points_so_far * unit
        parts.append(
            f'<path d="M{number(x)} 0V{number(deep)}" stroke="{theme.line}" stroke-width="1"/>'
            + text(str(points_so_far), x, deep + 13, 10.5, theme.quiet, "middle")
        )
    for nth, colour in enumerate(colours):
        y, run = (nth + 0.5) * lane, view["scores"][colour] * unit
        label = f"{colour_words(colour, look.lang)}: {view['scores'][colour]}"
        body = _rail(left, y, INNER - 2 * left, theme.line) + _rail(
            left, y, run, hue_of(colour, theme)
        )
        body += mark_of(colour, look, left + run - 8.5, y - 8.5, 17)
        parts.append(f"<g {picture_of(label)}>{body}</g>")
    return panel(_round_words(view, names, look), "".join(parts), deep + 14, look)


def _rail(x: float, y: float, length: float, colour: str) -> str:
    return (
        f'<rect x="{number(x)}" y="{number(y - 2)}" width="{number(length)}" height="4" rx="2" '
        f'fill="{colour}"/>'
    )


def _round_words(view: View, names: Sequence[str], look: Look) -> str:
    name = shorten(names[view["starter"]], 18)
    return Message("manhattan.picture.round", number=view["round"], name=name).text(look.lang)


# --- cards


def hands_area(view: View, names: Sequence[str], look: Look) -> Drawn:
    """The hand of who looks, large; below it the others, and beside them pile and played cards."""
    own = view.get("seat")
    body, y = [], 0.0
    if own is not None:
        body.append(_own_hand(view["hands"][own], own, look))
        y = 94.0
        if view["phase"] == "build" and on_turn(view):
            body.append(_button("forfeit" if view["redrawn"] else "redraw", y, look))
            y += FINGER + 10
    others = [seat for seat in range(view["players"]) if seat != own]
    for nth, seat in enumerate(others):
        body.append(moved(_other_hand(view, seat, names, look), 0, y + nth * 32))
    body.append(moved(_piles(view, look), INNER - 112, y))
    y += max(32 * len(others) - 4, 74)
    return panel(Message("storeys.picture.hand").text(look.lang), "".join(body), y, look)


def _own_hand(hand: Sequence[int | None], seat: int, look: Look) -> str:
    parts = []
    for nth, card in enumerate(hand):
        if card is None:
            parts.append(use("back", nth * 82, 0))
        else:
            cell = CARD_CELLS[seat][card - 1]
            words = Message("manhattan.picture.card", cell=CELL_NAMES[cell]).text(look.lang)
            face = _card(cell, look)
            parts.append(moved(f"<g {pick(words, card=str(card))}>{face}</g>", nth * 82, 0))
    return "".join(parts)


def _card(cell: int, look: Look) -> str:
    """A card that means a cell: marked where that cell lies in the cities of the picture.

    The board is drawn as seat 0 sees it for everybody, so a card is turned the same way: where it
    is marked is where the cities light up.
    """
    row, col = divmod(cell, 3)
    return (
        use("card", 0, 0)
        + use("card-mark", 6 + col * 18, 6 + row * 18)
        + text(CELL_NAMES[cell], 32, 77, 14, look.theme.ink, "middle", 700)
    )


def _other_hand(view: View, seat: int, names: Sequence[str], look: Look) -> str:
    """The cards of somebody else, small: backs, or what may be seen."""
    parts = [moved(_seat_marks(view, seat, look), 0, 8)]
    for nth, card in enumerate(view["hands"][seat]):
        face = _card(CARD_CELLS[seat][card - 1], look) if card else use("back", 0, 0)
        parts.append(moved(face, 32 + nth * 25, 0, 0.33))
    parts.append(text(shorten(names[seat], 11), 134, 19, 12, look.theme.quiet))
    return "".join(parts)


def _piles(view: View, look: Look) -> str:
    """The pile as a back with its number; beside it how often each card was played.

    A card lies there as the cards in the hand of who looks: where it would mean a cell for them.
    """
    theme = look.theme
    played = played_by_cell(view)
    pile = Message("manhattan.picture.pile", n=view["pile"]).text(look.lang)
    count = text(str(view["pile"]), 32, 30, 24, "#ffffff", "middle", 700)
    back = moved(use("back", 0, 0) + count, 0, 0, 0.72)
    label = Message("manhattan.picture.played", n=sum(played)).text(look.lang)
    cells = "".join(_played(n, nth % 3 * 20, nth // 3 * 20, theme) for nth, n in enumerate(played))
    captions = "".join(
        text(words.text(look.lang), x, 73, 10, theme.quiet, "middle")
        for words, x in (
            (Message("manhattan.picture.caption.pile"), 23),
            (Message("manhattan.picture.caption.played"), 82),
        )
    )
    grid = moved(cells, 53, 1.5)
    return f"<g {picture_of(pile)}>{back}</g><g {picture_of(label)}>{grid}</g>{captions}"


def _played(count: int, x: float, y: float, theme: Theme) -> str:
    """How often a card was played."""
    fill = mixed(theme.panel, theme.line, 0.75 if count else 0.3)
    ink, weight = (theme.ink, 600) if count else (theme.quiet, 400)
    return (
        f'<rect x="{number(x)}" y="{number(y)}" width="18.5" height="18.5" rx="3" '
        f'fill="{fill}"/>' + text(str(count), x + 9.2, y + 13.5, 11, ink, "middle", weight)
    )


def _button(action: str, y: float, look: Look) -> str:
    """Something to do that is neither a card nor a block nor a site."""
    words = Message(f"manhattan.picture.action.{action}").text(look.lang)
    theme = look.theme
    return (
        f"<g {pick(words, action=action)}>"
        f'<rect x="0.5" y="{number(y)}" width="{number(INNER - 1)}" '
        f'height="{number(FINGER)}" rx="12" fill="{theme.panel}" stroke="{theme.quiet}"/>'
        f"{text(words, INNER / 2, y + 28, 14, theme.ink, 'middle', 600)}</g>"
    )


# --- blocks


def stock_area(view: View, look: Look) -> Drawn:
    """The own blocks of this round, to be picked; below, a line of stock for each colour."""
    theme = look.theme
    in_stock = Message("manhattan.picture.stock").text(look.lang)
    this_round = Message("manhattan.picture.picked").text(look.lang)
    own = [c for c in colours_of(view, view.get("seat")) if sum(view["picked"][c])]
    parts, y = [], 0.0
    if own:
        parts.append(text(this_round, OWN_LEFT, 10, 11, theme.quiet))
        y = 16
    for colour in own:
        parts.append(moved(_own_blocks(view["picked"][colour], colour, look), 0, y))
        y += FINGER + 8
    parts.append(text(in_stock, 28, y + 10, 11, theme.quiet))
    parts.append(text(this_round, 196, y + 10, 11, theme.quiet))
    y += 16
    for colour in colours_in(view):
        parts.append(moved(_stock_line(view, colour, look), 0, y))
        y += 44
    return panel(Message("manhattan.picture.blocks").text(look.lang), "".join(parts), y, look)


def _own_blocks(counts: Sequence[int], colour: int, look: Look) -> str:
    """A place for each size, with a block and how many of it are left for this round."""
    theme = look.theme
    wide = (INNER - OWN_LEFT) / SIZES
    parts = [mark_of(colour, look, 0, FINGER / 2 - 10, 20)]
    for size, count in enumerate(counts, start=1):
        x = OWN_LEFT + (size - 1) * wide
        fill = mixed(theme.panel, theme.line, 0.4 if count else 0.15)
        parts.append(
            f'<rect x="{number(x)}" y="0" width="{number(wide - 6)}" height="{number(FINGER)}" '
            f'rx="8" fill="{fill}"/>'
        )
        if count:
            block = moved(use(f"block-{colour}-{size}", 0, 0), x + wide / 2 - 20, 40, 0.6)
            many = text(f"×{count}", x + wide / 2 + 4, 29, 14, theme.ink, weight=700)
            chosen = pick(block_words(colour, size, look.lang), block=f"{colour}-{size}")
            parts.append(f"<g {chosen}>{block}{many}{reach(x, 0, wide - 6)}</g>")
    return "".join(parts)


def _stock_line(view: View, colour: int, look: Look) -> str:
    theme = look.theme
    parts = [mark_of(colour, look, 0, 13, 20)]
    for size, count in enumerate(view["stock"][colour], start=1):
        parts.append(_stock_blocks(colour, size, count, look))
    parts.append(f'<path d="M186 7V39" stroke="{theme.line}" stroke-width="1.5"/>')
    parts += _picked_blocks(view["picked"][colour], colour, look)
    return "".join(parts)


def _stock_blocks(colour: int, size: int, count: int, look: Look) -> str:
    """A block of a size and how many there are."""
    theme, x = look.theme, 36.0 + (size - 1) * 39
    words = f"{block_words(colour, size, look.lang)}: {count}"
    faint = "" if count else ' opacity="0.25"'
    block = _small_block(colour, size, x)
    label = text(str(count), x + 10.5, 38, 11.5, theme.ink if count else theme.quiet, weight=600)
    return f"<g {picture_of(words)}><g{faint}>{block}</g>{label}</g>"


def _small_block(colour: int, size: int, x: float) -> str:
    return moved(use(f"block-{colour}-{size}", 0, 0), x, 36, 0.5)


def _picked_blocks(counts: Sequence[int], colour: int, look: Look) -> Iterator[str]:
    """The blocks of this round one by one."""
    x = 205.0
    for size, count in enumerate(counts, start=1):
        if count:
            words = block_words(colour, size, look.lang)
            blocks = "".join(_small_block(colour, size, x + 23 * nth) for nth in range(count))
            yield f"<g {picture_of(words)}>{blocks}</g>"
            x += 23 * count


def pick_panel(view: View, look: Look) -> Drawn:
    """A line of numbers for each size, to choose how many blocks of it to take."""
    seat = view["seat"]
    second = view["players"] == 2 and sum(view["picked"][seat]) > 0
    colour = seat + 2 if second else seat
    most = 6 if view["players"] == 4 or view["options"].get("rounds") == "4x6" else 4
    name = colour_words(colour, look.lang)
    title = Message("manhattan.prompt.pick", n=most, colour=name).text(look.lang)
    mark = mark_of(colour, look, INNER - 20, -24, 20)
    parts = [f"<g {pick(name, colour=str(colour))}>{mark}</g>"]
    for size in range(1, SIZES + 1):
        line = _pick_line(colour, size, view["stock"][colour][size - 1], most, look)
        parts.append(moved(line, 0, (size - 1) * FINGER))
    return panel(title, "".join(parts), FINGER * SIZES, look, aside=28)


def _pick_line(colour: int, size: int, left: int, most: int, look: Look) -> str:
    """The numbers from none to all for blocks of a size; those beyond the stock are faint."""
    theme = look.theme
    parts = [moved(use(f"block-{colour}-{size}", 0, 0), 4, 36, 0.45)]
    first = INNER + 8 - 7 * FINGER  # seven numbers are as many as there is room for
    wide = 7 * FINGER / (most + 1)
    for n in range(most + 1):
        x = first + n * wide
        face = (
            f'<rect x="{number(x + 3)}" y="4" width="{number(wide - 6)}" height="38" rx="9" '
            f'fill="{theme.panel}" stroke="{theme.quiet}"/>'
            f"{text(str(n), x + wide / 2, 29, 17, theme.ink, 'middle', 600)}"
        )
        if n <= left:
            words = Message("manhattan.picture.count", n=n, size=size).text(look.lang)
            chosen = pick(words, **{f"n{size}": str(n)})
            parts.append(f"<g {chosen}>{face}{reach(x, 0, wide)}</g>")
        else:
            parts.append(f'<g opacity="0.3">{face}</g>')
    return "".join(parts)
