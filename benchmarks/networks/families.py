"""Families of convolutional networks, from their published tables, with names of PyTorch Image Models."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import log

from xdsl.ir import SSAValue

from benchmarks.networks.graph import F16, F32
from benchmarks.networks.images import ImageNetwork, rounded
from dialects.graph import shape_of

Maker = Callable[[int, int], ImageNetwork]
"""A function that makes a network from a batch size and an image height (equal to its width, pixels)."""

DEPTHS = {
    "10": (1, 1, 1, 1),
    "14": (1, 1, 1, 1),
    "18": (2, 2, 2, 2),
    "26": (2, 2, 2, 2),
    "34": (3, 4, 6, 3),
    "50": (3, 4, 6, 3),
    "101": (3, 4, 23, 3),
    "152": (3, 8, 36, 3),
    "200": (3, 24, 36, 3),
    "269": (3, 30, 48, 8),
}
_SCALED = DEPTHS | {"270": (4, 29, 53, 4), "350": (4, 36, 72, 4), "420": (4, 44, 87, 4)}
_RESNET = re.compile(
    r"(?P<wide>wide_)?(?P<pre>se|eca|tv_)?res(?P<next>ne(x)?t)(?P<rs>rs)?(?P<depth>\d+)(?P<stem>[cdts])?"
    r"(_(?P<card>\d+)x(?P<width>\d+)d|_(?P<times>2))?$"
)


def residual_network(name: str) -> Maker | None:
    """Return a maker of ResNet (He et al., 2015) and its variants.

    Variants are ResNeXt, Wide ResNet, SE, ECA, ResNet-D and ResNet-RS."""
    found = _RESNET.match(name.removeprefix("legacy_"))
    depths = found and (_SCALED if found["rs"] else DEPTHS).get(found["depth"])
    if not found or not depths:
        return None
    groups, width = int(found["card"] or 1), int(found["width"] or (128 if found["times"] else 64))
    basic = found["depth"] in ("10", "18", "34")
    stem, scaled = found["stem"] or "", bool(found["rs"])

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size)
        x = _residual_stem(net, "d" if scaled else stem)
        x = net.conv_norm(x, 64, 3, 2) if scaled else net.pool(x, 3, 2)
        for stage, count in enumerate(depths):
            planes = 64 << stage
            for block in range(count):
                stride = 2 if stage and not block else 1
                y = _residual_block(net, x, planes, stride, basic, groups, width)
                y = _gated(net, y, found["pre"] or ("rs" if scaled else ""))
                if not block and (stride > 1 or shape_of(x)[1] != shape_of(y)[1]):
                    x = _shortcut(net, x, shape_of(y)[1], stride, bool(stem in ("d", "t") and stem) or scaled)
                x = net.act(net.residual(y, x))
        net.classify(x)
        return net

    return make


def _residual_stem(net: ImageNetwork, stem: str) -> SSAValue:
    if not stem:
        return net.conv_norm(net.image, 64, 7, 2)
    first, second, third = {"c": (32, 32, 64), "d": (32, 32, 64), "t": (24, 32, 64), "s": (64, 64, 128)}[stem]
    return net.conv_norm(net.conv_norm(net.conv_norm(net.image, first, 3, 2), second, 3), third, 3)


def _residual_block(
    net: ImageNetwork, x: SSAValue, planes: int, stride: int, basic: bool, groups: int, width: int
) -> SSAValue:
    if basic:
        return net.conv_norm(net.conv_norm(x, planes, 3, stride), planes, 3, act=False)
    inner = planes * width // 64 * groups
    x = net.conv_norm(net.conv_norm(x, inner), inner, 3, stride, groups)
    return net.conv_norm(x, 4 * planes, act=False)


def _gated(net: ImageNetwork, y: SSAValue, kind: str) -> SSAValue:
    channels = shape_of(y)[1]
    if kind in ("se", "rs"):
        return net.squeeze_excite(y, rounded(channels / (16 if kind == "se" else 4), limit=0))
    return net.channel_attention(y) if kind == "eca" else y


def _shortcut(net: ImageNetwork, x: SSAValue, channels: int, stride: int, average: bool) -> SSAValue:
    if average and stride > 1:
        x, stride = net.pool(x, 2, 2, "mean", 0), 1
    return net.conv_norm(x, channels, stride=stride, act=False)


def early_network(name: str) -> Maker | None:
    """Return a maker of ResNet with norm and activation before each convolution (He et al., 2016)."""
    found = re.match(r"resnetv2_(\d+)(d|t)?$", name)
    depths = DEPTHS.get(found[1]) if found and int(found[1]) >= 50 else None
    if not found or depths is None:
        return None

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size)
        x = net.conv(net.image, 64, 7, 2) if not found[2] else _residual_stem(net, found[2])
        x = net.pool(x, 3, 2)
        for stage, count in enumerate(depths):
            planes = 64 << stage
            for block in range(count):
                stride = 2 if stage and not block else 1
                y = net.act(net.norm(x))
                if not block:
                    x = net.pool(y, 2, 2, "mean", 0) if found[2] and stride > 1 else y
                    x = net.conv(x, 4 * planes, stride=1 if found[2] else stride)
                y = net.act(net.norm(net.conv(y, planes)))
                y = net.act(net.norm(net.conv(y, planes, 3, stride)))
                x = net.residual(net.conv(y, 4 * planes), x)
        net.classify(net.act(net.norm(x)))
        return net

    return make


_VGG = {"11": (1, 1, 2, 2, 2), "13": (2, 2, 2, 2, 2), "16": (2, 2, 3, 3, 3), "19": (2, 2, 4, 4, 4)}


def vgg(name: str) -> Maker | None:
    """Return a maker of VGG (Simonyan & Zisserman, 2014), with its classifier as convolutions."""
    found = re.match(r"vgg(\d+)(_bn)?$", name)
    if not found or found[1] not in _VGG:
        return None

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size)
        x = net.image
        for stage, count in enumerate(_VGG[found[1]]):
            for _ in range(count):
                x = net.conv(x, min(64 << stage, 512), 3, bias=True)
                x = net.act(net.norm(x) if found[2] else x)
            x = net.pool(x, 2, 2, pad=0)
        x = net.act(net.conv(x, 4096, 7, bias=True, pad=0))
        net.classify(net.act(net.conv(x, 4096, bias=True)))
        return net

    return make


_DENSE = {
    "121": (32, (6, 12, 24, 16)),
    "161": (48, (6, 12, 36, 24)),
    "169": (32, (6, 12, 32, 32)),
    "201": (32, (6, 12, 48, 32)),
}
"""For each network: the number of channels that each layer adds, and the number of layers of each block."""


def densenet(name: str) -> Maker | None:
    """Return a maker of DenseNet (Huang et al., 2016)."""
    found = re.match(r"(tv_)?densenet(\w+)$", name)
    if not found or found[2] not in _DENSE:
        return None
    growth, depths = _DENSE[found[2]]

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size)
        x = net.pool(net.conv_norm(net.image, 2 * growth, 7, 2), 3, 2)
        for stage, count in enumerate(depths):
            for block in range(count):
                joined = net.joined(net.view(x, *shape_of(x)), axis=1) if not block else x
                y = net.conv(net.act(net.norm(joined)), 4 * growth)
                y = net.conv(net.act(net.norm(y)), growth, 3)
                x = net.joined(x, y, axis=1)
            x = net.act(net.norm(x))
            if stage < 3:
                x = net.pool(net.conv(x, shape_of(x)[1] // 2), 2, 2, "mean", 0)
        net.classify(x)
        return net

    return make


_REGNETS = {
    "x_002": (24, 36.44, 2.49, 8, 13),
    "x_004": (24, 24.48, 2.54, 16, 22),
    "x_006": (48, 36.97, 2.24, 24, 16),
    "x_008": (56, 35.73, 2.28, 16, 16),
    "x_016": (80, 34.01, 2.25, 24, 18),
    "x_032": (88, 26.31, 2.25, 48, 25),
    "x_040": (96, 38.65, 2.43, 40, 23),
    "x_064": (184, 60.83, 2.07, 56, 17),
    "x_080": (80, 49.56, 2.88, 120, 23),
    "x_120": (168, 73.36, 2.37, 112, 19),
    "x_160": (216, 55.59, 2.1, 128, 22),
    "x_320": (320, 69.86, 2.0, 168, 23),
    "y_002": (24, 36.44, 2.49, 8, 13),
    "y_004": (48, 27.89, 2.09, 8, 16),
    "y_006": (48, 32.54, 2.32, 16, 15),
    "y_008": (56, 38.84, 2.4, 16, 14),
    "y_016": (48, 20.71, 2.65, 24, 27),
    "y_032": (80, 42.63, 2.66, 24, 21),
    "y_040": (96, 31.41, 2.24, 64, 22),
    "y_064": (112, 33.22, 2.27, 72, 25),
    "y_080": (192, 76.82, 2.19, 56, 17),
    "y_120": (168, 73.36, 2.37, 112, 19),
    "y_160": (200, 106.23, 2.48, 112, 18),
    "y_320": (232, 115.89, 2.53, 232, 20),
    "y_640": (352, 147.48, 2.4, 328, 20),
    "y_1280": (456, 160.83, 2.52, 264, 27),
}
"""For each network: first width, slope, step, group width and depth, as defined by Radosavovic et al., 2020."""


def regnet(name: str) -> Maker | None:
    """Return a maker of RegNetX, or RegNetY with squeeze-excite; RegNetV is a RegNetY with other activations."""
    kind = name.removeprefix("regnet").replace("v_", "y_")
    if not name.startswith("regnet") or kind not in _REGNETS:
        return None
    first, slope, step, group, depth = _REGNETS[kind]

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size, "silu" if "v_" in name else "relu")
        x = net.conv_norm(net.image, 32, 3, 2)
        for channels, count in _regnet_stages(first, slope, step, group, depth):
            for block in range(count):
                stride = 1 if block else 2
                before, inner = shape_of(x)[1], min(group, channels)
                y = net.conv_norm(net.conv_norm(x, channels), channels, 3, stride, channels // inner)
                y = net.squeeze_excite(y, round(before * 0.25)) if kind[0] == "y" else y
                y = net.conv_norm(y, channels, act=False)
                if not block:
                    x = net.conv_norm(x, channels, stride=stride, act=False)
                x = net.act(net.residual(y, x))
        net.classify(x)
        return net

    return make


def _regnet_stages(first: float, slope: float, step: float, group: int, depth: int) -> list[tuple[int, int]]:
    widths: list[int] = []
    for block in range(depth):
        exponent = round(log((first + slope * block) / first) / log(step))
        width = int(round(first * step**exponent / 8) * 8)
        inner = min(group, width)
        widths.append(int(round(width / inner) * inner))
    return [(width, widths.count(width)) for width in dict.fromkeys(widths)]


_REPVGG = {
    "a0": (0.75, 2.5),
    "a1": (1, 2.5),
    "a2": (1.5, 2.75),
    "b0": (1, 2.5),
    "b1": (2, 4),
    "b2": (2.5, 5),
    "b3": (3, 5),
}


def repvgg(name: str) -> Maker | None:
    """Return a maker of RepVGG (Ding et al., 2021) with the parallel branches that it has in training."""
    found = re.match(r"repvgg_([ab]\d)(g4)?$", name)
    if not found or found[1] not in _REPVGG:
        return None
    wide, last = _REPVGG[found[1]]
    depths = (2, 4, 14, 1) if found[1][0] == "a" else (4, 6, 16, 1)

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size)
        x = _rep(net, net.image, min(64, int(64 * wide)), 2, 1)
        for stage, count in enumerate(depths):
            channels = int((64 << stage) * (last if stage == 3 else wide))
            for block in range(count):
                groups = 4 if found[2] and block % 2 else 1
                x = _rep(net, x, channels, 1 if block else 2, groups)
        net.classify(x)
        return net

    return make


def _rep(net: ImageNetwork, x: SSAValue, channels: int, stride: int, groups: int) -> SSAValue:
    y = net.conv_norm(x, channels, stride=stride, groups=groups, act=False)
    y = net.residual(net.conv_norm(x, channels, 3, stride, groups, act=False), y)
    if stride == 1 and shape_of(x)[1] == channels:
        y = net.residual(y, net.norm(x))
    return net.act(y)


_CONVNEXT = {
    "atto": (40, (2, 2, 6, 2)),
    "femto": (48, (2, 2, 6, 2)),
    "pico": (64, (2, 2, 6, 2)),
    "nano": (80, (2, 2, 8, 2)),
    "tiny": (96, (3, 3, 9, 3)),
    "small": (96, (3, 3, 27, 3)),
    "base": (128, (3, 3, 27, 3)),
    "large": (192, (3, 3, 27, 3)),
    "xlarge": (256, (3, 3, 27, 3)),
    "huge": (352, (3, 3, 27, 3)),
}


def convnext(name: str) -> Maker | None:
    """Return a maker of ConvNeXt (Liu et al., 2022), or of ConvNeXt V2 with global response normalisation."""
    found = re.match(r"convnext(v2)?_(\w+)$", name)
    if not found or found[2] not in _CONVNEXT:
        return None
    width, depths = _CONVNEXT[found[2]]

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size, "gelu")
        x = _normed_image(net, net.conv(net.image, width, 4, 4, bias=True, pad=0))
        for stage, count in enumerate(depths):
            if stage:
                x = net.conv(_normed_image(net, x), width << stage, 2, 2, bias=True, pad=0)
            for _ in range(count):
                x = _convnext_block(net, x, bool(found[1]))
        net.classify(x)
        return net

    return make


def _normed_image(net: ImageNetwork, x: SSAValue) -> SSAValue:
    """Add a layer norm over channels in f32, whose result is converted to f16 for the next op."""
    batch, channels, height, width = shape_of(x)
    y = net.normed(net.value(batch * height * width, channels, element=F16))
    net.cast(y, F16)
    return net.value(batch, channels, height, width)


def _convnext_block(net: ImageNetwork, x: SSAValue, responses: bool) -> SSAValue:
    batch, channels, height, width = shape_of(x)
    y = net.conv(x, channels, 7, groups=channels, bias=True)
    y = net.normed(net.view(y, batch * height * width, channels))
    y = net.act(net.dense(y, 4 * channels))
    if responses:  # a norm in f32, then a scaling and a sum
        net.summed(y, 0)
        y = net.residual(y, net.scaled(net.scaled(net.cast(y, F32))))
    y = net.dense(y, channels)
    y = y if responses else net.scaled(y)
    return net.residual(net.view(y, *shape_of(x)), x)


FAMILIES = (residual_network, early_network, vgg, densenet, regnet, repvgg, convnext)
"""Functions that return a maker for the name of a network of their family, and None for any other name."""
