"""Bank programs for graph ops: the template for an op is selected by the op's class (product, element-wise op), and the
mapping by simulated time."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from dialects.element_types import element_count
from dialects.graph import ConstantOp, FusedOp, GraphOp, WeightOp
from dialects.pim import KernelOp
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.machine.cost import Cost
from interp.machine.records import Pim
from interp.walk.entry import functions
from interp.walk.unchanged import once
from interp.walk.weight_values import is_weight
from lowering.banks.attention.plan import plan_attention
from lowering.banks.lanes.plan import is_elementwise, plan_elementwise
from lowering.banks.pimflow.programs import published_cost, published_kernel, why_unpublished
from lowering.banks.plan import BankPlan, misfit, requested_plan
from lowering.banks.products.mapping import Product
from lowering.banks.products.plan import Contraction, least_ns_of, plan_contraction


def clock_for(module: ModuleOp) -> Clock:
    """The clock of a program's machine, which times PIMs by the bank programs of this package. Raises InputError if the
    program names no machine."""
    return Clock(Machine.of(module), PimTemplates.of(module))


class PimTemplates:
    """Generator of bank programs for graph ops, which the cost model of PIMs uses
    (interp/kinds/pim/program_source.py). It caches for each value whether it is a weight."""

    def __init__(self, weights: int = 0) -> None:
        """`weights`: number of elements in all weights of the program. Copies of a weight make a product faster but
        take rows, so that each product is limited to its proportional share of the banks' rows. 0 means no limit."""
        self.weights = weights
        self._weights: dict[SSAValue, bool] = {}

    @classmethod
    def of(cls, module: ModuleOp) -> PimTemplates:
        """The templates for a program. Each function has all banks to itself, so the function with the most weights
        sets the limit."""
        counts = (
            sum(
                element_count(op.results[0].type)  # pyright: ignore[reportArgumentType]
                for block in function.body.blocks
                for op in block.ops
                if isinstance(op, WeightOp | ConstantOp)
            )
            for function in functions(module)
        )
        return cls(max(counts, default=0))

    def kernel_for(self, op: Operation, pim: Pim) -> KernelOp | None:
        """The bank program that computes `op`, or None if the device can't run it. Equal ops share one program."""
        if not _own(op, pim):
            return published_kernel(op, pim, self.is_weight)
        plan = self.plan_for(op, pim)
        return None if isinstance(plan, str) else plan.kernel

    def cost_for(self, op: Operation, pim: Pim) -> Cost | None:
        """The cost of one launch of the program of `op`, without generating its kernel; None if the device can't run
        it."""
        if not _own(op, pim):
            return published_cost(op, pim, self.is_weight)
        plan = self.plan_for(op, pim)
        return None if isinstance(plan, str) else plan.program.cost(pim)

    def least_ns(self, op: Operation, pim: Pim, enough: float) -> float:
        """A lower bound on the time of one launch of the program of `op`, in ns, which takes less work than the cost:
        infinite for ops that the device can't run. Of ops that are no products, the time itself. A bound above `enough`
        is as good as any larger one."""
        if not isinstance(op, GraphOp | FusedOp) or next(iter(TEMPLATES.values())) is not _product:
            return 0.0
        if pim.programs != "own" or requested_plan(op) is not None:
            return 0.0
        found = least_ns_of(op, pim, self.is_weight, self.rows, enough - pim.launch_ns)
        if found is None:
            cost = self.cost_for(op, pim)
            return inf if cost is None else cost.ns
        return pim.launch_ns + found

    def kept_bytes(self, op: Operation, pim: Pim) -> int | None:
        """The bytes of the rows that the program of `op` keeps in the banks, 0 if the device can't run it; None for
        programs other than those of products by weights."""
        if pim.programs != "own":
            return None
        plan = self.plan_for(op, pim)
        if isinstance(plan, str):
            return 0
        if not isinstance(plan, Contraction) or plan.mapping.product.written or plan.mapping.product.grows:
            return None
        return plan.mapping.rows_needed() * pim.granule_bytes

    def plan_of(self, op: Operation, pim: Pim) -> Attribute | None:
        """The `pim.plan` attribute that selects the program of `op` among its alternatives; None if there is only one
        program for it."""
        plan = self.plan_for(op, pim) if _own(op, pim) else ""
        return None if isinstance(plan, str) else plan.note

    def why_not(self, op: Operation, pim: Pim) -> str | None:
        """The reason why a device can't run an op, starting with the op's name; None if it can."""
        if not _own(op, pim):
            return why_unpublished(op, pim, self.is_weight)
        plan = self.plan_for(op, pim)
        return plan if isinstance(plan, str) else None

    def plan_for(self, op: Operation, pim: Pim) -> BankPlan | str:
        """The plan by which a device runs an op, or the reason why it can't, starting with the op's name. The plan is
        that which the op's task specifies (`pim.plan`), otherwise the fastest. Raises InputError, at the task, for
        an invalid plan."""
        return once((self, pim), op, lambda: self._plan_for(op, pim))

    def _plan_for(self, op: Operation, pim: Pim) -> BankPlan | str:
        if isinstance(op, GraphOp | FusedOp):
            requested = requested_plan(op)
            for template in TEMPLATES.values():
                if (plan := template(op, pim, self, requested)) is not None:
                    return plan
        return f"{op.name}: no bank program exists for this op"

    def rows(self, product: Product, pim: Pim) -> int:
        """The maximum number of rows per bank for a product: its share of the rows, in proportion to its part of all
        weights."""
        own = product.batch * product.outputs * product.inner
        return pim.rows * own // self.weights if self.weights > own else pim.rows

    def is_weight(self, value: SSAValue) -> bool:
        """True if a value is a weight or constant, or computed only from those, so that it can be resident in the
        banks."""
        return is_weight(value, self._weights)


def _own(op: Operation, pim: Pim) -> bool:
    """True if a device runs programs of this package, for which a task may specify a plan. Raises InputError if the
    task of `op` specifies a plan on a device with published programs."""
    if pim.programs == "own":
        return True
    if requested_plan(op) is not None:
        raise misfit(
            op, f"selects one of this compiler's own programs, but {pim.name} runs published ones; write another sheet"
        )
    return False


def _product(
    op: GraphOp | FusedOp, pim: Pim, templates: PimTemplates, requested: Attribute | None
) -> BankPlan | str | None:
    return plan_contraction(op, pim, templates.is_weight, templates.rows, requested)


def _elementwise(
    op: GraphOp | FusedOp, pim: Pim, templates: PimTemplates, requested: Attribute | None
) -> BankPlan | str | None:
    return plan_elementwise(op, pim, templates.is_weight, requested) if is_elementwise(op) else None


def _attended(
    op: GraphOp | FusedOp, pim: Pim, templates: PimTemplates, requested: Attribute | None
) -> BankPlan | str | None:
    return plan_attention(op, pim, requested)


Template: TypeAlias = Callable[[GraphOp | FusedOp, Pim, PimTemplates, Attribute | None], BankPlan | str | None]
"""A function of an op, a device, the templates and a requested plan (a plan's `note`, or None for the fastest plan). It
returns the plan by which the device runs the op, the reason why there is no plan, or None for an op that is not of
the template's class."""

TEMPLATES: dict[str, Template] = {"products": _product, "attention": _attended, "element-wise": _elementwise}
"""The templates by name, tried in order until one returns a plan or a reason; a plug-in can add its own."""
