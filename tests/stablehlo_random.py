"""Random small StableHLO programs (stablehlo_programs.py), run by ndpir and by XLA.

    python -m tests.stablehlo_random --count 10000      (needs jax: compares all, and prints differing or refused ones)
    python -m tests.stablehlo_random --store            (writes tests/data/stablehlo/random.npz for the suite)

Results of correct programs may differ by rounding errors; refused programs are counted by the reason of the refusal.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import inf, prod
from pathlib import Path
from typing import Any

import numpy as np

from tests.stablehlo_programs import DTYPES, Array, dtype_of, program

DATA = Path(__file__).parent / "data" / "stablehlo" / "random.npz"
STORED = 100
"""The number of programs stored for the test suite, which runs without jax; programs that ndpir refuses with a message
are not stored."""
ERROR = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 5e-6, "f64": 1e-12}
"""The tolerance for rounding errors by type, relative to the largest summand of a result."""


def difference(ours: Sequence[Array], theirs: Sequence[Array], scales: Sequence[float]) -> str:
    """A sentence about the first result that differs from XLA's by more than rounding errors, which are relative to
    `scales`; "" if no result does."""
    element = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
    if len(ours) != len(theirs):
        return f"{len(ours)} results, expected {len(theirs)}"
    for index, (one, other, scale) in enumerate(zip(ours, theirs, scales, strict=True)):
        if (one.dtype, one.shape) != (other.dtype, other.shape):
            return f"result {index} is {one.dtype}{list(one.shape)}, not {other.dtype}{list(other.shape)}"
        if other.dtype.kind in "iub":
            if not np.array_equal(one, other):
                here = one != other
                return f"result {index} differs: {one[here][:3]}, not {other[here][:3]}"
            continue
        a, b = one.astype(np.float64), other.astype(np.float64)
        finite = np.isfinite(b)
        if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
            return f"result {index} differs in infinities or nans: {a.ravel()[:4]}, not {b.ravel()[:4]}"
        largest = max(scale, np.abs(b[finite]).max(initial=0.0))
        error = np.abs(a[finite] - b[finite]).max(initial=0.0)
        if error > ERROR[element[other.dtype]] * largest:
            return f"result {index} ({element[other.dtype]}) differs by {error:.3g} of {largest:.3g}"
    return ""


def relative_error(ours: Array, theirs: Array) -> float:
    """The largest difference, relative to the largest entry of `theirs`; infinite if types, shapes, integers, or
    positions of infinities and nans differ."""
    if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
        return inf
    if theirs.dtype.kind in "iub":
        return 0.0 if np.array_equal(ours, theirs) else inf
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        return inf
    largest = np.abs(b[finite]).max(initial=1e-30)
    return float(np.abs(a[finite] - b[finite]).max(initial=0.0) / largest)


# Stored programs.


@dataclass(frozen=True)
class StoredProgram:
    """A program with its arguments, XLA's results, and for each result the magnitude to which rounding errors are
    relative."""

    seed: int
    text: str
    arguments: list[Array]
    results: list[Array]
    scales: list[float]


def store(programs: Sequence[StoredProgram]) -> None:
    """Write programs: texts and types as JSON, and the bytes of all numbers."""
    records: list[dict[str, Any]] = []
    element = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
    for each in programs:
        types = [[(element[array.dtype], array.shape) for array in some] for some in (each.arguments, each.results)]
        records.append({"seed": each.seed, "text": each.text, "types": types, "scales": each.scales})
    numbers = b"".join(array.tobytes() for each in programs for array in (*each.arguments, *each.results))
    texts = json.dumps(records).encode()
    np.savez_compressed(DATA, programs=np.frombuffer(texts, np.uint8), numbers=np.frombuffer(numbers, np.uint8))


def stored_programs() -> Iterator[StoredProgram]:
    """The programs in the file that `store` writes."""
    with np.load(DATA) as file:
        records, numbers = json.loads(file["programs"].tobytes()), file["numbers"].tobytes()
    at = 0
    for each in records:
        arrays: list[list[Array]] = [[], []]
        for kind, types in enumerate(each["types"]):
            for element, shape in types:
                size = prod(shape) * dtype_of(element).itemsize
                arrays[kind].append(np.frombuffer(numbers[at : at + size], dtype_of(element)).reshape(shape))
                at += size
        yield StoredProgram(each["seed"], each["text"], arrays[0], arrays[1], each["scales"])


# By XLA.


ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
"""XLA's flags for execution with one thread: pytest already runs tests on all cores."""


class Xla:
    """XLA on the CPU, and its printer of StableHLO."""

    def __init__(self, optimised: bool = False) -> None:
        """Create a client. `optimised`: compile programs for fast execution; by default compile them fast."""
        os.environ.setdefault("XLA_FLAGS", ONE_THREAD)
        self.jax = import_module("jax")
        self.client = import_module("jax._src.xla_bridge").get_backend("cpu")
        self.devices = self.client.local_devices()[:1]
        self.options = import_module("jax._src.lib").xla_client.CompileOptions()
        if not optimised:
            self.options.executable_build_options.debug_options.xla_backend_optimization_level = 0
        self.list = import_module("jaxlib._jax").DeviceList
        self.ir = import_module("jaxlib.mlir.ir")
        self.context = import_module("jax._src.interpreters.mlir").make_ir_context()

    def pretty(self, text: str) -> str:
        """The program `text`, printed in the short forms of its ops."""
        with self.context:
            short = str(self.ir.Module.parse(text))
            try:
                self.ir.Module.parse(short)
            except self.ir.MLIRError:  # the printed form of a scalar's slice can't be parsed
                return text
            return short

    def compiled(self, text: str) -> Any:
        """XLA's executable of a program."""
        return self.client.compile_and_load(text.encode(), self.list(tuple(self.devices)), self.options)

    def __call__(self, text: str, arguments: Sequence[Array]) -> list[Array]:
        executable = self.compiled(text)
        with self.jax.enable_x64(True):
            placed = [self.jax.device_put(array, self.devices[0]) for array in arguments]
            return [np.asarray(each) for each in executable.execute(placed)]


def main() -> None:
    import ndpir
    from dialects.diagnostics import InputError

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--store", action="store_true", help=f"write {DATA.name} for the suite")
    parser.add_argument("--written", action="store_true", help="let XLA run the output of -t stablehlo")
    options = parser.parse_args()
    xla, refused, equal = Xla(), Counter[str](), list[StoredProgram]()
    wrong = invalid = 0
    for seed in range(options.first, options.first + options.count):
        text, arguments, scales = program(seed)
        try:
            text = xla.pretty(text) if seed % 2 else text
            theirs = xla(text, arguments)
        except Exception as error:  # XLA raises many kinds
            invalid += 1
            print(f"{seed}: XLA: {str(error)[:300]}")
            continue
        try:
            module = ndpir.parse(text, f"{seed}.mlir")
            run = xla(ndpir.write(module, "stablehlo"), arguments) if options.written else ndpir.run(module, arguments)
        except InputError as error:
            refused[str(error).partition("stablehlo.")[2] or str(error)] += 1
            continue
        except Exception as error:
            wrong += 1
            print(f"{seed}: {type(error).__name__}: {str(error)[:300]}")
            continue
        if sentence := difference(run, theirs, scales):
            wrong += 1
            print(f"{seed}: {sentence}")
            continue
        equal.append(StoredProgram(seed, text, arguments, theirs, scales))
        if options.store and len(equal) == STORED:
            store(equal)
            break
        if sys.stderr.isatty():
            print(f"\r{seed}", end="", file=sys.stderr)
    print(f"{len(equal)} equal, {sum(refused.values())} refused, {wrong} wrong, {invalid} rejected by XLA")
    for reason, count in refused.most_common():
        print(f"{count:6} {reason}")


if __name__ == "__main__":
    main()
