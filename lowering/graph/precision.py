"""The pass `reduce-precision`: converts a floating-point program to the element type of the machine's PIM, like
PyTorch's `half()` or `bfloat16()`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, ModuleOp, NameLoc, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from dialects import graph as g
from dialects.diagnostics import note
from dialects.element_types import ElementType, dtype_of, element_count, is_float, is_small_float, tensor_type
from dialects.graph.constant import Array, NumbersAttr
from dialects.graph.patterns.matching import repeated, splat
from dialects.graph.properties import real
from dialects.graph.quantized import ScaledOp
from dialects.hw import DeviceOp
from dialects.locations import located, named
from interp.numerics.rounding import largest_of
from interp.walk.entry import ahead_of_time, is_contraction, states_of, with_loops
from lowering.graph.rewriting import apply_once, rewriter_at
from lowering.graph.state import rest_in_type
from lowering.words import check_options, one_of

if TYPE_CHECKING:
    from interp.machine.composition import Machine

TARGETS: dict[str, ElementType] = {"f16": Float16Type(), "bf16": BFloat16Type(), "f32": Float32Type()}
AUTO, KEEP = "auto", "keep"
WAYS = (AUTO, KEEP, *TARGETS)
ALL, WEIGHTS = "all", "weights"
SCOPES = (ALL, WEIGHTS)


@dataclass(frozen=True)
class ReducePrecisionPass(ModulePass):
    """Converts a program in f64, f32, bf16 or f16 to f16, bf16 or f32. Its arguments and results keep their types, with
    casts at the boundaries.

    `to`: the type; `auto`: the type that the machine's PIM computes in; `keep`: no conversion. Nothing changes without
    a PIM, or if all floating-point contractions have this type already. Integers are not converted, since that needs
    scales that depend on data. `scope`: `all` ops; or `weights`, only contractions that multiply by a weight, with
    casts of their other operand and of their result: all other values, such as the caches of a decoder, keep their
    type. A note reports the loss of accuracy: the largest relative rounding of a value, and the error of the program's
    longest product on seeded inputs.

    Weights are rounded to the new type. Values computed from weights alone keep their type and are rounded where they
    are used. Optimizers keep their types, as in mixed precision: squares of gradients and the changes of a moment per
    step are too small for short types (an Adam step in f16 divides by roots of zeros). A moment is recognised as an
    argument whose new value a function returns and also uses to compute another returned value, such as a parameter.
    Opaque ops keep their types, too, since their operators may have no other.
    The element-wise ops that compute both (from products, sums and arguments) are not converted. The same holds for
    values that a loop carries, for slices of a stack that an iteration reads and writes back, and for kernels made by
    `fuse`. Scales of quantized values keep their types: those of products are small numbers, which f16 rounds to few
    bits or to 0. Values that depend only on integer arguments and literals (positions, masks, angles) also keep their
    types, up to the ops that combine them with other data, and so do opaque ops, whose operators may have no other.
    Infinities are kept. Finite numbers beyond the range of the new type become its largest number, so that a mask's
    -3.4e38 does not become an infinity, and a softmax over it nan.

    ```mlir
    func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
      %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<4x4xf32>
      %y = graph.matmul %x, %w : tensor<1x4xf32>, tensor<4x4xf32>
      func.return %y : tensor<1x4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
      %x_1 = graph.cast %x : tensor<1x4xf32> -> tensor<1x4xf16>
      %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<4x4xf16>
      %y = graph.matmul %x_1, %w : tensor<1x4xf16>, tensor<4x4xf16>
      %y_1 = graph.cast %y : tensor<1x4xf16> -> tensor<1x4xf32>
      func.return %y_1 : tensor<1x4xf32>
    }
    ```
    """

    name = "reduce-precision"
    to: str = one_of(lambda: WAYS, default=AUTO)
    scope: str = one_of(lambda: SCOPES, default=ALL)

    def __post_init__(self) -> None:
        check_options(self)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        element, reason = self._target(op)
        if element is None:
            return
        for function in op.ops:
            if isinstance(function, FuncOp) and (wide := other_types(function, element)):
                accuracy = rounding(function, wide, element)
                if not convert(function, element, self.scope):
                    continue
                called = " and ".join(sorted(map(str, wide)))
                what = "its arguments and results keep their types" + (
                    ", except for states, which rest in that type" if states_of(function) else ""
                )
                computes = f"computes in {element}{reason}, and not in {called}"
                if self.scope == WEIGHTS:
                    computes = f"multiplies by weights in {element}{reason}, and not in {called}"
                    what = "all other values keep their types"
                note(
                    f"@{function.sym_name.data} {computes}; {what}; {accuracy}; --check measures the results, "
                    "--keep-types forbids this",
                    at=function,
                )

    def machine_facts(self, module: ModuleOp) -> tuple[ElementType | None, str]:
        """The type of the machine's PIM, and the PIM's name for the note; the pass reads nothing else of the
        machine."""
        return self._target(module)

    def _target(self, module: ModuleOp) -> tuple[ElementType | None, str]:
        """The type to convert to, and a phrase with the reason for the note; None if nothing is to be converted."""
        if self.to != AUTO:
            return TARGETS.get(self.to), ""
        if not any(isinstance(op, DeviceOp) for op in module.ops):
            return None, ""
        from interp.machine.composition import Machine  # reads data sheets: only where there are devices

        return pim_type(Machine.of(module))


def pim_type(machine: Machine) -> tuple[ElementType | None, str]:
    """The floating-point type of the first device whose contractions support only one type, and a phrase that names
    this device; None if there is no such device."""
    for name, device in machine.devices.items():
        if device.contracts_in in TARGETS:
            return TARGETS[device.contracts_in], f", as @{name} ({device.name}) does"
    return None, ""


def other_types(function: FuncOp, element: ElementType) -> frozenset[ElementType]:
    """The floating-point types other than `element` of the contractions in a function on graph level."""
    if len(function.body.blocks) != 1 or not all(
        isinstance(type_, TensorType) for type_ in function.function_type.inputs
    ):
        return frozenset()
    met = {g.tensor_of(op.operands[0]).element_type for op in function.walk() if is_contraction(op)}
    return frozenset(type_ for type_ in met if is_float(type_) and not is_small_float(type_) and type_ != element)


def convert(function: FuncOp, element: ElementType, scope: str = ALL) -> bool:
    """Convert a function on graph level to an element type, in the scope of the pass's option. True if anything was
    converted."""
    if not (wide := other_types(function, element)):
        return False
    if scope == WEIGHTS:
        return convert_weights(function, element, wide)
    Conversion(element, wide).function(function)
    rest_in_type(function)
    return True


def convert_weights(function: FuncOp, element: ElementType, wide: Collection[ElementType]) -> bool:
    """Convert only the contractions, outside of groups, that multiply by a weight in one of the types `wide`: y = x · w
    becomes y = cast(cast(x) · w'). True if there are any."""
    state, found = Conversion(element, wide), False
    for block in with_loops([function.body.block]):
        early = ahead_of_time(block)
        for op in list(block.ops):
            if isinstance(op, g.GraphOp) and is_contraction(op) and op not in early and state.is_by_weight(op, early):
                state.contraction(op)
                found = True
    _erase_unused(function)
    return found


def _erase_unused(function: FuncOp) -> None:
    """Erase ops without readers, such as weights and literals whose converted counterparts are read instead."""
    rewriter = rewriter_at(function)
    for block in with_loops([function.body.block]):
        for op in reversed(list(block.ops)):
            if isinstance(op, g.GraphOp) and all(result.first_use is None for result in op.results):
                rewriter.erase(op)


SAMPLED = 64
"""Number of sums, each as long as the program's longest, that are computed in both types to estimate the error."""


def rounding(function: FuncOp, wide: Collection[ElementType], element: ElementType) -> str:
    """A description of the error of computing a function in `element`: the unit roundoff of the type, and the largest
    error of `SAMPLED` sums, relative to the largest of these sums. Each sum has as many summands as the function's
    longest sum, with seeded operands in (-1, 1)."""
    finest = min(wide, key=_roundoff)
    if _roundoff(element) <= _roundoff(finest):
        if (most := largest_of(dtype_of(element))) < largest_of(dtype_of(finest)):
            return f"numbers larger than {most:g} become {most:g}, all others are exact"
        return "no number is rounded"
    longest = max(_sums(op) for op in function.walk() if is_contraction(op))
    draw = np.random.default_rng(0)
    operands = [draw.uniform(-1.0, 1.0, shape).astype(dtype_of(finest)) for shape in ((longest,), (longest, SAMPLED))]

    def product(type_: ElementType) -> Array:
        row, matrix = (operand.astype(dtype_of(type_)).astype(np.float64) for operand in operands)
        return (row @ matrix).astype(dtype_of(type_)).astype(np.float64)

    exact = product(finest)
    error = float(np.abs(product(element) - exact).max() / np.abs(exact).max())
    return (
        f"each value is rounded by up to {_percent(_roundoff(element))} (in {finest}, {_percent(_roundoff(finest))}), "
        f"and sums as long as its longest, of {longest} products, are off by up to {_percent(error)} of the largest"
    )


def _sums(op: g.GraphOp) -> int:
    """The number of products that a contraction adds up for one element of its result."""
    return max(1, op.work().macs // max(1, element_count(g.tensor_of(op.results[0]))))


def _percent(error: float) -> str:
    return f"{error * 100:.1g} %"


def _is_foreign(op: Operation) -> bool:
    return not isinstance(op, g.GraphOp | g.FusedOp | g.RepeatOp | FuncOp | ReturnOp | g.YieldOp)


def _users(value: SSAValue) -> list[Operation]:
    return [use.operation for use in value.uses]


def moment_updates(function: FuncOp) -> tuple[set[Operation], set[SSAValue]]:
    """The ops and groups by which a function, or an iteration of a loop, updates moments and the parameters that depend
    on them (see `ReducePrecisionPass`), and the loop arguments that hold moments or parameters."""
    kept = {op for block in with_loops([function.body.block]) for op in _moment_updates(block)}
    read = {operand for op in kept for operand in op.operands if isinstance(operand, BlockArgument)}
    yielded = {
        block.args[use.index + 1]
        for block in with_loops([function.body.block])[1:]
        for op in kept
        for result in op.results
        for use in result.uses
        if use.operation is block.last_op
    }
    return kept, {value for value in read | yielded if isinstance(value.block.parent_op(), g.RepeatOp)}


def scale_ops(function: FuncOp) -> set[Operation]:
    """The element-wise ops on single numbers that compute scales and zero points of quantized values."""
    found = set[Operation]()
    waiting = [value for op in function.walk() if isinstance(op, ScaledOp) for value in op.operands[1:]]
    while waiting:
        op = waiting.pop().owner
        if isinstance(op, g.ElementwiseOp | ScaledOp) and op not in found and _count(op.results[0]) == 1:
            found.add(op)
            waiting += op.operands
    return found


def _moment_updates(block: Block) -> set[Operation]:
    updates: list[tuple[SSAValue, set[Operation], set[SSAValue]]] = []
    stacks: dict[Operation, Operation] = {}
    for value in map(_inner, block.last_op.operands if block.last_op else ()):
        stack = value.owner
        if isinstance(stack, g.DynamicUpdateSliceOp):
            value = _inner(stack.update)
        ops, leaves = _computed_by_element([value])
        arguments = {leaf for leaf in leaves if _is_old(leaf, block) and _count(leaf) == _count(value)}
        while isinstance(value.owner, g.CastOp | g.ReshapeOp):  # moments may be stored in a shorter type, or as a slice
            value = _inner(value.owner.x)
        if ops and arguments:
            updates.append((value, ops, arguments))
            if isinstance(stack, g.DynamicUpdateSliceOp) and isinstance(value.owner, Operation):
                stacks[value.owner] = stack
    kept: set[Operation] = set()
    news = {value.owner: index for index, (value, _, _) in enumerate(updates)}
    for parameter, (_, ops, arguments) in enumerate(updates):
        for moment in {news[op] for op in ops if op in news} - {parameter}:
            _, own, before = updates[moment]
            if arguments - before:
                kept |= ops | own
    kept |= {stack for op, stack in stacks.items() if op in kept}
    operands = [_inner(operand) for op in kept for operand in op.operands]
    kept |= {value.owner for value in operands if isinstance(value.owner, g.DynamicSliceOp) and _is_old(value, block)}
    scalars = [operand for operand in operands if _count(operand) == 1]
    kept |= _computed_by_element(scalars, scalars=True)[0]
    groups = ((op, op.parent_op()) for op in kept)
    return {group if isinstance(group, g.FusedOp) else op for op, group in groups}


def _is_old(value: SSAValue, block: Block) -> bool:
    """True for an argument of a block, and for a slice of such an argument that an iteration reads."""
    return value.owner is block or (isinstance(value.owner, g.DynamicSliceOp) and value.owner.x.owner is block)


def _inner(value: SSAValue) -> SSAValue:
    """The value to which a group's argument or result corresponds: the operand of the group for an argument, the
    yielded value in the body for a result. Values of groups with a contraction are returned unchanged."""
    while True:
        owner = value.owner
        group = owner.parent_op() if isinstance(owner, Block) else owner
        if not isinstance(group, g.FusedOp) or any(map(is_contraction, group.ops)):
            return value
        if isinstance(value, BlockArgument):
            value = group.inputs[value.index]
        else:
            assert isinstance(value, OpResult)
            value = group.yielded[value.index]


def _count(value: SSAValue) -> int:
    return element_count(g.tensor_of(value))


def _computed_by_element(values: list[SSAValue], *, scalars: bool = False) -> tuple[set[Operation], set[SSAValue]]:
    """The element-wise ops that compute `values`, and the values from which these ops start. With `scalars`, the search
    continues through scalars, including sums (norms of gradients, used for clipping); without it, scalars are among
    the values from which the ops start."""
    ops, leaves, left = set[Operation](), set[SSAValue](), list(values)
    while left:
        op = (value := _inner(left.pop())).owner
        is_sum = scalars and isinstance(op, g.ReduceOp) and _count(value) == 1
        if isinstance(op, Block) or not (is_sum or isinstance(op, g.ElementwiseOp | g.BroadcastOp | g.ReshapeOp)):
            leaves.add(value)
        elif op not in ops:
            ops.add(op)
            for operand in op.operands:
                if scalars or _count(operand) > 1:
                    left.append(operand)
                else:
                    leaves.add(operand)
    return ops, leaves


class Origin(IntEnum):
    """The kinds of data from which a value is computed: literals, weights, positions (integer
    arguments, for instance those of tokens), or other run-time data."""

    LITERAL = 0
    """Only constants in the program's text, and integer weights."""
    WEIGHT = 1
    """Floating-point weights, and literals."""
    POSITION = 2
    """Integer arguments, and literals."""
    DATA = 3
    """Floating-point arguments, or both integer arguments and floating-point weights."""

    @staticmethod
    def joined(origins: set[Origin]) -> Origin:
        if {Origin.WEIGHT, Origin.POSITION} <= origins:
            return Origin.DATA
        return max(origins, default=Origin.LITERAL)


class Conversion:
    """The state of converting one function: the origins and counterparts of its values, which the patterns update in
    one walk."""

    def __init__(self, element: ElementType, wide: Collection[ElementType]) -> None:
        """`wide`: the floating-point types that are converted to `element`."""
        self.element = element
        self.wide = wide
        self.largest = largest_of(dtype_of(element))
        self.origin: dict[SSAValue, Origin] = {}
        self.counterparts: dict[SSAValue, SSAValue] = {}
        """The converted counterparts of values in a wide type that do not depend on data."""
        self.reached: dict[SSAValue, bool] = {}
        self.retyped: dict[SSAValue, ElementType] = {}
        """Values that were converted to the new type, with their former types."""
        self.wide_again: dict[SSAValue, SSAValue] = {}
        """The counterparts of retyped values in their former types."""
        self.kept: set[Operation] = set()
        """Ops that keep their types."""
        self.scales: set[Operation] = set()
        """The ops that compute scales of quantized values, which keep their types."""
        self.held: set[SSAValue] = set()
        """Arguments of loops that keep their types."""

    def function(self, function: FuncOp) -> None:
        """Convert the values of a function on graph level to the new type."""
        self.kept, self.held = moment_updates(function)
        self.kept |= {op for op in function.walk() if g.opaque_in(op) and not isinstance(op.parent_op(), g.FusedOp)}
        self.scales = scale_ops(function)
        apply_once(list(function.walk()), *(pattern(self) for pattern in _PATTERNS))
        _erase_unused(function)

    def is_by_weight(self, op: g.GraphOp, early: Collection[Operation]) -> bool:
        """True if a contraction multiplies a value by another one of the same wide type that is computed ahead of
        time."""
        x, w = op.operands[:2]
        known = [isinstance(value.owner, Operation) and value.owner in early for value in (x, w)]
        same = g.tensor_of(x).element_type == g.tensor_of(w).element_type
        return self.is_wide(x) and same and any(known) and not all(known)

    def contraction(self, op: g.GraphOp) -> None:
        """Convert one contraction, with casts of its operands and of its result."""
        rewriter = rewriter_at(op)
        for index, value in enumerate(op.operands):
            self.origin.setdefault(value, Origin.DATA)
            self.convert_operand(op, index, rewriter)
        for result in op.results:
            if self.is_wide(result):
                wide = g.tensor_of(result)
                new = rewriter.replace_value_with_new_type(result, self.converted_type(result))
                readers = list(new.uses)
                cast = self._after(new, g.CastOp(new, result_type=wide), rewriter)
                cast.results[0].name_hint = new.name_hint
                for use in readers:
                    use.operation.operands[use.index] = cast.results[0]
                    rewriter.notify_op_modified(use.operation)

    def origin_of(self, op: g.GraphOp | g.FusedOp) -> Origin:
        """The origin of the results of an op; also recorded in the attribute `origin`."""
        if isinstance(op, g.WeightOp) and is_float(g.tensor_of(op.y).element_type):
            origin = Origin.WEIGHT
        else:
            origin = Origin.joined({self.origin[value] for value in op.operands})
        self.origin |= dict.fromkeys(op.results, origin)
        return origin

    def convert_operand(self, op: Operation, index: int, rewriter: PatternRewriter) -> None:
        """Replace an operand in a wide type by its counterpart in the new type."""
        if self.is_wide(op.operands[index]):
            op.operands[index] = self.converted(op.operands[index], rewriter)
            rewriter.notify_op_modified(op)

    def retype(self, op: Operation, rewriter: PatternRewriter, results: Sequence[SSAValue] | None = None) -> None:
        """Convert results of an op that have a wide type to the new type: all of them, or those in `results`."""
        for result in op.results if results is None else results:
            if self.is_wide(result):
                before = g.tensor_of(result).element_type
                new = rewriter.replace_value_with_new_type(result, self.converted_type(result))
                self.origin[new] = Origin.DATA
                self.retyped[new] = before

    def retype_argument(self, argument: SSAValue, given: SSAValue, rewriter: PatternRewriter) -> SSAValue:
        """Give a block argument the type of the value that is passed for it."""
        before = g.tensor_of(argument).element_type
        new = rewriter.replace_value_with_new_type(argument, g.tensor_of(given))
        self.retyped[new] = before
        return new

    def keep(self, op: Operation, rewriter: PatternRewriter) -> None:
        """Keep the operand types of an op by casts: op(x) = op(cast(x)), where x has been converted."""
        for index in range(len(op.operands)):
            self.keep_operand(op, index, rewriter)

    def keep_operand(self, op: Operation, index: int, rewriter: PatternRewriter) -> None:
        """Replace an operand by its counterpart in its former type."""
        if (value := op.operands[index]) in self.retyped:
            op.operands[index] = self.widened(value, rewriter)
            rewriter.notify_op_modified(op)

    def widened(self, value: SSAValue, rewriter: PatternRewriter) -> SSAValue:
        """The counterpart of a retyped value in its former type, inserted right after the value. For the cast of an
        argument it is the argument itself, which is not rounded."""
        if value not in self.wide_again:
            before, made = tensor_type(g.tensor_of(value).get_shape(), self.retyped[value]), value.owner
            if isinstance(made, g.CastOp) and made.x.type == before:
                self.wide_again[value] = made.x
            else:
                cast = self._after(value, g.CastOp(value, result_type=before), rewriter)
                self.wide_again[value] = cast.results[0]
        return self.wide_again[value]

    def _after(self, value: SSAValue, new: g.GraphOp, rewriter: PatternRewriter) -> g.GraphOp:
        """Insert an op with origin DATA right after a value."""
        made = value.owner
        around = made.parent_op() if isinstance(made, Block) else made
        assert around is not None
        point = InsertPoint.at_start(made) if isinstance(made, Block) else InsertPoint.after(made)
        rewriter.insert(located(new, around), point)
        self.origin[new.results[0]] = Origin.DATA
        return new

    def is_wide(self, value: SSAValue) -> bool:
        """True if `value` has one of the wide element types, which are to be converted."""
        return g.tensor_of(value).element_type in self.wide

    def converted_type(self, value: SSAValue):
        return tensor_type(g.tensor_of(value).get_shape(), self.element)

    def converted(self, value: SSAValue, rewriter: PatternRewriter) -> SSAValue:
        """The counterpart in the new type of a wide value that is computed from weights and literals, or from integer
        arguments and literals (see `Origin`). It is inserted right after the value."""
        waiting = [value]
        while waiting:
            here, op = waiting[-1], waiting[-1].owner
            operands = op.operands if isinstance(op, _FILLING) and self._may_overflow(here) else ()
            wide = [operand for operand in operands if self.is_wide(operand) and operand not in self.counterparts]
            if here not in self.counterparts and wide:
                waiting += reversed(wide)
                continue
            waiting.pop()
            if here not in self.counterparts:
                new = self._after(here, self._counterpart(here, bool(operands)), rewriter)
                new.results[0].name_hint = here.name_hint
                self.counterparts[here] = new.results[0]
        return self.counterparts[value]

    def _counterpart(self, value: SSAValue, through: bool) -> g.GraphOp:
        """A new op that computes the counterpart of a value; `through`: from the counterparts of its op's operands."""
        op = value.owner
        if isinstance(op, g.ConstantOp):
            return g.ConstantOp(self._constant(op.value))
        if isinstance(op, g.WeightOp) and isinstance(op.source, g.UniformAttr):
            return g.WeightOp(op.sym.data, op.source, self.converted_type(value))
        if isinstance(op, _FILLING) and through:
            operands = [self.counterparts[operand] if self.is_wide(operand) else operand for operand in op.operands]
            return type(op).create(
                operands=operands, result_types=[self.converted_type(value)], properties=dict(op.properties)
            )
        return g.CastOp(value, result_type=self.converted_type(value))

    def _constant(self, value: NumbersAttr) -> NumbersAttr:
        if not value.is_splat:
            return NumbersAttr.of(self._saturated(value.array()))
        one = np.frombuffer(value.data.data, dtype_of(value.tensor.element_type))
        return repeated(self._saturated(one), tensor_type(value.tensor.get_shape(), self.element))

    def _saturated(self, array: Array) -> Array:
        """Numbers converted to the new type; finite numbers beyond its range become its largest number."""
        wide = array.astype(np.float64)
        inside = np.where(np.isfinite(wide), np.clip(wide, -self.largest, self.largest), wide)
        return inside.astype(np.float32).astype(dtype_of(self.element))

    def _may_overflow(self, value: SSAValue) -> bool:
        """True if a finite literal beyond the range of the new type may reach `value`, like the fill value of a
        mask."""
        waiting = [value]
        while waiting:
            here, op = waiting[-1], waiting[-1].owner
            through = op.operands if isinstance(op, _FILLING) and self.is_wide(here) else ()
            operands = [operand for operand in through if self.is_wide(operand)]
            if here not in self.reached and (missing := [each for each in operands if each not in self.reached]):
                waiting += missing
                continue
            waiting.pop()
            if isinstance(op, g.ConstantOp):
                number = splat(here)
                wide = op.value.array() if number is None else np.asarray(number)
                self.reached[here] = bool(np.any(np.isfinite(wide) & (np.abs(wide) > self.largest)))
            else:
                self.reached[here] = any(self.reached[operand] for operand in operands)
        return self.reached[value]


_FILLING = (g.SelectOp, g.MulOp, g.AddOp, g.SubOp, g.ReshapeOp, g.BroadcastOp, g.TransposeOp, g.SliceOp, g.ConcatOp)
"""Ops that build masks: they are converted to the new type if a literal beyond its range reaches them."""


def _roundoff(element: ElementType) -> float:
    """The unit roundoff of a floating-point type: the largest relative change of a number by rounding."""
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype_of(element)).eps) / 2  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


class _Convert(RewritePattern):
    """The base class of the patterns of this pass, with the state of the conversion."""

    def __init__(self, known: Conversion) -> None:
        self.known = known


class ConvertArguments(_Convert):
    """Inserts casts of a function's arguments to the new type: main(x) { f(x) } becomes main(x) { f(cast(x)) }."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter) -> None:
        known, first = self.known, InsertPoint.at_start(op.body.block)
        for argument in op.body.block.args:
            element = g.tensor_of(argument).element_type
            known.origin[argument] = Origin.DATA if is_float(element) else Origin.POSITION
            if element in known.wide:
                cast = located(g.CastOp(argument, result_type=known.converted_type(argument)), op)
                if argument.name_hint and isinstance(cast.location, NameLoc):
                    cast.location = named(argument.name_hint)  # rather than the model's
                rewriter.replace_uses_with_if(argument, cast.y, lambda use: not isinstance(use.operation, ReturnOp))
                cast.operands[0] = argument
                cast.y.name_hint = argument.name_hint
                rewriter.insert(cast, first)
                known.origin[cast.y] = Origin.DATA
                known.retyped[cast.y] = element


class ConvertOp(_Convert):
    """Converts an op to the new type, with casts of operands such as weights that are not converted yet: op(x, w)
    becomes op'(x, cast(w))."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: g.GraphOp, rewriter: PatternRewriter) -> None:
        known = self.known
        if not _is_visited(op, known) or known.origin_of(op) is not Origin.DATA:
            return
        if isinstance(op, g.BitcastOp | g.DequantizeOp) or op in known.kept or op in known.scales:
            known.keep(op, rewriter)
            return
        for index in range(len(op.operands)):
            if isinstance(op, g.QuantizeOp) and index:
                known.keep_operand(op, index, rewriter)
            else:
                known.convert_operand(op, index, rewriter)
        if isinstance(op, g.PadOp):
            op.value = real(float(np.clip(op.value.value.data, -known.largest, known.largest)))
        known.retype(op, rewriter)
        if isinstance(op, g.CastOp) and op.x.type == op.y.type and not any(map(_is_foreign, _users(op.y))):
            rewriter.replace_all_uses_with(op.y, op.x)
            rewriter.erase(op)


class ConvertGroup(_Convert):
    """Casts the operands of a group: fused(a = x) becomes fused(a = cast(x)). The ops of its body are converted later,
    and its results with its yield."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: g.FusedOp, rewriter: PatternRewriter) -> None:
        known = self.known
        if known.origin_of(op) is not Origin.DATA:
            return
        if op in known.kept:
            known.keep(op, rewriter)
            return
        for index, argument in enumerate(op.body.block.args):
            origin = known.origin[op.inputs[index]]
            if origin is not Origin.POSITION:
                known.convert_operand(op, index, rewriter)
            if op.inputs[index].type != argument.type:
                argument = known.retype_argument(argument, op.inputs[index], rewriter)
                origin = Origin.DATA
            known.origin[argument] = origin


class ConvertLoop(_Convert):
    """Casts the operands of a loop: repeat(a = x) becomes repeat(a = cast(x)). The ops of its body and its yield are
    converted later."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: g.RepeatOp, rewriter: PatternRewriter) -> None:
        known = self.known
        known.origin[op.counter] = Origin.POSITION
        for index in range(len(op.inputs)):
            argument = op.arguments[index]
            if argument in known.held:
                known.keep_operand(op, index, rewriter)
            else:
                known.convert_operand(op, index, rewriter)
            if op.inputs[index].type != argument.type:
                argument = known.retype_argument(argument, op.inputs[index], rewriter)
            known.origin[argument] = Origin.DATA if is_float(g.tensor_of(argument).element_type) else Origin.POSITION
        carried = zip(op.results, op.arguments, strict=False)
        known.retype(op, rewriter, [result for result, argument in carried if argument not in known.held])
        for result in op.results:
            is_data = is_float(g.tensor_of(result).element_type)
            known.origin[result] = Origin.DATA if is_data else Origin.POSITION


class ConvertYield(_Convert):
    """Casts the yielded values of a group, whose results get the new type: fused { yield(y) } becomes fused' {
    yield(cast(y)) }."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: g.YieldOp, rewriter: PatternRewriter) -> None:
        known, group = self.known, op.parent_op()
        if group is None or not _is_visited(op, known):
            return
        if isinstance(group, g.FusedOp) and any(
            known.is_wide(y) or result.type != y.type for result, y in zip(group.results, op.values, strict=True)
        ):
            known.retype(group, rewriter)
        for index in range(len(op.operands)):
            if isinstance(group, g.RepeatOp) and group.arguments[index] in known.held:
                known.keep_operand(op, index, rewriter)
            else:
                known.convert_operand(op, index, rewriter)


class ConvertResults(_Convert):
    """Casts a function's results to the types of its signature: return(y) becomes return(cast(y))."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReturnOp, rewriter: PatternRewriter) -> None:
        function = op.parent_op()
        assert isinstance(function, FuncOp)
        for index, (value, type_) in enumerate(zip(op.operands, function.function_type.outputs, strict=True)):
            if value.type != type_:
                owner = value.owner if isinstance(value.owner, Operation) else op
                cast = rewriter.insert(located(g.CastOp(value, result_type=type_), owner))
                cast.y.name_hint = value.name_hint
                op.operands[index] = cast.y
                rewriter.notify_op_modified(op)


class WidenForeign(_Convert):
    """call(x) = call(cast(x)): an op that is not a graph op keeps its operand and result types."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not _is_foreign(op):
            return
        self.known.keep(op, rewriter)
        self.known.origin |= dict.fromkeys(op.results, Origin.DATA)


_PATTERNS = (ConvertOp, ConvertArguments, ConvertGroup, ConvertLoop, ConvertYield, ConvertResults, WidenForeign)


def _is_visited(op: Operation, known: Conversion) -> bool:
    """True if an op is to be converted: it is directly in the function, or in a group that depends on data and is not
    to be kept unchanged."""
    group = op.parent_op()
    if not isinstance(group, g.FusedOp):
        return True
    return group not in known.kept and known.origin[group.results[0]] is Origin.DATA
