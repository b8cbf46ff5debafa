"""Caches keyed by object identity: hashing attributes by value takes as long as computing most results."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class IdentityCache(Generic[T]):
    """A cache keyed by the identities of a tuple of objects; equal but distinct objects are different keys.

    An entry keeps its objects alive, so that no other object can get the same identity. A full cache is cleared.
    """

    def __init__(self, most: int = 1 << 12) -> None:
        self.most = most
        self._entries: dict[tuple[int, ...], tuple[tuple[object, ...], T]] = {}

    def get(self, objects: tuple[object, ...]) -> T | None:
        """The cached result for these objects; None if there is none."""
        entry = self._entries.get(tuple(map(id, objects)))
        return None if entry is None else entry[1]

    def put(self, objects: tuple[object, ...], result: T) -> T:
        """Cache `result` and return it."""
        if len(self._entries) >= self.most:
            self._entries.clear()
        self._entries[tuple(map(id, objects))] = (objects, result)
        return result
