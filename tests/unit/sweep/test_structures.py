"""Points of one structure have the questions, settings and JSON of each point alone."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ndpir.frontends.sizes import Sizes
from ndpir.sweep.axes import Axis, Value
from ndpir.sweep.request import Request, question_of, variant_of
from ndpir.sweep.sampling import Point, in_order_of_evaluation, program_of
from ndpir.sweep.structures import Table, structures_of

VALUES = st.one_of(st.integers(-5, 5), st.floats(-1e9, 1e9), st.text(max_size=4), st.sampled_from(["8 cycles", "%b"]))
AXES = ("pim.tCCD", "pim.tRP", "@pim.tRP", "pim.channels", "machine", "a=b.tX")


@given(st.lists(st.fixed_dictionaries(dict.fromkeys(AXES, VALUES)), max_size=8), st.lists(VALUES, max_size=2))
def test_questions_and_settings_are_those_of_each_point(points: list[Point], given: list[Value]) -> None:
    settings = tuple(f" pim.tRP ={value}" for value in given)
    request = Request("mo%del.mlir", settings=settings, sizes=Sizes(batch=2))
    places: list[int] = []
    for structure in structures_of(request, points):
        names, values = structure.settings()
        for at, (place, question) in enumerate(zip(structure.places, structure.questions(), strict=True)):
            variant = variant_of(request, points[place])
            assert question == question_of(request, variant)
            pairs = [text.partition("=")[::2] for text in variant.settings]
            timed = [(name.strip(), value.strip()) for name, value in pairs if ".t" in name]
            assert timed == [(name, column[at]) for name, column in zip(names, values, strict=True)]
            places.append(place)
    assert sorted(places) == list(range(len(points)))


def test_marks_that_a_request_holds_itself_change_no_question() -> None:
    request = Request("m.mlir", passes="\0" + "0\0", settings=("x.y=\udcff",))
    points: list[Point] = [{"pim.tCCD": value} for value in (1, 2, "\udcff")]
    for each in (request, Request("m.mlir", passes="\0" + "0\0")):
        (structure,) = structures_of(each, points)
        assert structure.questions() == [question_of(each, variant_of(each, point)) for point in points]


def test_sizes_are_no_timing_parameters() -> None:
    points: list[Point] = [{"dim.tokens": 1, "shape.tX": "1x2"}, {"dim.tokens": 2, "shape.tX": "1x2"}]
    assert [each.timings for each in structures_of(Request("m.mlir"), points)] == [(), ()]
    assert program_of(points[0]) != program_of(points[1])
    assert program_of({"pim.tCCD": 1, "pim.clock": "1 GHz", "dim.clock": 2}) == (("dim.clock", 2),)


@given(st.lists(st.tuples(st.floats(), st.floats(width=16)), min_size=1, max_size=9))
def test_tables_are_written_as_their_rows(values: list[tuple[float, float]]) -> None:
    """Also with numbers that JSON has no form for, and names and texts that look like fields of a format."""
    first, second = np.array(values, np.float64).T
    shared = {"a": 0.0, "100%s": None, "types": "%d é", "tasks": 3}
    table = Table(shared, {"a": first, "same": first.copy(), "%": second})
    rows = list(table.rows())
    assert [json.dumps(row) for row in rows] == table.written()
    assert [list(row) for row in rows] == [["a", "100%s", "types", "tasks", "same", "%"]] * len(table)
    assert json.dumps([table.row(at) for at in range(len(table))]) == json.dumps(rows)
    assert table.at(slice(1, None)).written() == table.written()[1:]


def test_order_of_evaluation_without_axes_and_on_ranges() -> None:
    empty: Point = {}
    assert in_order_of_evaluation([empty], lambda point: point, []) == [empty]
    axes = [Axis("pim.tCCD", (), (0.0, 9.0)), Axis("pim.channels", (8, 4))]
    points: list[Point] = [{"pim.tCCD": t, "pim.channels": n} for t, n in ((3.5, 4), (1.5, 4), (2.5, 8))]
    order = in_order_of_evaluation(points, lambda point: point, axes)
    assert [point["pim.tCCD"] for point in order] == [2.5, 1.5, 3.5]
