"""A processor is never faster than its peaks, and a larger op of one kind never takes less time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import Float16Type, Float32Type
from xdsl.utils.test_value import create_ssa_value

from dialects.element_types import ElementType, tensor_type
from dialects.graph import MatmulOp
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.machine.cost import Cost
from interp.machine.records import Gpu
from interp.machine.sheets import load_device


def gpu(name: str) -> Gpu:
    record = load_device(name)
    assert isinstance(record, Gpu)
    return record


A100 = gpu("a100")
CLOCK = Clock(Machine({"gpu": A100}, {}))
SIZE = st.integers(1, 8192)
ELEMENT = st.sampled_from([Float16Type(), Float32Type()])


def cost(m: int, k: int, n: int, element: ElementType) -> Cost:
    left, right = (create_ssa_value(tensor_type(shape, element)) for shape in ((m, k), (k, n)))
    return CLOCK.op_cost(MatmulOp(left, right), "gpu")


@given(SIZE, SIZE, SIZE, ELEMENT)
def test_never_below_the_peaks(m: int, k: int, n: int, element: ElementType):
    found = cost(m, k, n, element)
    rate = A100.matrix_rates.get(str(element), A100.rates[str(element)])
    assert found.flops == 2 * m * k * n
    assert found.ns >= A100.launch_ns + found.flops / rate * 1e9 * (1 - 1e-12)
    assert found.ns >= A100.launch_ns + found.bytes / A100.bandwidth * 1e9 * (1 - 1e-12)
    assert found.energy_nj > 0


@given(SIZE, SIZE, SIZE, ELEMENT, SIZE)
def test_more_rows_never_take_less(m: int, k: int, n: int, element: ElementType, more: int):
    assert cost(m + more, k, n, element).ns >= cost(m, k, n, element).ns
