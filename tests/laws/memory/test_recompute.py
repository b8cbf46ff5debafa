"""Recomputation: every kernel reads the same contents as before, and on chains of a training step the choice is
compared with all choices."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.simulate.memory.problem import Kernel, KernelTrace, Tensor
from lowering.memory.recompute import Priced, Recomputed, Reruns, combined_with_moves, fitting
from tests.amount import cases
from tests.laws.memory.traces import traces


@given(traces(), st.data())
@settings(max_examples=cases(600), deadline=None)
def test_kernels_read_the_original_contents(trace: KernelTrace, data: st.DataObject) -> None:
    reruns = Reruns(trace)
    chosen = data.draw(st.sets(st.sampled_from(reruns.candidates))) if reruns.candidates else set[int]()
    found = reruns.run(chosen)
    assert contents(found) == contents(reruns.run(()))
    assert found.trace.ideal_ns == pytest.approx(trace.ideal_ns + found.more_ns)
    assert [number for number, again in zip(found.kernels, found.again, strict=True) if not again] == [
        *range(len(trace.kernels))
    ]
    for number, tensor in enumerate(found.tensors):
        assert found.trace.tensors[number] == trace.tensors[tensor]


def contents(found: Recomputed) -> list[Any]:
    """The contents that the original kernels read: for each operand, the kernel that wrote the tensor last, together
    with the contents that this kernel read."""
    now: dict[int, Any] = {}
    read: list[Any] = []
    for kernel, number, again in zip(found.trace.kernels, found.kernels, found.again, strict=True):
        operands = tuple(now.get(tensor, ("at first", found.tensors[tensor])) for tensor in kernel.reads)
        if not again:
            read.append(operands)
        for tensor in kernel.writes:
            now[tensor] = hash((number, found.tensors[tensor], operands))
    return read


def step(layers: int, random: Random) -> KernelTrace:
    """A training step of a chain: the forward pass of a layer reads the previous layer's value, its gradient reads that
    value and the next layer's gradient."""
    sizes = [random.randrange(1, 6) for _ in range(layers + 1)]
    values = [Tensor(f"v{at}", sizes[at]) for at in range(layers + 1)]
    gradients = [Tensor(f"g{at}", sizes[at]) for at in range(layers + 1)]
    tensors = (*values, *gradients)
    forward = [Kernel("load", 1.0, (), (0,))]
    forward += [Kernel(f"f{at}", float(random.randrange(1, 9)), (at - 1,), (at,)) for at in range(1, layers + 1)]
    first = layers + 1
    backward = [Kernel("loss", 1.0, (layers,), (first + layers,))]
    backward += [
        Kernel(f"b{at}", float(random.randrange(2, 18)), (at - 1, first + at), (first + at - 1,))
        for at in range(layers, 0, -1)
    ]
    return KernelTrace((*forward, *backward), tensors)


def best(reruns: Reruns, capacity: int) -> float | None:
    """The least sum of kernel times of all choices of kernels to run again whose peak of live bytes is at most
    `capacity`; None if no choice fits."""
    units = reruns.candidates
    found = (reruns.run(chosen).trace for count in range(len(units) + 1) for chosen in combinations(units, count))
    return min((trace.ideal_ns for trace in found if trace.peak_live <= capacity), default=None)


def test_a_choice_that_fits_is_near_the_best_one() -> None:
    above: list[float] = []
    missed = 0
    for seed in range(24):
        random = Random(seed)
        trace = step(random.randrange(3, 6), random)
        reruns = Reruns(trace, able=lambda kernel: kernel > 0)
        capacity = random.randrange(trace.largest_working_set, trace.peak_live + 1)
        least, found = best(reruns, capacity), fitting(reruns, capacity)
        if found is None:
            missed += least is not None
            continue
        assert least is not None
        assert found.trace.peak_live <= capacity
        assert found.trace.ideal_ns >= least * (1 - 1e-12)
        above.append(found.trace.ideal_ns / least - 1)
    assert missed <= 1
    assert max(above) <= 0.1
    assert sum(above) / len(above) <= 0.01


def test_kernels_are_recomputed_if_that_costs_less_time_than_moves() -> None:
    """A fixed cost replaces that of moves: 40 ns per kernel for each live byte above the capacity."""
    trace = step(6, Random(3))
    capacity = trace.peak_live - 6

    def priced(trial: KernelTrace) -> Priced:
        above = np.maximum(trial.live - capacity, 0)
        return Priced(trial.ideal_ns + 40.0 * float(above.sum()), np.where(above > 0, 40.0, 0.0))

    found, relaxed = combined_with_moves(Reruns(trace, able=lambda kernel: kernel > 0), priced)
    assert found.reruns
    assert relaxed is not None
    assert relaxed.bound_ns < priced(trace).bound_ns
    assert relaxed.bound_ns == priced(found.trace).bound_ns


def test_a_step_that_fits_is_not_changed() -> None:
    trace = step(5, Random(1))
    found = fitting(Reruns(trace), trace.peak_live)
    assert found is not None
    assert found.trace == trace


def test_a_tensor_updated_in_place_is_recomputed_by_all_of_its_writers() -> None:
    """The kernels are a convolution, a batch normalisation that updates its running means, and an activation in
    place."""
    names = ("x", "c", "y", "means", "z", "g")
    tensors = tuple(Tensor(name, size, name == "means") for name, size in zip(names, (1, 8, 8, 1, 2, 1), strict=True))
    trace = KernelTrace(
        (
            Kernel("load", 1.0, (), (0,)),
            Kernel("conv", 5.0, (0,), (1,)),
            Kernel("norm", 2.0, (1, 3), (2, 3)),
            Kernel("relu", 1.0, (2,), (2,)),
            Kernel("next", 5.0, (2,), (4,)),
            Kernel("loss", 1.0, (4,), (5,)),
            Kernel("back", 9.0, (0, 2, 5), (5,)),
        ),
        tensors,
    )
    assert not Reruns(trace).run([1, 2]).reruns  # the normalisation is not declared stateless
    reruns = Reruns(trace, stateless=lambda kernel: kernel == 2)
    found = reruns.run([1, 2])
    assert [kernel.name for kernel, again in zip(found.trace.kernels, found.again, strict=True) if again] == [
        "conv",
        "norm",
        "relu",
    ]
    again = {kernel.name: kernel for kernel, again in zip(found.trace.kernels, found.again, strict=True) if again}
    assert 3 not in again["norm"].writes
    assert again["norm"].workspace == 1
    assert again["relu"].reads == again["relu"].writes == again["norm"].writes
    assert found.trace.kernels[-1].reads == (0, again["norm"].writes[0], 5)
