"""The axes of a model's inputs that count samples, tokens, and cached tokens, found from the nodes that read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from onnx import GraphProto, NodeProto, ValueInfoProto

Place: TypeAlias = tuple[str, int]
"""The name of an input, and one of its axes."""

ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "batch": ("b", "n", "batch_size"),
    "sequence": ("s", "seq", "seq_len", "sequence_length"),
    "cache": ("past", "cache_length", "past_sequence_length"),
}
"""The names that `--dim` accepts for the roles of a model's axes, apart from the role itself."""

_UNCHANGED: Final = ("Cast", "Identity")
_MOVING: Final = (*_UNCHANGED, "Transpose", "Reshape", "Expand", "Unsqueeze", "Squeeze", "Mul", "Div")
_PAST: Final = (4, 5)
"""The inputs of `Attention` that are caches of keys and values."""


def role_of(name: str) -> str | None:
    """The role that a name stands for."""
    return next((role for role, others in ALIASES.items() if name == role or name in others), None)


def rank_of(value: ValueInfoProto) -> int:
    """The number of axes of an input as stated."""
    return len(value.type.tensor_type.shape.dim)


def batch_places(inputs: Sequence[ValueInfoProto]) -> list[Place]:
    """Axis 0 of each input that has at least two axes and, on axis 0, as many elements as the first such input."""
    wide = [value for value in inputs if rank_of(value) > 1]
    return [(value.name, 0) for value in wide if _dim(value, 0) == _dim(wide[0], 0)]


def _dim(value: ValueInfoProto, axis: int) -> int | str:
    dim = value.type.tensor_type.shape.dim[axis]
    return dim.dim_value if dim.HasField("dim_value") else dim.dim_param


class Readers:
    """The nodes that read each value of a graph."""

    def __init__(self, graph: GraphProto) -> None:
        self.readers: dict[str, list[tuple[NodeProto, int]]] = {}
        nodes = [node for node in graph.node if node.output]  # the import refuses others
        for node in nodes:
            for index, name in enumerate(node.input):
                self.readers.setdefault(name, []).append((node, index))
        self.has_sums = any(node.op_type == "CumSum" for node in nodes)
        """True if a node sums elements up, as models do that compute positions from a mask."""
        self.constant = {tensor.name for tensor in graph.initializer}
        self.constant |= {node.output[0] for node in nodes if node.op_type == "Constant"}

    def sequence_places(self, inputs: Sequence[ValueInfoProto]) -> list[Place]:
        """Axis 1 of the inputs that are looked up in a table of the model (token numbers), else that of inputs of three
        axes (embeddings)."""
        tokens = [value.name for value in inputs if rank_of(value) == 2 and self._is_looked_up(value.name)]
        embeddings = [value.name for value in inputs if rank_of(value) == 3]
        return [(name, 1) for name in tokens or embeddings]

    def _is_looked_up(self, name: str) -> bool:
        waiting = [name]
        for each in waiting:
            for value, _ in self._through(each, None):
                for node, index in self.readers.get(value, ()):
                    if node.op_type == "Gather" and index == 1 and node.input[0] in self.constant:
                        return True
                    if node.op_type == "Reshape" and index == 0:
                        waiting.append(node.output[0])
        return False

    def cache_places(self, inputs: Sequence[ValueInfoProto]) -> list[Place]:
        """For each input that is a cache, the axis of its tokens: new keys or values are joined to it along this axis
        before a matrix product or attention reads it."""
        found: list[Place] = []
        names = {value.name for value in inputs}
        for value in inputs:
            rank = rank_of(value)
            axis = self._cache_axis(value.name, rank, names) if rank >= 3 else None
            if axis is not None:
                found.append((value.name, axis))
        return found

    def _cache_axis(self, name: str, rank: int, inputs: set[str]) -> int | None:
        for value, order in self._through(name, list(range(rank))):
            for node, index in self.readers.get(value, ()):
                if node.op_type == "Attention" and index in _PAST and order is not None:
                    return order[2]
                if node.op_type != "Concat" or index or order is None or not self._is_new(node, inputs):
                    continue
                axis = next((each.i for each in node.attribute if each.name == "axis"), 0)
                if self._is_multiplied(node.output[0]):
                    return order[axis % rank]
        return None

    def _is_new(self, node: NodeProto, inputs: set[str]) -> bool:
        """True if a Concat joins values that nodes compute to its first input."""
        return len(node.input) > 1 and all(name not in inputs and name not in self.constant for name in node.input[1:])

    def _through(self, name: str, order: list[int] | None) -> Iterator[tuple[str, list[int] | None]]:
        """The value, and those computed from it by casts and transposes, each with the axes of the value that its axes
        are."""
        waiting = [(name, order)]
        while waiting:
            name, order = waiting.pop()
            yield name, order
            found: list[tuple[str, list[int] | None]] = []
            for node, index in self.readers.get(name, ()):
                if index:
                    continue
                if node.op_type in _UNCHANGED:
                    found.append((node.output[0], order))
                elif node.op_type == "Transpose" and order is not None:
                    given = next((list(each.ints) for each in node.attribute if each.name == "perm"), None)
                    axes = range(len(order))[::-1] if given is None else given
                    if sorted(axes) == list(range(len(order))):
                        found.append((node.output[0], [order[axis] for axis in axes]))
            waiting += reversed(found)

    def _is_multiplied(self, name: str) -> bool:
        """True if a matrix product or attention reads a value, or the value after it was moved or scaled."""
        waiting, seen = [name], set[str]()
        while waiting:
            here = waiting.pop()
            for node, index in self.readers.get(here, ()):
                if node.op_type in ("MatMul", "Attention"):
                    return True
                if node.op_type in _MOVING and not index and node.output[0] not in seen:
                    seen.add(node.output[0])
                    waiting.append(node.output[0])
        return False
