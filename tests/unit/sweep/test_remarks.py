"""Remarks on the results of a sweep: points worse than the primary device alone, axes without effect, ties, and
different types."""

from __future__ import annotations

from collections.abc import Mapping

from ndpir.cli.exploring.sweep_show import tables
from ndpir.reports.columns import Figure
from ndpir.sweep.analysis import pareto, sensitivities
from ndpir.sweep.journal import Row
from ndpir.sweep.remarks import remarks, ties


def row(number: int, point: dict[str, int | float | str], **figures: Figure) -> Row:
    return Row(number, point, figures, "", 0.0)


def grid(*figures: Mapping[str, Figure]) -> list[Row]:
    """Four points of two axes `a` and `b` with two values each."""
    points: list[dict[str, int | float | str]] = [{"a": a, "b": b} for a in (1, 2) for b in (10, 20)]
    return [row(number, point, **each) for number, (point, each) in enumerate(zip(points, figures, strict=True))]


def test_all_points_worse_than_without_the_other_devices() -> None:
    slower = grid(*({"makespan_ns": 10.0 + n, "speed_up": 0.5 + n / 10, "rel_energy": 2.0} for n in range(4)))
    assert remarks(slower, "makespan_ns")[:2] == [
        "all points are slower than the primary device alone (speed_up 0.5 to 0.8)",
        "all points take more energy than the primary device alone (rel_energy 2)",
    ]
    equal = grid(*({"makespan_ns": 10.0 + n, "speed_up": 1.0, "rel_energy": 0.5 + n} for n in range(4)))
    assert "no point is faster than the primary device alone (speed_up 1)" in remarks(equal, "makespan_ns")
    faster = grid(*({"makespan_ns": 10.0 + n, "speed_up": 0.9 + n / 10, "rel_energy": 0.9} for n in range(4)))
    assert not [each for each in remarks(faster, "makespan_ns") if "alone" in each]


def test_axes_without_effect() -> None:
    rows = grid(*({"makespan_ns": float(a), "energy_nj": float(a * b)} for a in (1, 2) for b in (10, 20)))
    assert remarks(rows, "makespan_ns") == ["b has no effect on makespan_ns, but on energy_nj"]
    assert not remarks(rows, "energy_nj")
    rows = grid(*({"makespan_ns": float(a)} for a in (1, 2) for _ in (10, 20)))
    assert remarks(rows, "makespan_ns") == ["b has no effect on makespan_ns or any other figure"]
    sampled = [
        row(n, {"a": n, "b": 10 * n}, makespan_ns=1.0) for n in range(4)
    ]  # no two points differ in one axis alone
    assert not remarks(sampled, "makespan_ns")


def test_ties_are_listed() -> None:
    rows = grid(*({"makespan_ns": float(a)} for a in (1, 2) for _ in (10, 20)))
    assert ties(rows, pareto(rows, ["makespan_ns"]), ["makespan_ns"]) == ["as good as a=1 b=10: b=20"]
    effect = {each.axis: (each.best, each.worst) for each in sensitivities(rows, "makespan_ns")}
    assert effect == {"a": ("1", "2"), "b": ("10, 20", "10, 20")}
    many = [row(n, {"a": n}, makespan_ns=1.0) for n in range(20)]
    assert ties(many, many[:1], ["makespan_ns"])[0].endswith("; a=8; … and 11 more")
    assert sensitivities([row(n, {"a": n % 5}, makespan_ns=1.0) for n in range(20)], "makespan_ns")[0].best == (
        "0, 1, 2 and 2 more"
    )


def test_each_row_states_its_types() -> None:
    rows = grid(*({"makespan_ns": float(n), "types": types} for n, types in enumerate(("f16", "f16", "f32", "f32"))))
    assert "points compute in different types (f16; f32): compare points of one type (column `types`)" in remarks(
        rows, "makespan_ns"
    )
    text = tables(rows, ["makespan_ns"], "makespan_ns")
    assert "a   b  makespan_ns  types\n1  10            0  f16\n" in text
    older = grid(*({"makespan_ns": float(n)} for n in range(4)))
    assert "types" not in tables(older, ["makespan_ns"], "makespan_ns")
