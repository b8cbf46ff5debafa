"""Results kept by the identity of what they follow from: hashing attributes by value takes as long as most results."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class IdentityCache(Generic[T]):
    """Results by the objects that they follow from, in order; equal objects that are not the same count as others.

    An entry keeps its objects alive, so that no other object takes their identity. A full cache is emptied.
    """

    def __init__(self, most: int = 1 << 12) -> None:
        self.most = most
        self._entries: dict[tuple[int, ...], tuple[tuple[object, ...], T]] = {}

    def get(self, objects: tuple[object, ...]) -> T | None:
        """The result that was put for these objects; None if there is none."""
        entry = self._entries.get(tuple(map(id, objects)))
        return None if entry is None else entry[1]

    def put(self, objects: tuple[object, ...], result: T) -> T:
        """Keep `result`, and return it."""
        if len(self._entries) >= self.most:
            self._entries.clear()
        self._entries[tuple(map(id, objects))] = (objects, result)
        return result
