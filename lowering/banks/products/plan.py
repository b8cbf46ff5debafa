"""Plans for products in graph programs, single or with a fused activation: recognition of an op as a product, and the
layouts of its operands, weights and result."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from math import inf, prod
from typing import Literal

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from dialects.element_types import dtype_of
from dialects.graph import ConcatOp, ConstantOp, FusedOp, GraphOp, MatmulOp, TransposeOp, shape_of, tensor_of
from dialects.graph.unary import GeluOp, UnaryOp
from dialects.locations import located
from dialects.pim import BiasOp, MacOp, MappingAttr, WriteOp
from dialects.task import RunOp
from interp.kinds.pim.values.activation_tables import FUNCTIONS
from interp.machine.records import Pim
from interp.walk.caches import cache_rows
from interp.walk.unchanged import once
from lowering.banks.layout import Chain, lay_input, lay_starts, lay_weights, lift_result, zero_starts
from lowering.banks.plan import BankPlan, misfit
from lowering.banks.products.cache import keep, lay_new
from lowering.banks.products.forms import FORMS, ProductForm
from lowering.banks.products.mapping import Mapping, Product, plan_of
from lowering.banks.products.search import lacking, least_ns, planned, search
from lowering.banks.products.traversal import sets_sums, written_for

MOST_MATCHES = 16
"""Devices for which an op's product is kept."""


@dataclass(frozen=True)
class ProductMatch:
    """An op recognised as a product: the op that multiplies (`anchor`), the form of its operands, and the product,
    including the function applied to its result.

    `one`: True if the device can't set accumulators, so that the bias is an additional element of the sum, multiplied
    with an input of 1. `given`: True if the second operand is no weight, but in the banks before the task: a cache to
    which the task appends nothing.
    """

    anchor: GraphOp
    form: ProductForm
    product: Product
    one: bool = False
    given: bool = False


@dataclass(frozen=True)
class Contraction(BankPlan):
    """The plan of a product on a device: its program, its mapping, and the form in which the op is a product."""

    mapping: Mapping
    form: ProductForm
    one: bool = False
    given: bool = False
    likely: tuple[Mapping, ...] = ()
    """The mappings among which this one is the fastest."""

    def lay_inputs(self, op: GraphOp | FusedOp, pim: Pim) -> list[Chain]:
        anchor, mapping = self._anchor(op), self.mapping
        rows, second = self.form.operands(anchor)
        first = self.form.rows(Chain(outside(op, rows), (op,)), anchor)
        if self.one:
            first.beside(2, Chain(*_number(1.0, (*first.shape[:2], 1), tensor_of(rows).element_type, op)))
        taken = [lay_input(first, mapping, pim)]
        if sets_sums(mapping.product, pim):
            bias = self.form.bias(anchor) if mapping.product.bias else None
            if bias is None:
                taken.append(zero_starts(mapping, pim, op))
            else:
                taken.append(lay_starts(self.form.starts(Chain(outside(op, bias), (op,)), anchor), mapping, pim))
        if second is None or not (mapping.product.written or mapping.product.grows or self.given):
            return taken
        matrix = self.form.weights(Chain(outside(op, second), (op,)), anchor)
        if mapping.product.grows:
            taken.append(lay_new(Chain(matrix.value, (op,), matrix.ops), mapping, pim))
            matrix = keep(Chain(matrix.value, (op,)), mapping)
        ops, tensors = lay_weights(matrix, mapping, pim)
        return taken + [Chain(tensor, (op,), ops if not number else []) for number, tensor in enumerate(tensors)]

    def weights(self, op: GraphOp | FusedOp) -> tuple[SSAValue, ...]:
        anchor = self._anchor(op)
        second, bias = self.form.operands(anchor)[1], self.form.bias(anchor) if self.one else None
        product = self.mapping.product
        values = (None if product.written or product.grows or self.given else second, bias)
        return tuple(outside(op, value) for value in values if value is not None)

    def layout_key(self, op: GraphOp | FusedOp) -> Hashable:
        anchor = self._anchor(op)
        return (
            self.form,
            *anchor.properties.items(),
            *(value.type for value in (*anchor.operands, *anchor.results)),
        )

    def lay_weights(
        self, op: GraphOp | FusedOp, weights: Sequence[SSAValue], pim: Pim
    ) -> tuple[list[GraphOp], list[SSAValue]]:
        anchor, product = self._anchor(op), self.mapping.product
        if product.written or product.grows or self.given:
            return [], []
        if self.form.operands(anchor)[1] is None:
            shape, element = (product.batch, product.outputs, product.inner), tensor_of(anchor.operands[0]).element_type
            matrix = Chain(*_number(self.form.number(anchor), shape, element, op))
        else:
            matrix = self.form.weights(Chain(weights[0], (op,)), anchor)
        if self.one:
            bias = self.form.starts(Chain(weights[1], (op,)), anchor)
            matrix.beside(2, bias.reshape(product.batch, product.outputs, 1))
        return lay_weights(matrix, self.mapping, pim)

    def lift_results(self, op: GraphOp | FusedOp, outputs: Sequence[SSAValue]) -> list[Chain]:
        anchor = self._anchor(op)
        element = tensor_of(anchor.results[0]).element_type
        return [self.form.result(lift_result(Chain(outputs[0], (op,)), self.mapping, element), anchor)]

    def _anchor(self, op: GraphOp | FusedOp) -> GraphOp:
        parts = _parts(op)
        assert parts is not None
        return parts[0]


def outside(op: Operation, value: SSAValue) -> SSAValue:
    """The operand of a fused group that is passed for a value in the group's body; any other value itself."""
    if isinstance(op, FusedOp) and isinstance(value, BlockArgument) and value.block is op.body.block:
        return op.inputs[value.index]
    return value


def _number(
    number: float, shape: tuple[int, ...], element: Attribute, op: Operation
) -> tuple[SSAValue, tuple[Operation, ...], list[GraphOp]]:
    """A constant tensor whose elements all equal `number`, as the arguments of a `Chain`."""
    constant = located(ConstantOp(np.full(shape, number, dtype_of(element))), op)
    return constant.y, (op,), [constant]


def _parts(op: Operation) -> tuple[GraphOp, str] | None:
    """The op that may be a product, and the name of the function applied to its result (empty if there is none). `op`
    is a single graph op, or a group of a product and at most one function; None for any other op."""
    if not isinstance(op, FusedOp):
        return (op, "") if isinstance(op, GraphOp) else None
    first, *others = op.ops
    if not isinstance(first, GraphOp) or len(others) > 1 or op.yielded != tuple((others or [first])[0].results):
        return None
    if not others:
        return first, ""
    [last] = others
    function = last.name.removeprefix("graph.")
    exact = last.approximate.data == "none" if isinstance(last, GeluOp) else not last.properties
    plain = isinstance(last, UnaryOp) and last.x in first.results and exact
    return (first, function) if plain and function in FUNCTIONS else None


def plan_contraction(
    op: GraphOp | FusedOp,
    pim: Pim,
    is_weight: Callable[[SSAValue], bool],
    rows: Callable[[Product, Pim], int],
    requested: Attribute | None = None,
) -> Contraction | str | None:
    """The fastest plan for a product on a device, or the reason why no plan is possible; None for an op that is no
    product. `rows`: function that returns the maximum number of rows per bank for a product. `requested`: the plan
    to use instead of the fastest one."""
    matched = _matched(op, pim, is_weight)
    if not isinstance(matched, ProductMatch):
        return matched
    product, banks = matched.product, pim.banks_alone
    if requested is None or lacking(product, banks):
        found = search(product, banks, rows(product, pim))
    elif not isinstance(requested, MappingAttr):
        raise misfit(op, f"is {requested}, but {matched.anchor.name} is a product; write #pim.mapping<…>")
    elif isinstance(found := planned(product, banks, requested), str):
        raise misfit(op, f"{requested} {found}")
    if isinstance(found, str):
        return f"{matched.anchor.name}: {found}"
    note = requested or plan_of(found.mapping, banks)
    return Contraction(found.program, found.mapping, matched.form, matched.one, matched.given, found.likely, note=note)


def least_ns_of(
    op: GraphOp | FusedOp,
    pim: Pim,
    is_weight: Callable[[SSAValue], bool],
    rows: Callable[[Product, Pim], int],
    enough: float,
) -> float | None:
    """A lower bound on the time in ns of the program of the fastest plan for a product, without its launch; infinite if
    the device can't run the product, None for an op that is no product. Arguments are those of `plan_contraction`; a
    bound above `enough` is as good as any larger one."""
    matched = _matched(op, pim, is_weight)
    if not isinstance(matched, ProductMatch):
        return None if matched is None else inf
    return least_ns(matched.product, pim.banks_alone, rows(matched.product, pim), enough)


def _matched(op: GraphOp | FusedOp, pim: Pim, is_weight: Callable[[SSAValue], bool]) -> ProductMatch | str | None:
    """As `match_product`, which is the same for all timings of a device."""
    banks = pim.banks_alone
    written = written_for(banks) if banks.scopes_written(MacOp.COMMAND.verb) else banks
    known = once(match_product, op, dict[Pim, "ProductMatch | str | None"], lasts=True)
    if written not in known:
        if len(known) >= MOST_MATCHES:
            known.clear()
        known[written] = match_product(op, written, is_weight)
    return known[written]


def match_product(op: GraphOp | FusedOp, pim: Pim, is_weight: Callable[[SSAValue], bool]) -> ProductMatch | str | None:
    """The product that an op computes on a device; the reason if the device can't compute this product; None if the op
    is no product."""
    parts = _parts(op)
    forms = FORMS.get(type(parts[0]), ()) if parts is not None else ()
    if parts is None or not forms:
        return None
    anchor, function = parts

    def stays(form: ProductForm) -> bool:
        second = form.operands(anchor)[1]
        return second is None or is_weight(second)

    form = next((form for form in forms if stays(form)), None)
    product = (form or forms[0]).product(anchor)
    if isinstance(product, str):
        return f"{anchor.name}: {product}"
    if product.element != pim.element:
        rounds = "(the pass `reduce-precision` rounds)"
        return f"{anchor.name} of {product.element}: {pim.name} computes in {pim.element} {rounds}"
    if form is None and can_append(pim):
        caches = ((each, cache_of(each, anchor, pim)) for each in forms)
        form, cached = next(((each, cached) for each, cached in caches if cached), (None, None))
        product = cached or product
    given = form is None and next((each for each in forms if is_cache(each, anchor)), None)
    if given:
        form, product = given, given.product(anchor)
        assert isinstance(product, Product)
    if form is None:
        if not pim.scopes_written(WriteOp.COMMAND.verb):
            return f"{anchor.name}: {_missing_weight([form.operands(anchor)[1] for form in reversed(forms)])}"
        able = [(each, form) for form in forms if isinstance(each := form.product(anchor), Product)]
        product, form = min(able, key=lambda pair: pair[0].vectors)  # the operand that meets fewer vectors is written
        product = replace(product, written=True)
    matched = ProductMatch(anchor, form, replace(product, function=function), given=bool(given))
    return matched if not product.bias else _with_bias(matched, pim, is_weight)


def can_append(pim: Pim) -> bool:
    """True if a device can write to a single bank, and a row stores each weight only once."""
    return "bank" in pim.scopes_written(WriteOp.COMMAND.verb) and not pim.tied


def cache_of(form: ProductForm, op: GraphOp, pim: Pim) -> Product | None:
    """The product of an op whose second operand is a cache: entries that are on the device before the program starts,
    followed by new entries, either as outputs or as elements of the sum. None for any other op."""
    product, value = form.product(op), form.operands(op)[1]
    if not isinstance(product, Product) or value is None or not isinstance(op, MatmulOp):
        return None
    rank = len(shape_of(value))
    if (rows := cache_rows(value)) is not None:
        if rows.axis < rank - 2 or product.batch != prod(shape_of(value)[:-2]):
            return None
        return _grown(product, "outputs" if rows.axis - rank == form.outputs_axis(op) else "inner", rows.kept, pim)
    axes = list(range(rank))
    while isinstance(value.owner, TransposeOp):
        axes = [value.owner.permutation.get_values()[axis] for axis in axes]
        value = value.owner.x
    if not isinstance(value.owner, ConcatOp) or not _is_device_argument(value.owner.operands[0]):
        return None
    if product.batch != prod(shape_of(value)[axis] for axis in axes[:-2]):
        return None
    grown = axes.index(value.owner.axis.value.data % rank) - rank
    outputs = form.outputs_axis(op)
    kept = shape_of(value.owner.operands[0])[value.owner.axis.value.data]
    return _grown(product, "outputs" if grown == outputs else "inner", kept, pim) if grown >= -2 else None


def _grown(product: Product, grows: Literal["outputs", "inner"], kept: int, pim: Pim) -> Product | None:
    """A product by a cache of which `kept` outputs, or elements of the sum, are in the banks before it; None if none
    are. Of elements of the sum, only whole columns can be written."""
    kept -= 0 if grows == "outputs" else kept % pim.lanes
    return replace(product, grows=grows, kept=kept) if kept else None


def is_cache(form: ProductForm, op: GraphOp) -> bool:
    """True if the second operand of a batched product is a cache of keys or values, of which each matrix of the batch
    is multiplied: an argument of the function that is on the task's device and to which the task appends nothing, or a
    state whose new rows copies bring, on a device that can't write to single banks by commands."""
    product, value = form.product(op), form.operands(op)[1]
    if not isinstance(product, Product) or value is None or not isinstance(op, MatmulOp) or product.batch < 2:
        return False
    if product.batch * product.outputs * product.inner != prod(shape_of(value)):
        return False
    if cache_rows(value) is not None:  # copies bring its new rows
        return True
    while isinstance(value.owner, TransposeOp):
        value = value.owner.x
    return _is_device_argument(value)


def _is_device_argument(value: SSAValue) -> bool:
    """True if a value in a task is an argument of the function, which is on the task's device already."""
    if not isinstance(value, BlockArgument) or not isinstance(run := value.block.parent_op(), RunOp):
        return False
    source = run.inputs[value.index]
    return isinstance(source, BlockArgument) and isinstance(source.block.parent_op(), FuncOp)


def _with_bias(matched: ProductMatch, pim: Pim, is_weight: Callable[[SSAValue], bool]) -> ProductMatch | str:
    """The matched product with its bias. Sums start from the bias; if the device can't set accumulators, the bias
    becomes a weight for an additional input of 1. Returns the reason, as text, if the last column of each sum has no
    room for this weight, or if the bias is no weight."""
    product, bias = matched.product, matched.form.bias(matched.anchor)
    if pim.scopes_written(BiasOp.COMMAND.verb):
        return matched
    if product.written or bias is None or not is_weight(bias) or product.inner % pim.lanes == 0:
        return (
            f"{matched.anchor.name}: {pim.name} can't set sums (it lacks the verb bias), nor has a column room for a "
            "bias beside the weights; add the bias in an op of its own (graph.add)"
        )
    return replace(matched, product=replace(product, bias=False, inner=product.inner + 1), one=True)


def _missing_weight(values: Sequence[SSAValue | None]) -> str:
    known = [value for value in dict.fromkeys(values) if value is not None]
    names = [f"%{value.name_hint}" if value.name_hint else "an unnamed operand" for value in known]
    met = f"{names[0]} is no weight: bind it"
    if len(names) > 1:
        met = f"neither {' nor '.join(names)} is a weight: bind one"
    return f"{met} by graph.weight, so that it can be laid out ahead of time"
