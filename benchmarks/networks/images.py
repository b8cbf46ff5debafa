"""Image networks op by op as eager PyTorch runs them in mixed precision: convolutions and products in f16, layer norms
in f32, normalisation and activation a kernel each."""

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
"""By name; all others (hard swish, leaky ReLU, …) move as much as ReLU and are counted as it."""


@dataclass
class Size:
    """The figures of model tables: multiply-accumulates and outputs of convolutions and products an image, and
    parameters."""

    macs: float = 0
    activations: float = 0
    parameters: float = 0


class ImageNetwork(Network):
    """A network under construction, tensors being [batch, channels, height, width]."""

    def __init__(self, batch: int, size: int, act: str = "relu", pads_apart: bool = False) -> None:
        super().__init__(F16)
        self.batch = batch
        self.act_name = act
        self.pads_apart = pads_apart
        """True if strided convolutions pad their images first, as TensorFlow's padding asks."""
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
        """A convolution, padded so that only strides shrink the image unless `pad` says otherwise. A bias is added by
        a kernel of its own."""
        pad = (kernel - 1) // 2 if pad < 0 else pad
        inner = shape_of(x)[1] // groups
        if self.pads_apart and stride > 1 and kernel > stride:
            self.scaled(x)  # a copy with zeros around
        w = self.value(out, inner, kernel, kernel)
        y = self.add(ConvOp(x, w, strides=(stride,) * 2, pads=(pad,) * 4, groups=groups))
        y = self.scaled(y) if bias else y
        self._count(y, inner * kernel * kernel, out * (inner * kernel * kernel + bias))
        return y

    def norm(self, x: SSAValue) -> SSAValue:
        """Batch norm with given statistics."""
        channels = shape_of(x)[1]
        self.size.parameters += 2 * channels * self._times
        return self.add(BatchNormOp(x, *(self.value(channels, element=F32) for _ in range(4))))

    def act(self, x: SSAValue, name: str = "") -> SSAValue:
        return self.unary(ACTIVATIONS.get(name or self.act_name, ReluOp), x)

    def conv_norm(
        self, x: SSAValue, out: int, kernel: int = 1, stride: int = 1, groups: int = 1, act: bool = True
    ) -> SSAValue:
        """Convolution, batch norm, and an activation unless told otherwise."""
        x = self.norm(self.conv(x, out, kernel, stride, groups))
        return self.act(x) if act else x

    def pool(self, x: SSAValue, kernel: int, stride: int, kind: str = "max", pad: int = -1) -> SSAValue:
        pad = (kernel - 1) // 2 if pad < 0 else pad
        op = PoolOp(x, kind=kind, kernel=(kernel,) * 2, strides=(stride,) * 2, pads=(pad,) * 4, ceil=kind == "mean")
        return self.add(op)

    def mean(self, x: SSAValue) -> SSAValue:
        """Of each channel: [batch, channels, 1, 1]."""
        return self.add(ReduceOp(x, kind="mean", axes=(2, 3), keep_dims=True))

    def squeeze_excite(self, x: SSAValue, reduced: int, act: str = "") -> SSAValue:
        """Channels scaled by what two small layers make of their means."""
        gate = self.act(self.conv(self.mean(x), reduced, bias=True), act)
        gate = self.unary(SigmoidOp, self.conv(gate, shape_of(x)[1], bias=True))
        return self.binary(MulOp, x, gate)

    def channel_attention(self, x: SSAValue) -> SSAValue:
        """Channels scaled by a 1D convolution over their means: no work but the scaling."""
        gate = self.unary(SigmoidOp, self.mean(x))
        return self.binary(MulOp, x, gate)

    def dense(self, x: SSAValue, out: int, bias: bool = True) -> SSAValue:
        """`x` [rows, in] times a weight, in f16 whatever x is in."""
        x = self.cast(x, F16)
        inner = shape_of(x)[-1]
        y = self.linear(x, out, bias)
        self._count(y, inner, out * (inner + bias))
        return y

    def classify(self, x: SSAValue, classes: int = 1000) -> None:
        x = self.mean(x)
        self.dense(self.view(x, self.batch, shape_of(x)[1]), classes)

    def normed(self, x: SSAValue) -> SSAValue:
        """Layer norm of the last axis in f32."""
        self.size.parameters += 2 * shape_of(x)[-1] * self._times
        return self.layer_norm(self.cast(x, F32))

    def attended(self, tokens: int, heads: int, depth: int) -> SSAValue:
        """Fused attention; q, k and v are parts of one product."""
        q = self.value(self.batch, heads, tokens, depth)
        y = self.add(AttentionOp(q, q, q))
        self.size.macs += 2 * heads * tokens * tokens * depth * self._times
        self.size.activations += heads * tokens * (tokens + depth) * self._times
        return self.view(y, self.batch * tokens, heads * depth)

    def residual(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """A sum in the wider of both types."""
        wide = F32 if F32 in (tensor_of(x).element_type, tensor_of(y).element_type) else F16
        return self.add(AddOp(self.value(*shape_of(x), element=wide), self.value(*shape_of(y), element=wide)))

    def cast_weights(self) -> None:
        """Autocast makes f16 copies of all weights, once a step."""
        parameters = int(self.size.parameters)
        self.cast(self.value(parameters, element=F32), F16)

    def _count(self, y: SSAValue, depth: int, parameters: int) -> None:
        outputs = prod(shape_of(y)) / self.batch * self._times
        self.size.macs += outputs * depth
        self.size.activations += outputs
        self.size.parameters += parameters * self._times


def rounded(channels: float, divisor: int = 8, limit: float = 0.9) -> int:
    """The nearest multiple that is not smaller than `limit` of it."""
    near = max(divisor, int(channels + divisor / 2) // divisor * divisor)
    return near + divisor if near < limit * channels else near
