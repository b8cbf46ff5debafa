"""The placement problem of a program: its tasks, their costs on each device, and the values to copy between devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import byte_count
from dialects.graph import FusedOp, GraphOp
from dialects.graph.op import as_tensor
from dialects.launching import LaunchingOp
from dialects.repeating import RepeatingOp
from dialects.task import State
from interp.kinds.clock import Clock
from interp.machine.cost import NOTHING
from interp.simulate.schedule.residency import bytes_on, claim_of, scratch_of
from interp.walk.entry import (
    ahead_of_time,
    block_of,
    changed_states,
    is_graph_op,
    kept_states,
    noted_arguments,
    reserved_bytes,
)
from interp.walk.views import changes_rows, extended, in_place, is_part, is_reshape, is_view, rows_given
from lowering.banks.anchor import Split, split
from lowering.graph.marks import marked, marked_arguments, marked_results
from lowering.graph.state import reader_of, resting
from lowering.instance.choice import Choice, ChoicePart, Placeable, Placement
from lowering.instance.options import Options
from lowering.instance.problem import Problem


class PlacementProblem(Problem):
    """The placement problem of a function. The result of a reshape has the value number of its operand; a slice or
    concat that is a view is a node of its own, so that only its bytes are copied."""

    def __init__(self, function: FuncOp, clock: Clock, options: Options = Options()) -> None:  # noqa: B008 - frozen
        """Build the problem. Raises InputError for an op that no device can run or that is not a graph op."""
        super().__init__(clock, options)
        self.function = function
        self.splits: list[Split] = []
        self.unreached: set[str] = set()
        """Devices that could run an op but that no link reaches."""
        self._number: dict[SSAValue, int] = {}
        block = block_of(function)
        assert isinstance(block.last_op, ReturnOp)
        self._last = block.last_op
        self.ahead = ahead_of_time(block)
        self.rests = resting(function)
        """The states that rest where their reader runs, each with the number of the result that is its new content."""
        self.shown = {value: state for state in self.rests for value in reader_of(state)[1]}
        """The values that show all of a resting state, each with the state."""
        self._stated = (
            {argument: State.of(notes) for argument, notes in noted_arguments(function)} if self.rests else {}
        )
        self.arguments = tuple(argument for argument in block.args if argument not in self.rests)
        self.inputs = tuple(self._new(argument) for argument in self.arguments)
        self.marked = {self._number[argument]: device for argument, device in marked_arguments(function).items()}
        """The devices of the inputs that are marked."""
        for value, device in self.marked.items():
            clock.machine.device(device, function)
            if not self.routes.reaches(self.primary, device):
                clock.machine.link(self.primary, device, function)
            if device != self.primary:
                self.present_at[value] = (device,)
        kept = kept_states(function)
        self.kept = tuple(self._number[argument] for argument in kept if argument not in self.rests)
        work = [op for op in block.ops if op not in self.ahead]
        timed = [op for op in work if not is_view(op, self.ahead)]
        for device in self.devices:
            clock.prepare(timed, device)
        for op in work:
            self._add(op)

    def number_of(self, value: SSAValue) -> int:
        """The number of a value that is not computed ahead of time."""
        return self._number[value]

    def is_constant(self, value: SSAValue) -> bool:
        """True if a value is computed ahead of time, from weights and constants alone, or is a resting state."""
        return value in self.shown or (isinstance(value.owner, Operation) and value.owner in self.ahead)

    def rests_on(self, state: SSAValue, placement: Placement) -> str:
        """The device on which a resting state lies in a placement: that of the task that reads it."""
        reader, shown = reader_of(state)
        for part in (part for choice in placement for part in choice.parts):
            if part.op is reader or shown[-1] in part.op.operands:
                return part.device
        return self.primary

    def on_primary(self) -> Placement | None:
        """The placement of all ops on the primary device, marks ignored; None if the primary device can't run every
        op."""
        choices = [
            node.on(self.primary) or next(iter(self._choices(node.op, self.primary, node.writes)), None)
            for node in self.nodes
        ]
        return None if None in choices else [choice for choice in choices if choice is not None]

    def drop(self) -> None:
        """Erase the ops of splits that were not chosen, since they use values of the function."""
        for each in self.splits:
            if each.anchor.parent is None:
                each.drop()

    def _new(self, value: SSAValue) -> int:
        self._number[value] = self.value(byte_count(value.type))  # pyright: ignore[reportArgumentType]
        return self._number[value]

    def _add(self, op: Operation) -> None:
        if isinstance(op, ReturnOp):
            replaced = [(op.operands[number], state) for state, number in self.rests.items() if number is not None]
            self.left = {self._number[value]: state for value, state in replaced}
            outputs = [self._number[value] for value in op.operands if not self.is_constant(value)]
            self.outputs = tuple(value for value in dict.fromkeys(outputs) if value not in self.left)
            self.donated = tuple(
                (self._number[argument], self._number[op.operands[number]])
                for argument, number in changed_states(self.function).items()
                if number is not None and argument not in self.rests and not self.is_constant(op.operands[number])
            )
            shown = Counter(self._number[value] for value in op.operands if not self.is_constant(value))
            taking = Counter(taken for _, taken in self.donated)
            alone = {given: taken for given, taken in self.donated if shown[taken] == taking[taken] == 1}
            self.movable = {given: taken for given, taken in alone.items() if given not in self.marked}
            self.staying = {
                taken: self.present_at[given][0] for given, taken in alone.items() if given in self.present_at
            }
            for number, device in marked_results(self.function).items():
                if not self.is_constant(value := op.operands[number]) and self._number[value] not in self.left:
                    self.clock.machine.device(device, self.function)
                    self.staying |= {self._number[value]: device} if device != self.primary else {}
            # A result on the primary device takes over no memory of another device.
            self.donated = tuple(
                (given, taken) for given, taken in self.donated if taken in self.staying or given not in self.present_at
            )
            primary = self.clock.machine.devices[self.primary]
            constants = dict.fromkeys(each for each in op.operands if self.is_constant(each))
            self.returned_residents = tuple((each, bytes_on(primary, each)) for each in constants)
            return
        if isinstance(op, RepeatingOp):
            raise InputError(
                f"{op.name} is supported only by the pass place (-p place); this tool expects functions without loops",
                op,
            )
        if not is_graph_op(op) and not isinstance(op, LaunchingOp):
            raise InputError(f"{op.name} can't be placed; place takes functions of graph ops on plain tensors", op)
        if is_reshape(op) and op.results[0] in self.shown:
            return
        if is_reshape(op):
            self._number[op.results[0]] = self._number[op.operands[0]]
            return
        writes = tuple(self._new(result) for result in op.results)
        shown, given = is_part(op, self.ahead), marked(op)
        devices = self.devices if given is None else (given,)
        given_rows = rows_given(op) if not shown and changes_rows(op) else None
        choices = tuple(
            choice
            for device in devices
            for choice in (self._shown if shown or self._by_transfers(op, device, given_rows) else self._choices)(
                op, device, writes
            )
        )
        if not choices:
            raise InputError(self._nowhere(op) if given is None else self._disobeyed(op, given), op)
        # Devices that no link reaches are left out, unless no other device can run the op: then the missing link is
        # reported as the error.
        reached = tuple(choice for choice in choices if self.routes.reaches(self.primary, choice.device))
        if reached:
            if not shown:
                self.unreached.update(choice.device for choice in choices if choice not in reached)
            choices = reached
        self.node(op, choices, self._reads(op)[0], writes)

    def _by_transfers(self, op: Placeable, device: str, given: Sequence[SSAValue] | None) -> bool:
        """True if transfers change the rows of a state on a device: copies bring the rows, of which those in `given`
        are arguments, or a device without a kernel for this drains them to their place. None: no rows are changed."""
        if given is None or any(
            device in self.starts_at(self._number[value]) for value in given if value in self._number
        ):
            return False
        return bool(given) or (not self.clock.supports(op, device) and self._is_read_on(op.results[0], device))

    def _is_read_on(self, value: SSAValue, device: str) -> bool:
        """True if a device can run an op that reads a value: a state lies there for its readers, not for its changes
        alone."""
        users = [use.operation for use in value.uses if not isinstance(use.operation, ReturnOp)]
        return any(
            self._is_read_on(user.results[0], device)
            if is_reshape(user) or is_part(user, self.ahead)
            else is_graph_op(user) and self.clock.supports(user, device)
            for user in users
        )

    def _disobeyed(self, op: Placeable, given: str) -> str:
        record = self.clock.machine.device(given, op)
        why = self.clock.why_not(op, given) or _described(op)
        return f"the op is marked for @{given} ({record.name}), which can't run {why}; unmark it"

    def _nowhere(self, op: Placeable) -> str:
        names = [f"@{name} ({self.clock.machine.devices[name].name})" for name in self.workers]
        met = f"neither {', '.join(names[:-1])} nor {names[-1]} can" if names[1:] else f"{names[0]} can't"
        types = ", ".join(str(operand.type) for operand in op.operands)
        return f"no device can run {_described(op)} of {types}: {met}; declare a device that can (hw.device)"

    def _reads(self, op: Operation) -> tuple[tuple[int, ...], tuple[SSAValue, ...]]:
        constants = dict.fromkeys(value for value in op.operands if self.is_constant(value))
        reads = tuple(dict.fromkeys(self._number[value] for value in op.operands if value not in constants))
        return reads, tuple(value for value in constants if value not in self.shown)

    def _part(self, op: Placeable, device: str, writes: tuple[int, ...]) -> ChoicePart:
        reads, weights = self._reads(op)
        claim = claim_of(op, weights, device, self.clock)
        record = self.clock.machine.devices[device]
        residents = (claim,) if claim else tuple((weight, bytes_on(record, weight)) for weight in weights)
        residents += tuple(scratch_of(op, device, self.clock)) + self._states(op, device)
        sources = {result: op.operands[operand] for result, operand in in_place(op).items()}
        over = {writes[result]: self._number[x] for result, x in sources.items() if not self.is_constant(x)}
        before = {result: op.operands[operand] for result, operand in extended(op).items()}
        grown = {writes[result]: self._number[x] for result, x in before.items() if not self.is_constant(x)}
        states, own, cost = self._names(op), self._own(op, writes), self.clock.op_cost(op, device)
        return ChoicePart(op, device, cost, reads, residents, writes, over=over, grown=grown, states=states, own=own)

    def _states(self, op: Placeable, device: str) -> tuple[tuple[Hashable, int], ...]:
        """The resting states that an op reads, each with its memory on a device, at its capacity."""
        record = self.clock.machine.devices[device]
        found = dict.fromkeys(self.shown[value] for value in op.operands if value in self.shown)
        return tuple((state, bytes_on(record, state) + self._spare(state)) for state in found)

    def _names(self, op: Placeable) -> frozenset[Hashable]:
        return frozenset(self.shown[value] for value in op.operands if value in self.shown)

    def _spare(self, state: SSAValue) -> int:
        """The bytes that are reserved for a resting state beyond its present rows and the new ones."""
        noted = self._stated[state]
        number = None if noted is None else noted.result if noted.rows is None else noted.rows
        return 0 if number is None else reserved_bytes(state, noted, self._last.operands[number].type)

    def _own(self, op: Placeable, writes: tuple[int, ...]) -> dict[int, int]:
        """The results of an op that lie in the memory of a resting state, each with the bytes that it adds to it."""
        found = {writes[at]: 0 for at, operand in in_place(op).items() if op.operands[operand] in self.shown}
        for result, operand in extended(op).items():
            if (before := op.operands[operand]) in self.shown:
                size = self.sizes[writes[result]]
                found[writes[result]] = size - byte_count(as_tensor(before.type))
        return found

    def _shown(self, op: Placeable, device: str, writes: tuple[int, ...]) -> Iterable[Choice]:
        """The choices for a view: one on every device."""
        reads, residents, states = self._reads(op)[0], self._states(op, device), self._names(op)
        own = self._own(op, writes)
        part = ChoicePart(op, device, NOTHING, reads, residents, writes, view=True, states=states, own=own)
        yield Choice(device, (part,), tuple((value, device) for value in part.reads), device, NOTHING)

    def _choices(self, op: Placeable, device: str, writes: tuple[int, ...]) -> Iterable[Choice]:
        """The choices of an op with its main part on a device."""
        if self.clock.supports(op, device):
            whole = self._part(op, device, writes)
            ways = self.clock.ways(op, device) if self.options.split and is_graph_op(op) else ()
            parts = [(f"{device} {way.name}", replace(whole, cost=way.cost, notes=way.notes)) for way in ways]
            for label, part in parts or [(device, whole)]:
                yield Choice(label, (part,), tuple((value, device) for value in part.reads), device, part.cost)
        elif device != self.primary and is_graph_op(op):
            yield from self._split_choices(op, device, writes)

    def _split_choices(self, op: GraphOp | FusedOp, device: str, writes: tuple[int, ...]) -> Iterable[Choice]:
        """The choices of an op that split it, if the device can't run it as one task: its contraction runs on the
        device, and its other ops run on the same device or on the primary device."""
        for keep_bias in (True, False):
            pair = split(op, keep_bias)
            if pair is None:
                continue
            rests = [place for place in (device, self.primary) if self.clock.supports(pair.rest, place)]
            if not rests or not self.clock.supports(pair.anchor, device):
                pair.drop()
                continue
            self.splits.append(pair)
            between = self._new(pair.anchor.results[0])
            first = self._part(pair.anchor, device, (between,))
            for place in rests:
                second = self._part(pair.rest, place, writes)
                needs = [(value, device) for value in first.reads] + [
                    (value, place) for value in second.reads if value != between
                ]
                cost = first.cost + second.cost
                # If no link reaches the device, the error names the missing link when a value is copied there.
                if place != device and self.routes.reaches(device, place):
                    cost = first.cost + self.copy(self.sizes[between], device, place) + second.cost
                yield Choice(f"{device}+{place}", (first, second), tuple(dict.fromkeys(needs)), place, cost)
            return


def _described(op: Operation) -> str:
    if isinstance(op, FusedOp):
        return f"a graph.fused of {', '.join(inner.name for inner in op.ops)}"
    return op.name
