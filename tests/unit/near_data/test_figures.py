"""Figures of plans for training steps: their files, the better of two forms, and the tables of a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.near_data.figures import Figures, add_rows, best, read_rows, tables, write_document

ONE = Figures("ncf", "", "", "overlap", "full", "plain", 200.0, 100.0, 80.0, 2.0, 3.0, 4.0, 5.0, 6_000_000_000, 7.0)
ALL = [
    ONE._replace(policy=policy, accounting=accounting, ns=ns)
    for accounting in ("published", "full")
    for policy, ns in (("pattern", 400.0), ("xla-ndp", 125.0), ("overlap", 100.0))
]


def test_files_keep_figures_and_the_last_row_of_a_plan_counts(tmp_path: Path) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    add_rows(first, ALL)
    add_rows(first, [ONE._replace(sweep="units", value="4")])
    add_rows(second, [ONE._replace(ns=50.0, form="attention")])
    found = read_rows([first, second])
    assert len(found) == len(ALL) + 1
    assert [each for each in found if each.form == "attention"] == [ONE._replace(ns=50.0, form="attention")]


def test_the_better_of_two_forms_counts_with_a_bound_on_both() -> None:
    other = ONE._replace(form="attention", ns=90.0, bound=85.0, seconds=1.0)
    assert best([ONE, other]) == other._replace(bound=80.0, seconds=8.0)
    assert best([ONE, other._replace(bound=0.0)]).bound == 0.0


def test_a_bound_above_a_plan_shows() -> None:
    assert ONE._replace(bound=110.0).gap == pytest.approx(-1 / 11)


def test_tables_replace_those_of_a_document(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n\n<!-- xla_ndp: full plans -->\n| old |\n|---|\n\nafter\n<!-- xla_ndp: energy -->\n")
    found = tables(ALL)
    for _ in range(2):
        assert write_document(page, found) == ["published plans"]
        text = page.read_text()
        assert text.startswith("before\n\n<!-- xla_ndp: full plans -->\n| step |")
        assert "| NCF | 0.0002 ms | 0.500x | 1.600x | 2.000x | 2.50x | 25.0 % |  | 6.00 GB | 7 |\n" in text
        assert "\n\nafter\n<!-- xla_ndp: energy -->\n| step |" in text
        assert "| NCF | 4 J, 5 J | 0.50x | 0.60x | 0.50x | 0.60x |\n" in text
        assert "old" not in text


def test_a_sweep_has_a_column_for_each_value() -> None:
    rows = [
        ONE._replace(sweep="bandwidth", value=value, policy=policy, ns=ns)
        for value, times in (("225", (160.0, 125.0)), ("900", (125.0, 100.0)))
        for policy, ns in zip(("xla-ndp", "overlap"), times, strict=True)
    ]
    text = tables(rows)["full bandwidth"]
    assert text.splitlines()[0] == "| bandwidth of the memory, GB/s | 225 | 900 |"
    assert text.splitlines()[2] == "| NCF | 1.25 1.60 | 1.60 2.00 |"
