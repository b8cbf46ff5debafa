"""The answer of `ndp-serve`: latency, throughput, energy and memory of each load, on a machine and on its GPU alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from statistics import fmean

from dialects.diagnostics import InputError, note, working
from interp.machine.engine import Engine
from ndpir.frontends.configs import Group
from ndpir.serving.batching import Load, Served, StepTimes, serve
from ndpir.serving.depends import Dependence, dependences
from ndpir.serving.parts import HOST, PARTS
from ndpir.serving.question import Question
from ndpir.serving.serial import SerialTimes
from ndpir.serving.steps import Figures, StepModel, Steps, devices_of, is_serial
from ndpir.serving.times import CompiledTimes


@dataclass(frozen=True)
class Rates:
    """Latency and throughput as a client sees them, and their cost."""

    first_ns: float | None
    """Time to the first token (TTFT), ns, the mean over requests; None if there is no graph of prompts."""
    token_ns: float
    """Time per further token (TPOT), ns, the mean over requests."""
    tokens_per_s: float
    """Tokens of all answers per second, prompts included in the time if there is a graph of them."""
    nj_per_token: float
    """Energy per token of the answers, nJ, that of the prompts included."""
    dollars_per_million: float | None = None
    """The price of a million tokens of answers, for a price of the machine per hour."""


@dataclass(frozen=True)
class Point:
    """The answer for one load."""

    batch: int
    prompt: int
    output: int
    rates: Rates | None = None
    alone: Rates | None = None
    """The same on the machine's primary device alone; None if it is the only one that computes."""
    alone_fits: bool = True
    """True if the memory of the primary device alone holds the load."""
    speed_up: float | None = None
    """Tokens per second relative to the primary device alone."""
    above: float | None = None
    """The fraction by which a decode step is above a lower bound on the time of all placements."""
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    """The busy time of each part of a decode step at the mean context, ns; parts on different devices overlap."""
    step_ns: float = 0.0
    """The time of this step, ns, with the host's."""
    kernels: int = 0
    """The number of kernels of this step."""
    memory: Mapping[str, float] = field(default_factory=dict[str, float])
    """Bytes that each device's memory holds at the longest context."""
    capacity: Mapping[str, float] = field(default_factory=dict[str, float])
    states: Mapping[str, float] = field(default_factory=dict[str, float])
    """Bytes of the caches in each device's memory at the longest context."""
    largest_batch: int = 0
    """The largest batch of these lengths for which all memories together have room."""
    error: str | None = None
    """The reason why there is no answer."""


@dataclass(frozen=True)
class Answer:
    """The answers for all loads of a question."""

    model: str
    machine: str
    engine: str
    engine_facts: str
    """The engine in words."""
    pipeline: str
    points: tuple[Point, ...]
    steps: int
    """The number of different steps that were simulated; all others are interpolated."""
    programs: int
    """The number of programs that were compiled for them."""
    whole: int
    """The number of these with all layers of the model."""
    notes: tuple[str, ...] = ()
    """Notes of the compiler on these programs, one of each kind."""
    depends: tuple[Dependence, ...] = ()
    """The assumptions on which the decode step of the last load depends."""


def answered(question: Question, model: StepModel, name: str) -> Answer:
    """The answer of a question about a model. Raises InputError for a question that contradicts itself."""
    question.checked()
    engine = question.resolved_engine()
    if not model.has_chunks:
        if engine.mixes:
            raise InputError(
                f"the engine {engine.name} mixes prompts with sequences that decode, which takes a config.json; an "
                "exported graph can be served by --engine none"
            )
        engine = replace(engine, tokens=max(engine.tokens, *question.prompts))
    request = question.request
    if request.library is None and engine.library:
        request = replace(request, library=engine.library)
    serving = _Serving(question, engine, Steps(model, request))
    serving.steps.check()  # a wrong name is no load that does not fit
    longest = max(question.prompts) + max(question.outputs)
    if model.context is not None and longest > model.context:
        note(f"{name} is published for sequences of at most {model.context} tokens, and is asked for {longest}")
    points = tuple(serving.point(*each) for each in question.points())
    counted = serving.steps.counted
    return Answer(
        name,
        str(request.machine),
        engine.name,
        engine.description,
        str(request.passes) + (f" -O{request.effort}" if request.effort else ""),
        points,
        counted["steps"],
        counted["programs"],
        counted["whole"],
        tuple(serving.steps.notes.values()),
        serving.depends(points),
    )


@dataclass
class _Serving:
    """A question about a model, with the steps that are known so far."""

    question: Question
    engine: Engine
    steps: Steps
    _serial: dict[tuple[bool, str | None], SerialTimes] = field(
        default_factory=dict[tuple[bool, str | None], SerialTimes]
    )
    """The times of the steps of all loads on a device that runs one kernel after another, by the types."""

    def point(self, batch: int, prompt: int, output: int) -> Point:
        """The answer for one load."""
        point = Point(batch, prompt, output)
        working(f"batch {batch}, prompt {prompt}, output {output}")
        try:
            return self.served(point, self.question.load(batch, prompt, output))
        except InputError as error:
            return self.refused(point, error)

    def served(self, point: Point, load: Load) -> Point:
        """The answer for a load, whose batch must find room. Raises InputError if it does not."""
        longest, engine, price = point.prompt + point.output, self.engine, self.question.dollars_per_hour
        group = Group(point.batch, 1, longest - 1)
        self.steps.choose_types(group)
        fullest = self.steps.figures(group)
        room = room_for(fullest, point.batch, longest, engine)
        if room < point.batch and engine.name == "none":
            raise InputError(f"the caches of {point.batch} sequences of {longest} tokens find no room in memory")
        times = self.times(self.steps, fullest, load)
        served = serve(load, engine, times, room * longest if engine.name != "none" else inf)
        rates = rates_of(served, price, self.steps.model.has_prompts)
        middle = self.steps.figures(self.middle(point))
        host_ns = engine.host_ns(point.batch, 0)
        found = replace(
            point,
            rates=rates,
            above=middle.get("above"),
            parts={part: ns for part in PARTS if (ns := middle.get(f"part {part}", host_ns * (part == HOST)))},
            step_ns=middle["ns"] * engine.kernels + host_ns,
            kernels=round(middle["kernels"]),
            memory=self.held(fullest, point),
            capacity=_by_device(fullest, "capacity"),
            states=_by_device(fullest, "states"),
            largest_batch=room,
        )
        return found if fullest["devices"] == 1 else self.beside_alone(found, load)

    def beside_alone(self, point: Point, load: Load) -> Point:
        """The answer with that of the primary device alone, if this can run the load."""
        assert point.rates is not None
        group = Group(point.batch, 1, point.prompt + point.output - 1)
        try:
            self.alone.choose_types(group)
            fullest = self.alone.figures(group)
        except InputError:  # of an exported graph that the primary device does not hold
            return replace(point, alone_fits=False)
        served = serve(load, self.engine, self.times(self.alone, fullest, load))
        rates = rates_of(served, self.question.dollars_per_hour, self.steps.model.has_prompts)
        primary, *_ = devices_of(fullest)
        return replace(
            point,
            alone=rates,
            alone_fits=fullest.get(f"memory {primary}", 0.0) <= fullest[f"capacity {primary}"] * self.engine.memory,
            speed_up=point.rates.tokens_per_s / rates.tokens_per_s,
        )

    def held(self, figures: Figures, point: Point) -> Mapping[str, float]:
        """The bytes that each device holds: what a decode step needs there, and the weights of the steps of prompts, as
        far as these use them on other devices than decode steps."""
        held = dict(_by_device(figures, "memory"))
        if not self.steps.model.has_prompts or len(devices_of(figures)) < 2:
            return held
        prompts = self.steps.figures(Group(1, min(point.prompt, self.engine.tokens)))
        decoding, prompting = (_by_device(each, "weights") for each in (figures, prompts))
        whole = max(sum(decoding.values()), sum(prompting.values()))
        for name, nbytes in prompting.items():
            own = decoding.get(name, 0.0)
            held[name] = held.get(name, 0.0) + min(own + nbytes, whole) - own
        return held

    @cached_property
    def alone(self) -> Steps:
        """The steps on the machine's primary device alone, at its best."""
        request = replace(self.steps.request, passes="gpu-only", effort=None)
        return Steps(self.steps.model, request, alone=True, counted=self.steps.counted)

    def times(self, steps: Steps, figures: Figures, load: Load) -> StepTimes:
        """The times of all steps of a load. `figures`: those of one of them."""
        if not is_serial(figures) or "once ns" not in figures or not steps.model.has_chunks:
            return CompiledTimes(steps, load, self.engine.tokens)
        key, asked = (steps.alone, steps.types), self.question
        if key not in self._serial:
            longest = max(asked.prompts) + max(asked.outputs)
            self._serial[key] = SerialTimes(steps, longest, self.engine.tokens)
        return self._serial[key]

    def depends(self, points: Sequence[Point]) -> tuple[Dependence, ...]:
        """The assumptions on which the decode step of the last load depends."""
        for point in reversed(points):
            if point.rates is not None:
                working("sensitivity to assumptions")
                return tuple(dependences(self.steps, self.middle(point)))
        return ()

    def middle(self, point: Point) -> Group:
        """The decode step of a load at the mean context."""
        return Group(point.batch, 1, point.prompt + (point.output + 1) // 2 - 1)

    def refused(self, point: Point, error: InputError) -> Point:
        """A point without an answer, with the largest batch for which there is room."""
        try:
            longest = point.prompt + point.output
            room = room_for(self.steps.figures(Group(1, 1, longest - 1)), 1, longest, self.engine)
        except InputError as alone:
            if alone.message == error.message:
                return replace(point, error=error.message)
            room = 0
        most = f"the largest batch of this length that fits is {room}" if room else "not even one sequence fits"
        return replace(point, largest_batch=room, error=f"{error.message}; {most}")


def rates_of(served: Served, price: float | None = None, has_prompts: bool = True) -> Rates:
    """Latency, throughput and cost of a run. `price`: of the machine, dollars per hour."""
    per_s = served.tokens / served.ns * 1e9
    return Rates(
        fmean(served.first_ns) if has_prompts else None,
        fmean(served.token_ns) if served.token_ns else 0.0,
        per_s,
        served.nj / served.tokens,
        None if price is None else price / 3600 / per_s * 1e6,
    )


def room_for(figures: Figures, batch: int, longest: int, engine: Engine) -> int:
    """The number of sequences of `longest` tokens for which all memories that hold caches have room, by the figures of
    a step of `batch` of them: weights stay where they are, caches and activations grow with the sequences."""
    holders = [name for name in devices_of(figures) if figures.get(f"memory {name}", 0.0)]
    free = sum(figures[f"capacity {name}"] * engine.memory - figures.get(f"weights {name}", 0.0) for name in holders)
    each = sum(figures[f"memory {name}"] - figures.get(f"weights {name}", 0.0) for name in holders) / batch
    return max(int(free // each), 0) if each else batch


def _by_device(figures: Figures, word: str) -> Mapping[str, float]:
    return {name: figures[f"{word} {name}"] for name in devices_of(figures) if f"{word} {name}" in figures}
