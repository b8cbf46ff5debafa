"""State: arguments whose memory lives across steps (caches of keys and values, optimizer moments), and the text of the
attribute that says how a step changes them, and which result is the new content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias, get_args

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

STATE, KEEPS = "task.state", "task.keeps"
Change: TypeAlias = Literal["appended", "updated", "overwritten", "read", "free"]
CHANGES: tuple[Change, ...] = get_args(Change)
_TEXT = re.compile(r"(\w+)(?:, result (\d+)|, rows (\d+))?(?:, capacity (\d+))?")


class State(NamedTuple):
    """The change that a step makes to an argument whose memory lives on: `{task.state = "appended, result 1"}`.

    - `appended, result N`: result N is the argument with rows added behind its own along one axis, in the room that the
      argument's memory has there; if result N has no more rows than the argument, the oldest rows are dropped (a ring).
    - `appended, rows N`: the same, for a function that returns only the added rows, as result N.
    - `updated, result N`: result N is the argument with a slice, or single elements, replaced.
    - `overwritten, result N`: result N is computed anew, in the memory of the argument.
    - `read`: the caller keeps the argument, which no result replaces.
    - `free`: the function may use the argument's memory for anything after the last read.

    `capacity N`: the number of rows for which memory is reserved, at least those of the result; default: these.
    """

    change: Change
    result: int | None = None
    rows: int | None = None
    capacity: int | None = None

    @property
    def text(self) -> str:
        """The text of the attribute."""
        entries = (("result", self.result), ("rows", self.rows), ("capacity", self.capacity))
        return ", ".join([self.change, *(f"{word} {number}" for word, number in entries if number is not None)])

    @property
    def noted(self) -> dict[str, Attribute]:
        """The entry in the attributes of an argument."""
        return {STATE: StringAttr(self.text)}

    @staticmethod
    def of(notes: Mapping[str, Attribute]) -> State | None:
        """The state that the attributes of an argument state; None if they state none, or no valid one."""
        value = notes.get(STATE)
        return read_state(value.data) if isinstance(value, StringAttr) else None


def read_state(text: str) -> State | None:
    """The state with a text; None if it is none: an unknown word, a change without result, or a result without
    change."""
    found = _TEXT.fullmatch(text)
    word = found[1] if found is not None else ""
    change: Change | None = next((each for each in CHANGES if each == word), None)
    if found is None or change is None:
        return None
    result, rows, capacity = (None if number is None else int(number) for number in found.groups()[1:])
    if (result is None and rows is None) != (change in ("read", "free")):
        return None
    if (rows is not None or capacity is not None) and change != "appended":
        return None
    return State(change, result, rows, capacity)


class StateText:
    """The values of the attribute `task.state`: texts of states."""

    def verifies(self, attr: Attribute) -> bool:
        """True for a string that states a state."""
        return isinstance(attr, StringAttr) and read_state(attr.data) is not None
