"""Exported programs in memory (`torch.export.ExportedProgram`, or a traced `torch.fx.GraphModule`) as records; weights
are bound by reference to the memory of their tensors."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.graph.constant import Held, HeldAttr
from ndpir.frontends.torch import program as records
from ndpir.frontends.torch.places import module_path, user_line

ELEMENTS: Mapping[str, str] = {
    "float32": "f32",
    "float64": "f64",
    "float16": "f16",
    "bfloat16": "bf16",
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "ui8",
    "uint16": "ui16",
    "uint32": "ui32",
    "uint64": "ui64",
    "float8_e4m3fn": "f8E4M3FN",
    "float8_e5m2": "f8E5M2",
    "float8_e4m3fnuz": "f8E4M3FNUZ",
    "float8_e5m2fnuz": "f8E5M2FNUZ",
    "float8_e8m0fnu": "f8E8M0FNU",
}
"""MLIR's names of element types by those of PyTorch."""
_USER = {"USER_INPUT": "user", "PARAMETER": "parameter", "BUFFER": "buffer", "CONSTANT_TENSOR": "constant"}
_CHANGES = ("BUFFER_MUTATION", "PARAMETER_MUTATION", "USER_INPUT_MUTATION")
_GRADIENTS = ("GRADIENT_TO_PARAMETER", "GRADIENT_TO_USER_INPUT")


def from_exported(program: Any, name: str = "<exported>") -> records.Program:
    """An `ExportedProgram` as records. Its weights are those of its state dict and its constants."""
    reading = _Reading()
    graph = reading.graph(program.graph_module)
    signature = program.graph_signature
    inputs = [reading.input(spec) for spec in signature.input_specs]
    results = [reading.result(spec) for spec in signature.output_specs]
    weights = {key: weight_of(key, value) for key, value in {**program.constants, **program.state_dict}.items()}
    ranges = {
        str(symbol): (_bound(each.lower), _bound(each.upper)) for symbol, each in program.range_constraints.items()
    }
    return records.Program(name, graph, inputs, results, weights, reading.hints, ranges)


def from_graph(
    module: Any, name: str = "<graph>", inputs: Sequence[str] = (), parameters: Mapping[str, str] | None = None
) -> records.Program:
    """A `GraphModule` of ATen ops as records: each placeholder is an input, each output a result. The nodes carry the
    types of their values (`meta["val"]`), as `make_fx` and AOT Autograd trace them. `inputs`: names for the inputs.
    `parameters`: titles of the inputs that are weights without numbers, by the placeholder's name."""
    reading = _Reading()
    graph = reading.graph(module)
    found: list[records.Input] = []
    for at, each in enumerate(graph.inputs):
        name = each.name if isinstance(each, records.Ref) else ""
        title = inputs[at] if at < len(inputs) else ""
        if name in (parameters or {}) and name in graph.tensors:
            found.append(records.Input("parameter", name, (parameters or {})[name]))
        else:
            found.append(records.Input("user" if name in graph.tensors else "number", name, title))
    results = [records.Result("user", each) for each in graph.outputs]
    weights = {key: weight_of(key, value) for key, value in reading.constants.items()}
    weights |= {each.target: absent(graph.tensors[each.name]) for each in found if each.kind == "parameter"}
    found += [records.Input("constant", key, key) for key in reading.constants]
    return records.Program(name, graph, found, results, weights, reading.hints)


def _bound(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError, AttributeError):  # an infinite bound
        return None


class _Reading:
    """One program that is being read."""

    def __init__(self) -> None:
        self.hints: dict[str, int] = {}
        self.constants: dict[str, Any] = {}
        self._metas: dict[tuple[Any, ...], records.TensorMeta] = {}

    # Values.

    def extent(self, value: Any) -> records.Extent:
        if isinstance(value, int):
            return int(value)
        node = value.node
        text = str(node.expr)
        if text.isdigit():
            return int(text)
        hint = getattr(node, "hint", None)
        if hint is not None and text.isidentifier():
            self.hints[text] = int(hint)
        return text

    def meta(self, tensor: Any) -> records.TensorMeta:
        dtype = str(tensor.dtype).removeprefix("torch.")
        element = ELEMENTS.get(dtype, dtype)
        if str(tensor.layout) != "torch.strided":
            return records.TensorMeta("sparse elements", tuple(map(self.extent, tensor.shape)), ())
        found = records.TensorMeta(
            element, tuple(map(self.extent, tensor.shape)), tuple(map(self.extent, tensor.stride()))
        )
        return self._metas.setdefault((found.element, found.shape, found.strides), found)

    def argument(self, value: Any, module: Any) -> records.Argument:
        """An argument of a node as a record."""
        import torch

        match value:
            case None | bool() | int() | float() | complex() | str():
                return value
            case torch.fx.Node():
                if value.op == "get_attr":
                    held = _attribute(module, str(value.target))
                    if isinstance(held, torch.fx.GraphModule):
                        return records.Subgraph(str(value.target), self.graph(held))
                return records.Ref(value.name)
            case torch.dtype():
                name = str(value).removeprefix("torch.")
                return records.ScalarType(ELEMENTS.get(name, name))
            case torch.SymInt() | torch.SymFloat() | torch.SymBool():
                return str(value.node.expr)
            case torch.device() | torch.layout() | torch.memory_format():
                return str(value)
            case list() | tuple() | dict():
                return [self.argument(each, module) for each in _items(value)]
            case _:
                return str(value)

    # Graphs.

    def graph(self, module: Any) -> records.Graph:
        """The graph of a module, with the graphs inside of its nodes."""
        import torch

        tensors: dict[str, records.TensorMeta] = {}
        numbers: dict[str, records.Extent | float | bool] = {}
        inputs: list[records.Argument] = []
        outputs: list[records.Argument] = []
        nodes: list[records.Node] = []
        taken = {node for node in module.graph.nodes if node.target is operator.getitem and _is_list(node.args[0])}
        for node in module.graph.nodes:
            self._note(node, node.meta.get("val"), tensors, numbers)
            if node.op == "placeholder":
                inputs.append(records.Ref(node.name))
            elif node.op == "output":
                flat, _ = torch.utils._pytree.tree_flatten(node.args[0])
                outputs = [self.argument(each, module) for each in flat]
            elif node.op == "get_attr":
                held = _attribute(module, str(node.target))
                if isinstance(held, torch.Tensor):
                    self.constants.setdefault(node.name, held)
                    tensors.setdefault(node.name, self.meta(held))
            elif node.op == "call_function" and node not in taken and not _is_of_numbers(node):
                nodes.append(self.node(node, module))
            elif node.op in ("call_module", "call_method"):
                nodes.append(records.Node(f"{node.op}.{node.target}", {}, [node.name], *_places(node)))
        return records.Graph(inputs, outputs, nodes, tensors, numbers)

    def _note(self, node: Any, value: Any, tensors: dict[str, records.TensorMeta], numbers: dict[str, Any]) -> None:
        import torch

        if isinstance(value, torch.Tensor):
            tensors[node.name] = self.meta(value)
        elif isinstance(value, bool | int | float):
            numbers[node.name] = value
        elif isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
            text = str(value.node.expr)
            numbers[node.name] = int(text) if text.isdigit() else text
            if isinstance(value, torch.SymInt):
                self.extent(value)
        elif isinstance(value, list | tuple):
            for at, each in enumerate(_items(value)):
                if isinstance(each, torch.Tensor):
                    tensors[f"{node.name}#{at}"] = self.meta(each)

    def node(self, node: Any, module: Any) -> records.Node:
        """A call as a record: arguments by the names of the operator's schema, or else by their number."""
        target, schema = _target(node.target)
        names = [each.name for each in schema.arguments] if schema is not None else []
        names += [str(at) for at in range(len(names), len(node.args))]
        inputs = dict(zip(names, (self.argument(each, module) for each in node.args), strict=False))
        inputs |= {key: self.argument(each, module) for key, each in node.kwargs.items()}
        return records.Node(target, inputs, self._outputs(node), *_places(node))

    def _outputs(self, node: Any) -> Sequence[records.Output]:
        """The names of a node's results: those of the nodes that pick them, or else of the node with their number."""
        value: Any = node.meta.get("val")
        if not _is_list(node):
            return [node.name]
        names: list[records.Output] = [None if each is None else f"{node.name}#{at}" for at, each in enumerate(value)]
        picked = [user for user in node.users if user.target is operator.getitem]
        for user in picked:
            names[user.args[1]] = user.name
        returns = _target(node.target)[1]
        is_list = returns is not None and len(returns.returns) == 1
        return [names] if is_list else names

    # The signature.

    def input(self, spec: Any) -> records.Input:
        kind = _USER.get(spec.kind.name)
        if kind is None or not hasattr(spec.arg, "name"):
            return records.Input(spec.kind.name.lower(), getattr(spec.arg, "name", ""))
        if type(spec.arg).__name__ == "ConstantArgument":
            return records.Input("number", spec.arg.name, value=spec.arg.value)
        return records.Input(kind, spec.arg.name, spec.target or "")

    def result(self, spec: Any) -> records.Result:
        name = spec.kind.name
        if type(spec.arg).__name__ == "ConstantArgument":
            return records.Result("user", spec.arg.value)
        argument = records.Ref(spec.arg.name)
        if name in _CHANGES:
            return records.Result("changed", argument, spec.target)
        if name in _GRADIENTS:
            return records.Result("gradient", argument, spec.target)
        return records.Result({"USER_OUTPUT": "user", "LOSS_OUTPUT": "loss"}.get(name, "token"), argument)


def _items(held: Any) -> list[Any]:
    return [*(held.values() if hasattr(held, "values") else held)]


def _is_list(node: Any) -> bool:
    return isinstance(node.meta.get("val"), list | tuple)


def _is_of_numbers(node: Any) -> bool:
    """True for a node that computes no tensor: a symbolic number, whose expression is known, a check, or a mark."""
    import torch

    if str(node.target).startswith("profiler."):
        return True  # marks for PyTorch's profiler, which optimizers set
    value = node.meta.get("val")
    if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool | int | float | bool):
        return True
    return value is None and not node.users and "assert" in str(node.target)


def _attribute(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name)
    return module


def _target(target: Any) -> tuple[str, Any]:
    """The name of what a node calls, and its schema (None if it has none)."""
    import torch

    if isinstance(target, torch._ops.OpOverload):
        return str(target), target._schema
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.name()}", None
    return f"{getattr(target, '__module__', '')}.{getattr(target, '__name__', target)}", None


def _places(node: Any) -> tuple[str, str]:
    """The module path and the user's line of a node."""
    stack: Mapping[str, tuple[Any, Any]] = node.meta.get("nn_module_stack") or {}
    module = module_path(str(held[0]) for held in stack.values())
    return module, user_line(node.meta.get("stack_trace") or "")


# Weights.

_numbers = count()


def weight_of(name: str, tensor: Any) -> records.Weight:
    """A tensor as a weight: its numbers stay in the tensor's memory, and are read when a run needs them. A tensor
    without numbers (fake, or on the device `meta`) gives a weight without numbers."""
    import torch

    if not isinstance(tensor, torch.Tensor):
        raise InputError(
            f"the constant `{name}` is an object of {type(tensor).__name__}, and no tensor; export a model of tensors"
        )
    reading = _Reading()
    from torch._subclasses.fake_tensor import FakeTensor

    inner = tensor.detach()
    if isinstance(inner, FakeTensor) or inner.is_meta:
        return absent(reading.meta(inner))
    if inner.device.type != "cpu" or type(tensor.data) is not torch.Tensor:
        raise_ = type(tensor.data).__name__ if inner.device.type == "cpu" else f"a tensor on {inner.device}"
        raise InputError(f"the weight `{name}` is {raise_}; read the program with plain tensors on the CPU")
    meta = reading.meta(inner)
    width = inner.element_size()

    def read(offset: int, count: int) -> Any:
        return _memory(inner)[offset * width : (offset + count) * width]

    def source(offset: int, count: int) -> g.WeightSource:
        key = f"torch.{next(_numbers)}.{name}"
        return HeldAttr(Held.lent(key, lambda: read(offset, count)))

    return records.Weight(meta, inner.storage_offset(), source, read)


def absent(meta: records.TensorMeta) -> records.Weight:
    """A weight without numbers."""
    return records.Weight(meta, 0, lambda offset, count: None, lambda offset, count: None)


def _memory(tensor: Any) -> memoryview:
    """The bytes of a tensor's storage, without a copy."""
    import torch

    storage = tensor.untyped_storage()
    flat = torch.empty(0, dtype=torch.uint8).set_(storage, 0, (storage.nbytes(),))
    return memoryview(flat.numpy())


def unpickled(name: str, data: bytes, path: str) -> records.Weight:
    """A pickled weight of a file that the user trusts. Raises InputError without PyTorch."""
    try:
        import torch
    except ImportError:
        raise InputError(
            f"reading the pickled weight `{name}` needs PyTorch (pip install ndpir[torch])", f"{path}:1:1"
        ) from None
    from io import BytesIO

    loaded = torch.load(BytesIO(data), weights_only=False)
    while type(loaded.data) is not torch.Tensor and hasattr(loaded, "dequantize"):
        loaded = loaded.dequantize()
    return weight_of(name, loaded)
