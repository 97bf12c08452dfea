"""What is kept to be used again: so much of it, made once, by whichever thread comes first."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import partial
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
    """The things used last, none of them None, up to a weight in all; any thread may ask.

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
            found = self._kept.get(key)  # A long key is hashed anew whenever it is looked up.
            if found is not None:
                self._kept.move_to_end(key)
                return found
            others = self._making.get(key)
            if others is None:
                mine: Making[T] = Making()
                self._making[key] = mine
        return self._make(key, make, mine) if others is None else others.result()

    def get_all(self, keys: Sequence[Hashable], make: Callable[[int], T]) -> list[T]:
        """The same for many keys; what is not there is made by its place among them.

        >>> from storeys.web.keeping import Keeper
        >>> keeper = Keeper[str](most=10, weigh=len)
        >>> keeper.get_all("ab", lambda nth: f"{nth}."), keeper.get_all("ba", str)
        (['0.', '1.'], ['1.', '0.'])
        """
        with self._lock:
            kept = [self._kept.get(key) for key in keys]
            for key, found in zip(keys, kept, strict=True):
                if found is not None:
                    self._kept.move_to_end(key)
        return [
            self.get(keys[nth], partial(make, nth)) if found is None else found
            for nth, found in enumerate(kept)
        ]

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
