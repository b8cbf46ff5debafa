"""Converters for branches (all branches are computed, since no supported op has side effects), calls of foreign code,
and collectives."""

from __future__ import annotations

from typing import cast

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of
from ndpir.frontends.stablehlo.building import CONVERTERS, Building, array_of, converts
from ndpir.frontends.stablehlo.module import DenseLiteral, HloAttribute, HloOp
from ndpir.frontends.stablehlo.specification import ONE_DEVICE


@converts("case", "if")
def case(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """All branches, and `graph.select` between their results; an out-of-range index selects the last branch
    (specification, case)."""
    found = [b.inlined(region, ()) for region in b.op.regions]
    if b.op.name == "if":
        return [b.build(g.SelectOp, xs[0], yes, no) for yes, no in zip(*found, strict=True)]
    chosen = found[-1]
    for number, outcome in reversed(list(enumerate(found[:-1]))):
        hit = b.build(g.CompareOp, xs[0], b.constant(np.array(number, np.int32)), kind="eq")
        chosen = [b.build(g.SelectOp, hit, one, other) for one, other in zip(outcome, chosen, strict=True)]
    return chosen


PLACEMENT_CALLS = ("LayoutConstraint", "MoveToDevice", "MoveToHost", "Sharding", "annotate_device_placement")
"""Targets of custom calls that only specify the placement or layout of a value."""
UNSUPPORTED_CALLS = {
    "callback": "callbacks into Python are not supported; lower the function without jax.debug and the like",
    "lapack": "matrix factorizations are not supported; compute it outside of the program, and pass its result",
    "threefry": "the GPU's kernel for random numbers is not supported; lower the function for the CPU",
    "triton": "kernels of Triton and Pallas are not supported; lower the function without them",
    "": "calls of code outside of the program are not supported; lower the function without it, or compute it outside",
}
"""The reason why a custom call is unsupported, by a part of the name of the call's target."""


@converts("custom_call")
def custom_call(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """The operands, if the call only specifies the placement of values; a call of `@mhlo.NAME`, as in portable
    programs, is converted as `chlo.NAME`."""
    target = b.word("call_target_name")
    op = b.op
    if target in PLACEMENT_CALLS and [each.type for each in op.operands] == [each.type for each in op.results]:
        return xs
    chlo_name = f"chlo.{target.removeprefix('mhlo.')}".replace("topk", "top_k")
    if target.startswith("mhlo.") and chlo_name in CONVERTERS:
        attributes = op.attributes.get("mhlo.attributes")
        inner = HloOp(
            chlo_name, op.operands, op.results, attributes if isinstance(attributes, dict) else {}, op.regions, op.place
        )
        made = CONVERTERS[chlo_name](Building(inner, b.scope), xs)
        return made if isinstance(made, list) else [made]
    b.fail(f"@{target}: {next(why for part, why in UNSUPPORTED_CALLS.items() if part in target)}")


@converts("sdy.sharding_constraint")
def sharding_constraint(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The operand, since there is only one device."""
    return xs[0]


@converts("all_gather", "all_reduce", "all_to_all", "collective_broadcast", "reduce_scatter")
def on_one_device(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """The operands, if each group of the collective has only one device; larger groups are an error."""
    if not (groups := _rows(b, "replica_groups")) or any(len(group) != 1 for group in groups):
        b.fail(ONE_DEVICE)
    return [b.cast(x, b.result(index).element_type) for index, x in enumerate(xs)]


@converts("collective_permute")
def collective_permute(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The operand if the device sends to itself; zeros if no device sends; any other exchange is an error."""
    pairs = _rows(b, "source_target_pairs")
    if not pairs:
        return b.broadcast_to(b.constant(np.zeros((), dtype_of(b.result().element_type))), b.result().get_shape())
    if any(source != target for source, target in pairs) or (0, 0) not in pairs:
        b.fail(ONE_DEVICE)
    return xs[0]


def _rows(b: Building, key: str) -> list[tuple[int, ...]]:
    """The rows of an attribute that is a matrix of device numbers."""
    found = b.get(key)
    if not isinstance(found, DenseLiteral | list):
        b.fail(f"`{key}` must be a matrix of integers, not {found}")
    rows = cast("list[HloAttribute]", array_of(found, b).tolist() if isinstance(found, DenseLiteral) else found)
    return [b.as_ints(key, row) for row in rows]


@converts("partition_id", "replica_id")
def device_index(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The device index, which is always 0, since there is only one device."""
    return b.constant(np.array(0, np.uint32))
