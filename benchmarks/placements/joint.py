"""Kernels, devices and memory in one plan, against all sequences of separate decisions.

    python -m benchmarks joint [--cases NAME …] [--efforts N …]

For each case, a program on a machine whose GPU has less memory than the program needs: the pipeline `plan`, the best of
all sequences (each placement policy, with recomputation before it or not, then planned moves; and the pipelines `swap`
and `pimflow`), each in the same run, and the primary device alone at its best. The columns: the time of the plan, how
far it is above the lower bound of its space of plans, the time of the best sequence and its name, the gain over it, and
the seconds that planning took on this computer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another installed package may be called benchmarks

import ndpir
from dialects.diagnostics import notes_to
from interp.figures import percent, time

ROOT = Path(__file__).resolve().parents[2]
MODELS, HERE = ROOT / "examples" / "models", Path(__file__).resolve().parent
BANDWIDTHS = (225, 450, 900)
"""Bandwidths of the near-data expander, GB/s: the range that its sheet states, and between."""


@dataclass(frozen=True)
class Case:
    """A program on a machine: its file, the sizes that `ndpir.read` takes, the machine, and changes of its sheets."""

    program: Path
    machine: str
    settings: tuple[str, ...]
    batch: int | None = None
    cache_length: int | None = None

    @property
    def near_data(self) -> bool:
        return "ndpx" in self.machine


BERT, STEP16 = MODELS / "bert_step.mlir", HERE / "step16.mlir"
CASES: dict[str, Case] = {
    "bert_step, 120 MB, no expander": Case(BERT, "v100-uvm", ("gpu.memory=120 MB",)),
    "bert_step, 120 MB": Case(BERT, "v100-ndpx-host", ("gpu.memory=120 MB",)),
    "bert_step, 150 MB": Case(BERT, "v100-ndpx-host", ("gpu.memory=150 MB",)),
    "step16, 13.1 MB": Case(STEP16, "a100-ndpx-host", ("gpu.memory=13.1 MB",)),
    "step16, 8.9 MB": Case(STEP16, "a100-ndpx-host", ("gpu.memory=8.9 MB",)),
    "Llama-2-7B prefill 128, 8 GB": Case(
        MODELS / "llama2_7b_prefill128_f16.onnx", "a100-aim-host", ("gpu.memory=8 GB",)
    ),
    "GPT-2 step, half": Case(MODELS / "steps" / "gpt2.mlir", "v100-ndpx-host", ("gpu.memory=50 %",)),
    "GPT-2 step, 35 %": Case(MODELS / "steps" / "gpt2.mlir", "v100-ndpx-host", ("gpu.memory=35 %",)),
    "BERT-base step, half": Case(MODELS / "steps" / "bert_base.mlir", "v100-ndpx-host", ("gpu.memory=50 %",)),
    "BERT-base step, 35 %": Case(MODELS / "steps" / "bert_base.mlir", "v100-ndpx-host", ("gpu.memory=35 %",)),
}
POLICIES = ("gpu", "pim-first", "greedy", "path", "pattern", "xla-ndp", "overlap")
START = "inline,canonicalize,state,choose-form"


def sequences(case: Case) -> Iterator[tuple[str, str]]:
    """The names and passes of all sequences of separate decisions."""
    for policy in POLICIES:
        if policy in ("pattern", "xla-ndp", "overlap") and not case.near_data:
            continue
        for again in ("", ",recompute"):
            name = f"{'recompute, then ' if again else ''}{policy}, then prefetch"
            yield name, f"{START}{again},place{{policy={policy}}},prefetch{{short=true}}"
    yield "swap", "swap"
    if "aim" in case.machine:
        yield "pimflow, then prefetch", "pimflow,prefetch{short=true}"


def main() -> None:
    """Print a row for each case."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks joint", description="One plan against sequences")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES])
    parser.add_argument("--efforts", nargs="+", type=int, choices=(1, 2, 3), default=[2])
    parser.add_argument("--bandwidths", nargs="*", type=int, default=[], help="of the expander, GB/s")
    options = parser.parse_args()
    print("| case | effort | plan | above bound | best sequence | gain | GPU alone | planning |")
    print("|---|---|---|---|---|---|---|---|")
    for name in options.cases:
        case = CASES[name]
        for bandwidth in (None, *options.bandwidths) if case.near_data else (None,):
            print("\n".join(rows(name, case, bandwidth, options.efforts)), flush=True)


def rows(name: str, case: Case, bandwidth: int | None, efforts: list[int]) -> Iterator[str]:
    """The rows of one case, one for each effort."""
    settings = resized(case) + (() if bandwidth is None else (f"ndp.bandwidth={bandwidth} GB/s",))
    name = name if bandwidth is None else f"{name}, {bandwidth} GB/s"
    best = min(filter(None, (timed(case, *each, settings) for each in sequences(case))), default=None)
    for effort in efforts:
        begin = perf_counter()
        program = compiled(case, f"{START},place{{effort={effort}}},prefetch{{short=true}}", settings)
        seconds, summary = perf_counter() - begin, ndpir.answer(program, "summary")
        ns, against = summary.totals.makespan_ns, summary.comparison
        above = f"{summary.plan.above:.1%}" if summary.plan is not None and summary.plan.above is not None else "-"
        found = f"{time(best[0])} ({best[1]}) | {percent(best[0] / ns - 1)}" if best else "none runs | "
        alone = time(against.alone.makespan_ns) if against.fits else "does not fit"
        yield f"| {name} | {effort} | {time(ns)} | {above} | {found} | {alone} | {seconds:.0f} s |"


def timed(case: Case, name: str, passes: str, settings: tuple[str, ...]) -> tuple[float, str] | None:
    """The time of a sequence in ns, with its name; None if it can't run."""
    try:
        return ndpir.simulate(compiled(case, passes, settings)).makespan_ns, name
    except ndpir.InputError:
        return None


def compiled(case: Case, passes: str, settings: tuple[str, ...]) -> ndpir.ModuleOp:
    """The program after some passes, on the case's machine with changed sheets."""
    with notes_to(lambda message, place: None):
        program = ndpir.read(case.program, batch=case.batch, cache_length=case.cache_length)
        return ndpir.compile(program, passes, machine=case.machine, settings=settings)


def resized(case: Case) -> tuple[str, ...]:
    """The changes of sheets, with a memory in per cent replaced by that part of what the program needs on the GPU
    alone."""
    (memory,) = case.settings
    if not memory.endswith("%"):
        return case.settings
    part = float(memory.removeprefix("gpu.memory=").removesuffix("%")) / 100
    whole = ndpir.simulate(compiled(case, "gpu-only", ("gpu.memory=1 TB",)))
    return (f"gpu.memory={int(whole.memory['gpu'].total * part)} B",)


if __name__ == "__main__":
    main()
