"""On a GPU with kernel models, every op takes time, none is faster than the peaks, and timing a batch of ops gives the
times of the single ops."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.parser import Parser

from dialects.graph import Graph, GraphOp
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.machine.records import Gpu
from interp.machine.sheets import load_device
from interp.walk.views import is_view
from tests.amount import cases
from tests.graph_programs import programs

NAMES = ["p4", "v100_sxm2", "t4", "a100_40_sxm", "l4", "rtx4090", "h100_sxm", "b200_sxm"]


def gpu(name: str) -> Gpu:
    record = load_device(name)
    assert isinstance(record, Gpu)
    return record


@pytest.mark.slow
@settings(max_examples=cases(60))
@given(programs(), st.sampled_from(NAMES))
def test_every_op_takes_time_and_no_op_beats_the_peaks(text: str, name: str):
    context = Context()
    for dialect in (Builtin, Func, Graph):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    device = gpu(name)
    clock = Clock(Machine({"gpu": device}, {}))
    ops = [op for op in module.walk() if isinstance(op, GraphOp)]
    clock.prepare(ops, "gpu")
    for op in ops:
        work, cost = op.work(), clock.op_cost(op, "gpu")
        assert math.isfinite(cost.ns)
        assert (cost.ns > 0) == bool((work.flops or work.bytes) and not is_view(op))
        assert cost.ns >= work.bytes / device.bandwidth * 1e9 * (1 - 1e-9) or is_view(op)
        peak = max(*device.rates.values(), *device.matrix_rates.values(), 0.0)
        # A Winograd kernel executes a fourth of the multiplications of its convolution.
        assert cost.ns >= work.flops / 4 / peak * 1e9 * (1 - 1e-9)
        assert cost.energy_nj >= 0
        assert cost == Clock(Machine({"gpu": device}, {})).op_cost(op, "gpu")
