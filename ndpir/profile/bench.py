"""Ops and fused groups timed on this computer: each becomes a small ONNX model that onnxruntime runs, again and again.

How a time is taken:

- One session lives at a time, so that no thread of another one waits in a loop beside it. Its own may: between two
  calls threads spin for a while, as they do between two ops of one network.
- Weights are initialisers, which the runtime may lay out ahead of time; all else is bound once, so that a call copies
  nothing. Calls before the timed ones warm caches, threads and the allocator up.
- A call from which the system took a processor away meanwhile (it counts such switches) says more of other programs
  than of the op: it is made again, a few times at the most.
- Between two calls nothing else runs: operands lie in the caches as far as they fit, which in a whole program those of
  other ops may have taken.
- What an empty call takes at the least (a model that hands one number on) is measured for each number of threads and
  taken off: it is Python's and the session's, and not the op's.
- f16 and bf16 are computed in f32, as a processor without their arithmetic does; conversions at the ends are not timed.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter_ns
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import dtype_of, tensor_type
from dialects.graph import FusedOp, GraphOp, ReshapeOp, Tensor, shape_of, tensor_of
from interp.numerics.rounding import F32, cast, wide_dtype
from ndpir.targets.onnx.emit import model_bytes, op_model

try:
    import resource
except ImportError:  # on Windows
    resource = None

Array: TypeAlias = NDArray[Any]

ATTEMPTS = 4
"""So many times the calls that are asked for are made at the most, to have as many that nothing disturbed."""
EMPTY_CALLS = 200
"""Calls by which the time of an empty one is known; it is some microseconds."""


class Unmeasurable(Exception):
    """The runtime can't run an op; the message says why."""


@dataclass(frozen=True)
class Measured:
    """The results of an op, in the program's types, and the time of each timed call, in ns, with an empty call's time
    taken off."""

    results: list[Array]
    times_ns: tuple[float, ...]
    disturbed: int = 0
    """The number of calls that other programs disturbed."""


def check_runtime() -> None:
    """Raises InputError where onnxruntime, which executes ops, is missing."""
    if find_spec("onnxruntime") is None:
        raise InputError(
            "times of this computer's processor are taken with onnxruntime, which is not installed; "
            "`pip install onnxruntime`, or ndpir with its extra `profile`"
        )


def cores() -> int:
    """The processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Bench:
    """Times ops with a number of threads."""

    def __init__(self, threads: int, warmup: int) -> None:
        """`threads`: 0 for one for each core. `warmup`: calls before the timed ones."""
        self.threads = threads or cores()
        self.warmup = warmup
        self.runtime: Any = import_module("onnxruntime")  # it has no types
        self.empty_ns = self._empty()

    def measure(
        self, op: GraphOp | FusedOp, known: Mapping[SSAValue, Array], given: Mapping[SSAValue, Array], calls: int
    ) -> Measured:
        """Run an op `calls` times against the clock, or once without one; its operands are `known` ahead of time, or
        `given`. Raises Unmeasurable where ONNX or the runtime have no such op."""
        with self._session(op, known) as session:
            inputs = [operand for operand in dict.fromkeys(op.operands) if operand not in known]
            call = self._bound(session, [given[value] for value in inputs], [tensor_of(r) for r in op.results])
            try:
                call.repeat(1)
            except Exception as error:  # the runtime's own are of no common kind
                raise Unmeasurable(_told(error)) from None
            call.repeat(self.warmup if calls else 0)
            timed = call.timed(calls)
            found = call.binding.copy_outputs_to_cpu()
        results = [
            cast(np.asarray(array), dtype_of(tensor_of(result).element_type)).reshape(shape_of(result))
            for array, result in zip(found, op.results, strict=True)
        ]
        return Measured(results, tuple(max(time - self.empty_ns, 0.0) for time in timed.times_ns), timed.disturbed)

    def _empty(self) -> float:
        """The time of a call that does next to nothing, in ns."""
        x = Block(arg_types=[tensor_type((1,), f32)]).args[0]
        with self._session(ReshapeOp(x, result_type=x.type), {}) as session:
            call = self._bound(session, [np.ones(1, F32)], [tensor_of(x)])
            times = call.timed(EMPTY_CALLS).times_ns
            return min(times)  # what is there at the very least: more would make short ops free

    @contextmanager
    def _session(self, op: GraphOp | FusedOp, known: Mapping[SSAValue, Array]) -> Generator[Any]:
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self.threads, 1
        options.log_severity_level = 4
        try:
            data = model_bytes(op_model(op, known, wide=True))
            session = self.runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        except InputError as error:
            raise Unmeasurable(error.message) from None
        except Exception as error:
            raise Unmeasurable(_told(error)) from None
        yield session

    def _bound(self, session: Any, inputs: Sequence[Array], results: Sequence[Tensor]) -> _Call:
        binding, value = session.io_binding(), self.runtime.OrtValue
        given = [value.ortvalue_from_numpy(np.array(array, wide_dtype(array.dtype), order="C")) for array in inputs]
        for entry, operand in zip(session.get_inputs(), given, strict=True):
            binding.bind_ortvalue_input(entry.name, operand)
        for entry, type_ in zip(session.get_outputs(), results, strict=True):
            dtype = wide_dtype(dtype_of(type_.element_type))
            room = value.ortvalue_from_shape_and_type(list(type_.get_shape()), dtype.type, "cpu")
            binding.bind_ortvalue_output(entry.name, room)
        return _Call(session, binding, given)


@dataclass(frozen=True)
class _Call:
    """A session with its operands, and room for its results, where it reads and writes them without a copy."""

    session: Any
    binding: Any
    given: list[Any]
    """The bound arrays, which the binding itself does not keep alive."""

    def repeat(self, calls: int) -> None:
        """Make some calls."""
        for _ in range(calls):
            self.session.run_with_iobinding(self.binding)

    def timed(self, calls: int) -> CallTimes:
        """The time of each of some calls; Python's garbage collector is off meanwhile."""
        calm: list[float] = []
        disturbed: list[float] = []
        run, tidies = self.session.run_with_iobinding, gc.isenabled()
        gc.disable()
        try:
            while len(calm) < calls and len(calm) + len(disturbed) < calls * ATTEMPTS:
                switches = switches_so_far()
                start = perf_counter_ns()
                run(self.binding)
                took = float(perf_counter_ns() - start)
                (calm if switches_so_far() == switches else disturbed).append(took)
        finally:
            if tidies:
                gc.enable()
        lacking = calls - len(calm)
        return CallTimes((*calm, *disturbed[:lacking]), lacking)


@dataclass(frozen=True)
class CallTimes:
    """The times of calls, in ns, and the number of them that other programs disturbed, for lack of better ones."""

    times_ns: tuple[float, ...]
    disturbed: int


def switches_so_far() -> int:
    """The number of times that the system preempted this process; 0 where the system does not report it."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw if resource is not None else 0


def _told(error: Exception) -> str:
    """An error of the runtime in a line."""
    text = " ".join(str(error).split())
    return text.rpartition(" : ")[2][:200] or type(error).__name__
