"""The arrays in which observations and masks of many games are handed out."""

from typing import Any

import numpy as np
import numpy.typing as npt

from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.reading import short
from storeys.kernel.record import IntArray

Observations = npt.NDArray[np.float32] | npt.NDArray[np.uint8]
Masks = npt.NDArray[np.int8]
Out = tuple[Observations, Masks]
"""Where to write observations and masks."""

TENSORS = ("float32", "uint8")
"""The kinds of observations."""


def kind_of_tensor(dtype: npt.DTypeLike) -> str:
    """The name of a dtype that observations can have."""
    try:
        name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    except TypeError:
        name = ""
    if name not in TENSORS:
        known = ", ".join(TENSORS)
        raise BadOption(Message("storeys.envs.batch.dtype", known=known, found=short(dtype)))
    return name


def check_out(out: Any, *own: IntArray) -> Out:
    """Arrays to write into in the place of one's own observations and masks."""
    fits = isinstance(out, tuple | list) and len(out) == len(own)
    if not fits or not all(map(_can_stand_in, out, own)):
        sizes = [" × ".join(map(str, array.shape)) for array in own]
        kind = own[0].dtype.name
        raise BadOption(
            Message("storeys.envs.batch.out", observations=sizes[0], kind=kind, masks=sizes[1])
        )
    return out[0], out[1]


def _can_stand_in(given: Any, own: IntArray) -> bool:
    """Whether compiled code can write into an array as into the batch's own."""
    return (
        isinstance(given, np.ndarray)
        and given.shape == own.shape
        and given.dtype == own.dtype
        and given.flags.c_contiguous
        and given.flags.writeable
        and given.flags.aligned
    )
