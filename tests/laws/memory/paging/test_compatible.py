"""G10's accounting by runs of pages equals the accounting page by page and tick by tick."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from benchmarks.memory.compatible import Faults, Place, Settings, Step, replay_lookahead, replay_plan, replay_uvm, stall
from dialects.diagnostics import InputError
from interp.simulate.memory.problem import Kernel, KernelTrace, Tensor
from ndpir.traces.g10 import CLOCK_GHZ, PAGE, G10Case, read_g10
from tests.laws.memory.paging.page_by_page import PageByPage


def pages_of(count: int) -> float:
    """The size of `count` pages in GiB."""
    return count * PAGE / 1024**3


def drawn(seed: int) -> tuple[G10Case, Settings, list[Step]]:
    """A random case: a trace of kernels, each of whose operands fit into GPU memory together; settings of a small
    machine; and the steps of a plan."""
    draw = random.Random(seed)
    gpu = draw.randint(8, 60)
    settings = Settings(
        link_gbps=draw.choice([15.754, 32.0]),
        ssd_gbps=draw.choice([5.0, 6.4, 12.8]),
        host_gib=pages_of(draw.choice([0, 1, 2, 5, 30, 1000])),
        gpu_gib=pages_of(gpu),
        batch=draw.choice([7, 10, 50]),
        allocation_cycles=draw.choice([4, 300]),
        iterations=2,
    )
    tensors = tuple(
        Tensor(f"t{number}", draw.randint(1, max(1, gpu // 4)) * PAGE, draw.random() < 0.3)
        for number in range(draw.randint(3, 14))
    )
    kernels: list[Kernel] = []
    for number in range(draw.randint(2, 14)):
        room = gpu
        taken: list[int] = []
        for one in draw.sample(range(len(tensors)), draw.randint(1, min(5, len(tensors)))):
            if tensors[one].nbytes // PAGE <= room:
                taken.append(one)
                room -= tensors[one].nbytes // PAGE
        cut = draw.randint(0, len(taken))
        cycles = draw.choice([10, 2000, 15599, 60000, 400000])
        kernels.append(Kernel(f"k{number}", cycles / CLOCK_GHZ, tuple(taken[:cut]), tuple(taken[cut:])))
    cycles = tuple(round(kernel.ns * CLOCK_GHZ) for kernel in kernels)
    steps = [
        Step(
            at,
            draw.randrange(len(tensors)),
            draw.choice(list(Place)),
            draw.choice([None, 1, 3, 10]),
            draw.choice([Place.NOWHERE, Place.SSD, Place.HOST]),
        )
        for at in sorted(draw.choices(range(len(kernels) + 1), k=draw.randint(0, 20)))
    ]
    return G10Case(str(seed), KernelTrace(tuple(kernels), tensors), cycles, cycles, cycles), settings, steps


def compare_ahead(case: G10Case, settings: Settings, degree: int) -> None:
    """Assert that both simulations give the same cycles for each kernel if evictions spare the operands of the next
    `degree` kernels."""
    operands = case.trace.operands
    steps = [
        Step(kernel, tensor, Place.GPU)
        for kernel in range(len(operands))
        for tensor in reversed(operands[(kernel + degree) % len(operands)])
    ]
    ends = PageByPage(case, settings, steps, degree).run()
    assert [list(each) for each in replay_lookahead(case, settings, degree).ends] == ends


def compare(case: G10Case, settings: Settings, steps: list[Step]) -> None:
    """Assert that both simulations of a trace give the same cycles for each kernel, under demand paging and under the
    plan `steps`."""
    plain = PageByPage(case, settings, steps)
    ends = plain.run()
    got = replay_plan(case, steps, settings) if steps else replay_uvm(case, settings)
    assert [list(each) for each in got.ends] == ends
    assert sum(got.fetched) == plain.fetched


@pytest.mark.parametrize("seed", range(60))
def test_runs_of_pages_give_the_times_of_single_pages(seed: int) -> None:
    case, settings, steps = drawn(seed)
    compare(case, settings, [])
    compare(case, settings, steps)
    compare_ahead(case, settings, 1 + seed % 4)


@pytest.mark.parametrize("host", [0, 5, 10000])
def test_a_training_step_larger_than_the_gpu(host: int) -> None:
    case = read_g10("tests/data/g10", "Small_1")
    settings = Settings(gpu_gib=pages_of(400), host_gib=pages_of(host))
    compare(case, settings, [])
    compare_ahead(case, settings, 4)
    cold, warm = replay_uvm(case, settings).iterations
    assert cold > case.ideal_cycles
    assert warm > case.ideal_cycles


def test_a_kernel_larger_than_the_gpu_is_refused() -> None:
    with pytest.raises(InputError, match=r"kernel 12 \(Conv2d_Backward_Input\) needs 360 pages .* the GPU has 359;"):
        replay_uvm(read_g10("tests/data/g10", "Small_1"), Settings(gpu_gib=pages_of(359)))


def test_an_ssd_must_move_a_page_a_tick() -> None:
    with pytest.raises(InputError, match=r"expected 0\.315 GB/s at least"):
        Settings(ssd_gbps=0.2)


def test_measured_faults_count_in_whole_seconds() -> None:
    """G10's accounting rounds a measured stall down to whole seconds: one cycle less than a second counts as 0. If the
    faults on two input pages of 4,096 bytes took 1 s, faults fetch 8,192 bytes per second."""
    trace = KernelTrace((Kernel("k", 1.0, (0,), (1,)),), (Tensor("a", 2 * PAGE), Tensor("b", 2 * PAGE)))
    second = 1_200_000_000

    def stalled(output: int, everything: int, inputs: Faults, outputs: Faults) -> int:
        return stall(G10Case("", trace, (1,), (output,), (everything,)), 0, inputs, outputs, Settings())

    one_of_two, none = Faults(2, host=1), Faults(2)
    at_link = PAGE / 15.754e9 * second
    assert stalled(second - 1, second - 1, one_of_two, none) == int(at_link)
    assert stalled(1, second, one_of_two, none) == second // 2
    assert stalled(1, second, none, one_of_two) == int(at_link)  # that second is of faults on inputs
    assert stalled(second, second, none, one_of_two) == second // 2
    ssd = Faults(2, ssd=1)
    assert stalled(1, second, ssd, none) == pytest.approx(second / 2 * 65 / 45, abs=2)
    assert stalled(1, 1, ssd, none) == int(PAGE / 3.2e9 * second)
    assert stalled(1, 1, ssd, one_of_two) == int(PAGE / 3.2e9 * second)  # the SSD limits the time, not the link
    assert stalled(1, 1, Faults(200, ssd=1), Faults(200, host=100)) == int(100 * PAGE / (15.754e9 - 3.2e9) * second)


def test_with_room_for_all_the_second_iteration_is_the_ideal_one() -> None:
    case = read_g10("tests/data/g10", "Small_1")
    replayed = replay_uvm(case)
    assert replayed.fetched == (120, 0)  # the weights come once
    assert replayed.iterations[1] == replayed.cycles == case.ideal_cycles
    ends = [0, *replayed.ends[0]]
    assert all(before < after for before, after in pairwise(ends))
