"""Many games at once: playouts in compiled code, and bots against each other."""

from storeys.arena.contest import Contest
from storeys.arena.entrants import Entrant, read_entrant
from storeys.arena.playouts import Playouts, playouts
from storeys.arena.results import Results
from storeys.arena.running import compete

__all__ = ["Contest", "Entrant", "Playouts", "Results", "compete", "playouts", "read_entrant"]
