"""Kernels of thread blocks: their values equal the graph op's, passes preserve them, and races are reported at their
line.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import Float16Type, Float32Type, ModuleOp
from xdsl.utils.exceptions import VerifyException

from dialects.diagnostics import InputError
from dialects.tile import BlocksOp, BufferOp, KernelOp
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.clock import kernel_time
from interp.tile.events import BlocksOnUnit, Rates
from interp.tile.values import run_kernel
from interp.tile.work import conflicts, occupancy, registers_of, shared_bytes_of, steps_of, warps_of
from lowering.tile.matmul import matmul
from lowering.tile.schedule import Schedule
from ndpir import parse
from ndpir.registry.universe import load_pass

PIPELINING = (
    "detect-pipelines",
    "coalesce-nests",
    "enlarge-buffers",
    "shift-copies",
    "wrap-indices",
    "copy-first-stages",
    "wait-for-stages",
)
SCHEDULES = (
    Schedule((32, 32, 16), (2, 2), asynchronous=False),
    Schedule((32, 32, 16), (2, 2)),
    Schedule((32, 64, 32), (2, 2), stages=2, pad=8),
    Schedule((64, 32, 16), (4, 1), stages=3, order=2),
    Schedule((16, 16, 64), (1, 1), stages=5, instruction=32),
)
SHAPES = ((64, 64, 64), (40, 70, 50), (1, 1, 1), (17, 33, 128))


def kernel_of(shape: tuple[int, int, int], schedule: Schedule, pipelined: bool = True) -> KernelOp:
    f16 = Float16Type()
    kernel = matmul("product", "gpu", shape, (f16, f16), schedule)
    module = ModuleOp([kernel])
    for name in PIPELINING if pipelined else ():
        load_pass(name)().apply(Context(), module)
    module.verify()
    return kernel


def factors(shape: tuple[int, int, int]) -> tuple[NDArray[np.float16], NDArray[np.float16]]:
    m, n, k = shape
    draws = np.random.default_rng(0)
    return draws.standard_normal((m, k)).astype(np.float16), draws.standard_normal((k, n)).astype(np.float16)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_product_is_the_graph_ops(shape: tuple[int, int, int], schedule: Schedule) -> None:
    a, b = factors(shape)
    (found,) = run_kernel(kernel_of(shape, schedule), [a, b])
    expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16)
    np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_pipelining_keeps_numbers_to_the_bit(schedule: Schedule) -> None:
    shape = (40, 70, 150)
    a, b = factors(shape)
    (plain,) = run_kernel(kernel_of(shape, schedule, pipelined=False), [a, b])
    (found,) = run_kernel(kernel_of(shape, schedule), [a, b])
    np.testing.assert_array_equal(plain, found)


PIPELINED = """
tile.kernel @gemm on @gpu (%a: memref<64x128xf16>, %b: memref<128x64xf16>) -> (%c: memref<64x64xf32>) {
  tile.blocks %i = 0 to 2, %j = 0 to 2 warps 2, 1 {
    %as = tile.buffer shared : memref<3x32x32xf16>
    %bs = tile.buffer shared : memref<3x32x32xf16>
    %af = tile.buffer register : memref<32x32xf16>
    %bf = tile.buffer register : memref<32x32xf16>
    %sum = tile.buffer register : memref<32x32xf32>
    tile.fill %sum with 0.0
    tile.for %p = 0 to 2 {
      tile.copy async %a[%i * 32 : 32, %p * 32 : 32] to %as[%p]
      tile.copy async %b[%p * 32 : 32, %j * 32 : 32] to %bs[%p]
      tile.commit
    }
    tile.for %k = 0 to 4 {
      tile.copy async %a[%i * 32 : 32, ((%k + 2) mod 4) * 32 : 32] to %as[(%k + 2) mod 3]
      tile.copy async %b[((%k + 2) mod 4) * 32 : 32, %j * 32 : 32] to %bs[(%k + 2) mod 3]
      tile.commit
      tile.wait 2
      tile.barrier
      tile.copy %as[%k mod 3] to %af
      tile.copy %bs[%k mod 3] to %bf
      tile.mma %af, %bf into %sum
      tile.barrier
    }
    tile.wait 0
    tile.copy %sum to %c[%i * 32 : 32, %j * 32 : 32]
  }
}
"""

BROKEN = [
    (
        "a wait that lets one stage too many be on its way",
        "tile.wait 2",
        "tile.wait 3",
        "21:7: tile.copy reads %as before",
    ),
    (
        "no barrier behind the wait",
        "tile.wait 2\n      tile.barrier",
        "tile.wait 2",
        "20:7: tile.copy reads elements of %as",
    ),
    (
        "no barrier behind the last read",
        "%sum\n      tile.barrier",
        "%sum",
        "16:7: tile.copy overwrites elements of %as",
    ),
    (
        "a slot whose copy has not arrived",
        "%as[(%k + 2) mod 3]",
        "%as[(%k + 1) mod 3]",
        "16:7: tile.copy writes to %as while",
    ),
    (
        "unneeded copies without a wait",
        "    tile.wait 0\n",
        "",
        "16:7: this asynchronous copy may still be in progress when the thread block ends",
    ),
    (
        "no commit",
        "to %bs[%p]\n      tile.commit",
        "to %bs[%p]",
        "20:7: tile.copy reads %as before",
    ),
    (
        "sums that begin nowhere",
        "    tile.fill %sum with 0.0\n",
        "",
        "22:7: tile.mma reads elements of %sum that were never",
    ),
]


@pytest.mark.parametrize(("what", "old", "new", "complaint"), BROKEN, ids=[each[0] for each in BROKEN])
def test_a_race_is_found_at_its_line(what: str, old: str, new: str, complaint: str) -> None:
    assert old in PIPELINED
    (kernel,) = (op for op in parse(PIPELINED.replace(old, new, 1)).ops if isinstance(op, KernelOp))
    a, b = factors((64, 64, 128))
    with pytest.raises(InputError) as raised:
        run_kernel(kernel, [a, b])
    place, _, words = complaint.partition(": ")
    assert words in str(raised.value)
    assert f"{place}" in str(raised.value.place or "")


def kernel_in(text: str) -> KernelOp:
    return next(op for op in parse(text).ops if isinstance(op, KernelOp))


def test_blocks_that_write_the_same_elements_are_refused() -> None:
    text = PIPELINED.replace("%c[%i * 32 : 32, %j * 32 : 32]", "%c[%i * 32 : 32, 0 : 32]")
    with pytest.raises(InputError, match="two thread blocks of one grid write to the same elements of %c"):
        run_kernel(kernel_in(text), factors((64, 64, 128)))


def test_an_output_that_is_not_all_written_is_refused() -> None:
    text = PIPELINED.replace("%j = 0 to 2", "%j = 0 to 1")
    with pytest.raises(InputError, match="2048 elements of %c are never written"):
        run_kernel(kernel_in(text), factors((64, 64, 128)))


def test_a_block_of_too_many_steps_is_refused() -> None:
    text = PIPELINED.replace("tile.for %k = 0 to 4 {", "tile.for %k = 0 to 1000000000 {")
    with pytest.raises(InputError, match="steps, but races are checked for at most 1048576 steps"):
        run_kernel(kernel_in(text), factors((64, 64, 128)))


UNIT = Multiprocessor.of(load_device("l20", {}, None), ModuleOp([]))


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_periods_are_passed_to_the_tick(schedule: Schedule, blocks: int) -> None:
    (grid,) = kernel_of((256, 256, 2048), schedule).grids
    rates = Rates(400.0, 2.5)
    cycles = [
        BlocksOnUnit(steps_of(grid, UNIT), warps_of(grid), blocks, rates, skipping).run() for skipping in (True, False)
    ]
    assert cycles[0] == cycles[1]


def test_the_work_of_simulation_grows_with_periods_and_not_with_iterations() -> None:
    def events(k: int) -> int:
        (grid,) = kernel_of((256, 256, k), SCHEDULES[2]).grids
        simulated = BlocksOnUnit(steps_of(grid, UNIT), warps_of(grid), 2, Rates(400.0))
        simulated.run()
        return simulated.sequence

    assert events(320_000) < 1.2 * events(3_200)


def test_time_falls_with_stages_and_padding() -> None:
    def us(pad: int = 0, stages: int = 1) -> float:
        schedule = Schedule((128, 128, 32), (4, 2), pad=pad, stages=stages)
        return kernel_time(kernel_of((2048, 2048, 2048), schedule), UNIT)[0] / 1e3

    plain, padded, pipelined = us(), us(pad=8), us(pad=8, stages=3)
    assert plain > padded > pipelined
    peak = 2 * 2048**3 / 119.5e12 * 1e6
    assert pipelined > peak


def test_the_number_of_blocks_on_a_multiprocessor() -> None:
    (grid,) = kernel_of((256, 256, 256), Schedule((128, 128, 32), (4, 2), stages=4, pad=8)).grids
    found = occupancy(shared_bytes_of(grid), registers_of(grid), grid.threads, UNIT)
    assert found.shared_bytes == 4 * (128 * 40 + 32 * 136) * 2
    assert found.blocks == 1


def test_a_block_that_is_too_large_has_no_time() -> None:
    kernel = kernel_of((256, 256, 4096), Schedule((256, 256, 128), (4, 4), stages=3))
    with pytest.raises(InputError, match="bytes of shared memory"):
        kernel_time(kernel, UNIT)


def test_factors_in_f32_run_on_lanes() -> None:
    f32 = Float32Type()
    kernel = matmul("product", "gpu", (64, 64, 64), (f32, f32), SCHEDULES[0])
    assert isinstance(kernel.grids[0], BlocksOp)
    a, b = (each.astype(np.float32) for each in factors((64, 64, 64)))
    np.testing.assert_allclose(run_kernel(kernel, [a, b])[0], a @ b, rtol=1e-4, atol=1e-4)
    assert kernel_time(kernel, UNIT)[0] > 0


VIEWED = """
tile.kernel @k on @gpu (%x: memref<4x8xf32>) -> (%y: memref<32xf32>) {
  %v = tile.view %x (n) -> (n floordiv 8, n mod 8) : memref<4x8xf32> to memref<32xf32>
  %own = tile.buffer global : memref<32xf32>
  %back = tile.view %own (n) -> (31 - n) : memref<32xf32> to memref<32xf32>
  tile.blocks %i = 0 to 4 warps 1, 1 {
    tile.copy %v[%i * 8 : 8] to %back[%i * 8 : 8]
  }
  tile.blocks %i = 0 to 2 warps 1, 1 {
    tile.copy %own[%i * 16 : 16] to %y[%i * 16 : 16]
  }
}
"""


def test_a_view_is_read_and_written_under_its_own_subscripts() -> None:
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    np.testing.assert_array_equal(run_kernel(kernel_in(VIEWED), [x])[0], x.reshape(-1)[::-1])


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("(31 - n)", "(n floordiv 2)", "more than once through %back|two thread blocks"),
        ("%back[%i * 8 : 8]", "%back[0 : 8]", "two thread blocks of one grid write to the same elements of %own"),
        ("%i = 0 to 4", "%i = 0 to 3", "reads elements of %own that were never written"),
        ("to %y[", "to %own[", "source and target"),
    ],
)
def test_accesses_to_the_memory_of_a_kernel_are_checked(old: str, new: str, complaint: str) -> None:
    with pytest.raises((InputError, VerifyException), match=complaint):
        run_kernel(kernel_in(VIEWED.replace(old, new, 1)), [np.zeros((4, 8), np.float32)])


def test_blocks_of_a_grid_do_not_read_results_of_other_blocks() -> None:
    text = VIEWED.replace(
        "    tile.copy %v[%i * 8 : 8] to %back[%i * 8 : 8]",
        """
    tile.copy %v[%i * 8 : 8] to %back[%i * 8 : 8]
    tile.copy %own[0 : 8] to %y[%i * 8 : 8]""",
    )
    with pytest.raises(InputError, match="reads elements of %own that another thread block of the same grid writes"):
        run_kernel(kernel_in(text), [np.zeros((4, 8), np.float32)])


@pytest.mark.parametrize(
    ("words", "columns", "factor"),
    [
        ("", 16, 2),
        ("", 32, 4),
        ("", 64, 8),
        ("", 128, 8),
        ("pad 8", 32, 1),
        ("pad 8", 64, 1),
        ("swizzled", 16, 1),
        ("swizzled", 32, 1),
        ("swizzled", 64, 1),
        ("swizzled", 128, 2),
    ],
)
def test_rows_in_the_same_banks_are_read_one_after_another(words: str, columns: int, factor: int) -> None:
    """Eight threads each access 16 bytes of another row. In one pass they can use each of the 32 banks once; rows of
    128 bytes begin in the same bank, unless they are padded or swizzled. With the published swizzle, rows of 256
    bytes conflict in pairs."""
    text = f"""
    tile.kernel @k on @gpu (%x: memref<16x{columns}xf16>) -> (%y: memref<16x{columns}xf16>) {{
      tile.blocks %i = 0 to 1 warps 1, 1 {{
        %t = tile.buffer shared {words} : memref<16x{columns}xf16>
        tile.copy %x to %t
        tile.barrier
        tile.copy %t to %y
      }}
    }}"""
    buffer = next(op for op in kernel_in(text).walk() if isinstance(op, BufferOp))
    assert conflicts(buffer.memory) == factor
