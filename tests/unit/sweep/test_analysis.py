"""The Pareto front and the sensitivities of a sweep."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ndpir.cli.exploring.sweep_show import tables
from ndpir.sweep.analysis import failure_text, failures, pareto, sensitivities
from ndpir.sweep.drawing import effects_plot, pareto_plot
from ndpir.sweep.journal import Row
from ndpir.sweep.report import report_html


def _row(number: int, x: float, y: float, error: str = "") -> Row:
    return Row(number, {"pim.a": number}, {} if error else {"makespan_ns": x, "energy_nj": y}, error, 0.0)


FRONT = ["makespan_ns", "energy_nj"]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30))
def test_no_other_point_beats_the_front(places: list[tuple[int, int]]) -> None:
    """A point is on the front if and only if no other point is at least as good in both figures; this is compared by
    enumeration of all pairs."""
    rows = [_row(number, float(place[0]), float(place[1])) for number, place in enumerate(places)]
    front = {(row.figures["makespan_ns"], row.figures["energy_nj"]) for row in pareto(rows, FRONT)}
    assert front == {a for a in places if not any(b != a and b[0] <= a[0] and b[1] <= a[1] for b in places)}


def test_sensitivities_of_a_power_law() -> None:
    """For y = a² · b⁰ on a grid, `a` explains all of the variance with elasticity 2, and `b` none."""
    rows = [
        Row(0, {"pim.a": a, "pim.b": b}, {"makespan_ns": float(a * a)}, "", 0.0)
        for a in (1, 2, 4, 8)
        for b in (1, 2, 3)
    ]
    first, second = sensitivities(rows, "makespan_ns")
    assert (first.axis, first.best, first.worst) == ("pim.a", "1", "8")
    assert abs(first.explained - 1) < 1e-12
    assert first.elasticity is not None
    assert abs(first.elasticity - 2) < 1e-12
    assert (second.explained, second.elasticity) == (0.0, 0.0)


def test_points_of_different_machines_differ_by_shape_and_have_units() -> None:
    rows = [
        Row(0, {"machine": name, "pim.a": a}, {"makespan_ns": 1500.0 * a, "energy_nj": 2e6 + a}, "", 0.0)
        for name in ("x", "y")
        for a in (1, 2)
    ]
    svg = pareto_plot(rows, FRONT).svg()
    assert [svg.count(f'class="point s{number}"') for number in range(3)] == [2, 2, 0]
    assert ">makespan in us</text>" in svg
    assert ">energy in mJ</text>" in svg
    assert "makespan_ns=1,500, energy_nj=2,000,001" in svg
    assert ">makespan in us</text>" in effects_plot(rows, "makespan_ns").svg()


def test_points_that_fail_alike_are_one_line() -> None:
    rows = [Row(0, {"machine": "x", "pim.a": a}, {}, "no field", 0.0) for a in (1, 2)]
    rows.append(Row(0, {"machine": "y", "pim.a": 1}, {}, "no machine", 0.0))
    assert [failure_text(each) for each in failures(rows)] == ["2 points with machine=x", "machine=y pim.a=1"]
    assert "failed\n2 points with machine=x: no field\nmachine=y pim.a=1: no machine\n" in tables(
        rows, FRONT, "makespan_ns"
    )


def test_drawings_show_every_point() -> None:
    """Each point is a mark with its values; names of axes are escaped, and failed points are listed with their
    error."""
    rows = [_row(0, 1.0, 3.0), _row(1, 2.0, 2.0), _row(2, 3.0, 3.0), _row(3, 0.0, 0.0, "a <b> failed")]
    svg = pareto_plot(rows, FRONT).svg()
    assert svg.count('class="point ') == 3
    assert svg.count('class="front"') == 2 + 1, "two points and the legend"
    assert "pim.a=1" in svg
    assert effects_plot(rows, "makespan_ns").svg().count('class="mean"') == 3 + 1, "three means and the legend"
    page = report_html("r&s.sqlite", rows, FRONT, "makespan_ns")
    assert "a &lt;b&gt; failed" in page
    assert "r&amp;s.sqlite" in page
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https:" not in page
