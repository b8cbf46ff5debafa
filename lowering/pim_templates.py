"""Bank programs for graph ops: which device can run which op, and the best of some mappings by the clock."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from dialects.element_types import element_count
from dialects.graph import ConstantOp, FusedOp, GraphOp, WeightOp
from dialects.pim import KernelOp
from dialects.task import ResidentOp, RunOp
from interp.bank_clock import BankTime, kernel_time
from interp.clock import Clock
from interp.machine import Machine
from interp.program import functions
from interp.sheet import Pim
from lowering.bank_estimate import estimated_cycles
from lowering.bank_kernel import kernel_of
from lowering.bank_mapping import Mapping, Product, mappings
from lowering.bank_products import FORMS

PRODUCT_VERBS = ("load", "act", "mac", "drain")
"""What a product with a weight asks of a device; `pre` too, unless rows may be opened over open ones."""


TRIES = 6
"""How many mappings of a product the clock is asked about: those that look best by a rough estimate."""


@dataclass(frozen=True)
class Plan:
    """A product on a device: how it is mapped, as what program, and how long that takes. The kernel is shared: clone
    it."""

    mapping: Mapping
    kernel: KernelOp
    time: BankTime

    @property
    def energy_nj(self) -> float:
        return sum(self.time.energy_nj.values())


def clock_for(module: ModuleOp) -> Clock:
    """The clock of a program's machine, with our bank programs for its PIMs. Raises InputError if it names no
    machine."""
    return Clock(Machine.of(module), PimTemplates.of(module))


class PimTemplates:
    """Writes bank programs for graph ops (see `interp.clock.KernelSource`); remembers which values are weights."""

    def __init__(self, weights: int = 0) -> None:
        """`weights`: how many elements the weights of the whole program have. Each product then takes its share of the
        banks' rows at the most, so that all find room: copies of a weight make a product faster. 0: no such limit."""
        self.weights = weights
        self._weights: dict[SSAValue, bool] = {}

    @classmethod
    def of(cls, module: ModuleOp) -> PimTemplates:
        """The templates for a program; of several functions, each has the banks to itself."""
        counts = (
            sum(
                element_count(op.results[0].type)  # pyright: ignore[reportArgumentType]
                for op in function.body.block.ops
                if isinstance(op, WeightOp | ConstantOp)
            )
            for function in functions(module)
        )
        return cls(max(counts, default=0))

    def kernel_for(self, op: Operation, pim: Pim) -> KernelOp | None:
        """The bank program that does what `op` does, or None if the device can't run it. It is shared by equal ops."""
        plan = self.plan_for(op, pim)
        return plan.kernel if isinstance(plan, Plan) else None

    def plan_for(self, op: Operation, pim: Pim) -> Plan | str:
        """How a device runs an op, or a sentence that says why it can't."""
        anchor = _single(op)
        form = FORMS.get(type(anchor)) if anchor is not None else None
        if anchor is None or form is None:
            return f"there is no bank program for {op.name}"
        product = form.product(anchor)
        if isinstance(product, str):
            return f"{anchor.name}: {product}"
        if product.element != pim.element:
            return (
                f"{anchor.name} of {product.element}: {pim.name} computes in {pim.element} (the pass `narrow` rounds)"
            )
        weight = form.operands(anchor)[1]
        if not self.is_weight(weight):
            return (
                f"{anchor.name}: its second operand is no weight, and {pim.name} has no verb to write it into the banks"
            )
        return plan_product(product, pim, self._rows(product, pim))

    def _rows(self, product: Product, pim: Pim) -> int:
        """A product's share of the rows."""
        own = product.batch * product.outputs * product.inner
        return pim.rows * own // self.weights if self.weights > own else pim.rows

    def is_weight(self, value: SSAValue) -> bool:
        """Whether a value is a weight or constant, or made of such alone, so that it can lie in the banks from the
        start."""
        known, waiting = self._weights, [value]
        while waiting:  # by hand, since a network is deeper than Python's stack
            here = waiting[-1]
            sources = _sources(here)
            if here in known:
                waiting.pop()
            elif not sources or any(known.get(source) is False for source in sources):
                known[here] = sources is not None and not any(known.get(source) is False for source in sources)
            elif unknown := next((source for source in sources if source not in known), None):
                waiting.append(unknown)
            else:
                known[here] = True
        return known[value]


def _sources(value: SSAValue) -> tuple[SSAValue, ...] | None:
    """The values that a value is made of: none for a weight; None for what only a run can tell."""
    if isinstance(value, BlockArgument):
        owner = value.block.parent_op()
        return (owner.inputs[value.index],) if isinstance(owner, FusedOp | RunOp) else None
    op = value.owner
    if isinstance(op, ResidentOp):
        return (op.value,)
    if isinstance(op, WeightOp | ConstantOp):
        return ()
    return tuple(op.operands) or None if isinstance(op, GraphOp | FusedOp) else None


def _single(op: Operation) -> GraphOp | None:
    """The graph op that an op is, alone or as the only one of a fused group."""
    if isinstance(op, FusedOp):
        ops = op.ops
        return ops[0] if len(ops) == 1 and isinstance(ops[0], GraphOp) and op.yielded == tuple(ops[0].results) else None
    return op if isinstance(op, GraphOp) else None


@lru_cache(maxsize=4096)
def plan_product(product: Product, pim: Pim, rows: int = 1 << 40) -> Plan | str:
    """The fastest mapping of a product on a device, by the clock, among those that look best; or a sentence that says
    why there is none.

    It takes at most `rows` rows of each bank, or as few as it can.
    """
    needed = PRODUCT_VERBS if pim.reopen else (*PRODUCT_VERBS, "pre")
    if missing := [verb for verb in needed if verb not in pim.verbs]:
        return f"{pim.name} lacks the verbs {', '.join(missing)}"
    tries = list(mappings(product, pim))
    fewest = min(mapping.rows_needed() for mapping in tries)
    if fewest > pim.rows:
        return f"the weight takes {fewest} rows of each bank, but {pim.name} has {pim.rows}"
    fitting = [mapping for mapping in tries if mapping.rows_needed() <= max(min(rows, pim.rows), fewest)]
    likely = sorted(fitting, key=lambda mapping: estimated_cycles(mapping, pim))[:TRIES]
    return min((_timed(mapping, pim) for mapping in likely), key=lambda plan: (plan.time.ns, plan.energy_nj))


def _timed(mapping: Mapping, pim: Pim) -> Plan:
    kernel = kernel_of(mapping, pim, name_of(mapping.product))
    return Plan(mapping, kernel, kernel_time(kernel, pim))


def name_of(product: Product) -> str:
    """What a product's kernel is called."""
    batch = f"{product.batch}x" if product.batch > 1 else ""
    return f"matmul_{batch}{product.vectors}x{product.outputs}x{product.inner}_{product.element}"
