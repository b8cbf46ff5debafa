"""Split, pipelined and placed image networks compute what the network as it was read computes, down to single banks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.graph import ConvOp, MatmulOp
from dialects.pim import LaunchOp
from ndpir.check import NARROW_TOLERANCE, WIDE_TOLERANCE, Array, computes_narrow, error_of

MODELS = Path(__file__).parents[2] / "examples" / "models"

IMAGES = {"efficientnet_b0": 64, "mnasnet1_0": 64, "mobilenet_v2": 64, "resnet50": 64, "vgg16": 224}
"""Height and width of the images. VGG's is the smallest one that its classifier takes: that reads 512 x 7 x 7 numbers,
and five poolings halve the image."""

CUTS = {
    "rows": "split{op=conv axis=2 at=0.4}",
    "a tenth of the rows": "split{op=conv axis=2 at=0.1}",
    "three parts of columns": "split{op=conv axis=3 at=0.3,0.45}",
    "output channels": "split{op=conv axis=1 at=0.7}",
    "columns of products": "split{op=matmul axis=1 at=0.25}",
    "two stages": "chain{axis=2 stages=2}",
    "three stages": "chain{axis=2 stages=3}",
    "two stages of columns": "chain{axis=3 stages=2}",
    "channels split inside stages": "chain{axis=2 stages=2},split{op=conv axis=1 at=0.35}",
}


@dataclass(frozen=True)
class Plan:
    """How a program comes to the devices of a machine."""

    machine: str
    passes: str


PLANS = {
    "all that PIM can run": Plan("a100-newton", "place{policy=pim-first}"),
    "rows split, by cost": Plan("a100-newton", "split{op=conv axis=2 at=0.4},place{policy=cost}"),
}


@cache
def network(name: str, passes: str, batch: int = 1) -> ModuleOp:
    size = IMAGES[name]
    module = ndpir.read(MODELS / f"{name}.onnx", shapes={"x": (batch, 3, size, size)})
    return ndpir.compile(module, passes, machine="a100-newton")


@cache
def expected(name: str, passes: str, batch: int = 1) -> list[Array]:
    return ndpir.run(network(name, passes, batch))


def contractions(module: ModuleOp) -> int:
    return sum(isinstance(op, ConvOp | MatmulOp) for op in module.walk())


def holds(found: list[Array], wanted: list[Array], tolerance: float) -> bool:
    return len(found) == len(wanted) and all(error_of(*pair) <= tolerance for pair in zip(wanted, found, strict=True))


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", IMAGES)
def test_cut_networks(name: str, cut: str) -> None:
    """In f32, whose tolerance shows a single wrong row."""
    before = network(name, "canonicalize")
    after = ndpir.compile(before, CUTS[cut])
    assert contractions(after) > contractions(before)
    assert not computes_narrow(after)
    assert holds(ndpir.run(after), expected(name, "canonicalize"), WIDE_TOLERANCE)


def test_images_of_a_batch() -> None:
    before = network("mnasnet1_0", "canonicalize", batch=3)
    after = ndpir.compile(before, "split{op=conv axis=0 at=0.6}")
    assert contractions(after) > contractions(before)
    assert holds(ndpir.run(after), expected("mnasnet1_0", "canonicalize", batch=3), WIDE_TOLERANCE)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("name", ["mobilenet_v2", "efficientnet_b0"])
def test_placed_networks(name: str, plan: str) -> None:
    """Placing changes no number; what stands on a PIM is then computed by its banks, command by command."""
    passes, ready = PLANS[plan].passes, "canonicalize,fuse,narrow"
    placed = ndpir.compile(network(name, ready), passes, machine=PLANS[plan].machine)
    assert holds(ndpir.run(placed), expected(name, ready), NARROW_TOLERANCE)
    lowered = ndpir.compile(placed, "to-pim")
    assert sum(isinstance(op, LaunchOp) for op in lowered.walk()) >= 20
    assert holds(ndpir.run(lowered), expected(name, ready), NARROW_TOLERANCE)
