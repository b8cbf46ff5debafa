"""The backend itself: `torch.compile(model, backend="ndpir")`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dialects.diagnostics import InputError
from ndpir.pytorch.answer import Report, answered
from ndpir.pytorch.recording import Graph, Options, Recording

_recording = Recording()
_hooked: list[Recording] = []
_OPTIONS = ("machine", "passes", "library", "settings")


def backend(module: Any, inputs: Sequence[Any], **given: Any) -> Callable[..., Any]:
    """The function that `torch.compile` calls for each graph that it traces: it returns what runs the graph, which is
    PyTorch, and notes the graph and its calls.

    Options, as in `torch.compile(model, backend="ndpir", options={"machine": "h100-aim"})`: `machine`, `passes`,
    `library` and `settings`, as `ndpir.compile` takes them. Raises InputError for others."""
    options = _options(given.get("options") or {})
    _hook()
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func

    titles = _titles(module, inputs)
    found: dict[str, str] = {}

    def compiler(kind: str) -> Callable[..., Any]:
        def compile_graph(traced: Any, _: Sequence[Any]) -> Any:
            placeholders = [node for node in traced.graph.nodes if node.op == "placeholder"]
            if kind == "backward":
                parameters = {node.name: found[node.name] for node in placeholders if node.name in found}
            else:
                parameters = {
                    node.name: titles[at] for at, node in enumerate(placeholders) if at < len(titles) and titles[at]
                }
                found.update(parameters)
            graph = Graph(traced, kind, parameters, options)
            _recording.graphs.append(graph)
            return make_boxed_func(_timed(graph, traced.forward))

        return compile_graph

    return aot_autograd(
        fw_compiler=compiler("forward"), bw_compiler=compiler("backward"), inference_compiler=compiler("inference")
    )(module, inputs)


def _options(given: Mapping[str, Any]) -> Options:
    for name in given:
        if name not in _OPTIONS:
            raise InputError(f"the backend has no option `{name}`; its options are {', '.join(_OPTIONS)}")
    return Options(**given)


def _timed(graph: Graph, run: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        began = _recording.began(graph)
        try:
            return run(*arguments)
        finally:
            _recording.ended(graph, began)

    return call


def _titles(module: Any, inputs: Sequence[Any]) -> list[str]:
    """For each input of a graph, the name of the parameter or buffer that it is; "" for other inputs."""
    import torch

    titles: list[str] = []
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    for at, node in enumerate(placeholders):
        value = inputs[at] if at < len(inputs) else None
        argument = node.meta.get("grapharg")
        source = ""
        with suppress(Exception):  # the source of an input has no stable interface
            source = argument.source.name if isinstance(argument.source.name, str) else argument.source.name()
        fixed = isinstance(value, torch.nn.Parameter) or "_parameters[" in source or "_buffers[" in source
        titles.append(_title(source) or node.name if fixed else "")
    return titles


def _title(source: str) -> str:
    """The name of a parameter as in `state_dict`, for `L['self']._modules['l']._parameters['weight']`."""
    import re

    return ".".join(re.findall(r"(?:_modules|_parameters|_buffers)\['([^']*)'\]", source))


def _hook() -> None:
    """Hear when PyTorch compiles, so that this time does not count as the model's."""
    if _recording in _hooked:
        return
    _hooked.append(_recording)
    from torch._dynamo.callback import callback_handler

    callback_handler.register_start_callback(_recording.compiling)
    callback_handler.register_end_callback(_recording.compiled)


def report() -> Report:
    """The answer for the compiled models that ran since the last `reset`: for each graph its time on its machine, and
    for the whole run the share of PyTorch's time that graphs show, with the reasons of graph breaks.

    Raises InputError if no compiled model ran."""
    ran = [graph for graph in _recording.graphs if graph.calls]
    if not ran:
        raise InputError(
            'no compiled model ran; call a model of torch.compile(model, backend="ndpir") first, then ask again'
        )
    return answered(_recording, ran, _breaks())


def _breaks() -> dict[str, int]:
    """The reasons of graph breaks since the last `reset`, each with the line of the user's code, and how often each was
    met."""
    from torch._dynamo.utils import counters, graph_break_reasons

    found: Counter[str] = Counter()
    for each in graph_break_reasons:
        line = next((f" ({Path(frame.filename).name}:{frame.lineno})" for frame in reversed(each.user_stack)), "")
        found[_title_of_break(each.reason) + line] += 1
    for reason, count in counters["unimplemented"].items():  # functions of which no graph was made
        title = _title_of_break(reason)
        if not any(each.startswith(title) for each in found):
            found[title] = count
    return dict(found)


def _title_of_break(reason: str) -> str:
    """PyTorch's title of a graph break."""
    title = reason.partition("\n")[0].strip()
    return "Data-dependent branching" if title.startswith("generic_jump") else title


def reset() -> None:
    """Forget all graphs, and the graph breaks that PyTorch noted."""
    from torch._dynamo.utils import counters, graph_break_reasons

    fresh = Recording()
    _recording.__dict__.update(fresh.__dict__)
    graph_break_reasons.clear()
    counters["unimplemented"].clear()
