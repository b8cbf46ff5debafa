"""Errors of complete modules of JAX relative to XLA on the CPU.

    python -m benchmarks.stablehlo.modules DIR [WORD…]      (needs jax; DIR contains modules, `*.mlir`)
    python -m benchmarks.stablehlo.modules DIR --written    (XLA runs the output of -t stablehlo, also for ONNX)

An error is the largest difference between a result and XLA's, divided by the largest entry of the result. Weights are
random, as frameworks initialise them, by each argument's use: factors of products are Gaussian divided by the root of
their fan-in, look-up tables Gaussian times 0.02, scales of norms 1, inputs Gaussian, moments small, second moments
positive. (With only positive weights, rounding errors of a deep network would grow without bound.) For a program with
more than 20 GFLOP, each distinct fused group is executed once, at full size.

If a training step has many activations near zero, rounding switches some of them on or off, so that no two runtimes
agree in f32. A program in f32 with an error above its limit is therefore executed again in f64, in which it must equal
XLA's results, and group by group in f32, within the limit. The error of XLA's f32 results relative to f64 is printed,
too.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from math import inf, prod, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

import ndpir
from dialects import graph as g
from dialects.element_types import dtype_of, is_float
from interp.numerics.weights import weight_array
from interp.walk.entry import entry_of
from interp.walk.inputs import seeded_inputs
from interp.walk.work_key import key_of, ops_of
from ndpir.frontends.stablehlo.building import graph_type
from ndpir.frontends.stablehlo.fills import fills_of
from ndpir.frontends.stablehlo.module import HloBlock, HloFunction, HloOp, HloValue, TensorShape
from ndpir.frontends.stablehlo.text import read_functions
from ndpir.writers.stablehlo.emit import text_of
from tests.stablehlo_random import Xla, relative_error

Array = NDArray[Any]
FORWARD, TRAINING, LOW_PRECISION, DOUBLE = 5e-6, 5e-5, 1.5e-2, 1e-12
"""The largest allowed errors: forward passes in f32, training steps in f32, forward passes in f16 and bf16, programs in
f64."""
_MOVED = {"broadcast_in_dim", "reshape", "convert", "transpose", "optimization_barrier", "dynamic_slice", "slice"}


class Roles:
    """The uses of each value in a program's functions; they determine the range from which an argument is drawn."""

    def __init__(self, functions: Sequence[HloFunction]) -> None:
        self.functions = {function.name: function for function in functions}
        self.users: dict[HloValue, list[tuple[HloOp, int]]] = {}
        self.constants: set[HloValue] = set()
        for function in functions:
            self._note(function.body)

    def _note(self, block: HloBlock) -> None:
        for op in block.ops:
            for index, value in enumerate(op.operands):
                self.users.setdefault(value, []).append((op, index))
            if op.name in ("constant", "iota") or (op.name in _MOVED and self.constants.issuperset(op.operands)):
                self.constants.update(op.results)
            for region in op.regions:
                self._note(region)

    def of(self, value: HloValue, depth: int = 0) -> list[str]:
        """Return the uses of an argument, in the program's order.

        A use is one of: `left` or `right` factor of a product, `table`, `scaled` by a constant, `scale`, `other`.
        """
        found: list[str] = []
        for op, index in self.users.get(value, []):
            if depth > 12:
                break
            inner: list[HloValue] = []
            if op.name in _MOVED and index == 0:
                inner = op.results
            elif op.name == "while":
                inner = [region.arguments[index] for region in op.regions]
            elif op.name in ("call", "func.call"):
                inner = [self.functions[str(op.attributes["callee"])].body.arguments[index]]
            for each in inner:
                found += self.of(each, depth + 1)
            if inner:
                continue
            match op.name:
                case "dot_general" | "convolution" | "dot":
                    found.append("right" if index else "left")
                case "gather" if index == 0:
                    found.append("table")
                case "multiply":
                    found.append("scaled" if op.operands[1 - index] in self.constants else "scale")
                case "return":
                    pass
                case _:
                    found.append("other")
        return found


def arguments(text: str, file: str) -> list[Array]:
    """Draw the arguments of a program at random, as frameworks initialise them."""
    functions = read_functions(text, file)
    known: Mapping[str, HloFunction] = {function.name: function for function in functions}
    roles, main, random = Roles(functions), known["main"], np.random.default_rng(0)
    found: list[Array] = []
    for value, fill in zip(main.body.arguments, fills_of(known), strict=True):
        assert isinstance(value.type, TensorShape)
        type_ = graph_type(value.type, main.place)
        dtype, shape = dtype_of(type_.element_type), type_.get_shape()
        if not is_float(type_.element_type):
            low, high = (0, 2) if dtype.kind == "b" else fill or (0, 8)
            found.append(np.asarray(random.integers(int(low), int(high), shape)).astype(dtype))
            continue
        found.append(np.asarray(_drawn(random, shape, roles.of(value), fill is not None)).astype(dtype))
    return found


def _drawn(random: np.random.Generator, shape: tuple[int, ...], uses: Sequence[str], positive: bool) -> Array:
    drawn = np.asarray(random.standard_normal(shape))
    first = uses[0] if uses else "other"
    if positive:
        return np.square(drawn) * 1e-6 if first == "scaled" else np.asarray(0.5 + random.random(shape))
    if "table" in uses:
        return drawn * 0.02
    if first == "left" or (first != "scaled" and "left" in uses and "right" not in uses):
        return drawn
    if "right" in uses:
        return drawn / sqrt(prod(shape[:-1]) if len(shape) == 4 else shape[-2])
    if first == "scaled":
        return drawn * 1e-3
    return np.ones(shape) if first == "scale" else drawn * 0.02


def error(ours: Sequence[Array], theirs: Sequence[Array]) -> float:
    """Return the largest difference between entries of two results, relative to the largest entry of each result.

    It is infinite if one entry is finite and the corresponding entry is not.
    """
    return max((relative_error(np.asarray(one), other) for one, other in zip(ours, theirs, strict=True)), default=0.0)


def limit(name: str) -> float:
    """Return the largest allowed error of a module, by its name; infinite for 16-bit gradients, in whose sums terms
    cancel."""
    trains = any(word in name for word in ("sgd", "adam", "step"))
    if "f16" in name:  # matches bf16, too
        return inf if trains else LOW_PRECISION
    return TRAINING if trains else FORWARD


def flops(module: ModuleOp) -> float:
    """Return the number of operations in one run of a program."""

    def of(block: Block) -> float:
        total = 0.0
        for op in block.ops:
            if isinstance(op, g.RepeatOp):
                total += op.iterations * of(op.body.block)
            elif isinstance(op, g.GraphOp):
                total += op.work().flops
        return total

    inlined = ndpir.compile(module, "inline")
    return of(entry_of(inlined).body.block)


def groups(module: ModuleOp) -> dict[str, g.GraphOp | g.FusedOp]:
    """Return the distinct kernels of the fused program, by key."""
    fused = ndpir.compile(module, "inline,canonicalize,fuse")
    found: dict[str, g.GraphOp | g.FusedOp] = {}
    known: dict[Any, bool] = {}
    for op in fused.walk():
        is_inside = isinstance(op.parent_op(), g.FusedOp)
        if (
            isinstance(op, g.FusedOp | g.GraphOp)
            and not isinstance(op, g.ConstantOp | g.WeightOp | g.RepeatOp)
            and not is_inside
        ):
            found.setdefault(key_of(op, known), op)
    return found


def as_program(op: g.GraphOp | g.FusedOp) -> ModuleOp:
    """Return a program whose only kernel is `op`."""
    operands = list(dict.fromkeys(op.operands))
    kept = [value for value in operands if not isinstance(value.owner, g.ConstantOp)]
    block = Block(arg_types=[value.type for value in kept])
    known: dict[SSAValue, SSAValue] = dict(zip(kept, block.args, strict=True))
    for value in operands:
        if isinstance(value.owner, g.ConstantOp):
            constant = value.owner.clone()
            block.add_op(constant)
            known[value] = constant.results[0]
    made = op.clone(known)
    block.add_ops([made, ReturnOp(*made.results)])
    return ModuleOp([FuncOp("main", ([v.type for v in block.args], [v.type for v in made.results]), Region(block))])


def by_groups(module: ModuleOp, xla: Xla, bound: float) -> tuple[float, int]:
    """Return the largest error of all distinct groups, and their number; print groups with errors above the bound."""
    worst, kernels = 0.0, groups(module)
    for kernel in kernels.values():
        program = as_program(kernel)
        drawn: list[Array] = list(seeded_inputs(entry_of(program), 0))
        inputs = [
            np.asarray(a % 2, a.dtype) if a.dtype.kind in "iu" else a for a in drawn
        ]  # indices 0 and 1 are valid in each axis
        found = error(ndpir.run(program, inputs), xla(ndpir.write(program, "stablehlo"), inputs))
        if found > bound:
            print(f"  {found:.1e} {ops_of(kernel)}", flush=True)
        worst = max(worst, found)
    return worst, len(kernels)


def in_f64(text: str) -> str:
    """Replace f32 by f64 in a program, including infinities and NaNs."""

    def bits(found: re.Match[str]) -> str:
        number = np.frombuffer(bytes.fromhex(found[1])[::-1], "<f4").astype("<f8")
        return f"0x{number.tobytes()[::-1].hex().upper()}"

    text = re.sub(r"\b0x([0-9A-F]{8})(?=> : tensor<[^>]*f32>)", bits, text)
    return re.sub(r"(?<=[x<(\s])f32\b", "f64", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("words", nargs="*")
    parser.add_argument(
        "--whole", type=float, default=20, metavar="GFLOP", help="largest program that runs unpartitioned"
    )
    parser.add_argument("--written", action="store_true", help="run the output of -t stablehlo with XLA")
    given = parser.parse_args()
    xla, failed = Xla(optimised=True), 0
    paths = sorted([*given.folder.glob("*.mlir"), *(given.folder.glob("*.onnx") if given.written else ())])
    for path in [path for path in paths if not given.words or any(word in path.name for word in given.words)]:
        start, module = perf_counter(), ndpir.read(path)
        work, bound = flops(module), limit(path.stem)
        if work <= given.whole * 1e9:
            is_onnx = path.suffix == ".onnx"
            inputs = seeded_inputs(entry_of(module), 0) if is_onnx else arguments(path.read_text(), path.name)
            text, weights = text_of(module, entry_of(module)) if given.written else (path.read_text(), [])
            weighed = [*inputs, *map(weight_array, weights)]
            theirs = xla(text, weighed)
            worst, what = error(ndpir.run(module, inputs), theirs), f"{len(theirs)} results"
            if worst > bound and not given.written:
                wide = [array.astype(np.float64) if array.dtype == np.float32 else array for array in weighed]
                exact = xla(in_f64(text), wide)
                with TemporaryDirectory() as folder:
                    (double_path := Path(folder, path.name)).write_text(in_f64(text))
                    double = error(ndpir.run(ndpir.read(double_path), wide), exact)
                print(f"  {worst:.1e} in f32; XLA's f32 against f64: {error(theirs, exact):.1e}; in f64: {double:.1e}")
                if double <= DOUBLE:
                    worst, count = by_groups(module, xla, bound)
                    what = f"{count} distinct groups"
        else:
            worst, count = by_groups(module, xla, bound)
            what = f"{count} distinct groups"
        failed += worst > bound
        line = f"{path.stem:32} {work / 1e9:8.2f} GFLOP  {what:22} worst {worst:.1e}  limit {bound:.1e}"
        print(f"{line}  {'ABOVE' if worst > bound else 'ok'}  {perf_counter() - start:.0f} s", flush=True)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
