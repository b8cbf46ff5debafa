"""Training steps of PyTorch as programs: forward pass, gradients and the optimizer's update, with parameters and
moments as states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from ndpir.frontends.sizes import Sizes

MOMENTS = (0.0, 1.0)
"""The interval from which random numbers for an optimizer's state are drawn: second moments are not negative."""


def training_step(model: Any, optimizer: Any, loss: Callable[..., Any], inputs: Sequence[Any]) -> ModuleOp:
    """One step of training as a program: `loss(model, *inputs)`, its gradients, and the update by an optimizer of
    `torch.optim`.

    The arguments of `@main` are the parameters, the buffers, the optimizer's state (moments, step counts), and the
    inputs, in this order, and the state of the generator of random numbers if the step draws any (dropout); its results
    are the loss, and the new content of what changes. Nothing is computed: tensors are traced without numbers.
    `inputs`: examples, of which only types and shapes matter. Raises InputError for operators that are not supported.
    """
    from ndpir.frontends.torch.importer import import_program
    from ndpir.frontends.torch.memory import from_graph

    step = traced_step(model, optimizer, loss, inputs)
    return import_program(from_graph(step.graph, "<step>", step.titles), Sizes(), fills=step.fills)


class Step(NamedTuple):
    """A traced step: its graph, the titles of the graph's inputs, and the intervals from which random numbers for some
    of them are drawn."""

    graph: Any
    titles: Sequence[str]
    fills: Mapping[str, tuple[float, float]]


def traced_step(model: Any, optimizer: Any, loss: Callable[..., Any], inputs: Sequence[Any]) -> Step:
    """The graph that PyTorch traces of a step, as `training_step` reads it."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.func import functional_call
    from torch.fx.experimental.proxy_tensor import make_fx

    parameters: dict[str, Any] = dict(model.named_parameters())
    buffers: dict[str, Any] = dict(model.named_buffers())
    names = {id(value): name for name, value in parameters.items()}
    mode = FakeTensorMode(allow_non_fake_inputs=True)

    def bare(value: Any) -> Any:
        return mode.from_tensor(value.detach()) if isinstance(value, torch.Tensor) else value

    with mode, _compiling(), _refused(optimizer):
        zeros = {name: bare(value) for name, value in parameters.items() if value.requires_grad}
        states = _states(optimizer, names, zeros)
    flat = [bare(value) for value in (*parameters.values(), *buffers.values())]
    flat += [value for state in states.values() for value in state.values()]
    flat += [bare(value) for value in inputs]

    def step(*given: Any) -> Any:
        left = iter(given)
        held = {name: next(left) for name in parameters}
        kept = {name: next(left) for name in buffers}
        moments = {name: {key: next(left) for key in state} for name, state in states.items()}
        rest = tuple(left)
        free = {name: value.detach().requires_grad_(parameters[name].requires_grad) for name, value in held.items()}

        def called(*arguments: Any) -> Any:
            return functional_call(model, (free, kept), arguments)

        value = loss(called, *rest)
        trained = [name for name in free if parameters[name].requires_grad]
        gradients = torch.autograd.grad(value, [free[name] for name in trained], allow_unused=True)
        with torch.no_grad():
            for name, gradient in zip(trained, gradients, strict=True):
                held[name].grad = gradient
            _apply(optimizer, names, held, moments)
        return value.detach()

    with _compiling(), _refused(optimizer):
        traced = make_fx(step, tracing_mode="fake")(*flat)
    titles = [*parameters, *buffers]
    titles += [f"{name}.{key}" for name, state in states.items() for key in state]
    titles += [f"input.{at}" for at in range(len(inputs))]
    fills = {f"{name}.{key}": MOMENTS for name, state in states.items() for key in state}
    return Step(traced, titles, fills)


def _states(optimizer: Any, names: Mapping[int, str], zeros: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The tensors of an optimizer's state for each parameter, after a first step by gradients of zero."""
    import torch

    held = {name: torch.zeros_like(value) for name, value in zeros.items()}
    for value in held.values():
        value.grad = torch.zeros_like(value)
    found = _apply(optimizer, names, held, {})
    return {
        name: {key: state for key, state in found[value].items() if isinstance(state, torch.Tensor)}
        for name, value in held.items()
        if found[value]
    }


def _apply(
    optimizer: Any, names: Mapping[int, str], held: Mapping[str, Any], moments: Mapping[str, Mapping[str, Any]]
) -> Any:
    """A step of a copy of an optimizer on other tensors, one parameter after another; returns the copy's state.

    Step counts, and rates that follow from them, are handed over in f64, in which PyTorch computes with them as plain
    numbers, unless the optimizer was made `capturable`: then PyTorch, too, computes in their f32."""
    other: Any = copy(optimizer)
    plain = {"capturable": True, "foreach": False, "fused": False}
    groups, states = list[Any](), defaultdict[Any, dict[str, Any]](dict)
    other.param_groups, other.state = groups, states
    narrow: list[tuple[Any, Any]] = []
    for group in optimizer.param_groups:
        chosen = [name for name in (names.get(id(value), "") for value in group["params"]) if name in held]
        changes = {key: value for key, value in plain.items() if key in group}
        groups.append({**group, **changes, "params": [held[name] for name in chosen]})
        for name in chosen:
            if name not in moments:
                continue
            state = states[held[name]] = dict(moments[name])
            for key in _COUNTS & state.keys() if not group.get("capturable") else ():
                narrow.append((state[key], state[key].double()))
                state[key] = narrow[-1][1]
    _take(other)
    for count, wide in narrow:
        count.copy_(wide)
    return states


def _take(optimizer: Any) -> None:
    """A step of an optimizer. Raises InputError for one that does not run so."""
    from torch._subclasses.fake_tensor import DataDependentOutputException

    try:
        with _scaling():
            optimizer.step()
    except DataDependentOutputException:
        raise
    except (TypeError, ValueError, RuntimeError, AssertionError) as error:
        words = str(error).partition("\n")[0]
        raise InputError(
            f"a step of {type(optimizer).__name__} can't be traced ({words}); use another optimizer, such as AdamW"
        ) from None


_COUNTS = frozenset(("step", "eta", "mu"))
"""The names of step counts, and of rates that follow from them (ASGD), in the states of torch.optim."""


def _scaling() -> Any:
    """A context in which the factors `alpha` and `value` of operators may be tensors, as they are where optimizers
    compute them from step counts."""
    import torch
    from torch.overrides import TorchFunctionMode

    parts: Mapping[str, tuple[str, Any]] = {
        "add": ("alpha", torch.positive),
        "addcmul": ("value", torch.mul),
        "addcdiv": ("value", torch.div),
    }

    class Scaling(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            given = dict(kwargs or {})
            name = getattr(func, "__name__", "")
            if name.removesuffix("_") in parts:
                factor, combined = parts[name.removesuffix("_")]
                if isinstance(given.get(factor), torch.Tensor):
                    x, *rest = args
                    y = combined(*rest) * given[factor]
                    return x.add_(y) if name.endswith("_") else x.add(y)
            return func(*args, **given)

    return Scaling()


@contextmanager
def _refused(optimizer: Any) -> Generator[None]:
    """A context in which numbers that depend on data, as some optimizers compute them of their step counts, are an
    InputError."""
    from torch._subclasses.fake_tensor import DataDependentOutputException

    try:
        yield
    except DataDependentOutputException:
        raise InputError(
            f"{type(optimizer).__name__}, or the model, decides by a number of a tensor while the step is traced; use "
            "an optimizer that does not (such as AdamW), and torch.where in place of branches"
        ) from None


@contextmanager
def _compiling() -> Generator[None]:
    """A context in which optimizers keep their step counts as tensors, as they do under torch.compile."""
    import torch

    before = torch.compiler._is_compiling_flag
    torch.compiler._is_compiling_flag = True
    try:
        yield
    finally:
        torch.compiler._is_compiling_flag = before
