"""A contest on a Ray cluster (the extra ``ray``): the same games, played on other machines."""

from collections.abc import Iterator
from typing import Any

from storeys.arena.contest import Contest
from storeys.arena.playing import Game, play_game
from storeys.arena.playouts import available_cores
from storeys.arena.running import as_they_end
from storeys.envs.common import missing
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import short

LOCAL = "local"
"""The address that starts a cluster of this machine's cores, and ends it afterwards."""


class RayCrew:
    """Plays on a cluster, a game a core.  storeys has to be installed on its machines."""

    def __init__(self, address: str, cores: int | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise missing("ray", "ray") from None
        self._ray = ray
        local: dict[str, Any] = {"num_cpus": cores or available_cores(), "include_dashboard": False}
        try:
            ray.init(
                address=address,
                configure_logging=False,
                log_to_driver=False,
                **(local if address == LOCAL else {}),
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            why = " ".join(str(error).split())[:200]
            raise BadOption(
                Message("storeys.arena.ray-unreachable", found=short(address), why=why)
            ) from None
        self.size = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def play(self, contest: Contest, numbers: Iterator[int]) -> Iterator[Game]:
        """As they end; whoever stops asking leaves the cluster."""
        remote = self._ray.remote(num_cpus=1, max_retries=3)(play_game)
        try:
            yield from as_they_end(
                lambda number: remote.remote(contest, number).future(), numbers, self.size
            )
        except self._ray.exceptions.RayTaskError as error:
            cause = getattr(error, "cause", None)
            raise cause if isinstance(cause, StoreysError) else error from None
        except self._ray.exceptions.RayError:
            raise StoreysError(Message("storeys.arena.process-died")) from None
        finally:
            self._ray.shutdown()
