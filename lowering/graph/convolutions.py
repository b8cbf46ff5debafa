"""Recognition of convolution gradients, which automatic differentiation expresses as convolutions of rearranged
operands.

The gradient with respect to the filters is a convolution of the input with the result's gradient, with batch and
channels swapped in both; its window is larger than its result. The gradient with respect to the input is a convolution
of the result's gradient (with zeros inserted between its elements if there is a stride) with reversed filters. Library
kernels for both need no rearranged copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.ir import Block, Operation

from dialects import graph as g
from dialects.graph.patterns.matching import widens
from lowering.graph.moving import moved_after, movers, own_moves, widens_both


def gradient_groups(block: Block) -> Iterator[tuple[str, list[g.GraphOp]]]:
    """The convolutions of a block that are gradients, each with the word for its kind (gradient of filters or of the
    input), and the ops that rearrange its operands and its result. Rearranging ops with other readers are copied."""
    for op in list(block.ops):
        if isinstance(op, g.ConvOp) and op.bias is None and (kind := _kind(op)) is not None:
            loads = _is_load if widens_both(op, _is_load) else _is_move
            moves = [*own_moves(op, 0, loads), *own_moves(op, 1, loads)]
            yield kind, [*moves, op, *moved_after(op, _is_moved_after)]


def _kind(op: g.ConvOp) -> str | None:
    strides, _, _ = op.window(op.kernel)
    if set(strides) != {1}:
        return None
    image, filters = ([move for move in movers(value, _is_load, op) if not widens(move)] for value in (op.x, op.w))
    swapped = all(any(_swaps_batch(move) for move in moves) for moves in (image, filters))
    if swapped and prod(op.kernel) >= prod(g.shape_of(op.y)[2:]):
        return "conv_backward_weight"
    turned = any(isinstance(move, g.SliceOp) and any(r.step == -1 for r in move.ranges()) for move in filters)
    return "conv_backward_data" if turned or _is_spread(image) else None


def _is_spread(moves: list[g.GraphOp]) -> bool:
    """True if ops insert zeros between elements: they add an axis of extent 1, pad it, and merge it with the previous
    axis."""
    return any(
        isinstance(pad, g.PadOp)
        and pad.value.value.data == 0
        and isinstance(merge, g.ReshapeOp)
        and isinstance(part, g.ReshapeOp)
        for merge, pad, part in zip(moves, moves[1:], moves[2:], strict=False)
    )


def _swaps_batch(op: g.GraphOp) -> bool:
    return isinstance(op, g.TransposeOp) and tuple(op.permutation.get_values())[1] == 0


def _is_move(op: Operation | Block) -> bool:
    return isinstance(op, g.TransposeOp | g.ReshapeOp | g.SliceOp | g.PadOp)


def _is_load(op: Operation | Block) -> bool:
    return widens(op) or _is_move(op)


def _is_moved_after(op: Operation | Block) -> bool:
    return isinstance(op, g.TransposeOp | g.ReshapeOp)
