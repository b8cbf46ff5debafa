"""The shapes of a model's inputs: as stated in the model, with symbolic dimensions bound by `--dim`, or replaced by
`--shape`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from onnx import TypeProto, ValueInfoProto

from dialects import graph as g
from dialects.element_types import tensor_type
from ndpir.frontends.onnx.model import printable, refusal
from ndpir.frontends.onnx.tensors import TensorError, checked_shape, element_type


class Extents:
    """The shapes of the inputs in one import, with extents for symbolic dimensions.

    `dims`: extents of symbolic dimensions; an unnamed dimension is called `INPUT.AXIS`. `shapes`: complete shapes of
    inputs, which replace those in the model; they also determine the extents of the symbolic dimensions at the same
    positions.
    """

    def __init__(
        self,
        inputs: Sequence[ValueInfoProto],
        path: str,
        dims: Mapping[str, int],
        shapes: Mapping[str, Sequence[int]],
    ) -> None:
        self.path = path
        self.inputs = inputs
        self.shapes = {name: tuple(map(int, shape)) for name, shape in shapes.items()}
        self.dims = dict(dims)
        self.changed: list[str] = []
        """Descriptions of inputs with replaced shapes, for messages."""
        self._check_names()
        self._bind()

    def types(self) -> list[g.Tensor]:
        """The type of each input. Raises InputError if a dimension has no extent, or if `dims` has a name that is not
        the name of a dimension."""
        unbound: dict[str, list[str]] = {}
        met: set[str] = set()
        types = [self._type(value, unbound, met) for value in self.inputs]
        if unbound:
            bearers = "; ".join(f"`{dim}` of {', '.join(where)}" for dim, where in unbound.items())
            options = " ".join(f"--dim {dim}=N" for dim in unbound)
            self._fail(f"these dimensions have no extent: {bearers}; give them one ({options})")
        if unknown := [dim for dim in self.dims if dim not in met]:
            has = (
                f"its symbolic dimensions are {', '.join(sorted(met))}" if met else "all its dimensions have an extent"
            )
            self._fail(f"the model has no dimension `{unknown[0]}` to bind; {has}")
        return types

    def fits(self, declared: TypeProto.Tensor, found: tuple[int, ...]) -> bool:
        """True if the shape `found` matches the declared shape of an output. Constant extents in the declared shape are
        compared only if no shapes of inputs were replaced, since they are valid only for the original shapes."""
        if not declared.HasField("shape"):
            return True
        extents = [
            (None if self.changed else dim.dim_value) if dim.HasField("dim_value") else self.dims.get(dim.dim_param)
            for dim in declared.shape.dim
        ]
        return len(extents) == len(found) and all(e in (None, n) for e, n in zip(extents, found, strict=True))

    def why(self) -> str:
        """A suffix for error messages about nodes if shapes of inputs were replaced: constants of the model may fit the
        original shapes only."""
        if not self.changed:
            return ""
        return f"; {' and '.join(self.changed)}, and constants of the model may fit the original shape only"

    def _fail(self, message: str) -> NoReturn:
        raise refusal(message, self.path)

    def _check_names(self) -> None:
        """Raise InputError for a shape of an unknown input, and for an invalid shape."""
        names = [value.name for value in self.inputs]
        for name, shape in self.shapes.items():
            if name not in names:
                has = f"its inputs are {', '.join(names)}" if names else "it has none"
                self._fail(f"the model has no input `{name}` to give a shape to; {has}")
            if min(shape, default=1) < 1:
                self._fail(f"the shape given to input `{name}` must hold extents of at least 1, not {list(shape)}")

    def _bind(self) -> None:
        """Determine the extents of symbolic dimensions from the given shapes, by their positions."""
        binder = dict.fromkeys(self.dims, "--dim")
        for value in self.inputs:
            shape, stated = self.shapes.get(value.name), value.type.tensor_type.shape.dim
            if shape is None or not value.type.tensor_type.HasField("shape"):
                continue
            if len(shape) != len(stated):
                self._fail(
                    f"input `{value.name}` has {len(stated)} axes ({stated_shape(value.type.tensor_type)}), "
                    f"but the shape {_written(shape)} given to it has {len(shape)}"
                )
            for axis, (dim, extent) in enumerate(zip(stated, shape, strict=True)):
                if dim.HasField("dim_value"):
                    continue
                name, here = dim.dim_param or f"{value.name}.{axis}", f"the shape of input `{value.name}`"
                if self.dims.setdefault(name, extent) != extent:
                    self._fail(
                        f"the dimension `{name}` is {self.dims[name]} in {binder[name]} and {extent} in {here}; "
                        "give it the same extent everywhere"
                    )
                binder.setdefault(name, here)
            if any(
                dim.HasField("dim_value") and dim.dim_value != extent for dim, extent in zip(stated, shape, strict=True)
            ):
                self.changed.append(
                    f"input `{value.name}` was given the shape {_written(shape)} in place of "
                    f"{stated_shape(value.type.tensor_type)}"
                )

    def _type(self, value: ValueInfoProto, unbound: dict[str, list[str]], met: set[str]) -> g.Tensor:
        """The graph-level type of an input. Adds the names of its symbolic dimensions to `met`, and those without an
        extent to `unbound`."""
        if value.type.WhichOneof("value") != "tensor_type":
            kind = (value.type.WhichOneof("value") or "value of unknown type").removesuffix("_type")
            self._fail(f"input `{value.name}` is a {kind}; only tensors are supported")
        stated = value.type.tensor_type
        if not stated.HasField("shape") and value.name not in self.shapes:
            self._fail(f"input `{value.name}` states no shape; give it one (--shape {value.name}=1x2x3)")
        extents: list[int] = []
        for axis, dim in enumerate(stated.shape.dim):
            if dim.HasField("dim_value"):
                extents.append(dim.dim_value)
                continue
            name = dim.dim_param or f"{value.name}.{axis}"
            met.add(name)
            if name not in self.dims:
                unbound.setdefault(name, []).append(f"input `{value.name}` (axis {axis})")
            extents.append(self.dims.get(name, 1))
        try:
            shape = checked_shape(self.shapes.get(value.name, extents))
            return tensor_type(shape, element_type(stated.elem_type))
        except TensorError as error:
            self._fail(f"input `{value.name}` {error}")


def stated_shape(type_: TypeProto.Tensor) -> str:
    """The shape of a tensor type in the model, as text: `1x3x?xw`."""
    return "x".join(
        str(dim.dim_value) if dim.HasField("dim_value") else printable(dim.dim_param or "?") for dim in type_.shape.dim
    )


def declared(type_: TypeProto.Tensor) -> str:
    """A declared tensor type in the graph dialect's syntax, with symbolic dimensions by name."""
    try:
        element = str(element_type(type_.elem_type)) if type_.elem_type else "?"
    except TensorError:
        element = "?"
    if not type_.HasField("shape"):
        return f"tensor<*x{element}>"
    return f"tensor<{'x'.join(filter(None, (stated_shape(type_), element)))}>"


def _written(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))
