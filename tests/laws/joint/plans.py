"""Random executable plans of small programs on a GPU with a second and a third device and host memory: each op on a
random device, inputs of other devices as streams or not, arguments that rest on other devices, ops that run again, and
moves between memories as the compiler plans them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError, notes_to
from interp.kinds.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.simulate.program_trace import trace_of
from interp.simulate.schedule.routes import Copy
from interp.simulate.simulation import simulate
from interp.walk.entry import entry_of
from lowering.banks.templates import clock_for
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import Options
from lowering.instance.problem import Problem, Schedule
from lowering.memory.recompute import Reruns
from lowering.memory.rerunning import carry_out, runs_again
from lowering.optimise.policies import POLICIES
from lowering.tasks.placing import place_in_parts
from lowering.tasks.short import with_moves
from tests.laws.memory.beside import Second, drawn, short_memory
from tests.programs import parse

BEHIND = Options(behind=True)


class Short:
    """A random program whose GPU has too little memory for it. `text`: its text, for a machine with one or two devices
    beside the GPU."""

    def __init__(self, seed: int, most: int = 9) -> None:
        self.random = Random(f"joint {seed}")
        second: Second = self.random.choice(("pim", "ndp"))
        program = drawn(seed, second, most=most, marks=False)
        memory = short_memory(program, self.random.choice((0.0, 0.05, 0.3, 0.6, 0.9)))
        self.text = "" if memory is None else program.text(memory)
        if self.random.random() < 0.4:
            other, link = (
                ("pim", "toy_link") if second == "ndp" else ("ndp", self.random.choice(("toy_link", "same_memory")))
            )
            more = f'hw.device @{other} = "toy_{other}"\nhw.link @gpu to @{other} = "{link}"\n'
            at = self.text.find("func.func")
            self.text = self.text[:at] + more + self.text[at:] if self.text else ""

    def problem(self) -> tuple[PlacementProblem, MemorySystem]:
        """The placement problem, and the memory system of the GPU."""
        module = parse(self.text)
        clock = clock_for(module)
        system = MemorySystem.of(clock.machine)
        assert system is not None
        return PlacementProblem(entry_of(module), clock, BEHIND), system

    def times(self, count: int) -> Iterator[tuple[float, str]]:
        """The times in ns of random plans, of those that can be carried out and become steady, each with its text."""
        for _ in range(count):
            module = parse(self.text)
            clock = clock_for(module)
            try:
                with notes_to(lambda message, at: None):
                    found = self._carried_out(module, clock)
            except InputError:
                continue
            if found is not None:
                yield found

    def _carried_out(self, module: ModuleOp, clock: Clock) -> tuple[float, str] | None:
        POLICIES["random"] = self._decided
        try:
            place_in_parts(entry_of(module), clock, "random", BEHIND)
        finally:
            del POLICIES["random"]
        if self.random.random() < 0.5:
            self._run_again(module, clock)
        function = entry_of(module)
        planned, timeline = with_moves(function, clock)
        if timeline.residence is not None and not timeline.residence.steady:
            return None
        return timeline.makespan_ns, str(planned)

    def _decided(self, problem: Problem) -> Schedule:
        draw = self.random
        stays = draw.random()
        placement = [
            home if (home := node.on(problem.primary)) and draw.random() < stays else draw.choice(node.choices)
            for node in problem.nodes
        ]
        others = [device for device in problem.workers if device != problem.primary]
        moved = {value: draw.choice(others) for value in problem.movable if others and draw.random() < 0.4}
        schedule = Schedule(placement, input_devices=moved)
        part = draw.choice((0.0, 0.5, 1.0))
        steps, jobs = problem.walk(placement, moved), problem.jobs(placement, moved)
        streams: list[tuple[int, int]] = []
        for number, job in enumerate(jobs):
            for other in job.after:
                taker, maker = steps[number][1], steps[other][1]
                source = (
                    taker.source
                    if isinstance(taker, Copy)
                    else maker.source
                    if isinstance(maker, Copy)
                    else maker.device
                )
                target = taker.target if isinstance(taker, Copy) else taker.device
                if draw.random() < part and problem.clock.machine.streams(source, target):
                    streams.append((number, other))
        return replace(schedule, streams=tuple(streams))

    def _run_again(self, module: ModuleOp, clock: Clock) -> None:
        """Let random ops of the GPU run again before later uses of their results."""
        program = trace_of(module, clock)
        trace = replace(program.trace, concurrency=None)
        ended = max((number + 1 for number, op in enumerate(program.ops) if op is not None), default=0)
        reruns = Reruns(trace, able=lambda kernel: runs_again(program, kernel), last=ended)
        chosen = [unit for unit in reruns.candidates if self.random.random() < 0.5]
        found = reruns.run(chosen)
        if found.reruns:
            carry_out(entry_of(module), program, reruns, found)


def alone(short: Short) -> float:
    """The time in ns of a program whose ops all run on the GPU, with the moves that the compiler plans."""
    module = parse(short.text)
    clock = clock_for(module)
    with notes_to(lambda message, at: None):
        place_in_parts(entry_of(module), clock, "gpu", BEHIND)
        return simulate(with_moves(entry_of(module), clock)[0], clock).makespan_ns
