"""Reader of ONNX files, with checks of model-level properties: versions, names, order of nodes, operators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Final

import onnx
from google.protobuf.message import DecodeError
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, defs

from dialects.diagnostics import InputError
from dialects.files import read_regular, reason_of
from interp.figures import first_of, percent
from ndpir.frontends.onnx.functions import OLDEST_OPSET, Functions
from ndpir.frontends.onnx.opaque import FLAG, why_never
from ndpir.frontends.onnx.operators import MAIN, OPERATORS, signature
from ndpir.frontends.onnx.subgraphs import all_nodes, graphs_of, read_by
from ndpir.frontends.onnx.unsupported import Unsupported, ways_out

NEWEST_OPSET: Final = 28
"""The newest opset that is tested; newer ones are accepted if the model's operators have not changed since."""

_LISTED: Final = 6
_SHOWN: Final = 200
_LARGEST: Final = 2 << 30
"""The largest size of a protobuf message in bytes."""


def refusal(message: str, path: str) -> InputError:
    """The InputError for a problem with the model at `path`."""
    return InputError(_one_line(message), at=path)


def printable(text: str) -> str:
    """`text` on one line, for messages: control characters are escaped, and of long names only beginning and end are
    kept."""
    if len(text) > _SHOWN:
        text = f"{text[: _SHOWN // 2]}…{text[-_SHOWN // 2 :]}"
    return _one_line(text)


def _one_line(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def read_model(path: str) -> ModelProto:
    """The model at `path`, without its external weights. Raises InputError if the file can't be read or is no valid
    model."""
    try:
        data = read_regular(path, "save its weights in a separate file (save_as_external_data)", _LARGEST)
    except (OSError, ValueError) as error:
        raise refusal(f"can't read the model: {reason_of(error)}", path) from None
    try:
        model = onnx.load_model_from_string(data)
    except (DecodeError, ValueError):
        raise refusal("this is not an ONNX model, or it is incomplete; export it again", path) from None
    if not model.HasField("graph") or not model.opset_import:
        raise refusal("this is not an ONNX model: it has no graph or no opset; export it again", path)
    if not all(isinstance(text, str) for text in _texts(model.graph)):
        raise refusal(
            "this is not an ONNX model, or it is damaged: a name in it is not UTF-8 text; export it again", path
        )
    return model


def _texts(graph: GraphProto) -> Iterator[object]:
    """All names and other strings of a model that the import uses. Protobuf returns strings that are invalid UTF-8 as
    bytes."""
    tensors = list(graph.initializer)
    for node in all_nodes(graph):
        for inner in graphs_of(node):
            tensors += inner.initializer
            yield from (value.name for value in (*inner.input, *inner.output))
        yield from (node.name, node.domain, node.op_type, *node.input, *node.output)
        for attribute in node.attribute:
            yield attribute.name
            if attribute.type == AttributeProto.TENSOR:
                tensors.append(attribute.t)
    for tensor in tensors:
        yield tensor.name
        for entry in (*tensor.external_data, *tensor.metadata_props):
            yield from (entry.key, entry.value)
    for value in (*graph.input, *graph.output):
        yield value.name
        yield from (dim.dim_param for dim in value.type.tensor_type.shape.dim)


def opset_of(model: ModelProto, path: str) -> int:
    """The opset of the main domain. Raises InputError if it is not supported."""
    versions = {entry.version for entry in model.opset_import if entry.domain in MAIN}
    if not versions and not any(node.domain in MAIN for node in model.graph.node):
        return NEWEST_OPSET
    if len(versions) != 1:
        raise refusal(f"the model states {len(versions)} opsets of the main domain; it must state one", path)
    (version,) = versions
    if not OLDEST_OPSET <= version <= defs.onnx_opset_version():
        raise refusal(
            f"opset {version} is not supported: {OLDEST_OPSET} to {NEWEST_OPSET} are, and up to "
            f"{defs.onnx_opset_version()} operators that have not changed since; convert it (onnx.version_converter)",
            path,
        )
    return version


def node_label(node: NodeProto) -> str:
    """The description of a node in messages and locations: its name, or else its operator and first output."""
    return printable(node.name or f"{node.op_type}:{next(filter(None, node.output), '')}")


def check_operators(model: ModelProto, opset: int, path: str, functions: Functions) -> None:
    """Raise one InputError that lists all unsupported operators, with their nodes and the ways to avoid them."""
    missing: dict[Unsupported, list[str]] = {}
    cache: dict[tuple[str, str], Unsupported | None] = {}
    nodes_of_model = 0
    for node in all_nodes(model.graph):
        nodes_of_model += 1
        key = (node.domain, node.op_type)
        if key not in cache:
            try:
                found = functions.missing(node, opset)
            except InputError as error:
                raise refusal(error.message, path) from None
            cache[key] = None if found is None else _unsupported(*found)
        if (problem := cache[key]) is not None:
            missing.setdefault(problem, []).append(node_label(node))
    if missing:
        listed = "; ".join(f"{each.text} (node {_some(nodes)})" for each, nodes in missing.items())
        plural = "s are" if len(missing) > 1 else " is"
        ways = ways_out(missing, list(OPERATORS))
        shares = [
            f"{each.text} ({len(nodes)} of {nodes_of_model} nodes, {percent(len(nodes) / nodes_of_model)})"
            for each, nodes in missing.items()
            if each.may_be_opaque and functions.opaque is None
        ]
        opaque = f"; {FLAG} runs on the primary device, timed by bytes: {first_of(shares, _LISTED)}" if shares else ""
        raise refusal(f"{len(missing)} operator{plural} not supported: {listed}; {ways}{opaque}", path)


def _unsupported(node: NodeProto, opset: int) -> Unsupported:
    """The operator of a node that can't be imported, with the reason."""
    domain, name, may_be_opaque = node.domain, node.op_type, why_never(node, opset) is None
    if domain not in MAIN:
        return Unsupported(domain, name, printable(f"{domain}.{name}"), "", may_be_opaque)
    found = signature(name, opset)
    if name not in OPERATORS:
        return Unsupported("", name, printable(name) or "an operator without name", "", may_be_opaque)
    if found is None:
        return Unsupported("", name, f"{name}, which does not exist in opset {opset}", "a newer opset")
    return Unsupported("", name, f"{name} as changed in opset {found.since}", f"opset {found.since - 1}", may_be_opaque)


def _some(names: Sequence[str]) -> str:
    return first_of([f'"{name}"' for name in names], _LISTED)


def in_order(graph: GraphProto, path: str) -> Sequence[NodeProto]:
    """The nodes in an order in which each node comes after the nodes whose outputs it reads. Raises InputError for
    cycles, missing and repeated names."""
    producer: dict[str, int] = {}
    known = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    for index, node in enumerate(graph.node):
        for name in filter(None, node.output):
            if name in producer or name in known:
                raise refusal(
                    f"{_node(node)}: the name `{name}` is already used by another value; rename one of them", path
                )
            producer[name] = index
    reads = [read_by(node) for node in graph.node]
    for node, names in zip(graph.node, reads, strict=True):
        for name in names:
            if name not in known and name not in producer:
                raise refusal(
                    f"{_node(node)}: no node or initialiser of the model gives its input `{name}`; add one", path
                )
    if all(producer.get(name, -1) < index for index, names in enumerate(reads) for name in names):
        return graph.node
    return _sorted(graph.node, reads, producer, path)


def _sorted(
    nodes: Sequence[NodeProto], reads: Sequence[Sequence[str]], producer: dict[str, int], path: str
) -> list[NodeProto]:
    """The nodes in topological order. `reads`: the names that each reads."""
    needed = {index: [producer[name] for name in names if name in producer] for index, names in enumerate(reads)}
    try:
        return [nodes[index] for index in TopologicalSorter(needed).static_order()]
    except CycleError as error:
        cycle: list[int] = error.args[1][:0:-1]  # first and last are equal; each node needs the next one
        first = cycle.index(min(cycle))
        names = [f'"{node_label(nodes[index])}"' for index in (*cycle[first:], *cycle[: first + 1])]
        raise refusal(f"the graph has a cycle: {' needs '.join(names)}; remove one of these inputs", path) from None


def _node(node: NodeProto) -> str:
    return f'node "{node_label(node)}" ({node.op_type})'
