"""Annotations: attributes with a dialect's prefix (`task.on`) of ops and of functions' arguments and results. Each must
be known to its dialect, stand where it has an effect, and have a value of its kind.

A dialect declares its annotations by an interface; the check is that of discardable attributes in MLIR:

    Mine = Dialect("mine", [ScaleOp], [], [Annotations(Annotation("mine.rank", "…", "graph ops", (GraphOp,)))])

An attribute whose prefix is no dialect, or a dialect without this interface, is a note of others and is not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from xdsl.context import Context
from xdsl.dialect_interfaces import DialectInterface
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    FunctionType,
    IndexType,
    IntegerAttr,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import AnyOf, EqAttrConstraint
from xdsl.utils.hints import isa

from dialects.text.suggestions import nearest, plain
from dialects.values import called

ARGUMENT, RESULT = "argument", "result"
"""The holders of annotations that are no ops: an argument and a result of a function."""

DECLARING = ("graph", "task", "pim", "ndp", "tile", "hw")
"""The dialects of this package; all of them declare their annotations."""

INTEGER = IntegerAttr.constr(type=AnyOf((EqAttrConstraint(i64), EqAttrConstraint(IndexType()))))
"""An integer as `3` is read; the truth values are integers of another width."""
SYMBOL = FlatSymbolRefAttrConstr
"""The name of one device or memory, `@pim`."""


class Accepting(Protocol):
    """An object that accepts some values of an annotation, such as a constraint of xDSL."""

    def verifies(self, attr: Attribute) -> bool:
        """True for a value that the annotation may have."""
        ...


@dataclass(frozen=True)
class Annotation:
    """An attribute of a dialect that its passes and clocks read.

    `name`: with the dialect's prefix. `meaning`: its effect. `where`: its holders, in words; `ops`: their classes;
    `on_arguments`: True if a function's argument may have it. `outside`: classes of ops in whose bodies it has no
    effect, each with advice; `on_results`: True if a function's result may have it. `stated_by`: a class of types of
    arguments that state the same. `kinds`: the classes of its value, or constraints on it (`INTEGER`, `SYMBOL`);
    `names_device`: True if the value is a symbol that names a device or a memory; `example`: a value as text, empty for
    an attribute without value. `words`: other words for it, for suggestions.
    """

    name: str
    meaning: str
    where: str
    ops: tuple[type[Operation], ...] = ()
    on_arguments: bool = False
    outside: Mapping[type[Operation], str] = field(default_factory=dict[type[Operation], str])
    on_results: bool = False
    stated_by: type[Attribute] | None = None
    kinds: tuple[type[Attribute] | Accepting, ...] = (UnitAttr,)
    names_device: bool = False
    example: str = ""
    words: str = ""

    @property
    def written(self) -> str:
        """The annotation with an example of its value, as it is written between braces."""
        return f"{self.name} = {self.example}" if self.example else self.name

    @property
    def plain_names(self) -> tuple[str, ...]:
        """The annotation's name without prefix, and other words for it, normalised for comparison."""
        return plain(self.name.partition(".")[2]), *self.words.split()

    def fits(self, holder: Operation | type[Operation] | str) -> bool:
        """True if an op, an op of a class, an `ARGUMENT` or a `RESULT` may have the annotation."""
        if isinstance(holder, str):
            return self.on_arguments if holder == ARGUMENT else self.on_results
        return issubclass(holder if isinstance(holder, type) else type(holder), self.ops)

    def problem(self, value: Attribute, holder: Operation | str, type_: Attribute | None = None) -> str | None:
        """The error in the annotation with a value on an op, an `ARGUMENT` or a `RESULT`; None if there is none.
        `type_`: the type of the argument or result."""
        if not self.fits(holder):
            return f"`{self.name}` has no effect here; it belongs to {self.where}"
        if self.stated_by is not None and isinstance(type_, self.stated_by):
            return f"`{self.name}` has no effect on a {type_}, whose type states the same; remove it"
        around = None if isinstance(holder, str) else holder.parent_op()
        while around is not None:
            for kind, advice in self.outside.items():
                if isinstance(around, kind):
                    return f"`{self.name}` has no effect in the body of a {around.name}; {advice}"
            around = around.parent_op()
        if not any(isinstance(value, each) if isinstance(each, type) else each.verifies(value) for each in self.kinds):
            met = "needs a value" if isinstance(value, UnitAttr) else f"can't have the value {value}"
            return f"`{self.name}` {met}; write it as in `{self.written}`"
        return None


class Annotations(DialectInterface):
    """The annotations of a dialect, by name."""

    def __init__(self, *annotations: Annotation) -> None:
        self.known: Mapping[str, Annotation] = {each.name: each for each in annotations}


def annotations_of(ctx: Context, dialect: str) -> Mapping[str, Annotation] | None:
    """The annotations that a dialect declares, by name; None if there is no such dialect, or if it declares none."""
    found = ctx.get_optional_dialect(dialect)
    interface = found.get_interface(Annotations) if found is not None else None
    return None if interface is None else interface.known


def named_without_prefix(word: str, holder: Operation | type[Operation] | str, ctx: Context) -> str | None:
    """The annotation that a name without prefix probably stands for on a holder; None if there is none."""
    dialects = dict.fromkeys((*(each.name for each in ctx.loaded_dialects), *DECLARING))
    fitting = (each for name in dialects for each in (annotations_of(ctx, name) or {}).values() if each.fits(holder))
    return next((each.name for each in fitting if plain(word) in each.plain_names), None)


def annotation_errors(op: Operation, ctx: Context) -> Iterator[str]:
    """The errors in the annotations of an op, and of the arguments and results if it is a function."""
    for holder, name, value, index in _attributes_of(op):
        if (wrong := _problem(name, value, holder, ctx, _type(op, holder, index))) is not None:
            yield f"{op.name}: {_place(op, holder, index)}{wrong}"


def annotations_without_entry(function: Operation, ctx: Context) -> Iterator[str]:
    """The errors for annotations of a function that is only called: they state what holds when a program starts in the
    function, and no call reads them."""
    for holder, name, value, index in _attributes_of(function):
        known = (annotations_of(ctx, name.partition(".")[0]) or {}).get(name)
        if known is None or known.problem(value, holder, _type(function, holder, index)) is not None:
            continue
        caller = "the caller" if isinstance(holder, Operation) else f"an {holder} of the caller"
        yield (
            f"{function.name}: {_place(function, holder, index)}`{name}` has no effect on a private function that is "
            f"called; remove it, or state it on {caller}"
        )


def devices_in_annotations(op: Operation, ctx: Context) -> Iterator[str]:
    """The devices that annotations of an op, or of a function's arguments, name."""
    for _, name, value, _ in _attributes_of(op):
        known = (annotations_of(ctx, name.partition(".")[0]) or {}).get(name)
        if known is not None and known.names_device and isinstance(value, SymbolRefAttr):
            yield value.root_reference.data


def _attributes_of(op: Operation) -> list[tuple[Operation | str, str, Attribute, int]]:
    """The attributes of an op, and of the arguments and results if it is a function: holder, name, value, and the
    number of the argument or result."""
    found: list[tuple[Operation | str, str, Attribute, int]] = [
        (op, name, value, 0) for name, value in op.attributes.items()
    ]
    for entries, holder in _NOTED:
        if entries in op.properties and isa(stated := op.properties[entries], ArrayAttr[DictionaryAttr]):
            found += [
                (holder, name, value, index)
                for index, each in enumerate(stated.data)
                for name, value in each.data.items()
            ]
    return found


_NOTED = (("arg_attrs", ARGUMENT), ("res_attrs", RESULT))
"""The properties of a function that hold the attributes of its arguments and results."""


def _type(op: Operation, holder: Operation | str, index: int) -> Attribute | None:
    """The type of an argument or result of a function."""
    if isinstance(holder, Operation) or not isinstance(signature := op.properties.get("function_type"), FunctionType):
        return None
    return (signature.inputs if holder == ARGUMENT else signature.outputs).data[index]


def _place(op: Operation, holder: Operation | str, index: int) -> str:
    """The start of a message on an attribute of an argument or result."""
    if isinstance(holder, Operation):
        return ""
    blocks = op.regions[0].blocks if op.regions and holder == ARGUMENT else ()
    return f"{called(blocks[0].args[index]) if blocks else f'{holder} {index}'}: "


def _problem(name: str, value: Attribute, holder: Operation | str, ctx: Context, type_: Attribute | None) -> str | None:
    """The error in one attribute; None if there is none."""
    prefix, dot, rest = name.partition(".")
    if not dot:
        return _without_prefix(name, holder, ctx)
    known = annotations_of(ctx, prefix)
    if known is None:
        return _with_similar_prefix(prefix, rest, holder, ctx)
    if name in known:
        return known[name].problem(value, holder, type_)
    words = {word: each for each in known.values() for word in each.plain_names}
    near = nearest(rest, [each.name.partition(".")[2] for each in known.values()])
    if (meant := words.get(plain(near or rest))) is not None:
        return f"there is no attribute `{name}`; did you mean `{meant.name}`?"
    fitting = [each.name for each in known.values() if each.fits(holder)]
    others = f"here `{prefix}` has {', '.join(fitting)}" if fitting else f"`{prefix}` has none that may stand here"
    return f"there is no attribute `{name}`; {others}, and a note of your own has another prefix (`mine.{rest}`)"


def _without_prefix(name: str, holder: Operation | str, ctx: Context) -> str | None:
    """The error in an attribute without prefix: any on an argument or result, as in MLIR; on an op of another dialect,
    one that is named like an annotation. Ops of dialects with annotations check theirs (dialects/braces.py)."""
    if isinstance(holder, Operation) and annotations_of(ctx, holder.name.partition(".")[0]) is not None:
        return None
    if (meant := named_without_prefix(name, holder, ctx)) is not None:
        return f"there is no attribute `{name}`; did you mean `{meant}`?"
    if isinstance(holder, Operation):
        return None
    return f"there is no attribute `{name}`; a note of your own has a prefix (`mine.{name}`)"


def _with_similar_prefix(prefix: str, rest: str, holder: Operation | str, ctx: Context) -> str | None:
    """The error in an attribute whose prefix is no dialect, if it is an annotation but for the spelling of the prefix;
    None if there is none."""
    if ctx.get_optional_dialect(prefix) is not None:
        return None
    near = nearest(prefix, DECLARING)
    for each in (annotations_of(ctx, near) or {}).values() if near is not None else ():
        if each.fits(holder) and plain(rest) == plain(each.name.partition(".")[2]):
            return f"there is no dialect `{prefix}`; did you mean `{each.name}`?"
    return None
