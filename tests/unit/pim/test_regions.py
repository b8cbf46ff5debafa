"""Tests of kernels with several regions `pim.channels`: channels in the same regions share one program, and results and
times equal those of a kernel in which each channel has one region with all of its commands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dialects.diagnostics import InputError
from dialects.pim import KernelOp, memref_of
from interp.kinds.pim.program import Issue, Repeat, check_kernel, classes_of, programs_of
from interp.kinds.pim.timing.clock import kernel_time, sound_time
from interp.kinds.pim.values.run import run_kernel
from tests.pim_sheets import small_pim, verb_of
from tests.programs import parse

SIGNATURE = "(%x: memref<6x4xf32>, %w: memref<4x3x4x1x4xf32> at row 0) -> (%y: memref<4x3x4xf32>)"
BY_STEP = """
  pim.channels %c = 0 to 4 {
    pim.load %x[%c]
  }
  pim.barrier
  pim.for %r = 0 to 3 {
    pim.channels %c = 0 to 4 {
      pim.act all row %r
      pim.mac all columns 0 to 1
    }
    pim.channels %c = 0 to 2 as %c * 2 + 1 {
      pim.load %x[%r + %c]
      pim.mac all columns 0 to 1
    }
    pim.barrier
    pim.channels %c = 0 to 4 {
      pim.drain all to %y[%c, %r]
      pim.pre all
    }
  }
"""
BY_STEP_WITHOUT_BARRIERS = BY_STEP.replace("pim.barrier", "")
BY_CHANNEL = """
  pim.channels %c = 0 to 2 as %c * 2 {
    pim.load %x[%c * 2]
    pim.for %r = 0 to 3 {
      pim.act all row %r
      pim.mac all columns 0 to 1
      pim.drain all to %y[%c * 2, %r]
      pim.pre all
    }
  }
  pim.channels %c = 0 to 2 as %c * 2 + 1 {
    pim.load %x[%c * 2 + 1]
    pim.for %r = 0 to 3 {
      pim.act all row %r
      pim.mac all columns 0 to 1
      pim.load %x[%r + %c]
      pim.mac all columns 0 to 1
      pim.drain all to %y[%c * 2 + 1, %r]
      pim.pre all
    }
  }
"""


def kernel(body: str, signature: str = SIGNATURE) -> KernelOp:
    module = parse(f"pim.kernel @k on @pim {signature} {{\n{body}\n}}")
    module.verify()
    return next(op for op in module.walk() if isinstance(op, KernelOp))


def results(program: KernelOp) -> list[NDArray[Any]]:
    random = np.random.default_rng(3)
    inputs = [random.standard_normal(memref_of(v).get_shape()).astype(np.float32) for v in program.inputs]
    return run_kernel(program, small_pim(channels=4), inputs)


def test_channels_in_the_same_regions_share_a_program() -> None:
    assert classes_of(kernel(BY_STEP)) == [(0, 2), (1, 3)]
    assert classes_of(kernel(BY_CHANNEL)) == [(0, 2), (1, 3)]
    assert classes_of(kernel("pim.pre all")) == [(0,)]
    apart = "pim.channels %c = 0 to 3 {\npim.pre all\n}\npim.channels %c = 2 to 4 {\npim.pre all\n}"
    assert classes_of(kernel(apart)) == [(0, 1), (2,), (3,)]


def test_the_program_of_a_class_holds_only_its_commands() -> None:
    """Channels with equal commands form a class with one program. This program omits loops that have no commands for
    the class."""
    pim = small_pim(channels=4)
    by_step, by_channel = programs_of(kernel(BY_STEP_WITHOUT_BARRIERS), pim), programs_of(kernel(BY_CHANNEL), pim)
    assert [(p.channels, p.steps, p.bus_bytes) for p in by_step] == [
        (p.channels, p.steps, p.bus_bytes) for p in by_channel
    ]
    loop = "pim.for %i = 0 to 3 {\npim.channels %c = 1 to 2 {\npim.pre all\n}\n}"
    first, second = programs_of(kernel(f"pim.channels %c = 0 to 1 {{\npim.pre all\n}}\n{loop}"), pim)
    assert isinstance(first.steps[0], Issue)
    assert len(first.steps) == 1
    assert isinstance(second.steps[0], Repeat)


def test_results_and_time_do_not_depend_on_the_grouping_of_channels() -> None:
    np.testing.assert_array_equal(results(kernel(BY_STEP))[0], results(kernel(BY_CHANNEL))[0])
    pim = small_pim(channels=4)
    assert kernel_time(kernel(BY_STEP_WITHOUT_BARRIERS), pim).cycles == kernel_time(kernel(BY_CHANNEL), pim).cycles


def test_barriers_between_different_programs_are_refused() -> None:
    """On this device the clock times each channel separately, so it supports a barrier only if all channels have the
    same program."""
    pim, alike = small_pim(channels=4), "pim.channels %c = 0 to 2 {\npim.pre all\n}"
    assert sound_time(kernel(f"{alike}\npim.barrier\n{alike}"), pim).cycles == 2
    with pytest.raises(InputError, match=r"pim\.barrier: the channels of small do not wait for each other"):
        kernel_time(kernel(BY_STEP), pim)


@pytest.mark.parametrize("timed", [False, True])
def test_a_hazard_of_a_single_class_is_an_error(timed: bool) -> None:
    """Only channels 2 and 3 load their buffers before all channels multiply, so the multiply of channel 0 reads a
    buffer that was never loaded."""
    body = BY_STEP.replace(
        "pim.channels %c = 0 to 4 {\n    pim.load %x[%c]", "pim.channels %c = 2 to 4 {\n    pim.load %x[%c]"
    )
    program, pim = kernel(body), small_pim(channels=4)
    with pytest.raises(InputError, match="column 0 of the global buffer was never loaded"):
        kernel_time(program, pim) if timed else results(program)


def test_sums_are_added_in_program_order_then_by_channel() -> None:
    """The order matters, since sums in f32 are not associative: (2^24 + 1) + 1 differs from (1 + 1) + 2^24."""
    signature = "(%x: memref<3x4xf32>) -> (%y: memref<4xf32>)"
    body = """
      pim.channels %c = 0 to 2 as 1 - %c {
        pim.bias all from %x[%c]
        pim.drain all add to %y
      }
      pim.channels %c = 1 to 2 {
        pim.bias all from %x[2]
        pim.drain all add to %y
      }
    """
    x = np.array([[2.0**24] * 4, [1.0] * 4, [1.0] * 4], np.float32)
    pim = small_pim(verbs={verb: verb_of(verb, "all") for verb in ("bias", "drain")})
    [y] = run_kernel(kernel(body, signature), pim, [x])
    assert y[0] == np.float32(0) + x[0, 0] + x[1, 0] + x[2, 0]


def test_a_channel_that_the_device_lacks_is_an_error() -> None:
    body = "pim.for %i = 0 to 2 {\npim.channels %c = 1 to 4 {\npim.pre all\n}\n}"
    with pytest.raises(InputError, match="there is no channel 3; small has 2"):
        check_kernel(kernel(body, "(%x: memref<4xf32>) -> (%y: memref<4xf32>)"), small_pim(channels=2))
