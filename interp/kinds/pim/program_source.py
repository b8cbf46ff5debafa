"""The interface through which the cost model of PIMs gets the bank programs of graph ops.

lowering/banks/templates.py implements it. So a task on a PIM takes the same time before and after `to-pim`, and this
package does not depend on `lowering`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from xdsl.ir import Attribute, Operation

if TYPE_CHECKING:
    from interp.machine.cost import Cost
    from interp.machine.records import Pim


class ProgramSource(Protocol):
    """A generator of bank programs for graph ops. Its implementation belongs to a higher layer and is passed in as an
    instance."""

    def kernel_for(self, op: Operation, pim: Pim) -> Operation | None:
        """The program that implements `op`, or None if the device can't run it."""
        ...

    def cost_for(self, op: Operation, pim: Pim) -> Cost | None:
        """The cost of one launch of the program that implements `op`, or None if the device can't run it."""
        ...

    def least_ns(self, op: Operation, pim: Pim, enough: float) -> float:
        """A lower bound on the time of one launch of the program that implements `op`, in ns, which takes less work
        than the cost; infinite if the device can't run it, 0 if no bound is known. A bound above `enough` is as good as
        any larger one."""
        ...

    def kept_bytes(self, op: Operation, pim: Pim) -> int | None:
        """The bytes that the program of `op` keeps in the banks from the start to the end, 0 if the device can't run
        `op`; None if they are unknown."""
        ...

    def why_not(self, op: Operation, pim: Pim) -> str | None:
        """The reason why the device can't run `op`, beginning with the op's name; None if it can."""
        ...

    def plan_of(self, op: Operation, pim: Pim) -> Attribute | None:
        """The attribute that identifies, among several possible programs for `op`, the program that `kernel_for`
        returns, and from which it can be generated again; None if there is only one program."""
        ...
