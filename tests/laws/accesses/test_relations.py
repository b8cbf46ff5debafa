"""Access relations: answers by factors and strides equal those of lists of all instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir.affine import AffineExpr

from dialects.programs.index import Linear, bounds_of, divided, joined_digits, linear_form, step_of, value_of
from interp.accesses import coverage, relations
from interp.accesses.coverage import Memory, Missing, missing
from interp.accesses.relations import Relation, Space, Undecided

NAMES = ("i", "j", "k", "l")
SHARED = st.sets(st.sampled_from(NAMES))


class Instance(NamedTuple):
    """An instance of a relation: the values of shared variables, and the element, None if it accesses none."""

    own: tuple[int, ...]
    element: tuple[int, ...]


@st.composite
def expressions(draw: st.DrawFn, count: int, linear: bool) -> AffineExpr:
    """A small quasi-affine expression of `count` variables."""
    total = AffineExpr.constant(draw(st.integers(-2, 3)))
    for _ in range(draw(st.integers(0, 3)) if count else 0):
        total = total + AffineExpr.dimension(draw(st.integers(0, count - 1))) * draw(st.integers(-3, 8))
    match draw(st.integers(0, 4)) if not linear else 0:
        case 1:
            return total % draw(st.integers(1, 5))
        case 2:
            return total // draw(st.integers(1, 4))
        case 3:
            return (total // draw(st.integers(1, 4))) % draw(st.integers(1, 4)) + draw(st.integers(-1, 1))
        case _:
            return total


@st.composite
def accesses(draw: st.DrawFn, ranges: Mapping[str, range], rank: int) -> Relation:
    """A relation to a memory of `rank` axes."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4))
    linear = draw(st.booleans())
    conditions = [] if linear else draw(st.lists(expressions(len(names), False), max_size=1))
    within = draw(st.lists(st.tuples(expressions(len(names), True), st.integers(1, 4)), max_size=1))
    subscripts = tuple(draw(expressions(len(names), linear)) for _ in range(rank))
    return Relation(
        {name: ranges[name] for name in names}, subscripts, tuple(conditions), () if linear else tuple(within)
    )


RANGES = st.fixed_dictionaries({name: st.builds(range, st.integers(-1, 1), st.integers(2, 6)) for name in NAMES})
EXTENTS = st.lists(st.integers(1, 9), min_size=1, max_size=3)


def instances(relation: Relation, extents: Sequence[int], shared: Mapping[str, range]) -> Iterator[Instance]:
    """All instances of a relation that access an element, one by one."""
    ranges = {**relation.ranges, **shared}
    names = list(relation.ranges)
    for values in product(*ranges.values()):
        chosen = dict(zip(ranges, values, strict=True))
        numbers = [chosen[name] for name in names]
        if any(value_of(each, numbers) for each in relation.zeros):
            continue
        if any(not 0 <= value_of(each, numbers) < limit for each, limit in relation.within):
            continue
        element = tuple(value_of(each, numbers) for each in relation.subscripts)
        if all(0 <= at < extent for at, extent in zip(element, extents, strict=True)):
            yield Instance(tuple(chosen[name] for name in shared), element)


@given(st.data(), RANGES, EXTENTS, SHARED)
def test_conflicts_are_those_of_a_list_of_instances(
    data: st.DataObject, ranges: dict[str, range], extents: list[int], names: set[str]
) -> None:
    found = [data.draw(accesses(ranges, len(extents))) for _ in range(2)]
    shared = {name: ranges[name] for name in sorted(names)}
    space = Space(extents, found, shared)
    one, other = (set(instances(relation, extents, shared)) for relation in found)
    owners = [{e: {o for o, at in which if at == e} for _, e in which} for which in (one, other)]

    def place(element: Mapping[int, int] | None) -> tuple[int, ...] | None:
        return None if element is None else tuple(element[axis] for axis in range(len(extents)))

    twice = {e for e, own in owners[0].items() if len(own) > 1}
    common = owners[0].keys() & owners[1].keys()
    differing = {e for e in common if len(owners[0][e] | owners[1][e]) > 1}
    for answer, expected in (
        (space.meeting(0), twice),
        (space.common(0, 1), common),
        (space.conflict(0, 1), differing),
    ):
        assert place(answer) in expected if expected else answer is None


@given(st.data(), RANGES, EXTENTS, st.booleans(), st.booleans())
def test_missing_elements_are_those_of_a_list_of_instances(
    data: st.DataObject, ranges: dict[str, range], extents: list[int], whole: bool, marked: bool
) -> None:
    cell = [data.draw(st.integers(1, 3)) for _ in extents]
    memory = Memory(tuple(extents), tuple(cell))
    found = [data.draw(accesses(ranges, len(extents))) for _ in range(data.draw(st.integers(int(whole), 3)))]
    of = None if whole else data.draw(accesses(ranges, len(extents)))
    reached = {each.element for relation in found for each in instances(relation, memory.cells, {})}
    wanted = set(product(*map(range, memory.cells))) if of is None else {e for _, e in instances(of, memory.cells, {})}
    left = sorted(wanted - reached)
    sizes = [
        prod(min(size, extent - at * size) for at, size, extent in zip(each, cell, extents, strict=True))
        for each in left
    ]
    expected = Missing(sum(sizes), tuple(at * size for at, size in zip(left[0], cell, strict=True))) if left else None
    space = Space(memory.cells, [*found, *([] if of is None else [of])])
    method = coverage._marked if marked else coverage._by_classes  # pyright: ignore[reportPrivateUsage]
    assert method(space, memory, len(found), of is not None) == expected
    assert missing(memory, found, of) == expected


@given(st.integers(1, 6), st.integers(1, 5), st.integers(1, 5), st.integers(0, 200), st.integers(-3, 60))
def test_axes_of_digits_are_one_axis(high: int, middle: int, low: int, count: int, first: int) -> None:
    """An element of the three axes is the element of one axis with its number, also outside of the memory."""
    n = AffineExpr.dimension(0) + first
    digits = (n // (middle * low), (n // low) % middle, n % low)
    joined, extents = joined_digits(digits, (high, middle, low))
    if low > 1 and middle > 1:
        assert extents == (high * middle * low,)
    for value in range(count):
        places = [value_of(each, [value]) for each in digits]
        inside = all(0 <= at < extent for at, extent in zip(places, (high, middle, low), strict=True))
        number = [value_of(each, [value]) for each in joined]
        assert inside == all(0 <= at < extent for at, extent in zip(number, extents, strict=True))


@given(expressions(3, False), st.integers(1, 4), st.lists(st.integers(0, 9), min_size=3, max_size=3))
def test_multiples_are_divided(expression: AffineExpr, divisor: int, values: list[int]) -> None:
    assert value_of(divided(expression * divisor, divisor), values) == value_of(expression, values)
    if (form := linear_form(expression)) is not None:
        assert value_of(form.expression(), values) == value_of(expression, values)


LINEARS = st.builds(Linear.over, st.just((0, 1, 2)), st.lists(st.integers(-4, 4), min_size=4, max_size=4))


@given(LINEARS, LINEARS, st.lists(st.integers(0, 9), min_size=3, max_size=3), st.sets(st.integers(0, 2)))
def test_linear_expressions_are_those_of_xdsl(one: Linear, other: Linear, values: list[int], known: set[int]) -> None:
    """A linear expression has the value, bounds and step of the same expression in xDSL's class, whatever
    values are substituted first; the difference of equal ones is 0."""
    at, ranges = dict(enumerate(values)), [range(each, each + 3) for each in values]
    for each in (one, one + other, one - other, one * 3):
        expression = each.expression()
        assert each.at(at) == value_of(expression, values)
        assert each.given({name: at[name] for name in known}).at(at) == each.at(at)
        assert each.bounds(ranges.__getitem__) == bounds_of(expression, ranges)
        assert each.step == step_of(expression)
        assert Linear.over((0, 1, 2), each.numbers((0, 1, 2))) - each == Linear()
        assert linear_form(expression) == each
    assert (one + other) - other - one == Linear()


def test_long_loops_take_no_longer() -> None:
    """Instances of a linear subscript are not listed: loops may be of any length."""
    n = 1 << 34
    i, j = AffineExpr.dimension(0), AffineExpr.dimension(1)
    tiled = Relation({"i": range(n), "j": range(64)}, (i * 64 + j,))
    memory = Memory((64 * n,), (1,))
    assert Space(memory.cells, [tiled], tiled.ranges).meeting(0) is None
    assert missing(memory, [tiled]) is None
    short = Relation({"i": range(n - 1), "j": range(64)}, (i * 64 + j,))
    assert missing(memory, [short]) == Missing(64, ((n - 1) * 64,))
    overlapping = Relation({"i": range(n), "j": range(65)}, (i * 64 + j,))
    assert Space((64 * n + 1,), [overlapping], overlapping.ranges).meeting(0) == {0: 64}


def test_what_needs_longer_lists_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "LIMIT", 10)
    i = AffineExpr.dimension(0)
    wrapped = Relation({"i": range(12)}, (i % 6,))
    with pytest.raises(Undecided):
        Space((6,), [wrapped], wrapped.ranges).meeting(0)
    assert Space((6,), [Relation({"i": range(12)}, (i,))], {"i": range(12)}).meeting(0) is None
