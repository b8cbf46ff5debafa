"""A record of a schedule under construction (lowering/instance/partial.py): the jobs that its moves created, and the
contents of memories."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xdsl.ir import Operation

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
        for what, nbytes in task.residents:
            self.reserve(device, what, nbytes)
        self._timed(device, task.cost, [(value, device) for value in task.reads], begin, task.op)
        self.steps.append((self.node, task))
        maker = len(self.jobs) - 1
        for value in task.writes:
            if (source := task.over.get(value)) is not None:
                self.held[value, device] = self.held[source, device]
                self.made[value, device] = (maker,)
            else:
                self._hold(value, device, maker, task.own.get(value))
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
        for what, nbytes in task.residents:
            self.reserve(task.device, what, nbytes)
        holds = dict.fromkeys(hold for value in task.reads for hold in self.held[value, task.device])
        makers = dict.fromkeys(maker for value in task.reads for maker in self.made[value, task.device])
        for value in task.writes:
            self.held[value, task.device] = tuple(holds)
            self.made[value, task.device] = tuple(makers)

    def _timed(
        self, resource: str, cost: Cost, reads: Sequence[tuple[int, str]], begin: float, op: Operation | None = None
    ) -> None:
        """Record a job that began at `begin` and reads values, each given with the device that holds it."""
        after = [maker for read in reads for maker in self.made[read]]
        self.job(resource, cost, [hold for read in reads for hold in self.held[read]], after, 0, op)
        self.begins.append(begin)
        self.ends.append(begin + cost.ns)

    def _extend(self, value: int, before: int, device: str) -> None:
        """Let a value that `before` grew into have memory of its own only for its new rows."""
        (hold,), old = self.held[value, device], self.held[before, device]
        hold.nbytes -= min(sum(each.nbytes for each in old), hold.nbytes)
        self.held[value, device] = (*old, hold)

    def _hold(self, value: int, device: str, maker: int | None, nbytes: int | None = None) -> None:
        size = self.copies.sizes[value] if nbytes is None else nbytes
        self.held[value, device] = (self.residency.hold(device, size, maker),)
        self.made[value, device] = () if maker is None else (maker,)
