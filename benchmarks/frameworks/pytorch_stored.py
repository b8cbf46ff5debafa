"""Writes the exported programs that tests read without PyTorch (tests/data/torch), with inputs and expected results."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops.scan import scan
from torch.export.experimental import _export_forward_backward

from benchmarks.frameworks.pytorch_steps import OPTIMIZERS, loss, one_step, states_of
from benchmarks.frameworks.pytorch_values import array_of, leaves
from ndpir.pytorch.training import traced_step


class Cached(nn.Module):
    """A step of decoding: keys and values in buffers, changed in place, and a count of steps."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.norm = nn.RMSNorm(8)
        self.register_buffer("keys", torch.randn(1, 2, 6, 4))
        self.register_buffer("values", torch.randn(1, 2, 6, 4))
        self.register_buffer("steps", torch.tensor(3))

    def forward(self, x: Any) -> Any:
        q, k, v = self.qkv(self.norm(x)).view(1, 1, 3, 2, 4).permute(2, 0, 3, 1, 4)
        self.keys[:, :, 5:6] = k
        self.values.narrow(2, 5, 1).copy_(v)
        self.steps.add_(1)
        return F.scaled_dot_product_attention(q, self.keys, self.values).transpose(1, 2).reshape(1, 1, 8)


class Images(nn.Module):
    """Convolutions, a batch norm, pools and a resize."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.back = nn.ConvTranspose2d(4, 2, 3, stride=2)

    def forward(self, x: Any) -> Any:
        y = F.max_pool2d(F.silu(self.norm(self.first(x))), 2, ceil_mode=True)
        y = F.interpolate(self.back(y), scale_factor=2, mode="bilinear")
        return y, F.adaptive_avg_pool2d(y, 1).flatten(1)


class Branches(nn.Module):
    """A branch by data, and a scan."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Any, flag: Any) -> Any:
        def yes(y: Any) -> Any:
            return self.layer(y).tanh()

        def no(y: Any) -> Any:
            return y * 2

        def step(carry: Any, row: Any) -> tuple[Any, Any]:
            return carry * 0.5 + row, carry.sin()

        found: tuple[Any, Any] = scan(step, torch.zeros(4), torch.cond(flag.sum() > 0, yes, no, (x,)))
        return found


class Quantized(nn.Module):
    """A product of quantized activations and weights, each channel with a scale."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("weight", torch.randint(-127, 128, (6, 8), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(6) * 0.1)
        self.register_buffer("zeros", torch.zeros(6, dtype=torch.int64))

    def forward(self, x: Any) -> Any:
        ops = torch.ops.quantized_decomposed
        q = ops.quantize_per_tensor(x, 0.02, 3, -128, 127, torch.int8)
        wide = ops.dequantize_per_tensor(q, 0.02, 3, -128, 127, torch.int8)
        weight = ops.dequantize_per_channel(self.weight, self.scales, self.zeros, 0, -127, 127, torch.int8)
        return F.linear(wide, weight)


class Experts(nn.Module):
    """Two of three experts for each token, by a grouped product."""

    def __init__(self) -> None:
        super().__init__()
        self.route = nn.Linear(8, 3)
        self.weight = nn.Parameter(torch.randn(3, 8, 8, dtype=torch.bfloat16))

    def forward(self, x: Any) -> Any:
        weights, chosen = self.route(x).softmax(-1).topk(2)
        order = chosen.flatten().argsort(stable=True)
        ends = F.one_hot(chosen.flatten(), 3).sum(0).cumsum(0).int()
        rows = x[order // 2].bfloat16()
        made = torch._grouped_mm(rows, self.weight, offs=ends).float()
        return torch.zeros_like(x).index_add(0, order // 2, made * weights.flatten()[order, None])


class Sizes(nn.Module):
    """A symbolic batch and length."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(11, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, tokens: Any) -> Any:
        return self.layer(self.table(tokens)).reshape(tokens.shape[0], -1).mean(1)


class Layers(nn.Module):
    """Recurrent layers, indices, a Fourier transform, sorted values."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 6, bidirectional=True)

    def forward(self, x: Any) -> Any:
        y, _ = self.lstm(x)
        z = torch.fft.rfft(y, dim=0).abs()
        return y[[0, 2]], z, z.sort(-1).values, y.cumsum(0), torch.einsum("sbi,sbj->bij", y, y)


class Changes(nn.Module):
    """Changes of views, and of copies that calls make where a view is impossible."""

    def forward(self, x: Any) -> Any:
        x = x + 0
        x.reshape(-1)[2:4] = 7
        x.flatten(0)[0] = -1
        x.to(torch.float32)[1, 1] = 50
        x[:, :2].reshape(3, 2, 1).add_(1000)
        copies = x.t().contiguous(), x.t().reshape(-1), x[:, :2].reshape(-1), x.to(torch.float64)
        for each in copies:
            each.mul_(2)
        torch.maximum(x[0], x[1], out=x[2])
        return x, *copies


class Spectrum(nn.Module):
    """Complex numbers: a filter in the frequency domain."""

    def forward(self, x: Any) -> Any:
        y = torch.fft.rfft(x) * (0.5 + 2j)
        return torch.fft.irfft(y, n=7), torch.view_as_real(y.to(torch.complex128)), torch.fft.fft2(x).abs()


class Joint(nn.Module):
    """A model with its loss, of which PyTorch makes a graph of both passes."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.layer = nn.BatchNorm1d(4), nn.Linear(4, 3)

    def forward(self, x: Any, y: Any) -> Any:
        return F.cross_entropy(self.layer(self.norm(x)), y)


class Refused(nn.Module):
    """Operators that are not supported."""

    def forward(self, x: Any) -> Any:
        return torch.linalg.inv(x) + torch.linalg.inv(x + 1) + torch.linalg.matrix_exp(x)


def programs() -> Mapping[str, tuple[Any, Sequence[Any], Any]]:
    """Models, their inputs, and their dynamic shapes (None: fixed)."""
    batch, length = torch.export.Dim("batch", min=1, max=64), torch.export.Dim("length", min=2, max=64)
    return {
        "cached": (Cached(), (torch.randn(1, 1, 8),), None),
        "images": (Images().eval(), (torch.randn(2, 3, 13, 13),), None),
        "branches": (Branches(), (torch.randn(3, 4), torch.ones(2)), None),
        "quantized": (Quantized(), (torch.randn(2, 8),), None),
        "experts": (Experts(), (torch.randn(5, 8),), None),
        "sizes": (Sizes().eval(), (torch.randint(0, 11, (3, 5)),), {"tokens": {0: batch, 1: length}}),
        "layers": (Layers(), (torch.randn(5, 2, 4),), None),
        "changes": (Changes(), (torch.randn(3, 4),), None),
        "spectrum": (Spectrum(), (torch.randn(3, 7),), None),
        "refused": (Refused(), (torch.randn(3, 3),), None),
    }


class Steps(nn.Module):
    """A training step by each optimizer of `pytorch_steps`, each of its own copy of a small model."""

    def __init__(self) -> None:
        super().__init__()
        self.graphs: list[Any] = []
        self.counts: list[int] = []

    def forward(self, *given: Any) -> Any:
        left = iter(given)
        return [graph(*(next(left) for _ in range(n))) for graph, n in zip(self.graphs, self.counts, strict=True)]


def steps() -> tuple[Steps, list[Any], list[Any]]:
    """Steps by all optimizers, their arguments, and what becomes of these: the losses, then the arguments.

    Each argument is what PyTorch has computed in two steps before."""
    made, given, after, losses = Steps(), list[Any](), list[Any](), list[Any]()
    for make in OPTIMIZERS.values():
        torch.manual_seed(7)
        model, x, y = nn.Linear(3, 5), torch.randn(4, 3), torch.randint(0, 5, (4,))
        optimizer = make(model.parameters())
        for _ in range(2):
            one_step(model, optimizer, x, y)
        graph = traced_step(model, optimizer, loss, (x, y)).graph
        before = [each.detach().clone() for each in (*states_of(model, optimizer).values(), x, y)]
        made.graphs.append(graph)
        made.counts.append(len(before))
        given += before
        losses.append(one_step(model, optimizer, x, y))
        after += [each.detach().clone() for each in (*states_of(model, optimizer).values(), x, y)]
    return made, given, [*losses, *after]


def _save(program: Any, path: Path) -> None:
    torch.export.save(program, path)
    _without_folders(path)


def _without_folders(path: Path) -> None:
    """Rewrite an archive without the folders of source files, which differ from computer to computer."""
    with ZipFile(path) as archive:
        entries = [(info.filename, archive.read(info)) for info in archive.infolist()]
    with ZipFile(path, "w") as archive:
        for name, data in entries:
            if name.endswith(".json"):
                data = re.sub(rb'(File \\")[^"\\]*(site-packages/torch/[^"\\]*\\")', rb"\1\2", data)
                data = re.sub(rb'(File \\")(?!site-packages/torch/)[^"\\]*/([^"/\\]*\\")', rb"\1\2", data)
            archive.writestr(ZipInfo(name), data, ZIP_DEFLATED if name.endswith(".json") else ZIP_STORED)


def _joint(folder: Path) -> None:
    """Write a graph of both passes, and the loss, the gradients and the buffers by PyTorch."""
    torch.manual_seed(7)
    model, inputs = Joint(), (torch.randn(6, 4), torch.randint(0, 3, (6,)))
    _save(_export_forward_backward(torch.export.export(model, inputs)), folder / "joint.pt2")
    held = {f"input{at}": array_of(x) for at, x in enumerate(inputs)}
    held |= {f"state.{key}": array_of(value.clone()) for key, value in model.named_buffers()}
    value = model(*inputs)
    value.backward()
    found = [value, *(model.get_parameter(name).grad for name in JOINT_GRADIENTS)]
    held |= {f"output{at}": array_of(x) for at, x in enumerate(found)}
    held |= {f"changed.{key}": array_of(value) for key, value in model.named_buffers()}
    arrays: dict[str, Any] = held
    np.savez_compressed(folder / "joint.npz", **arrays)


JOINT_GRADIENTS = ("norm.weight", "norm.bias", "layer.weight", "layer.bias")
"""The parameters in the order of the graph's gradients."""


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    folder = Path(sys.argv[1])
    torch.backends.mha.set_fastpath_enabled(False)
    import_module("torch.ao.quantization.fx._decomposed")  # registers quantized_decomposed
    torch.manual_seed(7)
    for name, (model, inputs, shapes) in programs().items():
        torch.manual_seed(7)
        with torch.no_grad():
            program = torch.export.export(model, inputs, dynamic_shapes=shapes, strict=False)
            _save(program, folder / f"{name}.pt2")
            if name in ("cached", "images"):
                _save(program.run_decompositions(), folder / f"{name}_core.pt2")
            given = {f"input{at}": array_of(x) for at, x in enumerate(inputs)}
            states = {f"state.{key}": array_of(value.clone()) for key, value in model.named_buffers()}
            expected = {f"output{at}": array_of(x) for at, x in enumerate(leaves(model(*inputs)))}
            changed = {f"changed.{key}": array_of(value) for key, value in model.named_buffers()}
        held: dict[str, Any] = {**given, **states, **expected, **changed}
        np.savez_compressed(folder / f"{name}.npz", **held)
    _joint(folder)
    module, given, after = steps()
    _save(torch.export.export(module, tuple(given), strict=False), folder / "steps.pt2")
    held = {
        f"{word}{at}": array_of(x) for word, many in (("input", given), ("after", after)) for at, x in enumerate(many)
    }
    np.savez_compressed(folder / "steps.npz", **held)


if __name__ == "__main__":
    main()
