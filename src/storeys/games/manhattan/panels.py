"""The panels of Manhattan's picture: scores and their track, cards, blocks."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from storeys.games.manhattan.art import block_label, mark_of, words
from storeys.games.manhattan.board import colours_in, colours_of, on_turn, played_by_cell
from storeys.games.manhattan.moves import CELL_NAMES, colour_label
from storeys.games.manhattan.state import CELL_OF_CARD, SIZES
from storeys.kernel.drawing import panels
from storeys.kernel.drawing.panels import FINGER, Names, View, reach, shorten
from storeys.kernel.drawing.plots import hue_of
from storeys.kernel.drawing.scene import Drawn, Look
from storeys.kernel.drawing.svg import (
    moved,
    number,
    pick,
    picture_of,
    piece,
    place,
    rect,
    text,
    tip,
    use,
)
from storeys.kernel.drawing.themes import THEMES, Theme, mixed

INNER = panels.WIDTH - 2 * panels.PAD
OWN_LEFT = 28.0
LINE_HEAD = 16.0  # above lines of blocks, for what they are
LINES_KEPT = 2048
"""Lines of stock and of hands that are not drawn again: a move changes one, each seat sees all."""


# --- scores


def scores_area(view: View, names: Names, look: Look, winners: Sequence[int]) -> Drawn:
    """The points of each seat, with its colours (M-22)."""
    seats, points = range(view["players"]), view["scores"]
    totals = [sum(points[colour] for colour in colours_of(view, seat)) for seat in seats]
    seat_marks = [_seat_marks(view, seat, look) for seat in seats]
    return panels.scores_panel(names, totals, view["to_move"], winners, look, seat_marks)


def _seat_marks(view: View, seat: int, look: Look) -> str:
    """The marks of a seat's colours, 26 wide at most."""
    return _marks(tuple(colours_of(view, seat)), look)


@lru_cache(LINES_KEPT)
def _marks(colours: tuple[int, ...], look: Look) -> str:
    if len(colours) == 1:
        return mark_of(colours[0], look, 2, -3, 20)
    return "".join(mark_of(c, look, nth * 14, 0.5, 13) for nth, c in enumerate(colours))


def score_track(view: View, names: Names, look: Look) -> Drawn:
    """The score track: a lane for each colour, which its marker walks along."""
    theme, colours = look.theme, colours_in(view)
    most = max(40, -(-(max(view["scores"]) + 2) // 10) * 10)
    left, lane = 10.0, 18.0
    long, deep = INNER - 2 * left, lane * len(colours)
    unit = long / most
    parts = []
    for points in range(0, most + 1, 10 if most <= 80 else 20):
        x = left + points * unit
        line = f'<path d="M{number(x)} 0V{number(deep)}" stroke="{theme.line}" stroke-width="1"/>'
        parts.append(line + text(str(points), x, deep + 13, 10.5, theme.quiet, "middle"))
    for nth, colour in enumerate(colours):
        points = view["scores"][colour]
        y, run = (nth + 0.5) * lane, points * unit
        body = rect(left, y - 2, long, 4, 2, f'fill="{theme.line}"')
        body += rect(left, y - 2, run, 4, 2, f'fill="{hue_of(colour, theme)}"')
        body += mark_of(colour, look, left + run - 8.5, y - 8.5, 17)
        label = f"{words(look.lang, colour_label, colour)}: {points}"
        parts.append(f"<g {picture_of(label)}>{body}</g>")
    name = shorten(names[view["starter"]], 18)
    title = look.say("manhattan.picture.round", number=view["round"], name=name)
    return panels.panel(title, "".join(parts), deep + 14, look)


# --- cards


def hands_area(view: View, names: Names, look: Look) -> Drawn:
    """The hand of who looks, large; below it the others, and beside them pile and played cards."""
    own = view.get("seat")
    body, y = "", 0.0
    if own is not None:
        body, y = _own_hand(tuple(view["hands"][own]), own, look), 94.0
        body += _button("forfeit" if view["redrawn"] else "redraw", y, on_turn(view, "build"), look)
        y += FINGER + 10
    others = [seat for seat in range(view["players"]) if seat != own]
    for nth, seat in enumerate(others):
        marks, cards = _seat_marks(view, seat, look), tuple(view["hands"][seat])
        body += moved(_other_hand(marks, cards, seat, names[seat], look), 0, y + nth * 32)
    body += moved(_piles(view["pile"], tuple(played_by_cell(view)), look), INNER - 112, y)
    y += max(32 * len(others) - 4, 74)
    return panels.panel(look.say("storeys.picture.hand"), body, y, look)


@lru_cache(LINES_KEPT)
def _own_hand(held: tuple[int, ...], seat: int, look: Look) -> str:
    """The cards to be played, side by side."""
    cards = (_own_card(card, held[:nth].count(card), seat, look) for nth, card in enumerate(held))
    return "".join(moved(card, nth * 82, 0) for nth, card in enumerate(cards))


@lru_cache(LINES_KEPT)
def _own_card(card: int, copy: int, seat: int, look: Look) -> str:
    """A card to be played; ``copy`` counts those that are alike."""
    cell = CELL_OF_CARD[seat, card - 1]
    label = look.say("manhattan.picture.card", cell=CELL_NAMES[cell])
    known = piece(f"card-{card}:{copy}", come_from="cards", go_to=f"played-{cell}")
    return f"<g {pick(label, card=str(card))} {known}>{_card(cell, look)}</g>"


def _card(cell: int, look: Look) -> str:
    """A card that means a cell: marked where that cell lies in the cities of the picture.

    The board is drawn as seat 0 sees it for everybody, so a card is turned the same way: where it
    is marked is where the cities light up.
    """
    mark = use("card-mark", 6 + cell % 3 * 18, 6 + cell // 3 * 18)
    name = text(CELL_NAMES[cell], 32, 77, 14, look.theme.ink, "middle", 700)
    return use("card", 0, 0) + mark + name


@lru_cache(LINES_KEPT)
def _other_hand(marks: str, cards: tuple[int | None, ...], seat: int, name: str, look: Look) -> str:
    """The cards of somebody else, small: backs, or what may be seen."""
    parts = [moved(marks, 0, 8)]
    for nth, card in enumerate(cards):
        face = _card(CELL_OF_CARD[seat, card - 1], look) if card else use("back", 0, 0)
        parts.append(moved(face, 32 + nth * 25, 0, 0.33))
    return "".join([*parts, text(shorten(name, 11), 134, 19, 12, look.theme.quiet)])


@lru_cache(LINES_KEPT)
def _piles(pile: int, played: tuple[int, ...], look: Look) -> str:
    """The pile as a back with its number; beside it how often each card was played.

    A card lies there as the cards in the hand of who looks: where it would mean a cell for them.
    """
    theme = look.theme
    count = text(str(pile), 32, 30, 24, "#ffffff", "middle", 700)
    back = moved(use("back", 0, 0) + count, 0, 0, 0.72)
    cells = "".join(_played(cell, n, theme) for cell, n in enumerate(played))
    in_pile = picture_of(look.say("manhattan.picture.pile", n=pile))
    on_discard = picture_of(look.say("manhattan.picture.played", n=sum(played)))
    backs = f"<g {in_pile} {place('cards')}>{back}</g>"
    return f"{backs}<g {on_discard}>{moved(cells, 53, 1.5)}</g>{_captions(look)}"


@lru_cache(LINES_KEPT)
def _captions(look: Look) -> str:
    """What is written below the pile and the played cards."""
    return "".join(
        text(look.say(f"manhattan.picture.caption.{what}"), x, 73, 10, look.theme.quiet, "middle")
        for what, x in (("pile", 23), ("played", 82))
    )


@lru_cache(LINES_KEPT)
def _played(cell: int, count: int, theme: Theme) -> str:
    """How often a card was played, where it means its cell."""
    x, y = cell % 3 * 20, cell // 3 * 20
    fill = mixed(theme.panel, theme.line, 0.75 if count else 0.3)
    ink, weight = (theme.ink, 600) if count else (theme.quiet, 400)
    label = text(str(count), x + 9.2, y + 13.5, 11, ink, "middle", weight)
    square = f'<rect x="{x}" y="{y}" width="18.5" height="18.5" rx="3" fill="{fill}"/>'
    return f"<g {place(f'played-{cell}')}>{square}{label}</g>"


@lru_cache(LINES_KEPT)
def _button(action: str, y: float, open_now: bool, look: Look) -> str:
    """Something to do that is neither a card nor a block nor a site; it keeps its place.

    It is seldom of use, so it says when.
    """
    theme, label = look.theme, look.say(f"manhattan.picture.action.{action}")
    face = rect(0.5, y, INNER - 1, FINGER, 12, f'fill="{theme.panel}" stroke="{theme.quiet}"')
    face += text(label, INNER / 2, y + 28, 14, theme.ink, "middle", 600)
    closed = f'{picture_of(label)} data-grey="" opacity="0.3"'
    attributes = pick(label, action=action) if open_now else closed
    when = tip(look.say(f"manhattan.picture.action.{action}.tip"))
    return f"<g {attributes} {when}>{face}</g>"


# --- blocks


def stock_area(view: View, look: Look) -> Drawn:
    """The own blocks of this round, to be picked; below, a line of stock for each colour.

    While blocks for the round are picked, the numbers to pick are in their place: the panel is as
    high then as at other times.
    """
    own = colours_of(view, view.get("seat"))
    above = LINE_HEAD + len(own) * (FINGER + 8) if own else 0
    if on_turn(view, "pick"):
        title, body = _pick_grid(view, look)
        body += moved(_stock_lines(view, own, look), 0, SIZES * FINGER)
    else:
        title, body = look.say("manhattan.picture.blocks"), _this_round(view, own, look)
        body += moved(_stock_lines(view, colours_in(view), look), 0, above)
    return panels.panel(title, body, above + LINE_HEAD + SIZES * FINGER, look, aside=28)


def _this_round(view: View, own: Sequence[int], look: Look) -> str:
    """A line for each of one's own colours, also where no block is left."""
    if not own:
        return ""
    parts = [text(look.say("manhattan.picture.picked"), OWN_LEFT, 10, 11, look.theme.quiet)]
    for nth, colour in enumerate(own):
        blocks = _own_blocks(tuple(view["picked"][colour]), colour, look)
        parts.append(moved(blocks, 0, LINE_HEAD + nth * (FINGER + 8)))
    return "".join(parts)


def _stock_lines(view: View, colours: Sequence[int], look: Look) -> str:
    """What some colours have left, and what they have picked for this round."""
    left = tuple((c, tuple(view["stock"][c]), tuple(view["picked"][c])) for c in colours)
    return _lines_of_stock(left, look)


@lru_cache(LINES_KEPT)
def _lines_of_stock(
    left: tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...], look: Look
) -> str:
    """The same for colours, each with its stock and its picks: most seats see the same lines."""
    quiet = look.theme.quiet
    in_stock, this_round = look.say("manhattan.picture.stock"), look.say("manhattan.picture.picked")
    parts = [text(in_stock, 28, 10, 11, quiet) + text(this_round, 196, 10, 11, quiet)]
    for nth, counts in enumerate(left):
        line = _stock_line(*counts, look.theme.name, look.lang)
        parts.append(moved(line, 0, LINE_HEAD + nth * FINGER))
    return "".join(parts)


@lru_cache(LINES_KEPT)
def _own_blocks(counts: tuple[int, ...], colour: int, look: Look) -> str:
    return "".join(_places_for_blocks(counts, colour, look))


def _places_for_blocks(counts: Sequence[int], colour: int, look: Look) -> Iterator[str]:
    """A place for each size, with a block and how many of it are left for this round."""
    theme, wide = look.theme, (INNER - OWN_LEFT) / SIZES
    yield mark_of(colour, look, 0, FINGER / 2 - 10, 20)
    for size, count in enumerate(counts, start=1):
        x = OWN_LEFT + (size - 1) * wide
        fill = mixed(theme.panel, theme.line, 0.4 if count else 0.15)
        yield rect(x, 0, wide - 6, FINGER, 8, f'fill="{fill}"')
        if count:
            block = _block(colour, size, x + wide / 2 - 20, 40, 0.6)
            block = f"<g {place(f'block-{colour}-{size}')}>{block}</g>"
            many = text(f"×{count}", x + wide / 2 + 4, 29, 14, theme.ink, weight=700)
            label = words(look.lang, block_label, colour, size)
            chosen = pick(label, block=f"{colour}-{size}")
            yield f"<g {chosen}>{block}{many}{reach(x, 0, wide - 6)}</g>"


def _block(colour: int, size: int, x: float, y: float, scale: float) -> str:
    return moved(use(f"block-{colour}-{size}", 0, 0), x, y, scale)


@lru_cache(LINES_KEPT)
def _stock_line(
    colour: int, stock: tuple[int, ...], picked: tuple[int, ...], theme: str, lang: str
) -> str:
    """How many blocks of each size a colour has left; then those of this round one by one."""
    look = Look(THEMES[theme], lang=lang)
    parts = [mark_of(colour, look, 0, 13, 20)]
    parts += [_stock_blocks(colour, size, n, look) for size, n in enumerate(stock, start=1)]
    parts.append(f'<path d="M186 7V39" stroke="{look.theme.line}" stroke-width="1.5"/>')
    x = 205.0
    for size, count in enumerate(picked, start=1):
        if count:
            blocks = "".join(_taken(colour, size, nth, x + 23 * nth) for nth in range(count))
            label = words(lang, block_label, colour, size)
            parts.append(f"<g {picture_of(label)}>{blocks}</g>")
            x += 23 * count
    return "".join(parts)


def _taken(colour: int, size: int, nth: int, x: float) -> str:
    """A block of this round: it came from the stock, and towers are built of it."""
    stock = f"stock-{colour}-{size}"
    known = f"{piece(f'{stock}:{nth}', come_from=stock)} {place(f'block-{colour}-{size}')}"
    return f"<g {known}>{_block(colour, size, x, 36, 0.5)}</g>"


def _stock_blocks(colour: int, size: int, count: int, look: Look) -> str:
    """A block of a size and how many there are."""
    x, ink = 36.0 + (size - 1) * 39, look.theme.ink if count else look.theme.quiet
    faint = "" if count else ' opacity="0.25"'
    stock = place(f"stock-{colour}-{size}")
    body = f"<g{faint} {stock}>{_block(colour, size, x, 36, 0.5)}</g>"
    body += text(str(count), x + 10.5, 38, 11.5, ink, weight=600)
    label = f"{words(look.lang, block_label, colour, size)}: {count}"
    return f"<g {picture_of(label)}>{body}</g>"


def _pick_grid(view: View, look: Look) -> tuple[str, str]:
    """A line of numbers for each size, to choose how many blocks of it to take (M-8, M-22)."""
    seat = view["seat"]
    second = view["players"] == 2 and any(view["picked"][seat])
    colour = seat + 2 if second else seat
    most = 6 if view["players"] == 4 or view["options"].get("rounds") == "4x6" else 4
    name = words(look.lang, colour_label, colour)
    mark = mark_of(colour, look, INNER - 20, -24, 20)
    parts = [f"<g {pick(name, colour=str(colour))}>{mark}</g>"]
    for size, left in enumerate(view["stock"][colour], start=1):
        line = "".join(_pick_line(colour, size, left, most, look))
        parts.append(moved(line, 0, (size - 1) * FINGER))
    return look.say("manhattan.prompt.pick", n=most, colour=name), "".join(parts)


def _pick_line(colour: int, size: int, left: int, most: int, look: Look) -> Iterator[str]:
    """The numbers from none to all for blocks of a size; those beyond the stock are faint."""
    paint = f'fill="{look.theme.panel}" stroke="{look.theme.quiet}"'
    first = INNER + 8 - 7 * FINGER  # seven numbers are as many as there is room for
    wide = 7 * FINGER / (most + 1)
    yield _block(colour, size, 4, 36, 0.45)
    for n in range(most + 1):
        x = first + n * wide
        face = rect(x + 3, 4, wide - 6, 38, 9, paint)
        face += text(str(n), x + wide / 2, 29, 17, look.theme.ink, "middle", 600)
        if n <= left:
            label = look.say("manhattan.picture.count", n=n, size=size)
            chosen = pick(label, **{f"n{size}": str(n)})
            yield f"<g {chosen}>{face}{reach(x, 0, wide)}</g>"
        else:
            yield f'<g opacity="0.3">{face}</g>'
