"""What the tile games share: cities laid tile by tile from hidden hands, an open row and a pile.

``grid`` knows places and squares, ``draft`` the tiles that are not laid yet, ``cities`` those that
are, and how a turn goes; ``moves``, ``refusals``, ``positions`` and ``box`` are the same moves,
errors, dicts and data files for both; ``ground`` is a city as ``text`` and ``picture`` show it;
``game`` ties a game's rooms together.
"""
