"""Views: ops whose results are bytes that exist already. These are reshapes, transposes of values whose layout is
transposed, and slices and concats of values that are contiguous. A concat that appends to a state in place is a view if
the ops that compute the new rows can write them there, and so is a slice of rows of a state.

Slices whose start depends on a loop counter (`graph.dynamic_slice`, `graph.dynamic_update_slice`) are views, too: the
host that launches the kernels of each iteration counts the iterations, and so can compute the address. A stacked result
is written in place, iteration by iteration, if an op of the iteration produces the update for that part of the stack
alone.

The attribute `order` on a slice, concat or transpose states the layout (the pass `layout` adds it): the axes of its
operands and its result from the outermost to the innermost one in memory.

    %h = graph.slice %x starts = [0, 0, 7, 0], ends = [1, 8, 16, 16] {order = array<i64: 0, 2, 3, 1>} : …

A transpose with an order over its operand's axes is a view of the operand: from channels last to a matrix of pixels,
for example. Rows 7 to 16 of one image in the layout with channels last are contiguous. A concat is a view if its parts
can be neighbours in memory: an op computes each part, and no other concat needs the part next to another neighbour.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.hints import isa

from dialects.binding import YieldingOp
from dialects.diagnostics import InputError
from dialects.graph.broadcasting import ElementwiseOp
from dialects.graph.constant import ConstantOp
from dialects.graph.fused import FusedOp, is_prepared
from dialects.graph.indexing import DynamicSliceOp, DynamicUpdateSliceOp, OverwritingOp
from dialects.graph.op import GraphOp, as_tensor, shape_of
from dialects.graph.shape import ConcatOp, SliceOp, TransposeOp, appends
from dialects.repeating import RepeatingOp
from dialects.task import BY_TRANSFERS, CopyOp, OnType, ResidencyOp, ResidentOp, RunOp, State, YieldOp
from dialects.values import called
from interp.walk.level import is_launch
from interp.walk.unchanged import cached, once, once_per_op

ORDER = "order"

Order: TypeAlias = tuple[int, ...]


def is_view(op: Operation, early: Container[Operation] | None = None) -> bool:
    """True if an op only renames existing bytes: it takes no time on any device. `early`: as for `is_part`."""
    return is_reshape(op) or is_part(op, early)


@once_per_op
def is_reshape(op: Operation) -> bool:
    """True if an op is a view of all bytes of its only operand, under another shape; also for a group of reshapes that
    has one operand and one result."""
    if isinstance(op, FusedOp):
        return len(op.inputs) == len(op.outputs) == 1 and all(is_reshape(inner) for inner in op.ops)
    if isinstance(op, TransposeOp):
        return _shows_all(op)
    return isinstance(op, GraphOp) and len(op.operands) == 1 and op.work().moves_only


def _shows_all(op: TransposeOp) -> bool:
    """True if a transpose is a view: with the order of axes that its `order` states, either its result or its operand
    is row-major."""
    order = order_of(op)
    if order is None:
        return False
    turned = tuple(op.permutation.get_values())
    return order in (turned, tuple(range(len(turned))))


def is_part(op: Operation, early: Container[Operation] | None = None) -> bool:
    """True if an op is a view of a part of its operand, or of operands that are adjacent in memory. `early`: the ops of
    the block that are prepared ahead of time; None: they are found by a walk over the block for each concat."""
    if not _may_be_part(type(op)):
        return False
    if isinstance(op, DynamicUpdateSliceOp) and _writes_rows(op):
        return once(extended, op, lambda: _is_placed_once(op.update, early))
    if isinstance(op, DynamicSliceOp | DynamicUpdateSliceOp):
        return is_counted_slice(op) and (isinstance(op, DynamicSliceOp) or _is_made_there(op, early))
    if appends(op):
        return once(extended, op, lambda: all(_is_placed_once(part, early) for part in op.parts[1:]))
    if isinstance(op, SliceOp) and op.in_place.value.data:
        return True
    return _is_contiguous(op) and (not isinstance(op, ConcatOp) or _side_by_side(op, early))


@cache
def _may_be_part(kind: type[Operation]) -> bool:
    """True for a class of ops that may be views of a part: asked for each op of a program, and most ops are of no such
    class."""
    return issubclass(kind, SliceOp | ConcatOp | DynamicSliceOp | DynamicUpdateSliceOp)


def in_place(op: Operation) -> dict[int, int]:
    """The results of an op or task that are computed in the memory of an operand: the number of the operand, by the
    number of the result."""
    if isinstance(op, OverwritingOp):
        if op.in_place.value.data and not is_last_reader(op, op.before):
            raise InputError(
                f"{op.name}: {called(op.before)} is also read by other ops, so it can't be updated in place; remove "
                "`in_place` (the pass layout adds it where it is valid)",
                op,
            )
        return {0: 0} if op.in_place.value.data else {}
    if not isinstance(op, RunOp):
        return {}
    found: dict[int, int] = {}
    for number, value in enumerate(op.yielded):
        if isinstance(value.owner, OverwritingOp) and in_place(value.owner):
            source = value.owner.before
            while isinstance(source.owner, Operation) and is_reshape(source.owner):
                source = source.owner.operands[0]
            if isinstance(source, BlockArgument):
                found[number] = source.index
    return found


def extended(op: Operation) -> dict[int, int]:
    """The results of an op or task that are an operand with rows appended in its memory: the number of the operand, by
    the number of the result."""
    if appends(op):
        return {0: 0}
    if not isinstance(op, RunOp):
        return {}
    found: dict[int, int] = {}
    for number, value in enumerate(op.yielded):
        source = value
        while isinstance(owner := source.owner, GraphOp) and (appends(owner) or is_reshape(owner)):
            source = owner.operands[0]
        if isinstance(source, BlockArgument) and source.type != value.type:
            found[number] = source.index
    return found


def is_last_reader(op: Operation, value: SSAValue) -> bool:
    """True if `op` reads a value once, and all other readers, none of them a view, are ancestors of `op` and so run
    before it in any order.
    """
    if value.has_one_use():
        return True
    users = [
        use.operation for use in value.uses if not isinstance(use.operation, ResidencyOp)
    ]  # residency ops read no data
    others = {user for user in users if user is not op}
    if len(users) - len(others) > 1 or any(user.parent is not op.parent or is_view(user) for user in others):
        return False
    met, waiting = {op}, [op]
    while waiting and others:
        for operand in waiting.pop().operands:
            owner = operand.owner
            if isinstance(owner, Operation) and owner not in met:
                met.add(owner)
                others.discard(owner)
                waiting.append(owner)
    return not others


def is_view_task(run: RunOp) -> bool:
    """True if a task consists of views alone, or is said to be done by transfers: it then costs its device no work."""
    return BY_TRANSFERS in run.attributes or all(
        is_view(op) for op in run.body.block.ops if not isinstance(op, YieldOp)
    )


def makers(value: SSAValue) -> dict[RunOp | CopyOp, None]:
    """The tasks and copies that produce the bytes of a placed value."""
    found: dict[RunOp | CopyOp, None] = {}
    waiting, met = [value], {value}
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, RunOp) and is_view_task(owner):
            shown = [each for each in dict.fromkeys(owner.inputs) if each not in met]
            met.update(shown)
            waiting += reversed(shown)
        elif isinstance(owner, RunOp | CopyOp):
            found[owner] = None
    return found


def order_of(op: SliceOp | ConcatOp | TransposeOp) -> Order | None:
    """The layout of operands and result; None if none is stated. Raises InputError if it is no permutation of the
    axes."""
    noted = op.attributes.get(ORDER)
    if noted is None:
        return None
    rank = len(shape_of(op.results[0]))
    order = _decoded(noted)
    if order is not None and len(order) == rank:
        return order
    raise InputError(
        f"{op.name}: the attribute {ORDER} is {noted}, but must list the {rank} axes, the outermost first ({ORDER} = "
        f"array<i64: {', '.join(map(str, range(rank)))}>); the pass layout adds it",
        op,
    )


@lru_cache(maxsize=256)
def _decoded(noted: Attribute) -> Order | None:
    """The permutation of axes that an attribute states; None if it states no permutation."""
    if isa(noted, DenseArrayBase[IntegerType]):
        order = tuple(noted.get_values())
        if sorted(order) == list(range(len(order))):
            return order
    return None


def is_contiguous(op: SliceOp | ConcatOp, order: Order) -> bool:
    """True if the result of a slice, or each part of a concat, is contiguous in this layout: all axes further out than
    the innermost sliced axis have extent 1.
    """
    if isinstance(op, ConcatOp):
        inner = order.index(axis_of(op))
    else:
        ranges, full_shape = op.ranges(), shape_of(op.x)
        if any(indices.step != 1 and len(indices) > 1 for indices in ranges):
            return False
        inner = max((at for at, axis in enumerate(order) if len(ranges[axis]) != full_shape[axis]), default=0)
    shape = shape_of(op.results[0])
    return all(shape[axis] == 1 for axis in order[:inner])


def axis_of(op: ConcatOp) -> int:
    """The axis along which a concat joins, counted from the front."""
    return op.axis.value.data % len(shape_of(op.y))


def cuts_only(op: SliceOp, axis: int) -> bool:
    """True if a slice keeps the full extent of all axes except `axis`."""
    return all(len(kept) == n for a, (kept, n) in enumerate(zip(op.ranges(), shape_of(op.x), strict=True)) if a != axis)


@once_per_op
def _is_contiguous(op: Operation) -> bool:
    if isinstance(op, DynamicSliceOp):
        return is_counted_slice(op)
    if not isinstance(op, SliceOp | ConcatOp) or appends(op):
        return False
    order = order_of(op)
    return order is not None and is_contiguous(op, order)


# Rows of states.


def _writes_rows(op: DynamicUpdateSliceOp) -> bool:
    """True if an op replaces a part of a state, an argument of the program, at an offset that the host knows when it
    launches kernels: computed from constants and scalar arguments alone."""
    if not op.in_place.value.data:
        return False
    before = _shown(op.x)
    while isinstance(owner := before.owner, OverwritingOp | RunOp) and isinstance(before, OpResult):
        inner = owner.yielded[before.index] if isinstance(owner, RunOp) else owner.before
        if isinstance(owner, RunOp) and not is_view_task(owner):
            return False
        before = _shown(inner)
    return isinstance(before, BlockArgument) and _is_state(before) and _from_host(op.starts)


def _is_state(argument: BlockArgument) -> bool:
    """True for an argument of the program that states that a step changes it."""
    function = argument.block.parent_op()
    notes = function.arg_attrs if isinstance(function, FuncOp) else None
    state = State.of(notes.data[argument.index].data) if notes is not None else None
    return state is not None and state.change not in ("read", "free")


def _from_host(values: Iterable[SSAValue]) -> bool:
    """True if scalars are arguments of the program, or computed from these and constants alone."""
    roots = _scalar_roots(values)
    return all(isinstance(root, BlockArgument) and isinstance(root.block.parent_op(), FuncOp) for root in roots)


def _is_placed_once(part: SSAValue, early: Container[Operation] | None) -> bool:
    """True if the op that computes new rows can write them to a state: it writes them while the program runs, and they
    have no second place, in another state, a concat, or a result of the function."""
    root = _shown(part)
    if (copy := _copy_of(part)) is not None:
        return _places(copy.copied, copied=True) == 1
    return isinstance(root, OpResult) and _is_made(root, early) and _places(root, copied=True) == 1


def _copy_of(value: SSAValue) -> CopyOp | None:
    """The copy from another device that brings a value, and can write it to any address; None if there is none."""
    while True:
        owner = value.owner
        if isinstance(owner, CopyOp):
            return owner
        if isinstance(value, BlockArgument) and isinstance(run := value.block.parent_op(), RunOp):
            value = run.inputs[value.index]
        elif isinstance(owner, GraphOp | FusedOp) and is_reshape(owner):
            value = owner.operands[0]
        elif isinstance(owner, RunOp) and isinstance(value, OpResult) and is_view_task(owner):
            value = owner.yielded[value.index]
        else:
            return None


def check_appends(block: Block) -> None:
    """Raise InputError for a concat of a block that is said to append in place, though its first operand is no state,
    or though another concat appends to the same rows of the state."""
    met: dict[SSAValue, Operation] = {}
    for op in block.ops:
        for each in op.body.block.ops if isinstance(op, RunOp) else (op,):
            if not appends(each):
                continue
            root = _shown(each.parts[0])
            while isinstance(root.owner, SliceOp) and root.owner.in_place.value.data:
                root = _shown(root.owner.x)
            if isinstance(root, BlockArgument) and isinstance(root.block.parent_op(), FuncOp) and not _is_state(root):
                raise InputError(
                    f"graph.concat: {called(each.parts[0])} is no state, so nothing can be appended to it in place; "
                    'state how it changes (task.state = "appended, result N"), or remove `in_place`',
                    each,
                )
            if met.setdefault(root, each) is not each:
                raise InputError(
                    f"graph.concat: another op appends to {called(each.parts[0])}, too; append to the result of the "
                    "first one, or remove `in_place`",
                    each,
                )


def rows_given(op: Operation) -> list[SSAValue]:
    """The arguments of the program that an op appends to a state, or puts in the place of rows of it."""
    parts = op.parts[1:] if isinstance(op, ConcatOp) else op.operands[1:2]
    return [root for part in parts if isinstance(root := _shown(part), BlockArgument)]


def changes_rows(op: Operation) -> bool:
    """True for an op that appends or replaces rows of a state, at a place that the host knows. A device that has no
    kernel for it does it by the transfers that bring the rows, or take them from where they are made."""
    return appends(op) or (isinstance(op, DynamicUpdateSliceOp) and _writes_rows(op))


# Slices of stacks, at offsets that depend on a loop counter.


@once_per_op
def is_counted_slice(op: DynamicSliceOp | DynamicUpdateSliceOp) -> bool:
    """True if an op accesses a contiguous part of a tensor, at an offset that depends on a loop counter."""
    full_shape, shape = shape_of(op.x), shape_of(op.y if isinstance(op, DynamicSliceOp) else op.update)
    inner = max((axis for axis, extent in enumerate(shape) if extent != full_shape[axis]), default=0)
    return all(extent == 1 for extent in shape[:inner]) and _are_counted(op.starts)


def _are_counted(values: Iterable[SSAValue]) -> bool:
    """True if scalars are computed from loop counters and constants alone, and from at least one loop counter."""
    roots = _scalar_roots(values)
    return bool(roots) and all(isinstance(root, BlockArgument) and _is_counter(root) for root in roots)


def _is_counter(value: BlockArgument) -> bool:
    loop = value.block.parent_op()
    return (isinstance(loop, RepeatingOp) and value is loop.counter) or _has_role(value, COUNTED)


def _scalar_roots(values: Iterable[SSAValue]) -> list[SSAValue]:
    """The values from which scalars are computed by element-wise ops, copies and reshapes: arguments of functions,
    counters and carried values of loops, and results of other ops. Constants are left out."""
    waiting, met, roots = list[SSAValue](values), set[SSAValue](), list[SSAValue]()
    for value in waiting:
        if value in met:
            continue
        met.add(value)
        owner = value.owner
        inside = value.block.parent_op() if isinstance(value, BlockArgument) else None
        if isinstance(value, BlockArgument) and isinstance(inside, RunOp):
            waiting.append(inside.inputs[value.index])
        elif isinstance(value, BlockArgument) and isinstance(inside, RepeatingOp) and value.index > len(inside.outputs):
            waiting.append(inside.inputs[value.index - 1])
        elif isinstance(owner, RunOp) and isinstance(value, OpResult) and value.index < len(owner.yielded):
            waiting.append(owner.yielded[value.index])
        elif isinstance(owner, CopyOp | ResidentOp | GraphOp | FusedOp) and _is_plain(owner):
            waiting += owner.operands
        else:
            roots.append(value)
    return roots


COUNTED, CARRIED = "task.counted", "task.carried"
"""Attributes of a function that stands for a part of a loop's body (lowering/instance/straight.py): the numbers of its
arguments that are computed from loop counters, and of those that a loop carries."""


def is_counted(value: SSAValue) -> bool:
    """True if a scalar is computed from loop counters and constants alone, and from at least one loop counter."""
    return _are_counted([value])


def is_carried(value: SSAValue) -> bool:
    """True for an argument of a loop's body, whose value an iteration passes on to the next one."""
    if not isinstance(value, BlockArgument):
        return False
    return isinstance(value.block.parent_op(), RepeatingOp) or _has_role(value, CARRIED)


def _has_role(value: BlockArgument, role: str) -> bool:
    inside = value.block.parent_op()
    noted = inside.attributes.get(role) if isinstance(inside, FuncOp) else None
    return isa(noted, DenseArrayBase[IntegerType]) and value.index in noted.get_values()


def _is_plain(op: Operation) -> bool:
    return isinstance(op, CopyOp | ResidentOp | ElementwiseOp | FusedOp | ConstantOp) or is_reshape(op)


def _is_made_there(op: DynamicUpdateSliceOp, early: Container[Operation] | None) -> bool:
    """True if the op that computes an update of a stack can write it to its slice of the stack: the loop carries the
    stack, an op of the iteration computes the update, and the update is inserted nowhere else."""
    stack = _shown(op.x)
    if not in_place(op) or not isinstance(stack, BlockArgument) or not is_carried(stack):
        return False
    root = _shown(op.update)
    return isinstance(root, OpResult) and _is_made(root, early) and _places(root, copied=False) == 1


def _places(root: SSAValue, copied: bool) -> int | None:
    """The number of places in stacks and states that the bytes of a root are inserted to; None if they have a further
    place: in a concat, as a result of the function, or, unless `copied`, on another device."""
    places, waiting = 0, [root]
    for value in waiting:
        for use in value.uses:
            user = use.operation
            if (isinstance(user, DynamicUpdateSliceOp) and use.index == 1) or (appends(user) and use.index):
                places += 1
            elif isinstance(user, RunOp) and use.index < len(user.inputs):
                waiting.append(user.body.block.args[use.index])
            elif isinstance(user, GraphOp | FusedOp) and is_reshape(user):
                waiting += user.results
            elif isinstance(user, CopyOp) and copied:
                waiting.append(user.copied)
            elif isinstance(user, ReturnOp) and _holds_rows(user, use.index):
                continue
            elif isinstance(user, ConcatOp | CopyOp) or (
                isinstance(user, YieldingOp | ReturnOp) and not isinstance(user.parent_op(), RunOp)
            ):
                return None
            elif isinstance(user, YieldingOp) and isinstance(run := user.parent_op(), RunOp):
                waiting.append(run.outputs[use.index])
    return places


def _holds_rows(last: ReturnOp, number: int) -> bool:
    """True if a function returns, as this result, the new rows of a state, which lie in the state's memory."""
    return number in once(_holds_rows, last, lambda: _rows_returned(last))


def _rows_returned(last: ReturnOp) -> frozenset[int]:
    function = last.parent_op()
    notes = function.arg_attrs if isinstance(function, FuncOp) else None
    states = (State.of(each.data) for each in (notes or ()))
    return frozenset(state.rows for state in states if state is not None and state.rows is not None)


def _shown(value: SSAValue) -> SSAValue:
    """The value whose bytes a value shares, traced through reshapes, copies and task boundaries."""
    while True:
        value = _origin(value)
        owner = value.owner
        if not isinstance(owner, GraphOp | FusedOp) or not is_reshape(owner):
            return value
        value = owner.operands[0]


# Placement of the parts of concats. A root is a value that an op writes; roots that are joined by a concat view are
# neighbours in memory, and each root has at most one neighbour on each side.


class _RootRange(NamedTuple):
    """Indices `start` to `stop` of a root along the axis of a concat. A root is a value that is no view: it has memory
    of its own, of which other values are views."""

    root: SSAValue
    start: int
    stop: int


class Neighbours:
    """The roots that must be neighbours in memory so that the concats added so far are views."""

    def __init__(self) -> None:
        self.after: dict[SSAValue, SSAValue] = {}
        self.before: dict[SSAValue, SSAValue] = {}
        self.joined_along: dict[SSAValue, tuple[int, Order | None]] = {}
        """The axis and the layout of the concats of each root."""
        self.runs: dict[SSAValue, SSAValue] = {}
        """For each root but one of a run of neighbours, another root of the run, nearer to that one."""

    def add(self, op: ConcatOp, early: Container[Operation] | None) -> bool:
        """Add a concat, whose `order` states its layout, if it can be a view together with all others. Returns False,
        without changes, if it can't."""
        parts = _made_parts(op, early)
        if parts is None:
            return False
        pairs = list(pairwise(part.root for part in parts))
        along = axis_of(op), order_of(op)
        if any(self.joined_along.get(part.root, along) != along for part in parts):
            return False
        fresh = [(left, right) for left, right in pairs if self.after.get(left) is not right]
        if any(left in self.after or right in self.before for left, right in fresh):
            return False
        links: dict[SSAValue, SSAValue] = {}
        for left, right in fresh:
            one, other = self._run(left, links), self._run(right, links)
            if one is other:
                return False  # the roots would follow each other in a circle
            links[one] = other
        self.runs |= links
        self.after |= fresh
        self.before |= ((right, left) for left, right in fresh)
        if pairs:
            self.joined_along |= dict.fromkeys((part.root for part in parts), along)
        return True

    def _run(self, root: SSAValue, links: Mapping[SSAValue, SSAValue]) -> SSAValue:
        """The root that stands for a root's run of neighbours, with further `links` between runs."""
        passed: list[SSAValue] = []
        while root in self.runs:
            passed.append(root)
            root = self.runs[root]
        self.runs |= dict.fromkeys(passed, root)
        while root in links:
            root = links[root]
        return root


def _made_parts(op: ConcatOp, early: Container[Operation] | None) -> list[_RootRange] | None:
    """The roots of a concat's parts, if ops of the program can write them side by side; otherwise None: the concat is
    then a copy, not a view."""
    parts = _joined(op)
    return parts if parts is not None and all(_is_made(part.root, early) for part in parts) else None


def _side_by_side(op: ConcatOp, early: Container[Operation] | None) -> bool:
    """True if the parts of a concat can be neighbours in memory, together with those of all concats that share roots
    with it.
    """
    if (known := cached(_side_by_side, op)) is not None:
        return known
    if _made_parts(op, early) is None:
        return False
    along, neighbours, alike = (axis_of(op), order_of(op)), Neighbours(), list[ConcatOp]()
    met: set[Operation] = {op}
    seen: set[SSAValue] = set()
    waiting = [op]
    for other in waiting:
        parts = _made_parts(other, early)
        if parts is None:
            continue
        if len(parts) > 1 and ((axis_of(other), order_of(other)) != along or not neighbours.add(other, early)):
            return False
        if (axis_of(other), order_of(other)) == along:
            alike.append(other)
        for part in parts:
            found = [each for each in _concats_of(part.root, seen) if each not in met]
            met.update(found)
            waiting += found
    for each in alike:
        once(_side_by_side, each, lambda: True)
    return True


@once_per_op
def _joined(op: ConcatOp) -> list[_RootRange] | None:
    """The roots of a concat's parts, with their ranges of indices, from the first index of its axis on. None if they
    can't be contiguous: a range other than the last one ends before its root does, a range other than the first one
    begins after its root does, or a root occurs twice."""
    order = order_of(op)
    assert order is not None
    parts = once(_parts, op, lambda: _parts(op.y, axis_of(op), order))
    if parts is None:
        return None
    full_shape = all(part.stop == _extent(part.root, axis_of(op)) for part in parts[:-1])
    full_shape = full_shape and all(part.start == 0 for part in parts[1:])
    return parts if full_shape and len({part.root for part in parts}) == len(parts) else None


MOST_TIMES = 64
"""The number of separate ranges of one root of which a value may consist so that a later slice of the value can be
traced to one of them. In a chain of concats of a value with itself, the number doubles with each of them."""


def _parts(value: SSAValue, axis: int, order: Order) -> list[_RootRange] | None:
    """The roots, with their ranges of indices, that a value consists of along an axis, traced through concats and
    slices of that axis in the same layout; None if a root occurs more often than `MOST_TIMES`."""
    known: dict[SSAValue, list[_RootRange] | None] = {}
    root = _origin(value)
    waiting = [root]
    while waiting:
        here = waiting[-1]
        shown = [_origin(each) for each in _shown_along(here, axis, order)]
        if isinstance(here.owner, ConcatOp) and shown and (parts := cached(_parts, here.owner)) is not None:
            known[waiting.pop()] = parts
            continue
        if missing := [each for each in shown if each not in known]:
            waiting += missing
            continue
        waiting.pop()
        parts = _merged([known[each] for each in shown])
        if not shown:
            parts = [_RootRange(here, 0, _extent(here, axis))]
        elif isinstance(here.owner, SliceOp) and parts is not None:
            parts = _cut(parts, here.owner.ranges()[axis])
        known[here] = parts
    return known[root]


def _shown_along(value: SSAValue, axis: int, order: Order) -> Sequence[SSAValue]:
    """The values whose bytes a value shows, if it is a concat or slice along an axis in a layout; otherwise none."""
    owner = value.owner
    if isinstance(owner, ConcatOp) and _is_contiguous(owner) and (axis_of(owner), order_of(owner)) == (axis, order):
        return owner.parts
    if isinstance(owner, SliceOp) and _is_contiguous(owner) and order_of(owner) == order and cuts_only(owner, axis):
        return [owner.x]
    return []


def _merged(values: Iterable[list[_RootRange] | None]) -> list[_RootRange] | None:
    """The parts of several adjacent values, with adjacent ranges of a root merged; None if the parts of a value are
    unknown, or if a root occurs more often than `MOST_TIMES`."""
    found, times = list[_RootRange](), dict[SSAValue, int]()
    for parts in values:
        if parts is None:
            return None
        for part in parts:
            if found and found[-1].root is part.root and found[-1].stop == part.start:
                found[-1] = found[-1]._replace(stop=part.stop)
                continue
            found.append(part)
            times[part.root] = times.get(part.root, 0) + 1
            if times[part.root] > MOST_TIMES:
                return None
    return found


def _cut(parts: Iterable[_RootRange], kept: range) -> list[_RootRange]:
    """The parts of roots within some indices of a value that consists of `parts`."""
    found, at = list[_RootRange](), 0
    for part in parts:
        length = part.stop - part.start
        first, last = max(kept.start - at, 0), min(kept.stop - at, length)
        if first < last:
            found.append(_RootRange(part.root, part.start + first, part.start + last))
        at += length
    return found


def _extent(value: SSAValue, axis: int) -> int:
    type_ = value.type
    return as_tensor(type_.tensor if isinstance(type_, OnType) else type_).get_shape()[axis]  # pyright: ignore[reportUnknownMemberType]


def _origin(value: SSAValue) -> SSAValue:
    """The origin of a value, traced through copies and task boundaries: an argument, or the result of an op other than
    a copy or a task of views alone."""
    while True:
        owner = value.owner
        if isinstance(value, BlockArgument):
            run = value.block.parent_op()
            if not isinstance(run, RunOp):
                return value
            value = run.inputs[value.index]
        elif isinstance(owner, CopyOp):
            value = owner.value
        elif isinstance(owner, RunOp) and isinstance(value, OpResult) and _only_shows(owner):
            value = owner.yielded[value.index]
        else:
            return value


def _concats_of(root: SSAValue, met: set[SSAValue]) -> Iterator[ConcatOp]:
    """The concats that are views of a root, traced through slices, other concats, copies and task boundaries. Values in
    `met` are skipped, because their concats were returned before."""
    waiting = [root] if root not in met else []
    met.update(waiting)
    while waiting:
        for use in waiting.pop().uses:
            op, shown = use.operation, list[SSAValue]()
            if isinstance(op, SliceOp | ConcatOp) and _is_contiguous(op):
                shown = [op.results[0]]
                if isinstance(op, ConcatOp):
                    yield op
            elif isinstance(op, CopyOp):
                shown = [op.copied]
            elif isinstance(op, RunOp) and use.index < len(op.inputs):
                shown = [op.body.block.args[use.index]]
            elif isinstance(op, YieldOp) and isinstance(run := op.parent_op(), RunOp) and _only_shows(run):
                shown = [run.outputs[use.index]]
            fresh = [value for value in shown if value not in met]
            met.update(fresh)
            waiting += fresh


def _only_shows(run: RunOp) -> bool:
    return all(is_reshape(op) or _is_contiguous(op) for op in run.body.block.ops if not isinstance(op, YieldOp))


def _is_made(root: SSAValue, early: Container[Operation] | None) -> bool:
    """True if an op computes a root while the program runs, and so can write it to any address."""
    owner = root.owner
    if isinstance(owner, RunOp) and isinstance(root, OpResult):
        return root.index not in (extended(owner) | in_place(owner))  # a state has its place
    if isinstance(owner, RunOp) or (isinstance(owner, Operation) and is_launch(owner)):
        return True
    if isinstance(owner, ConcatOp | SliceOp | OverwritingOp) and owner.in_place.value.data:
        return False
    if not isinstance(owner, GraphOp | FusedOp) or is_reshape(owner) or _is_contiguous(owner):
        return False
    return owner not in early if early is not None else not is_prepared(root, known=(ResidentOp,))
