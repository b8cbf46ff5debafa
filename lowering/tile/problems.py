"""Graph ops as products for thread blocks: the sizes for which a schedule is chosen."""

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

LOW_PRECISION = ("f16", "bf16")
"""Element types of factors that templates multiply with matrix units; sums are in f32."""


def product_in(op: Operation) -> MatmulOp | ConvOp | None:
    """Return the product in an op: the op itself if it is a product, or the only product of a group; None if the group
    has no product or several."""
    if isinstance(op, MatmulOp | ConvOp):
        return op
    found = [each for each in op.ops if isinstance(each, MatmulOp | ConvOp)] if isinstance(op, FusedOp) else []
    return found[0] if len(found) == 1 else None


def problem_of(op: Operation) -> Problem:
    """Return the sizes of the product that `op` is, or that the group `op` contains. Raises Unfit with the reason if no
    template computes it with matrix units."""
    product, found = product_in(op), contraction_of(op)
    assert product is not None
    element = name_of(tensor_of(product.operands[0]).element_type)
    if element not in LOW_PRECISION:
        raise Unfit(
            f"factors of {element} are left to the GPU's library; reduce their precision first "
            f"(reduce-precision{{to=f16}})"
        )
    if min(found.extents) < 1:
        raise Unfit("it has no elements")
    batch, inner = prod(found.batches), prod(found.reductions)
    across = not isinstance(product, MatmulOp) or bool(
        product.transpose_b.value.data
    )  # filters are stored as O x windows
    convolution = None if isinstance(product, MatmulOp) else _geometry(product)
    return Problem(found.rows, found.columns, inner, batch, element, "f32", element, across, convolution)


def kernel_of_product(op: Operation, schedule: Schedule, name: str, device: str) -> KernelOp:
    """Return the kernel of an op, or of a group, that is a product; its images have channels last (see
    `channels_last`).
    """
    found = contraction_of(op)
    return contraction_kernel(_channels_last(found) if is_image(op) else found, schedule, name, device)


def is_image(op: Operation) -> bool:
    """Return True if an op works on images of two or three spatial axes."""
    return isinstance(product := product_in(op), ConvOp) and len(product.kernel) in (2, 3)


def channels_last(rank: int) -> tuple[int, ...]:
    """Return the permutation of axes that moves channels to the end."""
    return (0, *range(2, rank), 1)


def _channels_last(found: Contraction) -> Contraction:
    """Return the same contraction on images with channels last, so that a thread can copy several channels at once."""

    def transposed(operand: Operand) -> Operand:
        rank = len(operand.shape)
        if rank < 3:
            return operand
        order = channels_last(rank)
        shape, at = (tuple(each[axis] for axis in order) for each in (operand.shape, operand.at))
        return replace(operand, shape=shape, at=at)  # pyright: ignore[reportArgumentType]

    epilogue = replace(
        found.epilogue,
        operands=tuple(map(transposed, found.epilogue.operands)),
        outputs=tuple(map(transposed, found.epilogue.outputs)),
    )
    return replace(found, first=transposed(found.first), second=transposed(found.second), epilogue=epilogue)


def _geometry(op: ConvOp) -> Convolution | None:
    """Return the windows of a convolution; None for a convolution with 1 x 1 windows, or a convolution for which there
    is no template."""
    images, channels, *spatial = shape_of(op.x)
    strides, pads, dilations = op.window(op.kernel)
    plain = prod(op.kernel) == max(strides) == 1 and not any(map(any, pads))
    if plain or op.groups.value.data > 1 or max(dilations) > 1 or len(spatial) not in (2, 3):
        return None
    return Convolution(images, tuple(spatial), channels, shape_of(op.w)[0], op.kernel, strides, pads)
