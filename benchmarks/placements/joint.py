"""Kernels, devices and memory in one plan, against all sequences of separate decisions.

    python -m benchmarks joint [--cases NAME …] [--efforts N …]

For each case, a program on a machine: the pipeline `plan`, the best of all sequences, each in the same run, and the
primary device alone at its best. If the GPU has less memory than the program needs, the sequences are each placement
policy, with recomputation before it or not, then planned moves; and the pipelines `swap` and `pimflow`. If it has
enough (`--enough`), they are the policies and pipelines of the published method. The columns: the time of the plan, how
far it is above the lower bound of its space of plans (or, if there is none, above that of moves for its own tasks, in
brackets), the time of the best sequence and its name, the gain over it, and the processor seconds that planning took on
this computer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another installed package may be called benchmarks

import ndpir
from dialects.diagnostics import notes_to
from interp.figures import percent, time
from ndpir.reports.summary import SummaryAnswer

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "examples" / "models"
START = "inline,canonicalize,state,choose-form"
LOWERED = "to-pim,to-ndp,forward-stores,number-values"
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

    methods: tuple[str, ...] = ()
    """The passes and pipelines to compare with; none for all sequences."""

    @property
    def near_data(self) -> bool:
        return "ndpx" in self.machine


BERT, STEP16 = MODELS / "bert_step.mlir", ROOT / "examples" / "short_of_memory.mlir"
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
CASES["Llama-3-8B decode, batch 32, 8k, 12 GB"] = Case(
    MODELS / "llama3_8b_decode_kv511_f16.onnx",
    "a100-attacc-host",
    ("gpu.memory=12 GB", "pim.channels=32"),
    batch=32,
    cache_length=8191,
)
STEPS = ("bert_base", "bert_large", "dlrm", "gpt2", "lstm", "mobilenetv2", "ncf", "resnet18", "resnet50")
NETWORKS = ("efficientnet_b0", "mnasnet1_0", "mobilenet_v2", "resnet50", "vgg16")
DECODERS = ("gpt2_decode_kv255", "llama2_7b_decode_kv511_f16", "llama3_8b_decode_kv511_f16")
ENOUGH = {
    **{
        f"{name} step": Case(
            MODELS / "steps" / f"{name}.mlir",
            "v100-ndpx",
            (),
            methods=tuple(f"{START},place{{policy={policy}}},{LOWERED}" for policy in ("overlap", "xla-ndp")),
        )
        for name in STEPS
    },
    **{name: Case(MODELS / f"{name}.onnx", "pimflow", (), methods=("pimflow",)) for name in NETWORKS},
    **{name: Case(MODELS / f"{name}.onnx", "a100-newton", (), methods=("offload", "pimflow")) for name in DECODERS},
}
"""Cases with enough memory, each with the pipelines of the published method."""
POLICIES = ("gpu", "pim-first", "greedy", "path", "pattern", "xla-ndp", "overlap")


def sequences(case: Case) -> Iterator[tuple[str, str]]:
    """The names and passes of all sequences of separate decisions."""
    yield from ((method, method) for method in case.methods)
    if case.methods:
        return
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
    parser.add_argument("--cases", nargs="+", choices=[*CASES, *ENOUGH], default=[])
    parser.add_argument("--enough", action="store_true", help="cases with enough memory, in place of those with less")
    parser.add_argument("--efforts", nargs="+", type=int, choices=(1, 2, 3), default=[2])
    parser.add_argument("--bandwidths", nargs="*", type=int, default=[], help="of the expander, GB/s")
    options = parser.parse_args()
    print("| case | effort | plan | above bound | best sequence | gain | GPU alone | planning |")
    print("|---|---|---|---|---|---|---|---|")
    for name in options.cases or (ENOUGH if options.enough else CASES):
        case = {**CASES, **ENOUGH}[name]
        for bandwidth in (None, *options.bandwidths) if case.near_data else (None,):
            print("\n".join(rows(name, case, bandwidth, options.efforts)), flush=True)


def rows(name: str, case: Case, bandwidth: int | None, efforts: list[int]) -> Iterator[str]:
    """The rows of one case, one for each effort."""
    settings = resized(case) + (() if bandwidth is None else (f"ndp.bandwidth={bandwidth} GB/s",))
    name = name if bandwidth is None else f"{name}, {bandwidth} GB/s"
    best = min(filter(None, (timed(case, *each, settings) for each in sequences(case))), default=None)
    for effort in efforts:
        begin = process_time()
        program = compiled(case, f"{START},place{{effort={effort}}},prefetch{{short=true}},{LOWERED}", settings)
        seconds, summary = process_time() - begin, ndpir.answer(program, "summary")
        ns, against = summary.totals.makespan_ns, summary.comparison
        above = above_bound(summary)
        found = f"{time(best[0])} ({best[1]}) | {percent(best[0] / ns - 1)}" if best else "none runs | "
        alone = time(against.ns) if against is not None and against.fits else "does not fit"
        yield f"| {name} | {effort} | {time(ns)} | {above} | {found} | {alone} | {seconds:.0f} s |"


def above_bound(summary: SummaryAnswer) -> str:
    """The relative gap between a plan and the lower bound on all plans; without one, in brackets, the gap to the bound
    on moves for its own tasks."""
    plan, moves = summary.plan, summary.memory.bound if summary.memory is not None else None
    if plan is not None and plan.above is not None and (moves is None or plan.moves):
        return f"{plan.above:.1%}"
    return "-" if moves is None else f"({moves.above:.1%})"


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
    if not case.settings or not (memory := case.settings[0]).endswith("%"):
        return case.settings
    part = float(memory.removeprefix("gpu.memory=").removesuffix("%")) / 100
    whole = ndpir.simulate(compiled(case, "gpu-only", ("gpu.memory=1 TB",)))
    return (f"gpu.memory={int(whole.memory['gpu'].total * part)} B",)


if __name__ == "__main__":
    main()
