"""Times and energies of all steps of an engine, from few compiled steps: those between are interpolated, as far as
steps that were left out agree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ndpir.frontends.configs import Group
from ndpir.serving.batching import Chunk, Load, Spent
from ndpir.serving.sampled import Sampled, Values
from ndpir.serving.steps import AGREES, Steps


class CompiledTimes:
    """The times and energies of steps for a load, as `StepTimes` (batching.py) wants them.

    Steps that decode are sampled over contexts, at the batch of all sequences, and over batches, at these contexts.
    What chunks of prompts add to a step is sampled over their tokens, for each number of chunks.
    """

    def __init__(self, steps: Steps, load: Load, tokens: int) -> None:
        """`tokens`: the number of new tokens of a step at most."""
        self.steps, self.most, self.tokens = steps, load.concurrency, tokens
        self.first, self.last = load.prompt[0] + 1, load.prompt[1] + max(load.output[1] - 1, 1)
        self.longest, self.hits = load.prompt[1], load.hits
        self._added: dict[tuple[int, int], Sampled] = {}

    def decoding(self, sequences: int, context: float, steps: int) -> Spent:
        contexts = np.clip(context + np.arange(steps), self.contexts[0], self.contexts[-1])
        rows = self._batches.at(sequences).reshape(-1, 2).T
        return Spent(*(float(np.interp(contexts, self.contexts, row).sum()) for row in rows))

    def with_prompts(self, sequences: int, context: float, chunks: Sequence[Chunk]) -> Spent:
        if not self.steps.model.has_prompts:
            return Spent(0.0, 0.0)
        new = max(round(sum(chunk.new for chunk in chunks) / len(chunks)), 1)
        cached = sum(chunk.cached for chunk in chunks) / len(chunks)
        beside = min(self.most, 1 << (sequences - 1).bit_length()) if sequences else 0
        rows = self._adding(beside, len(chunks)).at(new).reshape(-1, 2).T
        ns, nj = (float(np.interp(cached, self.cached, row)) for row in rows)
        decoding = self.decoding(sequences, context, 1) if sequences else Spent(0.0, 0.0)
        return Spent(decoding.ns + ns, decoding.nj + nj)

    @cached_property
    def contexts(self) -> list[int]:
        """The contexts at which steps are compiled, so that those between can be interpolated."""
        sampled = Sampled(lambda context, _: self._values(Group(self.most, 1, context - 1)), AGREES)
        for quarter in (0, 4, 2, 1, 3):
            sampled.at(self.first + (self.last - self.first) * quarter // 4)
        return sampled.nodes

    @cached_property
    def cached(self) -> list[int]:
        """The numbers of cached tokens before a chunk at which steps are compiled: the time of attention grows evenly
        with them, and nothing else does."""
        return [0] if self.longest <= self.tokens and not self.hits else [0, self.longest]

    @cached_property
    def _batches(self) -> Sampled:
        """Steps that decode, by their number of sequences: time and energy at each of `contexts`."""

        def exact(sequences: int, _: float) -> Values:
            return np.concatenate([self._values(Group(sequences, 1, context - 1)) for context in self.contexts])

        return Sampled(exact, AGREES)

    def _adding(self, beside: int, chunks: int) -> Sampled:
        """The time and energy that a number of chunks add to a step in which `beside` sequences decode, by the tokens
        of a chunk, at each of `cached`."""

        def exact(new: int, _: float) -> Values:
            return np.concatenate([self._added_by(beside, Group(chunks, new, cached)) for cached in self.cached])

        if (beside, chunks) not in self._added:
            self._added[beside, chunks] = Sampled(exact, AGREES)
        return self._added[beside, chunks]

    def _added_by(self, beside: int, chunks: Group) -> Values:
        if not beside:
            return self._values(chunks)
        decoding = Group(beside, 1, self.contexts[len(self.contexts) // 2] - 1)
        return self._values(decoding, chunks) - self._values(decoding)

    def _values(self, *groups: Group) -> Values:
        figures = self.steps.figures(*groups)
        return np.array([figures["ns"], figures["nj"]])
