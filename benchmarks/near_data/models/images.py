"""ResNet and MobileNetV2, with batch norm in f32 and its running statistics, channels first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax  # pyright: ignore[reportMissingModuleSource]
import jax.numpy as jnp  # pyright: ignore[reportMissingModuleSource]

from benchmarks.near_data.models.layers import HALF, SINGLE, affine, cross_entropy, linear, scaling, shape

CLASSES = 1000


def convolve(weight: Any, x: Any, stride: int = 1, groups: int = 1) -> Any:
    """Apply a convolution to `x` [batch, channels, height, width] in f16, padded by half of the filter's extent."""
    pad = weight.shape[-1] // 2
    return jax.lax.conv_general_dilated(
        x, weight.astype(HALF), (stride, stride), [(pad, pad)] * 2, feature_group_count=groups
    )


@jax.jit
def batch_norm(weights: Any, x: Any) -> tuple[Any, Any]:
    """Normalize `x` over batch and positions in f32; return the result and the batch's mean and variance."""
    wide = x.astype(SINGLE)
    mean = wide.mean((0, 2, 3))
    variance = jnp.square(wide).mean((0, 2, 3)) - jnp.square(mean)
    slope = weights["scale"] * jax.lax.rsqrt(variance + 1e-5)

    def along(y: Any) -> Any:
        return y[:, None, None]

    return ((wide - along(mean)) * along(slope) + along(weights["shift"])).astype(HALF), (mean, variance)


@dataclass(frozen=True)
class Convolution:
    """A convolution with its batch norm and an activation; `acts`: the activation's name in `ACTIVATIONS`."""

    inputs: int
    outputs: int
    size: int
    stride: int = 1
    groups: int = 1
    acts: str = "relu"

    @property
    def weights(self) -> Any:
        return {
            "filter": shape(self.outputs, self.inputs // self.groups, self.size, self.size),
            **scaling(self.outputs),
        }

    def __call__(self, weights: Any, x: Any) -> tuple[Any, Any]:
        y, statistics = batch_norm(weights, convolve(weights["filter"], x, self.stride, self.groups))
        return ACTIVATIONS[self.acts](y), statistics


def _same(x: Any) -> Any:
    return x


ACTIVATIONS = {"relu": jax.nn.relu, "relu6": jax.nn.relu6, "none": _same}


@dataclass(frozen=True)
class Block:
    """A sequence of convolutions.

    If `adds`, the block's input, or the result of `shortcut` on the input, is added to the block's output; then
    activation `acts` is applied.
    """

    path: Sequence[Convolution]
    shortcut: Convolution | None = None
    adds: bool = True
    acts: str = "relu"

    @property
    def weights(self) -> Any:
        return [each.weights for each in (*self.path, *([self.shortcut] if self.shortcut else []))]

    def __call__(self, weights: Any, x: Any) -> tuple[Any, list[Any]]:
        y, statistics = x, list[Any]()
        for convolution, each in zip(self.path, weights, strict=False):
            y, found = convolution(each, y)
            statistics.append(found)
        if self.shortcut:
            x, found = self.shortcut(weights[-1], x)
            statistics.append(found)
        return ACTIVATIONS[self.acts](x + y if self.adds else y), statistics


@dataclass(frozen=True)
class ImageNetwork:
    """An image network: first a convolution, then pooling if `pools`, blocks, the mean over positions, and a linear
    layer."""

    stem: Convolution
    blocks: Sequence[Block]
    pools: bool
    classes: int = CLASSES

    @property
    def features(self) -> int:
        return self.blocks[-1].path[-1].outputs

    def weights(self) -> Any:
        blocks = [each.weights for each in self.blocks]
        return {"stem": self.stem.weights, "blocks": blocks, "head": affine(self.features, self.classes)}

    def statistics(self) -> Any:
        """Return the shapes of running means and variances, in the structure in which `loss` returns a batch's means
        and variances."""

        def of(convolution: Convolution) -> Any:
            return shape(convolution.outputs), shape(convolution.outputs)

        blocks = [[of(each) for each in (*b.path, *([b.shortcut] if b.shortcut else []))] for b in self.blocks]
        return [of(self.stem), *blocks]

    def batch(self, size: int, pixels: int) -> Any:
        images = jax.ShapeDtypeStruct((size, 3, pixels, pixels), HALF)
        return {"images": images, "labels": jax.ShapeDtypeStruct((size,), jnp.int32)}

    def loss(self, weights: Any, batch: Any) -> tuple[Any, Any]:
        """Return the loss, and the means and variances of the batch."""
        x, found = self.stem(weights["stem"], batch["images"])
        statistics = [found]
        if self.pools:
            window = (1, 1, 3, 3)
            pads = [(0, 0), (0, 0), (1, 1), (1, 1)]
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, (1, 1, 2, 2), pads)
        for block, each in zip(self.blocks, weights["blocks"], strict=True):
            x, found = block(each, x)
            statistics.append(found)
        pooled = x.astype(SINGLE).mean((2, 3)).astype(HALF)
        return cross_entropy(linear(weights["head"], pooled), batch["labels"]), statistics


def _resnet(counts: Sequence[int], widths: Sequence[int], bottleneck: bool, classes: int = CLASSES) -> ImageNetwork:
    inputs, blocks = widths[0], list[Block]()
    for stage, (count, width) in enumerate(zip(counts, widths, strict=True)):
        outputs = 4 * width if bottleneck else width
        for index in range(count):
            stride = 2 if stage and not index else 1
            if bottleneck:
                path = [
                    Convolution(inputs, width, 1),
                    Convolution(width, width, 3, stride),
                    Convolution(width, outputs, 1, acts="none"),
                ]
            else:
                path = [Convolution(inputs, width, 3, stride), Convolution(width, outputs, 3, acts="none")]
            projects = stride > 1 or inputs != outputs
            blocks.append(Block(path, Convolution(inputs, outputs, 1, stride, acts="none") if projects else None))
            inputs = outputs
    return ImageNetwork(Convolution(3, widths[0], 7, 2), blocks, True, classes)


def _mobilenet(
    rows: Sequence[tuple[int, int, int, int]], first: int, last: int, classes: int = CLASSES
) -> ImageNetwork:
    """Build MobileNetV2 from the rows of its paper's table; a row has expansion, channels, number of blocks and
    stride."""
    inputs, blocks = first, list[Block]()
    for expansion, width, count, stride in rows:
        for index in range(count):
            step, inner = (1 if index else stride), inputs * expansion
            expand = [Convolution(inputs, inner, 1, acts="relu6")] if expansion > 1 else []
            depthwise = Convolution(inner, inner, 3, step, inner, "relu6")
            path = [*expand, depthwise, Convolution(inner, width, 1, acts="none")]
            blocks.append(Block(path, None, step == 1 and inputs == width, "none"))
            inputs = width
    blocks.append(Block([Convolution(inputs, last, 1, acts="relu6")], None, False, "none"))
    return ImageNetwork(Convolution(3, first, 3, 2, acts="relu6"), blocks, False, classes)


RESNET18 = _resnet((2, 2, 2, 2), (64, 128, 256, 512), False)
RESNET50 = _resnet((3, 4, 6, 3), (64, 128, 256, 512), True)
MOBILENETV2 = _mobilenet(
    ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
    32,
    1280,
)
SMALL_RESNET18 = _resnet((1, 1), (8, 16), False, 10)
SMALL_RESNET50 = _resnet((1, 1), (4, 8), True, 10)
SMALL_MOBILENETV2 = _mobilenet(((1, 4, 1, 1), (3, 8, 2, 2)), 8, 16, 10)
