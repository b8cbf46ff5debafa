"""Execution of profiling runs: ops are executed in program order, each on the device that the run assigns to it. Ops
compute the program's actual values, so that each run's results can be compared with the interpreter's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.graph import FusedOp, GraphOp
from interp.cost.profiled import row_of
from interp.machine.profile import CopyRow, Kind, ProfileRow
from interp.numerics import evaluate, memory_bytes
from interp.numerics.rounding import is_real
from interp.simulate.schedule.routes import Copy
from interp.walk.entry import block_of
from interp.walk.work_key import key_of, ops_of
from lowering.instance.choice import Choice, ChoicePart, Node
from lowering.instance.of_program import PlacementProblem
from ndpir.profile.bench import Bench, Unmeasurable

Array: TypeAlias = NDArray[Any]

ROUNDS = 3
"""The number of times that each run is performed, each time with a part of the repeats. If the processor slowly changes
its speed (for example as it gets warm), this increases the spread of the times, but does not favour the ops that are
measured first."""


@dataclass(frozen=True)
class Tolerance:
    """The allowed differences from the interpreter's numbers, as fractions of the largest number. `op`: for one op on
    equal operands. `run`: for the results of a run, in which differences of ops accumulate."""

    op: float
    run: float


FULL, REDUCED = Tolerance(2e-4, 2e-3), Tolerance(3e-2, 2e-1)
"""Tolerances for programs of f32 and f64 only, and for programs with f16 or bf16. In the latter, the interpreter rounds
after each op, but onnxruntime, which computes in f32, does not."""


class PlannedRun(Protocol):
    """A profiling run: the choice of devices for each node, and the indices of the nodes to be timed."""

    @property
    def placement(self) -> Sequence[Choice]: ...

    @property
    def nodes(self) -> Sequence[int]: ...


@dataclass
class MeasuredWork:
    """Times of all equal ops on one device, over all runs."""

    row: ProfileRow
    times_ns: list[float] = field(default_factory=list[float])


@dataclass
class Findings:
    """The results of runs. `work`: times by device and key, which equal ops share. `copies`: times in ns by source,
    target and bytes. `unmeasured`: reasons why an op can't be measured, by device and key."""

    work: dict[tuple[str, str], MeasuredWork] = field(default_factory=dict[tuple[str, str], MeasuredWork])
    copies: dict[tuple[str, str, int], float] = field(default_factory=dict[tuple[str, str, int], float])
    unmeasured: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    disturbed: Counter[str] = field(default_factory=Counter[str])
    """The number of timed calls during which the process was preempted, by device."""
    worst: float = 0.0
    """The largest difference between a run's results and the interpreter's, as a fraction of the largest number."""

    def add_times(self, part: ChoicePart, key: str, times_ns: Iterable[float], kind: Kind) -> None:
        """Add measured times in ns of a task to the times of all equal ops (same `key`) on the task's device."""
        found = self.work.get((part.device, key))
        if found is None:
            found = self.work[part.device, key] = MeasuredWork(row_of(part.graph_op, part.device, (), kind))
        found.times_ns += times_ns

    def rows(self, devices: Sequence[str]) -> tuple[ProfileRow, ...]:
        """The rows of the profile, grouped by device in the order of `devices`."""
        return tuple(
            ProfileRow(
                device=found.row.device, key=found.row.key, op=found.row.op, shapes=found.row.shapes,
                kind=found.row.kind, times_ns=tuple(found.times_ns),
            )
            for device in devices
            for found in self.work.values()
            if found.row.device == device
        )  # fmt: skip

    def copy_rows(self, symmetric: bool) -> tuple[CopyRow, ...]:
        """The rows of a profile for copies; if `symmetric`, each copy also has a row for the opposite direction, with
        the same time."""
        known = dict(self.copies)
        for (source, target, nbytes), ns in self.copies.items() if symmetric else ():
            known.setdefault((target, source, nbytes), ns)
        return tuple(
            CopyRow(source=source, target=target, bytes=nbytes, times_ns=(ns,), kind="simulated")
            for (source, target, nbytes), ns in sorted(known.items())
        )


class Runner:
    """An executor of the runs of one problem on one set of inputs. `benches`: timers of the devices that stand for this
    computer. `step` is called after each op."""

    def __init__(
        self,
        problem: PlacementProblem,
        benches: Mapping[str, Bench],
        inputs: Sequence[Array],
        expected: Sequence[Array],
        step: Callable[[], None],
    ) -> None:
        self.problem = problem
        self.benches = benches
        self.inputs = inputs
        self.expected = expected
        self.step = step
        self.block = block_of(problem.function)
        self.nodes: dict[Operation, Node] = {node.op: node for node in problem.nodes}
        self.found = Findings()
        self.tolerance = tolerance_of(self.block)
        self._checked: set[tuple[str, str]] = set()
        self._ahead: dict[SSAValue, Array] = {}
        self._weights: dict[SSAValue, bool] = {}

    def carry_out(self, run: PlannedRun, calls: int) -> None:
        """Execute the program with the placement of a run, and time `calls` calls of each op to be timed. Raises
        InputError if results differ from the interpreter's by more than the tolerance."""
        wanted, steps = set(run.nodes), defaultdict[int, list[ChoicePart | Copy]](list)
        for node, step in self.problem.steps(run.placement):
            steps[node].append(step)
        values: dict[SSAValue, Array] = dict(zip(self.block.args, self.inputs, strict=True))
        uses = Counter(operand for op in self.block.ops for operand in op.operands)
        for op in self.block.ops:
            if isinstance(op, ReturnOp):
                self._check([self._value(operand, values) for operand in op.operands])
            elif op not in self.problem.ahead:
                node = self.nodes.get(op)
                calls_here = calls if node is not None and node.index in wanted else 0
                self._op(op, steps[node.index] if node is not None else [], calls_here, values)
                self.step()
            for operand in set(op.operands):
                uses[operand] -= sum(operand is other for other in op.operands)
                if not uses[operand]:
                    values.pop(operand, None)
        for copy in steps[len(self.problem.nodes)]:
            assert isinstance(copy, Copy), "only copies of results follow the last op"
            self._copy(*copy[:3])

    def _op(self, op: Operation, steps: Sequence[ChoicePart | Copy], calls: int, values: dict[SSAValue, Array]) -> None:
        """Execute one op of the program as the tasks that its choice of devices consists of, and store its results in
        `values`."""
        parts = [step for step in steps if isinstance(step, ChoicePart)]
        if not parts:  # a reshape
            values[op.results[0]] = evaluate(op, [self._value(operand, values) for operand in op.operands])[0]
            return
        for step in steps:
            if isinstance(step, Copy):
                self._copy(*step[:3])
                continue
            results = self._task(step, calls, values)
            values.update(zip(step.op.results, results, strict=True))
        last = parts[-1].op
        values.update({result: values[source] for result, source in zip(op.results, last.results, strict=True)})
        for part in parts if last is not op else ():  # results of shards are not values of the program
            for result in part.op.results:
                values.pop(result, None)

    def _task(self, part: ChoicePart, calls: int, values: Mapping[SSAValue, Array]) -> list[Array]:
        """The results of a task; its time is added to the findings."""
        operands = {operand: self._value(operand, values) for operand in part.op.operands}
        measured = None if part.view else self._timed(part, key_of(part.graph_op, self._weights), calls, operands)
        return measured or evaluate(part.op, [operands[operand] for operand in part.op.operands])

    def _timed(self, part: ChoicePart, key: str, calls: int, operands: Mapping[SSAValue, Array]) -> list[Array] | None:
        """The results of a task on this computer, with its time added to the findings; None if it is simulated or can't
        be measured."""
        work = (part.device, key)
        if (bench := self.benches.get(part.device)) is None:
            if work not in self.found.work:
                self.found.add_times(part, key, (part.cost.ns,), "simulated")
            return None
        if work in self.found.unmeasured:
            return None
        known = {operand: array for operand, array in operands.items() if self.problem.is_constant(operand)}
        try:
            measured = bench.measure(part.graph_op, known, operands, calls)
        except Unmeasurable as error:
            self.found.unmeasured[work] = f"{part.op.name}: {error}"
            return None
        self._check_op(part, key, operands, measured.results)
        if calls:
            self.found.add_times(part, key, measured.times_ns, "measured")
            self.found.disturbed[part.device] += measured.disturbed
        return measured.results

    def _copy(self, value: int, source: str, target: str) -> None:
        """Record the time of a copy according to the link's model; record nothing for devices that share a memory."""
        nbytes = self.problem.bytes_of(value)
        if (ns := self.problem.clock.copy_cost(nbytes, source, target).ns) > 0:
            self.found.copies[source, target, nbytes] = ns

    def _value(self, value: SSAValue, values: Mapping[SSAValue, Array]) -> Array:
        """The array of a value. A constant is computed when first used, and kept as long as all constants together take
        at most a quarter of this computer's memory."""
        if value in values or not self.problem.is_constant(value):  # a state that rests is an argument, too
            return values[value]
        if value not in self._ahead:
            waiting: list[SSAValue] = [value]
            while waiting:  # not recursive, since chains of constant ops may be long
                op = waiting[-1].owner
                assert isinstance(op, GraphOp | FusedOp)
                if needed := [operand for operand in op.operands if operand not in self._ahead]:
                    waiting += needed
                    continue
                arrays = evaluate(op, [self._ahead[operand] for operand in op.operands])
                self._ahead.update(zip(op.results, arrays, strict=True))
                waiting.pop()
            if sum(kept.nbytes for kept in self._ahead.values()) > memory_bytes() // 4:
                kept, self._ahead = self._ahead, {}
                return kept[value]
        return self._ahead[value]

    def _check_op(
        self, part: ChoicePart, key: str, operands: Mapping[SSAValue, Array], results: Sequence[Array]
    ) -> None:
        """Compare a device's results with the interpreter's, once for all ops with the same `key`. Raises InputError if
        they differ by more than the tolerance."""
        if (part.device, key) in self._checked:
            return
        self._checked.add((part.device, key))
        expected = evaluate(part.op, [operands[operand] for operand in part.op.operands])
        error = max(map(difference, results, expected))
        if not error <= self.tolerance.op:
            raise InputError(
                f"results of {ops_of(part.graph_op)} on @{part.device} differ from the interpreter's by {error:.2g} of "
                f"the largest number, but at most {self.tolerance.op:g} is allowed, so its time can't be used; try "
                "other inputs with --seed",
                part.op,
            )

    def _check(self, results: Sequence[Array]) -> None:
        """Compare a run's results with the interpreter's. Raises InputError if they differ by more than the
        tolerance."""
        for index, (found, expected) in enumerate(zip(results, self.expected, strict=True)):
            error = difference(found, expected)
            self.found.worst = max(self.found.worst, error)
            if not error <= self.tolerance.run:
                raise InputError(
                    f"result {index} of a run differs from the interpreter's by {error:.2g} of its largest number, "
                    f"but at most {self.tolerance.run:g} is allowed; each op is within {self.tolerance.op:g}, so the "
                    "program amplifies small differences: try other inputs with --seed",
                    self.problem.function,
                )


def tolerance_of(block: Block) -> Tolerance:
    """The tolerance for a program: `REDUCED` if any value is of f16 or bf16, otherwise `FULL`."""
    values = (value for op in block.ops for value in (*op.operands, *op.results))
    return REDUCED if any("f16" in str(value.type) for value in values) else FULL


def difference(found: Array, expected: Array) -> float:
    """The largest difference of elements of two arrays, as a fraction of the largest finite element of `expected`: 0
    for equal arrays, infinite if they differ in nan or infinite elements."""
    if not is_real(expected.dtype):
        return 0.0 if np.array_equal(found, expected) else float("inf")
    a, b = found.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        return float("inf")
    if not finite.any():
        return 0.0
    return float(np.abs(a[finite] - b[finite]).max() / max(np.abs(b[finite]).max(), np.finfo(np.float32).tiny))
