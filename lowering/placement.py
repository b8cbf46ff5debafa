"""The placement problem: a program's tasks, what each device would take for them, and what must move in between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeAlias

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import byte_count
from dialects.graph import FusedOp, GraphOp
from interp.arbitration import Draws, spans
from interp.clock import Clock
from interp.cost import NOTHING, Cost
from interp.program import ahead_of_time, block_of, is_graph_op
from interp.residency import Need, bytes_on, claim_of, scratch_of
from interp.views import is_part, is_reshape, is_view
from lowering.anchor import Split, split
from lowering.choice import Choice, Node, Part, Placement
from lowering.marks import marked
from lowering.progress import Account, Progress

Policy: TypeAlias = "Callable[[PlacementProblem], Placement]"
"""Decides a placement: for each node of the problem, in order, one of its choices."""


class PlacementProblem:
    """What a policy decides over: `nodes` in program order (which is topological), the devices, and what everything
    costs.

    Values are numbered: a reshape shares the number of what it shows; a slice or concat that is a view is a node of its
    own, so that only its bytes are copied. The function's arguments are `inputs`,
    present on `home`; `outputs` must be there in the end. `producer[v]` is the node that makes value v, or None;
    `consumers[v]` the nodes that read it.

    The usual questions of a policy: `choice.cost.ns` of a node's choices, `node.on(device)`, `copy(bytes_of(value),
    source, target).ns`, `makespan(placement)` as the timeline will show it, and `overfull(placement)`.
    """

    def __init__(self, function: FuncOp, clock: Clock) -> None:
        """Raises InputError for an op that no device can run or that is no graph op."""
        self.function = function
        self.clock = clock
        self.home = clock.machine.home
        self.devices: tuple[str, ...] = tuple(clock.machine.devices)
        self.nodes: list[Node] = []
        self.sizes: list[int] = []
        self.splits: list[Split] = []
        self.unreached: set[str] = set()
        """Devices that could run an op if a link led there."""
        self.producer: dict[int, int] = {}
        self.consumers: dict[int, list[int]] = defaultdict(list)
        self._number: dict[SSAValue, int] = {}
        self._copies: dict[tuple[int, str, str], Cost] = {}
        self.draws = Draws(clock)
        self._draws: dict[tuple[str, Cost, GraphOp | FusedOp | None], float] = {}
        self._routes: dict[tuple[str, str], tuple[tuple[str, str, str], ...]] = {}
        self._first_on: dict[str, Operation] = {}
        """The first op that a device could run."""
        block = block_of(function)
        self.ahead = ahead_of_time(block)
        self.inputs = tuple(self._new(argument) for argument in block.args)
        self.outputs: tuple[int, ...] = ()
        self.returned: tuple[SSAValue, ...] = ()
        """What the function returns, weights and views as they are."""
        work = [op for op in block.ops if op not in self.ahead]
        timed = [op for op in work if not is_view(op, self.ahead)]
        for device in self.devices:
            clock.prepare(timed, device)
        for op in work:
            self._add(op)

    def bytes_of(self, value: int) -> int:
        """Size of a value in bytes."""
        return self.sizes[value]

    def number_of(self, value: SSAValue) -> int:
        """The number of a value that is not ahead of time."""
        return self._number[value]

    def is_constant(self, value: SSAValue) -> bool:
        """Whether a value is prepared ahead of time."""
        return isinstance(value.owner, Operation) and value.owner in self.ahead

    def copy(self, nbytes: int, source: str, target: str) -> Cost:
        """What it costs to bring so many bytes from one device to another; by way of home where no link joins the
        two."""
        key = (nbytes, source, target)
        if key not in self._copies:
            costs = [self.clock.copy_cost(nbytes, a, b) for a, b, _ in self.route(source, target)]
            self._copies[key] = sum(costs[1:], costs[0]) if costs else Cost(0.0, 0.0, 0, 0, "nothing")
        return self._copies[key]

    def draw(self, resource: str, cost: Cost, op: GraphOp | FusedOp | None) -> float:
        """The share of a shared bandwidth that a task or copy draws."""
        if not self.draws.rules.bandwidths:
            return 0.0
        key = (resource, cost, op)
        if key not in self._draws:
            self._draws[key] = self.draws.of(resource, cost, op)
        return self._draws[key]

    def route(self, source: str, target: str) -> tuple[tuple[str, str, str], ...]:
        """The hops (from, to, link's resource name) of a copy: none on one device, one over a link, else by way of
        home. Raises InputError, at the first op that could go there, where a device has no link with home."""
        key = (source, target)
        if key not in self._routes:
            links = self.clock.machine.links
            joined = (source, target) in links or (target, source) in links
            if source == target:
                hops: list[tuple[str, str]] = []
            elif joined or self.home in key:
                hops = [key]
            else:
                hops = [(source, self.home), (self.home, target)]
            for a, b in hops:
                self.clock.machine.link(a, b, self._first_on.get(b if a == self.home else a))
            self._routes[key] = tuple((a, b, self.clock.machine.way(a, b)) for a, b in hops)
        return self._routes[key]

    def lands(self, value: int, placement: Placement) -> str:
        """The device a value is made on."""
        node = self.producer.get(value)
        return self.home if node is None else placement[node].lands

    def makespan(self, placement: Placement) -> float:
        """When the program ends, in ns, exactly as the timeline of the rewritten program will say."""
        if not self.draws.rules.separate:
            return max(spans(self.account(placement).jobs, self.draws.rules)[1], default=0.0)
        progress = Progress(self)
        for choice in placement:
            progress.run(choice)
        return progress.finish()

    def steps(self, choice: Choice, present: dict[int, dict[str, None]]) -> Iterable[tuple[int, str, str, str] | Part]:
        """The copies (value, from, to, link) and tasks of a choice in order, given the devices each value has reached,
        source first; brings those up to date."""
        for part in choice.parts:
            for value in part.reads:
                yield from self.arrivals(value, part.device, present)
            yield part
            for value in part.writes:
                present[value] = {part.device: None}

    def arrivals(
        self, value: int, device: str, present: dict[int, dict[str, None]]
    ) -> Iterable[tuple[int, str, str, str]]:
        """The copies that bring a value to a device: none if it is there already."""
        reached = present[value]
        if device in reached:
            return
        origin = next(iter(reached))
        for source, target, link in self.route(origin, device):
            if target not in reached:
                yield value, source, target, link
                reached[target] = None

    def at_home(self) -> Placement | None:
        """Everything at home, whatever ops are marked with; None where home can't run it all."""
        choices = [
            node.on(self.home) or next(iter(self._choices(node.op, self.home, node.writes)), None)
            for node in self.nodes
        ]
        return None if None in choices else [choice for choice in choices if choice is not None]

    def memory(self, placement: Placement) -> dict[str, Need]:
        """What each device must hold, exactly as the timeline of the rewritten program will say."""
        return self.account(placement).needs()

    def account(self, placement: Placement) -> Account:
        """The jobs of a placement."""
        account = Account(self)
        for choice in placement:
            for step in self.steps(choice, account.present):
                account.step(step)
        account.finish()
        return account

    def overfull(self, placement: Placement) -> dict[str, Need]:
        """The devices that can't hold what a placement asks of them."""
        devices = self.clock.machine.devices
        needs = self.memory(placement)
        return {name: need for name, need in needs.items() if need.total > devices[name].memory_bytes}

    def drop(self) -> None:
        """Forget the splits that were not chosen: they use values of the function."""
        for each in self.splits:
            if each.anchor.parent is None:
                each.drop()

    def _new(self, value: SSAValue) -> int:
        self._number[value] = len(self.sizes)
        self.sizes.append(byte_count(value.type))  # pyright: ignore[reportArgumentType]
        return self._number[value]

    def _add(self, op: Operation) -> None:
        if isinstance(op, ReturnOp):
            outputs = [self._number[value] for value in op.operands if not self.is_constant(value)]
            self.outputs = tuple(dict.fromkeys(outputs))
            self.returned = tuple(op.operands)
            return
        if not is_graph_op(op):
            raise InputError(f"{op.name} can't be placed; place takes functions of graph ops on plain tensors", op)
        if is_reshape(op):
            self._number[op.results[0]] = self._number[op.operands[0]]
            return
        writes = tuple(self._new(result) for result in op.results)
        shown, given = is_part(op, self.ahead), marked(op)
        devices = self.devices if given is None else (given,)
        ways = self._shown if shown else self._choices
        choices = tuple(choice for device in devices for choice in ways(op, device, writes))
        if not choices:
            raise InputError(self._nowhere(op) if given is None else self._disobeyed(op, given), op)
        # What no link reaches is left out, unless nothing else can run the op: then the copy there is the error.
        reached = tuple(choice for choice in choices if self._linked(choice.device))
        if reached:
            if not shown:
                self.unreached.update(choice.device for choice in choices if choice not in reached)
            choices = reached
        node = Node(len(self.nodes), op, choices, self._reads(op)[0], writes)
        self.nodes.append(node)
        for choice in choices if not node.view else ():
            self._first_on.setdefault(choice.device, op)
        self.producer |= dict.fromkeys(writes, node.index)
        for value in node.reads:
            self.consumers[value].append(node.index)

    def _disobeyed(self, op: GraphOp | FusedOp, given: str) -> str:
        record = self.clock.machine.device(given, op)
        why = self.clock.why_not(op, given) or _described(op)
        return f"the op is marked for @{given} ({record.name}), which can't run {why}; unmark it"

    def _nowhere(self, op: GraphOp | FusedOp) -> str:
        names = [f"@{name} ({record.name})" for name, record in self.clock.machine.devices.items()]
        met = f"neither {', '.join(names[:-1])} nor {names[-1]} can" if names[1:] else f"{names[0]} can't"
        types = ", ".join(str(operand.type) for operand in op.operands)
        return f"no device can run {_described(op)} of {types}: {met}; name one more device that can (hw.device)"

    def _reads(self, op: Operation) -> tuple[tuple[int, ...], tuple[SSAValue, ...]]:
        constants = dict.fromkeys(value for value in op.operands if self.is_constant(value))
        return tuple(dict.fromkeys(self._number[value] for value in op.operands if value not in constants)), tuple(
            constants
        )

    def _part(self, op: GraphOp | FusedOp, device: str, writes: tuple[int, ...]) -> Part:
        reads, weights = self._reads(op)
        claim = claim_of(op, weights, device, self.clock)
        record = self.clock.machine.devices[device]
        residents = (claim,) if claim else tuple((weight, bytes_on(record, weight)) for weight in weights)
        residents += tuple(scratch_of(op, device, self.clock))
        return Part(op, device, self.clock.op_cost(op, device), reads, residents, writes)

    def _shown(self, op: GraphOp | FusedOp, device: str, writes: tuple[int, ...]) -> Iterable[Choice]:
        """A view of something, wherever that is."""
        part = Part(op, device, NOTHING, self._reads(op)[0], (), writes, view=True)
        yield Choice(device, (part,), tuple((value, device) for value in part.reads), device, NOTHING)

    def _choices(self, op: GraphOp | FusedOp, device: str, writes: tuple[int, ...]) -> Iterable[Choice]:
        """The ways to run an op with its main part on a device."""
        if self.clock.supports(op, device):
            part = self._part(op, device, writes)
            yield Choice(device, (part,), tuple((value, device) for value in part.reads), device, part.cost)
        elif device != self.home:
            yield from self._split_choices(op, device, writes)

    def _split_choices(self, op: GraphOp | FusedOp, device: str, writes: tuple[int, ...]) -> Iterable[Choice]:
        """The contraction on the device and the rest there too, or at home, where the device can't run all of it as
        one."""
        for keep_bias in (True, False):
            pair = split(op, keep_bias)
            if pair is None:
                continue
            rests = [place for place in (device, self.home) if self.clock.supports(pair.rest, place)]
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
                if place != device and self._linked(
                    device
                ):  # if not, whoever wants to bring it something hears of that
                    cost = first.cost + self.copy(self.sizes[between], device, place) + second.cost
                yield Choice(f"{device}+{place}", (first, second), tuple(dict.fromkeys(needs)), place, cost)
            return

    def _linked(self, device: str) -> bool:
        links = self.clock.machine.links
        return device == self.home or (self.home, device) in links or (device, self.home) in links


def _described(op: Operation) -> str:
    if isinstance(op, FusedOp):
        return f"a graph.fused of {', '.join(inner.name for inner in op.ops)}"
    return op.name
