"""Masks of expanded attention, and the limits of `graph.attention` that hide the same keys with the same results.

A mask is added to the scores, or it replaces scores by a fixed number. What a mask is for becomes a property where it
is known: `causal` and `window` for constant masks, `lengths` for keys below a number; the rest becomes the operand
`mask`. A query that sees no key gets nan from an expanded mask of -inf, equal weights from one of another number, and
zeros if a guard replaces nan; the property `unseen` says so. Masks are joined only if such queries get the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from dialects import graph as g
from dialects.element_types import I1, is_float, tensor_type
from dialects.graph.constant import Array, NumbersAttr
from dialects.graph.patterns.matching import element_of, filled, made_by, splat, wide_element
from dialects.graph.rules import RuleBuilder
from lowering.graph.folding import known_elements
from lowering.graph.rules.order import (
    Axes,
    Axis,
    Digit,
    Piece,
    arranged,
    arranged_array,
    extent_of,
    follow,
    followed,
    moved,
    pieces,
    row_major,
    stretched,
    viewed,
)

HIDES = -3e4
"""Scores up to this value count as masked out: a score has weight 0 if another score of its row is larger by 104, since
exp(-104) is 0 in f32. Masks use -1e9, or 0.7 to 1 times the lowest number of their type, which is -65504 in f16."""
_ABSORBS = -1e30
"""A number that, added to any score below 3e22, absorbs the score in f32 and bf16, so that adding the number equals
selecting it."""
_BOUND_OPS = 32
"""Ops, at most, through which the range of a mask's numbers is followed."""


class Mask(NamedTuple):
    """A mask of scores. `relation`: the index space of the scores, and that of `value`."""

    value: SSAValue
    relation: tuple[Piece, ...]
    fill: float | None = None
    """The score of the keys that a mask of truth values hides; None if the mask's numbers are added to the scores."""
    hides: bool = False
    """True if truth values are true for hidden keys, False if they are true for visible keys."""
    factor: float = 1.0
    """The factor by which added numbers are multiplied."""
    adds: bool = False
    """True if `fill` is added to hidden scores instead of replacing them."""
    part_of: int = 0
    """The number of the mask of which this one is a part; each hides a key once."""

    @property
    def absorbs(self) -> bool:
        """True if hidden scores of one query are equal."""
        return self.fill is not None and (not self.adds or self.fill <= _ABSORBS)

    def scaled(self, factor: float) -> Mask:
        """The mask of scores that are multiplied by `factor`."""
        return self._replace(factor=self.factor * factor, fill=None if self.fill is None else self.fill * factor)


class Frame(NamedTuple):
    """The axes of an attention in the index space of its scores."""

    batch: Axis
    heads: Axis
    queries: Axis
    keys: Axis

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of queries and keys."""
        return extent_of(self.queries), extent_of(self.keys)


class Limits(NamedTuple):
    """What hides keys in an attention: properties, and the parts of its operands."""

    causal: bool = False
    window: int = 0
    unseen: str = "zeros"
    lengths: Lengths | Array | None = None
    seen: tuple[Mask, ...] = ()
    """Masks of truth values."""
    added: tuple[Mask, ...] = ()
    """Masks that are added, and masks of truth values that are to be added; in order."""


class Lengths(NamedTuple):
    """Numbers of valid keys: integers of each sequence, to which `more` is added."""

    value: SSAValue
    axes: Axes
    """The sequences, in the index space of `value`."""
    more: int


def source(value: SSAValue, casts: bool = False) -> tuple[SSAValue, Axes]:
    """The value of which a chain of views computes `value`, and the axes of `value` in its index space; `casts`:
    follow conversions between floating-point types, too."""
    chain, ends = list[g.GraphOp](), [(value, row_major(g.shape_of(value)))]
    while isinstance(op := value.owner, g.ReshapeOp | g.TransposeOp | g.BroadcastOp | g.CastOp) and len(chain) < 16:
        if isinstance(op, g.CastOp) and not (casts and is_float(element_of(op.x)) and is_float(element_of(op.y))):
            break
        chain.append(op)
        value = op.operands[0]
        axes = row_major(g.shape_of(value))
        for each in reversed(chain):
            axes = None if axes is None else moved(each, axes)
        if axes is not None:
            ends.append((value, axes))
    return ends[-1]


def known_mask(mask: Mask) -> Array | None:
    """The elements of a mask's value, if they are known at compile time: numbers that are added, or true for visible
    keys."""
    array = known_elements(mask.value)
    if array is None:
        return None
    if mask.fill is None:
        return array.astype(np.float64) * mask.factor
    return ~array if mask.hides else array


def simplified(mask: Mask) -> list[Mask]:
    """The masks that a mask consists of, each behind its views: a select of 0 and a number to be added hides keys, as
    does a conjunction of conditions."""
    value, axes = source(mask.value, casts=mask.fill is None)
    relation = _through(mask.relation, axes)
    if relation is None:
        return [mask]
    mask = mask._replace(value=value, relation=relation)
    op = value.owner
    if mask.fill is None:
        if isinstance(op, g.SelectOp):
            ends = splat(op.a), splat(op.b)
            for hides, (shown, fill) in ((False, ends), (True, ends[::-1])):
                if shown == 0 and fill is not None and fill * mask.factor <= HIDES:
                    read = _read(mask, op.condition)
                    hidden = read and read._replace(fill=fill * mask.factor, factor=1.0, hides=hides, adds=True)
                    return simplified(hidden) if hidden else [mask]
        return [mask]
    if isinstance(op, g.NotOp):
        return simplified(mask._replace(value=op.x, hides=not mask.hides))
    if isinstance(op, g.OrOp if mask.hides else g.AndOp):
        parts = [_read(mask, operand) for operand in op.operands]
        if None not in parts:
            return [each for part in parts if part for each in simplified(part)]
    return [mask]


def _through(relation: Sequence[Piece], axes: Axes) -> tuple[Piece, ...] | None:
    """The relation of scores and of the source of a value's views, from the relation of scores and of the value."""
    here = pieces(row_major(tuple(map(extent_of, axes))), axes)
    if here is None:
        return None
    found = list[Piece]()
    for piece in relation:
        if not piece.to:
            found.append(piece)
            continue
        if (axis := follow((Digit(piece.extent, piece.to),), here)) is None:
            return None
        at = piece.at * piece.extent
        for digit in axis:
            at //= digit.extent
            found.append(Piece(digit.extent, at, digit.stride))
    return tuple(found)


def _read(mask: Mask, operand: SSAValue) -> Mask | None:
    """A mask with an operand of the element-wise op that computes its value instead of that value."""
    axes = stretched(row_major(g.shape_of(operand)), g.shape_of(mask.value))
    relation = _through(mask.relation, axes)
    return None if relation is None else mask._replace(value=operand, relation=relation)


def limits_of(masks: Sequence[Mask], frame: Frame, guarded: bool) -> Limits | str:
    """The limits of `graph.attention` that give the same results as masks, in the order in which they are applied; a
    sentence part that says why there are none. `guarded`: weights that are nan are replaced by 0."""
    masks = [mask._replace(part_of=number) for number, mask in enumerate(masks) if not _is_without_effect(mask)]
    if any(followed(frame, mask.relation) is None for mask in masks):
        return "the mask has other axes than its scores"
    found = _plain([part for mask in masks for part in simplified(mask)], frame, guarded)
    return _summed(masks, guarded) if found is None else found


def _is_without_effect(mask: Mask) -> bool:
    """True for a mask that hides no key and adds the same number to all scores."""
    if mask.fill is None:
        number = splat(mask.value)
        return number is not None and isfinite(number * mask.factor)
    array = known_mask(mask)
    return array is not None and bool(array.all())


def _plain(masks: Sequence[Mask], frame: Frame, guarded: bool) -> Limits | None:
    """Limits with as few numbers per score as possible; None if queries that see no key might get something else."""
    fixed, given, added = list[tuple[Mask, Array]](), list[Mask](), list[Mask]()
    for mask in masks:
        array, axes = known_mask(mask), followed(frame, mask.relation)
        if axes is None or (mask.fill is not None and mask.fill > HIDES):
            return None
        if mask.fill is None:
            fills = set[float]() if array is None else set(np.unique(array).tolist()) - {0.0}
            if array is not None and len(fills) == 1 and (fill := fills.pop()) <= HIDES:
                fixed.append((mask._replace(fill=fill, adds=True), arranged_array(array == 0, axes)))
            else:
                added.append(mask)
        elif array is not None:
            fixed.append((mask, arranged_array(array, axes)))
        else:
            given.append(mask)
    seen = np.ones((1, 1, 1, 1), np.bool_)
    for _, array in fixed:
        seen = seen & array
    hiding = [*(mask for mask, _ in fixed), *given]
    endless = all(mask.fill == -inf for mask in hiding)
    low = min(map(_low, added), default=0.0)
    blind = bool(given) or not seen.any(-1).all()
    if low <= HIDES / 2 and not endless:
        return None
    if blind and not endless and not _are_equal(hiding, max((mask.part_of for mask in added), default=-1)):
        return None
    unseen = "zeros"
    if blind and not endless:
        unseen = "mean"
    elif (blind or low == -inf) and not guarded:
        unseen = "nans"
    causal, window, lengths, rest = _known_limits(seen, fixed, frame)
    for mask in given:
        if lengths is None and (count := _lengths(mask, frame)) is not None:
            lengths = count
        else:
            rest.append(mask)
    plain = tuple(mask for mask in rest if not _is_number(mask))
    sums = tuple(mask._replace(fill=None) for mask in rest if _is_number(mask))
    return Limits(causal, window, unseen, lengths, plain, (*added, *sums))


def _are_equal(hiding: Sequence[Mask], last: int) -> bool:
    """True if all scores of a query that sees no key are equal. `last`: the number of the last mask that is added."""
    if len({mask.fill for mask in hiding}) > 1 or not all(mask.absorbs for mask in hiding):
        return False
    if len({mask.part_of for mask in hiding}) > 1 and any(mask.adds for mask in hiding):
        return False
    return all(mask.part_of > last or (mask.fill or 0) <= _ABSORBS for mask in hiding)


def _is_number(mask: Mask) -> bool:
    """True if the value of a mask is numbers, not truth values."""
    return element_of(mask.value) != I1


def _known_limits(
    seen: Array, fixed: Sequence[tuple[Mask, Array]], frame: Frame
) -> tuple[bool, int, Lengths | Array | None, list[Mask]]:
    """The properties `causal` and `window`, and lengths, for what constant masks hide, and the masks that remain."""
    shape = _shape_of_limits(seen, frame)
    if shape is not None:
        return *shape, []
    causal, window, lengths, rest = False, 0, None, list[Mask]()
    for mask, array in fixed:
        shape = _shape_of_limits(array, frame)
        if shape is None or (shape[1] and window) or (shape[2] is not None and lengths is not None):
            rest.append(mask)
        else:
            causal, window = causal or shape[0], window or shape[1]
            lengths = lengths if shape[2] is None else shape[2]
    return causal, window, lengths, rest


def _shape_of_limits(seen: Array, frame: Frame) -> tuple[bool, int, Array | None] | None:
    """`causal`, `window` and the lengths that show exactly the keys that a constant mask shows; None if there are none.
    `seen`: [batch or 1, heads or 1, queries or 1, keys or 1]."""
    queries, keys = frame.sizes
    if seen.all():
        return False, 0, None
    for axis in range(3):
        if (seen == seen[(slice(None),) * axis + (slice(1),)]).all():
            seen = seen[(slice(None),) * axis + (slice(1),)]
    if seen.shape[1] != 1:
        return None
    if (seen.shape[2] == 1 and seen.shape[3] == keys and queries != 1) or (seen.shape[0] != 1 and seen.shape[2] == 1):
        return _prefixes(seen, frame)
    if seen.shape[0] != 1:
        return None
    shown = np.broadcast_to(seen[0, 0], (queries, keys))
    place = np.arange(queries)[:, None] + keys - queries
    distance = place - np.arange(keys)[None]
    causal = not shown[distance < 0].any() and bool((distance < 0).any())
    below = distance if causal else np.where(distance < 0, 0, distance)
    hidden = distance[~shown & (distance >= 0)]
    window = int(hidden.min()) if hidden.size else 0
    same = (shown == ((distance >= 0) | (not causal)) & (below < (window or inf))).all()
    if queries <= keys and same and (window or not hidden.size):
        return causal, window, None
    return _prefixes(seen, frame)


def _prefixes(seen: Array, frame: Frame) -> tuple[bool, int, Array | None] | None:
    """The numbers of keys of each sequence, if a constant mask shows the first keys of each."""
    _, keys = frame.sizes
    if seen.shape[1:3] != (1, 1):
        return None
    rows = np.broadcast_to(seen[:, 0, 0], (extent_of(frame.batch), keys))
    counts = rows.sum(-1)
    return (False, 0, counts) if (rows == (np.arange(keys) < counts[:, None])).all() else None


def _lengths(mask: Mask, frame: Frame) -> Lengths | None:
    """The numbers of keys that a mask shows of each sequence, if it compares positions of keys with such a number."""
    op = made_by(mask.value, g.CompareOp)
    if op is None:
        return None
    for places, counts, kind in ((op.a, op.b, op.kind.data), (op.b, op.a, _TURNED[op.kind.data])):
        kind = _NEGATED[kind] if mask.hides else kind
        if kind not in ("lt", "le") or not isinstance(element_of(counts), IntegerType):
            continue
        array, place, count = known_elements(places), _read(mask, places), _read(mask, counts)
        if array is None or place is None or count is None:
            continue
        axes = followed(frame, place.relation)
        if axes is None:
            continue
        array = arranged_array(array, axes)
        first = int(array.reshape(-1)[0])
        keys = frame.sizes[1]
        if array.shape != (1, 1, 1, keys) or (array != np.arange(keys) + first).any():
            continue
        value, inner = source(count.value)
        relation = _through(count.relation, inner)
        axes = None if relation is None else followed(frame, relation)
        if axes is not None and not any(digit.stride for axis in axes[1:] for digit in axis):
            return Lengths(value, axes[:1], (kind == "le") - first)
    return None


_TURNED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_NEGATED = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}


def _summed(masks: Sequence[Mask], guarded: bool) -> Limits | str:
    """Limits with one added mask, in which each hidden score gets its number."""
    selects = [mask for mask in masks if mask.fill is not None]
    for mask in selects:
        assert mask.fill is not None
        if mask.fill > HIDES:
            return f"a mask replaces scores by {mask.fill:g}, which other scores may reach"
    if len({mask.fill for mask in selects}) > 1 and any((mask.fill or 0) > _ABSORBS for mask in selects):
        return "masks replace scores by different numbers"
    finite = all(_low(mask) > -inf for mask in masks)
    return Limits(added=tuple(masks), unseen="zeros" if finite or guarded else "nans")


def _low(mask: Mask) -> float:
    """A lower bound of the numbers that a mask adds; -inf if none is known."""
    if mask.fill is not None:
        return mask.fill
    if (array := known_mask(mask)) is not None:
        return float(array.min(initial=0))
    found = bounds(mask.value)
    return min(end * mask.factor for end in found) if found else -inf


def bounds(value: SSAValue, most: int = _BOUND_OPS) -> tuple[float, float] | None:
    """The least and the greatest number that a value may have; None if it may be infinite or nan."""
    op = value.owner
    array = known_elements(value) if isinstance(op, g.ConstantOp) else None
    if array is not None:
        ends = float(array.min(initial=inf)), float(array.max(initial=-inf))
        return ends if all(map(isfinite, ends)) else None
    element = element_of(value)
    if isinstance(op, g.WeightOp) and isinstance(op.source, g.UniformAttr):
        return op.source.low.value.data, op.source.high.value.data
    if not is_float(element):
        return (0.0, 1.0) if element == I1 else (-(2.0**63), 2.0**64)
    if not most or not isinstance(op, g.GraphOp):
        return None
    read = op.operands[1:] if isinstance(op, g.SelectOp) else op.operands
    if isinstance(op, g.GatherOp | g.GatherNdOp | g.GatherElementsOp):
        read = op.operands[:1]
    ranges = list[tuple[float, float]]()
    for operand in read:
        if (inner := bounds(operand, most - 1)) is None:
            return None
        ranges.append(inner)
    found = _combined(op, ranges)
    exact = isinstance(op, g.SelectOp | _SAME) and not isinstance(op, g.CastOp)
    limit = _GREATEST.get(str(element), 3.3e38)
    return None if found is None or (not exact and max(map(abs, found)) > limit) else found


_GREATEST = {"f16": 6.5e4, "f64": 1e308}
"""A number that results of arithmetic in an element type may have without becoming infinite; elsewhere 3.3e38."""
_SAME = (
    g.ReshapeOp | g.TransposeOp | g.BroadcastOp | g.SliceOp | g.ConcatOp | g.CastOp | g.GatherOp | g.GatherNdOp
) | g.GatherElementsOp


def _combined(op: g.GraphOp, ranges: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The range of an op's result, from those of its operands; None for an op of which it is not known."""
    lows, highs = [low for low, _ in ranges], [high for _, high in ranges]
    match op:
        case g.SelectOp():
            return min(lows), max(highs)
        case g.AddOp():
            return sum(lows), sum(highs)
        case g.SubOp():
            return lows[0] - highs[1], highs[0] - lows[1]
        case g.MulOp():
            ends = [a * b for a in ranges[0] for b in ranges[1]]
            return min(ends), max(ends)
        case g.NegOp():
            return -highs[0], -lows[0]
        case g.MinOp():
            return min(lows), min(highs)
        case g.MaxOp():
            return max(lows), max(highs)
        case _ if isinstance(op, _SAME):
            return min(lows), max(highs)
        case _:
            return None


def operands_of(limits: Limits, frame: Frame, element: Attribute, new: RuleBuilder) -> list[SSAValue]:
    """The operands `mask` and `lengths` of an attention with these limits."""
    mask: SSAValue | None = None
    for each in limits.added:
        mask = _sum(mask, each, frame, element, new)
    truth: SSAValue | None = None
    for each in limits.seen:
        value = _placed(each, frame, new)
        value = new(g.NotOp(value)) if each.hides else value
        truth = value if truth is None else new(g.AndOp(truth, value))
    if mask is not None and truth is not None:
        mask = new(g.SelectOp(truth, mask, new(filled(tensor_type((), element_of(mask)), -inf))))
    found = [value for value in (truth if mask is None else mask,) if value is not None]
    if isinstance(limits.lengths, Lengths):
        found.append(_counts(limits.lengths, frame, new))
    elif limits.lengths is not None:
        found.append(new(g.ConstantOp(NumbersAttr.of(limits.lengths.astype(np.int64)))))
    return found


def _placed(mask: Mask, frame: Frame, new: RuleBuilder) -> SSAValue:
    """The value of a mask, with the axes [batch, heads, queries, keys]; extents of 1 where it repeats. A value that
    broadcasts to these axes as it is, is not changed."""
    axes = followed(frame, mask.relation)
    assert axes is not None  # checked when the limits were found
    own = tuple(extent_of(axis) if any(digit.stride for digit in axis) else 1 for axis in axes)
    shape = g.shape_of(mask.value)
    if (1,) * (4 - len(shape)) + shape == own and _in_order(axes):
        return mask.value
    return arranged(mask.value, axes, new, full=False)


def _in_order(axes: Axes) -> bool:
    strides = [digit.stride for axis in axes for digit in axis if digit.stride]
    return strides == sorted(strides, reverse=True)


def _sum(total: SSAValue | None, mask: Mask, frame: Frame, element: Attribute, new: RuleBuilder) -> SSAValue:
    """A mask to be added, of the sum `total` of earlier ones and a further one."""
    value = _placed(mask, frame, new)
    if _is_number(mask):
        if total is not None and element_of(value) != element_of(total):
            wide = wide_element(element_of(value))
            value, total = _cast(value, wide, new), _cast(total, wide, new)
        if mask.factor != 1:
            value = new(g.MulOp(value, new(filled(tensor_type((), element_of(value)), mask.factor))))
        return value if total is None else new(g.AddOp(total, value))
    assert mask.fill is not None
    wide = wide_element(element)
    fill = new(filled(tensor_type((), wide), min(mask.fill, _ABSORBS)))
    shown = new(filled(tensor_type((), wide), 0.0)) if total is None else _cast(total, wide, new)
    return new(g.SelectOp(value, *((fill, shown) if mask.hides else (shown, fill))))


def _cast(value: SSAValue, element: Attribute, new: RuleBuilder) -> SSAValue:
    kept = element_of(value) == element
    return value if kept else new(g.CastOp(value, result_type=tensor_type(g.shape_of(value), element)))


def _counts(lengths: Lengths, frame: Frame, new: RuleBuilder) -> SSAValue:
    """The operand `lengths`: one number for each sequence."""
    value = arranged(lengths.value, lengths.axes, new) if lengths.axes[0] else viewed(lengths.value, (1,), new)
    if lengths.more:
        value = new(g.AddOp(value, new(filled(tensor_type((), element_of(value)), lengths.more))))
    return value
