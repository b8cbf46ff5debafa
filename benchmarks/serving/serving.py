"""Serving on one GPU: times of ndp-serve compared with measured runs of vLLM, SGLang and TensorRT-LLM.

    python -m benchmarks serving DIR [--only WORD …] [--configs DIR] [--rows] [--fit ENGINE]

DIR: a folder with aic_silicon.csv (measured.py states its form). For each GPU, engine, model and precision: the number
of rows, the mean error of the time per output token (TPOT), and of the time to the first token (TTFT) of rows without
queueing, which are those where the simulated median is at most a quarter above that of a request that never waits for
others. In the same rows: TPOT by a roofline of each step, by the bytes of weights and caches over the bandwidth, and by
the latter with two constants for each engine, fitted to all rows of the engine. If a row of a cell was faster than its
roofline, the client sent the same prompts again, and caches held them: all rows of the cell are served with prompts
that caches hold (marked `hits`). `--rows` prints each row. `--only`: cells with all of these words. `--fit ENGINE` fits
the host's times of an engine to the rows.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another installed package may be called benchmarks

import numpy as np

from benchmarks.serving.measured import CLOSED_LOOP, Measured, measured_in
from dialects.diagnostics import InputError, notes_to
from interp.machine.engine import Engine
from interp.machine.sheets.files import load_engine, load_gpu
from ndpir.compiler.compilation import Request
from ndpir.frontends.configs import Config, Group, read_config
from ndpir.serving.answer import room_for
from ndpir.serving.batching import Chunk, Load, Served, Spent, StepTimes, serve
from ndpir.serving.models import ConfigModel
from ndpir.serving.serial import SerialTimes
from ndpir.serving.steps import Figures, Steps, devices_of

ROOT = Path(__file__).resolve().parents[2]
FITTED = ("step_ns", "prompts_ns", "sequence_ns", "kernels", "request_ns")
HOST: dict[str, Any] = {"step_ns": 0.0, "prompts_ns": 0.0, "sequence_ns": 0.0, "kernels": 1.0, "request_ns": 0.0}
"""The fields of an engine without time on the host."""


@dataclass
class Cell:
    """The rows of one GPU, engine, model and precision, with the times of its steps."""

    rows: list[Measured]
    config: Config
    steps: Steps
    times: StepTimes
    figures: Figures
    """Those of a step of one sequence of `context` tokens."""
    context: int
    hits: float = 0.0
    """The share of each prompt that caches hold."""

    @staticmethod
    def of(rows: list[Measured], configs: Path) -> Cell:
        first = rows[0]
        engine = load_engine(first.engine)
        config = read_config(str(configs / f"{first.model}.json"))
        request = Request("gpu-only", first.gpu, library=engine.library)
        steps = Steps(ConfigModel(config, first.types, engine.merges), request)
        context = min(row.prompt + row.output for row in rows)
        steps.choose_types(Group(1, 1, context - 1))
        figures = steps.figures(Group(1, 1, context - 1))
        longest = max(row.prompt + row.output for row in rows)
        times = SerialTimes(steps, longest, engine.tokens)
        cell = Cell(rows, config, steps, times, figures, context)
        ideal, roofline = replace(engine, **HOST), Roofline(cell)
        faster = any(row.tpot_ms < cell.served(row, ideal, roofline).mean_token_ms for row in rows)
        return replace(cell, hits=1.0) if faster else cell

    def served(self, row: Measured, engine: Engine, times: StepTimes | None = None) -> Served:
        """A simulated run of a row."""
        longest = row.prompt + row.output
        room = room_for(self.figures, 1, self.context, engine) * self.context
        least = [round(row.least * length) for length in (row.prompt, row.output)]
        lengths = (least[0], row.prompt), (least[1], row.output)
        load = Load(row.concurrency, *lengths, CLOSED_LOOP * row.concurrency, hits=self.hits)
        return serve(load, engine, times or self.times, max(room, longest))

    def first_alone_ms(self, row: Measured, engine: Engine) -> float:
        """The time to the first token of a request that waits for the step that runs, and for the one that was formed
        before it arrived, but for no other prompt, ms."""
        beside = row.concurrency - 1 if engine.mixes else 0
        left, total = round(row.prompt * (1 + row.least) / 2), 0.0
        done = min(int(left * self.hits), left - 1)
        if beside:
            step = self.times.decoding(beside, row.prompt + row.output / 2, 1).ns * engine.kernels
            total += (0.5 + engine.overlaps) * (step + engine.host_ns(beside, 0))
        while done < left:
            chunk = Chunk(min(engine.tokens - beside, left - done), done)
            total += self.times.with_prompts(beside, row.prompt + row.output / 2, [chunk]).ns * engine.kernels
            total += engine.host_ns(beside, 1)
            done += chunk.new
        return (total + engine.request_ns) / 1e6


class Roofline:
    """Steps that take the longer of their arithmetic and their bytes, at the peaks of the GPU's sheet."""

    def __init__(self, cell: Cell) -> None:
        gpu, config = load_gpu(cell.rows[0].gpu), cell.config
        narrow = cell.rows[0].precision != "bf16"
        self.rate = gpu.matrix_rates["f8" if narrow else "bf16"]
        self.bandwidth = gpu.bandwidth
        self.weights = sum(cell.figures[f"weights {name}"] for name in devices_of(cell.figures))
        self.cache = sum(cell.figures.get(f"states {name}", 0.0) for name in devices_of(cell.figures)) / cell.context
        width = {"bf16": 2.0, "fp4": 17 / 32}.get(cell.rows[0].precision, 1.0)  # of fp4, blocks of 32 share a scale
        self.experts, self.expert_bytes = config.experts, 0.0
        if (experts := config.experts) is not None:
            self.expert_bytes = 3 * width * config.hidden * experts.width * experts.count * len(experts.layers)
        chosen = 0.0 if experts is None else self.expert_bytes * experts.chosen / experts.count
        self.flops = 2 * (self.weights - self.expert_bytes + chosen) / width

    def read(self, tokens: int) -> float:
        """The bytes of weights that a step of some tokens reads: of experts, those that tokens are expected to choose
        if all are as likely."""
        if self.experts is None:
            return self.weights
        missed = (1 - self.experts.chosen / self.experts.count) ** tokens
        return self.weights - self.expert_bytes * missed

    def decoding(self, sequences: int, context: float, steps: int) -> Spent:
        nbytes = self.read(sequences) + self.cache * sequences * (context + steps / 2)
        return Spent(steps * 1e9 * max(nbytes / self.bandwidth, self.flops * sequences / self.rate), 0.0)

    def with_prompts(self, sequences: int, context: float, chunks: Sequence[Chunk]) -> Spent:
        new = sum(chunk.new for chunk in chunks)
        nbytes = self.read(sequences + new) + self.cache * (sequences * context + sum(c.new + c.cached for c in chunks))
        return Spent(1e9 * max(nbytes / self.bandwidth, self.flops * (sequences + new) / self.rate), 0.0)

    def bytes_ms(self, row: Measured) -> float:
        """The time of the bytes of a decode step, ms."""
        tokens = row.concurrency * (row.prompt + row.output / 2) * (1 + row.least) / 2
        return (self.read(row.concurrency) + self.cache * tokens) / self.bandwidth * 1e3


def errors(cells: Sequence[Cell], print_rows: bool) -> None:
    """Print the table of errors by cell."""
    two = two_constants(cells)
    print("| GPU | engine | model | precision | rows | TPOT | roofline | bytes / bandwidth | two constants | TTFT |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for cell in cells:
        engine, roofline = load_engine(cell.rows[0].engine), Roofline(cell)
        met = defaultdict[str, list[float]](list)
        for row in cell.rows:
            served = cell.served(row, engine)
            tpot, ttft = served.mean_token_ms, fmean(served.first_ns) / 1e6
            least = cell.served(row, replace(engine, **HOST), roofline).mean_token_ms
            nbytes, alone = roofline.bytes_ms(row), cell.first_alone_ms(row, engine)
            met["tpot"].append(tpot / row.tpot_ms - 1)
            met["roofline"].append(least / row.tpot_ms - 1)
            met["bytes"].append(nbytes / row.tpot_ms - 1)
            met["two"].append(float(np.dot(two[row.engine], (nbytes, 1.0))) / row.tpot_ms - 1)
            if median(served.first_ns) <= 1.25e6 * alone:
                met["ttft"].append(ttft / row.ttft_ms - 1)
            if print_rows:
                print(
                    f"  {row.prompt} {row.output} c{row.concurrency}: TPOT {row.tpot_ms:.2f} simulated {tpot:.2f} "
                    f"({tpot / row.tpot_ms - 1:+.1%}); TTFT {row.ttft_ms:.0f} simulated {ttft:.0f}, alone {alone:.0f}",
                    flush=True,
                )
        shown = [f"{fmean(map(abs, met[name])):.1%}" for name in ("tpot", "roofline", "bytes", "two")]
        first = f"{fmean(map(abs, met['ttft'])):.0%} of {len(met['ttft'])}" if met["ttft"] else ""
        names = " | ".join(cell.rows[0].cell) + (", hits" if cell.hits else "")
        print(f"| {names} | {len(cell.rows)} | {' | '.join(shown)} | {first} |", flush=True)


def two_constants(cells: Sequence[Cell]) -> Mapping[str, Any]:
    """For each engine, the factor of the bytes' time and the time a step, by least squares of relative errors."""
    found: dict[str, Any] = {}
    for engine in {cell.rows[0].engine for cell in cells}:
        rows = [(Roofline(cell).bytes_ms(row), row) for cell in cells for row in cell.rows if row.engine == engine]
        inputs = np.array([[ms / row.tpot_ms, 1 / row.tpot_ms] for ms, row in rows])
        found[engine] = np.linalg.lstsq(inputs, np.ones(len(rows)), rcond=None)[0]
    return found


def fitted(cells: Sequence[Cell], engine: Engine) -> Engine:
    """The engine with the host's times that fit the rows best, by coordinate descent on the mean error of TPOT, and
    `request_ns` by that of TTFT."""

    def loss(tried: Engine) -> float:
        return fmean(
            abs(cell.served(row, tried).mean_token_ms / row.tpot_ms - 1) for cell in cells for row in cell.rows
        )

    best, least = engine, loss(engine)
    for scale in (1.0, 0.5, 0.25):
        for name, span in (("step_ns", 1e6), ("prompts_ns", 4e6), ("sequence_ns", 2e4), ("kernels", 0.04)):
            least, best = _along(best, least, name, span * scale, loss)
    arriving = replace(best, request_ns=0.0)
    waits = [
        row.ttft_ms * 1e6 - fmean(served.first_ns)
        for cell in cells
        for row in cell.rows
        if median((served := cell.served(row, arriving)).first_ns) <= 1.25e6 * cell.first_alone_ms(row, arriving)
    ]
    if waits and median(waits) < 0:
        print("first tokens are measured earlier than simulated: no time of arrival fits", file=sys.stderr)
        return arriving
    return replace(best, request_ns=median(waits) if waits else 0.0)


def _along(best: Engine, least: float, name: str, step: float, loss: Callable[[Engine], float]) -> tuple[float, Engine]:
    for sign in (1, -1):
        while True:
            tried = replace(best, **{name: getattr(best, name) + sign * step})
            if getattr(tried, name) < 0 or (found := loss(tried)) >= least:
                break
            best, least = tried, found
    return least, best


def main() -> None:
    """Print the table, or fit an engine."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks serving", description="Serving, compared with runs")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", default=[], help="cells with all of these words")
    parser.add_argument("--configs", type=Path, default=ROOT / "examples" / "configs")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--fit", metavar="ENGINE")
    options = parser.parse_args()
    gc.set_threshold(50_000)
    grouped = defaultdict[tuple[str, ...], list[Measured]](list)
    for row in measured_in(options.folder):
        if all(word in row.cell for word in options.only):
            grouped[row.cell].append(row)
    cells: list[Cell] = []
    with notes_to(lambda message, place: None):
        for key, rows in sorted(grouped.items()):
            rows.sort(key=lambda row: (row.prompt, row.output, row.concurrency))
            try:
                cells.append(Cell.of(rows, options.configs))
            except (InputError, OSError) as error:
                print(f"{' '.join(key)}: {error}", file=sys.stderr)
        if options.fit:
            print({name: getattr(fitted(cells, load_engine(options.fit)), name) for name in FITTED})
        else:
            errors(cells, options.rows)


if __name__ == "__main__":
    main()
