"""The choices of placement policies: nodes, their choices, and the parts that each choice is made of."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import Attribute

from dialects.graph import FusedOp, GraphOp
from dialects.launching import LaunchingOp
from interp.cost.record import Cost

Placeable: TypeAlias = GraphOp | FusedOp | LaunchingOp
"""A unit that runs on a device: an op, a kernel of several, or a launch of a program that was written for it."""


@dataclass(frozen=True, eq=False)
class ChoicePart:
    """One task: an op on a device. `reads` and `writes` are numbers of values, `residents` what its weights take there
    from the start, as (what, bytes). A `view` only shows what lies there: it is no work for the device."""

    op: Placeable
    device: str
    cost: Cost
    reads: tuple[int, ...]
    residents: tuple[tuple[Hashable, int], ...]
    writes: tuple[int, ...]
    view: bool = False
    over: Mapping[int, int] = field(default_factory=dict[int, int])
    """Values that it writes into the memory of one that it reads, each with that."""
    notes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    """The task's note on the way in which it runs, where its device has several."""


@dataclass(frozen=True, eq=False)
class Choice:
    """One way to run a node: as one task on a device, or in several parts. Two are equal only if they are the same one.

    `label` names it among the node's choices. `needs`: (value, device) pairs that must have arrived. `lands`: where the
    node's results are then. `cost` of its tasks and of the copies between them.
    """

    label: str
    parts: tuple[ChoicePart, ...]
    needs: tuple[tuple[int, str], ...]
    lands: str
    cost: Cost

    @property
    def device(self) -> str:
        """The device of its first part: the whole, or the contraction of a split."""
        return self.parts[0].device


@dataclass(frozen=True, eq=False)
class Node:
    """A graph op or fused group that needs a device; `choices` in the machine's order of devices, those of one device
    where the op is marked with it (lowering/placement/marks.py)."""

    index: int
    op: Placeable
    choices: tuple[Choice, ...]
    reads: tuple[int, ...]
    writes: tuple[int, ...]

    @property
    def view(self) -> bool:
        """True if it only shows what lies somewhere: then it has a choice on every device, and none takes time."""
        return self.choices[0].parts[0].view

    def on(self, device: str) -> Choice | None:
        """Its first choice on a device, which is the fastest where the device has several ways to run it."""
        return next((choice for choice in self.choices if choice.device == device), None)


Placement: TypeAlias = Sequence[Choice]
"""One of its choices for each node, in program order."""
