"""Times and energies of steps on a machine that runs one kernel after another: sums of parts, each of which depends on
few numbers and is sampled over these.

A step takes the time of the attention of each group of sequences, of the other kernels of its layers, which depends on
its new tokens, and of its first and last kernels, which depends on its sequences. The other kernels of a step with
prompts are those of a prompt of all its new tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import maxsize

import numpy as np

from ndpir.frontends.configs import Group
from ndpir.serving.batching import Chunk, Spent
from ndpir.serving.sampled import Sampled, Values
from ndpir.serving.steps import AGREES, Figures, Steps, devices_of


class SerialTimes:
    """The times and energies of all steps, as `StepTimes` (batching.py) wants them."""

    def __init__(self, steps: Steps, context: int, tokens: int) -> None:
        """`context`: the longest; `tokens`: the largest number of new tokens of a step."""
        self.steps, self.context, self.tokens = steps, context, tokens
        short = min(context, 1024)
        self.room = maxsize if steps.alone else cached_tokens(steps.figures(Group(1, 1, short - 1)), short)
        self.prompt_layers = Sampled(lambda new, _: _layers(steps.figures(Group(1, new))), AGREES)
        self.layers = Sampled(lambda count, _: _layers(steps.figures(Group(count, 1, 1))), AGREES)
        self.once = Sampled(lambda count, _: _pair(steps.figures(Group(count, 1, 1)), "once"), AGREES)
        self.decoders = Sampled(self._decoding, AGREES)
        self._by_count: dict[int, Sampled] = {}
        self._prompts: dict[tuple[int, int], Sampled] = {}

    def decoding(self, sequences: int, context: float, steps: int) -> Spent:
        rest = self.layers.at(sequences) + self.once.at(sequences)
        middle = context + (steps - 1) / 2  # attention's time grows evenly with the context
        ns, nj = (rest + self.decoders.at(sequences, middle)) * steps
        return Spent(float(ns), float(nj))

    def with_prompts(self, sequences: int, context: float, chunks: Sequence[Chunk]) -> Spent:
        new = sum(chunk.new for chunk in chunks)
        total = self.prompt_layers.at(sequences + new) + self.once.at(sequences + len(chunks))
        total = total + self._prompt_attention(chunks)
        if sequences:
            total = total + self.decoders.at(sequences, context)
        return Spent(float(total[0]), float(total[1]))

    def _decoding(self, count: int, context: float) -> Values:
        return self._decoders(count).at(min(round(context), self.room // count))

    def _decoders(self, count: int) -> Sampled:
        """The attention of `count` sequences that decode, by their context."""
        if count not in self._by_count:

            def exact(context: int, _: float) -> Values:
                return np.array(self.steps.attention(Group(count, 1, max(context - 1, 1))))

            self._by_count[count] = Sampled(exact, AGREES)
        return self._by_count[count]

    def _prompt_attention(self, chunks: Sequence[Chunk]) -> Values:
        """The attention of chunks of prompts, all of their mean size. Its time grows evenly with the tokens before."""
        new = max(round(sum(chunk.new for chunk in chunks) / len(chunks)), 1)
        cached = sum(chunk.cached for chunk in chunks) / len(chunks)
        new = min(new, self.tokens // len(chunks))  # a mean may be rounded up
        first = self._prompts_behind(len(chunks), 0).at(new)
        if not cached:
            return first
        behind = max(min(self.context, (self.room - self.tokens) // len(chunks)), 1)
        return first + (self._prompts_behind(len(chunks), behind).at(new) - first) * cached / behind

    def _prompts_behind(self, count: int, cached: int) -> Sampled:
        """The attention of `count` chunks of prompts behind `cached` tokens each, by the tokens of a chunk."""
        if (count, cached) not in self._prompts:

            def exact(new: int, _: float) -> Values:
                return np.array(self.steps.attention(Group(count, new, cached)))

            self._prompts[count, cached] = Sampled(exact, AGREES)
        return self._prompts[count, cached]


def cached_tokens(figures: Figures, context: int) -> int:
    """The number of tokens whose caches find room beside the weights, by the figures of a step of one sequence."""
    free = sum(figures[f"capacity {name}"] - figures.get(f"weights {name}", 0.0) for name in devices_of(figures))
    each = sum(figures.get(f"states {name}", 0.0) for name in devices_of(figures)) / context
    return max(int(0.95 * free / each), 1)


def _pair(figures: Figures, part: str) -> Values:
    return np.array([figures.get(f"{part} ns", 0.0), figures.get(f"{part} nj", 0.0)])


def _layers(figures: Figures) -> Values:
    """Time and energy of the kernels of layers that are no attention."""
    return np.array([figures["ns"], figures["nj"]]) - _pair(figures, "once") - _pair(figures, "attention")
