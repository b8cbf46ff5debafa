"""The devices that a program names: by the types of placed values, by properties of ops, and by annotations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dialects.annotations import devices_in_annotations
from dialects.hw import DeviceOp, no_device
from dialects.task.types import OnType

_PROPERTIES = ("device", "tier")
"""The properties by which ops of all dialects name a device or a memory."""


def devices_named(op: Operation, ctx: Context) -> Iterator[str]:
    """The devices that an op names, not those in its body."""
    signature = op.properties.get("function_type") if isinstance(op, FuncOp) else None
    types = (*signature.inputs, *signature.outputs) if isinstance(signature, FunctionType) else op.result_types
    yield from (type_.place for type_ in types if isinstance(type_, OnType))
    for name in _PROPERTIES:
        if isinstance(found := op.properties.get(name), SymbolRefAttr):
            yield found.root_reference.data
    yield from devices_in_annotations(op, ctx)


def declared_devices(ops: Iterable[Operation]) -> list[str]:
    """The devices of which there is an `hw.device` among `ops`, which need not be verified."""
    names = [op.properties.get("sym_name") for op in ops if isinstance(op, DeviceOp)]
    return [name.data for name in names if isinstance(name, StringAttr)]


def undeclared_devices(
    ops: Iterable[Operation], ctx: Context, known: Collection[str]
) -> Iterator[tuple[Operation, str]]:
    """The ops that name a device that is not in `known`, each with a message. The ops need not be verified."""
    for op in ops:
        for device in devices_named(op, ctx):
            if device not in known:
                yield op, f"{op.name}: {no_device(device, known)}"
                break
