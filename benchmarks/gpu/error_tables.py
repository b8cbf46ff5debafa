"""Writer of the errors of GPU models in README.md and docs/gpu.md, from the record benchmarks/gpu/errors.csv.

    python -m benchmarks error_tables           # write the documents
    python -m benchmarks error_tables --check   # list the outdated ones

The record is written by benchmarks/gpu_accuracy.py (`--record`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another installed package may be called benchmarks

from benchmarks.gpu.record import Row, read
from benchmarks.gpu.tables import FEW
from interp.kinds.gpu.classes import CLASSES
from ndpir.pages.generated import ROOT, run

BEGIN, END = "<!-- {}: written by `python -m benchmarks error_tables` -->\n", "<!-- end -->\n"
README_CELL = "| times of GPU kernels |"
"""The beginning of the line of README.md that states errors."""

KINDS_OF_KERNELS: dict[str, Callable[[Row], bool]] = {
    "GEMM": lambda row: row.kernel_class == "gemm" and row.op != "bmm",
    "batched GEMM": lambda row: row.kernel_class == "gemm" and row.op == "bmm",
    "convolution forward": lambda row: row.kernel_class == "conv_forward",
    "convolution backward": lambda row: row.kernel_class.startswith("conv_backward"),
    "element-wise": lambda row: row.kernel_class == "elementwise",
    "layer norm, RMS norm": lambda row: row.kernel_class == "norm",
    "softmax": lambda row: row.kernel_class == "softmax",
    "attention, prefill": lambda row: row.kernel_class == "prefill",
    "attention, decode": lambda row: row.kernel_class == "decode",
}
NETWORKS = {"network": "convolutional", "other network": "vision transformers"}
ENERGY = {"gemm": "GEMM", "prefill": "attention, prefill", "decode": "attention, decode"}


def mean(rows: Sequence[Row], of: Callable[[Row], float | None] = lambda row: row.model) -> float | None:
    """Return the mean of a number over all measurements of the groups; None if it is unknown for a group."""
    values = [of(row) for row in rows]
    known = [value * row.rows for value, row in zip(values, rows, strict=True) if value is not None]
    return sum(known) / count(rows) if len(known) == len(rows) else None


def count(rows: Iterable[Row]) -> int:
    return sum(row.rows for row in rows)


def gpus(rows: Iterable[Row]) -> int:
    return len({row.gpu for row in rows})


def tables(rows: Sequence[Row]) -> dict[str, str]:
    """Return the generated parts of docs/gpu.md by name."""
    shipped = [row for row in rows if row.kind == "shipped"]
    return {
        "held-out kernels": "".join(_kernels(shipped)),
        "folds": "".join(_spread([row for row in rows if row.kind == "folds"])),
        "left out": "".join(_spread([row for row in rows if row.kind == "left out"])),
        "networks": "".join(_networks(shipped)),
        "energy": "".join(_energy(shipped)),
    }


def _kernels(rows: Sequence[Row]) -> Iterator[str]:
    heads = ("", "GPUs", "groups", "rows fitted", "rows held out", "roofline", "two constants", "model")
    yield from _head(*heads, "median group", "worst group", "bias")
    for name, holds in KINDS_OF_KERNELS.items():
        if here := [row for row in rows if holds(row)]:
            fitted = f"{sum(row.fitted or 0 for row in here):,}"
            baselines = (
                _number(mean(here, lambda row: row.roofline)),
                _number(mean(here, lambda row: row.two_constants)),
            )
            ends = (*baselines, _number(mean(here)), *_middle(here), f"{mean(here, lambda row: row.bias):+.1f}")
            yield _line(name, gpus(here), len(here), fitted, _rows(here), *ends)


def _spread(rows: Sequence[Row]) -> Iterator[str]:
    yield from _head(
        "", "GPUs", "groups", "rows", "roofline", "two constants", "model", "best group", "median group", "worst group"
    )
    for name, holds in KINDS_OF_KERNELS.items():
        if here := [row for row in rows if holds(row)]:
            baselines = (
                _number(mean(here, lambda row: row.roofline)),
                _number(mean(here, lambda row: row.two_constants)),
            )
            best = min(row.model for row in here)
            yield _line(
                name, gpus(here), len(here), _rows(here), *baselines, _number(mean(here)), f"{best:.1f}", *_middle(here)
            )


def _networks(rows: Sequence[Row]) -> Iterator[str]:
    yield from _head("networks", "GPU", "fitted", "held out", "roofline", "model", "median network", "bias")
    for kernel_class, name in NETWORKS.items():
        for row in rows:
            if row.kernel_class == kernel_class:
                errors = (_number(row.roofline), f"{row.model:.1f}", f"{row.median:.1f}", f"{row.bias:+.1f}")
                yield _line(name, row.gpu, row.fitted, _rows([row]), *errors)


def _energy(rows: Sequence[Row]) -> Iterator[str]:
    yield from _head("kernels", "GPU", "all, rows", "all, error", "repeated for 1 s or more, rows", "error")
    for kernel_class, name in ENERGY.items():
        for row in rows:
            if row.kernel_class == f"energy {kernel_class}":
                long = [each for each in rows if each.kernel_class == f"long {kernel_class}" and each.gpu == row.gpu]
                ends = (_rows(long), f"{long[0].model:.1f}") if long else ("none", "none")
                yield _line(name, row.gpu, _rows([row]), f"{row.model:.1f}", *ends)


def _head(*words: str) -> Iterator[str]:
    yield _line(*words)
    yield "|" + "---|" * len(words) + "\n"


def _line(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)).replace("|  |", "| |") + " |\n"


def _middle(rows: Sequence[Row]) -> tuple[str, str]:
    worst = max(rows, key=lambda row: row.model)
    return f"{median(row.model for row in rows):.1f}", f"{worst.model:.0f} {worst.gpu}, {worst.element}"


def _rows(rows: Sequence[Row]) -> str:
    number = count(rows)
    return f"{number:,}" + (" (few)" if number < FEW else "")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


README_CLASSES = ("GEMM", "convolution forward", "convolution backward", "attention, prefill", "attention, decode")


def readme_cell(rows: Sequence[Row]) -> str:
    """Return the line of README.md that states errors: by folds where these are recorded, since held-out rows are then
    few."""
    shipped = [row for row in rows if row.kind == "shipped" and row.kernel_class in CLASSES]
    by_class = {name: [row for row in rows if KINDS_OF_KERNELS[name](row)] for name in README_CLASSES}
    parts, ends = list[str](), list[str]()
    for name, of_class in by_class.items():
        folds = [row for row in of_class if row.kind == "folds"]
        if here := folds or [row for row in of_class if row.kind == "shipped"]:
            few = f", only {count(here)} rows" if count(here) < FEW else ""
            how = f", {count(here):,} rows by folds" if folds else ""
            worst, flat = max(row.model for row in here), mean(here, lambda row: row.roofline)
            parts.append(f"{name} {mean(here):.0f} % (worst group {worst:.0f} %{few}{how}; a roofline {flat:.0f} %)")
        if left_out := [row for row in of_class if row.kind == "left out"]:
            ends.append(f"{name} {mean(left_out):.0f} % (worst {max(row.model for row in left_out):.0f} %)")
    text = (
        f"{count(shipped):,} published measurements on {gpus(shipped)} GPUs, none of which was used to fit the model's "
        f"constants. Mean error: {'; '.join(parts)}. For a GPU without measurements: {', '.join(ends)}"
    )
    return f"{README_CELL} {text} | [docs/gpu.md](docs/gpu.md#accuracy), `benchmarks/gpu_accuracy.py --shipped` |\n"


def documents() -> dict[str, str]:
    """The documents by their paths in the checkout, with the errors of the record."""
    rows = read()
    text = (ROOT / "docs/gpu.md").read_text(encoding="utf-8")
    for name, table in tables(rows).items():
        before, begin, rest = text.partition(BEGIN.format(name))
        _, end, after = rest.partition(END)
        if not end:
            sys.exit(f"docs/gpu.md has no part `{BEGIN.format(name).strip()}` … `{END.strip()}`")
        text = f"{before}{begin}\n{table}\n{end}{after}"
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines(keepends=True)
    readme = "".join(readme_cell(rows) if line.startswith(README_CELL) else line for line in lines)
    return {"docs/gpu.md": text, "README.md": readme}


if __name__ == "__main__":
    run("benchmarks.gpu.error_tables", documents)
