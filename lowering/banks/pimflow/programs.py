"""PIMFlow's published bank programs for graph ops. On a PIM whose sheet has the line `programs pimflow`, times and
energies of convolutions and fully connected layers are those of the commands from PIMFlow's generator.

The generator omits work (lowering/banks/pimflow/codegen.py), and ops fused behind a convolution are counted with no
time or energy. These programs therefore can't compute values, and tasks on such a device are not lowered to bank
programs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod

from xdsl.ir import Operation, SSAValue

from dialects.element_types import byte_width
from dialects.graph import AttentionOp, ConvOp, FusedOp, MatmulOp, shape_of
from dialects.pim import KernelOp
from interp.kinds.pim.timing.clock import BankTime, launch_cost, programs_time
from interp.machine.cost import Cost
from interp.machine.records import Pim
from interp.walk.weight_values import is_weight
from lowering.banks.pimflow.codegen import Layer, channel_kernel, channel_program, operands_of

WHAT = "a convolution of one image, without groups and dilation, or a product of one row with a weight"
"""The ops for which the published generator has programs, for messages."""


def layer_of(op: Operation, is_weight: Callable[[SSAValue], bool] = is_weight) -> Layer | None:
    """The only contraction of an op or fused group, as a layer for the published generator; None if the generator has
    no program for the op."""
    if isinstance(op, FusedOp):
        found = [inner for inner in op.ops if isinstance(inner, ConvOp | MatmulOp | AttentionOp)]
        op = found[0] if len(found) == 1 else op
    if isinstance(op, ConvOp) and is_weight(op.w):
        return _convolution(op)
    if isinstance(op, MatmulOp) and is_weight(op.b) and not is_weight(op.a):
        batch, rows, outputs, inner = op.sizes
        return Layer(inner, 1, 1, outputs) if batch * rows == 1 and inner * outputs else None
    return None


@lru_cache(maxsize=16384)
def layer_time(layer: Layer, pim: Pim) -> BankTime:
    """Time, commands and energy of a layer's program."""
    return programs_time([channel_program(layer, pim, pim.program_buffers, pim.channels)], pim)


@lru_cache(maxsize=16384)
def layer_cost(layer: Layer, pim: Pim) -> Cost:
    """The cost of one launch of a layer's program."""
    operands = operands_of(layer, pim, pim.program_buffers, pim.channels)
    nbytes = sum(prod(operand.get_shape()) * byte_width(operand.element_type) for operand in operands)
    return launch_cost(layer_time(layer, pim.banks_alone), nbytes, pim)


@lru_cache(maxsize=4096)
def layer_kernel(layer: Layer, pim: Pim) -> KernelOp:
    """A layer's kernel: all channels run the commands of the first channel. The kernel is shared: clone it before
    inserting it."""
    return channel_kernel(layer, pim, pim.program_buffers, _name(layer), channels=pim.channels)


def published_kernel(op: Operation, pim: Pim, is_weight: Callable[[SSAValue], bool]) -> KernelOp | None:
    """The published program for an op; None if the generator has no program for it."""
    layer = layer_of(op, is_weight)
    return None if layer is None else layer_kernel(layer, pim.banks_alone)


def published_cost(op: Operation, pim: Pim, is_weight: Callable[[SSAValue], bool]) -> Cost | None:
    """The cost of one launch of the published program for an op; None if the generator has no program for it."""
    layer = layer_of(op, is_weight)
    return None if layer is None else layer_cost(layer, pim)


def why_unpublished(op: Operation, pim: Pim, is_weight: Callable[[SSAValue], bool]) -> str | None:
    """The reason why there is no published program for an op, starting with the op's name; None if there is a
    program."""
    if layer_of(op, is_weight) is not None:
        return None
    return (
        f"{op.name}: the sheet allows only programs of PIMFlow's generator (`programs pimflow`), which exist for {WHAT}"
    )


def why_not_lowered(device: str, pim: Pim) -> str:
    """The error message for lowering a task on a device with published programs, which omit work."""
    return (
        f"to-pim: @{device} ({pim.name}) is timed with programs of PIMFlow's published generator (`programs pimflow`), "
        f"which omit work and compute no values; remove to-pim from the pipeline, or use a PIM without that line"
    )


def _convolution(op: ConvOp) -> Layer | None:
    """Convert a convolution. Padding that differs above and below is counted as image rows, and unequal left and right
    padding as image columns."""
    (batch, inputs, *image), (outputs, _, *kernel) = shape_of(op.x), shape_of(op.w)
    strides, pads, dilations = op.window(tuple(kernel))
    plain = batch == 1 and op.groups.value.data == 1 and len(image) == 2 and prod(dilations) == 1
    if not plain or strides[0] != strides[1] or not prod(shape_of(op.y)):
        return None
    (height, pad_height), (width, pad_width) = (_padded(*each) for each in zip(image, pads, strict=True))
    return Layer(inputs, height, width, outputs, kernel[0], kernel[1], pad_height, pad_width, strides[0])


def _padded(size: int, pads: tuple[int, int]) -> tuple[int, int]:
    low, high = pads
    return (size, low) if low == high else (size + low + high, 0)


def _name(layer: Layer) -> str:
    kernel = f"{layer.filter_height}x{layer.filter_width}"
    if layer.height * layer.width * layer.filter_height * layer.filter_width == 1:
        return f"fc_{layer.inputs}_{layer.outputs}"
    return f"conv_{kernel}_{layer.inputs}_{layer.height}x{layer.width}_{layer.outputs}"
