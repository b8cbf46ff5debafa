"""The time, energy and memory of one step of an engine on a machine: the step's graph, compiled by a pipeline and
simulated.

The layers of a model are of few kinds. A step is compiled with a few layers of each kind, and what one more layer adds
is multiplied by the number of layers that are left out: if kernels run one after another, or what the next layer adds
agrees with it, and if each memory holds what all layers need. Otherwise, the step is compiled with all layers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, TypeAlias

from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import notes_to, working
from dialects.element_types import byte_count
from dialects.graph import WeightOp
from dialects.graph.tensors import as_tensor
from dialects.task import OnType
from interp.kinds.pim.checks.hazards import trusting_programs
from interp.walk.entry import entry_of, states_of
from lowering.alone.primary_alone import baselines_unread
from ndpir.compiler.compilation import Compiler, Request
from ndpir.frontends.configs import Group
from ndpir.reports.run import Run
from ndpir.reports.summary import above_recorded
from ndpir.serving.parts import ATTENTION, LAUNCHES, part_of

AGREES = 5e-3
"""The relative difference up to which a step that was left out agrees with one that is computed from others."""

SERIAL = 1e-6
"""The relative difference up to which the time of a step is the sum of its kernels."""

Figures: TypeAlias = Mapping[str, float]
"""The figures of a step by name. Times in ns, energies in nJ (of whole boards if these are calibrated):

- `ns`, `nj`; `kernels`, the number of tasks;
- `serial ns`, the sum of all tasks and copies, and of these `attention ns`, `attention nj`, those of attention;
- `once ns`, `once nj`, what remains without layers;
- `part NAME`, the busy time of a part; `memory DEVICE`, `weights DEVICE` and `states DEVICE`, bytes it holds;
- `above`, the fraction by which the compiled program is above a lower bound of all placements; `capacity DEVICE`;
  `devices`, the number of devices that may compute.

All but those of the last line are sums over layers and a remainder."""

FIXED = ("above", "capacity", "devices")
"""The first words of figures that are no sums over layers."""


class StepModel(Protocol):
    """A model of which steps can be compiled."""

    @property
    def layers(self) -> Sequence[object]:
        """The kind of each layer, in their order; empty if the model's graph is only known as a whole."""
        ...

    @property
    def context(self) -> int | None:
        """The longest sequence in tokens for which the model is published, if that is known."""
        ...

    @property
    def has_prompts(self) -> bool:
        """True if there are steps of prompts."""
        ...

    @property
    def has_chunks(self) -> bool:
        """True if there are steps of parts of prompts, and of prompts beside sequences that decode."""
        ...

    def program(
        self, groups: Sequence[Group], layers: Sequence[int] | None = None, element: str | None = None
    ) -> ModuleOp:
        """The graph of a step, of all layers or of those with these numbers, in the element type `element` or, by
        default, in its own types. Raises InputError for a step of which there is no graph."""
        ...


def _sizes(groups: Sequence[Group]) -> tuple[tuple[int, int], ...]:
    return tuple((group.sequences, group.new) for group in groups)


OWN = ""
"""The element types of the model itself."""


def element_types(program: ModuleOp) -> frozenset[str]:
    """The element types of the weights and arguments of a program."""
    values = [op.results[0] for op in program.walk() if isinstance(op, WeightOp)] + list(entry_of(program).args)
    types = [value.type.tensor if isinstance(value.type, OnType) else value.type for value in values]
    return frozenset(str(as_tensor(each).element_type) for each in types)


@dataclass
class Steps:
    """The figures of a model's steps on a machine, each computed once. `request`: the pipeline and the machine."""

    model: StepModel
    request: Request
    alone: bool = False
    """True for the primary device alone, whose memory is taken to hold whatever it needs."""
    counted: Counter[str] = field(default_factory=Counter[str])
    """The number of different `steps`, of `programs` that were compiled for them, and of those with all layers
    (`whole`)."""
    notes: dict[str, str] = field(default_factory=dict[str, str])
    """Notes on the programs, one of each kind."""
    types: str | None = None
    """The element type of a model from a config in all steps: `OWN`, or one that replaces the model's own; None to
    choose it for each step."""
    _known: dict[tuple[str | None, tuple[Group, ...]], Figures] = field(
        default_factory=dict[tuple[str | None, tuple[Group, ...]], Figures]
    )
    _attention: dict[tuple[str | None, Group], tuple[float, float]] = field(
        default_factory=dict[tuple[str | None, Group], tuple[float, float]]
    )
    _least: dict[object, tuple[int, ...]] = field(default_factory=dict[object, tuple[int, ...]])
    """For all steps of the same types that differ only in their cached tokens, the numbers of layers of each kind from
    which their figures follow; empty if they need all layers."""

    def check(self) -> None:
        """Raises InputError for a machine, or for element types of a model from a config, that do not exist."""
        if self.model.has_chunks:
            self.compilers[0].equip(self.model.program([Group(1, 1, 1)], [0]))

    def figures(self, *groups: Group) -> Figures:
        """The figures of a step in which these groups of sequences advance together. Raises InputError for a step that
        does not fit the machine's memory."""
        if (key := (self.types, groups)) not in self._known:
            self.counted["steps"] += 1
            self._known[key] = self._from_few_layers(groups) or self._compiled(groups, None)
        return self._known[key]

    def attention(self, group: Group) -> tuple[float, float]:
        """Time in ns and energy in nJ of the attention of one group of sequences, of all layers, on a machine that runs
        one kernel after another: from a program of one layer for each kind of layers."""
        if (key := (self.types, group)) not in self._attention:
            self.counted["steps"] += 1
            first, total = dict[object, int](), [0.0, 0.0]
            for number, kind in enumerate(self.model.layers):
                first.setdefault(kind, number)
            for kind, times in Counter(self.model.layers).items():
                found = self._compiled([group], [first[kind]])
                for number, name in enumerate(("attention ns", "attention nj")):
                    total[number] += times * found.get(name, 0.0)
            self._attention[key] = total[0], total[1]
        return self._attention[key]

    def choose_types(self, *groups: Group) -> None:
        """Compile all further steps in the element types that are the fastest for this one: a model that is served has
        its weights once."""
        if not self.model.has_chunks:
            return
        self.types = None
        own = self.model.program(groups, [0])
        placed = self._program(groups, [0])
        before, after = element_types(own), element_types(placed)
        gone, new = before - after, after - before
        if not gone and not new:
            self.types = OWN
        elif len(gone) == len(new) == 1:
            (element,) = new
            if element_types(self.model.program(groups, [0], element)) == after:
                self.types = element

    def _from_few_layers(self, groups: tuple[Group, ...]) -> Figures | None:
        """The figures by those of a few layers; None if these do not tell them. On several devices, a step with more
        layers must agree, once for steps that differ only in their cached tokens."""
        known = self._least.get(self._alike(groups))
        for least in (1, 3) if known is None else known:
            choice = LayerChoice.of(self.model.layers, least)
            if choice is None:
                return None
            base = self._compiled(groups, choice.base)
            more = {kind: self._compiled(groups, kept) for kind, kept in choice.more.items()}
            adds_up = all(map(is_serial, (base, *more.values())))  # equal layers add equal kernels
            if known or adds_up or choice.agrees(base, more, self._compiled(groups, choice.check)):
                self._least[self._alike(groups)] = (least,)
                found = choice.extrapolated(base, more)
                return found if self.alone or fits(found) else None
        self._least[self._alike(groups)] = ()
        return None

    def _alike(self, groups: Sequence[Group]) -> object:
        return self.types, _sizes(groups)

    def programs(self, groups: tuple[Group, ...]) -> Iterator[tuple[float, ModuleOp]]:
        """The compiled programs of a step, whose times and energies, each times a factor, add up to those of the
        step."""
        self.figures(*groups)
        least = self._least.get(self._alike(groups), ())
        choice = LayerChoice.of(self.model.layers, least[0]) if least and fits(self.figures(*groups)) else None
        if choice is None:
            yield 1.0, self._program(groups, None)
            return
        yield 1.0 - sum(choice.left.values()), self._program(groups, choice.base)
        for kind, kept in choice.more.items():
            yield float(choice.left[kind]), self._program(groups, kept)

    def _compiled(self, groups: Sequence[Group], layers: Sequence[int] | None) -> Figures:
        self.counted["programs"] += 1
        self.counted["whole"] += layers is None
        program = self._program(groups, layers)
        with baselines_unread(), self._trusting():
            return figures_of(program, self.alone)

    def _program(self, groups: Sequence[Group], layers: Sequence[int] | None) -> ModuleOp:
        working(f"compiling a step of {' and '.join(map(in_words, groups))}")
        program = self.model.program(groups, layers, self.types or None)
        compiler = self.compilers[self.types is not None]
        compiler.equip(program)
        with notes_to(self._keep), baselines_unread(), self._trusting():
            compiler.apply(program)
        return program

    def _trusting(self) -> AbstractContextManager[None]:
        """A context without search for hazards, if no bank program can be somebody's own."""
        return trusting_programs() if self.model.has_chunks else nullcontext()

    @cached_property
    def compilers(self) -> tuple[Compiler, Compiler]:
        """The compiler of steps, and the one that keeps element types, for steps whose types are known from others.
        Programs are not verified between passes, as they differ in sizes only."""
        registry = ndpir._registry()  # pyright: ignore[reportPrivateUsage]
        kept = replace(self.request, keep_types=True)
        return Compiler(self.request, registry, verifies=False), Compiler(kept, registry, verifies=False)

    def _keep(self, message: str, place: str | None) -> None:
        """Keep the first note of a kind: programs of all steps have the same."""
        self.notes.setdefault(message.partition(",")[0], message)


def in_words(group: Group) -> str:
    """A group as text: `16 sequences, 1 new token behind 2047`."""
    return f"{group.sequences} sequences of {group.new} new tokens behind {group.cached}"


@dataclass(frozen=True)
class LayerChoice:
    """The layers of programs from which the figures of all layers follow: `base` has some layers of each kind, `more`
    one more of a kind, for each kind, and `check` two more of each. `left`, `held`: the number of layers of
    each kind that `base` lacks, and that it has."""

    base: tuple[int, ...]
    more: Mapping[object, tuple[int, ...]]
    check: tuple[int, ...]
    left: Mapping[object, int]
    held: Mapping[object, int]

    @staticmethod
    def of(kinds: Sequence[object], least: int) -> LayerChoice | None:
        """The choice with `least` layers of each kind in `base`; None if it would save little."""
        numbers = defaultdict[object, list[int]](list)
        for number, kind in enumerate(kinds):
            numbers[kind].append(number)
        base = sorted(number for each in numbers.values() for number in each[:least])
        further = {kind: each[least:] for kind, each in numbers.items() if len(each) > least}
        more = {kind: tuple(sorted([*base, each[0]])) for kind, each in further.items()}
        check = sorted([*base, *(number for each in further.values() for number in each[:2])])
        if not more or len(base) + sum(map(len, more.values())) + len(check) > 2 * len(kinds) // 3:
            return None
        return LayerChoice(
            tuple(base),
            more,
            tuple(check),
            {kind: len(each) for kind, each in further.items()},
            dict.fromkeys(more, least),
        )

    def agrees(self, base: Figures, more: Mapping[object, Figures], check: Figures) -> bool:
        """True if the times of `check` are those that the other programs foretell."""
        added = sum(min(left, 2) * (more[kind]["ns"] - base["ns"]) for kind, left in self.left.items())
        return abs(check["ns"] - base["ns"] - added) <= AGREES * added

    def extrapolated(self, base: Figures, more: Mapping[object, Figures]) -> Figures:
        """The figures of all layers, from those of the programs."""
        found = {name: value for figures in (*more.values(), base) for name, value in figures.items()}
        for name in [*found]:
            if name.split()[0] not in FIXED:
                each = {kind: figures.get(name, 0.0) - base.get(name, 0.0) for kind, figures in more.items()}
                found[name] = base.get(name, 0.0) + sum(left * each[kind] for kind, left in self.left.items())
                if name in ("ns", "nj"):
                    found[f"once {name}"] = base[name] - sum(self.held[kind] * each[kind] for kind in each)
        return found


def is_serial(figures: Figures) -> bool:
    """True for a step on a machine with one device that computes, whose kernels run one after another."""
    return figures["devices"] == 1 and abs(figures["serial ns"] - figures["ns"]) <= SERIAL * figures["ns"]


def devices_of(figures: Figures) -> list[str]:
    """The devices with memory, the primary one first."""
    return [name.removeprefix("capacity ") for name in figures if name.startswith("capacity ")]


def fits(figures: Figures) -> bool:
    """True if each device's memory holds what the step needs of it."""
    return all(figures.get(f"memory {name}", 0.0) <= figures[f"capacity {name}"] for name in devices_of(figures))


def figures_of(placed: ModuleOp, alone: bool = False) -> Figures:
    """The figures of a compiled program. `alone`: it may run on the primary device alone."""
    run = Run(placed)
    timeline, machine = run.timeline, run.clock.machine
    found = defaultdict[str, float](float)
    found["devices"] = 1 if alone else sum(not device.runs_nothing for device in machine.devices.values())
    found["ns"] = timeline.makespan_ns
    found["nj"] = timeline.board_nj if timeline.metered else timeline.total_energy_nj
    for event, times, _ in timeline.tasks():
        record = None if event.is_copy else machine.devices[event.resource]
        launch = 0.0 if record is None else min(record.launch_ns, event.cost.ns)
        found["kernels"] += times * (record is not None and event.cost.ns > 0)
        found[f"part {LAUNCHES}"] += times * launch
        part = part_of(event)
        found[f"part {part}"] += times * (event.cost.ns - launch)
        found["serial ns"] += times * event.cost.ns
        if part == ATTENTION:
            found["attention ns"] += times * event.cost.ns
            found["attention nj"] += times * (event.cost.board_nj if timeline.metered else event.cost.energy_nj)
    for name in sorted(machine.devices, key=lambda name: name != machine.primary):
        found[f"capacity {name}"] = machine.devices[name].memory_bytes
    for name, need in timeline.memory.items():
        found[f"memory {name}"] = need.total
        found[f"weights {name}"] = need.resident
    for state in states_of(entry_of(placed)):
        if isinstance(state.type, OnType):
            found[f"states {state.type.place}"] += byte_count(state.type.tensor)
    noted = run.prediction
    if noted is not None and noted.bound is not None:
        found["above"] = above_recorded(timeline, noted.bound.ns, noted, "any placement") or 0.0
    return dict(found)
