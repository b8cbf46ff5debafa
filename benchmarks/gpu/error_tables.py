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
    "GEMM with scaled blocks": lambda row: row.kernel_class == "gemm_blocks",
    "convolution forward": lambda row: row.kernel_class == "conv_forward",
    "convolution backward": lambda row: row.kernel_class.startswith("conv_backward"),
    "element-wise": lambda row: row.kernel_class == "elementwise",
    "layer norm, RMS norm": lambda row: row.kernel_class == "norm",
    "softmax": lambda row: row.kernel_class == "softmax",
    "embedding": lambda row: row.kernel_class == "gather",
    "attention, prefill": lambda row: row.kernel_class == "prefill" and row.op != "mixed attention",
    "attention, prefill and decode in one call": lambda row: row.op == "mixed attention",
    "attention, prefill over an f8 cache": lambda row: row.kernel_class == "prefill_narrow",
    "attention, encoder": lambda row: row.kernel_class == "bidirectional",
    "attention, decode": lambda row: row.kernel_class == "decode",
    "attention, decode over an f8 cache": lambda row: row.kernel_class == "decode_narrow",
    "routed experts": lambda row: row.kernel_class == "experts",
    "routed experts without a gate": lambda row: row.kernel_class == "experts_ungated",
    "routed experts with scaled blocks": lambda row: row.kernel_class == "experts_blocks",
}
NETWORKS = {"network": "convolutional", "other network": "vision transformers"}


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
    folds = [row for row in rows if row.kind == "folds"]
    return {
        "folds": "".join(_spread(folds)),
        "library left out": "".join(_spread([row for row in rows if row.kind == "library left out"])),
        "left out": "".join(_spread([row for row in rows if row.kind == "left out"])),
        "libraries": "".join(_by_library(folds)),
        "networks": "".join(_networks([row for row in rows if row.kind == "shipped"])),
    }


def _by_library(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the errors of the classes that were measured in several libraries, by library."""
    classes = ("GEMM", "attention, prefill", "attention, decode")
    yield from _head("library", *(f"{name}: {what}" for name in classes for what in ("GPUs", "rows", "error")))
    for library in sorted({row.library for row in rows if row.library}):
        cells: list[object] = []
        for name in classes:
            here = [row for row in rows if row.library == library and KINDS_OF_KERNELS[name](row)]
            cells += [gpus(here), _rows(here), _number(mean(here))] if here else ["-", "-", "-"]
        yield _line(library, *cells)


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


README_CLASSES = (
    *(
        "GEMM",
        "convolution forward",
        "convolution backward",
        "attention, prefill",
        "attention, decode",
        "routed experts",
    ),
)


def readme_cell(rows: Sequence[Row]) -> str:
    """Return the line of README.md that states errors."""
    kernels = [row for row in rows if row.kind == "folds" and row.kernel_class in CLASSES]
    parts, ends = list[str](), list[str]()
    for name in README_CLASSES:
        here = [row for row in kernels if KINDS_OF_KERNELS[name](row)]
        left_out = [row for row in rows if row.kind == "left out" and KINDS_OF_KERNELS[name](row)]
        if here:
            worst, flat = max(row.model for row in here), mean(here, lambda row: row.roofline)
            parts.append(f"{name} {mean(here):.0f} % (worst group {worst:.0f} %; a roofline {flat:.0f} %)")
        if left_out:
            ends.append(f"{name} {mean(left_out):.0f} %")
    text = (
        f"{count(kernels):,} published measurements of {len({row.library for row in kernels})} libraries on "
        f"{gpus(kernels)} GPUs, each predicted by constants that were fitted to other shapes. Mean error: "
        f"{'; '.join(parts)}. For a chip without measurements: {', '.join(ends)}"
    )
    return f"{README_CELL} {text} | [docs/gpu.md](docs/gpu.md#accuracy), `benchmarks/gpu_accuracy.py --folds 5` |\n"


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
