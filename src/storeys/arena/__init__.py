"""Many games at once."""

from storeys.arena.playouts import Playouts, playouts

__all__ = ["Playouts", "playouts"]
