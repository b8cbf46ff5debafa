"""Near-data programs compared with public kernels, which are measured in several forms (with and without redundant
loads, stores and ops): the law on the longer forms, and the tables of forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.near_data.ndpx_cost import read
from benchmarks.near_data.ndpx_programs import FORMS, fold_errors, folds, main, without
from benchmarks.near_data.public_kernels import DATA, errors, public_kernels, with_public_scratch_price
from interp.kinds.ndp.files import read_law
from interp.machine.sheets.search import SHIPPED

LAW = read_law(SHIPPED / "calibrations" / "ndpx.law")


def test_forwarding_removes_as_many_loads_as_stores() -> None:
    """For each load that forwarding removes from a public kernel, the program becomes two lines shorter: a store is
    removed, too. The law therefore needs only one cost for both loads and stores of a unit's local memory."""
    kernels = public_kernels()
    assert len(kernels) == 319
    spared = [each.forms["none"][0] - each.forms["memory"][0] for each in kernels]
    lines = [each.lines["none"] - each.lines["memory"] for each in kernels]
    ops = [each.forms["none"][1] - each.forms["memory"][1] for each in kernels]
    assert lines == [2 * each for each in spared]
    assert not any(ops)


def test_reductions_follow_from_the_lines_of_a_kernel() -> None:
    """A kernel that multiplies and reduces has two lines more than one that multiplies and stores; an update of Adam
    with two constants has no reductions."""
    kernels = {(each.network, each.outputs, each.forms["both"][:2], each.reductions) for each in public_kernels()}
    assert {("bert", 1, (1, 1), 0), ("bert", 1, (1, 1), 1), ("bert", 4, (5, 8), 4), ("bert", 3, (8, 14), 0)} <= kernels
    assert all(0 <= each.reductions <= each.outputs for each in public_kernels())


def test_the_rates_of_kernels_show_their_reductions() -> None:
    """Of the large kernels with one output and one op, those with a reduction take fewer than 9 elements per cycle, and
    all others more than 18."""
    kernels = [each for each in public_kernels() if each.elements > 50_000 and each.before[1:] == (1, 1)]
    rates = {True: list[float](), False: list[float]()}
    for each in kernels:
        rates[each.reductions > 0].append(each.elements / each.forms["both"][2])
    assert max(rates[True]) < 9
    assert min(rates[False]) > 18


def test_the_shipped_law_predicts_all_forms_of_all_kernels() -> None:
    """The mean error over all kernels, none of them left out, is below 4 % without accesses to a unit's own memory and
    below 9 % with them."""
    for form, most in (("none", 0.09), ("memory", 0.04), ("numbering", 0.09), ("both", 0.04)):
        assert errors(LAW, public_kernels(), form).mean() < most, form


@pytest.mark.slow
def test_errors_on_kernels_of_other_shapes_are_within_documented_limits() -> None:
    kernels = public_kernels()
    found = fold_errors(read(DATA / "costs_open.csv"), kernels, any_size=False)
    assert {form: len(off) for form, off in found.items()} == dict.fromkeys(found, 319)
    assert all(off.mean() <= 0.09 for off in found.values())
    assert (found["both"].mean() <= 0.04, np.median(found["both"]) <= 0.015) == (True, True)


def test_no_fold_is_fitted_to_evaluated_kernels() -> None:
    kernels, rows = public_kernels(), read(DATA / "costs_open.csv")
    for any_size in (False, True):
        seen: list[int] = []
        for known, evaluated in folds(kernels, lambda each, any_size=any_size: each.shape[any_size:]):
            held = [kernels[index] for index in evaluated]
            assert not {each.shape[any_size:] for each in known} & {each.shape[any_size:] for each in held}
            left = {key[any_size:4] for key in without(rows, held, any_size).identities()}
            counts = {each.counts(form) for each in held for form in ("memory", "both")}
            assert not left & {(each.elements, each.inputs, each.outputs, each.ops)[any_size:] for each in counts}
            seen += evaluated
        assert sorted(seen) == list(range(len(kernels)))


def test_the_price_of_local_memory_fits_public_kernels_best() -> None:
    assert with_public_scratch_price(LAW, public_kernels()) == LAW


def test_the_table_compares_all_forms_of_a_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ncf.mlir").write_text(
        "func.func @main(%x: tensor<65536xf32>, %y: tensor<65536xf32>) -> tensor<65536xf32> {\n"
        "  %0 = graph.mul %x, %y : tensor<65536xf32>\n  %1 = graph.exp %0 : tensor<65536xf32>\n"
        "  %2 = graph.add %1, %x : tensor<65536xf32>\n  func.return %2 : tensor<65536xf32>\n}\n"
    )
    assert main([str(tmp_path / "ncf.mlir")]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("ncf ")][: len(FORMS)]
    assert [row[1] for row in rows] == list(FORMS)
    assert [row[3:6] for row in rows] == [
        ["5", "3", "15"], ["3", "3", "9"], ["2", "3", "12"], ["2", "3", "8"], ["2", "3", "8"],
    ]  # fmt: skip
    cycles = [int(row[6].replace(",", "")) for row in rows]
    assert cycles[0] > cycles[1] >= cycles[3] == cycles[4]
    assert rows[3][-1] == "1.46"


def test_a_machine_without_units_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--kernels", "--machine", "a100-newton"]) == 1
    assert "error: machine a100-newton has no near-data units" in capsys.readouterr().err
