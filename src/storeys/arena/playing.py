"""One game of a contest, played to its end."""

from pathlib import Path
from typing import Any

from storeys.arena.contest import CLOCKS, Contest
from storeys.arena.luck import Luck
from storeys.bots import Bot
from storeys.bots.registry import failed
from storeys.kernel.caching import is_ready
from storeys.kernel.compiling import compiler
from storeys.kernel.record import tag_of
from storeys.match import Match, Move, make_match
from storeys.registry import get_game

Game = dict[str, Any]
"""A game as the file holds it."""
MARK = (1 << 200) + 1
"""Sets the futures that luck is compared with apart from all seeds of deals."""


def play_game(contest: Contest, number: int) -> Game:
    """Play a game; what the file is to hold of it."""
    load_compiled(contest.game)
    labels, seed = contest.seating(number), contest.deal_of(number)
    match = make_match(contest.game, contest.players, seed, labels, contest.options or {})
    entrants = {label: contest.entrant(label) for label in labels}
    bots = [
        entrants[label].make(contest.bot_seed(number, seat)) for seat, label in enumerate(labels)
    ]
    now = CLOCKS[contest.clock]
    for bot in bots:
        bot.now = now
    luck, seconds, turns = Luck(match, seed ^ MARK), [0.0] * len(bots), [0] * len(bots)
    while match.to_move is not None:
        seat = match.to_move
        start = now()
        moves = plan_turn(bots[seat], match)
        seconds[seat] += now() - start
        turns[seat] += 1
        for move in moves:
            luck.push(str(move))
    return {
        "number": number,
        "group": contest.group_of(number),
        "bots": labels,
        "totals": match.totals,
        "winners": match.winners,
        "luck": luck.margins() if luck.can_tell else None,
        "seconds": seconds,
        "turns": turns,
        "record": match.record(),
    }


def load_compiled(game: str) -> None:
    """Play at full speed from the first move on, if all is compiled: clocks run."""
    wanted = compiler.may_compile and not compiler.running
    if wanted and is_ready(tag_of(get_game(game).state_dtype), Path(__file__)):
        compiler.start()


def plan_turn(player: Bot, match: Match) -> list[Move]:
    """The moves of the rest of a bot's turn; ``BotFailed``, whatever goes wrong inside it."""
    kind = type(player)
    one_by_one = kind.choose is not Bot.choose and kind.plan is Bot.plan
    try:
        moves = [player.choose_for(match)] if one_by_one else player.plan_for(match)
        world, legal = match.clone(), []
        for move in moves:
            legal.append(world.move_of(world.action_of(move)))
            world.push(legal[-1])
    except (Exception, SystemExit) as error:
        raise failed(player.name or kind.__name__, error) from error
    if not legal:
        raise failed(player.name or kind.__name__, ValueError("it has no move"))
    return legal
