"""Networks of depthwise and inverted residual blocks, from their published tables.

These are MobileNets, MnasNets, EfficientNets and similar networks, with names of PyTorch Image Models."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil

from xdsl.ir import SSAValue

from benchmarks.networks.families import Maker
from benchmarks.networks.images import ImageNetwork, rounded
from dialects.graph import shape_of


@dataclass(frozen=True)
class MobilePlan:
    """The stages of a network, and the rules by which their sizes are scaled."""

    stages: tuple[str, ...]
    """The blocks of each stage, as text: type and number of blocks, `k` kernel, `s` stride, `e` expansion, `c`
    channels, `se` squeeze-excite.

    Types: `ds` depthwise and pointwise convolution; `ir` inverted residual; `er` one dense convolution (with `f`
    channels) instead of the first two convolutions of `ir`; `cn` a convolution.
    """
    wide: float = 1.0
    deep: float = 1.0
    act: str = "silu"
    stem: int = 32
    head: int = 1280
    fixed: bool = False
    """True if the stem, the head, and the depths of the first and last stage are not scaled."""
    gate_of_inner: bool = False
    """True if the inner layer of squeeze-excite has a quarter of the expanded channels, instead of a quarter of the
    block's input channels."""
    nearest: bool = False
    """True if depths are rounded to the nearest integer instead of up, and if `fixed` applies only to the stem."""
    late_head: bool = False
    """True if the head is applied after the mean over the image."""

    @property
    def plain(self) -> bool:
        """Return True if depthwise blocks have no residual sum and end in an activation."""
        return self.stages in (_MOBILE1, _LC)


def _stages(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


_B0 = _stages("""
    ds 1 k3 s1 e1 c16 se
    ir 2 k3 s2 e6 c24 se
    ir 2 k5 s2 e6 c40 se
    ir 3 k3 s2 e6 c80 se
    ir 3 k5 s1 e6 c112 se
    ir 4 k5 s2 e6 c192 se
    ir 1 k3 s1 e6 c320 se
""")
_LITE = tuple(stage.removesuffix(" se") for stage in _B0)
_EDGE = _stages("""
    er 1 k3 s1 e4 c24 f24
    er 2 k3 s2 e8 c32
    er 4 k3 s2 e8 c48
    ir 5 k5 s2 e8 c96
    ir 4 k5 s1 e8 c144
    ir 2 k5 s2 e8 c192
""")
_V2_BASE = _stages("""
    cn 1 k3 s1 c16
    er 2 k3 s2 e4 c32
    er 2 k3 s2 e4 c48
    ir 3 k3 s2 e4 c96 se
    ir 5 k3 s1 e6 c112 se
    ir 8 k3 s2 e6 c192 se
""")
_MOBILE1 = _stages("""
    ds 1 k3 s1 c64
    ds 2 k3 s2 c128
    ds 2 k3 s2 c256
    ds 6 k3 s2 c512
    ds 2 k3 s2 c1024
""")
_MOBILE2 = _stages("""
    ds 1 k3 s1 c16
    ir 2 k3 s2 e6 c24
    ir 3 k3 s2 e6 c32
    ir 4 k3 s2 e6 c64
    ir 3 k3 s1 e6 c96
    ir 3 k3 s2 e6 c160
    ir 1 k3 s1 e6 c320
""")
_LARGE = _stages("""
    ds 1 k3 s1 c16
    ir 1 k3 s2 e4 c24, ir 1 k3 s1 e3 c24
    ir 3 k5 s2 e3 c40 se
    ir 1 k3 s2 e6 c80, ir 1 k3 s1 e2.5 c80, ir 2 k3 s1 e2.3 c80
    ir 2 k3 s1 e6 c112 se
    ir 3 k5 s2 e6 c160 se
    cn 1 k1 s1 c960
""")
_SMALL = _stages("""
    ds 1 k3 s2 c16 se
    ir 1 k3 s2 e4.5 c24, ir 1 k3 s1 e3.67 c24
    ir 1 k5 s2 e4 c40 se, ir 2 k5 s1 e6 c40 se
    ir 2 k5 s1 e3 c48 se
    ir 3 k5 s2 e6 c96 se
    cn 1 k1 s1 c576
""")
_MNAS = _stages("""
    ds 1 k3 s1 c16
    ir 3 k3 s2 e3 c24
    ir 3 k5 s2 e3 c40
    ir 3 k5 s2 e6 c80
    ir 2 k3 s1 e6 c96
    ir 4 k5 s2 e6 c192
    ir 1 k3 s1 e6 c320
""")
_SEMNAS = _stages("""
    ds 1 k3 s1 c16
    ir 2 k3 s2 e6 c24
    ir 3 k5 s2 e3 c40 se
    ir 4 k3 s2 e6 c80
    ir 2 k3 s1 e6 c112 se
    ir 3 k5 s2 e6 c160 se
    ir 1 k3 s1 e6 c320
""")
_FB = _stages("""
    ir 1 k3 s1 e1 c16
    ir 1 k3 s2 e6 c24, ir 2 k3 s1 e1 c24
    ir 1 k5 s2 e6 c32, ir 1 k5 s1 e3 c32, ir 1 k5 s1 e6 c32, ir 1 k3 s1 e6 c32
    ir 1 k5 s2 e6 c64, ir 1 k5 s1 e3 c64, ir 2 k5 s1 e6 c64
    ir 3 k5 s1 e6 c112, ir 1 k5 s1 e3 c112
    ir 4 k5 s2 e6 c184
    ir 1 k3 s1 e6 c352
""")
_LC = _stages("""
    ds 1 k3 s1 c32
    ds 2 k3 s2 c64
    ds 2 k3 s2 c128
    ds 1 k3 s2 c256, ds 1 k5 s1 c256
    ds 4 k5 s1 c256
    ds 2 k5 s2 c512 se
""")
_V2 = {
    "s": ((2, 4, 4, 6, 9, 15), (24, 48, 64, 128, 160, 256)),
    "m": ((3, 5, 5, 7, 14, 18, 5), (24, 48, 80, 160, 176, 304, 512)),
    "l": ((4, 7, 7, 10, 19, 25, 7), (32, 64, 96, 192, 224, 384, 640)),
    "xl": ((4, 8, 8, 16, 24, 32, 8), (32, 64, 96, 192, 256, 512, 640)),
}
"""The numbers of blocks and of channels of each stage, by the network's name."""
_SCALES = {
    "b0": (1.0, 1.0),
    "b1": (1.0, 1.1),
    "b2": (1.1, 1.2),
    "b3": (1.2, 1.4),
    "b4": (1.4, 1.8),
    "b5": (1.6, 2.2),
    "b6": (1.8, 2.6),
    "b7": (2.0, 3.1),
    "b8": (2.2, 3.6),
}
"""The factors by which channels and blocks are scaled, by the network's name."""
_EDGES = {"es": (1.0, 1.0), "em": (1.0, 1.1), "el": (1.2, 1.4)}
_TINY = {"a": (1.0, 1.2), "b": (0.75, 1.1), "c": (0.54, 0.85), "d": (0.54, 0.695), "e": (0.51, 0.6)}


def plan_of(name: str) -> MobilePlan | None:
    """Return the plan of a network by its name; None if it is unknown."""
    name = name.removeprefix("tf_")
    if found := re.match(r"efficientnet_(b\d)$", name):
        return MobilePlan(_B0, *_SCALES[found[1]], head=0)
    if found := re.match(r"efficientnet_lite(\d)$", name):
        return MobilePlan(_LITE, *_SCALES["b" + found[1]], act="relu6", fixed=True)
    if found := re.match(r"efficientnet_(e[sml])$", name):
        return MobilePlan(_EDGE, *_EDGES[found[1]], act="relu", head=0)
    if found := re.match(r"efficientnetv2_(b\d)$", name):
        return MobilePlan(_V2_BASE, *_SCALES[found[1]], head=0)
    if (found := re.match(r"efficientnetv2_(s|m|l|xl)$", name)) and found[1] in _V2:
        return MobilePlan(_second(*_V2[found[1]]), stem=_V2[found[1]][1][0])
    if found := re.match(r"tinynet_([a-e])$", name):
        return MobilePlan(_B0, *_TINY[found[1]], fixed=True, nearest=True)
    return _small(name)


def _small(name: str) -> MobilePlan | None:
    found = re.match(r"([a-z]+(?:v\d)?(?:_large|_small)?)_(\d{3})(d)?$", name)
    if name == "fbnetc_100":
        return MobilePlan(_FB, act="relu", stem=16, head=1984)
    if not found:
        return None
    kind, wide = found[1], int(found[2]) / 100
    plain = {
        "mobilenetv1": MobilePlan(_MOBILE1, wide, act="relu6", head=0),
        "mobilenetv2": MobilePlan(_MOBILE2, wide, act="relu6"),
        "mobilenetv3_large": MobilePlan(_LARGE, wide, stem=16, late_head=True, gate_of_inner=True),
        "mobilenetv3_small": MobilePlan(_SMALL, wide, stem=16, head=1024, late_head=True, gate_of_inner=True),
        "mnasnet": MobilePlan(_MNAS, wide, act="relu"),
        "semnasnet": MobilePlan(_SEMNAS, wide, act="relu"),
        "lcnet": MobilePlan(_LC, wide, stem=16, late_head=True, gate_of_inner=True),
    }.get(kind)
    if plain is None or not found[3]:
        return plain
    deep = {"110": (1.1, 1.2), "120": (1.2, 1.4)}.get(found[2])
    return MobilePlan(_MOBILE2, *deep, act="relu6", fixed=True) if deep and kind == "mobilenetv2" else None


def _second(counts: tuple[int, ...], channels: tuple[int, ...]) -> tuple[str, ...]:
    """Return the stages of EfficientNetV2 (Tan & Le, 2021) with given numbers of blocks and channels."""
    forms = ("cn {} k3 s1 c{}", "er {} k3 s2 e4 c{}", "er {} k3 s2 e4 c{}", "ir {} k3 s2 e4 c{} se")
    forms += ("ir {} k3 s1 e6 c{} se", "ir {} k3 s2 e6 c{} se", "ir {} k3 s1 e6 c{} se")
    return tuple(form.format(count, width) for form, count, width in zip(forms, counts, channels, strict=False))


def mobile(name: str) -> Maker | None:
    """Return a maker of a network of this file by its name; None for any other name."""
    plan = plan_of(name)
    if plan is None:
        return None

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size, plan.act, name.startswith("tf_"))
        x = net.conv_norm(net.image, plan.stem if plan.fixed else rounded(plan.stem * plan.wide), 3, 2)
        for number, stage in enumerate(plan.stages):
            ends = plan.fixed and not plan.nearest and number in (0, len(plan.stages) - 1)
            for block in stage.split(", "):
                x = _blocks(net, x, block.split(), plan, 1.0 if ends else plan.deep)
        head = _head(plan)
        if plan.late_head:
            x = net.act(net.conv(net.mean(x), head, bias=True))
            net.dense(net.view(x, batch, head), 1000)
            return net
        net.classify(net.conv_norm(x, head) if head else x)
        return net

    return make


def _head(plan: MobilePlan) -> int:
    """Return the number of channels of the last convolution; 0 for MobileNetV1, which has no convolution after its
    stages."""
    if plan.head:
        return plan.head
    return 0 if plan.stages is _MOBILE1 else rounded(1280 * plan.wide)


def _blocks(net: ImageNetwork, x: SSAValue, words: list[str], plan: MobilePlan, deep: float) -> SSAValue:
    kind, count = words[0], max(1, round(int(words[1]) * deep) if plan.nearest else ceil(int(words[1]) * deep))
    parameters = {word[0]: float(word[1:]) for word in words[2:] if word != "se"}
    channels, kernel = rounded(parameters["c"] * plan.wide), parameters["k"]
    for number in range(count):
        stride = 1 if number else int(parameters["s"])
        y = _inner(net, x, kind, parameters, channels, stride, "se" in words, plan)
        skips = kernel > 1 and not (kind == "ds" and plan.plain)
        x = net.residual(y, x) if skips and stride == 1 and shape_of(x)[1] == channels else y
    return x


def _inner(
    net: ImageNetwork,
    x: SSAValue,
    kind: str,
    parameters: dict[str, float],
    out: int,
    stride: int,
    gated: bool,
    plan: MobilePlan,
) -> SSAValue:
    before, kernel = shape_of(x)[1], int(parameters["k"])
    if kind == "cn":
        return net.conv_norm(x, out, kernel, stride)
    inner = rounded((rounded(parameters["f"] * plan.wide) if "f" in parameters else before) * parameters.get("e", 1))
    if kind == "er":
        return net.conv_norm(net.conv_norm(x, inner, kernel, stride), out, act=False)
    if kind == "ir":
        x = net.conv_norm(x, inner)
    x = net.conv_norm(x, inner, kernel, stride, inner)
    if gated:
        x = net.squeeze_excite(x, rounded(inner / 4) if plan.gate_of_inner else max(1, round(before * 0.25)))
    return net.conv_norm(x, out, act=kind == "ds" and plan.plain)
