"""Sizes of the language models of NeuSight's end-to-end set (its scripts/asplos/data/DLmodel_configs)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Transformer:
    """Sizes of a language model."""

    kind: str
    layers: int
    hidden: int
    heads: int
    vocabulary: int
    feed_forward: int
    head: int = 0
    """The number of elements per head if it is not the hidden size divided by the number of heads; 0 otherwise."""

    @property
    def depth(self) -> int:
        return self.head or self.hidden // self.heads


TRANSFORMERS = {
    "bert_large": Transformer("bert", 24, 1024, 16, 30522, 4096),
    "gpt2_large": Transformer("gpt2", 36, 1280, 20, 50257, 5120),
    "gpt3_xl": Transformer("gpt2", 24, 3072, 24, 50257, 12288),
    "gpt3_27": Transformer("gpt2", 32, 2560, 32, 50257, 10240),
    "opt_13": Transformer("opt", 24, 2048, 32, 50272, 8192),
    "switchxl4": Transformer("switch", 24, 1024, 32, 32128, 16384, 128),
}


@dataclass(frozen=True)
class Step:
    """One run: an inference, or the forward and backward pass of a training step.

    `fused`: each chain of element-wise ops is one kernel (torch.compile).
    """

    batch: int
    length: int
    training: bool = False
    fused: bool = False

    @property
    def tokens(self) -> int:
        return self.batch * self.length
