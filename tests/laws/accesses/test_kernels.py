"""Accesses of thread blocks to global memory: kernels with random changes are refused before timing only if a run
refuses them, and each access that a run refuses is found before timing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dialects.element_types import dtype_of
from dialects.tile import KernelOp, memref_of
from interp.tile.accesses import check_accesses
from interp.tile.values import run_kernel
from lowering.tile.schedule import Convolution, Problem, Schedule
from lowering.tile.templates import kernel_of
from ndpir import parse
from tests.amount import cases
from tests.laws.accesses.mutations import judged
from tests.unit.tile.test_kernels import VIEWED

WORDS = ("tile.blocks", "tile.for", "tile.when", "tile.view", "tile.copy", "tile.write", "tile.read")
SCHEDULE = Schedule((16, 16, 16), (1, 1))
TWO_VIEWS = """
tile.kernel @two_views on @gpu (%x: memref<8x12xf32>) -> (%y: memref<8x12xf32>, %z: memref<96xf32>) {
  %t = tile.buffer global : memref<12x8xf32>
  %v = tile.view %t (d0, d1) -> (d1, d0) : memref<12x8xf32> to memref<8x12xf32>
  %w = tile.view %z (d0, d1) -> (d0 * 12 + d1) : memref<96xf32> to memref<8x12xf32>
  tile.blocks %i = 0 to 4, %j = 0 to 3 warps 1, 1 {
    tile.for %k = 0 to 2 {
      tile.copy %x[%i * 2 + %k, %j * 4 : 4] to %v[%i * 2 + %k, %j * 4 : 4]
      tile.copy %x[%i * 2 + %k, %j * 4 : 4] to %w[%i * 2 + %k, %j * 4 : 4]
    }
  }
  tile.blocks %i = 0 to 8 warps 1, 1 {
    tile.for %k = 0 to 6 {
      tile.when %k mod 2 {
        tile.copy %v[%i, %k * 2 : 2] to %y[%i, %k * 2 : 2]
      }
      tile.when (%k + 1) mod 2 {
        tile.copy %v[%i, %k * 2 : 2] to %y[%i, %k * 2 : 2]
      }
    }
  }
}
"""


def convolution() -> str:
    image = Convolution(2, (5, 4), 16, 12, (3, 3), (2, 1), ((1, 1), (1, 1)))
    return str(kernel_of(Problem.of_convolution(image), SCHEDULE))


def product(split: int = 1, stream: int = 0) -> str:
    problem = Problem(40, 24, 24, batch=2, epilogue=("relu",))
    return str(kernel_of(problem, replace(SCHEDULE, split=split, stream=stream)))


KERNELS: dict[str, Callable[[], str]] = {
    "product": product,
    "product, split sums": lambda: product(split=2),
    "product, shared iterations": lambda: product(stream=3),
    "convolution": convolution,
    "one view": lambda: VIEWED,
    "two views": lambda: TWO_VIEWS,
}


def kernel_in(text: str) -> KernelOp:
    return next(op for op in parse(text).ops if isinstance(op, KernelOp))


def run(kernel: KernelOp) -> None:
    types = map(memref_of, kernel.inputs)
    run_kernel(kernel, [np.ones(each.get_shape(), dtype_of(each.element_type)) for each in types])


def is_wrong_access(message: str) -> bool:
    words = ("two thread blocks of one grid", "another thread block of the same grid", "more than once through")
    return any(each in message for each in words) or ("never written" in message and "fill or copy" not in message)


@pytest.mark.slow
def test_accesses_that_a_run_refuses_are_found_before_timing() -> None:
    found = Counter[str]()
    for make in KERNELS.values():
        found += judged(make(), WORDS, cases(100), 1, kernel_in, check_accesses, run, is_wrong_access)
    assert found["missed"] == 0
    assert found["found"]
    assert found["valid"]
