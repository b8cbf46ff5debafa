"""Training steps of PyTorch as read here, against PyTorch on the CPU: models of torch.nn by optimizers of torch.optim.

Each step follows a few steps of PyTorch. Loss, parameters, buffers and the optimizer's state are compared, in f32, and
in f64, in which what was rounding in f32 all but vanishes. The models have no parameter whose gradient is zero but for
rounding (a bias before a batch norm, or of keys): Adam divides that rounding by its own size, so that any other order
of sums moves such a parameter otherwise, by up to the full rate."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim

import ndpir
from benchmarks.frameworks.pytorch_values import array_of
from dialects.task.state import State
from ndpir.pytorch import training_step

Make = Callable[[Any], Any]
OPTIMIZERS: Mapping[str, Make] = {
    "SGD": lambda p: optim.SGD(p, lr=0.05),
    "SGD momentum": lambda p: optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01),
    "Adam": optim.Adam,
    "Adam amsgrad": lambda p: optim.Adam(p, amsgrad=True, weight_decay=0.01),
    "AdamW": optim.AdamW,
    "NAdam": lambda p: optim.NAdam(p, decoupled_weight_decay=True, weight_decay=0.01),
    "RAdam": optim.RAdam,
    "Adamax": optim.Adamax,
    "RMSprop": optim.RMSprop,
    "RMSprop centered": lambda p: optim.RMSprop(p, lr=0.001, momentum=0.9, centered=True),
    "Adadelta": optim.Adadelta,
    "Adagrad": lambda p: optim.Adagrad(p, lr_decay=0.01),
    "ASGD": optim.ASGD,
    "Rprop": optim.Rprop,
}
"""Optimizers with their options, by a title."""
BOUNDS = {torch.float32: 1e-3, torch.float64: 1e-9}
"""The largest difference, relative to the largest element of a tensor. In f32, small gradients are sums that cancel."""


class Encoder(nn.Module):
    """A layer of attention over tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(17, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, bias=False)
        self.head = nn.Linear(16, 5)

    def forward(self, tokens: Any) -> Any:
        return self.head(self.layer(self.table(tokens)).mean(1))


def _perceptron() -> tuple[nn.Module, Any]:
    return nn.Sequential(nn.Linear(16, 24), nn.Tanh(), nn.Linear(24, 5)), torch.randn(8, 16)


def _network() -> tuple[nn.Module, Any]:
    layers = nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, groups=8)
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(72, 5)), torch.randn(8, 3, 10, 10)


MODELS: Mapping[str, Callable[[], tuple[nn.Module, Any]]] = {
    "perceptron": _perceptron,
    "convolutions": _network,
    "encoder": lambda: (Encoder(), torch.randint(0, 17, (8, 6))),
}


def loss(model: Any, x: Any, y: Any) -> Any:
    """The cross entropy of a batch."""
    return F.cross_entropy(model(x), y)


def one_step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """A step by PyTorch; returns the loss."""
    optimizer.zero_grad()
    value = loss(model, x, y)
    value.backward()
    optimizer.step()
    return value.detach()


def states_of(model: nn.Module, optimizer: Any) -> dict[str, Any]:
    """The tensors that a step changes, in the order of the program's arguments."""
    found: dict[str, Any] = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    for name, value in model.named_parameters():
        found |= {
            f"{name}.{key}": each for key, each in optimizer.state[value].items() if isinstance(each, torch.Tensor)
        }
    return found


def differences(model: str, optimizer: str, dtype: Any, before: int) -> dict[str, float]:
    """For the loss and each state, the largest difference after one more step, relative to its largest element."""
    torch.manual_seed(0)
    torch.set_default_dtype(dtype)
    try:
        module, x = MODELS[model]()
        y = torch.randint(0, 5, (8,))
        chosen = OPTIMIZERS[optimizer](module.parameters())

        for _ in range(before):
            one_step(module, chosen, x, y)
        program = training_step(module, chosen, loss, (x, y))
        states = states_of(module, chosen)
        given = [array_of(value).copy() for value in (*states.values(), x, y)]
        function: Any = program.body.block.first_op
        noted = [State.of(each.data) for each in function.arg_attrs.data]
        found = ndpir.run(program, given)
        now = {"loss": array_of(one_step(module, chosen, x, y))}
        now |= {name: array_of(value) for name, value in states_of(module, chosen).items()}
        places = {"loss": 0}
        for name, old, state in zip(states, given, noted, strict=False):
            if state is not None and state.result is not None:
                places[name] = state.result
            else:
                assert np.array_equal(now[name], old), f"the program does not change {name}"
        return {
            name: float(np.abs(found[at] - now[name]).max() / max(np.abs(now[name]).max(), 1e-300))
            for name, at in places.items()
        }
    finally:
        torch.set_default_dtype(torch.float32)


def check(model: str, optimizer: str, before: int) -> bool:
    """Compare a step in both types, print the largest difference of each, and return whether they are rounding."""
    words: list[str] = []
    right = True
    for dtype, bound in BOUNDS.items():
        found = differences(model, optimizer, dtype, before)
        worst = max(found, key=lambda name: found[name])
        words.append(f"{found[worst]:.1e} ({worst})")
        right &= found[worst] <= bound
    print(
        f"{'' if right else 'WRONG '}{optimizer:17} {model:13} after {before}  f32 {words[0]}, f64 {words[1]}",
        flush=True,
    )
    return right


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="optimizers whose titles have a WORD, or all")
    parser.add_argument("--after", type=int, nargs="*", default=[1, 8], metavar="N", help="steps of PyTorch before")
    given = parser.parse_args(arguments)
    warnings.filterwarnings("ignore")
    chosen = [name for name in OPTIMIZERS if not given.words or any(word in name for word in given.words)]
    checks = [(model, name, before) for name in chosen for model in MODELS for before in given.after]
    wrong = sum(not check(*each) for each in checks)
    print(f"{len(checks) - wrong} of {len(checks)} steps equal")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
