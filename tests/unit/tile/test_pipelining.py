"""Property tests of pipelining: values stay equal to the bit, traffic grows only by the unused copies, and pipelined
loops are not pipelined again.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dialects.tile import BufferOp, CopyOp, KernelOp, memref_of
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.clock import grid_time
from interp.tile.traffic import streams_of
from interp.tile.values import run_kernel
from lowering.tile.pipelining import PASSES, PEELED
from lowering.tile.pipelining.epilogue import PeelLastTurnsPass
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.templates import kernel_of, pipelined_kernel
from ndpir import parse
from tests.amount import cases

PROBLEM = Problem(40, 48, 136)


@cache
def factors() -> list[NDArray[np.float16]]:
    draws = np.random.default_rng(0)
    return [draws.standard_normal(shape).astype(np.float16) for shape in ((40, 136), (136, 48))]


@cache
def plain(block: tuple[int, int, int], instruction: int) -> NDArray[np.generic]:
    return run_kernel(kernel_of(PROBLEM, Schedule(block, (2, 1), instruction)), factors())[0]


@settings(max_examples=cases(75), deadline=None)
@given(
    st.sampled_from([16, 32, 64]),
    st.sampled_from([8, 16]),
    st.integers(1, 6),
    st.integers(1, 4),
    st.booleans(),
    st.booleans(),
)
def test_numbers_stay_to_the_bit(
    bk: int, instruction: int, stages: int, register_stages: int, asynchronous: bool, peeled: bool
) -> None:
    block = (32, 16, bk)
    schedule = Schedule(block, (2, 1), instruction, stages, register_stages, asynchronous, peeled=peeled)
    (found,) = run_kernel(pipelined_kernel(PROBLEM, schedule), factors())
    np.testing.assert_array_equal(found, plain(block, instruction))


def read_bytes(kernel: KernelOp) -> float:
    (grid,) = kernel.grids
    return sum(stream.nbytes for stream in streams_of(grid))


@pytest.mark.parametrize("stages", [2, 3, 5])
@pytest.mark.parametrize("register_stages", [1, 2])
def test_unused_copies_are_stages_minus_one_per_loop(stages: int, register_stages: int) -> None:
    def read(peeled: bool = False, stages: int = stages) -> float:
        schedule = Schedule((32, 32, 32), (2, 1), 16, stages, register_stages, peeled=peeled)
        return read_bytes(pipelined_kernel(Problem(64, 64, 512), schedule))

    iterations = 512 // 32
    assert read() == read(stages=1) * (1 + (stages - 1) / iterations)
    assert read(peeled=True) == read(stages=1)


@pytest.mark.parametrize("passes", [PASSES, PEELED])
def test_pipelined_loops_are_not_changed(passes: tuple[type, ...]) -> None:
    kernel = pipelined_kernel(PROBLEM, Schedule((16, 16, 32), (1, 1), 16, 3, 2))
    module = kernel.parent_op()
    assert isinstance(module, ModuleOp)
    if passes is PEELED:
        PEELED[-1]().apply(Context(), module)
    before = str(module)
    for each in passes:
        each().apply(Context(), module)
    assert str(module) == before


@pytest.mark.parametrize(("n", "asynchronous"), [(48, True), (50, True), (33, False)])
def test_copies_of_odd_rows_become_synchronous(n: int, asynchronous: bool) -> None:
    """Rows of 33 elements of 2 bytes begin at odd elements, but an asynchronous copy moves at least 4 bytes
    per thread.
    """
    kernel = pipelined_kernel(Problem(32, n, 64), Schedule((16, 16, 16), (1, 1), 16, 2))
    copies = [op for op in kernel.body.walk() if isinstance(op, CopyOp) and op.source.memory is kernel.inputs[1]]
    assert {op.asynchronous is not None for op in copies} == {asynchronous}


def test_only_kernels_that_wish_for_it_are_peeled_by_the_pipeline() -> None:
    for peeled in (False, True):
        schedule = Schedule((16, 16, 32), (1, 1), 16, 3, 2, peeled=peeled)
        module = ModuleOp([kernel := kernel_of(PROBLEM, schedule)])
        for each in (*(each() for each in PASSES), PeelLastTurnsPass(wished=True)):
            each.apply(Context(), module)
        assert str(kernel) == str(pipelined_kernel(PROBLEM, schedule))


UNIT = Multiprocessor.of(load_device("a100", {}, None), ModuleOp([]))


@pytest.mark.parametrize("stages", [2, 4])
@pytest.mark.parametrize("register_stages", [1, 2, 4])
def test_iterations_without_copies_take_no_longer(stages: int, register_stages: int) -> None:
    def ns(peeled: bool) -> float:
        schedule = Schedule((128, 128, 64), (2, 2), 16, stages, register_stages, swizzled=True, peeled=peeled)
        (grid,) = pipelined_kernel(Problem(1024, 1024, 1024), schedule).grids
        return grid_time(grid, UNIT).ns

    assert ns(True) <= ns(False) * 1.005


@st.composite
def loops(draw: st.DrawFn) -> str:
    """A kernel that loops over tiles of up to three inputs, in random order, nesting and numbers of stages, and adds up
    the elements that it reads, some of them through fragments with stages of their own."""
    names = "uvw"[: draw(st.integers(1, 3))]
    iterations, nest = draw(st.integers(1, 4)), draw(st.sampled_from(["", "perfect", "imperfect"]))
    outer = draw(st.integers(1, 3)) if nest else 1
    number = f"%o * {iterations} + %k" if nest else "%k"
    common = draw(st.integers(2, 4))
    buffers, copies, uses = list[str](), list[str](), list[str]()
    for name in names:
        stages, fragments = draw(st.sampled_from([common] * 4 + [1, 2])), draw(st.integers(1, 3))
        how = draw(st.sampled_from([" async", " async", " async", " async padded", ""]))
        buffers.append(f"%{name}s = tile.buffer shared stages {stages} : memref<4x4xf16>")
        buffers.append(f"%{name}f = tile.buffer register stages {fragments} : memref<4x2xf16>")
        buffers.append(f"%{name}g = tile.buffer register : memref<4x4xf16>")
        copies.append(f"tile.copy{how} %{name}[{number}] to %{name}s")
        whole = f"tile.copy %{name}s to %{name}g\ntile.mma %{name}g, %unit into %sum"
        parts = f"""tile.for %t = 0 to 2 {{
          tile.copy %{name}s[0 : 4, %t * 2 : 2] to %{name}f
          tile.mma %{name}f, %unit[%t * 2 : 2] into %sum
        }}"""
        uses += draw(st.lists(st.sampled_from([whole, parts]), min_size=1, max_size=2))
    body = [
        *draw(st.permutations(copies)),
        "tile.commit\ntile.wait 0\ntile.barrier",
        *(each + draw(st.sampled_from(["", "\ntile.barrier"])) for each in draw(st.permutations(uses))),
        "tile.barrier",
    ]
    inner = "\n".join([f"tile.for %k = 0 to {iterations} {{", *body, "}"])
    between = "tile.mma %unit, %unit into %sum\n" if nest == "imperfect" else ""
    loop = f"tile.for %o = 0 to {outer} {{\n{between}{inner}\n}}" if nest else inner
    declared = "\n".join(buffers)
    inputs = ", ".join(f"%{name}: memref<{iterations * outer}x4x4xf16>" for name in names)
    return f"""
tile.kernel @random on @gpu (%one: memref<4x4xf16>, {inputs}) -> (%y: memref<4x4xf32>) {{
  tile.blocks %i = 0 to 1 warps 1, 1 {{
    {declared}
    %unit = tile.buffer register : memref<4x4xf16>
    %sum = tile.buffer register : memref<4x4xf32>
    tile.copy %one to %unit
    tile.fill %sum with 0.0
    {loop}
    tile.copy %sum to %y
  }}
}}
"""


@settings(max_examples=cases(75), deadline=None)
@given(loops(), st.booleans())
def test_pipelines_of_random_loops_have_no_races_and_the_same_values(text: str, peeled: bool) -> None:
    module = parse(text)
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    draws = np.random.default_rng(0)
    inputs = [draws.integers(-3, 4, memref_of(each).get_shape()).astype(np.float16) for each in kernel.inputs]
    (before,) = run_kernel(kernel, inputs)
    for each in PEELED if peeled else PASSES:
        each().apply(Context(), module)
        module.verify()
    assert not any(isinstance(op, BufferOp) and op.requested_stages > 1 for op in module.walk())
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    np.testing.assert_array_equal(run_kernel(kernel, inputs)[0], before)
