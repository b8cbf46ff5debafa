"""The predicted makespan of a placement: an attribute that `place` puts on the function, compared with the simulation
in summaries."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr, i1
from xdsl.irdl import irdl_attr_definition

from dialects.task.entries import FIGURE, TEXT, TRUTH, EntriesAttr, Entry, figure_attr


@irdl_attr_definition
class PlanAttr(EntriesAttr):
    """The makespan that the policy predicted, and a lower bound on any placement, on the machine with this digest:
    `#task.plan<"cost", ns = 1003.4, bound = 1003.4 "load of gpu", machine = "1f2e3d4c">`. `moves = true`: both times
    include planned moves between memories, and the bound is on plans that may also let ops run again.

    The policy is written with its options. No placement and order of the program's ops ends before `bound`, for the
    stated reason; a policy that splits ops may end earlier, so that it states no bound. The attribute is ignored on a
    machine with another digest.
    """

    name = "task.plan"
    policy: StringAttr
    ns: FloatAttr
    bound: FloatAttr
    because: StringAttr
    moves: IntegerAttr
    machine: StringAttr
    ENTRIES: ClassVar[tuple[Entry, ...]] = (
        Entry("", (TEXT,)),
        Entry("ns", (FIGURE,)),
        Entry("bound", (FIGURE, TEXT), omitted=lambda before: (figure_attr(0.0), StringAttr(""))),
        Entry("moves", (TRUTH,), omitted=lambda before: (IntegerAttr(0, i1),)),
        Entry("machine", (TEXT,)),
    )

    @staticmethod
    def of(policy: str, ns: float, bound: float, because: str, machine: str, moves: bool = False) -> PlanAttr:
        """The attribute with these times, rounded to nine digits. A `bound` of 0 means unknown; `because`: the reason
        for the bound; `machine`: the machine's digest; `moves`: both times include moves between memories."""
        return PlanAttr(
            StringAttr(policy),
            figure_attr(ns),
            figure_attr(bound),
            StringAttr(because if bound else ""),
            IntegerAttr(int(moves), i1),
            StringAttr(machine),
        )
