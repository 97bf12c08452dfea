"""What is kept to be used again: so much of it, made once, by whichever thread comes first."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Making(Generic[T]):
    """Something that is being made, for those who wait for it: a lock costs next to nothing."""

    __slots__ = ("error", "made", "under_way")

    def __init__(self) -> None:
        self.made: list[T] = []
        self.error: BaseException | None = None
        self.under_way = threading.Lock()
        self.under_way.acquire()

    def result(self) -> T:
        """What was made, once it is; or what went wrong."""
        with self.under_way:
            if self.error is not None:
                raise self.error
            return self.made[0]


class Keeper(Generic[T]):
    """The things used last, up to a weight in all; any thread may ask.

    Whoever asks for a thing while it is made waits for that, so that it is made once.

    >>> from storeys.web.keeping import Keeper
    >>> keeper = Keeper[str](most=10, weigh=len)
    >>> keeper.get("greeting", lambda: "hello"), keeper.get("greeting", lambda: "never made")
    ('hello', 'hello')
    >>> keeper.get("another", lambda: "goodbye"), len(keeper)
    ('goodbye', 1)
    """

    def __init__(self, most: int, weigh: Callable[[T], int]) -> None:
        self._most, self._weigh, self._weight = most, weigh, 0
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._making: dict[Hashable, Making[T]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def weight(self) -> int:
        """What all that is kept weighs."""
        return self._weight

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is kept under a key, made if it is not there; what cannot be made is not kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            others = self._making.get(key)
            if others is None:
                mine = self._making[key] = Making[T]()
        return self._make(key, make, mine) if others is None else others.result()

    def _make(self, key: Hashable, make: Callable[[], T], mine: "Making[T]") -> T:
        try:
            mine.made.append(make())
        except BaseException as error:
            mine.error = error
            raise
        finally:
            with self._lock:
                del self._making[key]
                if mine.made:
                    self._keep(key, mine.made[0])
            mine.under_way.release()
        return mine.made[0]

    def _keep(self, key: Hashable, made: T) -> None:
        weight = self._weigh(made)
        if weight > self._most:
            return
        self._kept[key] = made
        self._weight += weight
        while self._weight > self._most:
            _, dropped = self._kept.popitem(last=False)
            self._weight -= self._weigh(dropped)
