"""Play one match at random and say who won, then ten thousand and say how often each seat does."""

import random

import storeys

match = storeys.new("manhattan", players=4, seed=7)
while match.to_move is not None:
    match.push(random.choice(match.legal_moves))

for seat, score in enumerate(match.score()):
    print(f"seat {seat}: {score['total']} points")
print("winners:", match.winners)

batch = storeys.arena.playouts("manhattan", 10_000, players=4, seed=0)
print("win share by seat:", batch.winners.mean(axis=0).round(3))
