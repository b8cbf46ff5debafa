"""What PIMFlow (Shin et al., CGO 2023) publishes, beside what our plans of its space take by its own accounting."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.pimflow_plans import ARTIFACT, Row
from benchmarks.pimflow_tables import shown

MODEL = "mobilenet_v2"
LAYERS = {"newton++": 1.365, "pipeline": 1.413, "mddp": 1.436, "pimflow": 1.481}
"""Speed-ups of MobileNetV2's convolutions (README of the artifact)."""
END_TO_END = {"pimflow": 1_445_620 / 1_047_831.4}
"""The same of the whole network: cycles of the GPU alone, and of the plan (README of the artifact)."""
MOST = 1.82
"""The largest end-to-end speed-up of a network (abstract)."""
SAVED = 0.26
"""The mean share of energy saved (abstract)."""

WHY = """\
Why they differ:
- No time of a layer on PIMFlow's GPU is public. One constant of ours is fitted, on the total of MobileNetV2's
  convolutions on 32 channels (benchmarks/pimflow_calibrate.py); all else is what Turing GPUs were measured to do.
  How much a convolution loses with half of the channels, and a part of it against the whole, is our model's word.
- End to end, the published baseline (1,445,620 cycles) is shorter than its own convolutions alone (1,454,400): these
  were profiled layer by layer on a cold cache, the network as one run of kernels on a warm one. Ours is one sum, so
  other ops and each launch of them count in full, in the baseline and in the plan.
- The published GPU energies come from a model of power that the artifact does not print, and its PIM energies leave
  out refresh, activation, idle power and pins. Ours are counted by component on both sides; no idle power of the GPU.
- The abstract's speed-up is the best of its networks, which it does not name; its per-network figures are not public
  but for MobileNetV2."""


def compared(rows: Sequence[Row]) -> None:
    """Print published figures beside ours, as far as the rows have them."""
    mine = [row for row in rows if row.accounting == ARTIFACT.name and row.sum_ns]
    table: list[tuple[str, str, str, str]] = []
    for row in mine:
        if row.model == MODEL and row.way in LAYERS:
            table.append(
                _line(f"{MODEL}, convolutions, {row.way}", LAYERS[row.way], row.base_layers_ns / row.layers_ns)
            )
        if row.model == MODEL and row.way in END_TO_END:
            table.append(_line(f"{MODEL}, end to end, {row.way}", END_TO_END[row.way], row.base_ns / row.sum_ns))
    last = [row for row in mine if row.way == "pimflow"]
    if len(last) > 1:
        table.append(
            _line(f"most of {len(last)} networks, end to end", MOST, max(row.base_ns / row.sum_ns for row in last))
        )
        saved = sum(1 - row.energy_ratio for row in last) / len(last)
        table.append(("energy saved, mean", f"{SAVED:.0%}", f"{saved:.0%}", f"{(saved - SAVED) * 100:+.0f} points"))
    if table:
        shown("PIMFlow's published figures beside ours, by its own accounting", ("", "published", "ours", ""), table)
        print(WHY + "\n")


def _line(what: str, published: float, ours: float) -> tuple[str, str, str, str]:
    return (what, f"{published:.3f}x", f"{ours:.3f}x", f"{ours / published - 1:+.1%}")
