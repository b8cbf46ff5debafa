"""Random kernel traces for the laws of memory."""

from __future__ import annotations

from hypothesis import strategies as st

from interp.simulate.memory.problem import Kernel, KernelTrace, Tensor


@st.composite
def traces(draw: st.DrawFn, most_kernels: int = 8, most_tensors: int = 6, unit: int = 1) -> KernelTrace:
    """A trace whose sizes are multiples of `unit` bytes and whose times are whole nanoseconds."""
    tensors = tuple(
        Tensor(f"t{number}", unit * draw(st.integers(0, 5)), draw(st.booleans()))
        for number in range(draw(st.integers(1, most_tensors)))
    )
    some = st.lists(st.integers(0, len(tensors) - 1), max_size=3).map(tuple)
    kernels = tuple(
        Kernel(f"k{number}", float(draw(st.integers(0, 6))), draw(some), draw(some), unit * draw(st.integers(0, 2)))
        for number in range(draw(st.integers(1, most_kernels)))
    )
    return KernelTrace(kernels, tensors)
