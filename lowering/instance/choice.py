"""Choices of placement policies: nodes, the choices of each, and the parts of each choice."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from xdsl.ir import Attribute

from dialects.diagnostics import InputError
from dialects.graph import FusedOp, GraphOp
from dialects.launching import LaunchingOp
from interp.machine.cost import Cost

Placeable: TypeAlias = GraphOp | FusedOp | LaunchingOp
"""A unit of placement: an op, a fused kernel of several ops, or a launch of a program written for a device."""


@dataclass(frozen=True, eq=False)
class ChoicePart:
    """One task: an op on a device. `reads` and `writes` are value numbers; `residents` are the weights that occupy the
    device's memory from the start, as (name, bytes). A `view` only reinterprets data in memory and takes no time."""

    op: Placeable
    device: str
    cost: Cost
    reads: tuple[int, ...]
    residents: tuple[tuple[Hashable, int], ...]
    writes: tuple[int, ...]
    view: bool = False
    over: Mapping[int, int] = field(default_factory=dict[int, int])
    """The results that are written in place: the value number of each, and the value number of the operand whose memory
    it reuses."""
    grown: Mapping[int, int] = field(default_factory=dict[int, int])
    """The results that are an operand with rows appended in its memory: the value number of each, and that of the
    operand."""
    states: frozenset[Hashable] = frozenset()
    """The residents that are states, which the task reads and may change."""
    own: Mapping[int, int] = field(default_factory=dict[int, int])
    """The results that lie in the memory of these states: the value number of each, and the bytes that it adds."""
    notes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    """Attributes for the task that record which implementation was chosen, if the device has several."""

    @property
    def graph_op(self) -> GraphOp | FusedOp:
        """The op, which must not be a launch; see `graph_op`."""
        return graph_op(self.op)


class BusyTask(NamedTuple):
    """A task of a choice, as plain numbers: its device, its time in ns (0 for a view), and the values that it reads and
    writes. `busy`: for each resource the minimum time in ns for which the task occupies it; resources are the device,
    its locks, and the bandwidths from which the task draws."""

    on: str
    ns: float
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    busy: tuple[tuple[str, float], ...]


Alternative: TypeAlias = tuple[BusyTask, ...]
"""One way to run a node, or the nodes of a region: tasks that run serially if they depend on each other."""


@dataclass(frozen=True, eq=False)
class Choice:
    """One possible implementation of a node: one task on a device, or several parts. Choices are compared by identity.

    `label` identifies it among the node's choices. `needs`: (value, device) pairs: values that must be on these devices
    before it starts. `lands`: the device on which the node's results are produced. `cost`: the cost of its tasks and of
    the copies between them.
    """

    label: str
    parts: tuple[ChoicePart, ...]
    needs: tuple[tuple[int, str], ...]
    lands: str
    cost: Cost

    @property
    def device(self) -> str:
        """The device of the choice's first part: of the whole op, or of the contraction if the op is split."""
        return self.parts[0].device


@dataclass(frozen=True, eq=False)
class Node:
    """A graph op or fused group to place. `choices` follow the machine's order of devices; if the op is marked with a
    device, only choices of that device are listed (lowering/graph/marks.py)."""

    index: int
    op: Placeable
    choices: tuple[Choice, ...]
    reads: tuple[int, ...]
    writes: tuple[int, ...]

    @property
    def view(self) -> bool:
        """True if the op is a view of data in memory: it then has a choice on every device, and none takes time."""
        return self.choices[0].parts[0].view

    @property
    def graph_op(self) -> GraphOp | FusedOp:
        """The op, which must not be a launch; see `graph_op`."""
        return graph_op(self.op)

    def on(self, device: str) -> Choice | None:
        """The first choice on a device, which is the fastest if the device has several implementations."""
        return next((choice for choice in self.choices if choice.device == device), None)


def graph_op(op: Placeable) -> GraphOp | FusedOp:
    """An op to place that is not a launch, for code that runs or compares graph ops. Raises InputError for a launch of
    a program for one device."""
    if isinstance(op, LaunchingOp):
        raise InputError(
            f"{op.name} launches a program that is written for one device, but a graph op is expected here; "
            "run this tool before the pass that writes such programs",
            op,
        )
    return op


Placement: TypeAlias = Sequence[Choice]
"""One choice for each node, in program order."""
