"""Positions made by a generator, on which the kernel and the slow referees are compared.

Random play rarely meets the corners of the rules; here each position is built on purpose: half
finished cities around holes, pieces wherever they may stand, supplies nearly empty, last rounds
and ties.  ``neoville``, ``cloud_city`` and ``manhattan`` make positions of one game from a
``random.Random`` (and say which referee judges them), ``tiles`` has what the two games of tiles
share, ``comparing`` compares.  Every position is one that a match could have come to, as far as a
position can tell: tiles and pieces are laid one by one in the order of turns.
"""
