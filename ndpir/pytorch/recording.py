"""The record of a run that a backend of `torch.compile` keeps: the graphs, their calls, and the time spent inside
and outside of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any


@dataclass(eq=False)
class Graph:
    """A traced graph of ATen ops. `kind`: `inference`, `forward` or `backward`; `parameters`: the titles of its inputs
    that are parameters or buffers of the model, by the placeholder's name; `options`: the machine and the passes."""

    module: Any
    kind: str
    parameters: Mapping[str, str]
    options: Options
    calls: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Options:
    """The machine and the passes with which a graph is compiled, as `ndpir.compile` takes them."""

    machine: str | None = None
    passes: str = "offload"
    library: str | None = None
    settings: Sequence[str] = ()


@dataclass
class Recording:
    """The graphs of all models that were compiled since the last `reset`, in the order of their first call."""

    graphs: list[Graph] = field(default_factory=list[Graph])
    between: float = 0.0
    """Seconds between the ends of calls and the beginnings of the next ones, without compilation: time that no graph
    shows."""
    _last_end: float | None = None
    _first: Graph | None = None
    _compiling: float = 0.0
    _compiled_since: float = 0.0
    _started: float | None = None

    def began(self, graph: Graph) -> float:
        """Note the beginning of a call; returns the time."""
        now = perf_counter()
        if self._first is None:
            self._first = graph
        if graph is not self._first and self._last_end is not None:
            self.between += max(now - self._last_end - self._compiled_since, 0.0)
        self._compiled_since = 0.0
        return now

    def ended(self, graph: Graph, began: float) -> None:
        """Note the end of a call."""
        now = perf_counter()
        graph.calls += 1
        graph.seconds += now - began
        self._last_end = now

    def compiling(self, *_: object) -> None:
        """Note that PyTorch begins to compile."""
        if self._started is None:
            self._started = perf_counter()

    def compiled(self, *_: object) -> None:
        """Note that PyTorch ends to compile."""
        if self._started is not None:
            self._compiled_since += perf_counter() - self._started
            self._started = None
