"""The shapes of a model's inputs: as stated in the model, with symbolic dimensions bound, and the changes of fixed ones
(`--dim`, `--shape`, `--batch`, `--cache-length`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from onnx import ModelProto, TensorShapeProto, TypeProto, ValueInfoProto

from dialects import graph as g
from dialects.diagnostics import note
from dialects.element_types import tensor_type
from interp.figures import first_of
from lowering.resizing.extents import Change
from ndpir.frontends.onnx.model import printable, refusal
from ndpir.frontends.onnx.roles import Place, Readers, batch_places, rank_of, role_of
from ndpir.frontends.onnx.tensors import TensorError, checked_shape, element_type
from ndpir.frontends.sizes import Sizes


class Extents:
    """The shapes of one import: as stated in the model, with extents for symbolic dimensions, and the changes of fixed
    ones.

    The model is imported with the shapes that `types` returns, in which fixed dimensions are as stated, and `changes`
    are made in the imported program afterwards.
    """

    def __init__(self, inputs: Sequence[ValueInfoProto], path: str, sizes: Sizes, readers: Readers) -> None:
        self.path = path
        self.inputs = inputs
        self.sizes = sizes
        self.readers = readers
        self.dims: dict[str, int] = {}
        """The extents of symbolic dimensions, by name; an unnamed dimension is called `INPUT.AXIS`."""
        self.given: dict[Place, tuple[int, str]] = {}
        """The requested extents of fixed dimensions, each with the flag that gives it."""
        self.samples: set[Place] = set()
        """The axes that count samples of the batch."""
        self._binder: dict[str, str] = {}
        self._unknown: str | None = None
        self._check_names()
        for name, size in sizes.dims.items():
            self._give_dim(name, size)
        for value in inputs:
            self._give_shape(value)
        if sizes.batch is not None:
            self._give_batch(sizes.batch, "--batch")
        if sizes.cache_length is not None:
            self._give("cache", sizes.cache_length, "--cache-length")
        if self._unknown is not None:
            self._fail_unknown(self._unknown)

    def types(self) -> list[g.Tensor]:
        """The type of each input, with fixed dimensions as stated. Raises InputError if a dimension has no extent."""
        unbound: dict[str, list[str]] = {}
        types = [self._type(value, unbound) for value in self.inputs]
        if unbound:
            bearers = "; ".join(f"`{dim}` of {', '.join(where)}" for dim, where in unbound.items())
            options = " ".join(f"--dim {dim}=N" for dim in unbound)
            self._fail(f"these dimensions have no extent: {bearers}; give them one ({options})")
        return types

    @property
    def changes(self) -> list[Change]:
        """The fixed dimensions that get another extent than the stated one."""
        stated = {(value.name, axis): dim for value in self.inputs for axis, dim in enumerate(_dims(value))}
        numbers = {value.name: number for number, value in enumerate(self.inputs)}
        return [
            Change(numbers[place[0]], place[1], extent, f"input `{place[0]}`", place in self.samples)
            for place, (extent, _) in self.given.items()
            if stated[place].dim_value != extent
        ]

    def note_positions(self) -> None:
        """Print a note if the caches of a decoder get another length, and its positions may be constants: they are not
        computed from the mask, and no input has a number for each token beside the tokens themselves."""
        caches = {name for name, _ in self._places("cache")}
        if not any(self.inputs[change.argument].name in caches and not change.is_batch for change in self.changes):
            return
        tokens = {self._stated(place) for place in self._places("sequence")}
        given = [value for value in self.inputs if rank_of(value) == 2 and self._stated((value.name, 1)) in tokens]
        if len(given) < 2 and not self.readers.has_sums:
            note(
                "no input of the model gives positions; if they are constants in the model, they stay those behind the "
                "exported cache",
                self.path,
            )

    def fits(self, declared: TypeProto.Tensor, found: tuple[int, ...]) -> bool:
        """True if `found` matches the declared shape of an output, before changes."""
        if not declared.HasField("shape"):
            return True
        extents = [
            dim.dim_value if dim.HasField("dim_value") else self.dims.get(dim.dim_param) for dim in declared.shape.dim
        ]
        return len(extents) == len(found) and all(e in (None, n) for e, n in zip(extents, found, strict=True))

    def _fail(self, message: str) -> NoReturn:
        raise refusal(message, self.path)

    def _check_names(self) -> None:
        """Raise InputError for a shape of an unknown input, and for an invalid shape."""
        names = [value.name for value in self.inputs]
        for name, shape in self.sizes.shapes.items():
            if name not in names:
                has = f"its inputs are {', '.join(names)}" if names else "it has none"
                self._fail(f"the model has no input `{name}` to give a shape to; {has}")
            if min(shape, default=1) < 1:
                self._fail(f"the shape given to input `{name}` must hold extents of at least 1, not {list(shape)}")

    def _give_dim(self, name: str, size: int) -> None:
        """Give a dimension its extent: a symbolic one by name, an axis as `INPUT.AXIS`, or the axes of a role."""
        places = {f"{value.name}.{axis}": (value.name, axis) for value in self.inputs for axis in range(rank_of(value))}
        if any(self._symbol(value.name, axis) == name for value in self.inputs for axis in range(rank_of(value))):
            self._bind(name, size, "--dim")
        elif name in places:
            self._set(places[name], size, f"--dim {name}")
        elif (role := role_of(name)) == "batch" and batch_places(self.inputs):
            self._give_batch(size, f"--dim {name}")
        elif role in ("sequence", "cache") and self._places(role):
            self._give(role, size, f"--dim {name}")
        else:
            self._unknown = self._unknown or name

    def _give_shape(self, value: ValueInfoProto) -> None:
        """Give the axes of an input the extents of its shape, if it is given one."""
        shape, stated = self.sizes.shapes.get(value.name), value.type.tensor_type
        if shape is None or not stated.HasField("shape"):
            return
        if len(shape) != rank_of(value):
            self._fail(
                f"input `{value.name}` has {rank_of(value)} axes ({stated_shape(stated)}), "
                f"but the shape {_written(shape)} given to it has {len(shape)}"
            )
        try:
            checked_shape(shape)
        except TensorError as error:
            self._fail(f"input `{value.name}` {error}")
        samples = {*batch_places(self.inputs)} if rank_of(value) > 1 else {(value.name, 0)}
        for axis, extent in enumerate(shape):
            place = value.name, axis
            if axis == 0 and place in samples and self.sizes.batch in (None, extent):
                self.samples.add(place)
            self._set(place, extent, f"the shape of input `{value.name}`")

    def _give_batch(self, size: int, flag: str) -> None:
        """Give the axes that count samples their extent. Raises InputError for an input of one axis of which it is not
        known if it counts samples."""
        places = batch_places(self.inputs)
        if not places:
            self._fail(f"{flag}: no input of the model has two axes, so that none counts samples; use --shape")
        first = self._stated(places[0])
        for value in self.inputs:
            if rank_of(value) == 1 and self._stated((value.name, 0)) == first and value.name not in self.sizes.shapes:
                self._fail(
                    f"{flag}: input `{value.name}` has one axis of {first}, and may have one number for each sample or "
                    f"one for all; say which with --shape {value.name}={size} or --shape {value.name}={first}"
                )
        for place in places:
            self.samples.add(place)
            self._set(place, size, flag)

    def _places(self, role: str) -> list[Place]:
        find = self.readers.cache_places if role == "cache" else self.readers.sequence_places
        return find(self.inputs)

    def _give(self, role: str, size: int, flag: str) -> None:
        """Give the axes of a role their extent."""
        places = self._places(role)
        if not places:
            self._fail(
                f"{flag}: no input of the model is a cache: a tensor to which new keys or values are joined before "
                "attention reads it; give inputs their shapes with --shape"
            )
        for place in places:
            self._set(place, size, flag)

    def _set(self, place: Place, extent: int, flag: str) -> None:
        """Give an axis its extent, be it fixed or symbolic."""
        name = self._symbol(*place)
        if name is not None:
            self._bind(name, extent, flag)
            return
        before, other = self.given.setdefault(place, (extent, flag))
        if before != extent:
            self._fail(
                f"axis {place[1]} of input `{place[0]}` is {before} in {other} and {extent} in {flag}; give it the "
                "same extent everywhere"
            )

    def _bind(self, name: str, extent: int, flag: str) -> None:
        if self.dims.setdefault(name, extent) != extent:
            self._fail(
                f"the dimension `{name}` is {self.dims[name]} in {self._binder[name]} and {extent} in {flag}; "
                "give it the same extent everywhere"
            )
        self._binder.setdefault(name, flag)

    def _symbol(self, name: str, axis: int) -> str | None:
        """The name of a symbolic dimension; None for a fixed one."""
        value = next(each for each in self.inputs if each.name == name)
        dim = _dims(value)[axis]
        return None if dim.HasField("dim_value") else dim.dim_param or f"{name}.{axis}"

    def _stated(self, place: Place) -> int | str:
        """The extent or the name of a dimension."""
        value = next(each for each in self.inputs if each.name == place[0])
        return self._symbol(*place) or _dims(value)[place[1]].dim_value

    def _fail_unknown(self, name: str) -> NoReturn:
        symbols = {
            symbol
            for value in self.inputs
            for axis in range(rank_of(value))
            if (symbol := self._symbol(value.name, axis)) is not None
        }
        if symbols:
            has = f"its symbolic dimensions are {', '.join(sorted(symbols))}"
        else:
            roles = {"batch": batch_places(self.inputs), "sequence": self._places("sequence")}
            roles["cache"] = self._places("cache")
            known = [f"`{role}` ({_listed(places)})" for role, places in roles.items() if places]
            has = "all its dimensions have an extent; others can be given to " + ", ".join([*known, "INPUT.AXIS"])
        self._fail(f"the model has no dimension `{name}` to bind; {has}")

    def _type(self, value: ValueInfoProto, unbound: dict[str, list[str]]) -> g.Tensor:
        """The type of an input; collects unbound symbolic dimensions."""
        if value.type.WhichOneof("value") != "tensor_type":
            kind = (value.type.WhichOneof("value") or "value of unknown type").removesuffix("_type")
            self._fail(f"input `{value.name}` is a {kind}; only tensors are supported")
        stated = value.type.tensor_type
        if not stated.HasField("shape") and value.name not in self.sizes.shapes:
            self._fail(f"input `{value.name}` states no shape; give it one (--shape {value.name}=1x2x3)")
        extents: list[int] = []
        for axis, dim in enumerate(stated.shape.dim):
            name = self._symbol(value.name, axis)
            if name is None:
                extents.append(dim.dim_value)
                continue
            extent = self.dims.get(name, self._total())
            if extent is None:
                unbound.setdefault(name, []).append(f"input `{value.name}` (axis {axis})")
            extents.append(extent or 1)
        try:
            shape = checked_shape(extents if stated.HasField("shape") else self.sizes.shapes[value.name])
            return tensor_type(shape, element_type(stated.elem_type))
        except TensorError as error:
            self._fail(f"input `{value.name}` {error}")

    def _total(self) -> int | None:
        """The number of cached and new tokens, for a symbolic dimension without extent, such as that of the mask of a
        decoder; None if they are not known. The import fails if the model needs another extent."""
        if self.sizes.cache_length is None:
            return None
        tokens = {self._stated(place) for place in self._places("sequence")}
        if len(tokens) != 1:
            return None
        (new,) = tokens
        count = self.dims.get(new) if isinstance(new, str) else new
        return None if count is None else self.sizes.cache_length + count


def names_of(model: ModelProto) -> tuple[list[str], list[str]]:
    """The names of a model's dimensions, for `--dim`: symbolic ones, roles, and `INPUT.AXIS`; and those of its inputs,
    for `--shape`."""
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in weights]
    dims = [(value.name, axis, dim) for value in inputs for axis, dim in enumerate(_dims(value))]
    symbols = {dim.dim_param for _, _, dim in dims if dim.dim_param}
    readers = Readers(model.graph)
    roles = {
        "batch": batch_places(inputs),
        "sequence": readers.sequence_places(inputs),
        "cache": readers.cache_places(inputs),
    }
    known = [role for role, places in roles.items() if places and role not in symbols]
    return [*sorted(symbols), *known, *(f"{name}.{axis}" for name, axis, _ in dims)], [value.name for value in inputs]


def _dims(value: ValueInfoProto) -> Sequence[TensorShapeProto.Dimension]:
    return value.type.tensor_type.shape.dim


def _listed(places: Sequence[Place]) -> str:
    return first_of([f"{name}.{axis}" for name, axis in places], 3)


def stated_shape(type_: TypeProto.Tensor) -> str:
    """The shape of a tensor type in the model, as text: `1x3x?xw`."""
    return "x".join(
        str(dim.dim_value) if dim.HasField("dim_value") else printable(dim.dim_param or "?") for dim in type_.shape.dim
    )


def declared(type_: TypeProto.Tensor) -> str:
    """A declared type in our syntax, with symbolic dimensions by name."""
    try:
        element = str(element_type(type_.elem_type)) if type_.elem_type else "?"
    except TensorError:
        element = "?"
    if not type_.HasField("shape"):
        return f"tensor<*x{element}>"
    return f"tensor<{'x'.join(filter(None, (stated_shape(type_), element)))}>"


def _written(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))
