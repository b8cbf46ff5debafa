"""PIMFlow's space of plans (Shin et al., CGO 2023): layers to split between GPU and PIM, the ratios of the split, and
chains of layers to pipeline in two halves.

Details follow the published artifact (pim/transform.py, pipeline/extract_layers.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from dialects.graph import ConvOp, FusedOp, MatmulOp, shape_of
from lowering.banks.pimflow.codegen import Layer
from lowering.partition.plans.plan import Op
from lowering.partition.plans.regions import users

PERCENTS = tuple(range(10, 100, 10))
"""Percentages for the GPU that are tried when a layer is split; 0 and 100 mean the layer on one device."""


@dataclass(frozen=True, eq=False)
class Convolution:
    """A convolution, with the group of ops that it is fused into."""

    op: Op
    conv: ConvOp

    @property
    def pointwise(self) -> bool:
        """True if the convolution's filter is 1x1."""
        return prod(self.conv.kernel) == 1

    @property
    def grouped(self) -> bool:
        """True if the convolution is depthwise or grouped: such layers stay on the GPU."""
        return self.conv.groups.value.data > 1

    @property
    def connected(self) -> bool:
        """True if the convolution is 1x1 on an image of 1x1: a fully connected layer, which runs unpartitioned on the
        PIM."""
        return self.pointwise and prod(shape_of(self.conv.x)[2:]) == 1

    @property
    def height(self) -> int:
        """Number of rows of the input image."""
        return shape_of(self.conv.x)[2]

    @property
    def stride(self) -> int:
        return self.conv.window(self.conv.kernel)[0][0]

    def layer(self) -> Layer:
        """The description of the convolution for the published command generator."""
        _, channels, height, width = shape_of(self.conv.x)
        filter_height, filter_width = self.conv.kernel
        strides, (high, wide), _ = self.conv.window(self.conv.kernel)
        filters = shape_of(self.conv.w)[0]
        return Layer(channels, height, width, filters, filter_height, filter_width, high[0], wide[0], strides[0])

    def rows(self, percent: int) -> int | None:
        """The number of result rows that the GPU computes if it gets `percent` of the image's rows; None if the
        published rewrite does not split the layer."""
        kernel = self.conv.kernel
        dilations = self.conv.window(kernel)[2]
        if self.grouped or self.connected or self.height == 1 or max(dilations) > 1 or len(kernel) != 2:
            return None
        parts = self.layer().split(percent)
        return None if parts is None else (parts[0] - kernel[0]) // self.stride + 1


def convolution_of(op: Op) -> Convolution | None:
    """The only two-dimensional convolution in an op; None if there is none."""
    inner = op.ops if isinstance(op, FusedOp) else (op,)
    found = [each for each in inner if isinstance(each, ConvOp)]
    return Convolution(op, found[0]) if len(found) == 1 and len(found[0].kernel) == 2 else None


def connected_of(op: Op) -> bool:
    """True if an op is a fully connected layer of one row."""
    inner = op.ops if isinstance(op, FusedOp) else (op,)
    found = [each for each in inner if isinstance(each, MatmulOp)]
    return len(found) == 1 and found[0].sizes[:2] == (1, 1)


@dataclass(frozen=True)
class Pattern:
    """Consecutive layers that PIMFlow pipelines; `on_pim`: True for each layer that runs on the PIM. Layers on the PIM
    must be 1x1 and ungrouped; the layers on the GPU must not be 1x1."""

    name: str
    on_pim: tuple[bool, ...]

    def fits(self, layers: Sequence[Convolution]) -> bool:
        """True if layers that feed each other match this pattern."""
        if any(layer.connected or (layer.stride > 1 and index) for index, layer in enumerate(layers)):
            return False
        first = layers[0]
        if first.stride > 1 and (first.height % 2 or first.height // 2 % 2):
            return False
        return all(_suits(layer, pim) for layer, pim in zip(layers, self.on_pim, strict=True)) and (
            first.grouped or self.on_pim[0] or not first.pointwise
        )


def _suits(layer: Convolution, on_pim: bool) -> bool:
    return layer.pointwise and not layer.grouped if on_pim else not layer.pointwise


PATTERNS = (
    Pattern("1x1-DW", (True, False)),
    Pattern("DW-1x1", (False, True)),
    Pattern("1x1-DW-1x1", (True, False, True)),
)
"""Types 1, 2 and 3 of the artifact. In types 1 and 3, the second layer is depthwise; in type 2, the first layer is any
layer that is not 1x1."""


@dataclass(frozen=True)
class LayerRun:
    """Consecutive layers of a network, from layer `start` on, that match a pattern."""

    start: int
    pattern: Pattern
    layers: tuple[Convolution, ...]


def runs(layers: Sequence[Convolution]) -> Iterator[LayerRun]:
    """The runs of layers that PIMFlow tries as pipelines."""
    for start in range(len(layers)):
        for pattern in PATTERNS:
            these = tuple(layers[start : start + len(pattern.on_pim)])
            if len(these) < len(pattern.on_pim) or not _feed_each_other(these):
                continue
            if pattern.on_pim[0] and not these[1].grouped:
                continue
            if pattern.fits(these):
                yield LayerRun(start, pattern, these)


def _feed_each_other(layers: Iterable[Convolution]) -> bool:
    """True if each layer's result is read by the next layer only, and is the only image that it reads."""
    previous: Convolution | None = None
    for layer in layers:
        if previous is not None:
            value = previous.op.results[0]
            if users(value) != [layer.op] or _image(layer) is not value:
                return False
        previous = layer
    return True


def _image(layer: Convolution) -> object:
    """The image that a layer convolves, as a value outside of the layer's group; None if it is computed inside of the
    group."""
    if not isinstance(layer.op, FusedOp):
        return layer.conv.x
    arguments = layer.op.body.block.args
    return next((value for value, arg in zip(layer.op.inputs, arguments, strict=True) if arg is layer.conv.x), None)
