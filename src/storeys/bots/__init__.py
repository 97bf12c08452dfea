"""Players: a bot is given a view and says a move; it never sees more, and keeps nothing.

Bots are found by name among the modules of this folder and the entry points ``storeys.bots``.
"""

from storeys.bots.registry import (
    LEVELS,
    SUBSTITUTE,
    Bot,
    BotFacts,
    BotFailed,
    ask,
    bot,
    bot_facts,
    bot_names,
)

__all__ = [
    "LEVELS",
    "SUBSTITUTE",
    "Bot",
    "BotFacts",
    "BotFailed",
    "ask",
    "bot",
    "bot_facts",
    "bot_names",
]
