"""Simulation of the steps of a serving engine: which sequences and chunks of prompts share a step, until all requests
are answered.

A client keeps a number of requests in flight (a closed loop): as soon as one ends, it sends the next. With as many
requests in all as in flight, this is a static batch, which starts and ends together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, inf
from statistics import fmean
from typing import NamedTuple, Protocol

import numpy as np

from interp.machine.engine import Engine


class Chunk(NamedTuple):
    """A part of a prompt: `new` tokens, which a step processes, behind `cached` ones."""

    new: int
    cached: int


class Spent(NamedTuple):
    """Time in ns and energy in nJ."""

    ns: float
    nj: float


class StepTimes(Protocol):
    """Times and energies of steps on a machine, without the host's time."""

    def decoding(self, sequences: int, context: float, steps: int) -> Spent:
        """The sum over `steps` steps in which each of `sequences` gets one token. `context`: the mean number of tokens
        of a sequence in the first step, the new one included; it grows by one with each step."""
        ...

    def with_prompts(self, sequences: int, context: float, chunks: Sequence[Chunk]) -> Spent:
        """One step with chunks of prompts, in which `sequences` get one token each; `context` as for `decoding`."""
        ...


@dataclass(frozen=True)
class Load:
    """The requests of a client. Lengths are ranges (least, most), from which they are drawn evenly."""

    concurrency: int
    """The number of requests in flight."""
    prompt: tuple[int, int]
    output: tuple[int, int]
    requests: int
    """The number of requests in all."""
    together: bool = False
    """True if the first tokens of all requests come with the last of them, as in a static batch."""
    hits: float = 0.0
    """The share of each prompt whose keys and values earlier requests left in the caches."""
    seed: int = 0

    def lengths(self) -> tuple[list[int], list[int]]:
        """The lengths of prompts and outputs of all requests."""
        random = np.random.default_rng(self.seed)
        drawn = (
            random.integers(low, high + 1, self.requests) if high > low else np.full(self.requests, low)
            for low, high in (self.prompt, self.output)
        )
        prompts, outputs = drawn
        return [int(n) for n in prompts], [int(n) for n in outputs]


@dataclass
class Served:
    """Time and energy of a run of an engine, and of its requests. Times in ns, energy in nJ."""

    first_ns: list[float] = field(default_factory=list[float])
    """For each request, the time to its first token."""
    token_ns: list[float] = field(default_factory=list[float])
    """For each request with two or more tokens, its time per further token."""
    tokens: int = 0
    """The number of tokens of all answers."""
    ns: float = 0.0
    nj: float = 0.0
    host_ns: float = 0.0
    """The host's time in all steps."""
    prompts_ns: float = 0.0
    """The time of steps with prompts."""
    steps: int = 0

    @property
    def mean_token_ms(self) -> float:
        """The mean time per further token, ms."""
        return fmean(self.token_ns) / 1e6


@dataclass
class _Request:
    sent_ns: float
    arrives_ns: float
    """The time from which a step can be formed with it."""
    prompt: int
    output: int
    done: int = 0
    """The number of tokens of the prompt that were processed."""
    first_ns: float = 0.0
    """The end of the step that made the first token."""


def serve(load: Load, engine: Engine, times: StepTimes, room: float = np.inf) -> Served:
    """Serve all requests of a load. `room`: the number of tokens that the caches hold; a request is admitted only if
    its whole prompt and output find room."""
    prompts, outputs = load.lengths()
    run = _Run(engine, times, room, deque(zip(prompts, outputs, strict=True)), load)
    for _ in range(min(load.concurrency, load.requests)):
        run.send()
    while run.waiting or run.decoding:
        run.step()
    return run.served


class _Run:
    """The state of an engine: requests that wait, that have chunks of their prompts processed, and that decode."""

    def __init__(
        self, engine: Engine, times: StepTimes, room: float, coming: deque[tuple[int, int]], load: Load
    ) -> None:
        self.engine, self.times, self.room, self.coming, self.load = engine, times, room, coming, load
        self.processed: list[_Request] = []
        """Requests whose prompts are processed, but whose answers have not begun."""
        self.now = 0.0
        self.formed = 0.0
        """The time at which the next step is formed: when the one before it starts, or when that ends."""
        self.waiting = deque[_Request]()
        """Requests with unprocessed tokens of their prompts, in the order in which they were sent."""
        self.decoding: list[_Request] = []
        self.left: list[int] = []
        """For each request that decodes, the number of tokens that it still lacks."""
        self.cached = 0
        """The number of tokens in the caches of requests that decode."""
        self.served = Served()

    def send(self) -> None:
        """The client sends its next request, if it has one."""
        if self.coming:
            prompt, output = self.coming.popleft()
            request = _Request(self.now, self.now + self.engine.request_ns, prompt, output)
            request.done = min(int(prompt * self.load.hits), prompt - 1)  # the last token makes the first of the answer
            self.waiting.append(request)

    def step(self) -> None:
        """Run a step with prompts, or as many steps without prompts as pass until the next request arrives or ends."""
        if not self.decoding:
            self.formed = self.now = max(self.now, self.waiting[0].arrives_ns)
        if chunks := self.chosen():
            self.prompt_step(chunks)
        else:
            self.decode(int(min(*self.left, self.until_arrival())))

    def until_arrival(self) -> float:
        """The number of steps without prompts before one can be formed with the next request that has not arrived."""
        if not self.waiting or self.waiting[0].arrives_ns <= self.formed:
            return inf
        spent = self.times.decoding(len(self.decoding), self.context(), 1)
        each = spent.ns * self.engine.kernels + self.engine.host_ns(len(self.decoding), 0)
        ahead = self.waiting[0].arrives_ns - self.now  # below 0: it arrived during the step that has just ended
        return max(ceil(ahead / each), 0) + self.engine.overlaps

    def chosen(self) -> list[tuple[_Request, Chunk]]:
        """The chunks of prompts of the next step: in the order of the requests, as many tokens as a step takes."""
        mixed = len(self.decoding) if self.engine.mixes else 0
        budget, running = self.engine.tokens - mixed, len(self.decoding)
        taken = sum(request.prompt + request.output for request in self.decoding)
        found: list[tuple[_Request, Chunk]] = []
        for request in self.waiting:
            taken += request.prompt + request.output
            running += 1
            full = running > self.engine.sequences or (taken > self.room and running > 1)
            if request.arrives_ns > self.formed or budget <= 0 or full:
                break
            new = min(budget, request.prompt - request.done)
            found.append((request, Chunk(new, request.done)))
            budget -= new
        return found

    def prompt_step(self, chosen: Sequence[tuple[_Request, Chunk]]) -> None:
        """One step with chunks of prompts."""
        mixed = len(self.decoding) if self.engine.mixes else 0
        spent = self.times.with_prompts(mixed, self.context() if mixed else 0.0, [chunk for _, chunk in chosen])
        self.passed(spent, self.engine.host_ns(mixed, len(chosen)), 1)
        self.served.prompts_ns += spent.ns * self.engine.kernels + self.engine.host_ns(mixed, len(chosen))
        if mixed:
            self.advance(1)
        for request, chunk in chosen:
            request.done += chunk.new
            if request.done == request.prompt:
                self.waiting.remove(request)
                self.processed.append(request)
        if not (self.load.together and self.waiting):
            for request in self.processed:
                self.answer_begins(request)
            self.processed.clear()
        self.end_finished()

    def decode(self, steps: int) -> None:
        """Steps without prompts."""
        spent = self.times.decoding(len(self.decoding), self.context(), steps)
        self.passed(spent, self.engine.host_ns(len(self.decoding), 0) * steps, steps)
        self.advance(steps)
        self.end_finished()

    def context(self) -> float:
        """The mean number of tokens of a sequence that decodes, the new one included."""
        return self.cached / len(self.decoding) + 1

    def passed(self, spent: Spent, host_ns: float, steps: int) -> None:
        took = spent.ns * self.engine.kernels + host_ns
        self.now += took
        self.formed = self.now - took / steps if self.engine.overlaps else self.now
        self.served.ns = self.now
        self.served.nj += spent.nj
        self.served.host_ns += host_ns
        self.served.steps += steps

    def advance(self, steps: int) -> None:
        """Each request that decodes has got a token in each of `steps` steps."""
        self.left = [left - steps for left in self.left]
        self.cached += steps * len(self.decoding)
        self.served.tokens += steps * len(self.decoding)

    def answer_begins(self, request: _Request) -> None:
        """The step that has ended made the first token of a request."""
        request.first_ns = self.now
        self.served.first_ns.append(self.now - request.sent_ns)
        self.served.tokens += 1
        self.decoding.append(request)
        self.left.append(request.output - 1)
        self.cached += request.prompt

    def end_finished(self) -> None:
        """End the requests that have all of their tokens; the client sends a new request for each."""
        ended = [index for index, left in enumerate(self.left) if left <= 0]
        for request in [self.decoding[index] for index in ended]:
            self.cached -= request.prompt + request.output - 1
            if request.output > 1:
                self.served.token_ns.append((self.now - request.first_ns) / (request.output - 1))
            self.send()
        for index in reversed(ended):
            del self.decoding[index], self.left[index]
