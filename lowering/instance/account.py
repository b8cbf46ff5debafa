"""A record of a schedule under construction (lowering/instance/partial.py): the jobs that its moves created, and the
contents of memories."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xdsl.ir import Operation

from dialects.graph import OverwritingOp
from interp.machine.cost import Cost
from interp.simulate.schedule.ledger import Ledger
from interp.simulate.schedule.memory import Hold
from interp.simulate.schedule.routes import Copy
from lowering.instance.choice import ChoicePart
from lowering.instance.copies import Copies


class Account(Ledger):
    """Jobs in the order of the moves, with their start and end times, and the contents of memories. No move is refused
    because of a memory's capacity."""

    def __init__(self, copies: Copies) -> None:
        super().__init__(copies.routes)
        self.copies = copies
        self.steps: list[tuple[int, ChoicePart | Copy]] = []
        """The log of a schedule, in order, as pairs of (number of the node, move). Moves are tasks, including views,
        and copies; all except views are jobs.
        """
        self.node = 0
        """The number of the node that the following moves belong to."""
        self.begins: list[float] = []
        self.ends: list[float] = []
        self.held: dict[tuple[int, str], tuple[Hold, ...]] = {}
        """The holds of each value on each of its devices. A view has the holds of the value that it views; a value
        written in place has those of the value that it overwrote.
        """
        self.states: dict[tuple[Hashable, str], Hold] = {}
        """The memory of each state on its device."""
        self.made: dict[tuple[int, str], tuple[int, ...]] = {}
        """The jobs after which each value is available on a device: those that wrote this value, not the ones that
        first wrote its memory.
        """

    def keep(self, value: int, device: str) -> None:
        """Hold a value on a device until the program ends."""
        for hold in self.held[value, device]:
            hold.kept = True

    def reserve(self, device: str, what: Hashable, nbytes: int) -> None:
        """Reserve memory on a device for a weight, a constant, or rows that programs write, from the start of the
        program; each name `what` counts once."""
        self.residency.resident(device, what, nbytes)

    def placed(self, value: int, device: str) -> None:
        """Record a value that a device holds from the start."""
        self._hold(value, device, None)

    def ran(self, task: ChoicePart, begin: float) -> None:
        """Record a task that began at `begin`, and the weights that it reads."""
        device = task.device
        states = self._residents(task)
        weights = [self.residency.residents[device, what] for what, _ in task.residents if what not in task.states]
        reads = [(value, device) for value in task.reads]
        self._timed(device, task.cost, reads, begin, task.op, [*states, *weights])
        self.steps.append((self.node, task))
        maker = len(self.jobs) - 1
        for value in task.writes:
            if (source := task.over.get(value)) is not None:
                self.held[value, device] = self.held[source, device]
                self.made[value, device] = (maker,)
            elif value in task.own:
                self._in_states(value, device, states, task.own[value], maker)
            else:
                self._hold(value, device, maker)
                if (before := task.grown.get(value)) is not None:
                    self._extend(value, before, device)

    def carried(self, copy: Copy, begin: float) -> None:
        """Record a copy that began at `begin`."""
        self._timed(copy.link, self.copies.cost(copy), [(copy.value, copy.source)], begin)
        self.steps.append((self.node, copy))
        self._hold(copy.value, copy.target, len(self.jobs) - 1)

    def shown(self, task: ChoicePart) -> None:
        """Record a view: its results share the memory of the values that it reads."""
        self.steps.append((self.node, task))
        states = self._residents(task)
        holds = dict.fromkeys(states) | dict.fromkeys(
            hold for value in task.reads for hold in self.held[value, task.device]
        )
        makers = dict.fromkeys(maker for value in task.reads for maker in self.made[value, task.device])
        if isinstance(task.op, OverwritingOp):  # what was written in place has no memory of its own
            x = [each for each in task.reads[:1] if not states]
            kept = [*states, *(hold for value in x for hold in self.held[value, task.device])]
            for hold in [hold for hold in holds if hold not in kept and hold.maker is not None]:
                hold.nbytes = 0
            holds = dict.fromkeys(kept)
        for value in task.writes:
            self.held[value, task.device] = tuple(holds)
            self.made[value, task.device] = tuple(makers)

    def _residents(self, task: ChoicePart) -> list[Hold]:
        """Reserve memory for the residents that a task reads, and return that of states, which are values: they are
        there from the start, and live until they are replaced or the program ends."""
        for what, nbytes in task.residents:
            if what not in task.states:
                self.reserve(task.device, what, nbytes)
            elif (what, task.device) not in self.states:
                self.states[what, task.device] = self.residency.hold(task.device, nbytes, None)
        return [self.states[what, task.device] for what, _ in task.residents if what in task.states]

    def _in_states(self, value: int, device: str, states: Sequence[Hold], added: int, maker: int) -> None:
        """Let a value lie in the memory of states, with new memory only for the bytes that it adds."""
        if added:
            self._hold(value, device, maker, added)
            self.held[value, device] = (*states, *self.held[value, device])
            return
        for hold in states:
            hold.writers += (maker,)
        self.held[value, device] = tuple(states)
        self.made[value, device] = (maker,)

    def _timed(
        self,
        resource: str,
        cost: Cost,
        reads: Sequence[tuple[int, str]],
        begin: float,
        op: Operation | None = None,
        residents: Sequence[Hold] = (),
    ) -> None:
        """Record a job that began at `begin` and reads values, each given with the device that holds it, and weights
        and states."""
        after = [maker for read in reads for maker in self.made[read]]
        self.job(resource, cost, [*residents, *(hold for read in reads for hold in self.held[read])], after, 0, op)
        self.begins.append(begin)
        self.ends.append(begin + cost.ns)

    def _extend(self, value: int, before: int, device: str) -> None:
        """Let a value that `before` grew into have memory of its own only for its new rows."""
        (hold,), old = self.held[value, device], self.held[before, device]
        hold.nbytes -= self.copies.sizes[before]
        self.held[value, device] = (*old, hold)

    def _hold(self, value: int, device: str, maker: int | None, nbytes: int | None = None) -> None:
        size = self.copies.sizes[value] if nbytes is None else nbytes
        self.held[value, device] = (self.residency.hold(device, size, maker),)
        self.made[value, device] = () if maker is None else (maker,)
