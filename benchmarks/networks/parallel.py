"""Convolutional networks with parallel paths, also of several resolutions, or with numbers of channels that grow from
block to block."""

from __future__ import annotations

import re

from xdsl.ir import SSAValue

from benchmarks.networks.families import Maker
from benchmarks.networks.images import ImageNetwork, rounded
from dialects.graph import MulOp, SigmoidOp, shape_of


def _bottleneck(net: ImageNetwork, x: SSAValue, planes: int) -> SSAValue:
    y = net.conv_norm(net.conv_norm(net.conv_norm(x, planes), planes, 3), 4 * planes, act=False)
    if shape_of(x)[1] != 4 * planes:
        x = net.conv_norm(x, 4 * planes, act=False)
    return net.act(net.residual(y, x))


def high_resolution(name: str) -> Maker | None:
    """Return a maker of HRNet (Wang et al., 2019)."""
    found = re.match(r"hrnet_w(\d+)(_small_v2)?$", name)
    if not found:
        return None
    width, blocks = int(found[1]), 2 if found[2] else 4
    modules = (1, 3, 2) if found[2] else (1, 4, 3)

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size)
        x = net.conv_norm(net.conv_norm(net.image, 64, 3, 2), 64, 3, 2)
        for _ in range(blocks):
            x = _bottleneck(net, x, 64)
        paths = [net.conv_norm(x, width, 3)]
        for stage, count in enumerate(modules):
            paths.append(net.conv_norm(paths[-1] if stage else x, width << (stage + 1), 3, 2))
            for _ in range(count):
                for _ in range(blocks):
                    paths = [_basic(net, path) for path in paths]
                paths = [_fused(net, paths, at) for at in range(len(paths))]
        y = _bottleneck(net, paths[0], 32)
        for stage, path in enumerate(paths[1:]):
            down = net.act(net.norm(net.conv(y, 256 << stage, 3, 2, bias=True)))
            y = net.residual(_bottleneck(net, path, 64 << stage), down)
        net.classify(net.act(net.norm(net.conv(y, 2048, bias=True))))
        return net

    return make


def _basic(net: ImageNetwork, x: SSAValue) -> SSAValue:
    channels = shape_of(x)[1]
    return net.act(net.residual(net.conv_norm(net.conv_norm(x, channels, 3), channels, 3, act=False), x))


def _fused(net: ImageNetwork, paths: list[SSAValue], at: int) -> SSAValue:
    """Add the sum of all paths, each converted to the resolution of path number `at`."""
    channels, total = shape_of(paths[at])[1], paths[at]
    for index, path in enumerate(paths):
        if index > at:
            net.conv_norm(path, channels, act=False)
            path = net.scaled(net.value(*shape_of(paths[at])))  # upsampled: written at full size
        for step in range(index, at):
            last = step == at - 1
            path = net.conv_norm(path, channels if last else shape_of(path)[1], 3, 2, act=not last)
        total = total if index == at else net.residual(total, path)
    return net.act(total)


_DUAL = {
    "dpn68": (64, 10, 128, 32, (3, 4, 12, 3), (16, 32, 32, 64)),
    "dpn98": (256, 96, 160, 40, (3, 6, 20, 3), (16, 32, 32, 128)),
}
"""For each network: the numbers of channels of the first stage, of the stem, and inside of the first stage's blocks;
the number of groups; the number of blocks of each stage; the number of channels that each block of a stage appends."""


def dual_path(name: str) -> Maker | None:
    """Return a maker of DPN (Chen et al., 2017), each of whose blocks adds its result to some channels and appends new
    channels."""
    if name not in _DUAL:
        return None
    base, stem, first, groups, depths, steps = _DUAL[name]

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size)
        x = net.pool(net.conv_norm(net.image, stem, 3 if base == 64 else 7, 2), 3, 2)
        for stage, (count, step) in enumerate(zip(depths, steps, strict=True)):
            width, inner = base << stage, first << stage
            for block in range(count):
                stride = 2 if stage and not block else 1
                if not block:
                    net.conv(net.act(net.norm(x)), width + 2 * step, 1, stride)
                y = net.act(net.norm(net.conv(net.act(net.norm(x)), inner)))
                y = net.act(net.norm(net.conv(y, inner, 3, stride, groups)))
                y = net.conv(y, width + step)
                _, _, high, wide = shape_of(y)
                part = net.value(batch, width, high, wide)
                kept = 2 * step if not block else shape_of(x)[1] - width
                grown = net.value(batch, kept, high, wide)
                grown = net.joined(grown, net.value(batch, step, high, wide), axis=1)
                x = net.joined(net.residual(part, part), grown, axis=1)
        x = net.mean(net.act(net.norm(x)))
        net.dense(net.view(x, batch, shape_of(x)[1]), 1000)
        return net

    return make


_HG_TINY = ((96, 224, 1), (128, 448, 1), (160, 512, 2), (192, 768, 1))
"""For each stage: channels inside of a block, channels after a block, and number of blocks."""


def high_performance(name: str) -> Maker | None:
    """Return a maker of PP-HGNet."""
    if name != "hgnet_tiny":
        return None

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size)
        x = net.conv_norm(net.conv_norm(net.conv_norm(net.image, 48, 3, 2), 48, 3), 96, 3)
        x = net.pool(x, 3, 2)
        for stage, (inner, width, count) in enumerate(_HG_TINY):
            if stage:
                x = net.conv_norm(x, shape_of(x)[1], 3, 2, shape_of(x)[1], act=False)
            for block in range(count):
                parts = [x]
                for _ in range(5):
                    parts.append(net.conv_norm(parts[-1], inner, 3))
                y = net.conv_norm(net.joined(*parts, axis=1), width)
                y = net.binary(MulOp, y, net.unary(SigmoidOp, net.conv(net.mean(y), width, bias=True)))
                x = net.residual(y, x) if block else y
        net.classify(net.act(net.conv(net.mean(x), 2048)))
        return net

    return make


def growing(name: str) -> Maker | None:
    """Return a maker of ReXNet (Han et al., 2020)."""
    found = re.match(r"rexnet(r?)_(\d+)$", name)
    if not found:
        return None
    wide, divisor = int(found[2]) / 100, 8 if found[1] else 1

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size, "silu")
        x = net.conv_norm(net.image, rounded(round(32 * wide), divisor), 3, 2)
        number = 0
        for stage, (count, first) in enumerate(zip((1, 2, 2, 3, 3, 5), (1, 2, 2, 2, 1, 2), strict=True)):
            for block in range(count):
                before, stride = shape_of(x)[1], 1 if block else first
                out = rounded(round((16 + number * 180 / 16) * wide), divisor)
                inner = rounded(before * 6, divisor) if stage else before
                y = net.conv_norm(x, inner) if stage else x
                y = net.conv_norm(y, inner, 3, stride, inner, act=False)
                if stage > 1:
                    reduced = rounded(int(inner / 12), divisor)
                    y = net.squeeze_excite(y, reduced, "relu")
                    net.size.parameters += 2 * reduced
                y = net.conv_norm(net.act(y, "relu"), out, act=False)
                if stride == 1 and before <= out:
                    part = net.value(*shape_of(x))
                    net.residual(part, part)
                    y = net.scaled(y)  # concatenated with the channels without a sum
                x, number = y, number + 1
        net.classify(net.conv_norm(x, int(1280 * wide)))
        return net

    return make


PARALLEL = (high_resolution, dual_path, high_performance, growing)
"""Functions that return a maker for the name of a network of their family, and None for any other name."""
