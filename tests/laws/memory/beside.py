"""Random small programs on a GPU with a second device and host memory: the programs of the laws of plans for memory
beside a second device."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import notes_to
from interp.simulate.program_trace import trace_of
from interp.simulate.schedule.timeline import Timeline
from lowering.banks.templates import clock_for
from lowering.memory.prefetch import PrefetchPass
from lowering.place.place import PlacePass
from ndpir.reports.memory import moves_bound
from ndpir.reports.run import Run
from tests.programs import context, parse

WAYS: dict[str, PrefetchPass] = {
    "plan": PrefetchPass(),
    "plan, mode move": PrefetchPass(mode="move"),
    "plan, mode copy": PrefetchPass(mode="copy"),
    "uvm": PrefetchPass(policy="uvm"),
    "pump": PrefetchPass(policy="pump"),
    "lookahead": PrefetchPass(policy="lookahead"),
}
"""The ways to manage memory; those that are not our own policy `plan` need page faults."""
PARTS = (0.05, 0.3, 0.6)
"""The sizes of the GPU's memory, between the largest working set (0) and the peak of live bytes (1)."""

Second: TypeAlias = Literal["pim", "ndp"]
"""The kind of the second device: a PIM, or near-data units."""

TOYS: dict[Second, tuple[tuple[str, str], ...]] = {
    "pim": (("", "toy_link"), ("", "toy_link"), ("", "same_memory"), ("", "at_controllers")),
    "ndp": (
        ("", "toy_link"),
        ("interference = 1.1", "toy_link"),
        ("", "same_memory"),
        ("channels = 2", "at_controllers"),
    ),
}
"""The second devices: changes of the toy sheet, and the link to the GPU. Over `toy_link`, copies take time; over
`same_memory`, they take none, and one device runs at a time; over `at_controllers`, both share the GPU's bandwidth."""


GPUS: dict[Second, tuple[str, ...]] = {
    "pim": ("100 GB/s", "2 GB/s", "0.5 GB/s"),
    "ndp": ("100 GB/s", "10 GB/s", "3 GB/s"),
}
"""The bandwidths of the GPU: with the smaller ones, the second device is faster on some ops, and moves between memories
take less time than kernels."""


@dataclass(frozen=True)
class Beside:
    """A graph-level program, and the machine that it is for. `second`: the kind of the second device, and `toy` its
    entry of `TOYS`; `gpu`: the bandwidth of the GPU; `faults`: true if the host serves page faults; `marked`: true if
    some op is marked for the second device."""

    second: Second
    toy: tuple[str, str]
    gpu: str
    faults: bool
    body: str
    marked: bool

    def text(self, memory: int | None = None, *, alone: bool = False) -> str:
        """The program's text. `memory`: the bytes of the GPU's memory (None: enough for everything); `alone`: without
        the second device, and without marks."""
        lines = [
            f'hw.device @gpu = "toy_gpu" {{memory = "{memory or 1 << 30} B", bandwidth = "{self.gpu}"}}',
            *([] if alone else [f'hw.device @{self.second} = "toy_{self.second}" {{{self.toy[0]}}}']),
            f'hw.device @host = "toy_host" {{paging.demand = "{"yes" if self.faults else "no"}"}}',
            *([] if alone else [f'hw.link @gpu to @{self.second} = "{self.toy[1]}"']),
            'hw.link @gpu to @host = "toy_bus"',
        ]
        body = self.body.replace(f" {{task.on = @{self.second}}}", "") if alone else self.body
        return "\n".join((*lines, body))


class Outcome(NamedTuple):
    """The timeline of a program with planned moves, and a lower bound on the time of any plan in ns; None if no bound
    is known, or no moves are needed."""

    timeline: Timeline
    bound_ns: float | None


def placed(text: str, policy: str, effort: int = 1) -> ModuleOp:
    """A program placed by a policy, `optimal` with the given effort, verified."""
    module = parse(text)
    with notes_to(lambda message, at: None):
        PlacePass(policy=policy, effort=effort if policy == "optimal" else 2).apply(context(), module)
    module.verify()
    return module


def moved(module: ModuleOp, way: str) -> Outcome:
    """A placed program's outcome after `prefetch` in one of `WAYS`, which changes the program; it is verified."""
    with notes_to(lambda message, at: None):
        WAYS[way].apply(context(), module)
    module.verify()
    run = Run(module)
    residence = run.timeline.residence
    bound = moves_bound(run, residence) if residence is not None else None
    return Outcome(run.timeline, bound and bound.ns)


def short_memory(program: Beside, part: float) -> int | None:
    """The bytes of a GPU memory that is too small for the GPU alone; None if no memory is: its largest working set plus
    `part` of what is live in addition."""
    module = placed(program.text(alone=True), "gpu")
    trace = trace_of(module, clock_for(module)).trace
    least, most = trace.largest_working_set, trace.peak_live
    return round(least + part * (most - least)) if most > least else None


def drawn(seed: int, second: Second, *, most: int = 9, marks: bool = True) -> Beside:
    """A program of up to `most` ops. `marks`: whether some of its ops may be marked for the second device."""
    return _Draw(Random(f"{second} {seed}"), second, marks).program(most)


class _Draw:
    """A generator of one program. All values have `rows` rows, except for state that an update of the optimizer
    reads."""

    def __init__(self, random: Random, second: Second, marks: bool) -> None:
        self.random = random
        self.second: Second = second
        self.rows = random.choice((1, 4, 8) if second == "pim" else (32, 64, 128))
        self.widths = (32, 64, 128, 256) if second == "pim" else (64, 128, 256)
        self.mark = marks and random.random() < 0.4
        self.marked = False
        self.lines: list[str] = []
        self.weights: list[tuple[str, int, int]] = []
        self.values: list[tuple[str, int]] = []
        self.read: set[str] = set()
        self.arguments: list[str] = []
        self.state: list[tuple[str, str, str]] = []
        """For each piece of state: its argument, its type, and the result that takes over its memory."""

    def program(self, most: int) -> Beside:
        random = self.random
        for number in range(random.randint(1, 2)):
            width = random.choice(self.widths)
            kept = random.choice(("", "", ' {task.state = "read"}'))
            self.arguments.append(f"%x{number}: {self.type(width)}{kept}")
            self.values.append((f"%x{number}", width))
        updates = random.randint(0, 2) if random.random() < 0.6 else 0
        for number in range(random.randint(3, most)):
            self.op(number)
        for number in range(updates):
            self.update(number)
        left = [(name, self.type(width)) for name, width in self.values if name not in self.read]
        results = [(result, type_) for _, type_, result in self.state]
        results += [each for each in left if each[0][1] != "x"] or [
            (name, self.type(w)) for name, w in self.values[-1:]
        ]
        arguments = [
            *(
                f'{name}: {type_} {{task.state = "overwritten, result {place}"}}'
                for place, (name, type_, _) in enumerate(self.state)
            ),
            *self.arguments,
        ]
        types = ", ".join(type_ for _, type_ in results)
        names = ", ".join(name for name, _ in results)
        body = "\n".join(
            [
                f"func.func @main({', '.join(arguments)}) -> ({types}) {{",
                *self.lines,
                f"func.return {names} : {types}",
                "}",
            ]
        )
        faults = random.random() < 0.5
        toy, gpu = random.choice(TOYS[self.second]), random.choice(GPUS[self.second])
        return Beside(self.second, toy, gpu, faults, body, self.marked)

    def type(self, width: int, rows: int | None = None) -> str:
        return f"tensor<{rows or self.rows}x{width}xf32>"

    def pick(self, width: int | None = None) -> tuple[str, int]:
        """A value, rather a late one; of this width if it is given."""
        able = [each for each in self.values[-6:] if width in (None, each[1])]
        taken = self.random.choice(able or [each for each in self.values if width in (None, each[1])])
        self.read.add(taken[0])
        return taken

    def on(self, runs: bool) -> str:
        """A mark for the second device, on some of the ops that it runs."""
        if not (self.mark and runs and self.random.random() < 0.4):
            return ""
        self.marked = True
        return f" {{task.on = @{self.second}}}"

    def op(self, number: int) -> None:
        random, name = self.random, f"%v{number}"
        kind = random.choice(("matmul", "matmul", "matmul", "relu", "softmax", "add", "mul"))
        x, width = self.pick()
        if kind == "matmul":
            weight, made = self.weight(number, width)
            on = self.on(self.second == "pim")
            self.lines.append(f"{name} = graph.matmul {x}, {weight}{on} : {self.type(width)}, {self.type(made, width)}")
        elif kind in ("add", "mul"):
            other, _ = self.pick(width)
            made, on = width, self.on(self.second == "ndp")
            self.lines.append(f"{name} = graph.{kind} {x}, {other}{on} : {self.type(width)}")
        else:
            made, on = width, self.on(self.second == "ndp")
            axis = " axis = 1" if kind == "softmax" else ""
            self.lines.append(f"{name} = graph.{kind} {x}{axis}{on} : {self.type(width)}")
        self.values.append((name, made))

    def weight(self, number: int, width: int) -> tuple[str, int]:
        """The name and the width of a weight of `width` rows: a new one, or sometimes one that was read before."""
        known = [(name, columns) for name, rows, columns in self.weights if rows == width]
        if known and self.random.random() < 0.3:
            return self.random.choice(known)
        name, made = f"%w{number}", self.random.choice(self.widths)
        self.lines.append(
            f'{name} = graph.weight "w{number}" = uniform(-0.1, 0.1, {number + 1}) : {self.type(made, width)}'
        )
        self.weights.append((name, width, made))
        return name, made

    def update(self, number: int) -> None:
        """An update of momentum and weights by the product of two values, as of an optimizer."""
        (x, width), (y, other) = self.pick(), self.pick()
        type_ = self.type(other, width)
        turned = f"%t{number}"
        self.lines.append(f"{turned} = graph.transpose {x} permutation = [1, 0] : {self.type(width)}")
        self.lines.append(
            f"%g{number} = graph.matmul {turned}, {y} : {self.type(self.rows, width)}, {self.type(other)}"
        )
        on = self.on(self.second == "ndp")
        self.lines.append(f"%a{number} = graph.add %m{number}, %g{number}{on} : {type_}")
        self.lines.append(f"%b{number} = graph.sub %p{number}, %a{number}{on} : {type_}")
        self.state += [(f"%m{number}", type_, f"%a{number}"), (f"%p{number}", type_, f"%b{number}")]
