"""Values of PyTorch's programs as read here, against PyTorch on the CPU: random modules, operators, models."""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

import ml_dtypes
import numpy as np
import torch
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx

import ndpir
from benchmarks.frameworks.architectures import MODELS
from benchmarks.frameworks.layers import random_module

Array = np.ndarray[Any, Any]
TOLERANCE = {torch.float32: 2e-4, torch.float64: 1e-7, torch.float16: 2e-2, torch.bfloat16: 6e-2}
"""The largest difference by the type of a result, relative to its largest element."""


def array_of(tensor: Any) -> Array:
    """The numbers of a tensor."""
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy(force=True)


def difference(found: Sequence[Array], expected: Sequence[Any]) -> str | None:
    """The first difference of results beyond rounding, in words; None if there is none."""
    if len(found) < len(expected):
        return f"{len(found)} results, not {len(expected)}"
    for mine, theirs in zip(found, expected, strict=False):
        other = array_of(torch.view_as_real(theirs.resolve_conj()) if theirs.is_complex() else theirs)
        if (mine.shape, mine.dtype) != (other.shape, other.dtype):
            return f"{mine.dtype}{list(mine.shape)}, not {other.dtype}{list(other.shape)}"
        if not mine.size:
            continue
        a, b = mine.astype(np.float64), other.astype(np.float64)
        both = np.isfinite(b)
        if not np.array_equal(both, np.isfinite(a)):
            return "other elements are infinite or nan"
        worst = np.abs(a - b)[both].max(initial=0) / max(np.abs(b)[both].max(initial=0), 1e-3)
        if worst > TOLERANCE.get(theirs.real.dtype if theirs.is_complex() else theirs.dtype, 0):
            return f"off by {worst:.1e} of the largest element"
    return None


REACHED: set[str] = set()
"""The operators of all programs that were read, with and without their overloads."""


def note_reached(graph: Any) -> None:
    """Note the operators of a graph, and of the graphs inside of it."""
    for module in graph.modules():
        for node in getattr(module, "graph", torch.fx.Graph()).nodes:
            if node.op == "call_function":
                name = str(node.target)
                REACHED.update((name, name.rpartition(".")[0]))


def leaves(value: Any) -> list[Any]:
    """The tensors in the result of a module."""
    return [each for each in torch.utils._pytree.tree_leaves(value) if isinstance(each, torch.Tensor)]


def forward(module: Any, inputs: Sequence[Any], is_core: bool = False) -> str | None:
    """The difference of the forward pass of a module, exported and read. `is_core`: as the core ATen graph."""
    with torch.no_grad():
        expected = leaves(module(*(x.clone() for x in inputs)))
        program = torch.export.export(module, tuple(inputs), strict=False)
        if is_core:
            program = program.run_decompositions()
        read = ndpir.read(program)
        note_reached(program.graph_module)
    given = [array_of(x) for x in inputs]
    states = {**program.constants, **program.state_dict}
    names = [argument.name_hint for argument in _main(read).body.block.args][len(given) :]
    named = {name.replace(".", "_"): value for name, value in states.items()}
    for name in names:
        found = next((value for key, value in named.items() if key.endswith((name or "").replace(".", "_"))), None)
        if found is None:
            return f"the state {name} has no initial value"
        given.append(array_of(found))
    return difference(ndpir.run(read, given), expected)


def _main(module: Any) -> Any:
    return module.body.block.first_op


def gradients(module: Any, x: Any) -> str | None:
    """The difference of the gradient of a sum of a module's weighted result by its input and parameters."""
    parameters = [each for each in module.parameters() if each.requires_grad]

    def gradient(x: Any, *weights: Any) -> list[Any]:
        free = [each.detach().requires_grad_() for each in (x, *weights)]
        names = [name for name, each in module.named_parameters() if each.requires_grad]
        y = torch.func.functional_call(module, dict(zip(names, free[1:], strict=True)), (free[0],))
        weight = torch.cos(torch.arange(y.numel(), dtype=y.dtype)).reshape(y.shape)
        found = torch.autograd.grad((y * weight).sum(), free, allow_unused=True)
        return [each for each in found if each is not None]

    with torch.backends.mkldnn.flags(enabled=False):  # its recurrent layers are operators of their own
        expected = gradient(x, *parameters)
        traced = make_fx(gradient)(x, *parameters)
    note_reached(traced)
    return difference(ndpir.run(ndpir.read(traced), [array_of(each) for each in (x, *parameters)]), expected)


def _gradient_of(call: _Call) -> tuple[list[Any], Any]:
    """The gradients of an operator's weighted results by its floating-point operands, and the graph that computes
    them."""

    def gradient(*given: Any) -> list[Any]:
        held = [x.detach().requires_grad_() if x.is_floating_point() else x for x in given]
        found = [y for y in call(*held) if y.is_floating_point() and y.requires_grad]
        total = sum((y * torch.cos(torch.arange(y.numel(), dtype=y.dtype)).reshape(y.shape)).sum() for y in found)
        free = [x for x in held if x.requires_grad]
        return [each for each in torch.autograd.grad(total, free, allow_unused=True) if each is not None]

    return gradient(*call.inputs), make_fx(gradient)(*call.inputs)


def gradients_of_call(call: _Call) -> str | None:
    """The difference of these gradients."""
    expected, traced = _gradient_of(call)
    note_reached(traced)
    return difference(ndpir.run(ndpir.read(traced), [array_of(each) for each in call.inputs]), expected)


class Tally:
    """Counts of checks, and a line for each that fails."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def check(self, what: str, name: str, run: Callable[[], str | None]) -> None:
        try:
            wrong = run()
        except ndpir.InputError as error:
            self.counts[f"{what} refused"] += 1
            print(f"refused {what} {name}: {str(error)[:200]}", flush=True)
            return
        self.counts[f"{what} {'wrong' if wrong else 'equal'}"] += 1
        if wrong:
            print(f"WRONG {what} {name}: {wrong}", flush=True)


def modules(tally: Tally, count: int, seed: int) -> None:
    """Random modules, forward and gradients."""
    seen: Counter[str] = Counter()
    for each in range(seed, seed + count):
        module, x, names = random_module(each)
        seen.update(names)
        title = f"{each} ({', '.join(names)})"
        tally.check("module forward", title, lambda module=module, x=x: forward(module, [x]))
        tally.check("module gradient", title, lambda module=module, x=x, each=each: exactly(module, x, each))
    print(f"{len(seen)} kinds of layers")


def exactly(module: Any, x: Any, seed: int) -> str | None:
    """The difference of gradients; where they differ in f32, those of the same module in f64 tell what is rounding."""
    wrong = gradients(module, x)
    if wrong is None:
        return None
    torch.set_default_dtype(torch.float64)
    try:
        same, wide, _ = random_module(seed)
        return gradients(same, wide)
    finally:
        torch.set_default_dtype(torch.float32)


class _Call(nn.Module):
    """A function with some of its arguments fixed: those that are no tensors."""

    def __init__(self, function: Any, arguments: Any) -> None:
        super().__init__()
        self.function = function
        flat, self.spec = torch.utils._pytree.tree_flatten(arguments)
        self.places = [at for at, value in enumerate(flat) if isinstance(value, torch.Tensor)]
        self.inputs = [flat[at] for at in self.places]
        self.flat = [None if isinstance(value, torch.Tensor) else value for value in flat]

    def forward(self, *tensors: Any) -> Any:
        flat = list(self.flat)
        for at, value in zip(self.places, tensors, strict=True):
            flat[at] = value
        positional, named = torch.utils._pytree.tree_unflatten(flat, self.spec)
        return leaves(self.function(*positional, **named))


WITHOUT_VALUES = ("empty", "rand", "normal", "bernoulli", "uniform", "exponential", "dropout", "multinomial")
"""Parts of the names of operators whose results differ from call to call."""


CHOOSING = ("kthvalue", "topk", "sort", "argsort", "median", "nanmedian", "mode")
"""Operators that choose elements by their numbers: which one among equal ones is open."""


def _untied(x: Any) -> Any:
    """A tensor of different numbers."""
    if not isinstance(x, torch.Tensor) or not x.ndim:
        return x
    return torch.randperm(x.numel()).reshape(x.shape).to(x.dtype)


def operators(tally: Tally, word: str, samples: int) -> None:
    """PyTorch's own samples of operators (needs expecttest and scipy)."""
    for name, call, differentiable in _samples(word, samples):
        if differentiable:
            tally.check("operator gradient", name, lambda call=call: gradients_of_call(call))
            continue
        tally.check("operator", name, lambda call=call: forward(call, call.inputs))
        tally.check("core operator", name, lambda call=call: forward(call, call.inputs, is_core=True))


def _samples(word: str, samples: int) -> Iterator[tuple[str, _Call, bool]]:
    """PyTorch's samples: name, call, and whether it has gradients, which are compared in f64."""
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db:
        if word not in op.name or any(part in op.name for part in WITHOUT_VALUES):
            continue
        if op.name.startswith(("sparse.", "torch.ops", "jiterator")):
            continue
        for dtype in (torch.float32, torch.int64, torch.float64):
            differentiable = dtype == torch.float64
            if dtype not in op.supported_dtypes("cpu") or (differentiable and not op.supports_autograd):
                continue
            found = list(op.sample_inputs("cpu", dtype, requires_grad=False))
            for sample in found[:: max(len(found) // samples, 1)][:samples]:
                first = _untied(sample.input) if op.name in CHOOSING else sample.input
                call = _Call(op.op, ((first, *sample.args), sample.kwargs))
                if _is_of_pytorch(call, differentiable):
                    yield f"{op.name} {dtype}", call, differentiable


def _is_of_pytorch(call: _Call, differentiable: bool) -> bool:
    """True for a sample that PyTorch itself can run and export, with gradients if these are wanted."""
    try:
        if differentiable:
            return bool(_gradient_of(call)[0])
        call(*(x.clone() for x in call.inputs))
        torch.export.export(call, tuple(call.inputs), strict=False)
    except Exception:  # its errors have no common type
        return False
    return True


def models(tally: Tally, words: Sequence[str]) -> None:
    """Complete models with random weights (needs transformers)."""
    for name, make in MODELS.items():
        if words and not any(word in name for word in words):
            continue
        torch.manual_seed(0)
        try:
            module, inputs = make()
        except (AttributeError, ImportError, TypeError, ValueError) as error:  # another version of transformers
            tally.counts["model not built"] += 1
            print(f"not built {name}: {str(error)[:100]}", flush=True)
            continue
        begun = perf_counter()
        tally.check("model", name, lambda module=module, inputs=inputs: forward(module.eval(), inputs))
        print(f"{name}: {perf_counter() - begun:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modules", type=int, default=0, metavar="N", help="N random modules, forward and gradients")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first module")
    parser.add_argument(
        "--operators", nargs="?", const="", metavar="WORD", help="samples of operators whose names have WORD"
    )
    parser.add_argument("--samples", type=int, default=3, help="samples of each operator and type")
    parser.add_argument("--models", nargs="*", metavar="WORD", help="models whose names have a WORD, or all")
    parser.add_argument("--unreached", action="store_true", help="list the supported operators that no check ran")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    tally = Tally()
    if given.modules:
        modules(tally, given.modules, given.seed)
    if given.operators is not None:
        operators(tally, given.operators, given.samples)
    if given.models is not None:
        models(tally, given.models)
    print(", ".join(f"{name}: {count}" for name, count in sorted(tally.counts.items())))
    if given.unreached:
        from ndpir.frontends.torch.call import CONVERTERS

        missing = sorted(name for name in CONVERTERS if name not in REACHED)
        print(f"{len(CONVERTERS) - len(missing)} of {len(CONVERTERS)} converters ran; without a sample:", *missing)
    sys.exit(any("wrong" in name for name in tally.counts))


if __name__ == "__main__":
    main()
