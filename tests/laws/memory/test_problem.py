"""Facts of a trace (uses, working sets, idle intervals) computed by array operations, compared with counting kernel by
kernel."""

from __future__ import annotations

import pytest
from hypothesis import given

from dialects.diagnostics import InputError
from interp.simulate.memory.problem import NEVER, Kernel, KernelTrace, Move, Tensor, check_moves
from tests.laws.memory.traces import traces


def _uses(trace: KernelTrace, tensor: int) -> list[int]:
    return [k for k, kernel in enumerate(trace.kernels) if tensor in kernel.reads + kernel.writes]


def _writes(trace: KernelTrace, tensor: int) -> list[int]:
    uses = _uses(trace, tensor)
    begins = uses[:1] if not trace.tensors[tensor].persistent else []
    return [k for k in uses if k in begins or tensor in trace.kernels[k].writes]


@given(traces())
def test_facts_are_those_of_each_kernel(trace: KernelTrace) -> None:
    for number in range(len(trace.tensors)):
        uses = _uses(trace, number)
        assert trace.uses(number).tolist() == uses
        assert trace.writes(number).tolist() == _writes(trace, number)
        assert trace.first[number] == (uses[0] if uses else NEVER)
        assert trace.last[number] == (uses[-1] if uses else NEVER)
    for k, kernel in enumerate(trace.kernels):
        operands = {*kernel.reads, *kernel.writes}
        assert trace.working_sets[k] == sum(trace.tensors[t].nbytes for t in operands) + kernel.workspace
        living = [
            tensor.nbytes
            for number, tensor in enumerate(trace.tensors)
            if tensor.persistent or ((uses := _uses(trace, number)) and uses[0] <= k <= uses[-1])
        ]
        assert trace.live[k] == sum(living) + kernel.workspace


@given(traces())
def test_idle_intervals_are_between_uses(trace: KernelTrace) -> None:
    expected: list[tuple[int, int, int]] = []
    for number, tensor in enumerate(trace.tensors):
        uses = _uses(trace, number)
        nexts = uses[1:] + ([uses[0] + len(trace.kernels)] if tensor.persistent and uses else [])
        expected += [(number, a, b) for a, b in zip(uses, nexts, strict=False) if b - a >= 2]
    idle = trace.idle
    found = list(zip(idle.tensor.tolist(), idle.after.tolist(), idle.before.tolist(), strict=True))
    assert found == expected
    for (number, after, _), segment in zip(found, idle.segment.tolist(), strict=True):
        writes = _writes(trace, number)
        earlier = [k for k in writes if k <= after]
        source = earlier[-1] if earlier else writes[-1] if writes else NEVER
        assert idle.segment_write[segment] == source
        assert all(idle.tensor[idle.segment == segment] == number)


def test_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="tensor w has -1 bytes, expected 0 or more"):
        KernelTrace((), (Tensor("w", -1),))
    with pytest.raises(InputError, match="kernel k takes nan ns"):
        KernelTrace((Kernel("k", float("nan"), (), ()),), ())
    with pytest.raises(InputError, match="kernel k names tensor 1, expected one of 0 to 0"):
        KernelTrace((Kernel("k", 1.0, (1,), ()),), (Tensor("w", 1),))
    trace = KernelTrace((Kernel("k", 1.0, (0,), ()),), (Tensor("w", 4096),))
    with pytest.raises(InputError, match=r"move 0 \(evict of w\) names bytes 0 to 5000"):
        check_moves(trace, [Move("evict", 0, 0, 0, 5000)], ["host"])
    with pytest.raises(InputError, match="names tier tape, expected one of: host, ssd"):
        check_moves(trace, [Move("evict", 0, 0, tier="tape")], ["ssd", "host"])
    with pytest.raises(InputError, match="names kernel 2, expected 0 to 1"):
        check_moves(trace, [Move("prefetch", 0, 2)], [])


def test_sizes_are_rounded_up_to_pages() -> None:
    trace = KernelTrace((Kernel("k", 1.0, (0,), (), 1),), (Tensor("w", 4097),)).in_pages(4096)
    assert (trace.tensors[0].nbytes, trace.kernels[0].workspace) == (8192, 4096)
