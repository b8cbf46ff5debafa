"""Fit of the fixed time of a convolution's kernels on PIMFlow's GPU, the only constant without another source.

    python benchmarks/pimflow_calibrate.py [--write FOLDER] [--results]

No time of a single layer on the GPU that PIMFlow (CGO 2023) simulates is public. From its README the total time of
MobileNetV2's 52 convolutions can be derived, each with its bias and activation, on all 32 memory channels. All other
constants of convolutions were fitted to measurements of GPUs of its compute capability; `start`, the fixed time in
addition to one launch, is chosen so that ndpir's total is equal. Its expected value is theirs plus two launches:
cuDNN's implicit GEMM with precomputed indices first launches a kernel that computes these indices, and TVM launches a
kernel for bias and activation. `--results` prints the speed-ups of MobileNetV2's convolutions with each of the three
values: theirs, the expected, and the fitted one.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from xdsl.dialects.builtin import ModuleOp

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another installed package may be called benchmarks

import ndpir
from benchmarks.image_networks.plans import ARTIFACT, WAYS, PlanJob, planned
from dialects.diagnostics import InputError, notes_to
from dialects.graph import ConvOp, FusedOp, GraphOp
from dialects.text.columns import table
from interp.kinds.gpu.constants.calibration import Calibration, Record, calibration_text
from interp.kinds.gpu.constants.files import SUFFIX
from interp.kinds.gpu.constants.known import KnownConstants, constants_for
from interp.kinds.gpu.kernel_clock import KernelClock
from interp.machine.records import Gpu
from interp.machine.sheets import load_device
from interp.walk.entry import functions

MODEL = Path(__file__).resolve().parents[1] / "examples" / "models" / "mobilenet_v2.onnx"
GPU = "pimflow_gpu"
CLASS = ("conv_forward", "f16")
PUBLISHED = 1_454_400
"""Cycles of MobileNetV2's convolutions with all memory channels. The four speed-ups and differences in cycles that
PIMFlow's README states give 1,454,269 to 1,454,528."""
MORE_LAUNCHES = 2
"""The number of kernels that cuDNN and TVM launch for a convolution with bias and activation, minus 1."""


class Trial(KernelClock):
    """A clock of a GPU whose constants of convolutions are replaced by given ones."""

    def __init__(self, gpu: Gpu, record: Record) -> None:
        super().__init__(gpu)
        self.tried = KnownConstants(record.constants, record.origin, False)

    def known(self, kernel_class: str, element: str) -> KnownConstants:
        return self.tried if (kernel_class, element) == CLASS else super().known(kernel_class, element)


def convolutions(model: ModuleOp) -> list[GraphOp | FusedOp]:
    """Return the convolutions of a program, each with its fused bias and activation."""
    return [op for op in _nodes(model) if isinstance(op, ConvOp) or _holds_one(op)]


def _nodes(model: ModuleOp) -> Iterator[GraphOp | FusedOp]:
    for function in functions(model):
        for op in function.body.block.ops:
            if isinstance(op, GraphOp | FusedOp):
                yield op


def _holds_one(op: GraphOp | FusedOp) -> bool:
    return isinstance(op, FusedOp) and any(isinstance(inner, ConvOp) for inner in op.ops)


def kernels(file: Path) -> ModuleOp:
    """Return a network as kernels, as PIMFlow times it: in f16, with the additions of shortcuts as separate kernels."""
    return ndpir.compile(ndpir.read(file), "canonicalize,fuse{residual=false},reduce-precision{to=f16}")


def cycles(gpu: Gpu, record: Record, ops: Sequence[GraphOp | FusedOp]) -> float:
    """Return the serial time of all convolutions, cycles."""
    return sum(cost.ns for cost in Trial(gpu, record).costs(ops)) * gpu.clock_hz / 1e9


def fitted(gpu: Gpu, ops: Sequence[GraphOp | FusedOp]) -> tuple[Record, Record]:
    """Return the constants of the GPU of which this one is a variant, and the same constants with the `start` for which
    the total time equals the published one."""
    like = load_device(gpu.bases[0])
    assert isinstance(like, Gpu)
    known = constants_for(like, *CLASS)
    family = Record(*CLASS, known.constants, known.origin)
    missing = (PUBLISHED - cycles(gpu, family, ops)) / len(ops) / gpu.clock_hz * 1e9
    constants = {**family.constants, "start": family.constants["start"] + missing}
    origin = (
        f"only start was fitted, to one number: the published total of MobileNetV2's {len(ops)} convolutions with 32 "
        f"memory channels ({PUBLISHED / 1e3:,.1f} kcycles: PIMFlow's README); all other constants are those of "
        f"{like.name}: {family.origin}"
    )
    return family, replace(family, constants=constants, origin=origin)


def results(gpu: Gpu, ops: Sequence[GraphOp | FusedOp], family: Record, record: Record) -> None:
    """Print the speed-ups of MobileNetV2's convolutions in PIMFlow's accounting, with three values of `start`.

    They are the family's value, the family's value plus two launches, and the fitted value.
    """
    start, launch = family.constants["start"], gpu.launch_ns
    rows: list[tuple[str, ...]] = []
    for name, value in (
        (f"of {gpu.architecture}", start),
        (f"plus {MORE_LAUNCHES} launches", start + MORE_LAUNCHES * launch),
        ("as fitted", record.constants["start"]),
    ):
        tried = replace(record, constants={**record.constants, "start": value})
        total = cycles(gpu, tried, ops)
        fixed = len(ops) * (launch + value) * gpu.clock_hz / 1e9
        rows.append((name, f"{total / 1e3:,.0f} k", f"{fixed / total:.0%}", *_speed_ups(gpu, tried)))
    header = ("start", "GPU alone, cycles", "launch and start", *MODES_SHOWN)
    print("MobileNetV2's convolutions, PIMFlow's accounting: the GPU alone, and speed-ups over it")
    print(table(header, rows, left=(0,)))


MODES_SHOWN = ("newton+", "newton++", "pipeline", "mddp", "pimflow")


def _speed_ups(gpu: Gpu, record: Record) -> list[str]:
    """Return the speed-ups in each of PIMFlow's modes, with given constants of convolutions."""
    here = Path.cwd()
    with TemporaryDirectory() as folder, notes_to(lambda message, place: None):
        text = calibration_text(Calibration("gpu", gpu.name, {CLASS: record}, gpu.description))
        (Path(folder) / f"{gpu.name}{SUFFIX}").write_text(text, encoding="utf-8")
        os.chdir(folder)  # calibrations in the working directory take precedence over shipped ones
        try:
            rows = [planned(PlanJob(MODEL.stem, ARTIFACT, WAYS[mode], published=True)) for mode in MODES_SHOWN]
        finally:
            os.chdir(here)
    return [f"{row.base_layers_ns / row.layers_ns:.3f}" for row in rows]


def main(argv: Sequence[str] | None = None) -> int:
    """Fit the constant, print it, and write it if requested; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the calibration into this folder")
    parser.add_argument("--results", action="store_true", help="print how speed-ups depend on the constant")
    options = parser.parse_args(argv)
    gpu = load_device(GPU)
    assert isinstance(gpu, Gpu)
    ops = convolutions(kernels(MODEL))
    family, record = fitted(gpu, ops)
    per_ns = gpu.clock_hz / 1e9
    launch = gpu.launch_ns * per_ns
    without = cycles(gpu, family, ops) - len(ops) * launch
    before, after = family.constants["start"] * per_ns, record.constants["start"] * per_ns
    expected = MORE_LAUNCHES * launch + before
    rows = [
        ("published total", f"{PUBLISHED:,}"),
        (f"the model of {gpu.architecture}, without launches", f"{without:,.0f}"),
        ("the model with the fitted constant", f"{cycles(gpu, record, ops):,.0f}"),
        (f"start of {gpu.architecture}, per convolution", f"{before:,.0f}"),
        ("start as fitted", f"{after:,.0f}"),
        (f"expected: start of {gpu.architecture} plus {MORE_LAUNCHES} launches of {launch:,.0f}", f"{expected:,.0f}"),
        ("fitted against expected", f"{after / expected - 1:+.1%}"),
    ]
    heading = f"{len(ops)} convolutions, {gpu.name} at {gpu.clock_hz / 1e6:.0f} MHz"
    print(table((heading, "cycles"), rows, left=(0,)))
    if options.results:
        results(gpu, ops, family, record)
    if options.write:
        only = replace(record, constants={"start": record.constants["start"]})
        text = calibration_text(Calibration("gpu", gpu.name, {CLASS: only}, f"{gpu.description}: one published total"))
        path = options.write / f"{gpu.name}{SUFFIX}"
        try:
            path.write_text(text)
        except OSError as error:
            raise InputError(
                f"the calibration can't be written: {(error.strerror or str(error)).lower()}", str(path)
            ) from None
        print(f"written: {path}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as error:
        print(f"{error.place}: {error.message}" if error.place else error.message, file=sys.stderr)
        sys.exit(1)
