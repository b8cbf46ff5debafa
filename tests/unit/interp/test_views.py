"""Tests of slices and concats that are views: slices of contiguous memory, and concats of values that producers can
write next to each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

import interp.walk.views
from dialects.diagnostics import InputError
from dialects.graph import ConcatOp, SliceOp
from interp.simulate.simulation import simulate
from interp.walk.entry import functions
from interp.walk.views import is_view
from lowering.graph.layout import lay_out
from lowering.instance.of_program import PlacementProblem
from lowering.place.place import place_function
from tests.laws.placement.deciding import LEAST
from tests.programs import parse
from tests.table_clock import TableClock, machine

LAST = "{order = array<i64: 0, 2, 3, 1>}"
CONCATS_OF = interp.walk.views._concats_of  # pyright: ignore[reportPrivateUsage]
FIRST = "{order = array<i64: 0, 1, 2, 3>}"


def views(body: str, arguments: str = "%x: tensor<1x8x6x6xf32>") -> list[bool]:
    """For each slice and concat of a function, True if the op is a view."""
    module = parse(f"func.func @main({arguments}) {{\n{body}\nfunc.return\n}}")
    return [is_view(op) for op in module.walk() if isinstance(op, SliceOp | ConcatOp)]


@pytest.mark.parametrize(
    ("slice_text", "is_a_view"),
    [
        (f"starts = [0, 0, 2, 0], ends = [1, 8, 5, 6] {LAST}", True),  # some rows
        ("starts = [0, 0, 2, 0], ends = [1, 8, 5, 6]", False),  # without an order of axes in memory
        (f"starts = [0, 0, 2, 0], ends = [1, 8, 5, 6] {FIRST}", False),  # some rows of each channel
        (f"starts = [0, 3, 2, 0], ends = [1, 4, 5, 6] {FIRST}", True),  # some rows of one channel
        (f"starts = [0, 3, 0, 0], ends = [1, 8, 6, 6] {FIRST}", True),  # some channels
        (f"starts = [0, 3, 0, 0], ends = [1, 8, 6, 6] {LAST}", False),
        (f"starts = [0, 0, 2, 1], ends = [1, 8, 3, 5] {LAST}", True),  # a part of one row
        (f"starts = [0, 0, 2, 1], ends = [1, 8, 4, 5] {LAST}", False),
        (f"starts = [0, 0, 0, 0], ends = [1, 8, 6, 6], steps = [1, 1, 2, 1] {LAST}", False),
        (f"starts = [0, 0, 5, 0], ends = [1, 8, -1, 6], steps = [1, 1, -1, 1] {LAST}", False),
        (f"starts = [0, 0, 5, 0], ends = [1, 8, 4, 6], steps = [1, 1, -1, 1] {LAST}", True),  # one row
    ],
)
def test_a_slice_is_a_view_if_it_is_contiguous(slice_text: str, is_a_view: bool) -> None:
    assert views(f"%y = graph.slice %x {slice_text} : tensor<1x8x6x6xf32>") == [is_a_view]


def test_rows_of_two_images_are_not_contiguous() -> None:
    slice_text = f"%y = graph.slice %x starts = [0, 0, 2, 0], ends = [2, 8, 5, 6] {LAST} : tensor<2x8x6x6xf32>"
    assert views(slice_text, "%x: tensor<2x8x6x6xf32>") == [False]


TWO = """
%a = graph.relu %x : tensor<1x8x6x6xf32>
%b = graph.neg %x : tensor<1x8x6x6xf32>
"""
ROWS = f"axis = 2 {LAST} : tensor<1x8x6x6xf32>"


@pytest.mark.parametrize(
    ("body", "is_a_view"),
    [
        (f"%y = graph.concat %a, %b {ROWS}", [True]),
        (f"%y = graph.concat %a, %b axis = 1 {LAST} : tensor<1x8x6x6xf32>", [False]),  # channels are interleaved
        (f"%y = graph.concat %a, %x {ROWS}", [False]),  # an argument can't be written next to %a
        (f"%y = graph.concat %a, %a {ROWS}", [False]),
        (f"%y = graph.concat %a, %b {ROWS}\n%z = graph.concat %a, %b {ROWS}", [True, True]),
        (f"%y = graph.concat %a, %b {ROWS}\n%z = graph.concat %b, %a {ROWS}", [False, False]),
        (
            f"%c = graph.abs %x : tensor<1x8x6x6xf32>\n"
            f"%y = graph.concat %a, %b {ROWS}\n%z = graph.concat %a, %c {ROWS}",
            [False, False],
        ),
        # The last row of %a and all of %b are contiguous in the concat of both.
        (
            f"%y = graph.concat %a, %b {ROWS}\n"
            f"%h = graph.slice %a starts = [0, 0, 5, 0], ends = [1, 8, 6, 6] {LAST} : tensor<1x8x6x6xf32>\n"
            f"%z = graph.concat %h, %b axis = 2 {LAST} : tensor<1x8x1x6xf32>, tensor<1x8x6x6xf32>",
            [True, True, True],
        ),
        # The first row of %a and all of %b are not contiguous: the other rows of %a are between them.
        (
            f"%h = graph.slice %a starts = [0, 0, 0, 0], ends = [1, 8, 1, 6] {LAST} : tensor<1x8x6x6xf32>\n"
            f"%z = graph.concat %h, %b axis = 2 {LAST} : tensor<1x8x1x6xf32>, tensor<1x8x6x6xf32>",
            [True, False],
        ),
        # A concat of a concat, and three concats in a ring.
        (
            f"%c = graph.abs %x : tensor<1x8x6x6xf32>\n%y = graph.concat %a, %b {ROWS}\n"
            f"%z = graph.concat %y, %c axis = 2 {LAST} : tensor<1x8x12x6xf32>, tensor<1x8x6x6xf32>",
            [True, True],
        ),
        (
            f"%c = graph.abs %x : tensor<1x8x6x6xf32>\n%y = graph.concat %a, %b {ROWS}\n"
            f"%z = graph.concat %b, %c {ROWS}\n%u = graph.concat %c, %a {ROWS}",
            [False, False, False],
        ),
    ],
)
def test_a_concat_is_a_view_if_its_parts_can_be_written_next_to_each_other(body: str, is_a_view: list[bool]) -> None:
    assert views(TWO + body) == is_a_view


def test_a_concat_with_a_constant_is_no_view() -> None:
    body = f"""
    %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<1x8x6x6xf32>
    %v = graph.neg %w : tensor<1x8x6x6xf32>
    %a = graph.relu %x : tensor<1x8x6x6xf32>
    %y = graph.concat %a, %v {ROWS}
    """
    assert views(body) == [False]


def test_an_order_names_each_axis_once() -> None:
    slice_text = "starts = [0, 0, 0, 0], ends = [1, 8, 1, 6] {order = array<i64: 0, 2, 2, 1>}"
    with pytest.raises(
        InputError, match=r"graph\.slice: the attribute order is array<i64: 0, 2, 2, 1>, but must list the 4 axes"
    ):
        views(f"%y = graph.slice %x {slice_text} : tensor<1x8x6x6xf32>")


def test_concats_that_contain_a_value_are_found_once_per_concat(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this chain of concats, each has the previous one's result as its first operand, so that all results contain
    the first value. The search for the concats that contain a value visits each part and each concat once per
    concat."""
    uses = 0

    def concats_of(root: SSAValue, visited: set[SSAValue]) -> Iterator[ConcatOp]:
        nonlocal uses
        before = len(visited)
        yield from CONCATS_OF(root, visited)
        uses += len(visited) - before

    monkeypatch.setattr(interp.walk.views, "_concats_of", concats_of)
    parts, most = "", 8
    for n in range(1, most):
        parts += f"%p{n} = graph.abs %x : tensor<1x8x6x6xf32>\n"
        parts += f"%c{n} = graph.concat {f'%c{n - 1}' if n > 1 else '%a'}, %p{n} axis = 2 {LAST} : "
        parts += f"tensor<1x8x{6 * n}x6xf32>, tensor<1x8x6x6xf32>\n"
    assert views(TWO + parts) == [True] * (most - 1)
    assert uses == (most - 1) * (most + most - 1)  # for each concat: all parts and all concats


SPLIT = """
func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = graph.slice %x starts = [0, 0], ends = [1, 3] {order = array<i64: 0, 1>} : tensor<4x3xf32>
  %1 = graph.relu %0 : tensor<1x3xf32>
  %2 = graph.slice %x starts = [1, 0], ends = [4, 3] {order = array<i64: 0, 1>} : tensor<4x3xf32>
  %3 = graph.neg %2 : tensor<3x3xf32>
  %y = graph.concat %1, %3 axis = 0 {order = array<i64: 0, 1>} : tensor<1x3xf32>, tensor<3x3xf32>
  func.return %y : tensor<4x3xf32>
}
"""


def test_only_the_bytes_of_a_slice_are_copied_and_views_take_no_time() -> None:
    clock = TableClock(machine("gpu", "pim"), {"relu": {"gpu": 100, "pim": 5}, "neg": {"gpu": 100}})
    module = parse(SPLIT)
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    place_function(function, clock, "optimal", options=LEAST)
    timeline = simulate(module, clock)
    copies = [event.cost.bytes for event in timeline.events if event.is_copy]
    assert (copies, timeline.makespan_ns) == (
        [12, 12],
        100,
    )  # one row is copied to the PIM and back while the GPU computes the other three
    assert [event.name for event in timeline.events if not event.is_copy] == ["relu", "neg"]
    assert timeline.memory["gpu"].live == 48 + 12 + 36  # the concat takes no memory in addition to its parts


def test_an_argument_and_its_slices_take_memory_once() -> None:
    clock = TableClock(machine("gpu"), {"relu": {"gpu": 1}, "neg": {"gpu": 1}})
    timeline = simulate(parse(SPLIT), clock)
    assert (timeline.memory["gpu"].live, timeline.makespan_ns) == (96, 2)


def test_layout_and_placement_do_not_search_for_prepared_values_per_concat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layout and placement compute the set of values prepared ahead of time once; a search for each concat would take
    quadratic time."""
    halves = [f"graph.{kind} %x : tensor<1x8x3x6xf32>" for kind in ("relu", "neg")]
    body = "\n".join(f"%{index} = {half}" for index, half in enumerate(halves))
    joined = "%y = graph.concat %0, %1 axis = 2 : tensor<1x8x3x6xf32>, tensor<1x8x3x6xf32>"
    last = "%z = graph.relu %y : tensor<1x8x6x6xf32>"
    module = parse(f"func.func @main(%x: tensor<1x8x3x6xf32>) {{\n{body}\n{joined}\n{last}\nfunc.return\n}}")
    [function] = functions(module)

    def walk(_: object, known: object = ()) -> bool:
        raise AssertionError("walked")

    monkeypatch.setattr(interp.walk.views, "is_prepared", walk)
    lay_out(function)
    problem = PlacementProblem(function, TableClock(machine("gpu"), {"relu": {"gpu": 1}, "neg": {"gpu": 1}}))
    assert [node.view for node in problem.nodes] == [False, False, True, False]
