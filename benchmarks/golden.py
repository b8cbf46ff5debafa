"""Regression record of all results: fields of text and numbers, recorded before a change and compared after it.

    python benchmarks/golden.py record BEFORE.json [--large] [--jobs 2] [--only WORD …]
    python benchmarks/golden.py compare BEFORE.json AFTER.json [--renames FILE]

Cases are: programs (ONNX graphs in examples/models) on machines with policies and pipelines, in all combinations; each
program on each GPU; every form of bank program on every PIM sheet; the numbers that programs compute at each level;
every command of every document. `--large` adds the remaining machines, and searches on programs for which they take
minutes. All cases use only ndpir's public functions and `ndp-opt`, so that internal modules may change between the two
records.

Each field must be equal in both records, to the last digit. In cases of searches (SEARCHES) the makespan may become
lower and the bound higher, and fields that depend on the plan (FOLLOWS) may differ. Memory may become lower; such cases
are listed. A file of renames has a line `OLD -> NEW` for each text that was renamed; it applies to all texts of
BEFORE.json.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from rich.console import Console
from rich.progress import track
from xdsl.dialects.builtin import ModuleOp

import ndpir
from interp.machine.sheets import list_devices
from ndpir.registry.names import FORMER
from ndpir.registry.pipelines import PIPELINES

ROOT = Path(__file__).resolve().parents[1]
MODELS = ROOT / "examples" / "models"

Field: TypeAlias = "float | str"
Fields: TypeAlias = dict[str, Field]
Recorded: TypeAlias = dict[str, Fields]
"""The recorded fields of each case, by the case's name."""
Case: TypeAlias = tuple[str, Callable[[], Fields]]

MACHINES = ("a100-newton", "a100-aim", "pimflow")
MORE_MACHINES = ("a100-hbm_pim", "cpu-pim", "pimflow-plus", "pimflow-artifact", "pimflow-artifact-plus")
RULES = ("gpu", "pim-first", "greedy", "cost", "path")
"""Policies that decide by rules, or that search all plans: their plans must not change."""
SEARCHES = ("optimal", "best", "joint", "pimflow")
"""Policies and pipelines whose search stops after a fixed amount of work: a plan may change if its makespan becomes
shorter."""
SEARCHED = ("mobilenet_v2", "bert_2layer_opset23", "gpt2_2layer_torchscript17")
MORE_SEARCHED = ("resnet50_f16", "gpt2_decode_kv255", "llama2_7b_decode_kv511_f16")
SHAPES: dict[str, dict[str, int]] = {"resnet18_dynbatch": {"b": 1}}
"""The extents of symbolic dimensions, by program."""
SMALL_IMAGES = ("mobilenet_v2", "efficientnet_b0", "mnasnet1_0")
"""Image networks whose results are computed, on images of 64 x 64 pixels."""

KERNELS: dict[str, str] = {
    "row": "x: 1x4096, w: 4096x1024 -> graph.matmul x w: 1x1024",
    "rows": "x: 12x768, w: 768x512 -> graph.matmul x w: 12x512",
    "odd": "x: 3x333, w: 333x77 -> graph.matmul x w: 3x77",
    "long": "x: 1x16384, w: 16384x64 -> graph.matmul x w: 1x64",
    "pointwise": "x: 1x32x14x14, w: 64x32x1x1 -> graph.conv x w: 1x64x14x14",
    "image": "x: 1x16x14x14, w: 32x16x3x3 -> graph.conv x w: 1x32x12x12",
    "written": "x: 16x64, y: 64x96 -> graph.matmul x y: 16x96",
    "batches": "x: 4x8x64, y: 4x64x96 -> graph.matmul x y: 4x8x96",
    "add": "x: 64x1024, y: 64x1024 -> graph.add x y: 64x1024",
    "mul": "x: 64x1024, y: 64x1024 -> graph.mul x y: 64x1024",
    "relu": "x: 64x1024 -> graph.relu x: 64x1024",
    "gelu": "x: 64x1024 -> graph.gelu x: 64x1024",
}
"""Forms of bank programs: for each form, the types of the arguments (w: a weight), an op, and the type of its
result."""


# Recording.


def figures(module: ModuleOp) -> Fields:
    """Return the fields of a placed program: times (ns), energies (nJ), bytes, memory and the plan."""
    timeline = ndpir.simulate(module)
    plan = [(event.name, event.resource, event.queue) for event in timeline.events]
    spans = [(event.start_ns, event.end_ns, event.cost.energy_nj, event.cost.bytes) for event in timeline.events]
    found: Fields = {
        "makespan ns": timeline.makespan_ns,
        "bound ns": timeline.bound_ns,
        "bound by": timeline.bound_by,
        "board nJ": timeline.board_nj,
        "bytes copied": timeline.bytes_copied,
        "tasks": len(timeline.events),
        "plan": digest(repr(plan)),
        "events": digest(repr(spans)),
    }
    for name, ns in timeline.busy_ns.items():
        found[f"busy ns {name}"] = ns
        found[f"tasks {name}"] = sum(event.resource == name for event in timeline.events)
        found[f"energy nJ {name}"] = timeline.energy_nj.get(name, 0.0) + timeline.idle_nj.get(name, 0.0)
    for name, need in timeline.memory.items():
        found[f"memory bytes {name}"] = need.total
    return found


def numbers(module: ModuleOp) -> Fields:
    """Return the element type, the shape and a hash of the bytes of each result of a program, for inputs from seed
    7."""
    return {
        f"result {index}": f"{result.dtype}{result.shape} {digest(np.ascontiguousarray(result).tobytes())}"
        for index, result in enumerate(ndpir.run(module, seed=7))
    }


def digest(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:16]


def printed(text: str) -> Fields:
    """Return one field for each line of a printed text."""
    return {f"line {number}": line.rstrip() for number, line in enumerate(text.splitlines(), 1)}


def read(name: str) -> ModuleOp:
    return ndpir.read(MODELS / f"{name}.onnx", dims=SHAPES.get(name))


def placed(name: str, machine: str, steps: str) -> Fields:
    return figures(ndpir.compile(read(name), steps, machine=machine))


def by_policy(policy: str) -> str:
    return f"inline,canonicalize,reduce-precision,fuse,layout,place{{policy={policy}}}"


def values_of_network(name: str) -> Fields:
    """Return hashes of the results of a network after import, and of the same network after pipeline `offload`."""
    module = ndpir.read(MODELS / f"{name}.onnx", shapes={"x": (1, 3, 64, 64)})
    found = {f"as read {key}": value for key, value in numbers(module).items()}
    after = ndpir.compile(module, "offload", machine="a100-newton")
    return found | {f"offload {key}": value for key, value in numbers(after).items()}


def kernel(form: str, sheet: str, element: str) -> Fields:
    """Compile one op for a PIM; return its bank commands, times and result hashes."""
    given, _, done = KERNELS[form].partition(" -> ")
    types = {name: f"tensor<{shape}x{element}>" for name, shape in (each.split(": ") for each in given.split(", "))}
    op, result = done.rsplit(": ", 1)
    kind, *operands = op.split(" ")
    arguments = ", ".join(f"%{name}: {type_}" for name, type_ in types.items() if name != "w")
    weight = f'%w = graph.weight "w" = uniform(-1.0, 1.0, 1) : {types["w"]}\n' if "w" in types else ""
    text = (
        f'hw.device @gpu = "a100"\nhw.device @pim = "{sheet}"\nhw.link @gpu to @pim = "on_board"\n'
        f"func.func @main({arguments}) -> tensor<{result}x{element}> {{\n{weight}"
        f"%r = {kind} {', '.join('%' + each for each in operands)} : {', '.join(types[each] for each in operands)}\n"
        f"func.return %r : tensor<{result}x{element}>\n}}\n"
    )
    module = ndpir.compile(ndpir.parse(text), "place{policy=pim-first},to-pim")
    if "pim.launch" not in str(module):
        return {"runs on": "gpu"}
    return figures(module) | printed(ndpir.write(module, "banks")) | numbers(module)


def document(path: Path) -> Recorded:
    """Return the exit status and printed lines of each command of a document, by command."""
    from tests.lit.shell import run_line
    from tests.unit.house.test_documents import BLOCK, commands

    found: Recorded = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cp", "-r", str(ROOT / "examples"), folder], check=True)
        for kind, block in BLOCK.findall(path.read_text()):
            named = re.match(r"(?://|#) (\S+\.(?:mlir|py|sheet|calibration))\n", block)
            if named:
                (Path(folder) / named[1]).write_text(block)
            for command, _ in commands(block) if kind == "console" else ():
                if not command.startswith(("git clone", "python3 make.py", "cd ", ". .venv")):
                    done = run_line(command, in_process=False, folder=Path(folder))
                    found[f"document/{path.name}/{command}"] = {"status": done.status} | printed(done.output)
    return found


# The matrix.


def models() -> list[str]:
    return sorted(path.stem for path in MODELS.glob("*.onnx"))


def groups(large: bool) -> dict[str, Callable[[], Recorded]]:
    """Return the cases by group; the cases of a group are computed in one process and share its caches."""
    found: dict[str, Callable[[], Recorded]] = {}
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        found[f"document {path.name}"] = partial(document, path)
    for name in models():
        found[f"model {name}"] = partial(_recorded, "model", name, large)
    for sheet, kind, _ in list_devices():
        if kind == "pim":
            found[f"kernels {sheet}"] = partial(_recorded, "kernels", sheet, large)
    return found


def _recorded(kind: str, name: str, large: bool) -> Recorded:
    cases = _cases_of_model(name, large) if kind == "model" else _cases_of_sheet(name)
    return {case: _fields_of(run) for case, run in cases}


def _fields_of(run: Callable[[], Fields]) -> Fields:
    start, captured = time.process_time(), StringIO()
    with redirect_stderr(captured):
        try:
            fields = run()
        except ndpir.InputError as error:
            fields = {"refused": str(error)}
    lines = captured.getvalue().replace(f"{ROOT}/", "").splitlines()  # the same in any checkout
    notes: Fields = {f"note {number}": line for number, line in enumerate(lines, 1)}
    return fields | notes | {"seconds": round(time.process_time() - start, 2)}


def _cases_of_model(name: str, large: bool) -> Iterator[Case]:
    for machine in (*MACHINES, *(MORE_MACHINES if large else ())):
        for policy in RULES:
            yield f"plan/{name}/{machine}/{policy}", partial(placed, name, machine, by_policy(policy))
        yield f"plan/{name}/{machine}/offload", partial(placed, name, machine, "offload")
        searched = name in SEARCHED or (large and name in MORE_SEARCHED)
        for pipeline in SEARCHES if searched else ():
            assert pipeline in {*PIPELINES, *FORMER["pipeline"]}
            yield f"plan/{name}/{machine}/{pipeline}", partial(placed, name, machine, pipeline)
    for sheet, kind, _ in list_devices():
        if kind in ("gpu", "cpu"):
            steps = "inline,canonicalize,fuse,layout,place{policy=gpu}"
            yield f"host/{name}/{sheet}", partial(placed, name, sheet, steps)
    if name in SMALL_IMAGES:
        yield f"numbers/{name}", partial(values_of_network, name)


def _cases_of_sheet(sheet: str) -> Iterator[Case]:
    for form in KERNELS:
        for element in ("f16", "bf16", "f32"):
            yield f"kernel/{sheet}/{form}/{element}", partial(kernel, form, sheet, element)


def record(path: Path, large: bool, jobs: int, only: list[str]) -> None:
    """Compute all cases and write their fields to a file."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"  # each of the processes has one core
    work = {name: run for name, run in groups(large).items() if not only or any(word in name for word in only)}
    found: Recorded = {}
    start = time.perf_counter()
    with ProcessPoolExecutor(jobs, max_tasks_per_child=1) as pool:
        waiting = [pool.submit(run) for run in work.values()]
        console = Console(stderr=True)
        for done in track(as_completed(waiting), "recording", total=len(waiting), console=console, transient=True):
            found |= done.result()
    path.write_text(json.dumps(dict(sorted(found.items())), indent=0) + "\n")
    print(
        f"{len(found)} cases of {len(work)} groups in {time.perf_counter() - start:.0f} s on {jobs} processes: {path}"
    )


# Comparing.

UNCOMPARED = ("seconds",)
FOLLOWS = ("plan", "events", "busy", "tasks", "energy", "board", "bytes copied", "bound by", "memory", "line")
"""Prefixes of the names of fields whose values depend on the plan that a search finds."""


def renamed(fields: Fields, renames: Mapping[str, str]) -> Fields:
    """Return fields in which the renames (`OLD` to `NEW`) have been applied to all texts."""

    def of(text: str) -> str:
        for old, new in renames.items():
            text = text.replace(old, new)
        return text

    return {of(key): of(value) if isinstance(value, str) else value for key, value in fields.items()}


def is_search(case: str) -> bool:
    return case.startswith("plan/") and case.rsplit("/", 1)[1] in SEARCHES


def differences(case: str, before: Fields, after: Fields) -> Iterator[tuple[str, str]]:
    """Yield a verdict (`worse`, `differs` or `better`) and a sentence for each field that differs."""
    ends = "makespan ns"
    other_plan = is_search(case) and before.get("plan") != after.get("plan")
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key, "nothing"), after.get(key, "nothing")
        if old == new or key in UNCOMPARED:
            continue
        verdict = "differs"
        if isinstance(old, float | int) and isinstance(new, float | int):
            if key.startswith("memory") and new < old:
                verdict = "better"
            elif is_search(case) and key in (ends, "bound ns"):
                verdict = "better" if (new < old) == (key == ends) else "worse"
            elif other_plan and key.startswith(FOLLOWS):
                verdict = "follows"
        elif other_plan and key.startswith(FOLLOWS):
            verdict = "follows"
        if verdict != "follows":
            yield verdict, f"{case}: {key}: {old} before, {new} now"


def compare(before: Path, after: Path, renames: Path | None) -> int:
    """Print all differences; return the number of those that are not improvements."""
    old: dict[str, Any] = json.loads(before.read_text())
    new: dict[str, Any] = json.loads(after.read_text())
    lines = renames.read_text().splitlines() if renames else []
    table = dict(line.split(" -> ", 1) for line in lines if " -> " in line)
    bad = better = 0
    for case in dict.fromkeys((*old, *new)):
        if case not in old or case not in new:
            print(f"missing: {case} is only in {'the first' if case in old else 'the second'} file")
            bad += 1
            continue
        for verdict, sentence in differences(case, renamed(old[case], table), new[case]):
            print(f"{verdict}: {sentence}")
            bad += verdict != "better"
            better += verdict == "better"
    print(f"{len(old)} cases: {bad} fields differ or are worse, {better} are better")
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    recording = commands.add_parser("record", help="compute all cases and write their fields to a file")
    recording.add_argument("file", type=Path)
    recording.add_argument("--large", action="store_true", help="add the remaining machines and long searches")
    recording.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (2)")
    recording.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="WORD",
        help="record only groups whose name contains one of these words",
    )
    comparing = commands.add_parser("compare", help="print the differences between two files")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--renames", type=Path, help="file of lines OLD -> NEW")
    args = parser.parse_args()
    if args.command == "record":
        record(args.file, args.large, args.jobs, args.only)
        return 0
    return 1 if compare(args.before, args.after, args.renames) else 0


if __name__ == "__main__":
    sys.exit(main())
