"""Plans for attention whose keys and values stay in the banks: recognition of the op, and the layouts of its operands
and result."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod, sqrt

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from dialects.graph import AttentionOp, ConcatOp, ConstantOp, FusedOp, GraphOp, shape_of, tensor_of
from dialects.task import RunOp
from interp.machine.records import Pim
from interp.walk.caches import cache_rows
from lowering.banks.attention.kernel import attention_kernel
from lowering.banks.attention.mapping import AttentionMapping, AttentionWork, attention_mapping
from lowering.banks.layout import Chain
from lowering.banks.plan import BankPlan, BankProgram, misfit, only_op


@dataclass(frozen=True)
class AttentionPlan(BankPlan):
    """The plan of attention on a device: its program and its mapping."""

    mapping: AttentionMapping

    def lay_inputs(self, op: GraphOp | FusedOp, pim: Pim) -> list[Chain]:
        mapping, work, attention = self.mapping, self.mapping.work, _attention(op)
        assert attention is not None
        q, k, v = (Chain(_outside(op, value), (op,)) for value in (attention.q, attention.k, attention.v))
        q.reshape(work.caches, work.queries, work.depth).pad_to(*mapping.query_shape)
        if work.kept == work.keys:
            return [q, _lay_keys(k, mapping), _lay_values(v, mapping)]
        new_k, new_v = Chain(k.value, (op,)), Chain(v.value, (op,))
        new_k.reshape(work.caches, work.keys, work.depth).part(1, work.kept, work.keys).pad_to(*mapping.new_key_shape)
        first = mapping.first_new_column * mapping.lanes
        new_v.reshape(work.caches, work.keys, work.width).part(1, first, work.keys).transpose(0, 2, 1)
        columns, _, tiles, banks, lanes = mapping.new_value_shape
        new_v.pad_to(work.caches, tiles * banks, columns * lanes)
        new_v.reshape(work.caches, tiles, banks, columns, lanes).transpose(3, 0, 1, 2, 4)
        return [q, new_k, new_v, _lay_keys(k, mapping), _lay_values(v, mapping)]

    def weights(self, op: GraphOp | FusedOp) -> tuple[SSAValue, ...]:
        return ()

    def layout_key(self, op: GraphOp | FusedOp) -> Hashable:
        return ()

    def lay_weights(
        self, op: GraphOp | FusedOp, weights: Sequence[SSAValue], pim: Pim
    ) -> tuple[list[GraphOp], list[SSAValue]]:
        return [], []

    def lift_results(self, op: GraphOp | FusedOp, outputs: Sequence[SSAValue]) -> list[Chain]:
        work = self.mapping.work
        y = Chain(outputs[0], (op,)).reshape(work.caches, work.queries, prod(self.mapping.result_shape[2:]))
        return [y.part(2, 0, work.width).reshape(*shape_of(op.results[0]))]


def _lay_keys(keys: Chain, mapping: AttentionMapping) -> Chain:
    """The content of the banks before the program runs: keys [batch, heads, keys, elements] in their rows, with zeros
    instead of new ones."""
    work, rows, tiles = mapping.work, mapping.key_rows, mapping.tiles_in_row
    keys.reshape(work.caches, work.keys, work.depth).part(1, 0, work.kept)
    width = mapping.key_columns * mapping.lanes
    keys.pad_to(mapping.rounds * mapping.channels, rows * tiles * mapping.banks, width)
    keys.reshape(mapping.rounds, mapping.channels, rows, tiles, mapping.banks, width)
    return keys.transpose(1, 0, 2, 4, 3, 5).reshape(*mapping.key_shape)


def _lay_values(values: Chain, mapping: AttentionMapping) -> Chain:
    """As `_lay_keys`, for values [batch, heads, keys, elements], which are transposed."""
    work, rows, tiles = mapping.work, mapping.value_rows, mapping.value_tiles
    values.reshape(work.caches, work.keys, work.width).part(1, 0, work.kept).transpose(0, 2, 1)
    width = mapping.chunk * mapping.lanes
    values.pad_to(mapping.rounds * mapping.channels, tiles * mapping.banks, rows * width)
    values.reshape(mapping.rounds, mapping.channels, tiles, mapping.banks, rows, width)
    return values.transpose(1, 0, 4, 3, 2, 5).reshape(*mapping.value_shape)


def plan_attention(op: GraphOp | FusedOp, pim: Pim, requested: Attribute | None = None) -> AttentionPlan | str | None:
    """The plan for attention on a device, or the reason why there is none; None for any other op."""
    attention = _attention(op)
    if attention is None:
        return None
    if requested is not None:
        raise misfit(op, f"is {requested}, but there is only one program for graph.attention; remove it")
    work = _work(attention, pim.lanes)
    if isinstance(work, str):
        return f"graph.attention: {work}"
    if work.element != pim.element:
        rounds = "(the pass `reduce-precision` rounds)"
        return f"graph.attention of {work.element}: {pim.name} computes in {pim.element} {rounds}"
    plan = _planned(work, pim.banks_alone)
    return f"graph.attention: {plan}" if isinstance(plan, str) else plan


@lru_cache(maxsize=1024)
def _planned(work: AttentionWork, pim: Pim) -> AttentionPlan | str:
    mapping = attention_mapping(work, pim)
    if isinstance(mapping, str):
        return mapping
    return AttentionPlan(BankProgram.of(attention_kernel(mapping, pim), pim), mapping)


def _attention(op: GraphOp | FusedOp) -> AttentionOp | None:
    only = only_op(op)
    return only if isinstance(only, AttentionOp) else None


def _outside(op: Operation, value: SSAValue) -> SSAValue:
    """The operand of a fused group that is passed for a value in the group's body; any other value itself."""
    if isinstance(op, FusedOp) and isinstance(value, BlockArgument) and value.block is op.body.block:
        return op.inputs[value.index]
    return value


def _work(op: AttentionOp, lanes: int) -> AttentionWork | str:
    """The work of an op, or the reason why banks can't do it."""
    if op.mask is not None or op.softcap.value.data or op.sink_scores is not None:
        given = "a mask" if op.mask is not None else "a softcap" if op.softcap.value.data else "sinks"
        return f"the softmax buffer has no command for {given}; leave it out, or place the op on another device"
    (b, heads, length, depth), (_, groups, keys, width) = shape_of(op.q), shape_of(op.v)
    shared = heads // groups
    valid = keys if op.lengths is None else _valid(op, keys)
    if isinstance(valid, str):
        return valid
    causal, window = bool(op.causal.value.data), op.window.value.data
    own = range(keys - length, keys)  # the key at each query's own position
    seen = [range(max(at - window + 1, 0) if window else 0, min(at + 1, valid) if causal else valid) for at in own]
    if not (b and groups and shared and length and depth and width) or not all(seen):
        return "a query sees no key, or there is no query; place the op on another device"
    kept = [_kept(op, value) for value in (op.k, op.v)]
    if kept[0] != kept[1] or kept[0] is None:
        return (
            "keys and values must be on the device before the task; new entries, equally many of both, may be appended "
            "in the task (graph.concat axis = 2)"
        )
    scale = op.scale.value.data or 1 / sqrt(depth)
    element = str(tensor_of(op.q).element_type)
    if any(first.start % lanes for first in seen):
        return (
            f"a window that begins inside of a column of {lanes} values would need weights of 0 before it, which the "
            "softmax buffer has no command for; place the op on another device"
        )
    return AttentionWork(b * groups, shared * length, keys, depth, width, element, scale, tuple(seen * shared), kept[0])


def _valid(op: AttentionOp, keys: int) -> int | str:
    """The number of valid keys of all sequences, or the reason why a program can't know it."""
    assert op.lengths is not None
    value = _outside(op.parent_op() or op, op.lengths)
    if isinstance(value, BlockArgument) and isinstance(task := value.block.parent_op(), RunOp):
        value = task.operands[value.index]
    if not isinstance(value.owner, ConstantOp):
        return (
            "a bank program is written for known lengths; make the lengths constant, or place the op on another device"
        )
    counts = {min(max(int(count), 0), keys) for count in value.owner.value.array()}
    if len(counts) > 1:
        return (
            "channels whose caches have different lengths would need different programs; split the batch by length, or "
            "place the op on another device"
        )
    return counts.pop()


def _kept(op: AttentionOp, value: SSAValue) -> int | None:
    """The number of entries of a cache that are on the device before the op's task starts; None if it is no cache."""
    if (rows := cache_rows(value)) is not None:
        return rows.kept if rows.axis == 2 else None
    if isinstance(op.parent_op(), FusedOp) and isinstance(value, BlockArgument):
        value = _outside(op.parent_op(), value)  # pyright: ignore[reportArgumentType]
    source = value.owner
    if isinstance(source, ConcatOp) and len(source.operands) == 2 and source.axis.value.data % 4 == 2:
        return shape_of(source.operands[0])[2] if _is_given(source.operands[0]) else None
    return shape_of(value)[2] if _is_given(value) else None


def _is_given(value: SSAValue) -> bool:
    """True if a value is an argument of a function, or of a task: it is in the device's memory before the task."""
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), RunOp | FuncOp)
