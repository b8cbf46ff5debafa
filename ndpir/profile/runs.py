"""Carries out profiling runs: each op in program order on the device that its run names, with the program's own numbers
flowing from op to op, so that every run can be checked against the interpreter."""

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
from interp.cost.profile import CopyRow, Kind, ProfileRow
from interp.numerics import evaluate, memory_bytes
from interp.numerics.rounding import is_real
from interp.program.entry import block_of
from interp.program.work_key import key_of, ops_of
from interp.schedule.routes import Copy
from lowering.placement.choice import Choice, ChoicePart, Node
from lowering.placement.of_program import PlacementProblem
from ndpir.profile.bench import Bench, Unmeasurable

Array: TypeAlias = NDArray[Any]

ROUNDS = 3
"""Each run is carried out so many times, with a part of the repeats each time: what drifts over minutes (the clock of a
processor that gets warm) shows as spread, and does not favour the ops that are measured first."""


@dataclass(frozen=True)
class Tolerance:
    """The tolerance of numbers against the interpreter's, as a fraction of the largest: those of one op on the same
    operands, and a run's results, in which such differences add up."""

    op: float
    run: float


WIDE, NARROW = Tolerance(2e-4, 2e-3), Tolerance(3e-2, 2e-1)
"""In programs of f32 and f64, and where f16 or bf16 are about: the interpreter rounds each op, the runtime none."""


class PlannedRun(Protocol):
    """A profiling run: the choice of each node, and the nodes whose times are wanted."""

    @property
    def placement(self) -> Sequence[Choice]: ...

    @property
    def nodes(self) -> Sequence[int]: ...


@dataclass
class MeasuredWork:
    """Times of one piece of work on one device, over all runs."""

    row: ProfileRow
    times_ns: list[float] = field(default_factory=list[float])


@dataclass
class Findings:
    """The results of runs: times by device and key, copies by ends and bytes, and what can't be measured, with
    reasons."""

    work: dict[tuple[str, str], MeasuredWork] = field(default_factory=dict[tuple[str, str], MeasuredWork])
    copies: dict[tuple[str, str, int], float] = field(default_factory=dict[tuple[str, str, int], float])
    unmeasured: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    disturbed: Counter[str] = field(default_factory=Counter[str])
    """The number of times of a device that other programs disturbed."""
    worst: float = 0.0
    """The largest difference between a run's results and the interpreter's, of the largest number."""

    def took(self, part: ChoicePart, key: str, times_ns: Iterable[float], kind: Kind) -> None:
        """Add times of a task."""
        found = self.work.get((part.device, key))
        if found is None:
            found = self.work[part.device, key] = MeasuredWork(ProfileRow.of(part.op, part.device, (), kind))
        found.times_ns += times_ns

    def rows(self, devices: Sequence[str]) -> tuple[ProfileRow, ...]:
        """The rows of a profile, device by device."""
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
        """The copies; where both directions cost the same, one that was made stands for the other one, too."""
        known = dict(self.copies)
        for (source, target, nbytes), ns in self.copies.items() if symmetric else ():
            known.setdefault((target, source, nbytes), ns)
        return tuple(
            CopyRow(source=source, target=target, bytes=nbytes, times_ns=(ns,), kind="simulated")
            for (source, target, nbytes), ns in sorted(known.items())
        )


class Runner:
    """Carries out runs of one problem on one set of inputs. `benches`: those devices that this computer has."""

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
        """Execute the program as a run says, and time the ops that it is for, so many calls each. Raises InputError
        where the results are not those of the interpreter."""
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
            assert isinstance(copy, Copy), "nothing else is left to do"
            self._copy(*copy[:3])

    def _op(self, op: Operation, steps: Sequence[ChoicePart | Copy], calls: int, values: dict[SSAValue, Array]) -> None:
        """One op of the program: what the tasks compute that it became is what it computes."""
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
        values.update({mine: values[theirs] for mine, theirs in zip(op.results, last.results, strict=True)})
        for part in parts if last is not op else ():  # the parts of a split are no ops of the program
            for result in part.op.results:
                values.pop(result, None)

    def _task(self, part: ChoicePart, calls: int, values: Mapping[SSAValue, Array]) -> list[Array]:
        """The results of a task; its time is recorded."""
        operands = {operand: self._value(operand, values) for operand in part.op.operands}
        measured = None if part.view else self._timed(part, key_of(part.op, self._weights), calls, operands)
        return measured or evaluate(part.op, [operands[operand] for operand in part.op.operands])

    def _timed(self, part: ChoicePart, key: str, calls: int, operands: Mapping[SSAValue, Array]) -> list[Array] | None:
        """The results of a task on this computer, with its time recorded; None where it is simulated, or can't be
        measured."""
        work = (part.device, key)
        if (bench := self.benches.get(part.device)) is None:
            if work not in self.found.work:
                self.found.took(part, key, (part.cost.ns,), "simulated")
            return None
        if work in self.found.unmeasured:
            return None
        known = {operand: array for operand, array in operands.items() if self.problem.is_constant(operand)}
        try:
            measured = bench.measure(part.op, known, operands, calls)
        except Unmeasurable as error:
            self.found.unmeasured[work] = f"{part.op.name}: {error}"
            return None
        self._check_op(part, key, operands, measured.results)
        if calls:
            self.found.took(part, key, measured.times_ns, "measured")
            self.found.disturbed[part.device] += measured.disturbed
        return measured.results

    def _copy(self, value: int, source: str, target: str) -> None:
        """A copy takes what the link takes; between devices of one memory that is nothing."""
        nbytes = self.problem.bytes_of(value)
        if (ns := self.problem.clock.copy_cost(nbytes, source, target).ns) > 0:
            self.found.copies[source, target, nbytes] = ns

    def _value(self, value: SSAValue, values: Mapping[SSAValue, Array]) -> Array:
        """A value; what is known ahead of time is computed when it is first asked for, and kept while there is room."""
        if not self.problem.is_constant(value):
            return values[value]
        if value not in self._ahead:
            waiting: list[SSAValue] = [value]
            while waiting:  # by hand, since it may be a long chain
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
        """Raises InputError where a device computes something else than the interpreter; asked once a kind of op."""
        if (part.device, key) in self._checked:
            return
        self._checked.add((part.device, key))
        expected = evaluate(part.op, [operands[operand] for operand in part.op.operands])
        off = max(map(difference, results, expected))
        if not off <= self.tolerance.op:
            raise InputError(
                f"{ops_of(part.op)} on @{part.device} differs from the interpreter's by {off:.2g} of its largest "
                f"number, more than {self.tolerance.op:g}: the time would be of other work; give inputs another --seed "
                "to see whether it is these numbers",
                part.op,
            )

    def _check(self, results: Sequence[Array]) -> None:
        """Raises InputError where a run's results are not the interpreter's."""
        for index, (found, expected) in enumerate(zip(results, self.expected, strict=True)):
            off = difference(found, expected)
            self.found.worst = max(self.found.worst, off)
            if not off <= self.tolerance.run:
                raise InputError(
                    f"result {index} of a run differs from the interpreter's by {off:.2g} of its largest number, more "
                    f"than {self.tolerance.run:g}, though each op is within {self.tolerance.op:g}; the program makes "
                    "much of small differences: give inputs another --seed",
                    self.problem.function,
                )


def tolerance_of(block: Block) -> Tolerance:
    """The tolerance of a program, by its element types."""
    values = (value for op in block.ops for value in (*op.operands, *op.results))
    return NARROW if any("f16" in str(value.type) for value in values) else WIDE


def difference(found: Array, expected: Array) -> float:
    """The largest difference, of the largest number: 0 for equal arrays, infinite where one is not finite and the other
    is."""
    if not is_real(expected.dtype):
        return 0.0 if np.array_equal(found, expected) else float("inf")
    a, b = found.astype(np.float64), expected.astype(np.float64)
    usual = np.isfinite(b)
    if not np.array_equal(a[~usual], b[~usual], equal_nan=True) or not np.isfinite(a[usual]).all():
        return float("inf")
    if not usual.any():
        return 0.0
    return float(np.abs(a[usual] - b[usual]).max() / max(np.abs(b[usual]).max(), np.finfo(np.float32).tiny))
