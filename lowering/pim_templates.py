"""Bank programs for graph ops: which device can run which op, and the best of some mappings by the clock."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from dialects.element_types import element_count
from dialects.graph import ConstantOp, FusedOp, GraphOp, WeightOp, tensor_of
from dialects.pim import ActOp, DrainOp, KernelOp, LoadOp, MacOp, PreOp
from dialects.task import ResidentOp, RunOp
from interp.bank_clock import kernel_time
from interp.clock import Clock
from interp.machine import Machine
from interp.program import functions
from interp.sheet import Pim
from lowering.bank_elementwise import is_elementwise, plan_elementwise
from lowering.bank_estimate import estimated_ns
from lowering.bank_kernel import kernel_of
from lowering.bank_layout import Chain, lay_input, lay_weights, lift_result
from lowering.bank_mapping import Mapping, Product, mappings
from lowering.bank_plan import BankPlan, alone
from lowering.bank_products import FORMS, Form

PRODUCT_VERBS = tuple(op.COMMAND.verb for op in (LoadOp, ActOp, MacOp, DrainOp))
"""What a product with a weight asks of a device; `pre` too, unless rows may be opened over open ones."""


TRIES = 6
"""How many mappings of a product the clock is asked about: those that look best by a rough estimate."""


@dataclass(frozen=True)
class Plan(BankPlan):
    """A product on a device, how it is mapped, and how the op is that product."""

    mapping: Mapping
    form: Form | None = None

    def _product_of(self, op: GraphOp | FusedOp) -> tuple[Form, GraphOp]:
        anchor = alone(op)
        assert self.form is not None
        assert anchor is not None
        return self.form, anchor

    def lay_inputs(self, op: GraphOp | FusedOp, pim: Pim) -> list[Chain]:
        form, anchor = self._product_of(op)
        return [lay_input(form.rows(Chain(form.operands(anchor)[0], (op,)), anchor), self.mapping, pim)]

    def weights(self, op: GraphOp | FusedOp) -> tuple[SSAValue, ...]:
        form, anchor = self._product_of(op)
        return (form.operands(anchor)[1],)

    def layout_key(self, op: GraphOp | FusedOp) -> Hashable:
        form, anchor = self._product_of(op)
        return (
            form,
            *anchor.properties.items(),
            *(value.type for value in (*anchor.operands, *anchor.results)),
        )

    def lay_weights(
        self, op: GraphOp | FusedOp, weights: Sequence[SSAValue], pim: Pim
    ) -> tuple[list[GraphOp], list[SSAValue]]:
        form, anchor = self._product_of(op)
        return lay_weights(form.weights(Chain(weights[0], (op,)), anchor), self.mapping, pim)

    def lift_results(self, op: GraphOp | FusedOp, outputs: Sequence[SSAValue]) -> list[Chain]:
        form, anchor = self._product_of(op)
        element = tensor_of(anchor.results[0]).element_type
        return [form.result(lift_result(Chain(outputs[0], (op,)), self.mapping, element), anchor)]


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
        return None if isinstance(plan, str) else plan.kernel

    def why_not(self, op: Operation, pim: Pim) -> str | None:
        """Why a device can't run an op, in words that begin with the op's name; None if it can."""
        plan = self.plan_for(op, pim)
        return plan if isinstance(plan, str) else None

    def plan_for(self, op: Operation, pim: Pim) -> BankPlan | str:
        """How a device runs an op, or why it can't: the op's name, and a sentence."""
        if isinstance(op, GraphOp | FusedOp):
            for template in TEMPLATES.values():
                if (plan := template(op, pim, self)) is not None:
                    return plan
        return f"{op.name}: there is no bank program for it"

    def rows(self, product: Product, pim: Pim) -> int:
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


def _product(op: GraphOp | FusedOp, pim: Pim, templates: PimTemplates) -> Plan | str | None:
    anchor = alone(op)
    forms = FORMS.get(type(anchor), ()) if anchor is not None else ()
    if anchor is None or not forms:
        return None
    form = next((form for form in forms if templates.is_weight(form.operands(anchor)[1])), None)
    product = (form or forms[0]).product(anchor)
    if isinstance(product, str):
        return f"{anchor.name}: {product}"
    if product.element != pim.element:
        return f"{anchor.name} of {product.element}: {pim.name} computes in {pim.element} (the pass `narrow` rounds)"
    if form is None:
        return f"{anchor.name}: {_no_weight([form.operands(anchor)[1] for form in reversed(forms)])}"
    plan = plan_product(product, pim, templates.rows(product, pim))
    return f"{anchor.name}: {plan}" if isinstance(plan, str) else replace(plan, form=form)


def _no_weight(values: Sequence[SSAValue]) -> str:
    names = [f"%{value.name_hint}" if value.name_hint else "an unnamed operand" for value in dict.fromkeys(values)]
    met = f"{names[0]} is no weight: bind it"
    if len(names) > 1:
        met = f"neither {' nor '.join(names)} is a weight: bind one"
    return f"{met} by graph.weight, so that it can be laid out ahead of time"


def _elementwise(op: GraphOp | FusedOp, pim: Pim, templates: PimTemplates) -> BankPlan | str | None:
    return plan_elementwise(op, pim, templates.is_weight) if is_elementwise(op) else None


Template: TypeAlias = Callable[[GraphOp | FusedOp, Pim, PimTemplates], BankPlan | str | None]
"""The plan of an op on a device, or why there is none; None for ops of another kind."""

TEMPLATES: dict[str, Template] = {"products": _product, "element-wise": _elementwise}
"""The kinds of work that bank programs are written for, tried in order; a plug-in adds its own."""


@lru_cache(maxsize=4096)
def plan_product(product: Product, pim: Pim, rows: int = 1 << 40) -> Plan | str:
    """The fastest mapping of a product on a device, by the clock, among those that look best; or a sentence that says
    why there is none.

    It takes at most `rows` rows of each bank, or as few as it can.
    """
    needed = PRODUCT_VERBS if pim.reopen else (*PRODUCT_VERBS, PreOp.COMMAND.verb)
    if missing := [verb for verb in needed if verb not in pim.verbs]:
        return f"{pim.name} lacks the verbs {', '.join(missing)}"
    tries = list(mappings(product, pim))
    fewest = min(mapping.rows_needed() for mapping in tries)
    if fewest > pim.rows:
        return f"the weight takes {fewest} rows of each bank, but {pim.name} has {pim.rows}"
    fitting = [mapping for mapping in tries if mapping.rows_needed() <= max(min(rows, pim.rows), fewest)]
    likely = sorted(fitting, key=lambda mapping: estimated_ns(mapping, pim))[:TRIES]
    return min((_timed(mapping, pim) for mapping in likely), key=lambda plan: (plan.time.ns, plan.energy_nj))


def _timed(mapping: Mapping, pim: Pim) -> Plan:
    kernel = kernel_of(mapping, pim, name_of(mapping.product))
    return Plan(kernel=kernel, time=kernel_time(kernel, pim), mapping=mapping)


def name_of(product: Product) -> str:
    """What a product's kernel is called."""
    batch = f"{product.batch}x" if product.batch > 1 else ""
    return f"matmul_{batch}{product.vectors}x{product.outputs}x{product.inner}_{product.element}"
