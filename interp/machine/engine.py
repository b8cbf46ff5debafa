"""The record of a serving engine: how it forms steps from requests, and the host's time that GPUs wait for."""

from __future__ import annotations

from dataclasses import dataclass

from interp.machine.device import Sheet


@dataclass(frozen=True, kw_only=True, eq=False)
class Engine(Sheet):
    """A serving engine, such as vLLM: the limits of its steps, and at most five fitted numbers (`step_ns` to
    `request_ns`)."""

    tokens: int
    """The number of new tokens that a step processes at most; longer prompts are divided into chunks."""
    sequences: int
    """The number of sequences that run at a time at most; further requests wait."""
    mixes: bool
    """True if a step holds both chunks of prompts and sequences that decode; otherwise prompts have steps of their
    own, for which decoding pauses."""
    overlaps: bool = False
    """True if a step is formed while the one before it runs: a request that arrives then waits for the end of both."""
    merges: bool = False
    """True if products of the same values are one kernel: those of queries, keys and values, and of gate and up."""
    library: str = ""
    """The library whose kernels the engine runs; empty: the one of the GPU's sheet."""
    memory: float = 1.0
    """The share of the memory of devices that weights, caches and activations may take."""
    step_ns: float = 0.0
    """The host's time for a step, ns, as far as the devices wait for it."""
    prompts_ns: float = 0.0
    """More of this time, ns, for a step with prompts, which replays no captured graph of kernels."""
    sequence_ns: float = 0.0
    """More of this time, ns, for each sequence of a step."""
    kernels: float = 1.0
    """The time of the devices' work in a step, relative to its kernels as benchmarks of the library measure them."""
    request_ns: float = 0.0
    """The time that passes before a request that was sent can be part of a step, ns."""

    def host_ns(self, sequences: int, prompts: int) -> float:
        """The host's time for a step with `sequences` that decode and chunks of `prompts`, ns."""
        return self.step_ns + (self.prompts_ns if prompts else 0.0) + self.sequence_ns * (sequences + prompts)
