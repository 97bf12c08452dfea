"""What the tile games share: cities laid tile by tile from hidden hands, an open row and a pile.

``grid`` knows places and squares, ``draft`` the tiles that are not laid yet, ``cities`` those that
are; ``moves``, ``refusals``, ``positions``, ``box`` and ``text`` are the same moves, errors, dicts,
data files and terminal lines for both; ``game`` ties a game's rooms together.
"""
