"""Growth of placement time with program size, compared with required times.

The times are of complete commands `ndp-opt program.mlir --profile times.json -p place{…} --summary`, with policies
`path` and `optimal`, on generated programs of 250 to 10,000 kernels.

The machine has a GPU and two processors near its memory. A profile has random times: each kernel takes 2 to 200 us on
each device (log-uniform, independent), and its result has 4 kB to 1 MB (log-uniform). Thus no device is generally
better than another.

- encoder layers: stacks of 11 kernels (q, k, v, scores, softmax, context, projection, norm, up, down, norm) with
  residual edges; all layers have equal costs (`equal`), or each kernel has independent costs (`unequal`).
- random, narrow: layers of 1 to 3 kernels, each of which reads 1 or 2 results of the previous layer.
- random, wide: layers of 1 to 8 kernels, each of which reads 1 to 3 results of the previous two layers.
"""

from __future__ import annotations

import math
import os
import random
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from xdsl.ir import SSAValue

import ndpir
from benchmarks.image_networks.tables import shown
from dialects.graph import FusedOp
from interp.figures import percent
from interp.machine.profile import Profile, ProfileRow
from interp.machine.profile_file import write_profile
from interp.walk.work_key import key_of

SIZES = (250, 2500, 10_000)
MOST_OPTIMAL = 2500
"""The largest number of kernels of a program to which `optimal` is applied."""
DEMANDS = {("path", 2500): (10.0, None), ("path", 10_000): (60.0, None), ("optimal", 2500): (60.0, 0.05)}
"""The required time in s and the required gap (None: any gap), by policy and number of kernels."""
SEARCH_S = 30.0
"""The time of the search in s, out of the 60 s for `optimal`; import, timing and output need the remaining time."""
SEED = 2024
DEVICES = ("gpu", "near", "far")
MACHINE = """\
hw.device @gpu = "a100"
hw.device @near = "toy_gpu" {memory = "64 GB"}
hw.device @far = "toy_gpu" {memory = "64 GB"}
hw.link @gpu to @near = "on_board" {bandwidth = "448 GB/s"}
hw.link @gpu to @far = "on_board" {bandwidth = "448 GB/s"}
"""
SERIAL = ("--set", "gpu.executor=sequential")
"""The settings with which the makespan is the serial time of tasks and copies, which `path` minimises."""
LAYER = ((0,), (0,), (0,), (1, 2), (4,), (5, 3), (6,), (7, 0), (8,), (9,), (10, 8))
"""The inputs of each kernel of an encoder layer: 0 is the layer's input, i > 0 the result of the layer's i-th
kernel."""
GAP = re.compile(r"^placement .* this one ([\d.]+) % above$", re.MULTILINE)


@dataclass(frozen=True)
class Grown:
    """The cost of one command on a generated program: processor time (user) in s, wall-clock time in s, and the gap of
    the command's plan to the lower bound."""

    family: str
    nodes: int
    policy: str
    seconds: float
    wall: float
    gap: float


class GeneratedProgram:
    """A generated program of kernels. The sizes of their results are random; results of kernels with equal keys have
    equal sizes."""

    def __init__(self) -> None:
        self.draw = random.Random(SEED)
        self.extents = [1024]
        self.read: set[int] = set()
        self.lines: list[str] = []
        self.known: dict[Hashable, int] = {}

    def kernel(self, reads: Sequence[int], key: Hashable) -> int:
        """Add a kernel that reads the values with the numbers `reads`; return the number of its result."""
        taken = tuple(dict.fromkeys(reads))
        self.read |= {*taken}
        if key not in self.known:
            self.known[key] = round(1024 * 256 ** self.draw.random())
        made = len(self.extents)
        self.extents.append(self.known[key])
        pairs = ", ".join(f"%a{value} = %v{value}" for value in taken)
        self.lines.append(f"  %v{made} = graph.fused ({pairs}) {{")
        last = ""
        for value in taken:
            type_ = f"tensor<1x{self.extents[value]}xf32>"
            self.lines.append(f"    %m{value} = graph.reduce max %a{value} axes = [1], keep_dims : {type_}")
            if last:
                self.lines.append(f"    %s{value} = graph.add {last}, %m{value} : tensor<1x1xf32>")
            last = f"%s{value}" if last else f"%m{value}"
        self.lines += [
            f"    %y = graph.broadcast {last} : tensor<1x1xf32> -> tensor<1x{self.extents[made]}xf32>",
            "    graph.yield %y",
            "  }",
        ]
        return made

    def text(self) -> str:
        """Return the program's text; values that no kernel reads are its results."""
        results = [value for value in range(1, len(self.extents)) if value not in self.read]
        types = ", ".join(f"tensor<1x{self.extents[value]}xf32>" for value in results)
        names = ", ".join(f"%v{value}" for value in results)
        head = f"func.func @main(%v0: tensor<1x{self.extents[0]}xf32>) -> ({types}) {{"
        return "\n".join([MACHINE + head, *self.lines, f"  func.return {names} : {types}", "}", ""])


def encoder(nodes: int, equal: bool) -> str:
    """Generate the text of a program of encoder layers with about `nodes` kernels."""
    drawing, came = GeneratedProgram(), 0
    for layer in range(round(nodes / len(LAYER))):
        values = [came]
        for place, reads in enumerate(LAYER):
            key = place if equal else (layer, place)
            values.append(drawing.kernel([values[read] for read in reads], key))
        came = values[-1]
    return drawing.text()


def layered(nodes: int, width: int, most: int, back: int) -> str:
    """Generate random layers of up to `width` kernels; each kernel has up to `most` operands, from the last `back`
    layers."""
    drawing, draw = GeneratedProgram(), random.Random(SEED + width)
    layers: list[list[int]] = [[0]]
    left = nodes
    while left > 0:
        near = [value for layer in layers[-back:] for value in layer]
        size = min(left, draw.randint(1, width))
        left -= size
        made = [
            drawing.kernel(draw.sample(near, min(len(near), draw.randint(1, most))), (left, place))
            for place in range(size)
        ]
        layers.append(made)
    return drawing.text()


FAMILIES: dict[str, Callable[[int], str]] = {
    "encoder layers, equal": lambda nodes: encoder(nodes, True),
    "encoder layers, unequal": lambda nodes: encoder(nodes, False),
    "random, narrow": lambda nodes: layered(nodes, 3, 2, 1),
    "random, wide": lambda nodes: layered(nodes, 8, 3, 2),
}


def profile_of(text: str) -> Profile:
    """Return random times of each kernel on each device; equal kernels have equal times."""
    draw = random.Random(SEED)
    kernels = (op for op in ndpir.parse(text).walk() if isinstance(op, FusedOp))
    weights: dict[
        SSAValue, bool
    ] = {}  # shared by all kernels; otherwise each kernel would search all of its predecessors
    keys = dict.fromkeys(key_of(op, weights) for op in kernels)
    return Profile(
        tuple(
            ProfileRow(times_ns=(2e3 * 100 ** draw.random(),), kind="simulated", device=device, key=key)
            for key in keys
            for device in DEVICES
        ),
        (),
        {},
    )


def command(folder: Path, policy: str, limit_s: float) -> tuple[float, float, float]:
    """Run `ndp-opt` on the program in a folder; return the processor time in s, the wall time in s, and the plan's
    gap."""
    how, options = (SERIAL, "") if policy == "path" else ((), f" limit={limit_s:g}")
    files = ("program.mlir", "--profile", "times.json")
    arguments = ("-m", "ndpir", *files, *how, "-p", f"place{{policy={policy}{options}}}", "--summary")
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, perf_counter()
    path = os.pathsep.join((str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    wall, user = perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    found = GAP.search(done.stdout)
    if done.returncode or found is None:
        raise ndpir.InputError(f"ndp-opt {' '.join(arguments[2:])} failed: {done.stderr or done.stdout}")
    return user, wall, float(found[1]) / 100


def grown(sizes: Sequence[int], limit_s: float) -> list[Grown]:
    """Run both policies on generated programs of all families and all sizes."""
    rows: list[Grown] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        for family, make in FAMILIES.items():
            for policy in ("path", "optimal"):
                for nodes in sizes:
                    if policy == "path" or nodes <= MOST_OPTIMAL:
                        text = make(nodes)
                        (folder / "program.mlir").write_text(text)
                        write_profile(profile_of(text), folder / "times.json")
                        rows.append(Grown(family, nodes, policy, *command(folder, policy, limit_s)))
                        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def growth(before: Grown, after: Grown) -> float:
    """Return the exponent with which the time grows in the number of nodes, from `before` to `after`."""
    return math.log(after.seconds / before.seconds) / math.log(after.nodes / before.nodes)


def verdict(row: Grown) -> str:
    """Return the required time and gap for the row's policy and number of kernels, and `met` or `missed`; an empty text
    if nothing is required."""
    if (row.policy, row.nodes) not in DEMANDS:
        return ""
    seconds, gap = DEMANDS[row.policy, row.nodes]
    required = f"{seconds:.0f} s" + (f", {percent(gap)}" if gap else "")
    missed = row.seconds > seconds or (gap is not None and row.gap >= gap)
    return f"{required}: {'missed' if missed else 'met'}"


def scale(sizes: Sequence[int], limit_s: float) -> list[Grown]:
    """Print the growth of the time of complete commands with both policies; `optimal` searches for at most SEARCH_S."""
    rows = grown(sizes, min(limit_s, SEARCH_S))
    cells: list[list[str]] = []
    last: Grown | None = None
    for row in rows:
        same = last is not None and (last.family, last.policy) == (row.family, row.policy)
        exponent = f"{growth(last, row):.2f}" if same and last else ""
        times = f"{row.seconds:.1f} s", f"{row.wall:.1f} s"
        cells.append([row.family, row.policy, str(row.nodes), *times, exponent, percent(row.gap), verdict(row)])
        last = row
    header = ("program", "policy", "kernels", "user", "wall", "growth", "gap", "demanded")
    shown("scale: growth is the exponent of the time in the number of kernels", header, cells, left=(0, 1))
    missed = sum(cell[-1].endswith("missed") for cell in cells)
    met = sum(cell[-1].endswith("met") for cell in cells)
    print(f"requirements: {met} met, {missed} missed\n")
    return rows
