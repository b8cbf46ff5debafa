"""Tests of the values of axes, and of the points of designs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndpir.diagnostics.usage import UsageError
from ndpir.sweep.axes import Axis, Value, axes_of, axis_of
from ndpir.sweep.sampling import in_order_of_evaluation, points_of
from tests.amount import cases


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("pim.tCCD=1..4", (1, 2, 3, 4)),
        ("pim.channels=8,16,32", (8, 16, 32)),
        ("pim.channels=8..64*2", (8, 16, 32, 64)),
        ("gpu.launch=0..100+50,7", (0, 50, 100, 7)),
        ("gpu.clock=1 GHz,2 GHz", ("1 GHz", "2 GHz")),
        ("gpu.launch=0.5..1.0+0.25", (0.5, 0.75, 1.0)),
        ("passes=offload,place{effort=1 hints=1,2}", ("offload", "place{effort=1 hints=1,2}")),
        ("passes=canonicalize,fuse;offload", ("canonicalize,fuse", "offload")),
        ("@pim.tCCD=1", (1,)),
    ],
)
def test_values(text: str, values: tuple[Value, ...]) -> None:
    """Each notation of values gives them in order, with their types."""
    axis = axis_of(text)
    assert axis.values == values
    assert [type(value) for value in axis.values] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pim.tCCD", "is not NAME=VALUES"),
        ("tCCD=1", "is none of machine, library, passes"),
        ("pim.tCCD=8..1", "ends below its start"),
        ("pim.tCCD=1..8+0", "never ends"),
        ("pim.tCCD=0..8*2", "never ends"),
        ("pim.tCCD=1,2,1", "the value 1 twice"),
        ("pim.tCCD=1..9999999", "more than 1000000 values"),
        ("gpu.launch=0.5..1.5,3", "has no step"),
    ],
)
def test_refused(text: str, message: str) -> None:
    """A text that is no axis is an error with a message."""
    with pytest.raises(UsageError, match=message):
        axis_of(text)


def test_an_axis_given_twice_is_an_error() -> None:
    """A list of axes with one name twice is an error."""
    with pytest.raises(UsageError, match="swept twice"):
        axes_of(["pim.tCCD=1", "pim.tCCD=2"])


def test_grids_hold_all_combinations() -> None:
    """A grid has each combination of values once, in the order of the axes: the first axis changes least often."""
    points = points_of(axes_of(["machine=a,b", "pim.tCCD=1..3", "dim.b=1,2"]), "grid", None, 0)
    assert len({tuple(sorted(point.items())) for point in points}) == len(points) == 12
    assert [tuple(point.values()) for point in points[:3]] == [("a", 1, 1), ("a", 1, 2), ("a", 2, 1)]


def test_points_that_share_results_are_evaluated_consecutively() -> None:
    """From evaluated point to evaluated point, timing parameters change most often and sizes change least often."""
    axes = axes_of(["machine=a,b", "pim.tCCD=1..3", "dim.b=1,2"])
    points = in_order_of_evaluation(points_of(axes, "grid", None, 0), lambda point: point, axes)
    assert [point["dim.b"] for point in points] == [1] * 6 + [2] * 6
    assert [(point["machine"], point["pim.tCCD"]) for point in points[:4]] == [("a", 1), ("a", 2), ("a", 3), ("b", 1)]


@settings(max_examples=cases(250), deadline=None)
@given(st.integers(1, 60), st.integers(1, 4), st.integers(0, 1000))
def test_latin_hypercubes_hit_each_part_once(samples: int, axes: int, seed: int) -> None:
    """Each of `samples` equal parts of each axis holds exactly one point."""
    spans = [Axis(f"a.{number}", (), (0.0, 1.0)) for number in range(axes)]
    points = points_of(spans, "latin-hypercube", samples, seed)
    for axis in spans:
        assert sorted(int(float(point[axis.name]) * samples) for point in points) == list(range(samples))


def test_samples_depend_on_the_seed_alone() -> None:
    """The same seed gives the same points."""
    axes = axes_of(["pim.tCCD=1..1000", "gpu.launch=0.5..2.0"])
    first, again, other = (points_of(axes, "random", 20, seed) for seed in (1, 1, 2))
    assert first == again != other


def test_designs_that_do_not_fit() -> None:
    """A range without a step is an error as an axis of a grid; a random design without a number of samples is an error,
    too."""
    with pytest.raises(UsageError, match="without a step"):
        points_of(axes_of(["gpu.launch=0.5..2.0"]), "grid", None, 0)
    with pytest.raises(UsageError, match="needs the number of points"):
        points_of(axes_of(["pim.tCCD=1..2"]), "random", None, 0)
