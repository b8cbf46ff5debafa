"""Trials of schedules give the simulated time of the schedule's kernel."""

from __future__ import annotations

from math import inf

import pytest
from xdsl.dialects.builtin import ModuleOp

from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.clock import kernel_time
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.trials import simulated_ns
from lowering.tile.templates import pipelined_kernel

A100 = Multiprocessor.of(load_device("a100", {}, None), ModuleOp([]))


def test_a_trial_is_the_kernels_time_without_its_launch() -> None:
    problem, schedule = Problem(512, 256, 192), Schedule((64, 64, 32), (2, 2), stages=3, pad=8)
    with_launch, _ = kernel_time(pipelined_kernel(problem, schedule), A100)
    assert simulated_ns(problem, schedule, A100) == pytest.approx(with_launch - A100.launch_ns)


def test_a_trial_of_a_kernel_that_fits_no_multiprocessor_is_infinite() -> None:
    assert simulated_ns(Problem(256, 256, 4096), Schedule((256, 256, 128), (4, 4), stages=3), A100) == inf
