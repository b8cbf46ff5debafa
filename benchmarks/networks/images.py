"""Builder of image networks, op by op as eager PyTorch runs them in mixed precision.

Convolutions and products are in f16, layer norms in f32; normalisation and activation are separate kernels."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from benchmarks.networks.graph import F16, F32, Network
from dialects.graph import (
    AddOp,
    AttentionOp,
    BatchNormOp,
    ConvOp,
    GeluOp,
    GraphOp,
    MulOp,
    PoolOp,
    ReduceOp,
    ReluOp,
    SigmoidOp,
    SiluOp,
    shape_of,
    tensor_of,
)

ACTIVATIONS: dict[str, type[GraphOp]] = {"relu": ReluOp, "silu": SiluOp, "gelu": GeluOp}
"""The ops of activations by name. Activations that are not listed (hard swish, leaky ReLU, …) move as many bytes as
ReLU, and are treated as ReLU."""


@dataclass
class Size:
    """The sizes in published tables of models: per image, the multiply-accumulates of convolutions and products and the
    elements of their results; and the number of parameters."""

    macs: float = 0
    activations: float = 0
    parameters: float = 0


class ImageNetwork(Network):
    """A network under construction, with tensors [batch, channels, height, width]."""

    def __init__(self, batch: int, size: int, act: str = "relu", pads_apart: bool = False) -> None:
        super().__init__(F16)
        self.batch = batch
        self.act_name = act
        self.pads_apart = pads_apart
        """True if strided convolutions pad their images in a separate kernel first, for TensorFlow's padding."""
        self.size = Size()
        self.image = self.cast(self.value(batch, 3, size, size, element=F32), F16)

    def conv(
        self,
        x: SSAValue,
        out: int,
        kernel: int = 1,
        stride: int = 1,
        groups: int = 1,
        bias: bool = False,
        pad: int = -1,
    ) -> SSAValue:
        """Add a convolution. By default it is padded so that only its stride makes the image smaller; `pad` is the
        padding otherwise.

        A bias is added by a separate kernel.
        """
        pad = (kernel - 1) // 2 if pad < 0 else pad
        inner = shape_of(x)[1] // groups
        if self.pads_apart and stride > 1 and kernel > stride:
            self.scaled(x)  # a copy padded with zeros
        w = self.value(out, inner, kernel, kernel)
        y = self.add(ConvOp(x, w, strides=(stride,) * 2, pads=(pad,) * 4, groups=groups))
        y = self.scaled(y) if bias else y
        self._count(y, inner * kernel * kernel, out * (inner * kernel * kernel + bias))
        return y

    def norm(self, x: SSAValue) -> SSAValue:
        """Add a batch norm whose mean and variance are given, as in inference."""
        channels = shape_of(x)[1]
        self.size.parameters += 2 * channels * self._times
        return self.add(BatchNormOp(x, *(self.value(channels, element=F32) for _ in range(4))))

    def act(self, x: SSAValue, name: str = "") -> SSAValue:
        return self.unary(ACTIVATIONS.get(name or self.act_name, ReluOp), x)

    def conv_norm(
        self, x: SSAValue, out: int, kernel: int = 1, stride: int = 1, groups: int = 1, act: bool = True
    ) -> SSAValue:
        """Add a convolution, a batch norm, and an activation if `act`."""
        x = self.norm(self.conv(x, out, kernel, stride, groups))
        return self.act(x) if act else x

    def pool(self, x: SSAValue, kernel: int, stride: int, kind: str = "max", pad: int = -1) -> SSAValue:
        pad = (kernel - 1) // 2 if pad < 0 else pad
        op = PoolOp(x, kind=kind, kernel=(kernel,) * 2, strides=(stride,) * 2, pads=(pad,) * 4, ceil=kind == "mean")
        return self.add(op)

    def mean(self, x: SSAValue) -> SSAValue:
        """Add the mean of each channel: [batch, channels, 1, 1]."""
        return self.add(ReduceOp(x, kind="mean", axes=(2, 3), keep_dims=True))

    def squeeze_excite(self, x: SSAValue, reduced: int, act: str = "") -> SSAValue:
        """Add a squeeze-excite: channels are multiplied by factors that two small layers compute from the channels'
        means."""
        gate = self.act(self.conv(self.mean(x), reduced, bias=True), act)
        gate = self.unary(SigmoidOp, self.conv(gate, shape_of(x)[1], bias=True))
        return self.binary(MulOp, x, gate)

    def channel_attention(self, x: SSAValue) -> SSAValue:
        """Add channel attention: channels are multiplied by factors that a 1D convolution computes from the channels'
        means; the cost of this convolution is ignored."""
        gate = self.unary(SigmoidOp, self.mean(x))
        return self.binary(MulOp, x, gate)

    def dense(self, x: SSAValue, out: int, bias: bool = True) -> SSAValue:
        """Add the product of `x` [rows, in] and a weight, in f16 for any type of `x`."""
        x = self.cast(x, F16)
        inner = shape_of(x)[-1]
        y = self.linear(x, out, bias)
        self._count(y, inner, out * (inner + bias))
        return y

    def classify(self, x: SSAValue, classes: int = 1000) -> None:
        x = self.mean(x)
        self.dense(self.view(x, self.batch, shape_of(x)[1]), classes)

    def normed(self, x: SSAValue) -> SSAValue:
        """Add a layer norm of the last axis, in f32."""
        self.size.parameters += 2 * shape_of(x)[-1] * self._times
        return self.layer_norm(self.cast(x, F32))

    def attended(self, tokens: int, heads: int, depth: int) -> SSAValue:
        """Add a fused attention; q, k and v are slices of one product."""
        q = self.value(self.batch, heads, tokens, depth)
        y = self.add(AttentionOp(q, q, q))
        self.size.macs += 2 * heads * tokens * tokens * depth * self._times
        self.size.activations += heads * tokens * (tokens + depth) * self._times
        return self.view(y, self.batch * tokens, heads * depth)

    def residual(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Add the sum of `x` and `y`, in the wider of their types."""
        wide = F32 if F32 in (tensor_of(x).element_type, tensor_of(y).element_type) else F16
        return self.add(AddOp(self.value(*shape_of(x), element=wide), self.value(*shape_of(y), element=wide)))

    def cast_weights(self) -> None:
        """Add the f16 copies of all weights that PyTorch's autocast makes once per step."""
        parameters = int(self.size.parameters)
        self.cast(self.value(parameters, element=F32), F16)

    def _count(self, y: SSAValue, depth: int, parameters: int) -> None:
        outputs = prod(shape_of(y)) / self.batch * self._times
        self.size.macs += outputs * depth
        self.size.activations += outputs
        self.size.parameters += parameters * self._times


def rounded(channels: float, divisor: int = 8, limit: float = 0.9) -> int:
    """Round a number of channels to the nearest multiple of `divisor` that is at least the fraction `limit` of the
    number."""
    near = max(divisor, int(channels + divisor / 2) // divisor * divisor)
    return near + divisor if near < limit * channels else near
