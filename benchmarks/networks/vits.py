"""Plain vision transformers (Dosovitskiy et al., 2020; Touvron et al., 2020), with names of PyTorch Image Models."""

from __future__ import annotations

import re
from dataclasses import dataclass

from xdsl.ir import SSAValue

from benchmarks.networks.families import Maker
from benchmarks.networks.graph import F16, F32
from benchmarks.networks.images import ImageNetwork
from dialects.graph import AddOp, shape_of


@dataclass(frozen=True)
class Sizes:
    """Sizes of a transformer whose tokens are image patches."""

    width: int
    heads: int
    layers: int = 12
    hidden: int = 0
    """The width of the MLP's hidden layer; 0: 4 times `width`."""


_SIZES = {
    "tiny": Sizes(192, 3),
    "small": Sizes(384, 6),
    "medium": Sizes(512, 8),
    "base": Sizes(768, 12),
    "large": Sizes(1024, 16, 24),
    "huge": Sizes(1280, 16, 32),
    "giant": Sizes(1408, 16, 40, 6144),
    "gigantic": Sizes(1664, 16, 48, 8192),
    "so400m": Sizes(1152, 16, 27, 4304),
}
_NAME = re.compile(
    r"(?P<kind>vit|deit|deit3|beit|beitv2|eva)_(?P<size>[a-z0-9]+?)(?P<distilled>_distilled)?_patch(?P<patch>\d+)"
    r"(?P<rest>_[a-z0-9_]+)?$"
)


def vision_transformer(name: str) -> Maker | None:
    """Return a maker of the vision transformer `name`; None for any other name. Names are ambiguous: the caller must
    check the network's totals."""
    found = _NAME.match(name)
    sizes = _SIZES.get(found["size"]) if found else None
    if not found or sizes is None or re.search("rope|relpos|rpn", name):
        return None
    patch, rest = int(found["patch"]), found["rest"] or ""
    pooled = "_gap" in rest or "siglip" in rest
    extra = (0 if pooled else 1) + int(bool(found["distilled"])) + (4 if "reg4" in rest else 0)
    scaled = found["kind"] in ("deit3", "beit", "beitv2") or "dinov2" in rest

    def make(batch: int, size: int) -> ImageNetwork:
        net = ImageNetwork(batch, size, "gelu")
        x = net.conv(net.image, sizes.width, patch, patch, bias=True, pad=0)
        patches = shape_of(x)[2] * shape_of(x)[3]
        tokens = patches + extra
        rows = batch * tokens
        x = net.joined(net.value(batch, patches, sizes.width), net.value(batch, max(extra, 1), sizes.width), axis=1)
        net.size.parameters += tokens * sizes.width
        position = net.value(tokens, sizes.width, element=F32)
        net.add(AddOp(net.value(batch, tokens, sizes.width, element=F32), position))
        with net.times(sizes.layers):
            _layer(net, net.value(rows, sizes.width, element=F32), sizes, tokens, scaled)
        if not pooled:
            net.normed(net.value(rows, sizes.width, element=F32))
        net.normed(net.value(batch, sizes.width, element=F32)) if "_gap" in rest else None
        if "clip" not in rest or "quickgelu" not in rest:
            net.dense(net.value(batch, sizes.width), 1000)
        return net

    return make


def _layer(net: ImageNetwork, x: SSAValue, sizes: Sizes, tokens: int, scaled: bool) -> None:
    net.dense(net.normed(x), 3 * sizes.width)
    y = net.attended(tokens, sizes.heads, sizes.width // sizes.heads)
    y = net.dense(y, sizes.width)
    x = net.residual(x, net.residual(y, net.value(sizes.width, element=F32)) if scaled else y)
    y = net.act(net.dense(net.normed(x), sizes.hidden or 4 * sizes.width))
    y = net.dense(net.value(*shape_of(y), element=F16), sizes.width)
    net.residual(x, net.residual(y, net.value(sizes.width, element=F32)) if scaled else y)
