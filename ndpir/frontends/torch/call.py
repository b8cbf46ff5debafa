"""The table of ATen operators, and the view of a call for its converter: arguments, construction of ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn, Protocol, TypeAlias, TypeVar

import numpy as np
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.element_types import I1, ElementType, dtype_of, element_type_named, is_float, tensor_type
from dialects.graph.constant import LITERAL_LIMIT
from ndpir.frontends.construction import Array, Construction
from ndpir.frontends.formulas import Term
from ndpir.frontends.onnx.builder import BodyBuilder, known
from ndpir.frontends.torch.program import Argument, Node, Ref, ScalarType, Subgraph, TensorMeta

F32, F64, I64 = element_type_named("f32"), element_type_named("f64"), element_type_named("i64")

Results: TypeAlias = "SSAValue | Sequence[Results] | None"
Converter: TypeAlias = "Callable[[AtenCall], Results]"
CONVERTERS: Final[dict[str, Converter]] = {}
"""Converters by the name of the operator without its overload (`aten.add`), or with it (`aten.add.Tensor`), which is
looked up first. The modules of `aten/` fill it, and plugins can add to it."""
ConverterT = TypeVar("ConverterT", bound=Converter)


def converts(*names: str) -> Callable[[ConverterT], ConverterT]:
    """A decorator that registers a function as the converter of the operators with the given names, those of ATen
    without its name, each for all overloads or for one (`max.dim`)."""

    def enter(converter: ConverterT) -> ConverterT:
        for name in names:
            CONVERTERS[name if name.partition(".")[0] in NAMESPACES else f"aten.{name}"] = converter
        return converter

    return enter


COMPLEX_CONVERTERS: Final[dict[str, Converter]] = {}
"""Converters of calls with complex operands or results, by the name of the operator; no other operator takes them."""


def converts_complex(*names: str) -> Callable[[ConverterT], ConverterT]:
    """A decorator that registers a function as the converter of calls with complex numbers."""

    def enter(converter: ConverterT) -> ConverterT:
        COMPLEX_CONVERTERS.update({f"aten.{name}": converter for name in names})
        return converter

    return enter


NAMESPACES: Final = ("higher_order", "prims", "quantized_decomposed", "torchao", "torchvision", "transformers")
"""The namespaces of operators that are read, beside ATen."""


def converter_of(node: Node) -> Converter | None:
    """The converter of a call; None for an operator that is not supported. An operator that changes its first argument
    (`aten.add_`) is converted as the one that returns the new content."""
    found = CONVERTERS.get(node.target) or CONVERTERS.get(node.op)
    in_place = replaced(node) is not None or node.op in RESHAPED_IN_PLACE
    found = found or (CONVERTERS.get(node.op.removesuffix("_")) if in_place else None)
    return found or COMPLEX_CONVERTERS.get(node.op)


RESHAPED_IN_PLACE: Final = tuple(
    f"aten.{name}_" for name in ("unsqueeze", "squeeze", "transpose", "t", "swapaxes", "swapdims", "detach", "alias")
)
"""Operators that change the shape of their first argument in place, and no content: their result is a view."""


def replaced(node: Node) -> str | None:
    """The argument whose content a call replaces by its result: the first of a call in place (`aten.add_`), `out` of
    one that is told where to write (`aten.maximum.out`); None for a call that changes no argument in this way."""
    if node.op.endswith("_") and not node.op.endswith("__") and node.op.startswith(("aten.", "prims.")):
        return next(iter(node.inputs), None) if node.op not in RESHAPED_IN_PLACE else None
    return "out" if node.target.endswith("out") and isinstance(node.inputs.get("out"), Ref) else None


class Values(Protocol):
    """The values of the graph that is being converted, by name."""

    def read(self, name: str) -> SSAValue:
        """The present content of a tensor."""
        ...

    def number(self, name: str) -> Any:
        """A symbolic number."""
        ...

    def number_of(self, extent: Any) -> int:
        """The value of an extent or a stride."""
        ...

    def assign(self, name: str, value: SSAValue) -> None:
        """Give a tensor new content, seen through all views of its memory."""
        ...

    def meta(self, name: str) -> TensorMeta | None:
        """The type of a value, as the program states it."""
        ...

    def is_tensor(self, name: str) -> bool: ...

    def type_of(self, meta: TensorMeta) -> g.Tensor:
        """The type of a value at graph level."""
        ...

    def note_number(self, name: str, value: Any) -> None:
        """Give a symbolic number, read from a known tensor, its value."""
        ...

    def random_state(self) -> SSAValue:
        """The present state of the generator of random numbers: its key and its counter."""
        ...

    def inlined(self, graph: Subgraph, given: Sequence[SSAValue], body: BodyBuilder) -> list[SSAValue]:
        """The results of a graph, whose ops are added to a body. `given`: the values of its inputs."""
        ...


AUTOCAST: Final = frozenset(
    f"aten.{name}"
    for name in [
        "linear",
        "matmul",
        "mm",
        "bmm",
        "mv",
        "addmm",
        "addmv",
        "baddbmm",
        "addbmm",
        "einsum",
        "bilinear",
        "conv1d",
        "conv2d",
        "conv3d",
        "convolution",
        "_convolution",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "scaled_dot_product_attention",
        "prelu",
        "tensordot",
        "chain_matmul",
        "lstm",
        "gru",
        "rnn_tanh",
        "rnn_relu",
        "softmax",
        "log_softmax",
        "layer_norm",
        "group_norm",
        "instance_norm",
        "batch_norm",
        "norm",
        "rms_norm",
        "cosine_similarity",
        "cross_entropy_loss",
        "nll_loss",
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
        "kl_div",
        "binary_cross_entropy_with_logits",
        "cdist",
        "pow",
        "prod",
        "cumprod",
        "cumsum",
        "logsumexp",
        "cat",
        "stack",
        "index_put",
    ]
)
"""Operators whose operands autocast converts to the type of the result (pytorch.org/docs/stable/amp.html); exported
programs state only that type."""


_AUTOCAST_TYPES: Final = ("f16", "bf16", "f32")


class AtenCall(Construction):
    """One call: `call["self"]` is a tensor, `call.integer("dim")` a number, `call.build(ReluOp, x)` a new op.

    Methods raise VerifyException with a sentence; the importer adds the name of the operator and its place.
    """

    def __init__(self, node: Node, values: Values, location: LocationAttr, body: BodyBuilder) -> None:
        self.node, self.values, self.location, self.body = node, values, location, body
        self.casts_to: ElementType | None = None
        """The type to which floating-point operands are converted: autocast."""
        if node.op in AUTOCAST and (meta := values.meta(node.names[0])) is not None and meta.element in _AUTOCAST_TYPES:
            self.casts_to = element_type_named(meta.element)

    def fail(self, message: str) -> NoReturn:
        raise VerifyException(message)

    # Arguments.

    def get(self, name: str) -> Argument:
        """An argument as it stands in the program; None if it is left out."""
        return self.node.inputs.get(name)

    def has(self, name: str) -> bool:
        return self.node.inputs.get(name) is not None

    def __getitem__(self, name: str) -> SSAValue:
        """A tensor; a number is a constant of PyTorch's type for it."""
        found = self.maybe(name)
        return self.fail(f"the argument `{name}` is missing, but the operator requires it") if found is None else found

    def maybe(self, name: str) -> SSAValue | None:
        """A tensor, or None if the argument is left out."""
        found = self.get(name)
        return None if found is None else self.tensor(found)

    def tensor(self, found: Argument) -> SSAValue:
        """The value of an argument; a number becomes a scalar constant (i64, f32 or i1)."""
        if isinstance(found, Ref) and self.values.is_tensor(found.name):
            value = self.values.read(found.name)
            return (
                value if self.casts_to is None or not is_float(element_of(value)) else self.cast(value, self.casts_to)
            )
        number = self.plain(found)
        if isinstance(number, bool):
            return self.constant(np.array(number))
        if isinstance(number, int):
            return self.constant(np.array(number, np.int64))
        if isinstance(number, float):
            return self.constant(np.array(number, np.float32))
        self.fail(f"a tensor or a number is expected, not {number!r}")

    def is_tensor(self, name: str) -> bool:
        """True if an argument is a tensor, and no plain number."""
        found = self.get(name)
        return isinstance(found, Ref) and self.values.is_tensor(found.name)

    def is_complex(self, name: str) -> bool:
        """True if an argument is a tensor of complex numbers."""
        found = self.get(name)
        meta = self.values.meta(found.name) if isinstance(found, Ref) else None
        return meta is not None and meta.is_complex

    def tensors(self, name: str) -> list[SSAValue]:
        """A list of tensors."""
        return [self.tensor(each) for each in self._list(name)]

    def maybe_tensors(self, name: str) -> list[SSAValue | None]:
        """A list of tensors, some of which may be left out."""
        return [None if each is None else self.tensor(each) for each in self._list(name)]

    def _list(self, name: str) -> Sequence[Argument]:
        found = self.get(name)
        if isinstance(found, str) or not isinstance(found, Sequence):
            self.fail(f"the argument `{name}` must be a list, not {found}")
        return found

    def plain(self, found: Argument) -> Any:
        """An argument as a Python value, with symbolic numbers replaced by their values. A tensor must be a known
        scalar."""
        if isinstance(found, Ref):
            if not self.values.is_tensor(found.name):
                return self.values.number(found.name)
            array = known(self.values.read(found.name))
            if array is None or array.size != 1:
                self.fail("a number depends on data; only numbers that follow from shapes are supported here")
            return array.reshape(()).item()
        if isinstance(found, Sequence) and not isinstance(found, str):
            return [self.plain(each) for each in found]
        return found

    def integer(self, name: str, default: int | None = None) -> int:
        found = self.plain(self.get(name))
        if found is None:
            found = default
        if not isinstance(found, int):
            self.fail(f"the argument `{name}` must be a whole number, not {found}")
        return int(found)

    def real(self, name: str, default: float | None = None) -> float:
        found = self.plain(self.get(name))
        if found is None:
            found = default
        if not isinstance(found, int | float):
            self.fail(f"the argument `{name}` must be a number, not {found}")
        return float(found)

    def flag(self, name: str, default: bool = False) -> bool:
        found = self.plain(self.get(name))
        return default if found is None else bool(found)

    def ints(self, name: str, default: Sequence[int] | None = None) -> tuple[int, ...]:
        """A list of whole numbers; one number counts as a list of one."""
        found = self.plain(self.get(name))
        if found is None:
            found = default
        if isinstance(found, int):
            return (found,)
        if found is None or isinstance(found, str) or not all(isinstance(each, int) for each in found):
            self.fail(f"the argument `{name}` must be a list of whole numbers, not {found}")
        return tuple(map(int, found))

    def reals(self, name: str) -> list[float] | None:
        found = self.plain(self.get(name))
        return None if found is None else [float(each) for each in found]

    def word(self, name: str, default: str = "") -> str:
        found = self.get(name)
        return default if found is None else str(found)

    def element(self, name: str = "dtype") -> ElementType | None:
        """An element type as an argument; None if it is left out."""
        found = self.get(name)
        if not isinstance(found, ScalarType):
            return None
        try:
            return found.element
        except KeyError:
            self.fail(f"elements of {found.name} are not supported; use floats of 8 to 64 bits, bool or integers")

    def graph(self, name: str) -> Subgraph:
        found = self.get(name)
        return (
            found if isinstance(found, Subgraph) else self.fail(f"the argument `{name}` must be a graph, not {found}")
        )

    def axis(self, name: str, rank: int, default: int | None = None) -> int:
        """The index of an axis, counted from the front."""
        return self.axis_of(self.integer(name, default), rank)

    def axis_of(self, axis: int, rank: int) -> int:
        if not -max(rank, 1) <= axis < max(rank, 1):
            self.fail(f"there is no axis {axis}; axes run from {-rank} to {rank - 1}")
        return axis % max(rank, 1)

    def axes(self, name: str, rank: int) -> tuple[int, ...]:
        """The indices of axes, counted from the front, in order; all axes if the list is empty or left out."""
        found = self.plain(self.get(name))
        if found is None or found == []:
            return tuple(range(rank))
        return tuple(sorted({self.axis_of(axis, rank) for axis in ([found] if isinstance(found, int) else found)}))

    # Results.

    def result(self, index: int = 0) -> g.Tensor:
        """The type of result `index`, as the program states it."""
        name = self.node.names[index]
        meta = self.values.meta(name)
        if meta is None:
            self.fail(f"the program does not state the type of its result `{name}`")
        return self.values.type_of(meta)

    def assign(self, name: str, value: SSAValue) -> None:
        """Give the tensor in an argument new content."""
        found = self.get(name)
        assert isinstance(found, Ref)
        self.values.assign(found.name, value)

    # New ops.

    def build(self, cls: type[g.GraphOp], /, *operands: SSAValue, **properties: Any) -> SSAValue:
        """The result of a new op, constant-folded if all operands are known and small. A property of None has its
        default."""
        return self.body.add(cls(*operands, **properties), self.location)

    def constant(self, value: Array | g.NumbersAttr, /) -> SSAValue:
        """A known value; an array of many elements is joined from several constants."""
        if isinstance(value, g.NumbersAttr):
            return self.body.constant(value, self.location)
        if value.size <= LITERAL_LIMIT:
            return self.body.constant(g.NumbersAttr.of(value), self.location)
        flat = value.reshape(-1)
        if flat.size > LITERAL_LIMIT * 256:
            self.fail(f"it needs a table of {flat.size} numbers, more than are written in a program")
        parts = [self.constant(flat[at : at + LITERAL_LIMIT]) for at in range(0, flat.size, LITERAL_LIMIT)]
        return self.reshaped(self.build(g.ConcatOp, *parts, axis=0), value.shape)

    def number(self, value: Any, element: ElementType) -> SSAValue:
        """A number as a scalar constant of an element type; a number beyond the type wraps, or becomes infinite."""
        dtype = dtype_of(element)
        with np.errstate(over="ignore", invalid="ignore"):
            if dtype.kind in "iu" and isinstance(value, int):
                bits = 8 * dtype.itemsize
                value = value % (1 << bits) - ((1 << bits) if dtype.kind == "i" and value >> (bits - 1) & 1 else 0)
            return self.constant(np.array(value).astype(dtype))

    def splat(self, value: Any, type_: g.Tensor) -> SSAValue:
        """A tensor of equal elements."""
        shape = type_.get_shape()
        scalar = self.number(value, type_.element_type)
        if 0 in shape:
            return self.constant(np.zeros(shape, dtype_of(type_.element_type)))
        return self.broadcast_to(scalar, shape)

    def like(self, value: SSAValue, number: float) -> SSAValue:
        """The constant `number`, a scalar of a value's element type."""
        return self.number(number, element_of(value))

    def inside(self, body: BodyBuilder) -> AtenCall:
        """The same call, whose new ops are added to another body."""
        return AtenCall(self.node, self.values, self.location, body)

    def term(self, x: SSAValue) -> Term:
        """A value as a term of a formula, in f32 or f64: it is rounded to a narrow type once, at the end."""
        return Term(self, self.wide(x))

    def wide(self, x: SSAValue) -> SSAValue:
        """A value in f32, or in f64 if it is f64."""
        return self.cast(x, F64 if element_of(x) == F64 else F32)

    def truth(self, x: SSAValue) -> SSAValue:
        """Truth values: false for zeros."""
        return self.cast(x, I1)


def element_of(value: SSAValue) -> ElementType:
    """The element type of a value."""
    return g.tensor_of(value).element_type


def rank_of(value: SSAValue) -> int:
    """The number of axes of a value."""
    return len(g.shape_of(value))


def like(type_: g.Tensor, element: ElementType) -> g.Tensor:
    """A type with other elements."""
    return tensor_type(type_.get_shape(), element)
