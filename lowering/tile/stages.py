"""Marks products on GPUs whose kernels' buffers have one stage, with the factor of their times."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import FloatAttr, ModuleOp
from xdsl.dialects.func import FuncOp

from dialects.diagnostics import InputError
from dialects.graph import FusedOp, GraphOp
from dialects.task import SLOWDOWN
from interp.kinds.clock import Clock
from interp.machine.device import Device
from interp.walk.entry import ahead_of_time, blocks_of
from interp.walk.work_key import shape_key
from lowering.graph.rewriting import set_attribute
from lowering.tile.epilogue import Unfit
from lowering.tile.problems import product_in
from lowering.tile.to_tile import Kernels


class NoKernelError(InputError):
    """Raised if no product of a function has a kernel whose buffers have one stage."""


_KNOWN: WeakKeyDictionary[Device, dict[Hashable, float | None]] = WeakKeyDictionary()
"""The factors of ops by device and shape."""


def slow_unpipelined(module: ModuleOp, function: FuncOp, clock: Clock) -> None:
    """Note on each product of a function of graph ops, and on its group, how many times as long as the library's kernel
    the kernel of thread blocks takes whose buffers have one stage (`to-tile{space=unpipelined}`), on the primary
    device. Products without such a kernel are unchanged; parts of a product keep its factor. Raises NoKernelError if
    none has one."""
    place = clock.machine.primary
    kernels, some = Kernels(module, clock, "unpipelined"), False
    known = _KNOWN.setdefault(clock.machine.devices[place], {})
    for op in _products(function) if place in clock.machine.gpus else ():
        if (key := shape_key(op)) not in known:
            known[key] = _factor(kernels, op, place)
        if (factor := known[key]) is not None:
            set_attribute(op, SLOWDOWN, FloatAttr(factor, 64))
            some = True
    if not some:
        raise NoKernelError(
            f"no product of @{function.sym_name.data} has a kernel of thread blocks on @{place}, so that pipelining of "
            "kernels does not matter",
            function,
        )


def slowdowns(module: ModuleOp) -> list[float]:
    """The factors that a program's ops state, without those of ops inside of groups."""
    found = (op.attributes.get(SLOWDOWN) for op in module.walk() if not isinstance(op.parent_op(), FusedOp))
    return [each.value.data for each in found if isinstance(each, FloatAttr)]


def _products(function: FuncOp) -> Iterator[GraphOp | FusedOp]:
    """The products and the groups around them that a function computes when it runs."""
    for block in blocks_of(function):
        early = ahead_of_time(block)
        for op in block.ops:
            if op not in early and isinstance(op, GraphOp | FusedOp) and (product := product_in(op)) is not None:
                yield op
                if product is not op:
                    yield product


def _factor(kernels: Kernels, op: GraphOp | FusedOp, place: str) -> float | None:
    """The factor of an op's time; None if it has no such kernel. If a group has none, that of its product is applied to
    the time of the product."""
    try:
        return kernels.slowdown(op, place)
    except Unfit:
        product = product_in(op)
        if product is None or product is op:
            return None
    inner, clock = _factor(kernels, product, place), kernels.clock
    if inner is None:
        return None
    return 1.0 + (inner - 1.0) * clock.op_cost(product, place).ns / clock.op_cost(op, place).ns
