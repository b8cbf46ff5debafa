"""Views: tensors that share memory with another tensor, and what a change of one in place means for the others.

A program at graph level has values and no memory. A tensor that a call changes gets a new value; views of its memory
that were taken before are taken again when they are read, and a change of a view changes the tensor that it is a view
of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.element_types import element_type_named
from ndpir.frontends.torch.call import RESHAPED_IN_PLACE, AtenCall, Values, converts, element_of, replaced
from ndpir.frontends.torch.program import Graph, Node, Ref

Inverse = Callable[[AtenCall, SSAValue, SSAValue, int], SSAValue]
"""For a call that is a view: the new content of its argument (given the present one), if the view with a number among
the call's results gets a new content."""
INVERSES: Final[dict[str, Inverse]] = {}
"""Inverses by the name of the operator."""


def inverts(*names: str) -> Callable[[Inverse], Inverse]:
    """A decorator that registers the inverse of views."""

    def enter(inverse: Inverse) -> Inverse:
        INVERSES.update({f"aten.{name}": inverse for name in names})
        return inverse

    return enter


def viewed(node: Node, values: Values) -> str | None:
    """The name of the tensor whose memory the results of a call share; None for a call with results of their own."""
    name = replaced(node)
    if name is not None or node.op in RESHAPED_IN_PLACE:
        found = node.inputs[name or next(iter(node.inputs))]
        return found.name if isinstance(found, Ref) else None
    found = next(iter(node.inputs.values()), None) if node.op in INVERSES else None
    return found.name if isinstance(found, Ref) and not _copies(node, found.name, values) else None


def _copies(node: Node, name: str, values: Values) -> bool:
    """True if a call that gives a view where it can copies its argument `name`: to another type or order in memory."""
    if node.op not in _COPYING:
        return False
    before, after = values.meta(name), values.meta(node.names[0])
    if before is None or after is None:
        return False
    if node.inputs.get("copy") is True or before.element != after.element:
        return True
    try:
        shapes = [[values.number_of(each) for each in meta.shape] for meta in (before, after)]
        strides = [[values.number_of(each) for each in meta.strides] for meta in (before, after)]
    except VerifyException:
        return False  # the sizes depend on data; the program itself states that it can be a view
    return strides_of_view(shapes[0], strides[0], shapes[1]) != _steps(shapes[1], strides[1])


_COPYING: Final = frozenset(f"aten.{name}" for name in ("to", "contiguous", "reshape", "reshape_as", "flatten"))


def _steps(shape: Sequence[int], strides: Sequence[int]) -> list[int]:
    """The strides of the axes along which there is a next element."""
    return [step for n, step in zip(shape, strides, strict=True) if n > 1]


def strides_of_view(shape: Sequence[int], strides: Sequence[int], wanted: Sequence[int]) -> list[int] | None:
    """The strides of a view in another shape, of axes longer than 1; None if the order of the elements in memory
    allows no such view. Axes that lie one behind the other in memory are one run, which can be divided anew."""
    if 0 in shape:
        return _steps(wanted, [1] * len(wanted))
    runs: list[tuple[int, int]] = []  # the number of elements, and the stride of the last axis
    for n, step in zip(shape, strides, strict=True):
        if n == 1:
            continue
        if runs and runs[-1][1] == n * step:
            runs[-1] = runs[-1][0] * n, step
        else:
            runs.append((n, step))
    found: list[int] = []
    left, step = 1, 1
    for n in reversed([n for n in wanted if n > 1]):
        if left == 1:
            if not runs:
                return None
            left, step = runs.pop()
        if left % n:
            return None
        found.insert(0, step)
        left, step = left // n, step * n
    return found if left == 1 and not runs else None


def changed_roots(graph: Graph, values: Values) -> set[str]:
    """The names of all tensors whose memory the graph's calls change, each that which owns the memory."""
    parents: dict[str, str] = {}
    found: set[str] = set()

    def root(name: str) -> str:
        while name in parents:
            name = parents[name]
        return name

    if not any(map(changed, graph.nodes)):
        return found
    for node in graph.nodes:
        parent = viewed(node, values)
        if parent is not None:
            parents |= dict.fromkeys(node.names, parent)
        for name in changed(node):
            found.add(root(name))
    return found


def changed(node: Node) -> list[str]:
    """The names of the tensors that a call changes."""
    if (name := replaced(node)) is not None:
        names = [name]
    elif node.op in _BATCH_NORMS and node.inputs.get(_BATCH_NORMS[node.op]) is True:
        names = ["running_mean", "running_var"]
    else:
        return []
    found = [node.inputs.get(name) for name in names]
    return [each.name for each in found if isinstance(each, Ref)]


_BATCH_NORMS: Mapping[str, str] = {
    "aten.batch_norm": "training",
    "aten.native_batch_norm": "training",
    "aten._native_batch_norm_legit": "training",
    "aten.instance_norm": "use_input_stats",
    "aten.cudnn_batch_norm": "training",
}
"""Normalisations that change their running statistics, each with the argument that says so."""


# Views of all elements.


@inverts(
    "alias",
    "detach",
    "contiguous",
    "lift",
    "lift_fresh",
    "view",
    "reshape",
    "unsqueeze",
    "squeeze",
    "flatten",
    "unflatten",
    "view_as",
    "reshape_as",
    "_unsafe_view",
    "numpy_T",
    "_reshape_alias",
)
def _same_elements(call: AtenCall, x: SSAValue, new: SSAValue, index: int) -> SSAValue:
    return call.reshaped(new, g.shape_of(x))


@inverts("to")
def _same_type(call: AtenCall, x: SSAValue, new: SSAValue, index: int) -> SSAValue:
    return new


@inverts("permute", "transpose", "t", "movedim", "swapaxes", "swapdims", "moveaxis", "adjoint", "mT")
def _permuted(call: AtenCall, x: SSAValue, new: SSAValue, index: int) -> SSAValue:
    order = permutation_of(call, len(g.shape_of(x)))
    return call.transposed(new, np.argsort(order).tolist())


def permutation_of(call: AtenCall, rank: int) -> list[int]:
    """The permutation of axes that a call states."""
    op = call.node.op.removeprefix("aten.").removesuffix("_")
    if op == "permute":
        return [call.axis_of(axis, rank) for axis in call.ints("dims")]
    order = list(range(rank))
    if op in ("t", "numpy_T"):
        return order[::-1]
    if op in ("mT", "adjoint"):
        return [*order[:-2], rank - 1, rank - 2]
    if op in ("movedim", "moveaxis"):
        sources = [call.axis_of(axis, rank) for axis in call.ints("source")]
        targets = [call.axis_of(axis, rank) for axis in call.ints("destination")]
        rest = iter([axis for axis in order if axis not in sources])
        moved = dict(zip(targets, sources, strict=True))
        return [moved[at] if at in moved else next(rest) for at in order]
    names = {"swapaxes": ("axis0", "axis1")}.get(op, ("dim0", "dim1"))
    if not rank:
        return []
    a, b = (call.axis(name, rank) for name in names)
    order[a], order[b] = order[b], order[a]
    return order


# Views of some elements.


@inverts("slice")
def _sliced(call: AtenCall, x: SSAValue, new: SSAValue, index: int) -> SSAValue:
    axis = call.axis("dim", len(g.shape_of(x)), 0)
    start, end, step = slice_bounds(call, g.shape_of(x)[axis])
    return put(call, x, new, axis, range(start, end, step))


@inverts("narrow")
def _narrowed(call: AtenCall, x: SSAValue, new: SSAValue, index: int) -> SSAValue:
    axis = call.axis("dim", len(g.shape_of(x)))
    start, length = call.integer("start"), call.integer("length")
    start += g.shape_of(x)[axis] if start < 0 else 0
    return put(call, x, new, axis, range(start, start + length))


@inverts("select")
def _selected(call: AtenCall, x: SSAValue, new: SSAValue, index: int) -> SSAValue:
    shape = g.shape_of(x)
    axis = call.axis("dim", len(shape))
    at = call.integer("index") % max(shape[axis], 1)
    one = call.reshaped(new, [1 if each == axis else n for each, n in enumerate(shape)])
    return put(call, x, one, axis, range(at, at + 1))


@inverts("split", "split_with_sizes", "chunk", "tensor_split", "unsafe_split", "unsafe_chunk")
def _part(call: AtenCall, x: SSAValue, new: SSAValue, index: int) -> SSAValue:
    axis = call.axis("dim", len(g.shape_of(x)), 0)
    start = sum(call.result(each).get_shape()[axis] for each in range(index))
    return put(call, x, new, axis, range(start, start + g.shape_of(new)[axis]))


@inverts("unbind")
def _unbound(call: AtenCall, x: SSAValue, new: SSAValue, index: int) -> SSAValue:
    shape = g.shape_of(x)
    axis = call.axis("dim", len(shape), 0)
    one = call.reshaped(new, [1 if each == axis else n for each, n in enumerate(shape)])
    return put(call, x, one, axis, range(index, index + 1))


@inverts("diagonal")
def _diagonal(call: AtenCall, x: SSAValue, new: SSAValue, index: int) -> SSAValue:
    numbers = np.arange(prod(g.shape_of(x))).reshape(g.shape_of(x))
    dims = call.integer("dim1", 0), call.integer("dim2", 1)
    return put_at(call, x, np.diagonal(numbers, call.integer("offset", 0), *dims), new)


@inverts("as_strided")
def _strided(call: AtenCall, x: SSAValue, new: SSAValue, index: int) -> SSAValue:
    return put_at(call, x, strided_places(call), new)


def strided_places(call: AtenCall) -> NDArray[np.int64]:
    """For each element of a view by strides, the number of the element of its operand, counted row by row, that lies
    there in memory."""
    size, shape = call.ints("size"), g.shape_of(call["self"])
    if prod(size) > MOST_PLACES:
        call.fail("a view by strides of so many elements is not supported; write it with views and slices")
    places = np.full((), call.integer("storage_offset", 0), np.int64)
    for n, step in zip(size, call.ints("stride"), strict=True):
        places = np.add.outer(places, np.arange(n) * step)
    found = call.get("self")
    meta = call.values.meta(found.name) if isinstance(found, Ref) else None
    strides = None if meta is None else [call.values.number_of(each) for each in meta.strides]
    order = list(range(len(shape))) if strides is None else dense_order(shape, strides)
    if order is None or places.max(initial=0) >= prod(shape):
        call.fail("a view by strides of a tensor with gaps in memory is not supported; write it with views and slices")
    in_memory = np.arange(prod(shape)).reshape(shape).transpose(order).ravel()
    return in_memory[places]


def dense_order(shape: Sequence[int], strides: Sequence[int]) -> list[int] | None:
    """The order of axes in memory, the outermost first, of a tensor whose elements lie side by side; None if they do
    not."""
    order = sorted(range(len(shape)), key=lambda axis: (-strides[axis] if shape[axis] > 1 else -(1 << 62), axis))
    wide = [axis for axis in order if shape[axis] > 1]
    step = 1
    for axis in reversed(wide):
        if strides[axis] != step:
            return None if prod(shape) else list(range(len(shape)))
        step *= shape[axis]
    if wide == sorted(wide):
        return list(range(len(shape)))
    return order


def put_at(call: AtenCall, x: SSAValue, places: NDArray[Any], new: SSAValue, kind: str = "set") -> SSAValue:
    """`x` with the elements at known places, by their numbers in row-major order, replaced or added to."""
    if places.size > MOST_PLACES:
        call.fail("so many elements at places that are no slice are not supported; write it with slices")
    count = prod(g.shape_of(x))
    flat, values = call.reshaped(x, (count,)), call.reshaped(new, (places.size,))
    indices = call.constant(places.reshape(-1, 1).astype(np.int64))
    return call.reshaped(call.build(g.ScatterNdOp, flat, indices, values, kind=kind), g.shape_of(x))


MOST_PLACES = 1 << 17
"""The largest number of elements whose places stand in the program."""


@inverts("expand", "expand_as", "broadcast_to", "unfold", "view_as_real", "view_as_complex")
def _unsupported(call: AtenCall, x: SSAValue, new: SSAValue, index: int) -> SSAValue:
    call.fail(
        f"a view of {call.node.op} is changed in place, which is not supported; change the tensor itself, or a slice"
    )


def slice_bounds(call: AtenCall, extent: int) -> tuple[int, int, int]:
    """Start, end and step of a slice, with the start and the end within the axis."""
    start, end = call.plain(call.get("start")), call.plain(call.get("end"))
    step = call.integer("step", 1)
    start = 0 if start is None else start
    end = extent if end is None else end
    start = min(max(start + extent if start < 0 else start, 0), extent)
    end = min(max(end + extent if end < 0 else end, start), extent)
    return start, end, step


def put(call: AtenCall, x: SSAValue, new: SSAValue, axis: int, places: range) -> SSAValue:
    """`x` with the elements at some places along an axis replaced."""
    shape = g.shape_of(x)
    if len(places) == shape[axis] and places.step == 1:
        return new
    if not places:
        return x
    if places.step == 1:
        i64 = element_type_named("i64")
        zero, at = call.number(0, i64), call.number(places.start, i64)
        return call.build(g.DynamicUpdateSliceOp, x, new, *(at if each == axis else zero for each in range(len(shape))))
    order = [axis, *(each for each in range(len(shape)) if each != axis)]
    indices = call.constant(np.array(places, np.int64).reshape(-1, 1))
    wide, rows = call.transposed(x, order), call.transposed(new, order)
    made = call.build(g.ScatterNdOp, wide, indices, rows, kind="set")
    return call.transposed(made, np.argsort(order).tolist())


@converts("copy", "copy_")
def copied(call: AtenCall) -> SSAValue:
    """The source, in the type and shape of the tensor that it is copied to."""
    x = g.tensor_of(call["self"])
    source = call.cast(call["src"], element_of(call["self"]))
    return call.broadcast_to(source, x.get_shape())
