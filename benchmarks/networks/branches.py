"""Further convolutional networks, from the tables of their papers and of PyTorch Image Models.

They are networks without norms, networks of one-shot aggregation, SENet, Darknet, and variants of ResNet.
"""

from __future__ import annotations

import re

from xdsl.dialects.builtin import Float32Type
from xdsl.ir import SSAValue

from benchmarks.networks.families import Maker
from benchmarks.networks.images import ImageNetwork
from dialects.graph import MulOp, SigmoidOp, shape_of

_NF_REGNET = {
    "0": ((1, 3, 6, 6), (48, 104, 208, 440)),
    "1": ((2, 4, 7, 7), (48, 104, 208, 440)),
    "2": ((2, 4, 8, 8), (56, 112, 232, 488)),
    "3": ((2, 5, 9, 9), (56, 128, 248, 528)),
}
_NF_RESNET = {"26": (2, 2, 2, 2), "50": (3, 4, 6, 3), "101": (3, 4, 23, 3)}


def norm_free(name: str) -> Maker | None:
    """Return a maker of NFNet (Brock et al., 2021) or ResNet without norms, in which each forward pass standardises the
    weights."""
    found = re.match(r"(?:dm_)?nfnet_f(\d)$", name)
    resnet = re.match(r"nf_(eca)?resnet(\d+)$", name)
    if found:
        times = int(found[1]) + 1
        depths, widths, group = (times, 2 * times, 6 * times, 3 * times), (256, 512, 1536, 1536), 128
    elif resnet and resnet[2] in _NF_RESNET:
        depths, widths, group = _NF_RESNET[resnet[2]], (256, 512, 1024, 2048), 0
    else:
        return None

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size, "gelu" if found else "relu")
        if found:
            x = net.act(_standardised(net, net.image, 16, 3, 2))
            x = net.act(_standardised(net, net.act(_standardised(net, x, 32, 3)), 64, 3))
            x = _standardised(net, x, 128, 3, 2)
        else:
            x = net.pool(_standardised(net, net.image, 64, 7, 2), 3, 2)
        for stage, (count, width) in enumerate(zip(depths, widths, strict=True)):
            for block in range(count):
                stride = 2 if stage and not block else 1
                y = net.scaled(net.act(x))
                if not block:
                    x = _standardised(net, net.pool(y, 2, 2, "mean", 0) if stride > 1 else y, width)
                inner = width // 2 if group else width // 4
                groups = inner // group if group else 1
                y = net.act(_standardised(net, y, inner))
                y = net.act(_standardised(net, y, inner, 3, stride, groups))
                y = net.act(_standardised(net, y, inner, 3, 1, groups)) if group else y
                y = _standardised(net, y, width)
                if found:
                    y = net.scaled(net.scaled(net.squeeze_excite(y, width // 2, "relu")))
                elif resnet and resnet[1]:
                    y = net.scaled(net.channel_attention(y))
                x = net.residual(net.scaled(y), x)
        net.classify(net.act(_standardised(net, x, 3072) if found else x))
        return net

    return make


def _standardised(
    net: ImageNetwork, x: SSAValue, out: int, kernel: int = 1, stride: int = 1, groups: int = 1
) -> SSAValue:
    """Add a convolution whose weight is first standardised and multiplied by a gain."""
    net.scaled(net.value(out, shape_of(x)[1] // groups, kernel, kernel, element=Float32Type()))
    net.size.parameters += out
    return net.conv(x, out, kernel, stride, groups, bias=True)


_TIERED = {
    "resnext26": ((2, 2, 2, 2), (256, 512, 1024, 2048), 32, 0),
    "resnet32": ((2, 3, 3, 2), (256, 512, 1536, 1536), 0, 0),
    "resnet33": ((2, 3, 3, 2), (256, 512, 1536, 1536), 0, 1280),
}
"""For each network: the numbers of blocks and of channels of each stage, the channels per group (0: no groups), and the
channels of the head (0: no head)."""


def tiered(name: str) -> Maker | None:
    """Return a maker of ResNets with a stem of three convolutions and SiLU."""
    found = re.match(r"(eca_|se)?(resnext26|resnet32|resnet33)ts$", name)
    if not found:
        return None
    depths, widths, group, head = _TIERED[found[2]]

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size, "silu")
        x = net.conv_norm(net.conv_norm(net.image, 24, 3, 2), 32, 3)
        x = net.pool(net.conv_norm(x, 64, 3), 3, 2) if group else net.conv_norm(x, 64, 3, 2)
        for stage, (count, width) in enumerate(zip(depths, widths, strict=True)):
            for block in range(count):
                stride, inner = (2 if stage and not block else 1), width // 4
                y = net.conv_norm(net.conv_norm(x, inner), inner, 3, stride, inner // group if group else 1)
                if found[1]:
                    y = net.channel_attention(y) if found[1] == "eca_" else net.squeeze_excite(y, inner // 16)
                y = net.conv_norm(y, width, act=False)
                x = x if block else net.conv_norm(x, width, stride=stride, act=False)
                x = net.act(net.residual(y, x))
        net.classify(net.conv_norm(x, head) if head else x)
        return net

    return make


def senet(name: str) -> Maker | None:
    """Return a maker of SENet-154 (Hu et al., 2018)."""
    if name not in ("senet154", "legacy_senet154"):
        return None

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size)
        x = net.conv_norm(net.conv_norm(net.conv_norm(net.image, 64, 3, 2), 64, 3), 128, 3)
        x = net.pool(x, 3, 2)
        for stage, count in enumerate((3, 8, 36, 3)):
            planes = 64 << stage
            for block in range(count):
                stride = 2 if stage and not block else 1
                y = net.conv_norm(net.conv_norm(x, 2 * planes), 4 * planes, 3, stride, 64)
                y = net.squeeze_excite(net.conv_norm(y, 4 * planes, act=False), planes // 4)
                if not block:
                    x = net.conv_norm(x, 4 * planes, 3 if stage else 1, stride, act=False)
                x = net.act(net.residual(y, x))
        net.classify(x)
        return net

    return make


_DARK = {"darknet21": (1, 1, 1, 2, 2), "darknet53": (1, 2, 8, 8, 4)}


def darknet(name: str) -> Maker | None:
    """Return a maker of Darknet (Redmon & Farhadi, 2018)."""
    if name not in _DARK:
        return None

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size)
        x = net.conv_norm(net.image, 32, 3)
        for stage, count in enumerate(_DARK[name]):
            x = net.conv_norm(x, 64 << stage, 3, 2)
            for _ in range(count):
                x = net.residual(net.conv_norm(net.conv_norm(x, 32 << stage), 64 << stage, 3), x)
        net.classify(x)
        return net

    return make


_VOV = {"19b_dw": (64, 3, (1, 1, 1, 1)), "39b": (128, 5, (1, 1, 2, 2)), "99b": (128, 5, (1, 3, 9, 3))}
"""For each network: the channels of the stem, the number of layers per block, and the number of blocks of each
stage."""


def vovnet(name: str) -> Maker | None:
    """Return a maker of VoVNet (Lee et al., 2019)."""
    found = re.match(r"(ese|eca)_vovnet(\w+)$", name)
    if not found or found[2] not in _VOV:
        return None
    stem, layers, depths = _VOV[found[2]]
    apart = found[2].endswith("dw")

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size)
        x = net.conv_norm(net.image, 64, 3, 2)
        for channels, stride in ((64, 1), (stem, 2)):
            x = _thin(net, x, channels, stride) if apart else net.conv_norm(x, channels, 3, stride)
        for stage, count in enumerate(depths):
            x = net.pool(x, 3, 2) if stage else x
            inner, width = (128, 160, 192, 224)[stage], (256, 512, 768, 1024)[stage]
            for block in range(count):
                y = net.conv_norm(x, inner) if apart and shape_of(x)[1] != inner else x
                parts = [x]
                for _ in range(layers):
                    y = _thin(net, y, inner, 1) if apart else net.conv_norm(y, inner, 3)
                    parts.append(y)
                y = net.conv_norm(net.joined(*parts, axis=1), width)
                if block == count - 1 and found[1] == "ese":
                    gate = net.unary(SigmoidOp, net.conv(net.mean(y), width, bias=True))
                    y = net.binary(MulOp, y, gate)
                elif block == count - 1:
                    y = net.channel_attention(y)
                x = net.residual(y, x) if block else y
        net.classify(x)
        return net

    return make


def _thin(net: ImageNetwork, x: SSAValue, out: int, stride: int) -> SSAValue:
    """Add a depthwise convolution, and then a pointwise convolution."""
    return net.conv_norm(net.conv(x, shape_of(x)[1], 3, stride, shape_of(x)[1]), out)


BRANCHES = (norm_free, tiered, senet, darknet, vovnet)
"""Functions that return a maker for the name of a network of their family, and None for any other name."""
