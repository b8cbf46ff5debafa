"""Image networks that are split, pipelined and placed, down to bank commands, compute the results of the original
network."""

from __future__ import annotations

import re
from functools import cache
from itertools import cycle, islice
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.graph import ConvOp, MatmulOp
from dialects.pim import LaunchOp
from ndpir.cli.check import FULL_TOLERANCE, REDUCED_TOLERANCE, Array, error_of, has_reduced_precision

ROOT = Path(__file__).parents[2]

IMAGES = {"efficientnet_b0": 64, "mnasnet1_0": 64, "mobilenet_v2": 64, "resnet50": 64, "vgg16": 224}
"""The height and width in pixels of each network's input images. 224 is the smallest size for VGG: its classifier reads
512 x 7 x 7 numbers, after five poolings that each halve the image."""

CUTS = {
    "rows": "fuse,split{op=conv axis=2 at=0.4}",
    "rows of single ops": "split{op=conv axis=2 at=0.4}",
    "a tenth of the rows": "fuse,split{op=conv axis=2 at=0.1}",
    "three parts of columns": "fuse,split{op=conv axis=3 at=0.3,0.45}",
    "output channels": "fuse,split{op=conv axis=1 at=0.7}",
    "columns of products": "fuse,split{op=matmul axis=1 at=0.25}",
    "two stages": "fuse,chain{axis=2 stages=2}",
    "two stages of single ops": "chain{axis=2 stages=2}",
    "three stages": "fuse,chain{axis=2 stages=3}",
    "two stages of columns": "fuse,chain{axis=3 stages=2}",
    "channels split inside stages": "fuse,chain{axis=2 stages=2},split{op=conv axis=1 at=0.35}",
}

PAIRS = [(name, cut) for number, cut in enumerate(CUTS) for name in islice(cycle(sorted(IMAGES)), number, number + 1)]
"""The tested pairs of a network and a split of CUTS: each split with at least one network, each network with two or
three splits."""

PLANS = [
    ("mobilenet_v2", "a100-newton", "place{policy=pim-first}", False),
    ("mnasnet1_0", "small", "chain{axis=2 stages=2},place{policy=greedy}", True),
    ("efficientnet_b0", "small", "place{policy=pimflow}", True),
]
"""Test cases: a network, a machine, the passes to run, and True if the passes must split ops.

The machine `small` is PIMFlow's with 1 PIM channel instead of 16, so that the placement of these small images gives
work to both the GPU and the PIM, as the full machine's does for large images.
"""


pytestmark = pytest.mark.usefixtures("uncompared")


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    text = (ROOT / "interp" / "devices" / "pimflow.mlir").read_text()
    path = tmp_path_factory.mktemp("machines") / "small.mlir"
    path.write_text(re.sub('@pim = "newton" {.*}', '@pim = "newton" {channels = 1}', text))  # without time for launches
    assert "channels = 1" in path.read_text()
    return {"small": str(path)}


@cache
def network(name: str, batch: int = 1) -> ModuleOp:
    return ndpir.read(ROOT / f"examples/models/{name}.onnx", shapes={"x": (batch, 3, IMAGES[name], IMAGES[name])})


@cache
def expected(name: str, batch: int = 1) -> list[Array]:
    return ndpir.run(network(name, batch))


def contractions(module: ModuleOp) -> int:
    return sum(isinstance(op, ConvOp | MatmulOp) for op in module.walk())


def holds(found: list[Array], wanted: list[Array], tolerance: float) -> bool:
    return len(found) == len(wanted) and all(error_of(*pair) <= tolerance for pair in zip(wanted, found, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "cut"), PAIRS)
def test_cut_networks(name: str, cut: str) -> None:
    """Networks compute in f32, so a wrong row at the edge of a part would change results by more than a hundredth."""
    after = ndpir.compile(network(name), f"canonicalize,{CUTS[cut]}")
    assert contractions(after) > contractions(network(name))
    assert not has_reduced_precision(after)
    assert holds(ndpir.run(after), expected(name), FULL_TOLERANCE)


@pytest.mark.slow
def test_images_of_a_batch() -> None:
    before = network("mnasnet1_0", batch=3)
    after = ndpir.compile(before, "canonicalize,fuse,split{op=conv axis=0 at=0.6}")
    assert contractions(after) > contractions(before)
    assert holds(ndpir.run(after), expected("mnasnet1_0", batch=3), FULL_TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "machine", "plan", "cut"), PLANS)
def test_placed_networks(name: str, machine: str, plan: str, cut: bool, machines: dict[str, str]) -> None:
    """Networks compute in f16. Their results must be unchanged although bank commands compute the ops placed on the
    PIM."""
    placed = ndpir.compile(
        network(name), f"canonicalize,fuse,reduce-precision,{plan}", machine=machines.get(machine, machine)
    )
    assert not cut or contractions(placed) > contractions(network(name))
    assert holds(ndpir.run(placed), expected(name), REDUCED_TOLERANCE)
    lowered = ndpir.compile(placed, "to-pim")
    assert sum(isinstance(op, LaunchOp) for op in lowered.walk()) > 10
    assert holds(ndpir.run(lowered), expected(name), REDUCED_TOLERANCE)
