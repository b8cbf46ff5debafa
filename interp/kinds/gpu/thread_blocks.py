"""The constants of the timing model of thread blocks (interp/tile/clock.py), as calibrations state them."""

from __future__ import annotations

from interp.kinds.gpu.kernel_class import Constant, GpuModel

THREAD_BLOCKS = GpuModel(
    "tile",
    "multiprocessor",
    "The time of kernels of thread blocks (dialect `tile`). Constants that no calibration of the GPU or of its family "
    "states are those of its sheet alone; they are not transferred from other families.",
    (
        Constant(
            "matrix", "", 1.0, 0.05, 1.5, "sustained share of the peak rate of matrix units: clocks drop under load"
        ),
        Constant("shared", "", 1.0, 0.05, 1.5, "sustained share of the peak rate of shared memory"),
        Constant("store", "cycles", 1.0, 0, 1000, "time for each line that a multiprocessor writes to memory"),
        Constant("dram", "", 0.9, 0.05, 1.5, "share of the peak DRAM bandwidth that streaming accesses reach"),
        Constant(
            "contention",
            "",
            0.0,
            0,
            1,
            "mutual delay of memory and multiprocessors: the norm of order 1 / contention of their times (0: the "
            "longer one, 1: their sum)",
        ),
    ),
    transfers=False,
)
