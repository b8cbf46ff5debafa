"""Graph ops as products that thread blocks compute: the sizes by which their schedules are chosen."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from xdsl.ir import Operation

from dialects.element_types import name_of
from dialects.graph import ConvOp, FusedOp, MatmulOp, shape_of, tensor_of
from dialects.tile import KernelOp
from lowering.tile.building import Operand
from lowering.tile.contraction import Contraction, contraction_kernel
from lowering.tile.epilogue import Unfit
from lowering.tile.schedule import Convolution, Problem, Schedule
from lowering.tile.templates import contraction_of

NARROW = ("f16", "bf16")
"""Types of factors that templates multiply with matrix units, and sum in f32."""


def product_in(op: Operation) -> MatmulOp | ConvOp | None:
    """The product that an op is, or that a group has as its only one."""
    if isinstance(op, MatmulOp | ConvOp):
        return op
    found = [each for each in op.ops if isinstance(each, MatmulOp | ConvOp)] if isinstance(op, FusedOp) else []
    return found[0] if len(found) == 1 else None


def problem_of(op: Operation) -> Problem:
    """The sizes of the product that an op is, or that a group has. Raises Unfit, saying why, where no template computes
    it with matrix units."""
    product, found = product_in(op), contraction_of(op)
    assert product is not None
    element = name_of(tensor_of(product.operands[0]).element_type)
    if element not in NARROW:
        raise Unfit(f"factors of {element} are left to the GPU's library; narrow them (narrow{{to=f16}})")
    if min(found.extents) < 1:
        raise Unfit("it has no elements")
    batch, inner = prod(found.batches), prod(found.reductions)
    across = not isinstance(product, MatmulOp) or bool(product.transpose_b.value.data)  # filters lie as O x windows
    convolution = None if isinstance(product, MatmulOp) else _geometry(product)
    return Problem(found.rows, found.columns, inner, batch, element, "f32", element, across, convolution)


def kernel_of_product(op: Operation, schedule: Schedule, name: str, device: str) -> KernelOp:
    """The kernel of an op, or of a group, that is a product; images lie channels last in it (see `turned`)."""
    found = contraction_of(op)
    return contraction_kernel(_channels_last(found) if is_image(op) else found, schedule, name, device)


def is_image(op: Operation) -> bool:
    """True if an op works on images of two or three spatial axes."""
    return isinstance(product := product_in(op), ConvOp) and len(product.kernel) in (2, 3)


def turned(rank: int) -> tuple[int, ...]:
    """The permutation to channels last."""
    return (0, *range(2, rank), 1)


def _channels_last(found: Contraction) -> Contraction:
    """The same contraction on images whose channels lie last, so that threads copy several of them at once."""

    def turn(operand: Operand) -> Operand:
        rank = len(operand.shape)
        if rank < 3:
            return operand
        order = turned(rank)
        shape, at = (tuple(each[axis] for axis in order) for each in (operand.shape, operand.at))
        return replace(operand, shape=shape, at=at)  # pyright: ignore[reportArgumentType]

    epilogue = replace(
        found.epilogue,
        operands=tuple(map(turn, found.epilogue.operands)),
        outputs=tuple(map(turn, found.epilogue.outputs)),
    )
    return replace(found, first=turn(found.first), second=turn(found.second), epilogue=epilogue)


def _geometry(op: ConvOp) -> Convolution | None:
    """The windows of a convolution, where they are more than pixels."""
    images, channels, *spatial = shape_of(op.x)
    strides, pads, dilations = op.window(op.kernel)
    plain = prod(op.kernel) == max(strides) == 1 and not any(map(any, pads))
    if plain or op.groups.value.data > 1 or max(dilations) > 1 or len(spatial) not in (2, 3):
        return None
    return Convolution(images, tuple(spatial), channels, shape_of(op.w)[0], op.kernel, strides, pads)
