"""Timing of ops and fused groups on this computer: each becomes a small ONNX model that onnxruntime runs repeatedly.

The procedure:

- Only one session of onnxruntime exists at a time, so that no threads of another session compete for cores by busy
  waiting. The session's own threads do wait busily for a while between two calls, as they do between two ops of one
  network.
- Weights are initialisers, which the runtime may lay out ahead of time. All other tensors are bound once, so that a
  call copies nothing. Untimed calls come first, to warm up caches, threads and the allocator.
- A call during which the operating system preempted the process (the system counts preemptions) is repeated, because
  its time depends on other programs. At most `ATTEMPTS` calls are made per requested call.
- Nothing else runs between two calls, so operands stay in the caches if they fit. In a whole program, operands of other
  ops may have displaced them.
- The overhead of Python and of the session is measured for each number of threads: the shortest time of a model that
  only returns its one input number. It is subtracted from each time.
- f16 and bf16 are computed in f32, as by a processor without f16 arithmetic. The conversions of inputs and results are
  not timed.
"""

from __future__ import annotations

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
from interp.host import cores, without_collection
from interp.numerics.rounding import F32, cast, wide_dtype
from ndpir.writers.onnx.emit import model_bytes, op_model

try:
    import resource
except ImportError:  # on Windows
    resource = None

Array: TypeAlias = NDArray[Any]

ATTEMPTS = 4
"""The largest number of calls made per requested call, to collect enough undisturbed calls."""
EMPTY_CALLS = 200
"""The number of calls by which the time of an empty call (some microseconds) is measured."""


class Unmeasurable(Exception):
    """The error for an op that the runtime can't run; the message states the reason."""


@dataclass(frozen=True)
class Measured:
    """The results of an op, in the program's types, and the time of each timed call in ns, minus the time of an empty
    call."""

    results: list[Array]
    times_ns: tuple[float, ...]
    disturbed: int = 0
    """The number of timed calls during which the process was preempted."""


def check_runtime() -> None:
    """Check that onnxruntime, which executes ops, is installed. Raises InputError if it is missing."""
    if find_spec("onnxruntime") is None:
        raise InputError(
            "ops are timed on this computer's processor with onnxruntime, which is not installed; "
            "run `pip install onnxruntime`, or install ndpir with its extra `profile`"
        )


class Bench:
    """A timer of ops that run on a fixed number of threads."""

    def __init__(self, threads: int, warmup: int) -> None:
        """`threads`: the number of threads; 0 means one per core. `warmup`: untimed calls before the timed ones."""
        self.threads = threads or cores()
        self.warmup = warmup
        self.runtime: Any = import_module("onnxruntime")  # it has no types
        self.empty_ns = self._empty()

    def measure(
        self, op: GraphOp | FusedOp, known: Mapping[SSAValue, Array], given: Mapping[SSAValue, Array], calls: int
    ) -> Measured:
        """Run an op, and time `calls` calls of it; if `calls` is 0, run it once untimed. Each operand's array is in
        `known` (a constant) or in `given`. Raises Unmeasurable if ONNX or the runtime lacks the op."""
        with self._session(op, known) as session:
            inputs = [operand for operand in dict.fromkeys(op.operands) if operand not in known]
            call = self._bound(session, [given[value] for value in inputs], [tensor_of(r) for r in op.results])
            try:
                call.repeat(1)
            except Exception as error:  # the runtime's exceptions have no common base class
                raise Unmeasurable(_one_line(error)) from None
            call.repeat(self.warmup if calls else 0)
            timed = call.timed(calls)
            found = call.binding.copy_outputs_to_cpu()
        results = [
            cast(np.asarray(array), dtype_of(tensor_of(result).element_type)).reshape(shape_of(result))
            for array, result in zip(found, op.results, strict=True)
        ]
        return Measured(results, tuple(max(time - self.empty_ns, 0.0) for time in timed.times_ns), timed.disturbed)

    def _empty(self) -> float:
        """The shortest time of a call that only reshapes one number, in ns."""
        x = Block(arg_types=[tensor_type((1,), f32)]).args[0]
        with self._session(ReshapeOp(x, result_type=x.type), {}) as session:
            call = self._bound(session, [np.ones(1, F32)], [tensor_of(x)])
            times = call.timed(EMPTY_CALLS).times_ns
            return min(times)  # subtracting more than the minimum could reduce short ops to 0 ns

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
            raise Unmeasurable(_one_line(error)) from None
        yield session

    def _bound(self, session: Any, inputs: Sequence[Array], results: Sequence[Tensor]) -> _Call:
        binding, value = session.io_binding(), self.runtime.OrtValue
        given = [value.ortvalue_from_numpy(np.array(array, wide_dtype(array.dtype), order="C")) for array in inputs]
        for entry, operand in zip(session.get_inputs(), given, strict=True):
            binding.bind_ortvalue_input(entry.name, operand)
        for entry, type_ in zip(session.get_outputs(), results, strict=True):
            dtype = wide_dtype(dtype_of(type_.element_type))
            buffer = value.ortvalue_from_shape_and_type(list(type_.get_shape()), dtype.type, "cpu")
            binding.bind_ortvalue_output(entry.name, buffer)
        return _Call(session, binding, given)


@dataclass(frozen=True)
class _Call:
    """An onnxruntime session bound to the arrays of its operands and results, so that it reads and writes them without
    a copy."""

    session: Any
    binding: Any
    given: list[Any]
    """The operand arrays of the call; they are stored here since the session's binding does not keep them alive."""

    def repeat(self, calls: int) -> None:
        """Make `calls` untimed calls."""
        for _ in range(calls):
            self.session.run_with_iobinding(self.binding)

    def timed(self, calls: int) -> CallTimes:
        """The times of `calls` calls, measured while Python's garbage collector is off."""
        undisturbed: list[float] = []
        disturbed: list[float] = []
        run = self.session.run_with_iobinding
        with without_collection():
            while len(undisturbed) < calls and len(undisturbed) + len(disturbed) < calls * ATTEMPTS:
                switches = switches_so_far()
                start = perf_counter_ns()
                run(self.binding)
                took = float(perf_counter_ns() - start)
                (undisturbed if switches_so_far() == switches else disturbed).append(took)
        missing = calls - len(undisturbed)
        return CallTimes((*undisturbed, *disturbed[:missing]), missing)


@dataclass(frozen=True)
class CallTimes:
    """The times of timed calls in ns, and the number of calls among them that were disturbed (preempted); these are
    included only if too few calls were undisturbed."""

    times_ns: tuple[float, ...]
    disturbed: int


def switches_so_far() -> int:
    """The number of times that the system preempted this process so far; 0 if the system does not report it."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw if resource is not None else 0


def _one_line(error: Exception) -> str:
    """An error of the runtime in one line of at most 200 characters."""
    text = " ".join(str(error).split())
    return text.rpartition(" : ")[2][:200] or type(error).__name__
