"""Tests of the errors for hazards of a pipeline through shared memory and registers; each error is reported at the line
of its op."""

from __future__ import annotations

import numpy as np
import pytest

from dialects.diagnostics import InputError
from dialects.tile import KernelOp
from interp.tile.races import check_races
from interp.tile.values import run_kernel
from ndpir import parse

FUSED = """
tile.kernel @gemm on @gpu (%a: memref<32x128xf16>, %b: memref<128x32xf16>) -> (%c: memref<32x32xf32>) {
  tile.blocks %i = 0 to 1 warps 2, 1 {
    %as = tile.buffer shared rotating : memref<3x32x32xf16>
    %bs = tile.buffer shared rotating : memref<3x32x32xf16>
    %af = tile.buffer register rotating : memref<2x32x16xf16>
    %bf = tile.buffer register rotating : memref<2x16x32xf16>
    %sum = tile.buffer register : memref<32x32xf32>
    tile.fill %sum with 0.0
    tile.for %p = 0 to 2 {
      tile.copy async %a[0 : 32, %p * 32 : 32] to %as[%p]
      tile.copy async %b[%p * 32 : 32] to %bs[%p]
      tile.commit
    }
    tile.wait 1
    tile.barrier
    tile.copy %as[0, 0 : 32, 0 : 16] to %af[0]
    tile.copy %bs[0, 0 : 16] to %bf[0]
    tile.for %k = 0 to 4 {
      tile.copy async %a[0 : 32, ((%k + 2) mod 4) * 32 : 32] to %as[(%k + 2) mod 3]
      tile.copy async %b[((%k + 2) mod 4) * 32 : 32] to %bs[(%k + 2) mod 3]
      tile.commit
      tile.for %t = 0 to 2 {
        tile.when (%t + 1) mod 2 {
          tile.wait 1
          tile.barrier
        }
        tile.copy %as[(%k + (%t + 1) floordiv 2) mod 3, 0 : 32, ((%t + 1) mod 2) * 16 : 16] to %af[(%t + 1) mod 2]
        tile.copy %bs[(%k + (%t + 1) floordiv 2) mod 3, ((%t + 1) mod 2) * 16 : 16] to %bf[(%t + 1) mod 2]
        tile.mma %af[%t], %bf[%t] into %sum
      }
      tile.barrier
    }
    tile.wait 0
    tile.copy %sum to %c
  }
}
"""
NEXT_A = "tile.copy %as[(%k + (%t + 1) floordiv 2) mod 3, 0 : 32, ((%t + 1) mod 2) * 16 : 16] to %af[(%t + 1) mod 2]"
GUARD = """tile.when (%t + 1) mod 2 {
          tile.wait 1
          tile.barrier
        }
"""

HAZARDS = [
    (
        "first fragments that nobody copies",
        "    tile.copy %as[0, 0 : 32, 0 : 16] to %af[0]\n",
        "",
        "29:9: tile.mma reads elements of %af that were never written; fill or copy to them first",
    ),
    (
        "fragments whose pipeline drains in each iteration of the outer loop",
        NEXT_A,
        f"tile.when %t {{ {NEXT_A} }}",
        "30:9: tile.mma reads an older fill of %af than in an earlier iteration",
    ),
    (
        "fragments that cross over to the next tiles unguarded",
        GUARD,
        "",
        "24:17: tile.copy reads %as before an asynchronous copy to it has arrived",
    ),
    (
        "a guard that is never passed",
        "tile.when (%t + 1) mod 2",
        "tile.when %t + 1",
        "28:9: tile.copy reads %as before an asynchronous copy to it has arrived",
    ),
    (
        "a guard without a barrier",
        "          tile.wait 1\n          tile.barrier\n",
        "          tile.wait 1\n",
        "27:9: tile.copy reads elements of %as that other threads may not have written yet",
    ),
    (
        "a guard that waits for one tile less",
        "          tile.wait 1",
        "          tile.wait 2",
        "28:9: tile.copy reads %as before an asynchronous copy to it has arrived",
    ),
    (
        "no wait before the first fragments",
        "    }\n    tile.wait 1\n",
        "    }\n",
        "16:5: tile.copy reads %as before an asynchronous copy to it has arrived",
    ),
    (
        "a slot that fragments are still copied from",
        "%as[(%k + 2) mod 3]",
        "%as[%k mod 3]",
        "20:7: tile.copy overwrites elements of %as that other threads may still have to read",
    ),
]


def kernel_in(text: str) -> KernelOp:
    return next(op for op in parse(text).ops if isinstance(op, KernelOp))


def test_the_pipeline_computes_the_product() -> None:
    draws = np.random.default_rng(0)
    a, b = (draws.integers(-3, 4, shape).astype(np.float16) for shape in ((32, 128), (128, 32)))
    (found,) = run_kernel(kernel_in(FUSED), [a, b])
    np.testing.assert_array_equal(found, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize(("what", "old", "new", "complaint"), HAZARDS, ids=[each[0] for each in HAZARDS])
def test_a_hazard_is_found_at_its_line(what: str, old: str, new: str, complaint: str) -> None:
    assert old in FUSED
    with pytest.raises(InputError) as raised:
        check_races(kernel_in(FUSED.replace(old, new, 1)))
    place, _, words = complaint.partition(": ")
    assert words in str(raised.value)
    assert place in str(raised.value.place or "")


EXCHANGE = """
tile.kernel @exchange on @gpu (%x: memref<16x16xf16>) -> (%y: memref<16x16xf16>, %z: memref<16x16xf16>) {
  tile.blocks %i = 0 to 1 warps 2, 1 {
    %t = tile.buffer shared : memref<16x16xf16>
    %r = tile.buffer register : memref<16x16xf16>
    tile.copy %x to %t
    tile.barrier
    tile.copy %t to %r
    tile.copy %r to %y
    tile.barrier
    tile.copy %y to %r
    tile.copy %r to %z
  }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("%y\n    tile.barrier", "%y", "10:5: tile.copy reads elements of %y that other threads may not have written"),
        (
            "%r\n    tile.copy %r to %z",
            "%r\n    tile.copy %r to %y\n    tile.barrier\n    tile.copy %r to %z",
            "12:5: tile.copy overwrites elements of %y",
        ),
        ("tile.barrier", "tile.fill %t with 0.0\n    tile.barrier", "7:5: tile.fill overwrites elements of %t"),
    ],
)
def test_threads_that_exchange_values_meet_in_between(old: str, new: str, complaint: str) -> None:
    check_races(kernel_in(EXCHANGE))
    with pytest.raises(InputError) as raised:
        check_races(kernel_in(EXCHANGE.replace(old, new, 1)))
    assert complaint.partition(": ")[2] in str(raised.value)
    assert complaint.partition(": ")[0] in str(raised.value.place or "")


STEERED = """
tile.kernel @copy on @gpu (%x: memref<32x16xf16>) -> (%y: memref<32x16xf16>) {
  tile.blocks %i = 0 to 2 warps 1, 1 {
    %t = tile.buffer shared : memref<2x16x16xf16>
    tile.copy %x[%i * 16 : 16] to %t[%i]
    tile.barrier
    tile.when %i - 1 {
      tile.copy %t[%i] to %y[16 : 16]
    }
    tile.when %i {
      tile.copy %t[%i] to %y[0 : 16]
    }
  }
}
"""


def test_blocks_that_do_different_things_are_each_followed() -> None:
    x = np.random.default_rng(0).standard_normal((32, 16)).astype(np.float16)
    np.testing.assert_array_equal(run_kernel(kernel_in(STEERED), [x])[0], x)
    with pytest.raises(InputError, match=r"tile\.copy reads elements of %t that other threads may not have written"):
        check_races(kernel_in(STEERED.replace("%i - 1 {", "%i - 1 {\n      tile.copy %x[0 : 16] to %t[1]")))


def test_blocks_that_differ_in_too_many_ways_are_refused() -> None:
    text = STEERED.replace("%i = 0 to 2", "%i = 0 to 200000").replace("%t[%i]", "%t[%i mod 2]")
    with pytest.raises(InputError, match="thread blocks take 200000 different paths"):
        check_races(kernel_in(text.replace("%i * 16 : 16", "(%i mod 2) * 16 : 16")))
