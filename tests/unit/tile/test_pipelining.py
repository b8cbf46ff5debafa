"""Laws of pipelining: values stay to the bit, traffic grows by what is copied in vain and no more, and what is
pipelined once is left alone."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dialects.tile import CopyOp, KernelOp
from interp.tile.traffic import streams_of
from interp.tile.values import run_kernel
from lowering.tile.pipelining import PASSES, PEELED
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.templates import kernel_of, pipelined_kernel

PROBLEM = Problem(40, 48, 136)


@cache
def factors() -> list[NDArray[np.float16]]:
    draws = np.random.default_rng(0)
    return [draws.standard_normal(shape).astype(np.float16) for shape in ((40, 136), (136, 48))]


@cache
def plain(block: tuple[int, int, int], instruction: int) -> NDArray[np.generic]:
    return run_kernel(kernel_of(PROBLEM, Schedule(block, (2, 1), instruction)), factors())[0]


@settings(max_examples=30, deadline=None)
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
def test_copies_in_vain_are_a_stage_less_one_of_all_turns(stages: int, register_stages: int) -> None:
    def read(peeled: bool = False, stages: int = stages) -> float:
        schedule = Schedule((32, 32, 32), (2, 1), 16, stages, register_stages, peeled=peeled)
        return read_bytes(pipelined_kernel(Problem(64, 64, 512), schedule))

    turns = 512 // 32
    assert read() == read(stages=1) * (1 + (stages - 1) / turns)
    assert read(peeled=True) == read(stages=1)


@pytest.mark.parametrize("passes", [PASSES, PEELED])
def test_what_is_pipelined_is_left_alone(passes: tuple[type, ...]) -> None:
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
    """Rows of 33 elements of 2 bytes begin at odd ones; a thread copies 4 bytes asynchronously or more."""
    kernel = pipelined_kernel(Problem(32, n, 64), Schedule((16, 16, 16), (1, 1), 16, 2))
    copies = [op for op in kernel.body.walk() if isinstance(op, CopyOp) and op.source.memory is kernel.inputs[1]]
    assert {op.asynchronous is not None for op in copies} == {asynchronous}
