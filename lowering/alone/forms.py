"""Forms of a program: the same computation in other element types, with attention as one kernel or as several, and with
or without kernels that add shortcuts.

No form is the fastest on every machine: a PIM computes in one type only, casts to it take time, and fused attention
needs less memory traffic, but its products can't be placed on different devices. The baseline of speed-ups is the
fastest form on the primary device alone (primary_alone.py); the pass `choose-form` selects a form for all devices.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from math import inf
from typing import Literal, TypeAlias
from weakref import WeakKeyDictionary

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation

from dialects import graph as g
from dialects.dependencies import Kept
from dialects.graph.fused import is_prepared
from interp.kinds.clock import Clock
from interp.machine.device import Device
from interp.walk.entry import ahead_of_time, functions, is_contraction, is_graph_op
from interp.walk.unchanged import Facts, unchanged
from interp.walk.views import is_part
from lowering.graph.allowed_types import OWN, Types
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.fuse import FusePass
from lowering.graph.layout import LayoutPass
from lowering.graph.precision import TARGETS, convert
from lowering.graph.rules.written import write_out

Attention: TypeAlias = Literal["as written", "fused", "fused forward"]
"""Attention as the products and softmax that the program contains; as one kernel, in training also its gradients; or as
one kernel only in the forward pass."""

_GRADIENTS = ("attention_grad", "causal_attention_grad")
_OF_FILTERS = ("conv_backward_weight",)
_OF_CONVOLUTIONS = (*_OF_FILTERS, "conv_backward_data")
_FUSED: dict[Attention, FusePass] = {
    "as written": FusePass(),
    "fused": FusePass(attention=True),
    "fused forward": FusePass(attention=True, without=_GRADIENTS),
}


@dataclass(frozen=True, eq=False)
class Form:
    """A form of a program: the program `module` on graph level, with its kernels grouped for a processor."""

    types: Types
    attention: Attention
    module: ModuleOp
    apart: bool = False
    """True if each op is a kernel of its own."""
    times: WeakKeyDictionary[Device, float] = field(default_factory=WeakKeyDictionary[Device, float])
    """The time of all ops in series on a processor alone, in ns, for processors whose costs depend on their record."""

    remarks: list[list[tuple[str, str | None]]] = field(default_factory=list[list[tuple[str, "str | None"]]])
    """The notes on the attentions of the program, each with its place, in a list; no list if they are unknown."""

    @cached_property
    def facts(self) -> Facts:
        """What is known of the program's ops, which stay as they are."""
        return {op: {} for op in self.module.walk()}

    @property
    def fuses(self) -> bool:
        """True if attention is one kernel."""
        return self.attention != "as written"

    @property
    def named(self) -> str:
        """The form in words; empty for the form that was read."""
        return "" if self.types == OWN and self.attention == "as written" and not self.apart else str(self)

    def __str__(self) -> str:
        attention = [f"attention {self.attention}"] if self.attention != "as written" else []
        return ", ".join([str(self.types), *attention, *(["each op a kernel"] if self.apart else [])])


class KnownForms(Kept["list[Form]"]):
    """The forms of one program, by their types, as far as they were built before, with all groupings of
    shortcuts and gradients of convolutions; and those of `apart`."""


_KNOWN: ContextVar[KnownForms | None] = ContextVar("KNOWN", default=None)


@contextmanager
def known_as(known: KnownForms) -> Generator[None]:
    """Build the forms of a program once: within the context, `forms` is called for one program only, whose forms are
    kept in `known`."""
    token = _KNOWN.set(known)
    try:
        yield
    finally:
        _KNOWN.reset(token)


def forms(module: ModuleOp, types: Sequence[Types], *clocks: Clock, reuse: bool = True) -> list[Form]:
    """The forms of a program on graph level that is inlined and canonicalized, in the given types, each once for each
    clock by which it is grouped in another way: shortcuts and gradients of convolutions are grouped as is faster on the
    primary device. The program is not changed. `reuse`: it may be the program of the context `known_as`."""
    known = _KNOWN.get() if reuse else None
    known = KnownForms() if known is None else known
    grouped: dict[tuple[Types, Attention], list[Form]] = {}
    for each in types:
        for form in known.result(each, partial(list[Form], _in_types(module, each))):
            grouped.setdefault((form.types, form.attention), []).append(form)
    with unchanged():
        return list(dict.fromkeys(_fastest(same, clock) for same in grouped.values() for clock in clocks))


def _fastest(same: Sequence[Form], clock: Clock) -> Form:
    """The fastest of forms that differ in their groups."""
    return same[0] if len(same) == 1 else min(same, key=lambda form: _serial_ns(form, clock))


def _serial_ns(form: Form, clock: Clock) -> float:
    primary = clock.machine.devices[clock.machine.primary]
    if not clock.model(clock.machine.primary).by_sheet or primary.profile is not None:
        return serial_ns(form.module, clock)
    if primary not in form.times:
        form.times[primary] = serial_ns(form.module, clock)
    return form.times[primary]


def serial_ns(module: ModuleOp, clock: Clock) -> float:
    """The time of all ops of a program on the primary device, one after another, in ns; infinite if the device can't
    run one of them."""
    primary, total = clock.machine.primary, 0.0
    for function in functions(module):
        for block, iterations in _blocks(function.body.block, 1):
            early = ahead_of_time(block)
            ops = [op for op in block.ops if is_graph_op(op) and op not in early and not is_part(op, early)]
            clock.prepare(ops, primary)
            if not all(clock.supports(op, primary) for op in ops):
                return inf
            total += sum(clock.op_cost(op, primary).ns for op in ops) * iterations
    return total


def _blocks(block: Block, iterations: int) -> Iterator[tuple[Block, int]]:
    """A block and the bodies of the loops in it, each with its execution count."""
    yield block, iterations
    for op in block.ops:
        if isinstance(op, g.RepeatOp):
            yield from _blocks(op.body.block, iterations * op.iterations)


def apart(module: ModuleOp, types: Sequence[Types], *, reuse: bool = True) -> list[Form]:
    """The program in the given types with a kernel for each op. A group saves traffic, but holds all of its operands
    and results at once; if memory is short, kernels of single ops may save more."""
    known = _KNOWN.get() if reuse else None
    known = KnownForms() if known is None else known

    def made(each: Types) -> list[Form]:
        if (typed := converted(module, each)) is None:
            return []
        LayoutPass().apply(Context(), typed)
        return [Form(each, "as written", typed, apart=True)]

    return [form for each in types for form in known.result(("apart", each), partial(made, each))]


def converted(module: ModuleOp, types: Types) -> ModuleOp | None:
    """A copy of a program in the given types; None if a conversion changes nothing."""
    typed = module.clone()
    if types.element:
        element = TARGETS[types.element]
        converted = [convert(function, element, types.scope) for function in functions(typed)]
        if not any(converted):
            return None
        CanonicalizePass().apply(Context(), typed)
    return typed


def _in_types(module: ModuleOp, types: Types) -> Iterator[Form]:
    """The forms of a program in the given types; none if a conversion changes nothing."""
    typed = converted(module, types)
    if typed is None:
        return
    variants: list[Attention] = ["as written", *(("fused",) if _may_attend(typed) else ())]
    met: list[list[str]] = []
    for attention in variants:
        recognised = typed.clone() if len(variants) > 1 else typed
        if attention == "as written":
            write_out(recognised)
        _FUSED[attention].recognise(recognised)
        made = _grouped(recognised, attention)
        words = list(_attentions(made))
        if words not in met:
            yield Form(types, attention, made)
            residuals = (True, False) if any(map(_adds_shortcut, made.walk())) else (True,)
            for residual, without in product(residuals, _gradients_apart(made)):
                if not residual or without:
                    yield Form(types, attention, _grouped(recognised, attention, residual, without))
        met.append(words)
        if attention == "fused" and not set(words).isdisjoint(_GRADIENTS):
            variants.append("fused forward")


def _gradients_apart(grouped: ModuleOp) -> Iterator[tuple[str, ...]]:
    """The kinds of a program's gradients of convolutions whose ops may run as several kernels: rearranged operands, and
    a convolution without gradients."""
    kinds = {op.kind.data for op in grouped.walk() if isinstance(op, g.FusedOp) and op.kind is not None}
    found = [tuple(kind for kind in several if kind in kinds) for several in ((), _OF_FILTERS, _OF_CONVOLUTIONS)]
    yield from dict.fromkeys(found)


def _grouped(
    recognised: ModuleOp, attention: Attention, residual: bool = True, without: tuple[str, ...] = ()
) -> ModuleOp:
    """A copy of a program with its kernels grouped and its values laid out; `without`: kinds that are not grouped."""
    made, fuse = recognised.clone(), _FUSED[attention]
    replace(fuse, residual=residual, without=(*fuse.without, *without)).form_groups(made)
    LayoutPass().apply(Context(), made)
    return made


def _adds_shortcut(op: Operation) -> bool:
    """True for a group in which an op after a contraction reads a further value that is not computed ahead of time."""
    if not isinstance(op, g.FusedOp) or op.kind is not None:
        return False
    contraction = next((each for each in op.ops if is_contraction(each)), None)
    if contraction is None:
        return False
    given = {
        value
        for each in op.ops
        if each is not contraction
        for value in each.operands
        if isinstance(value, BlockArgument)
    }
    return any(not is_prepared(op.inputs[value.index]) for value in given - set(contraction.operands))


def _may_attend(module: ModuleOp) -> bool:
    """True if a program has products and weights of which `fuse` could make an attention, or an attention over caches,
    which may be written out."""
    products = softmaxes = attentions = appends = 0
    for op in module.walk():
        products += isinstance(op, g.MatmulOp)
        softmaxes += isinstance(op, g.SoftmaxOp | g.ExpOp)
        attentions += isinstance(op, g.AttentionOp)
        appends += g.appends(op)
    return (products > 1 and softmaxes > 0) or (attentions > 0 and appends > 0)


def _attentions(module: ModuleOp) -> Iterator[str]:
    """The words for the attention kernels of a program."""
    for op in module.walk():
        if isinstance(op, g.FusedOp) and op.kind is not None and op.kind.data in g.ATTENTIONS:
            yield op.kind.data
        elif isinstance(op, g.AttentionOp):
            yield "attention"
