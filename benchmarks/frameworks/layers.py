"""Small random modules: chains of layers and functions of PyTorch, each drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

Function: TypeAlias = Callable[[Any], Any]
Layer: TypeAlias = Callable[[np.random.Generator, Sequence[int]], Function]
"""A layer for tensors of a shape: a module, or a function of one tensor."""


def _wide(r: np.random.Generator, s: Sequence[int]) -> Function:
    return nn.Linear(s[-1], int(r.integers(3, 9)), bias=bool(r.integers(2)))


def _attend(r: np.random.Generator, s: Sequence[int]) -> Function:
    causal, scale = bool(r.integers(2)), float(r.uniform(0.2, 1.0))
    return lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=causal, scale=scale)


def _mixed(r: np.random.Generator, s: Sequence[int]) -> Function:
    weight = nn.Parameter(torch.randn(s[-1], s[-1]))
    return lambda x: torch.einsum("...i,ij->...j", x, weight.detach())


def _of_axis(name: str, **more: Any) -> Layer:
    def make(r: np.random.Generator, s: Sequence[int]) -> Function:
        axis = int(r.integers(len(s)))
        return lambda x: getattr(torch, name)(x, dim=axis, **more)

    return make


def _plain(function: Function) -> Layer:
    return lambda r, s: function


def _indexed(r: np.random.Generator, s: Sequence[int]) -> Function:
    places = torch.tensor(r.integers(0, s[0], 4))
    return lambda x: x[places]


def _scattered(r: np.random.Generator, s: Sequence[int]) -> Function:
    places = torch.tensor(r.integers(0, 3, s[0]))
    return lambda x: torch.zeros(3, *x.shape[1:]).index_add(0, places, x)


def _in_place(r: np.random.Generator, s: Sequence[int]) -> Function:
    at = int(r.integers(s[0]))

    def change(x: Any) -> Any:
        y = x.clone()
        y[at] = y[at] * 2
        y.transpose(0, 1).add_(1)
        return y

    return change


def _distinct(x: Any) -> Any:
    """A tensor whose elements differ: which of equal ones comes first is left open."""
    return x + torch.linspace(0, 0.1, x.numel()).reshape(x.shape)


FUNCTIONS: dict[str, Function] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "elu": F.elu,
    "mish": F.mish,
    "softplus": F.softplus,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "selu": F.selu,
    "leaky_relu": F.leaky_relu,
    "hardtanh": F.hardtanh,
    "logsigmoid": F.logsigmoid,
    "softsign": F.softsign,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "exp": lambda x: torch.exp(-x * x),
    "sin": torch.sin,
    "cos": torch.cos,
    "erf": torch.erf,
    "atan": torch.atan,
    "asinh": torch.asinh,
    "sinh": lambda x: torch.sinh(x.clamp(-2, 2)),
    "sqrt": lambda x: torch.sqrt(x * x + 1),
    "rsqrt": lambda x: torch.rsqrt(x * x + 1),
    "log": lambda x: torch.log(x * x + 1),
    "log1p": lambda x: torch.log1p(x * x),
    "expm1": lambda x: torch.expm1(-x * x),
    "abs": torch.abs,
    "square": torch.square,
    "pow": lambda x: (x * x + 0.5) ** 1.7,
    "clamp": lambda x: x.clamp(-1, 0.5),
    "floor": lambda x: x - x.floor(),
    "maximum": lambda x: torch.maximum(x, x.flip(0)),
    "atan2": lambda x: torch.atan2(x, x * x + 1),
    "hypot": lambda x: torch.hypot(x, x + 2),
    "logaddexp": lambda x: torch.logaddexp(x, -x),
    "tan": lambda x: torch.tan(x.clamp(-1, 1)),
    "frac": torch.frac,
    "addcmul": lambda x: torch.addcmul(x, x, x, value=0.5),
}
LAYERS: dict[str, Layer] = {
    "linear": _wide,
    "attention": _attend,
    "einsum": _mixed,
    "layer_norm": lambda r, s: nn.LayerNorm(s[-1]),
    "rms_norm": lambda r, s: nn.RMSNorm(s[-1]),
    "conv1d": lambda r, s: nn.Conv1d(
        s[-2], 4, 3, padding=int(r.integers(1, 3)), dilation=int(r.integers(1, 3)), stride=int(r.integers(1, 3))
    ),
    "conv_transpose1d": lambda r, s: nn.ConvTranspose1d(s[-2], 3, 3, stride=int(r.integers(1, 3)), padding=1),
    "batch_norm": lambda r, s: nn.BatchNorm1d(s[-2]).eval(),
    "group_norm": lambda r, s: nn.GroupNorm(1, s[-2]),
    "instance_norm": lambda r, s: nn.InstanceNorm1d(s[-2], affine=True),
    "max_pool": lambda r, s: nn.MaxPool1d(2, stride=int(r.integers(1, 3)), ceil_mode=bool(r.integers(2))),
    "avg_pool": lambda r, s: nn.AvgPool1d(
        2, stride=1, padding=int(r.integers(2)), count_include_pad=bool(r.integers(2))
    ),
    "adaptive_pool": lambda r, s: nn.AdaptiveAvgPool1d(int(r.integers(1, 4))),
    "lstm": lambda r, s: _first(nn.LSTM(s[-1], 5, batch_first=True, bidirectional=bool(r.integers(2)))),
    "gru": lambda r, s: _first(nn.GRU(s[-1], 4)),
    "upsample": lambda r, s: nn.Upsample(scale_factor=2, mode="linear" if r.integers(2) else "nearest"),
    "prelu": lambda r, s: nn.PReLU(),
    "softmax": _of_axis("softmax"),
    "log_softmax": _of_axis("log_softmax"),
    "cumsum": _of_axis("cumsum"),
    "logsumexp": _of_axis("logsumexp", keepdim=True),
    "std": _of_axis("std", keepdim=True),
    "amax": _of_axis("amax", keepdim=True),
    "norm": lambda r, s: lambda x: F.normalize(x, dim=-1),
    "flip": lambda r, s: lambda x: x.flip(-1),
    "roll": lambda r, s: lambda x: x.roll(1, 0),
    "sort": lambda r, s: lambda x: _distinct(x).sort(-1).values,
    "topk": lambda r, s: lambda x: _distinct(x).topk(2, -1).values,
    "index": _indexed,
    "index_add": _scattered,
    "in_place": _in_place,
    "split": lambda r, s: lambda x: torch.cat([y * (at + 1) for at, y in enumerate(x.chunk(2, -1))], -1),
    "pad": lambda r, s: lambda x: F.pad(x, (1, 2), value=0.5),
    "reflect": lambda r, s: lambda x: F.pad(x, (1, 1), mode="reflect"),
    "transpose": lambda r, s: lambda x: x.transpose(-1, -2),
    "where": lambda r, s: lambda x: torch.where(x > 0, x, x * 0.1),
    "glu": lambda r, s: lambda x: F.glu(torch.cat([x, x], -1)),
    "tril": lambda r, s: lambda x: x.tril(),
    "repeat": lambda r, s: lambda x: x.repeat(1, 2, 1),
    "unfold": lambda r, s: lambda x: x.unfold(-1, 2, 1).sum(-1),
    "outer": lambda r, s: lambda x: x[..., None, :] * x[..., :, None].mean(-2, keepdim=True),
    "var_mean": lambda r, s: lambda x: sum(torch.var_mean(x, dim=0, keepdim=True)),
    "cdist": lambda r, s: lambda x: torch.cdist(x, x + 1),
    "lerp": lambda r, s: lambda x: torch.lerp(x, x.sin(), 0.3),
    **{name: _plain(function) for name, function in FUNCTIONS.items()},
}


class _First(nn.Module):
    """A recurrent layer without its states."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Any) -> Any:
        return self.inner(x)[0]


def _first(inner: nn.Module) -> nn.Module:
    return _First(inner)


class Chain(nn.Module):
    """Layers one after another; a result that repeats the shape of its operand is added to it, at random."""

    def __init__(self, layers: Sequence[Any], residual: Sequence[bool]) -> None:
        super().__init__()
        self.layers = list(layers)
        self.held = nn.ModuleList([each for each in layers if isinstance(each, nn.Module)])
        self.residual = residual

    def forward(self, x: Any) -> Any:
        for layer, adds in zip(self.layers, self.residual, strict=True):
            y = layer(x)
            x = x + y if adds and x.shape == y.shape else y
        return x


def random_module(seed: int) -> tuple[Chain, Any, list[str]]:
    """A module of two to five layers, its input, and the names of its layers."""
    r = np.random.default_rng(seed)
    torch.manual_seed(seed)
    x = torch.randn(*(int(n) for n in r.integers(3, 7, 3)))
    layers: list[Any] = []
    names: list[str] = []
    y, wanted = x, int(r.integers(2, 6))
    order = iter(r.permutation(sorted(LAYERS)).tolist())
    while len(layers) < wanted and (name := next(order, None)) is not None:
        try:
            layer = LAYERS[name](r, y.shape)
            with torch.no_grad():
                made = layer(y)
        except (RuntimeError, ValueError, IndexError):
            continue  # the layer does not fit the shape
        if made.dim() == 3 and 0 < made.numel() < 4000 and bool(made.isfinite().all()):
            layers.append(layer)
            names.append(name)
            y = made
    return Chain(layers, [bool(each) for each in r.integers(0, 2, len(layers))]).eval(), x, names
