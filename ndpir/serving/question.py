"""The question of `ndp-serve`: a model, a machine, an engine, and the loads for which it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dialects.diagnostics import InputError
from interp.machine.engine import Engine
from interp.machine.sheets.files import load_engine
from ndpir.compiler.compilation import Request
from ndpir.serving.batching import Load

TURNS = 4
"""The number of requests in a closed loop, relative to those in flight, if the question does not state it."""
LARGEST = 1 << 24
"""The largest length and batch that are taken for one and not for a mistake."""


@dataclass(frozen=True)
class Question:
    """The question how a machine serves a model, for each combination of `batches`, `prompts` and `outputs`."""

    model: tuple[str, ...]
    """The path of a `config.json`, of a decode step, or of a decode and a prefill step."""
    request: Request
    """The machine, and the pipeline that compiles each step."""
    batches: tuple[int, ...] = (1,)
    """Numbers of sequences that are answered at a time."""
    prompts: tuple[int, ...] = (2048,)
    """Lengths of prompts in tokens."""
    outputs: tuple[int, ...] = (256,)
    """Lengths of answers in tokens."""
    engine: str = "none"
    """An engine by name or by the path of its sheet."""
    engine_settings: Mapping[str, int | float | str] = field(default_factory=dict[str, int | float | str])
    """Changed fields of the engine's sheet."""
    least: float = 1.0
    """The shortest prompt and answer as a fraction of the longest; lengths are drawn evenly between both."""
    requests: int | None = None
    """The number of requests in all. Default: with an engine four times those in flight, each of which is replaced
    when it ends; without, as many as in the batch."""
    hits: float = 0.0
    """The share of each prompt whose keys and values are in the caches already (prefix caching)."""
    types: Mapping[str, str] = field(default_factory=dict[str, str])
    """Element types that differ from those of the config: `weights`, `cache`, `activations`."""
    dollars_per_hour: float | None = None
    """The price of the machine, from which the cost of a million tokens follows."""

    def checked(self) -> Question:
        """The question itself. Raises InputError for lengths and numbers that no run can have."""
        for name, values in (("batch", self.batches), ("prompt", self.prompts), ("output", self.outputs)):
            for value in values:
                if not 1 <= value <= LARGEST:
                    raise InputError(f"{name} is {value}, but must be a whole number from 1 to {LARGEST:,}")
        if not 0 < self.least <= 1:
            raise InputError(f"the shortest length is {self.least:g} of the longest, but must be above 0 and at most 1")
        if not 0 <= self.hits <= 1:
            raise InputError(f"caches hold {self.hits:g} of each prompt, but must hold a share from 0 to 1")
        if self.requests is not None and self.requests < max(self.batches):
            message = f"{self.requests} requests in all can't keep {max(self.batches)} in flight"
            raise InputError(f"{message}; ask for more requests, or for smaller batches")
        return self

    def resolved_engine(self) -> Engine:
        """The engine's record."""
        return load_engine(self.engine, self.engine_settings)

    def load(self, batch: int, prompt: int, output: int) -> Load:
        """The requests of a client for one point."""
        one_batch = batch if self.engine == "none" else TURNS * batch
        least = [max(round(self.least * length), 1) for length in (prompt, output)]
        together = self.engine == "none" and self.requests is None
        lengths = (least[0], prompt), (least[1], output)
        return Load(batch, *lengths, self.requests or one_batch, together, self.hits)

    def points(self) -> Sequence[tuple[int, int, int]]:
        """All points: batch, prompt, output."""
        return [(b, p, o) for p in self.prompts for o in self.outputs for b in self.batches]
